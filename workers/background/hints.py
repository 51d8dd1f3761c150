"""Hints as tasks: the action that an AI would choose from a seat's present or past observation."""

from time import monotonic
from typing import Final

from engines.ai.observation import Observation
from engines.analysis import hints
from engines.analysis.review import decisions_of, past_decision
from engines.contract.levels import Budget
from engines.contract.position import Action
from engines.table import narration
from engines.table.table import Table
from workers.background.job_base import run_task
from workers.background.stop_check import StopCheck
from workers.storage.errors import NoSuchGame, StaleVersion
from workers.storage.store import Store
from workers.storage.tasks import Heartbeat, Task

TASK_KIND: Final = "hint"


def request_hint(  # noqa: PLR0913  # the last two are keyword-only
    store: Store,
    game_id: str,
    version: int,
    seat: int,
    level: str,
    owner: str,
    *,
    decider: int | None = None,
    group: str = "",
) -> Task:
    """Create the task of a hint for *seat*. *owner* is the SHA-256 of the token that may read the result.

    With *decider*, the number of a seat, the hint explains the decision that this seat made at *version*, from its
    observation at that time. A seat has at most one active hint. An equal request gets the existing task. A different
    request cancels that task. *group* is the fairness group of the client: hints of different groups take turns.
    """
    parameters = {"game_id": game_id, "version": version, "seat": seat, "level": level, "decider": decider}
    task = Task(store.keys.new_id(store.keys.partition(game_id)), TASK_KIND, owner, parameters, group=group)
    return store.tasks.create(task, store.keys.hint(game_id, seat))


def run_hint(task_id: str) -> None:
    """Job that computes a hint."""
    run_task(task_id, think)


def think(store: Store, task: Task) -> None:
    """Compute the hint from the seat's observation and finish the task. Stop if the task is cancelled.

    Raises ``NoSuchGame``, and ``StaleVersion`` if the game changes.
    """
    game_id, version, seat, level = (task.parameters[name] for name in ("game_id", "version", "seat", "level"))
    decider = task.parameters["decider"]
    table, observation, taken = _current(store, task) if decider is None else _past(store, task)
    budget = hints.budget_for(table.ruleset, level)

    def is_wanted() -> bool:
        return heartbeat(_progress(stop_check, budget)) and (decider is not None or store.games.is_at(game_id, version))

    heartbeat, stop_check = Heartbeat(store.tasks, task), StopCheck(is_wanted)
    hint = hints.advise(level, observation, taken=taken, should_stop=stop_check, name=narration.naming(table, seat))
    if stop_check.stopped:
        raise StaleVersion(store.games.load(game_id).version)  # this fails the task, unless it was cancelled
    store.tasks.finish(task, {"version": version, **hint.as_json()})


def _current(store: Store, task: Task) -> tuple[Table, Observation, Action | None]:
    table = store.games.load(task.parameters["game_id"])
    observation = table.observation(task.parameters["seat"])
    if table.version != task.parameters["version"] or observation is None:
        raise StaleVersion(table.version)
    return table, observation, None


def _past(store: Store, task: Task) -> tuple[Table, Observation, Action | None]:
    """Return the table before a past decision, the decider's observation, and its action."""
    decisions = decisions_of(
        store.history.changes(task.parameters["game_id"], task.parameters["version"], 1), task.parameters["decider"]
    )
    if not decisions:
        raise NoSuchGame
    before, entry = decisions[0]
    made = past_decision(before, entry)
    return before, made.observation, made.action


def _progress(stop_check: StopCheck, budget: Budget) -> float:
    """Return the used fraction of a search budget, from 0 to 1."""
    return min(1.0, max(stop_check.calls / budget.iterations, (monotonic() - stop_check.began) / budget.seconds))
