"""Teacher games as arrays, which are used in several passes with new estimates each time."""

import numpy as np
import numpy.typing as npt

from training.network import Features, Floats
from training.replay_buffer import MAX_FEATURES, Seen

Numbers = npt.NDArray[np.int64]


class TeacherGames:
    """The positions of teacher games in order of play, and the outcome of each game."""

    def __init__(self, features: int, endings: int, seats: int) -> None:
        """Take the numbers of features and outcomes (*endings*); the first *seats* outcomes are wins of these seats."""
        self._empty, self._endings, self._seats = features, endings, seats
        self._rows, self._viewpoints, self._explored = list[Features](), list[int](), list[bool]()
        self._ended, self._firsts = list[int](), list[int]()

    def __len__(self) -> int:
        return len(self._ended)

    def add(self, seen: Seen, explored: list[bool], ending: int) -> None:
        """Add a game: its positions, whether a teacher explored after each position, and its outcome."""
        if not seen:
            return
        rows = np.full((len(seen), MAX_FEATURES), self._empty, np.uint16)
        for row, (held, _) in zip(rows, seen, strict=True):
            row[: len(held)] = held
        self._firsts.append(len(self._viewpoints))
        self._rows.append(rows)
        self._viewpoints += [viewpoint for _, viewpoint in seen]
        self._explored += explored
        self._ended.append(ending)

    def features(self) -> Features:
        """Return the features, with a row per position."""
        if len(self._rows) > 1:
            self._rows = [np.concatenate(self._rows)]
        return self._rows[0]

    def learned(self) -> Numbers:
        """Return the indices of the positions to learn from: those after which no teacher explored."""
        return np.flatnonzero(~np.array(self._explored))

    def targets(self, thoughts: Floats | None, trace: float) -> Floats:
        """Return the target outcome probabilities of each position, by TD(*trace*).

        *thoughts* are the network's present estimates. If they are None, the targets are the outcomes. Otherwise
        nothing that follows an exploratory action counts for earlier positions (Watkins): instead of it they use the
        estimate of the position in which the teacher explored.
        """
        firsts = np.array(self._firsts)
        lengths = np.diff(np.append(firsts, len(self._viewpoints)))
        ends = np.eye(self._endings, dtype=np.float32)[self._ended]
        if thoughts is None:
            return self._turned(np.repeat(ends, lengths, axis=0), 1)
        by_seat, explored = self._turned(thoughts, -1), np.array(self._explored)
        longest_first = np.argsort(-lengths)
        places, lengths = (firsts + lengths - 1)[longest_first], lengths[longest_first]
        after = ends[longest_first]
        targets = np.empty_like(by_seat)
        for back in range(lengths[0]):  # each pass handles the positions *back* steps before the end of their games
            count = int((lengths > back).sum())
            here = places[:count] - back
            if back:
                left = explored[here + 1]
                after[:count] = trace * after[:count] + (1 - trace) * by_seat[here + 1]
                after[:count][left] = by_seat[here + 1][left]
            targets[here] = after[:count]
        return self._turned(targets, 1)

    def _turned(self, shares: Floats, way: int) -> Floats:
        """Return a copy of *shares* with the columns of the seats' wins rotated in each row.

        *way* 1: the first column is seat 0's, and becomes that of the position's seat on turn. *way* -1: the reverse.
        """
        turned = shares.copy()
        viewpoints = np.array(self._viewpoints)
        for viewpoint in range(1, self._seats):
            places = np.flatnonzero(viewpoints == viewpoint)
            order = [(seat + way * viewpoint) % self._seats for seat in range(self._seats)]
            turned[places, : self._seats] = shares[places][:, order]
        return turned
