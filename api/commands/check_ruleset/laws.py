"""The laws of every ruleset as functions of one position or step. Each raises ``LawBroken`` (docs/architecture.md).

A world is a position that fits a seat's view. ``Ruleset.imagine`` samples worlds from a view.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, Final

from api.commands.check_ruleset.generated_games import (
    LawBroken,
    Moment,
    Setup,
    actions_elsewhere,
    by_chance,
    by_policy,
    through_json,
)
from engines.contract.events import Event
from engines.contract.facts_for_checks import facts_of
from engines.core.cards import BY_NAME
from engines.core.dealer import SeededDealer
from engines.core.errors import BadAction, GameOver, IllegalAction, NotYourTurn, Refusal
from engines.core.types import Json
from engines.ruleset import Action, Position, Ruleset, step

MAX_ACTIONS_PER_GAME: Final = 20_000
"""Maximum number of actions of a game, however badly it is played."""


def names_in(written: Any, notes: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the names of cards in the JSON value *written*, except in keys and in the values of keys in *notes*."""
    if isinstance(written, str):
        if written in BY_NAME:
            yield written
    elif isinstance(written, dict):
        for key, value in written.items():
            if key not in notes:
                yield from names_in(value, notes)
    elif isinstance(written, list):
        for value in written:
            yield from names_in(value, notes)


def mentioned(written: Any) -> set[str]:
    """Return every card that *written* names, including those in keys and in sentences."""
    return set(re.findall(r"\b(?:[A2-9TJQK][CDHS]|X[12])\b", str(written)))


def emptied(value: object) -> None:
    """Empty *value* in place, and every list and object in it."""
    if isinstance(value, (dict, list)):
        for part in list(value.values() if isinstance(value, dict) else value):
            emptied(part)
        value.clear()


def cards_of(ruleset: Ruleset, position: Position) -> list[str]:
    """Return the cards in *position*, sorted."""
    return sorted(names_in(position.dump(), facts_of(ruleset).notes))


def events_seen(events: Sequence[Event], seat: int | None) -> list[Json]:
    """Return the events as *seat*, or a spectator (None), receives them."""
    return [event.as_json() if seat in event.knowers() else event.public() for event in events]


def refusal(position: Position, seat: int, action: Action) -> Json | None:
    """Return the refusal of *action* by ``check``; None if it is allowed."""
    try:
        position.check(seat, action)
    except Refusal as refused:
        return refused.as_json()
    return None


def require_equal(one: object, other: object, sentence: str) -> None:
    """Raise ``LawBroken`` with *sentence* and the first difference, unless both values are equal."""
    if one != other:
        raise LawBroken(f"{sentence}: {_difference(one, other)}")


def _difference(one: Any, other: Any) -> str:
    """Return a text with the first place where two values differ, and both values there."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if one.get(key) != other.get(key) or (key in one) != (key in other):
                return f"{key}: {_difference(one.get(key), other.get(key))}"
    return f"{_short(one)} and {_short(other)}"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


@cache
def _check_reads_back(ruleset: Ruleset, action: Action) -> None:
    written, text = action.as_json(), str(action)
    if written["type"] not in ruleset.action_types:
        raise LawBroken(f"the action {text!r} has the type {written['type']!r}, which isn't in `actions`")
    require_equal(
        text, " ".join(text.split()), f"the text of the action {written} isn't one line without double spaces"
    )
    require_equal(ruleset.parse(through_json(written)), action, f"parse({written}) is another action")
    require_equal(ruleset.parse(text), action, f"parse({text!r}) is another action")


def law_1_actions_read_back(ruleset: Ruleset, position: Position) -> None:
    """``parse`` reads both forms of every legal action, JSON and text, back as that action."""
    for seat in range(position.players):
        for action in position.legal(seat):
            _check_reads_back(ruleset, action)


def law_2_a_dump_loads(ruleset: Ruleset, position: Position) -> Position:
    """``load`` restores a position from its ``dump`` after a conversion to JSON. Return the loaded position."""
    dump = position.dump()
    require_equal(through_json(dump), dump, "dump() isn't made of JSON values")
    try:
        arrived = ruleset.load(through_json(dump))
    except Refusal as refused:
        raise LawBroken(f"load(dump()) is refused: {refused.detail}") from refused
    require_equal(arrived.dump(), dump, "load(dump()) is another position")
    require_equal(arrived.outcome, position.outcome, "load(dump()) has another outcome")
    return arrived


def law_3_a_step_spares_its_argument(ruleset: Ruleset, moment: Moment) -> tuple[Position, list[Event]]:
    """A step leaves its position unchanged, and its result depends only on the position's dump. Return the result."""
    if moment.action is None:
        raise ValueError("the moment has no action")
    position, seat, action = moment.position, moment.seat, moment.action
    before = position.dump()
    copy = position.copy()
    after, heard = step(position, seat, action, SeededDealer(moment.dealing))
    require_equal(before, position.dump(), f"a step by seat {seat}, {action}, changes the position that it was given")
    require_equal(before, copy.dump(), f"a step by seat {seat}, {action}, changes an earlier copy of the position")
    twin = ruleset.load(through_json(before))
    again, heard_again = step(twin, seat, ruleset.parse(str(action)), SeededDealer(moment.dealing))
    require_equal(after.dump(), again.dump(), f"seat {seat}, {action}: the same step from the dump ends elsewhere")
    require_equal(heard, heard_again, f"seat {seat}, {action}: the same step from the dump has other events")
    twin.apply(seat, action, SeededDealer(moment.dealing))
    require_equal(after.dump(), twin.dump(), f"seat {seat}, {action}: the step without `events` ends elsewhere")
    return after, heard


def law_3_what_is_returned_is_independent(position: Position) -> None:
    """Emptying a dump, a view or an outcome does not change the position."""
    before, seats = position.dump(), (None, *range(position.players))
    returned = {"dump()": position.dump(), "outcome": position.outcome}
    for what, value in {**returned, **{f"view({seat})": position.view(seat) for seat in seats}}.items():
        emptied(value)
        require_equal(before, position.dump(), f"{what} shares a list or an object with the position")


def law_3_a_refusal_changes_nothing(ruleset: Ruleset, position: Position, rng: Random, tries: int) -> None:
    """Illegal actions are refused with a reason, and leave the position unchanged."""
    before = position.dump()
    for action in rng.choices(actions_elsewhere(ruleset), k=tries):
        seat = rng.randrange(-1, position.players + 1)
        if 0 <= seat < position.players and not position.is_over and action in position.legal(seat):
            continue
        try:
            step(position, seat, action, SeededDealer("never used"))
        except Refusal as refused:
            _check_refusal(ruleset, position, seat, action, refused)
        else:
            raise LawBroken(f"seat {seat}, {action}: `legal` doesn't list it, and it is done")
    require_equal(before, position.dump(), "a refused action has changed the position")


def _check_refusal(ruleset: Ruleset, position: Position, seat: int, action: Action, refused: Refusal) -> None:
    said = f"seat {seat}, {action}: the refusal {refused.detail!r}"
    if not isinstance(refused, (BadAction, GameOver, IllegalAction, NotYourTurn)):
        raise LawBroken(f"{said} is a {type(refused).__name__}")
    if not refused.detail.strip().endswith("."):
        raise LawBroken(f"{said} is no sentence")
    if isinstance(refused, IllegalAction) and not names_its_ruling(ruleset, refused):
        raise LawBroken(f"{said} names the ruling {refused.rule!r}, and rulings are {facts_of(ruleset).rulings!r}")
    if position.is_over != isinstance(refused, GameOver):
        raise LawBroken(f"{said} is a {type(refused).__name__}, and is_over is {position.is_over}")


def names_its_ruling(ruleset: Ruleset, refused: IllegalAction) -> bool:
    """Return whether a refusal names a ruling. In a ruleset without rulings, return whether it names none."""
    letter = facts_of(ruleset).rulings
    return re.fullmatch(rf"{letter}\d+", refused.rule or "") is not None if letter else refused.rule is None


def law_4_somebody_can_act_until_the_end(position: Position, arrived: Position) -> None:
    """Until the end exactly the seats that can act have legal actions, each once.

    *arrived*, the position loaded from the dump of *position*, has the same actions.
    """
    legal = [position.legal(seat) for seat in range(position.players)]
    busy, may = position.to_act(), position.may_act()
    can = [seat for seat, actions in enumerate(legal) if actions]
    require_equal(bool(busy), not position.is_over, f"to_act() is {busy}, and is_over is {position.is_over}")
    require_equal(
        any(legal), not position.is_over, f"seats {can} have legal actions, and is_over is {position.is_over}"
    )
    require_equal(sorted([*busy, *may]), can, "to_act() and may_act() aren't the seats with legal actions")
    for seat, actions in enumerate(legal):
        if not len(actions) == len(set(actions)) == len(set(map(str, actions))):
            raise LawBroken(f"legal({seat}) lists an action twice: {_short(list(map(str, actions)))}")
    again = [arrived.legal(seat) for seat in range(position.players)]
    require_equal(again, legal, "`legal` differs in the loaded position")
    require_equal((arrived.to_act(), arrived.may_act()), (busy, may), "`to_act` differs in the loaded position")


def law_4_check_accepts_what_is_listed(ruleset: Ruleset, position: Position, rng: Random, tries: int) -> None:
    """``check`` and ``legal`` agree on *tries* listed actions and *tries* random actions of each seat."""
    if position.is_over:
        return
    for seat in range(position.players):
        legal = position.legal(seat)
        listed = rng.sample(legal, min(tries, len(legal)))
        for action in [*listed, *rng.choices(actions_elsewhere(ruleset), k=tries)]:
            refused = refusal(position, seat, action)
            if refused is not None and action in legal:
                raise LawBroken(f"seat {seat}, {action}: `legal` lists it, `check` refuses it: {refused['detail']}")
            if refused is None and action not in legal:
                raise LawBroken(f"seat {seat}, {action}: `check` accepts it, `legal` doesn't list it")


def law_5_cards_are_conserved(ruleset: Ruleset, position: Position, pack: list[str]) -> None:
    """Every card of *pack* lies in exactly one place."""
    require_equal(cards_of(ruleset, position), pack, "the cards of the position aren't those of the deal")


def law_6_a_view_is_a_view_of_its_worlds(ruleset: Ruleset, position: Position, seat: int | None, seed: str) -> None:
    """A world sampled from a view is valid, has the same view and cards, and depends only on view and seed."""
    view = position.view(seat)
    require_equal(through_json(view), view, f"view({seat}) isn't made of JSON values")
    world = ruleset.imagine(through_json(view), Random(seed))
    require_equal(world.view(seat), view, f"a world sampled from view({seat}) has another view")
    loaded = law_2_a_dump_loads(ruleset, world)
    require_equal(loaded.view(seat), view, f"a world sampled from view({seat}), loaded, has another view")
    require_equal(cards_of(ruleset, world), cards_of(ruleset, position), f"a world of view({seat}) has other cards")
    again = ruleset.imagine(view, Random(seed))
    require_equal(again.dump(), world.dump(), f"worlds of view({seat}) from the same seed differ")


def law_8_a_game_ends(
    setup: Setup, seed: str, level: str | None = None, is_late: Callable[[], bool] = lambda: False
) -> Position:
    """A game ends within ``MAX_ACTIONS_PER_GAME`` actions, and before *is_late* returns True. Return its last position.

    AIs of *level* play. Without *level* actions are random.
    """
    position, rng = setup.deal(seed), Random(seed)
    for number in range(MAX_ACTIONS_PER_GAME):
        if position.is_over:
            return position
        if is_late():
            raise LawBroken(f"a game isn't over after {number} actions, which took too long")
        dealing = f"{seed}/{number}"
        if level is None:
            seat, action = by_chance(position, rng)
        else:
            seat, action = by_policy(setup.ruleset, position, dealing, level)
        position, _ = step(position, seat, action, SeededDealer(dealing))
    raise LawBroken(f"a game isn't over after {MAX_ACTIONS_PER_GAME} actions")


def law_of_outcomes(ruleset: Ruleset, end: Position) -> None:
    """The browser's pages, which read the winners from the outcome, find the same winners as ``verdict``.

    Pages read ``winners``, else ``winner``, else a team's ``result`` ("won" or "lost"). Otherwise the game is drawn.
    """
    outcome: Json = end.outcome or {}
    verdict = ruleset.verdict(outcome, end.players)
    winner, result = outcome.get("winner"), outcome.get("result")
    winners = outcome.get("winners") or ([] if winner is None else [winner])
    if not winners and result == "won":
        winners = list(range(end.players))
    drawn = not winners and result != "lost"
    read = f"pages read from the outcome {outcome}: winners {sorted(winners)}, drawn {drawn}"
    said = (sorted(verdict.winners), verdict.drawn)
    if said != (sorted(winners), drawn):
        raise LawBroken(f"{read}; `verdict` says: winners {said[0]}, drawn {said[1]}")
