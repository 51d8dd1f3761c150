"""Benchmark results: rows of figures with medians and ranges, as tables and JSON."""

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
    """A benchmark can't run here; the message says why."""


@dataclass(frozen=True)
class Plan:
    """The extent of the measurements, and the checkout and programs to compare with."""

    rounds: int = 5
    long_rounds: int = 3
    """Number of rounds of slow benchmarks."""
    seconds: float = 1.5
    """Duration of one load."""
    games: int = 50
    """Number of games that streams watch, and number of tables of an evening."""
    minutes: float = 1.0
    """Duration of an evening."""
    streams: int = 1_000
    overdue: int = 25_000
    """Number of games with an overdue AI turn."""
    stored: int = 100_000
    """Number of games in a large store."""
    against: Path | None = None
    """Another checkout of this project, which is also measured."""
    peers: Path = Path("build/peers")
    """Folder in which other projects' programs are installed."""


QUICK: Final = Plan(rounds=1, long_rounds=1, seconds=0.3, games=4, minutes=0.3, streams=20, overdue=200, stored=200)
"""A minimal plan to test the benchmarks; its figures are meaningless."""


@dataclass(frozen=True)
class Row:
    """The figures of one subject in a suite: for each unit one number per round."""

    suite: str
    name: str
    cells: Mapping[str, Sequence[float]] = field(default_factory=dict)
    loads: Sequence[float] = ()
    """Load average of the minute before each round."""
    skipped: str | None = None
    """The reason why there are no figures; None if there are."""


Measure = Callable[[], Mapping[str, float]]
"""Measures once, and returns the figures by unit."""


@dataclass
class Found:
    """The figures of one subject, round by round."""

    cells: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    loads: list[float] = field(default_factory=list)

    def note(self, figures: Mapping[str, float]) -> None:
        """Add the figures of one round."""
        for unit, value in figures.items():
            self.cells[unit].append(value)
        self.loads.append(os.getloadavg()[0])

    def row(self, suite: str, name: str, **beside: Sequence[float]) -> Row:
        """Return the row of these figures and of the derived figures in *beside*."""
        return Row(suite, name, {**self.cells, **beside}, self.loads)


def interleaved(rounds: int, measures: Mapping[str, Measure]) -> dict[str, Found]:
    """Run all measures once per round, so that a busy minute affects all of them."""
    found = {name: Found() for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            found[name].note(measure())
    return found


def release_seed() -> str:
    """Return the seed of this release's games, which differs from the seeds of other releases."""
    return f"bench-ai {version('regicide-server')}"


def machine() -> str:
    """Return number of cores, Python's version and load averages as text. They are needed to interpret figures."""
    load = ", ".join(f"{load:.2f}" for load in os.getloadavg())
    return f"{os.cpu_count()} cores, {platform.python_implementation()} {platform.python_version()}, load {load}"


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a table per suite; a figure is the median of the rounds, with the range if they differ."""
    for suite, group in groupby(rows, lambda row: row.suite):
        found = list(group)
        measured = [row for row in found if row.skipped is None]
        units = list(dict.fromkeys(unit for row in measured for unit in row.cells))
        lines = [(suite, *units, "load"), *((row.name, *_cells_text(row, units)) for row in measured)]
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


def _cells_text(row: Row, units: Sequence[str]) -> list[str]:
    """Return a row's cells as text."""
    cells = [format_values(row.cells[unit]) if unit in row.cells else "" for unit in units]
    return [*cells, f"{median(row.loads):.1f}"]


def format_values(values: Sequence[float]) -> str:
    """Format the median of *values*, with their range in brackets if they differ."""
    middle, low, high = (number(value) for value in (median(values), min(values), max(values)))
    return middle if low == high else f"{middle} ({low}-{high})"


def number(value: float) -> str:
    """Format a number with about three significant digits."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def write(file: Path, rows: Sequence[Row], before: str) -> None:
    """Write *rows* as JSON, with the machine's state before and after."""
    file.parent.mkdir(parents=True, exist_ok=True)
    said = {"before": before, "after": machine(), "rows": [asdict(row) for row in rows]}
    file.write_text(json.dumps(said, indent=1) + "\n", "utf-8")


def ratios(values: Sequence[float], others: Sequence[float]) -> list[float]:
    """Return the ratios of *values* to *others*, round by round."""
    return [value / other for value, other in zip(values, others, strict=True)]


def quantile(values: Sequence[float], share: float) -> float:
    """Return a quantile: the value below which a *share* (0 to 1) of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
