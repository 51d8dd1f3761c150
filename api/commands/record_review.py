"""``regicide review``: the quality of a record's decisions, as a table in the terminal."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from engines.analysis.review import (
    MISTAKE_CLASSES,
    assess_decision,
    changes_of,
    decisions_of,
    past_decision,
    summarize,
    with_texts,
)
from engines.core.phrase import Phrase, Translator, numbered
from engines.core.types import Json
from engines.table.record_parser import Record
from engines.table.replay import Mismatch
from engines.table.table import Change, Table

QUALITY_LABELS: Final[Mapping[str, Phrase]] = {
    "good": Phrase("good"),
    "inaccuracy": Phrase("inaccuracy"),
    "mistake": Phrase("mistake"),
    "blunder": Phrase("blunder"),
}
COLUMN_HEADINGS: Final = (
    Phrase("step"),
    Phrase("played"),
    Phrase("wins"),
    Phrase("best"),
    Phrase("wins"),
    Phrase("lost"),
)
ACCURACY_LINE: Final = Phrase("Seat {seat}, {name}: accuracy {accuracy}%")
NO_CHOICE_LINE: Final = Phrase("Seat {seat}, {name}: never had a choice")
NO_VALUE: Final = "-"
RIGHT_ALIGNED_COLUMNS: Final = (0, 2, 4, 5)
"""Indexes of right-aligned columns."""


class Unplayable(Exception):
    """The record can't be replayed to its end. ``found`` has the mismatches."""

    def __init__(self, found: Sequence[Mismatch]) -> None:
        super().__init__("The record can't be played to its end.")
        self.found = found


class RecordReview:
    """Reviews of some seats of a record."""

    def __init__(self, record: Record, seats: Sequence[int], level: str) -> None:
        """Replay the record. Without *seats*, the seats of people are reviewed. Raises ``Unplayable``."""
        found = list[Mismatch]()
        self._past: list[tuple[Table | None, Change]] = changes_of(record, found)
        if any(finding.code == "unplayed" for finding in found):
            raise Unplayable(found)
        self._record, self._level = record, level
        self._seats = seats or _people(record)

    @property
    def count(self) -> int:
        return sum(len(decisions_of(self._past, seat)) for seat in self._seats)

    def run(self, translate: Translator, tell: Callable[[int], None]) -> list[str]:
        """Review all decisions and return the lines to print. *tell* is called after each decision."""
        lines = list[str]()
        for seat in self._seats:
            found = list[Json]()
            for before, entry in decisions_of(self._past, seat):
                judgement = assess_decision(past_decision(before, entry), self._level, name=self._name)
                found += [] if judgement is None else [judgement]
                tell(1)
            lines += self._shown(with_texts(summarize(seat, self._level, found), translate), translate)
        return lines

    def _name(self, seat: int) -> str | Phrase:
        return self._record.seats[seat].get("name") or numbered(seat)

    def _shown(self, review: Json, translate: Translator) -> list[str]:
        """Return the lines of one seat: a summary, each decision, and the reason if another action was better."""
        seat = self._record.seats[review["seat"]]
        words = NO_CHOICE_LINE if review["accuracy"] is None else ACCURACY_LINE
        accuracy = f"{100 * (review['accuracy'] or 0):.1f}"
        who = {"seat": review["seat"], "name": seat.get("name", seat["kind"]), "accuracy": accuracy}
        kinds = [one["kind"] for one in review["decisions"] if one["chance"] is not None]
        counts = ", ".join(f"{QUALITY_LABELS[kind].render(translate)} {kinds.count(kind)}" for kind in MISTAKE_CLASSES)
        return [words.bind(who).render(translate), counts, *table(review["decisions"], translate), ""]


def _people(record: Record) -> list[int]:
    """Return the seats of people, or all seats if there are none."""
    seats = range(record.players)
    return [seat for seat in seats if record.seats[seat]["kind"] == "human"] or list(seats)


def table(decisions: Sequence[Json], translate: Translator) -> list[str]:
    """Return decisions as lines, with columns fitted to their contents and reasons below bad decisions."""
    rows = [[heading.render(translate) for heading in COLUMN_HEADINGS], *[_row(one) for one in decisions]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMN_HEADINGS))]
    written = [
        "  ".join(
            cell.rjust(width) if column in RIGHT_ALIGNED_COLUMNS else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    lines = [written[0].rstrip()]
    for one, line in zip(decisions, written[1:], strict=True):
        is_good = one["kind"] == MISTAKE_CLASSES[0]
        lines.append(line.rstrip() if is_good else f"{line}  {QUALITY_LABELS[one['kind']].render(translate)}")
        lines += [] if is_good else [f"{' ' * widths[0]}  {one['why']}"]
    return lines


def _row(one: Json) -> list[str]:
    is_best = one["text"] == one["best"]
    return [
        str(one["version"]),
        one["label"],
        _percent(one["chance"]),
        NO_VALUE if is_best else one["best_label"],
        NO_VALUE if is_best else _percent(one["best_chance"]),
        _percent(one["loss"]) if one["loss"] else NO_VALUE,
    ]


def _percent(share: float | None) -> str:
    return NO_VALUE if share is None else f"{100 * share:.0f}%"
