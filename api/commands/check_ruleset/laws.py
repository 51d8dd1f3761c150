"""The laws of every ruleset as functions of one position or step. Each raises ``LawBroken`` (docs/architecture.md).

A world is a position that fits a seat's view. ``Ruleset.imagine`` samples worlds from a view.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, Final

from api.commands.check_ruleset.generated_games import (
    AiFault,
    LawBroken,
    Moment,
    Setup,
    actions_elsewhere,
    by_chance,
    by_policy,
    require_choice,
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
COMPARED_RANDOM_OUTCOMES: Final = 6
"""Number of random outcomes of one action that are compared."""
MAX_COMPARED_ACTIONS: Final = 8
"""Maximum number of actions in one position that are compared."""


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


def law_7_worlds_that_look_alike_act_alike(ruleset: Ruleset, worlds: Sequence[Position], seat: int, seed: str) -> None:
    """In *worlds* with equal views a seat has equal actions, signals and refusals, and its AI decides equally."""
    one, *others = worlds
    rng = Random(seed)
    actions = [] if one.is_over else [*rng.choices(actions_elsewhere(ruleset), k=10), *one.legal(seat)[-3:]]
    where = f"worlds that look alike to seat {seat} differ in"
    for other in others:
        require_equal(other.legal(seat), one.legal(seat), f"{where} `legal`")
        require_equal(other.signals(seat), one.signals(seat), f"{where} `signals`")
        require_equal(other.to_act() + other.may_act(), one.to_act() + one.may_act(), f"{where} `to_act`")
        require_equal(other.outcome, one.outcome, f"{where} `outcome`")
        for action in actions:
            require_equal(refusal(other, seat, action), refusal(one, seat, action), f"{where} `check` of {action}")
    seen = mentioned(one.view(seat))
    for action in actions:
        told = mentioned(refusal(one, seat, action)) - seen - mentioned(action)
        if told:
            raise LawBroken(f"seat {seat}, {action}: the refusal names {sorted(told)}, which the seat doesn't see")
    _check_policies(ruleset, worlds, seat, seed)


def _check_policies(ruleset: Ruleset, worlds: Sequence[Position], seat: int, seed: str) -> None:
    one = worlds[0]
    levels = {level.policy: name for name, level in [*ruleset.levels.items()][::-1]}
    for policy, level in levels.items():
        name = f"the policy {type(policy).__name__} of level {level}"
        if one.legal(seat):
            moves = [policy.choose(world, seat, Random(seed), {}) for world in worlds]
            require_equal(moves, moves[:1] * len(worlds), f"{name} decides by what seat {seat} can't see")
            require_choice(one, seat, moves[0], name)
        if words := one.signals(seat):
            signals = [policy.signal(world, seat, Random(seed)) for world in worlds]
            require_equal(signals, signals[:1] * len(worlds), f"{name} signals by what seat {seat} can't see")
            if signals[0] not in (None, *words):
                raise AiFault(f"{name} signals {signals[0]!r} for seat {seat}, which isn't one of {words}")


def law_7_events_tell_what_may_be_seen(worlds: Sequence[Position], viewer: int | None, rng: Random) -> int:
    """If several *worlds* look alike to *viewer*, and still do after an action, *viewer* receives equal events in them.

    An event that *viewer* receives names only cards that *viewer* sees before or after the action, or in the action.
    The order of events that only *viewer* receives may differ. Returns the number of worlds compared.
    """
    busy = worlds[0].to_act() + worlds[0].may_act()
    seat = rng.choice(busy)
    common = [action for action in worlds[0].legal(seat) if all(action in world.legal(seat) for world in worlds)]
    if not common:
        return 0
    action, dealing = rng.choice(common), str(rng.random())
    seen = [_seen(world, viewer, seat, action, dealing) for world in worlds]
    return _check_told(seen, viewer, f"seat {seat}, {action}")


def law_7_chance_is_told_to_whom_it_shows(position: Position, viewer: int | None, rng: Random) -> int:
    """Over several random outcomes of one action, *viewer* has equal views if and only if it receives equal events.

    Otherwise an event reveals a value that the view hides, or the view shows a value that no event has revealed.
    Returns the number of outcomes compared.
    """
    seat = rng.choice(position.to_act() + position.may_act())
    action = rng.choice(position.legal(seat))
    seen = [_seen(position, viewer, seat, action, str(rng.random())) for _ in range(COMPARED_RANDOM_OUTCOMES)]
    return _check_told_and_shown(seen, viewer, f"seat {seat}, {action}")


def law_7_what_events_hide_views_hide(position: Position, viewer: int | None, rng: Random) -> int:
    """If two actions of another seat give *viewer* equal events, *viewer* has equal views after them.

    Otherwise the view shows what the events hide, such as a card that was laid face down. Only actions whose events
    differ for the acting seat are compared. The shuffles after both actions are the same. Returns the number of pairs
    of actions compared.
    """
    seat = rng.choice(position.to_act() + position.may_act())
    if seat == viewer:
        return 0
    legal, dealing, compared = position.legal(seat), str(rng.random()), 0
    first = dict[str, tuple[Action, Json, list[Json]]]()
    for action in rng.sample(legal, min(MAX_COMPARED_ACTIONS, len(legal))):
        after, heard = step(position, seat, action, SeededDealer(dealing))
        view, own = after.view(viewer), events_seen(heard, seat)
        other, shown, told = first.setdefault(str(events_seen(heard, viewer)), (action, view, own))
        if own != told:
            where = f"seat {seat}, {other} or {action}"
            require_equal(view, shown, f"{where}: {_who(viewer)} is told equal events, and then has views that differ")
            compared += 1
    return compared


def law_7_views_show_what_events_tell(worlds: Sequence[Position], viewer: int | None, rng: Random) -> int:
    """If an action gives *viewer* equal events in those *worlds* that look alike to *viewer*, they do after it too.

    Otherwise the view shows from some moment on what was hidden, such as all hands, and no event has told it. The
    shuffles after the action are the same. A step that ends the game is skipped, because all hands may be shown then.
    Returns the number of worlds compared.
    """
    first = worlds[0]
    alike = [world for world in worlds if world.view(viewer) == first.view(viewer)]
    busy = first.to_act() + first.may_act()
    for seat in rng.sample(busy, len(busy)):
        common = [action for action in first.legal(seat) if all(action in world.legal(seat) for world in alike)]
        if common:
            return _check_shown(alike, viewer, (seat, rng.choice(common)), str(rng.random()))
    return 0


def _check_shown(worlds: Sequence[Position], viewer: int | None, move: tuple[int, Action], dealing: str) -> int:
    """Check that worlds in which *move* gives *viewer* the events of the first one give it the view of the first one.

    Return their number.
    """
    results = [step(world, *move, SeededDealer(dealing)) for world in worlds]
    if any(after.is_over for after, _ in results):
        return 0
    views = [after.view(viewer) for after, heard in results if _told_alike(heard, results[0][1], viewer)]
    where = f"seat {move[0]}, {move[1]}: {_who(viewer)} had equal views and is told equal events"
    for view in views[1:]:
        require_equal(view, views[0], f"{where}, and then has views that differ")
    return len(views) - 1


def _told_alike(one: Sequence[Event], other: Sequence[Event], viewer: int | None) -> bool:
    """Return whether *viewer* receives equal events in any order, and a spectator receives them in the same order."""
    mine, others = (sorted(events_seen(heard, viewer), key=str) for heard in (one, other))
    return mine == others and events_seen(one, None) == events_seen(other, None)


def law_7_a_deal_is_told_to_whom_it_shows(setup: Setup, viewer: int | None, rng: Random) -> int:
    """Over several deals of a game, *viewer* has equal views if and only if it receives equal events."""
    seen: list[Seen] = []
    for _ in range(2 * COMPARED_RANDOM_OUTCOMES):
        heard: list[Event] = []
        position = setup.ruleset.new(setup.players, setup.options, SeededDealer(str(rng.random())), heard)
        events = events_seen(heard, viewer)
        seen.append((position.view(viewer), [events_seen(heard, None), sorted(events, key=str)]))
    return _check_told_and_shown(seen, viewer, "the deal")


Seen = tuple[Json, list[list[Json]]]
"""A view, and the events that led to it twice: as a spectator receives them; as the viewer does, but sorted."""


def _seen(world: Position, viewer: int | None, seat: int, action: Action, dealing: str) -> Seen:
    after, heard = step(world, seat, action, SeededDealer(dealing))
    view, events = after.view(viewer), events_seen(heard, viewer)
    told = mentioned(events) - mentioned(world.view(viewer)) - mentioned(view) - mentioned(action)
    if told:
        raise LawBroken(f"seat {seat}, {action}: events name {sorted(told)} to {_who(viewer)}, who doesn't see them")
    return view, [events_seen(heard, None), sorted(events, key=str)]


def _check_told(seen: Sequence[Seen], viewer: int | None, step_text: str) -> int:
    """Check that items of *seen* with the view of the first item also have its events. Return their number."""
    alike = [events for view, events in seen[1:] if view == seen[0][0]]
    for events in alike:
        said = f"{step_text}: {_who(viewer)} has equal views afterwards, and is told events that differ"
        require_equal(events, seen[0][1], said)
    return len(alike)


def _check_told_and_shown(seen: Sequence[Seen], viewer: int | None, step_text: str) -> int:
    """Check that items of *seen* have the view of the first item if and only if they have its events.

    Return the number of comparisons.
    """
    compared = _check_told(seen, viewer, step_text)
    for view, events in seen[1:]:
        if events == seen[0][1]:
            said = f"{step_text}: {_who(viewer)} is told equal events, and then has views that differ"
            require_equal(view, seen[0][0], said)
            compared += 1
    return compared


def _who(viewer: int | None) -> str:
    return "a spectator" if viewer is None else f"seat {viewer}"


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
