"""Replays a record to check that it is consistent, and that its AIs make the same decisions again.

The replay uses the same class ``Table`` as hosted games. Names, times and the game's id aren't checked, nor whether
a game that was recorded as abandoned went on, because a record can't prove them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from json import dumps
from typing import Final

from engines.ai.decision import STAND_IN_LEVEL, Question, repeat
from engines.ai.observation import Observation
from engines.contract.base import Ruleset
from engines.contract.levels import Budget
from engines.core.dealer import commitment, game_key, player_seed
from engines.core.errors import (
    BadAction,
    BadCard,
    BadOptions,
    BadPosition,
    GameOver,
    IllegalAction,
    NotStarted,
    NotYourTurn,
    Refusal,
)
from engines.core.types import Json
from engines.table.note_seals import chain, seal, view_hash
from engines.table.record_parser import Entry, Note, Record
from engines.table.seats import Seat
from engines.table.table import Change, Table

DESCRIPTION_BY_MISMATCH_CODE: Final[Mapping[str, str]] = {
    "commitment": "The commitment isn't that of the seed.",
    "players": "Seats, client seeds and the number of players don't fit together.",
    "options": "The game can't be played with these options, or seats asked for others.",
    "position": "The game can't start from this position.",
    "version": "The versions don't go up.",
    "not_started": "Somebody acts before the game has started.",
    "seat": "A seat acts that can't.",
    "action": "No action is written like this.",
    "illegal": "The rules forbid the action.",
    "after_end": "Somebody acts after the game has ended.",
    "text": "Action and text say different things.",
    "unplayed": "What follows couldn't be checked.",
    "outcome": "The game ends in another way.",
    "ai_level": "No such AI could choose for that seat, or sit there.",
    "ai_seed": "The AI's seed isn't the one that follows from the game's.",
    "ai_budget": "An AI of that level has another budget.",
    "ai_iterations": "An AI of that level doesn't think so long.",
    "ai_signals": "Nobody could give that signal.",
    "ai_view": "The AI's seat saw something else.",
    "ai_notes": "What an AI noted isn't as the server committed it.",
    "ai_choice": "The AI chooses another action.",
}
"""Codes of mismatches, each with an explanation."""

FIXED_OPENING_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The opening time of every replayed game: an arbitrary time, because times have no effect on a game."""


@dataclass(frozen=True)
class Mismatch:
    """An inconsistency in a record: one of ``DESCRIPTION_BY_MISMATCH_CODE``, and a sentence."""

    code: str
    sentence: str


@dataclass(frozen=True)
class ReplayStep:
    """The game before and after an action of its record.

    The first step is the deal. Its *entry* is None, and its *before* is the table after the deal.
    """

    entry: Entry | None
    before: Table
    change: Change


OnRepeated = Callable[[Entry, Note, bool], None]
"""Called after each repeated decision of an AI. The last argument is True if the decision was the same."""


def verify(record: Record) -> list[Mismatch]:
    """Return all mismatches in *record*; an empty list if it is consistent."""
    mismatches = list[Mismatch]()
    for _ in replay(record, mismatches):
        pass
    _compare_chain(record, mismatches)
    return mismatches


def audit(record: Record, on_repeated: OnRepeated) -> list[Mismatch]:
    """Return the mismatches that ``verify`` finds, and one for each action of an AI that it doesn't choose again.

    The decision behind each action of an AI is repeated. *on_repeated* is called after each repetition. Searches run as
    many iterations as in the game, so an audit takes about as long as the AIs took in the game.
    """
    mismatches = list[Mismatch]()
    for played in replay(record, mismatches):
        entry, done = played.entry, played.change.entry
        if entry is None or entry.ai is None or _what_cannot_be(record.ruleset, entry.ai) is not None:
            continue
        chosen = _repeat_decision(record, played.before, entry.seat, entry.ai)
        if chosen != done["action"]:
            now = "lets others act" if chosen is None else f"chooses {chosen!r}"
            mismatches.append(_finding("ai_choice", entry, f"asked again, the {entry.ai.level} {now}"))
        on_repeated(entry, entry.ai, chosen == done["action"])
    _compare_chain(record, mismatches)
    return mismatches


def seals(record: Record) -> dict[int, str]:
    """Return the seal (an HMAC, note_seals.py) of each AI's note in the record, by the version after the action."""
    key = game_key(bytes.fromhex(record.seed), record.client_seeds)
    return {
        entry.version: seal(
            key, entry.version, entry.seat, entry.ai.level, (entry.ai.iterations, entry.ai.helper_iterations)
        )
        for entry in record.entries
        if entry.ai is not None
    }


def compare_transcript(record: Record, transcript: Iterable[Json]) -> list[Mismatch]:
    """Return the differences between the record and a *transcript*, which a client saved while the game ran.

    The transcript has JSON objects from the game's stream and from responses. The commitment and the seals of AIs'
    notes that these objects contain are compared.
    """
    made, mismatches = seals(record), list[Mismatch]()
    for line in transcript:
        promised = line.get("commitment") if line.get("id") == record.id else None
        if promised not in (None, record.commitment):
            mismatches.append(Mismatch("commitment", f"While the game ran the commitment was {promised}."))
        told = [(line.get("version"), line.get("ai_note")), *_items(line.get("ai_notes"))]
        for version, sealed in told:
            if sealed is not None and not (isinstance(version, int) and made.get(version) == sealed):
                sentence = f"Version {version}: what its AI noted isn't as the server committed it."
                mismatches.append(Mismatch("ai_notes", sentence))
    return mismatches


def _compare_chain(record: Record, mismatches: list[Mismatch]) -> None:
    """Compute the last link of the hash chain of the AIs' notes; append a mismatch if the record states another."""
    linked = chain(commitment(bytes.fromhex(record.seed)), seals(record).values())
    if record.ai_notes not in (None, linked):
        sentence = f"What AIs noted isn't as the server committed it: the last link of its chain is {linked}."
        mismatches.append(Mismatch("ai_notes", sentence))


def _items(told: object) -> list[tuple[object, object]]:
    """Return pairs (version, seal) from a response's ``ai_notes``; a key that isn't a number gives version -1."""
    known = told if isinstance(told, dict) else {}
    return [(int(version) if version.isdecimal() else -1, sealed) for version, sealed in known.items()]


def replay(record: Record, mismatches: list[Mismatch]) -> Iterator[ReplayStep]:
    """Yield the game after the deal and after each action; append mismatches to *mismatches*.

    Ends early if the game can't continue.
    """
    _look_over(record, mismatches)
    change = _open_table(record, mismatches)
    if change is None:
        mismatches.append(Mismatch("unplayed", "None of it could be played."))
        return
    yield ReplayStep(None, change.table, change)
    for number, entry in enumerate(record.entries, start=1):
        before = replace(change.table, version=entry.before)
        if entry.ai is not None:
            _compare_observation(before, entry, entry.ai, mismatches)
        done = _apply_action(before, entry, mismatches)
        if done is None:
            left = len(record.entries) - number
            mismatches.append(
                Mismatch("unplayed", f"There it ends: {left} more actions and the outcome are unchecked.")
            )
            return
        change = done
        yield ReplayStep(entry, before, change)
    _compare_outcome(record, change.table, mismatches)


# Checks without playing


def _look_over(record: Record, mismatches: list[Mismatch]) -> None:
    seed = bytes.fromhex(record.seed)
    if commitment(seed) != record.commitment:
        mismatches.append(Mismatch("commitment", f"The seed's SHA-256 is {commitment(seed)}, not the commitment."))
    key, last = game_key(seed, record.client_seeds), 0
    levels = dict[int, str]()
    for entry in record.entries:
        if entry.version <= last:
            mismatches.append(_finding("version", entry, f"it comes after version {last}: versions only go up"))
        last = entry.version
        _compare_spelling(record, entry, mismatches)
        _compare_hand(record, entry, levels, mismatches)
        if entry.ai is not None:
            _compare_note(record.ruleset, key, entry, entry.ai, mismatches)
    for number, seat in enumerate(record.seats):
        _compare_level(record, number, seat, mismatches)


def _compare_level(record: Record, number: int, seat: Json, mismatches: list[Mismatch]) -> None:
    """Append a mismatch if the level of a seat is impossible.

    A person's seat must have no level. An AI's seat must have a level that exists, and the same level as the AI that
    acted there last, unless another AI may have taken over the seat since then (``_handed_over``).
    """
    level, is_ai = seat.get("level"), seat["kind"] == "ai"
    if is_ai and level not in record.ruleset.levels:
        known = ", ".join(record.ruleset.levels)
        mismatches.append(Mismatch("ai_level", f"Seat {number}: there is no AI {level!r}: there are {known}."))
    elif not is_ai and level is not None:
        mismatches.append(Mismatch("ai_level", f"Seat {number}: no AI sits there, and it has the level {level!r}."))
    elif is_ai:
        last = next(
            (entry for entry in reversed(record.entries) if entry.seat == number and entry.ai is not None), None
        )
        if last is not None and last.ai is not None and last.ai.level != level and not _handed_over(record, last):
            mismatches.append(
                _finding("ai_level", last, f"the AI's level was {last.ai.level}, and the seat's is {level}")
            )


def _handed_over(record: Record, last: Entry) -> bool:
    """Return whether the seat may have been handed to another AI after *last*, the last action of its AI.

    That is possible in two cases. In the first, some version after *last* has no entry in the record, because it came
    from a verb other than ``act``. In the second, the game was abandoned, and such versions may have followed the last
    action.
    """
    later = [entry.version for entry in record.entries if entry.version >= last.version]
    return record.outcome is None or later[-1] - later[0] >= len(later)


def _compare_spelling(record: Record, entry: Entry, mismatches: list[Mismatch]) -> None:
    try:
        action = record.ruleset.parse(entry.action)
    except (BadAction, BadCard) as refusal:
        mismatches.append(_finding("action", entry, refusal.detail))
        return
    if not _same(action.as_json(), entry.action):
        mismatches.append(_finding("action", entry, f"the action is written {dumps(action.as_json())}"))
    if str(action) != entry.text:
        mismatches.append(_finding("text", entry, f"the action reads {str(action)!r}"))


def _compare_hand(record: Record, entry: Entry, levels: dict[int, str], mismatches: list[Mismatch]) -> None:
    """Check that people act at people's seats and AIs at AIs' seats; append a mismatch otherwise.

    *levels* has the last AI level at each seat before *entry*; the level of *entry* is added.
    Once an AI has a seat, only AIs may act there, perhaps of another level. At a person's seat an AI may act only if it
    has the level ``STAND_IN_LEVEL``.
    """
    seat, level = entry.seat, None if entry.ai is None else entry.ai.level
    if level is None and seat in levels:
        mismatches.append(
            _finding("ai_level", entry, f"a person acts, but the seat was an AI's ({levels[seat]}) before")
        )
    if level is None or level == STAND_IN_LEVEL:
        return
    if seat < len(record.seats) and record.seats[seat]["kind"] != "ai":
        mismatches.append(
            _finding("ai_level", entry, f"an AI ({level}) acts for a person; only {STAND_IN_LEVEL} stands in")
        )
    levels[seat] = level


def _compare_note(ruleset: Ruleset, key: bytes, entry: Entry, note: Note, mismatches: list[Mismatch]) -> None:
    expected = player_seed(key, entry.before, entry.seat)
    if note.seed != expected:
        mismatches.append(_finding("ai_seed", entry, f"the AI's seed is {expected}"))
    problem = _what_cannot_be(ruleset, note)
    if problem is not None:
        mismatches.append(_finding(problem[0], entry, problem[1]))


def _what_cannot_be(ruleset: Ruleset, note: Note) -> tuple[str, str] | None:
    """Return the code and the text of the mismatch if *note* is impossible, else None.

    A note is impossible if it has an unknown level, a budget that its level never had, or too many iterations.
    """
    level = ruleset.levels.get(note.level)
    if level is None:
        return "ai_level", f"there is no AI {note.level!r}: there are {', '.join(ruleset.levels)}"
    budget = level.budget_of(note.budget)
    if budget is None and (note.budget is not None or level.budget is not None):
        expected = None if level.budget is None else level.budget.as_json()
        return "ai_budget", f"the budget of an AI of the level {note.level} is {dumps(expected)}"
    budget = budget or Budget(0)
    if note.iterations > budget.iterations:
        return "ai_iterations", f"an AI of the level {note.level} takes {budget.iterations} iterations at most"
    if note.helper_iterations > budget.iterations // 2:
        return "ai_iterations", f"a second search takes {budget.iterations // 2} iterations at most"
    return None


# Checks by playing


def _open_table(record: Record, mismatches: list[Mismatch]) -> Change | None:
    """Open the table that *record* describes. If that is impossible, append a mismatch and return None."""
    ruleset, players = record.ruleset, record.players
    if players not in ruleset.player_counts or not len(record.seats) == len(record.client_seeds) == players:
        listed = f"{len(record.seats)} seats and {len(record.client_seeds)} client seeds"
        counts = ", ".join(map(str, ruleset.player_counts))
        mismatches.append(
            Mismatch("players", f"There are {players} players, {listed}; {ruleset.title} is for {counts}.")
        )
        return None
    try:
        change = Table.open(
            game_id=record.id,
            ruleset=ruleset,
            options=record.options,
            seats=_seats_as_people(record),
            seed=bytes.fromhex(record.seed),
            now=FIXED_OPENING_TIME,
            position=record.position,
        )
    except BadOptions as bad_options:
        mismatches.append(Mismatch("options", f"With these options nothing can be played: {bad_options.detail}"))
        return None
    except (BadPosition, BadCard) as bad_position:
        mismatches.append(Mismatch("position", f"The game can't start from this position: {bad_position.detail}"))
        return None
    _compare_options(record, change.table, mismatches)
    return change


def _seats_as_people(record: Record) -> list[Seat]:
    """Return the record's seats, with AIs' seats as people's, so that ``Table.act`` accepts actions without AI notes.

    ``_compare_hand`` checks separately whether an AI may act.
    """
    kinds = ["open" if seat["kind"] == "open" else "human" for seat in record.seats]
    return [Seat(kind, client_seed=seed) for kind, seed in zip(kinds, record.client_seeds, strict=True)]


def _compare_options(record: Record, table: Table, mismatches: list[Mismatch]) -> None:
    if not _same(table.options, record.options):
        mismatches.append(Mismatch("options", f"The options, all of them, are {dumps(table.options)}."))
    for field, option in record.ruleset.seat_options.items():
        for number, seat in enumerate(record.seats):
            if field in seat and not _same(table.options.get(option, {number: None})[number], seat[field]):
                mismatches.append(
                    Mismatch("options", f"Seat {number} asked for {field} {seat[field]!r}: {option!r} differs.")
                )


MISMATCH_CODE_BY_REFUSAL: Final[Mapping[type[Refusal], str]] = {
    NotStarted: "not_started",
    GameOver: "after_end",
    BadAction: "action",
    BadCard: "action",
    NotYourTurn: "seat",
    IllegalAction: "illegal",
}


def _apply_action(before: Table, entry: Entry, mismatches: list[Mismatch]) -> Change | None:
    """Apply the action of *entry*. If it is refused, append a mismatch and return None: the replay can't go on."""
    if entry.seat >= len(before.seats):
        mismatches.append(_finding("seat", entry, f"the game has seats 0 to {len(before.seats) - 1}"))
        return None
    try:
        return before.act(entry.seat, entry.action, entry.at)
    except (NotStarted, GameOver, BadAction, BadCard, NotYourTurn, IllegalAction) as refusal:
        rule = f" ({refusal.rule})" if isinstance(refusal, IllegalAction) and refusal.rule else ""
        refused = _finding(MISMATCH_CODE_BY_REFUSAL[type(refusal)], entry, refusal.detail + rule)
        if refused not in mismatches:  # ``_compare_spelling`` has already reported a malformed action
            mismatches.append(refused)
        return None


def _compare_observation(before: Table, entry: Entry, note: Note, mismatches: list[Mismatch]) -> None:
    """Compare the view and the signals with those that an AI noted for its decision."""
    if before.position is None or before.position.is_over or entry.seat >= len(before.seats):
        return
    view = view_hash(before.position.view(entry.seat))
    if note.view_sha256 != view:
        mismatches.append(_finding("ai_view", entry, f"the SHA-256 of what its seat saw is {view}"))
    for seat, signal in note.signals.items():
        if seat >= len(before.seats) or signal not in before.position.signals(seat):
            mismatches.append(_finding("ai_signals", entry, f"seat {seat} couldn't signal {signal!r}"))


def _compare_outcome(record: Record, table: Table, mismatches: list[Mismatch]) -> None:
    outcome = None if table.position is None else table.position.outcome
    if not _same(outcome, record.outcome):
        ended = "hasn't ended" if outcome is None else f"ended with {dumps(outcome)}"
        mismatches.append(
            Mismatch("outcome", f"After the last action the game {ended}; the outcome says something else.")
        )


def _repeat_decision(record: Record, table: Table, seat: int, note: Note) -> str | None:
    """Return the text of the action that the AI chooses when its decision is repeated; None if it lets others act."""
    view = table.view(seat)
    if view is None:
        return None
    observation = Observation(record.ruleset, view, seat, note.seed, note.signals)
    again = repeat(Question(note.level, observation), note.iterations, note.helper_iterations)
    return None if again.action is None else str(again.action)


def _finding(code: str, entry: Entry, what: str) -> Mismatch:
    what = what.rstrip(".")
    return Mismatch(code, f"Version {entry.version}, seat {entry.seat}, {entry.text!r}: {what}.")


def _same(one: object, other: object) -> bool:
    """Return whether two values are equal as JSON text, unlike Python's ``==``, for which 1, 1.0 and True are equal."""
    return dumps(one, sort_keys=True) == dumps(other, sort_keys=True)
