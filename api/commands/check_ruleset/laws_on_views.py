"""Law 7 of every ruleset: views and events show the same, and nothing that is hidden. Each raises ``LawBroken``.

A world is a position that fits a seat's view. A viewer is a seat, or None for a spectator.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

from api.commands.check_ruleset.generated_games import AiFault, LawBroken, Setup, actions_elsewhere, require_choice
from api.commands.check_ruleset.laws import events_seen, mentioned, refusal, require_equal
from engines.contract.events import Event
from engines.core.dealer import SeededDealer
from engines.core.types import Json
from engines.ruleset import Action, Position, Ruleset, step

COMPARED_RANDOM_OUTCOMES: Final = 6
"""Number of random outcomes of one action that are compared."""
MAX_COMPARED_ACTIONS: Final = 8
"""Maximum number of actions in one position that are compared."""


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
