"""Hints as tasks: which action would an AI choose, with what a seat knows?"""

from time import monotonic
from typing import Final

from engines import hints, narration
from engines.levels import Budget
from workers.background.jobs import work_on
from workers.background.watch import Watch
from workers.storage import keys
from workers.storage.errors import StaleVersion
from workers.storage.store import Store
from workers.storage.tasks import Heartbeat, Task

KIND: Final = "hint"


def ask(store: Store, game_id: str, version: int, seat: int, level: str, owner: str) -> Task:
    """Begin the task of a hint for *seat*; *owner*: SHA-256 hex of the token that may look at it.

    A seat is thought for once at a time: the same hint that is under way is answered again, another is cancelled.
    """
    asked = {"game_id": game_id, "version": version, "seat": seat, "level": level}
    return store.tasks.begin(KIND, owner, asked, keys.hint(game_id, seat))


def give(task_id: str) -> None:
    """Think about the hint: the RQ job."""
    work_on(task_id, think)


def think(store: Store, task: Task) -> None:
    """Find the hint, with nothing but the seat's view, and finish the task; stop when it isn't wanted any more.

    Raises ``NoSuchGame``, and ``StaleVersion`` when the game has moved on.
    """
    game_id, version, seat, level = (task.asked[name] for name in ("game_id", "version", "seat", "level"))
    table = store.load(game_id)
    observation = table.observation(seat)
    if table.version != version or observation is None:
        raise StaleVersion(table.version)
    budget = hints.time_for(table.ruleset, level)

    def is_wanted() -> bool:
        return heartbeat(_progress(watch, budget)) and store.is_at(game_id, version)

    heartbeat, watch = Heartbeat(store.tasks, task), Watch(is_wanted)
    hint = hints.advise(level, observation, should_stop=watch, name=narration.naming(table, seat))
    if watch.stopped:
        raise StaleVersion(store.load(game_id).version)  # if it was cancelled, that stays so
    store.tasks.finish(task, {"version": version, **hint.as_json()})


def _progress(watch: Watch, budget: Budget) -> float:
    """Return how much of its budget a search has used up, from 0 to 1."""
    return min(1.0, max(watch.calls / budget.iterations, (monotonic() - watch.began) / budget.seconds))
