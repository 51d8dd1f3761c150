"""One game of each ruleset and player count as readable text, and a table of how many games there could be."""

from collections.abc import Iterator
from hashlib import sha256
from json import dumps
from pathlib import Path

from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.contract.events import Event
from engines.core.dealer import SeededDealer
from engines.ruleset import Action, Position, Ruleset, step
from tests.own import OWN_RULESETS

HERE = Path(__file__).parent
LEVELS = ("adept", "novice")
"""Who plays: the first in even seats, the second in odd ones."""

DEEPEST = 8
MOST = 5000
"""The table of counts goes as deep as this, or until it would look at more positions than that."""

LONGEST = 400
"""Actions of a transcript; a longer game is cut."""


def tables() -> Iterator[tuple[str, Ruleset, int]]:
    """Yield (file name, ruleset, player count) of every transcript."""
    for ruleset in OWN_RULESETS.values():
        for players in ruleset.player_counts:
            yield f"{ruleset.name}-{players}.txt", ruleset, players


def shown(event: Event) -> str:
    """Return an event in a line: its type, its seat, what it says."""
    facts = event.as_json()
    who = "" if facts.get("seat") is None else f" {facts['seat']}"
    rest = [f"{key} {plain(value)}" for key, value in facts.items() if key not in ("type", "seat")]
    return f"      {facts['type']}{who}: {', '.join(rest)}".rstrip(": ")


def plain(value: object) -> str:
    """Return a value as a person would write it."""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def numbers(position: Position) -> dict[str, object]:
    """Return what of a position can be told in a few words: piles by their height."""
    return {key: height(value) for key, value in position.dump().items()}


def height(value: object) -> object:
    """Return how many cards a pile holds, or each pile of several."""
    if isinstance(value, (list, dict)):
        parts = list(value.values()) if isinstance(value, dict) else value
        return " ".join(str(height(part)) for part in parts) if any(isinstance(p, list) for p in parts) else len(parts)
    return value


def changed(before: Position, after: Position) -> str:
    """Return the numbers that an action has changed, and a few digits of the hash of everything."""
    old, new = numbers(before), numbers(after)
    told = [f"{key} {old.get(key)} -> {new[key]}" for key in new if old.get(key) != new[key]]
    return f"      [{digest(after)}] {'; '.join(told)}".rstrip()


def digest(position: Position) -> str:
    """Return eight digits that change with anything in the position."""
    return sha256(dumps(position.dump(), sort_keys=True).encode()).hexdigest()[:8]


def chosen(ruleset: Ruleset, position: Position, number: int) -> tuple[int, Action]:
    """Return who acts next and how: those that may interrupt are asked first."""
    for seat in position.may_act() + position.to_act():
        level = LEVELS[seat % len(LEVELS)]
        action = think(
            Question(level, Observation(ruleset, position.view(seat), seat, f"golden {number} {seat}"))
        ).action
        if action is not None:
            return seat, action
    raise AssertionError("nobody acts")


def transcript(ruleset: Ruleset, players: int) -> str:
    """Return one game as text."""
    heard: list[Event] = []
    position = ruleset.new(players, {}, SeededDealer("golden 0"), heard)
    lines = [f"{ruleset.title} for {players}", "", *map(shown, heard), f"      [{digest(position)}]"]
    for number in range(1, LONGEST + 1):
        if position.is_over:
            break
        seat, action = chosen(ruleset, position, number)
        after, heard = step(position, seat, action, SeededDealer(f"golden {number}"))
        lines += ["", f"{number:4}  {seat} {LEVELS[seat % len(LEVELS)]}: {action}", *map(shown, heard)]
        lines.append(changed(position, after))
        position = after
    lines += ["", dumps(position.outcome), ""]
    return "\n".join(lines)


def children(position: Position, depth: int) -> Iterator[Position]:
    """Yield the position after each legal action of each seat, dealt by a seed that depends on the depth alone."""
    for seat in range(position.players):
        for action in position.legal(seat):
            yield step(position, seat, action, SeededDealer(f"perft {depth}"))[0]


def perft(ruleset: Ruleset, players: int) -> list[int]:
    """Return how many sequences of legal actions there are, of length 1, 2, 3 and so on."""
    found, positions = [], [ruleset.new(players, {}, SeededDealer("perft 0"))]
    for depth in range(1, DEEPEST + 1):
        found.append(sum(len(position.legal(seat)) for position in positions for seat in range(players)))
        if found[-1] > MOST:
            break
        positions = [child for position in positions for child in children(position, depth)]
    return found


def perft_table() -> str:
    """Return a line for each ruleset and player count: counts by depth."""
    rows = [f"{ruleset.name} {players}: {plain(perft(ruleset, players))}" for _, ruleset, players in tables()]
    return "\n".join([*rows, ""])


def written() -> dict[str, str]:
    """Return every golden file's text, by its name."""
    return {name: transcript(ruleset, players) for name, ruleset, players in tables()} | {"perft.txt": perft_table()}
