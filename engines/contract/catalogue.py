"""The catalogue: rulesets found by the entry point group ``regicide.rulesets``, and rejected entry points.

Reading the group scans every installed distribution. Therefore it is read only once, at the first use of
``engines.RULESETS``. In a checkout whose own distribution isn't installed, the checkout's games are found by their
folders.
"""

import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint, distributions
from importlib.util import find_spec
from typing import Final, NamedTuple

from engines.contract.base import Ruleset
from engines.contract.trial_game import UnplayableGame, check_playable

ENTRY_POINT_GROUP: Final = "regicide.rulesets"
RULESET_NAME_PATTERN: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")
DISTRIBUTION: Final = "regicide-server"
REQUIRED_METHODS: Final = ("new", "load", "worlds", "verdict")
"""Methods without a default. ``_load`` checks for them, because a compiled class can be created without them."""
NO_RULESETS_EXIT_CODE: Final = 2
NO_RULESETS_MESSAGE: Final = f"No game is installed: no entry point of the group {ENTRY_POINT_GROUP} gives a ruleset."


class RejectedRuleset(NamedTuple):
    """An entry point without a usable ruleset, and the reason."""

    name: str
    reason: str


class Catalogue(NamedTuple):
    """The usable rulesets by name, and the rejected entry points."""

    rulesets: dict[str, Ruleset]
    rejected: tuple[RejectedRuleset, ...]


def find() -> Catalogue:
    """Load all rulesets: this project's first, then those of others, each sorted by minimum player count and name."""
    own, others, rejected = list[Ruleset](), list[Ruleset](), list[RejectedRuleset]()
    for entry, is_own in _entries():
        try:
            (own if is_own else others).append(_load(entry))
        except (Exception, SystemExit) as error:  # noqa: BLE001  modules of other authors can raise anything
            rejected.append(RejectedRuleset(entry.name, f"{type(error).__name__}: {error}"))
    rulesets: dict[str, Ruleset] = {}
    for ruleset in (*_sorted(own), *_sorted(others)):
        try:
            _check_usable(ruleset, rulesets, is_own=ruleset in own)
            rulesets[ruleset.name] = ruleset
        except (NameTaken, UnplayableGame) as error:
            rejected.append(RejectedRuleset(ruleset.name, f"{type(ruleset).__module__}: {error}"))
    return Catalogue(rulesets, tuple(rejected))


class NameTaken(Exception):
    """Another ruleset has the same name."""


def _check_usable(ruleset: Ruleset, earlier: Mapping[str, Ruleset], *, is_own: bool) -> None:
    """Raise ``NameTaken`` if one of *earlier* has the name of *ruleset*, or ``UnplayableGame``.

    This project's own games have no trial, because its tests play them, and trials take time at every start.
    """
    if ruleset.name in earlier:
        raise NameTaken(f"the name is taken by {type(earlier[ruleset.name]).__module__}")
    if not is_own:
        check_playable(ruleset)


def require_rulesets() -> None:
    """If there is no ruleset, write one sentence to standard error and exit with code 2."""
    if not import_module("engines").RULESETS:
        sys.stderr.write(f"{NO_RULESETS_MESSAGE}\n")
        raise SystemExit(NO_RULESETS_EXIT_CODE)


def _sorted(rulesets: list[Ruleset]) -> list[Ruleset]:
    return sorted(rulesets, key=lambda ruleset: (min(ruleset.player_counts), ruleset.name))


def _entries() -> Iterator[tuple[EntryPoint, bool]]:
    """Yield each entry point, and whether it belongs to this distribution."""
    own = next((one for one in distributions(name=DISTRIBUTION) if _is_installed(one)), None)
    for entry in _folders() if own is None else own.entry_points.select(group=ENTRY_POINT_GROUP):
        yield entry, True
    for _, distribution in sorted(_others().items()):
        for entry in distribution.entry_points.select(group=ENTRY_POINT_GROUP):
            yield entry, False


def _is_installed(distribution: Distribution) -> bool:
    """Return whether *distribution* is installed; False for outdated metadata that a build left in the checkout."""
    return distribution.read_text("METADATA") is not None


def _others() -> dict[str, Distribution]:
    """Return the distributions of other projects with entry points of the group, by name.

    If a name occurs twice, the first distribution is returned, because Python imports that one. Names are read only of
    distributions with the group: reading the names of all distributions would take a tenth of a server's start time.
    """
    found: dict[str, Distribution] = {}
    for distribution in distributions():
        if ENTRY_POINT_GROUP in (distribution.read_text("entry_points.txt") or ""):
            found.setdefault(str(distribution.name), distribution)  # the name is None in broken metadata
    found.pop(DISTRIBUTION, None)
    return found


def _folders() -> Iterator[EntryPoint]:
    """Yield an entry point for each folder of ``engines`` that has a ``ruleset.py``."""
    for module in pkgutil.iter_modules(import_module("engines").__path__):
        name = f"engines.{module.name}.ruleset"
        if module.ispkg and find_spec(name) is not None:
            for attribute, value in vars(import_module(name)).items():
                if isinstance(value, type) and issubclass(value, Ruleset) and value.__module__ == name:
                    yield EntryPoint(module.name, f"{name}:{attribute}", ENTRY_POINT_GROUP)


def _load(entry: EntryPoint) -> Ruleset:
    """Return an instance of the entry point's class.

    Raises ``TypeError`` or ``ValueError`` if the class breaks the contract, and any error that its module raises.
    """
    loaded = entry.load()
    if not (isinstance(loaded, type) and issubclass(loaded, Ruleset)):
        raise TypeError(f"{entry.value} is no subclass of engines.ruleset.Ruleset")
    missing = [name for name in REQUIRED_METHODS if getattr(loaded, name) is getattr(Ruleset, name)]
    if missing:
        raise TypeError(f"{entry.value} lacks {', '.join(missing)}")
    ruleset = loaded()
    _require_complete(ruleset, entry.name)
    return ruleset


def _require_complete(ruleset: Ruleset, name: str) -> None:
    """Raise ``ValueError`` unless *ruleset* has all that is needed, and the *name* of its entry point."""
    if ruleset.name != name:
        raise ValueError(f"the entry point is called {name!r}, and the ruleset {ruleset.name!r}")
    if not RULESET_NAME_PATTERN.fullmatch(ruleset.name):
        raise ValueError(f"the name {ruleset.name!r} must be lower-case letters, digits, - and _, at most 40")
    if not ruleset.title or not ruleset.player_counts or min(ruleset.player_counts) < 1:
        raise ValueError("a ruleset needs a title, and player_counts of at least one number from 1")
    if not ruleset.schemas:
        raise ValueError("a ruleset needs JSON schemas")
