"""For the optional compiler, mypyc: a decorator for base classes; and whether the engines are compiled.

``allow_interpreted_subclasses``: a ruleset that isn't compiled may derive from a class that is.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from engines.core import cards

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:
    T = TypeVar("T")

    def mypyc_attr(**_: object) -> Callable[[T], T]:
        """Return a decorator that leaves its class as it is."""
        return lambda declared: declared


__all__ = ["is_compiled", "mypyc_attr"]


def is_compiled() -> bool:
    """The engines run as machine code."""
    return not str(cards.__file__).endswith(".py")
