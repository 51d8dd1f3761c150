"""What the optional compiler, mypyc, is told; to the interpreter it says nothing.

``allow_interpreted_subclasses``: a ruleset that isn't compiled may derive from a class that is.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:
    T = TypeVar("T")

    def mypyc_attr(**_: object) -> Callable[[T], T]:
        """Return a decorator that leaves its class as it is."""
        return lambda declared: declared


__all__ = ["mypyc_attr"]
