"""All laws of a ruleset in one list, and the search for games that break them."""

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from time import monotonic
from typing import Final

from jsonschema_rs import Draft202012Validator

from api.commands.check_ruleset import call_limit, card_exchanges, law_on_previews, laws, laws_on_views, text_laws
from api.commands.check_ruleset.generated_games import (
    MAX_FIRST_AI_ACTIONS,
    AiFault,
    LawBroken,
    Walk,
    actions_elsewhere,
    by_chance,
    mangled,
    setups,
    through_json,
)
from engines.contract.default_levels import LEVELS
from engines.core.dealer import SeededDealer
from engines.core.errors import BadAction, BadCard, IllegalAction, NotYourTurn, Refusal
from engines.ruleset import Event, Json, Position, Ruleset, step

DEFAULT_SECONDS_FOR_ALL_LAWS: Final = 45.0
"""Default seconds for all laws together. Each law is tried at least once with each number of players."""
DEFAULT_WALK_STEPS: Final = 25
ENDLESS_AFTER_SECONDS: Final = 10.0
"""Seconds after which a game counts as endless."""
MAX_DUMP_SECONDS: Final = 2.0
"""Seconds that ``dump`` may take for the text of a finding."""

Check = Callable[[Ruleset, int, int], None]
"""Function that checks a law on one example: ruleset, number of players, seed. Raises ``LawBroken``."""


@dataclass(frozen=True)
class Law:
    """One law: its name, what to do if it is broken, and the check of one example."""

    name: str
    mend: str
    check: Check
    once: bool = False
    """True if the check needs no number of players and no seed."""


@dataclass(frozen=True)
class Finding:
    """A broken law: the example, what breaks the law, and how to mend it."""

    law: str
    where: str
    what: str
    mend: str
    is_last: bool = False
    """True if no other law can be tried: a call of the game's code doesn't return, or an AI makes no legal choice."""


def walk(ruleset: Ruleset, players: int, seed: int, steps: int = DEFAULT_WALK_STEPS) -> Walk:
    """Return a walk with options that depend on *seed*. A walk with an odd seed begins with AI actions."""
    rng = Random(seed)
    taught = rng.randrange(MAX_FIRST_AI_ACTIONS) if seed % 2 else 0
    return Walk(rng.choice(setups(ruleset, players)), seed, taught, steps)


def _actions_read_back(ruleset: Ruleset, players: int, seed: int) -> None:
    for moment in walk(ruleset, players, seed).moments():
        laws.law_1_actions_read_back(ruleset, moment.position)


def _malformed_actions_are_refused(ruleset: Ruleset, _players: int, seed: int) -> None:
    rng = Random(seed)
    for action in rng.choices(actions_elsewhere(ruleset), k=100):
        written = mangled(action, rng)
        try:
            parsed = ruleset.parse(written)
        except (BadAction, BadCard):
            continue
        laws.require_equal(ruleset.parse(parsed.as_json()), parsed, f"parse({written!r}) doesn't read back")


def _dumps_load(ruleset: Ruleset, players: int, seed: int) -> None:
    for moment in walk(ruleset, players, seed).moments():
        laws.law_2_a_dump_loads(ruleset, moment.position)


def _steps_spare_positions(ruleset: Ruleset, players: int, seed: int) -> None:
    for moment in walk(ruleset, players, seed).moments():
        laws.law_3_what_is_returned_is_independent(moment.position)
        if moment.action is not None:
            laws.law_3_a_step_spares_its_argument(ruleset, moment)


def _refusals_change_nothing(ruleset: Ruleset, players: int, seed: int) -> None:
    for moment in walk(ruleset, players, seed).moments():
        laws.law_3_a_refusal_changes_nothing(ruleset, moment.position, Random(seed), 5)


def _legal_and_check_agree(ruleset: Ruleset, players: int, seed: int) -> None:
    for moment in walk(ruleset, players, seed).moments():
        arrived = laws.law_2_a_dump_loads(ruleset, moment.position)
        laws.law_4_somebody_can_act_until_the_end(moment.position, arrived)
        laws.law_4_check_accepts_what_is_listed(ruleset, moment.position, Random(seed), 10)


def _cards_are_conserved(ruleset: Ruleset, players: int, seed: int) -> None:
    game = walk(ruleset, players, seed, 60)
    pack = laws.cards_of(ruleset, game.setup.deal("any"))
    for moment in game.moments():
        laws.law_5_cards_are_conserved(ruleset, moment.position, pack)


def _worlds_fit_views(ruleset: Ruleset, players: int, seed: int) -> None:
    for moment in walk(ruleset, players, seed, 10).moments():
        for seat in (None, *range(players)):
            laws.law_6_a_view_is_a_view_of_its_worlds(ruleset, moment.position, seat, str(seed))


def _hidden_cards_lie_evenly(ruleset: Ruleset, players: int, seed: int) -> None:
    game = walk(ruleset, players, seed, 0)
    for seat in (None, seed % players):
        card_exchanges.law_6_hidden_cards_lie_evenly(ruleset, game.last(), seat, str(seed))


def _worlds_act_alike(ruleset: Ruleset, players: int, seed: int) -> None:
    for moment in walk(ruleset, players, seed, 10).moments():
        for seat in range(players):
            imagined = [ruleset.imagine(moment.position.view(seat), Random(f"{seed}/{n}")) for n in range(2)]
            laws_on_views.law_7_worlds_that_look_alike_act_alike(ruleset, [moment.position, *imagined], seat, str(seed))


def _events_fit_views(ruleset: Ruleset, players: int, seed: int) -> None:
    rng = Random(seed)
    for moment in walk(ruleset, players, seed, 12).moments():
        if moment.position.is_over:
            return
        viewer = rng.choice([None, *range(players)])
        view = moment.position.view(viewer)
        imagined = [ruleset.imagine(view, Random(f"{seed}/{n}")) for n in range(2)]
        laws_on_views.law_7_events_tell_what_may_be_seen([*imagined, moment.position], viewer, rng)


def _previews_come_true(ruleset: Ruleset, players: int, seed: int) -> None:
    rng = Random(seed)
    for moment in walk(ruleset, players, seed, 12).moments():
        for seat in range(players):
            law_on_previews.law_7_previews_come_true(ruleset, moment.position, seat, rng)


def _viewed_positions(ruleset: Ruleset, players: int, seed: int) -> Iterator[tuple[Position, int | None]]:
    """Yield each position of a walk before the end of the game with each viewer: a spectator (None) and all seats."""
    for moment in walk(ruleset, players, seed, 12).moments():
        if not moment.position.is_over:
            yield from ((moment.position, viewer) for viewer in (None, *range(players)))


def _chance_is_told_to_whom_it_shows(ruleset: Ruleset, players: int, seed: int) -> None:
    rng = Random(seed)
    for viewer in (None, *range(players)):
        laws_on_views.law_7_a_deal_is_told_to_whom_it_shows(rng.choice(setups(ruleset, players)), viewer, rng)
    for position, viewer in _viewed_positions(ruleset, players, seed):
        laws_on_views.law_7_chance_is_told_to_whom_it_shows(position, viewer, rng)


def _views_hide_what_events_hide(ruleset: Ruleset, players: int, seed: int) -> None:
    rng = Random(seed)
    for position, viewer in _viewed_positions(ruleset, players, seed):
        laws_on_views.law_7_what_events_hide_views_hide(position, viewer, rng)
        world = ruleset.imagine(position.view(viewer), Random(f"{seed}/shown"))
        laws_on_views.law_7_views_show_what_events_tell([position, world], viewer, rng)


def _games_end(ruleset: Ruleset, players: int, seed: int) -> None:
    late = monotonic() + ENDLESS_AFTER_SECONDS
    games = setups(ruleset, players)
    laws.law_8_a_game_ends(games[seed % len(games)], str(seed), None, lambda: monotonic() > late)


def _games_of_ais_end(ruleset: Ruleset, players: int, seed: int) -> None:
    late = monotonic() + ENDLESS_AFTER_SECONDS
    laws.law_8_a_game_ends(
        setups(ruleset, players)[0], str(seed), ("novice", "adept")[seed % 2], lambda: monotonic() > late
    )


def _ais_choose_legal_actions(ruleset: Ruleset, players: int, seed: int) -> None:
    lacking = [level for level in LEVELS if level not in ruleset.levels]
    if lacking:
        raise AiFault(f"`levels` lacks {', '.join(lacking)}: every ruleset has the levels {', '.join(LEVELS)}")
    Walk(setups(ruleset, players)[0], seed, MAX_FIRST_AI_ACTIONS, 0).last()


def _outcomes_name_winners(ruleset: Ruleset, players: int, seed: int) -> None:
    games = setups(ruleset, players)
    laws.law_of_outcomes(ruleset, laws.law_8_a_game_ends(games[seed % len(games)], f"outcome {seed}"))


@cache
def validator(ruleset: Ruleset, name: str) -> Draft202012Validator:
    """Return the validator of one of the ruleset's schemas."""
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": through_json(dict(ruleset.schemas))})


def written(position: Position, events: list[Event]) -> Iterator[tuple[str, Json]]:
    """Yield (schema name, value) for all JSON about a position that clients receive."""
    yield "Position", position.dump()
    if position.outcome is not None:
        yield "Outcome", position.outcome
    for seat in (None, *range(position.players)):
        yield "View", position.view(seat)
        yield from (("Event", event.seen_by(seat)) for event in events)
        if seat is not None:
            yield from (("Action", action.as_json()) for action in position.legal(seat))


def _schemas_fit(ruleset: Ruleset, players: int, seed: int) -> None:
    rng, events = Random(seed), list[Event]()
    setup = rng.choice(setups(ruleset, players))
    position = ruleset.new(players, setup.options, SeededDealer(str(seed)), events)
    for number in range(4 * DEFAULT_WALK_STEPS):
        for name, value in written(position, events):
            for error in validator(ruleset, name).iter_errors(through_json(value)):
                raise LawBroken(f"{name} {value}: {error.message} at {'/'.join(map(str, error.instance_path))}")
        if position.is_over:
            return
        seat, action = by_chance(position, rng)
        position, events = step(position, seat, action, SeededDealer(f"{seed}/{number}"))


def _lessons_can_be_played(ruleset: Ruleset) -> None:
    for lesson in ruleset.lessons:
        position = ruleset.load(through_json(lesson.position))
        for number, action in enumerate(lesson.solution):
            try:
                position, _ = step(position, 0, ruleset.read(action), SeededDealer(lesson.name))
            except Refusal as refused:
                raise LawBroken(f"{lesson.name}, action {number + 1}, {action}: {refused.detail}") from refused


LAW_EVERY_GAME_ENDS: Final = Law("8 every game ends", "forbid what can be repeated without end", _games_end)
"""The first law that is tried, because the other laws need games that end."""
MEND_AI: Final = "choose one of `legal(seat)` in the level's policy or guide, and None only for a seat that needn't act"
LAW_AIS_CHOOSE_LEGAL_ACTIONS: Final = Law("AIs choose legal actions", MEND_AI, _ais_choose_legal_actions)
"""The second law that is tried, because games of the other laws begin with actions of AIs."""
LAWS: Final = (
    LAW_EVERY_GAME_ENDS,
    LAW_AIS_CHOOSE_LEGAL_ACTIONS,
    Law("1 actions read back", "override `parse`, `__str__` and `as_json` together", _actions_read_back),
    Law("1 malformed actions are refused", "raise BadAction or BadCard in `parse`", _malformed_actions_are_refused),
    Law("2 a dump loads", "make `load` the inverse of `dump`; lists, not tuples; texts as keys", _dumps_load),
    Law(
        "3 a step changes no other position",
        "copy every list that `apply` changes in `copy`, share none in `dump`, `view` and class attributes; take chance"
        " from the dealer alone; let nothing depend on `events`",
        _steps_spare_positions,
    ),
    Law(
        "3 a refusal has a reason and changes nothing",
        "refuse in `check` before anything changes; a ruling needs `rulings` in facts.py",
        _refusals_change_nothing,
    ),
    Law("4 legal and check agree", "derive `check` from `legal`, or the reverse", _legal_and_check_agree),
    Law("5 cards are conserved", "move cards; a field that repeats cards belongs to `notes`", _cards_are_conserved),
    Law("6 worlds fit the view", "fill in in `worlds` exactly what `view` hides", _worlds_fit_views),
    Law(
        "6 hidden cards lie anywhere evenly",
        "sort hidden cards and shuffle them in `worlds`; in facts.py list hands that are kept sorted under `orderless`",
        _hidden_cards_lie_evenly,
    ),
    Law(
        "7 equal views: equal actions, refusals and AIs",
        "let `legal`, `check`, `signals` and policies use only what the seat's view shows",
        _worlds_act_alike,
    ),
    Law(
        "7 events tell what views show",
        "hide the field (`hidden`, `knowers`, `public`), or show it in the view",
        _events_fit_views,
    ),
    Law(
        "7 chance is told to whom it shows",
        "hide a freshly drawn value in the event, or show it in the view; tell in an event what a view newly shows",
        _chance_is_told_to_whom_it_shows,
    ),
    Law(
        "7 views hide what events hide",
        "hide it in `view` too as long as the game runs, or tell it in an event that this viewer receives",
        _views_hide_what_events_hide,
    ),
    Law(
        "7 previews come true",
        "list in `foreseen` and `determined` only what the acting seat knows before; random fields belong to `chance`",
        _previews_come_true,
    ),
    Law("8 games of AIs end", "forbid what can be repeated without end", _games_of_ais_end),
    Law(
        "outcomes name the winners",
        "give `outcome` the field `winners` (a list of seats) or `winner`, or a team's `result` (won or lost), as"
        " `verdict` says; none of these if the game is drawn",
        _outcomes_name_winners,
    ),
    Law("schemas fit", "annotate fields with their schemas, and add `definitions`", _schemas_fit),
    Law(
        "lessons can be played",
        "mend the position or the solution: seat 0 does all of it, and nobody else acts in between",
        lambda ruleset, _players, _seed: _lessons_can_be_played(ruleset),
        once=True,
    ),
    Law(
        "rulings are explained",
        "add the ruling to rules.en.md, and to rules.es.md if there is one",
        lambda ruleset, _players, _seed: text_laws.law_of_rulings(ruleset),
        once=True,
    ),
    Law(
        "sentences are translated",
        "write the translation into messages.es.po and compile it to messages.es.mo; `regicide check-ruleset NAME"
        " --untranslated es` prints what is missing, to be filled in",
        lambda ruleset, _players, _seed: text_laws.law_of_languages(ruleset),
        once=True,
    ),
)


def examples(ruleset: Ruleset, law: Law) -> Iterator[tuple[int, int]]:
    """Yield (number of players, seed) for each try of a law, endlessly unless one try is enough for the law."""
    if law.once:
        yield max(ruleset.player_counts), 0
        return
    seed = 0
    while True:
        yield from ((players, seed) for players in ruleset.player_counts)
        seed += 1


def find(ruleset: Ruleset, law: Law, seconds: float) -> Finding | None:
    """Try a law for *seconds*, at least once per number of players. Return the first finding, or None."""
    until = monotonic() + seconds
    for players, seed in examples(ruleset, law):
        if monotonic() > until and seed > 0:
            return None
        if (finding := _tried(ruleset, law, players, seed)) is not None:
            return finding
    return None


def _tried(ruleset: Ruleset, law: Law, players: int, seed: int) -> Finding | None:
    """Check one example of a law. Return what breaks it, or None."""
    where = "" if law.once else f"{players} players, seed {seed}"
    try:
        with call_limit.limited_calls(call_limit.CALL_LIMIT_SECONDS):
            law.check(ruleset, players, seed)
    except AiFault as fault:
        return Finding(law.name, where, str(fault), MEND_AI, is_last=True)
    except LawBroken as broken:
        return Finding(law.name, where, str(broken), law.mend)
    except (IllegalAction, NotYourTurn) as refused:
        what = f"an action that `legal` lists is refused: {refused.detail}"
        return Finding(law.name, where, what, "let `legal` and `check` agree (law 4)")
    except call_limit.CallTimedOut as late:
        what = f"{late}{_dumped(late.position)}"
        return Finding(law.name, where, what, "end each loop of that method, or make it faster", is_last=True)
    except Exception as error:  # noqa: BLE001  another author's code can raise anything
        return Finding(law.name, where, _described(error), "correct the code at that place")
    return None


def _dumped(position: Position | None) -> str:
    """Return the dump of a position as an addition to a sentence; without a position, or a dump, nothing."""
    if position is None:
        return ""
    try:
        with call_limit.limited_calls(MAX_DUMP_SECONDS):
            return f", position {position.dump()}"
    except (Exception, call_limit.CallTimedOut) as error:  # noqa: BLE001  it was interrupted while it changed
        return f", a position whose dump fails with {type(error).__name__}"


@cache
def find_endless_game(ruleset: Ruleset) -> Finding | None:
    """Return the finding of a game that doesn't end, or None. One game is tried for each number of players."""
    return find(ruleset, LAW_EVERY_GAME_ENDS, 0)


def check(ruleset: Ruleset, seconds: float = DEFAULT_SECONDS_FOR_ALL_LAWS) -> Iterator[tuple[Law, Finding | None]]:
    """Try every law, and yield it with its finding or None.

    No other law is tried if a game doesn't end, and after a finding that says so (``is_last``).
    """
    for law in LAWS:
        finding = find(ruleset, law, seconds / len(LAWS))
        yield law, finding
        if finding is not None and (finding.is_last or law is LAW_EVERY_GAME_ENDS):
            return


def _described(error: Exception) -> str:
    """Return the type, message and place of an unexpected exception."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({place.filename}, line {place.lineno})"
