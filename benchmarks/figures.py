"""What was measured: rows of figures with their medians and ranges, printed as tables and written as JSON."""

import json
import os
import platform
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Final


class Skipped(Exception):
    """Something can't be measured here, and why."""


@dataclass(frozen=True)
class Plan:
    """How much is measured, and beside what."""

    rounds: int = 5
    long_rounds: int = 3
    """Of what takes long."""
    seconds: float = 1.5
    """How long one load lasts."""
    games: int = 50
    """Games that are watched by streams."""
    streams: int = 1_000
    overdue: int = 25_000
    """Games in which an AI should have moved long ago."""
    against: Path | None = None
    """Another checkout of this project, which is measured too."""
    peers: Path = Path("build/peers")
    """Where other people's programs are installed."""


QUICK: Final = Plan(rounds=1, long_rounds=1, seconds=0.3, games=4, streams=20, overdue=200)
"""So little that figures mean nothing: it shows that all can be measured."""


@dataclass(frozen=True)
class Row:
    """Figures about one thing: by unit, one number for each round."""

    suite: str
    name: str
    cells: Mapping[str, Sequence[float]] = field(default_factory=dict)
    loads: Sequence[float] = ()
    """In each round, how many processes wanted a core: the mean of the minute before."""
    skipped: str | None = None
    """Why there is nothing, if there is nothing."""


Measure = Callable[[], Mapping[str, float]]
"""Measures something once, and returns the figures by unit."""


@dataclass
class Found:
    """What was found about one thing, round by round."""

    cells: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    loads: list[float] = field(default_factory=list)

    def note(self, figures: Mapping[str, float]) -> None:
        """Note the figures of one more round."""
        for unit, value in figures.items():
            self.cells[unit].append(value)
        self.loads.append(os.getloadavg()[0])

    def row(self, suite: str, name: str, **beside: Sequence[float]) -> Row:
        """Return the row, with figures *beside* that were made of these."""
        return Row(suite, name, {**self.cells, **beside}, self.loads)


def interleaved(rounds: int, measures: Mapping[str, Measure]) -> dict[str, Found]:
    """Measure everything once, then everything again, so that a busy minute hits all of it."""
    found = {name: Found() for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            found[name].note(measure())
    return found


def release_seed() -> str:
    """Return the seed of this release's games: those of another release were others."""
    return f"bench-ai {version('regicide-server')}"


def machine() -> str:
    """Return the state of the machine, without which no number means anything."""
    load = ", ".join(f"{load:.2f}" for load in os.getloadavg())
    return f"{os.cpu_count()} cores, {platform.python_implementation()} {platform.python_version()}, load {load}"


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a table for each suite; each figure is a median, with its range if there are several."""
    for suite, group in groupby(rows, lambda row: row.suite):
        found = list(group)
        measured = [row for row in found if row.skipped is None]
        units = list(dict.fromkeys(unit for row in measured for unit in row.cells))
        lines = [(suite, *units, "load"), *((row.name, *_shown(row, units)) for row in measured)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        yield ""
        for first, *others in lines:
            yield f"{first:{widths[0]}}" + "".join(
                f"  {cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)
            )
        yield from (f"{row.name} is left out: {row.skipped}" for row in found if row.skipped is not None)


def report(rows: Iterable[Row]) -> None:
    """Print a table, and the machine's state before and after."""
    print(f"Before: {machine()}")
    for line in table(rows):
        print(line, flush=True)
    print(f"\nAfter: {machine()}")


def _shown(row: Row, units: Sequence[str]) -> list[str]:
    """Return a row's cells as text."""
    cells = [shown(row.cells[unit]) if unit in row.cells else "" for unit in units]
    return [*cells, f"{median(row.loads):.1f}"]


def shown(values: Sequence[float]) -> str:
    """Write a median, and the range in brackets if there is one."""
    middle, low, high = (number(value) for value in (median(values), min(values), max(values)))
    return middle if low == high else f"{middle} ({low}-{high})"


def number(value: float) -> str:
    """Write a number with about three digits that count."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def write(file: Path, rows: Sequence[Row], before: str) -> None:
    """Write everything as JSON, with the machine's state before and after."""
    file.parent.mkdir(parents=True, exist_ok=True)
    said = {"before": before, "after": machine(), "rows": [asdict(row) for row in rows]}
    file.write_text(json.dumps(said, indent=1) + "\n", "utf-8")


def ratios(values: Sequence[float], others: Sequence[float]) -> list[float]:
    """Return round by round how many times *others* the *values* are."""
    return [value / other for value, other in zip(values, others, strict=True)]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that *share* of all stay below."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
