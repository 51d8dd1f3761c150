"""Hints as tasks: which action would an AI choose, with what a seat knows, or with what an AI knew in the past?"""

from time import monotonic
from typing import Final

from engines.ai.observation import Observation
from engines.analysis import hints
from engines.analysis.review import decided, decision
from engines.contract.levels import Budget
from engines.contract.position import Action
from engines.table import narration
from engines.table.table import Table
from workers.background.job_base import run_task
from workers.background.stop_check import StopCheck
from workers.storage.errors import NoSuchGame, StaleVersion
from workers.storage.store import Store
from workers.storage.tasks import Heartbeat, Task

KIND: Final = "hint"


def ask(
    store: Store, game_id: str, version: int, seat: int, level: str, owner: str, *, decider: int | None = None
) -> Task:
    """Begin the task of a hint for *seat*; *owner*: SHA-256 hex of the token that may look at it.

    With a *decider* it is about what that seat did at *version*, by what it knew then. A seat is thought for once at a
    time: the same hint is answered again, another that is under way is cancelled.
    """
    asked = {"game_id": game_id, "version": version, "seat": seat, "level": level, "decider": decider}
    task = Task(store.keys.new_id(store.keys.partition(game_id)), KIND, owner, asked)
    return store.tasks.begin(task, store.keys.hint(game_id, seat))


def give(task_id: str) -> None:
    """Think about the hint: the RQ job."""
    run_task(task_id, think)


def think(store: Store, task: Task) -> None:
    """Find the hint, with nothing but the seat's view, and finish the task; stop when it isn't wanted any more.

    Raises ``NoSuchGame``, and ``StaleVersion`` when the game has moved on.
    """
    game_id, version, seat, level = (task.asked[name] for name in ("game_id", "version", "seat", "level"))
    decider = task.asked["decider"]
    table, observation, taken = _current(store, task) if decider is None else _past(store, task)
    budget = hints.budget_for(table.ruleset, level)

    def is_wanted() -> bool:
        return heartbeat(_progress(watch, budget)) and (decider is not None or store.games.is_at(game_id, version))

    heartbeat, watch = Heartbeat(store.tasks, task), StopCheck(is_wanted)
    hint = hints.advise(level, observation, taken=taken, should_stop=watch, name=narration.naming(table, seat))
    if watch.stopped:
        raise StaleVersion(store.games.load(game_id).version)  # if it was cancelled, that stays so
    store.tasks.finish(task, {"version": version, **hint.as_json()})


def _current(store: Store, task: Task) -> tuple[Table, Observation, Action | None]:
    """Return the game, and what the seat sees of it now."""
    table = store.games.load(task.asked["game_id"])
    observation = table.observation(task.asked["seat"])
    if table.version != task.asked["version"] or observation is None:
        raise StaleVersion(table.version)
    return table, observation, None


def _past(store: Store, task: Task) -> tuple[Table, Observation, Action | None]:
    """Return the game at a decision of the past, what the decider saw of it, and what it did."""
    found = decided(store.history.changes(task.asked["game_id"], task.asked["version"], 1), task.asked["decider"])
    if not found:
        raise NoSuchGame
    before, entry = found[0]
    made = decision(before, entry)
    return before, made.observation, made.action


def _progress(watch: StopCheck, budget: Budget) -> float:
    """Return how much of its budget a search has used up, from 0 to 1."""
    return min(1.0, max(watch.calls / budget.iterations, (monotonic() - watch.began) / budget.seconds))
