"""Print the tables of docs/ai-strength.md from results of ``make bench-ai``.

``python -m benchmarks.ai_strength_tables``
"""

import json
from collections.abc import Iterator
from typing import Final

from benchmarks.ai import RESULTS_FILE, Match, below_adept
from engines import RULESETS
from engines.core.types import Json
from engines.ruleset import Ruleset

PLAYER_COUNT_HEADINGS: Final = ("alone", "two", "three", "four")


def results() -> Json:
    """Return the results in ``benchmarks/ai_results.json``, by match."""
    return dict(json.loads(RESULTS_FILE.read_text("utf-8")))


def rate(found: Json) -> str:
    """Return a win rate with its 95 % interval as text, in per cent."""
    return f"{100 * found['wins'] / found['games']:.1f} % ({100 * found['low']:.1f}-{100 * found['high']:.1f})"


def teams(ruleset: Ruleset, found: Json) -> Iterator[str]:
    """Yield the lines of a cooperative game's table.

    Each level has a row: its teams by player count, and its team with an ``adept``.
    """
    yield f"| level | {' | '.join(PLAYER_COUNT_HEADINGS)} | beside an adept |"
    yield f"| --- |{' --- |' * (len(PLAYER_COUNT_HEADINGS) + 1)}"
    beside = below_adept(ruleset)
    for level in ruleset.levels:
        alike = [Match(ruleset.name, (level,) * players).name for players in ruleset.player_counts]
        cells = [_cell(found, name) for name in alike]
        cells.append(_cell(found, Match(ruleset.name, (level, "adept")).name) if level in beside else "")
        yield f"| `{level}` | {' | '.join(cells)} |"


def _cell(found: Json, match: str) -> str:
    """Return the win rate and the number of games of *match*, or "not measured"."""
    if match not in found:
        return "not measured"
    return f"{rate(found[match])}, {found[match]['games']} games"


def rivals(ruleset: Ruleset, found: Json) -> Iterator[str]:
    """Yield the lines of a competitive game's table: a row per match, with the win rate of the first level."""
    yield "| match | wins | draws | games |"
    yield "| --- | --- | --- | --- |"
    for name, result in found.items():
        game, first, *others = name.split("-")
        if game == ruleset.name:
            rest = f"`{others[0]}`" if len(others) == 1 else f"three `{others[0]}`s"
            yield f"| `{first}` against {rest} | {rate(result)} | {result['draws']} | {result['games']} |"


def main() -> None:
    """Print the tables."""
    found = results()
    for ruleset in RULESETS.values():
        rows = teams(ruleset, found) if ruleset.cooperative else rivals(ruleset, found)
        print(f"{ruleset.title}\n\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
