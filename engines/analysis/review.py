"""Reviews: an AI rates each decision of a seat, from what the seat knew at that time.

A search finds the best action as an AI of a level would, limited by iterations and not by time. If the seat took
another action, a second search visits the best and the taken action equally often in the same worlds, because the first
search visits poor actions rarely. The loss of a decision is the difference of the two win probabilities. A review
depends only on the seat's view, the signals and the action, not on hidden cards or later events. Equal games have equal
reviews.

A decision is an action that the seat took. Passing, when the seat could have interrupted, isn't reviewed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf
from typing import Final

from engines.ai.observation import Observation
from engines.ai.plan_search import search_of
from engines.ai.search import Estimate, never
from engines.analysis.hints import WAIT_LABEL, WAIT_PHRASE, budget_for, explained
from engines.contract.levels import Budget
from engines.contract.position import Action
from engines.core.phrase import Naming, Phrase, Translator, numbered, sentence
from engines.core.types import Json
from engines.table.note_seals import view_hash
from engines.table.record_parser import Record
from engines.table.replay import Mismatch, replay
from engines.table.table import Change, Table

LOSS_BOUNDS: Final = (("good", 0.05), ("inaccuracy", 0.1), ("mistake", 0.2), ("blunder", inf))
"""Classes of decisions, each with the upper bound of the loss of win probability."""

MISTAKE_CLASSES: Final = tuple([mistake_class for mistake_class, _ in LOSS_BOUNDS])

COMPARISON_ROUNDS_FACTOR: Final = 1.5
"""Number of rounds of the comparison of two actions, as a multiple of the iterations of the level's search."""

NO_CHOICE: Final = Phrase("there was nothing else to do")

Past = Iterable[tuple[Table | None, Change]]
"""The changes of a game in order, each paired with the table before it (None for the opening)."""


@dataclass(frozen=True)
class PastDecision:
    """An action that a seat took, with the seat's knowledge at that time."""

    version: int
    observation: Observation
    action: Action
    options: int
    """Number of choices: the legal actions, and letting others act if the seat needn't act."""


def decisions_of(past: Past, seat: int) -> list[tuple[Table, Json]]:
    """Return for each action of *seat*, in order, the table before it and the journal entry of the action."""
    return [
        (before, change.entry)
        for before, change in past
        if before is not None and change.entry["verb"] == "act" and change.entry["seat"] == seat
    ]


def past_decision(before: Table, entry: Json) -> PastDecision:
    """Return the decision of *entry*, with the seat's own view and the signals at that time."""
    ruleset, position, seat = before.ruleset, before.position, entry["seat"]
    assert position is not None, "somebody acts: the cards are dealt"  # noqa: S101  narrows the type
    view = position.view(seat)
    observation = Observation(ruleset, view, seat, f"review/{view_hash(view)}", before.signals)
    options = len(position.legal(seat)) + (seat not in position.to_act())
    return PastDecision(before.version, observation, ruleset.parse(entry["action"]), options)


def changes_of(record: Record, mismatches: list[Mismatch]) -> list[tuple[Table | None, Change]]:
    """Replay a record and return its changes. ``replay`` appends inconsistencies of the record to *mismatches*.

    A record has signals only in the notes of AIs. At decisions of people the signals are therefore missing.
    """
    past = list[tuple[Table | None, Change]]()
    for played in replay(record, mismatches):
        note = None if played.entry is None else played.entry.ai
        before = None if played.entry is None else replace(played.before, signals=note.signals if note else {})
        past.append((before, played.change))
    return past


def assess_decision(
    decision: PastDecision, level: str, *, should_stop: Callable[[], bool] = never, name: Naming = numbered
) -> Json | None:
    """Return the rating of a decision by an AI of *level*; None if the search was stopped.

    The fields are ``version``, ``text``, ``label``, ``best``, ``best_label``, ``chance``, ``best_chance``, ``loss``,
    ``kind``, ``why``. Labels and ``why`` are stored phrases, which ``with_texts`` renders. ``chance`` and
    ``best_chance`` are win probabilities; both are None if there was no choice.
    """
    ruleset, action = decision.observation.ruleset, decision.action

    def label(choice: Action | None) -> Phrase:
        return WAIT_LABEL if choice is None else ruleset.label(choice, name)

    if decision.options == 1:
        return _decision_entry(decision.version, label, (action, None), (action, None), NO_CHOICE)
    estimates = _compare_actions(decision, budget_for(ruleset, level), should_stop)
    if estimates is None:
        return None
    best, chosen = estimates
    why = explained(decision.observation, best, None if chosen.action == best.action else chosen, label, name)
    return _decision_entry(
        decision.version, label, (action, chosen.win_probability), (best.action, best.win_probability), why
    )


def _compare_actions(
    decision: PastDecision, budget: Budget, should_stop: Callable[[], bool]
) -> tuple[Estimate, Estimate] | None:
    """Return the estimates of the best action and of the seat's action; None if the search was stopped."""
    budget, observation = budget.exactly(budget.iterations), decision.observation
    result = search_of(observation).run(budget, should_stop, forced=True)
    if result.interrupted:
        return None
    best = result.ranked[0]
    if best.action == decision.action:
        return best, best
    search = search_of(replace(observation, seed=f"{observation.seed}/compared"))
    rounds = round(COMPARISON_ROUNDS_FACTOR * budget.iterations)
    if search.compare([best.action, decision.action], budget.exactly(rounds), should_stop) < rounds:
        return None
    return search.estimate(best.action), search.estimate(decision.action)


def _decision_entry(
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
        "best": str(WAIT_PHRASE if best[0] is None else best[0]),
        "best_label": label(best[0]).as_json(),
        "chance": chance,
        "best_chance": best_chance,
        "loss": loss,
        "kind": mistake_class(loss),
        "why": why.as_json(),
    }


def mistake_class(loss: float) -> str:
    """Return the class of a decision with this loss of win probability."""
    return next(called for called, bound in LOSS_BOUNDS if loss < bound)


def accuracy(losses: Sequence[float]) -> float | None:
    """Return the mean accuracy of decisions with these losses, from 0 to 1; None without decisions.

    The accuracy of a decision follows Lichess's formula: 1 for a loss of 0, 0.80 for 0.05, 0.64 for 0.1, 0.40 for 0.2.
    """
    worths = [max(0.0, 1.031668 * exp(-4.354415 * loss) - 0.031668) for loss in losses]
    return round(sum(worths) / len(worths), 4) if worths else None


def summarize(seat: int, level: str, decisions: Sequence[Json]) -> Json:
    """Return ``{"seat", "level", "accuracy", "decisions"}`` from a seat's rated decisions, in order.

    Only decisions with a choice count for the accuracy.
    """
    losses = [decision["loss"] for decision in decisions if decision["chance"] is not None]
    return {"seat": seat, "level": level, "accuracy": accuracy(losses), "decisions": list(decisions)}


def with_texts(review: Json, translate: Translator) -> Json:
    """Return a review with its labels and sentences rendered."""
    return {**review, "decisions": list(_with_texts(review["decisions"], translate))}


def _with_texts(decisions: Iterable[Json], translate: Translator) -> Iterator[Json]:
    for decision in decisions:
        labels = {field: Phrase.load(decision[field]).render(translate) for field in ("label", "best_label")}
        yield {**decision, **labels, "why": sentence(Phrase.load(decision["why"]).render(translate))}
