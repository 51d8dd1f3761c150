"""Reviews: each decision of a seat once more, when the game has ended, from what the seat knew when it decided.

A search chooses as an AI of a level would, by iterations and not by the clock. It visits what seems poor seldom: so
if the seat did something else, both are then visited equally often by a fresh search, in the same worlds. What a
decision has lost is by how much the best wins more often than what was chosen. Everything follows from the view,
the signals and the action: what lay hidden, or came of it, changes nothing, and equal games have equal reviews.

A decision is each action that the seat took; to wait, where it might have interrupted, is none.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf
from typing import Final

from engines.ai.observation import Observation
from engines.ai.search import Estimate, Search, never
from engines.analysis.hints import WAIT, WAITING, budget_for, explained
from engines.contract.levels import Budget
from engines.contract.position import Action
from engines.core.phrase import Naming, Phrase, Translator, numbered, sentence
from engines.core.types import Json
from engines.table.ai_notes import view_hash
from engines.table.record import Record
from engines.table.replay import Mismatch, replay
from engines.table.table import Change, Table

BOUNDS: Final = (("good", 0.05), ("inaccuracy", 0.1), ("mistake", 0.2), ("blunder", inf))
"""What a decision is called that has lost less than so much of the chance to win, and at least as much as the bound
before."""

KINDS: Final = tuple([kind for kind, _ in BOUNDS])

ROUNDS: Final = 1.5
"""How often the best and what was chosen are compared, for each iteration of the level's search."""

NO_CHOICE: Final = Phrase("there was nothing else to do")

Past = Iterable[tuple[Table | None, Change]]
"""The changes of a game, in order, each with the table before it; the opening has none."""


@dataclass(frozen=True)
class Decision:
    """What a seat did at a version, and what it knew when it decided."""

    version: int
    observation: Observation
    action: Action
    options: int
    """So many things could be done; to wait is one, for whoever need not act."""


def decided(past: Past, seat: int) -> list[tuple[Table, Json]]:
    """Return the table at each decision of *seat*, in order, with the journal's entry of what it did."""
    return [
        (before, change.entry)
        for before, change in past
        if before is not None and change.entry["verb"] == "act" and change.entry["seat"] == seat
    ]


def decision(before: Table, entry: Json) -> Decision:
    """Return what *entry* says that a seat did, and what it knew: its own view, and the signals."""
    ruleset, position, seat = before.ruleset, before.position, entry["seat"]
    assert position is not None, "somebody acts: the cards are dealt"  # noqa: S101  for the type
    view = position.view(seat)
    observation = Observation(ruleset, view, seat, f"review/{view_hash(view)}", before.signals)
    options = len(position.legal(seat)) + (seat not in position.to_act())
    return Decision(before.version, observation, ruleset.parse(entry["action"]), options)


def recorded(record: Record, found: list[Mismatch]) -> list[tuple[Table | None, Change]]:
    """Return what happened by a record; append to *found* what doesn't match, as ``replay`` does.

    A record has only those signals that an AI weighed: what people heard at other decisions isn't known.
    """
    past = list[tuple[Table | None, Change]]()
    for played in replay(record, found):
        note = None if played.entry is None else played.entry.ai
        before = None if played.entry is None else replace(played.before, signals=note.signals if note else {})
        past.append((before, played.change))
    return past


def judged(
    made: Decision, level: str, *, should_stop: Callable[[], bool] = never, name: Naming = numbered
) -> Json | None:
    """Return what an AI of *level* makes of a decision; None if *should_stop* has said so.

    ``{"version", "text", "label", "best", "best_label", "chance", "best_chance", "loss", "kind", "why"}``: labels and
    ``why`` are phrases as they are kept (``said``). Where there was no choice nobody has searched: both chances are
    None.
    """
    ruleset, action = made.observation.ruleset, made.action

    def label(one: Action | None) -> Phrase:
        return WAIT if one is None else ruleset.label(one, name)

    if made.options == 1:
        return _written(made.version, label, (action, None), (action, None), NO_CHOICE)
    found = _weighed(made, budget_for(ruleset, level), should_stop)
    if found is None:
        return None
    best, chosen = found
    why = explained(made.observation, best, None if chosen.action == best.action else chosen, label, name)
    return _written(made.version, label, (action, chosen.chance), (best.action, best.chance), why)


def _weighed(made: Decision, budget: Budget, should_stop: Callable[[], bool]) -> tuple[Estimate, Estimate] | None:
    """Return the best that could be done and what was, each with its chance; None if it was stopped."""
    budget, observation = budget.exactly(budget.iterations), made.observation
    thought = Search(observation).think(budget, should_stop, forced=True)
    if thought.iterations < budget.iterations:
        return None
    best = thought.ranked[0]
    if best.action == made.action:
        return best, best
    search = Search(replace(observation, seed=f"{observation.seed}/compared"))
    rounds = round(ROUNDS * budget.iterations)
    if search.compare([best.action, made.action], budget.exactly(rounds), should_stop) < rounds:
        return None
    return search.estimate(best.action), search.estimate(made.action)


def _written(
    version: int,
    label: Callable[[Action | None], Phrase],
    chosen: tuple[Action, float | None],
    best: tuple[Action | None, float | None],
    why: Phrase,
) -> Json:
    chance, best_chance = (None if known is None else round(known, 4) for _, known in (chosen, best))
    loss = 0.0 if chance is None or best_chance is None else round(max(0.0, best_chance - chance), 4)
    return {
        "version": version,
        "text": str(chosen[0]),
        "label": label(chosen[0]).as_json(),
        "best": str(WAITING if best[0] is None else best[0]),
        "best_label": label(best[0]).as_json(),
        "chance": chance,
        "best_chance": best_chance,
        "loss": loss,
        "kind": kind(loss),
        "why": why.as_json(),
    }


def kind(loss: float) -> str:
    """Return what a decision is called that has lost so much of the chance to win."""
    return next(called for called, bound in BOUNDS if loss < bound)


def accuracy(losses: Sequence[float]) -> float | None:
    """Return how well decisions were made that have lost so much: the mean of what each is worth, from 0 to 1.

    A decision that loses nothing is worth 1, and each further point of the chance to win takes 4.3 % of the rest: the
    curve that chess servers use (Lichess), with which 0.05 lost is worth 0.80, 0.1 0.64, 0.2 0.40. Without decisions
    it is None.
    """
    worths = [max(0.0, 1.031668 * exp(-4.354415 * loss) - 0.031668) for loss in losses]
    return round(sum(worths) / len(worths), 4) if worths else None


def reviewed(seat: int, level: str, found: Sequence[Json]) -> Json:
    """Return ``{"seat", "level", "accuracy", "decisions"}`` of what was made of all decisions of a seat, in order.

    Only decisions with a choice count for the accuracy.
    """
    losses = [one["loss"] for one in found if one["chance"] is not None]
    return {"seat": seat, "level": level, "accuracy": accuracy(losses), "decisions": list(found)}


def said(review: Json, speak: Translator) -> Json:
    """Return a review as it is read: its labels and sentences in a language."""
    return {**review, "decisions": list(_said(review["decisions"], speak))}


def _said(found: Iterable[Json], speak: Translator) -> Iterator[Json]:
    for one in found:
        labels = {field: Phrase.load(one[field]).said(speak) for field in ("label", "best_label")}
        yield {**one, **labels, "why": sentence(Phrase.load(one["why"]).said(speak))}
