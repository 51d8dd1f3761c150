"""Support for the optional compiler, mypyc: a decorator for base classes.

With ``allow_interpreted_subclasses`` a ruleset that isn't compiled may derive from a compiled class.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from engines.core import cards

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:
    T = TypeVar("T")

    def mypyc_attr(**_: object) -> Callable[[T], T]:
        """Replace mypyc's decorator, which isn't needed at run time: return a decorator that changes nothing."""
        return lambda declared: declared


__all__ = ["is_compiled", "mypyc_attr"]


def is_compiled() -> bool:
    """Return whether the engines run as machine code."""
    return not str(cards.__file__).endswith(".py")
