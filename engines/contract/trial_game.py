"""The trial of an installed game: its first action is played once, before the game is offered to anybody.

A fault that the trial finds is the reason why the catalogue rejects the game. Otherwise the first request that meets
the fault would fail, and the web server, whose contract has an example of every game, couldn't start.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Final

from engines.contract.base import Ruleset
from engines.contract.events import Event
from engines.contract.position import Action, Position, step
from engines.core.dealer import SeededDealer, SimulationDealer
from engines.core.phrase import YOU, english, sentence

TRIAL_SEED: Final = "trial"


class UnplayableGame(Exception):
    """The trial of a game failed. The text names the part of the ruleset, and its error."""


@contextmanager
def _part(name: str) -> Iterator[None]:
    """Context manager that converts any error of a game's code into ``UnplayableGame``, which names the part."""
    try:
        yield
    except UnplayableGame:
        raise  # an inner part is more precise
    except (Exception, SystemExit) as error:  # the border to an installed game: its code can raise anything
        raise UnplayableGame(f"{name}: {type(error).__name__}: {error}") from error


def check_playable(ruleset: Ruleset) -> None:
    """Play the first action with the fewest and with the most players. Raises ``UnplayableGame``."""
    with _part("the class"):
        _check_declarations(ruleset)
        for players in sorted({min(ruleset.player_counts), max(ruleset.player_counts)}):
            _play(ruleset, players)


def _check_declarations(ruleset: Ruleset) -> None:
    """Check the class variables that the contract and the lists of games read."""
    with _part("about, options, schemas, signals, seat_options"):
        ruleset.about_phrase().render(english)
        check_json(ruleset.options)
        check_json(dict(ruleset.schemas))
        check_json([*ruleset.signals])
        for option in ruleset.seat_options.values():
            _ = ruleset.options["properties"][option]["items"]
    for lesson in ruleset.lessons:
        with _part(f"lesson {lesson.name}"):
            lesson.title.render(english)
            ruleset.load(lesson.position)


def check_json(value: object) -> None:
    """Raise ``TypeError`` if *value* isn't JSON: objects with texts as keys, lists, texts, numbers, booleans, None."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise TypeError(f"a key of an object is {type(key).__name__}, no text")
            check_json(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            check_json(inner)
    elif value is not None and not isinstance(value, str | int | float | bool):
        raise TypeError(f"{type(value).__name__} isn't JSON")


def _play(ruleset: Ruleset, players: int) -> None:
    events, dealer = list[Event](), SeededDealer(TRIAL_SEED)
    with _part("check_options"):
        options = ruleset.filled_options(players, {})
        check_json(options)
    with _part("new"):
        position = ruleset.new(players, options, dealer, events)
    _check_shown(ruleset, position, events)
    with _part("to_act, may_act, legal"):
        position.may_act()
        seat = position.to_act()[0]
        action = position.legal(seat)[0]
    _check_action(ruleset, action)
    with _part("worlds"):
        world, rng = ruleset.imagine(position.view(seat), Random(TRIAL_SEED)), Random(TRIAL_SEED)
        world.apply(seat, action, SimulationDealer(rng), list[Event]())
    with _part("apply"):
        after, more = step(position, seat, action, dealer)
        after.to_act()
        after.may_act()
    _check_shown(ruleset, after, more)


def _check_action(ruleset: Ruleset, action: Action) -> None:
    with _part("label"):
        ruleset.label(action, _name).render(english)
    with _part("parse"):
        check_json(action.as_json())
        ruleset.parse(action.as_json())
        ruleset.parse(str(action))


def _check_shown(ruleset: Ruleset, position: Position, events: list[Event]) -> None:
    """Check what viewers are shown of a position and of the events that led to it, and that the position is stored."""
    with _part("outcome, dump, load"):
        check_json(position.outcome)
        check_json(position.dump())
        ruleset.load(position.dump())
    for viewer in (None, *range(position.players)):
        with _part(f"view({viewer})"):
            check_json(position.view(viewer))
        for event in events:
            with _part(f"clause of {event.type}"):
                seen = event.seen_by(viewer)
                check_json(seen)
                who = "" if event.seat is None else YOU if event.seat == viewer else _name(event.seat)
                sentence(ruleset.clause(seen, who, _name).render(english))


def _name(seat: int) -> str:
    """Return the name of a seat, as at a table."""
    return f"Ana {seat}"
