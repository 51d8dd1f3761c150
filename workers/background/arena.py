"""Arenas as tasks: many games of AIs against AIs, spread over the workers that there are for arenas.

The games are divided into small batches, each an RQ job in a queue of its own. The workers of that queue are processes
of their own and give way to all others (pool.py): an AI that people wait for at a table is never behind a game that
nobody watches. What came of each game is kept under its number, so that it counts once, whoever plays it, and whatever
dies: the sweeper has the arena divided again, and only the games that are missing are played.
"""

from functools import partial
from typing import Final

from engines.arena import Arena, Played, play, result
from engines.phrase import Phrase
from workers.background.jobs import work_on
from workers.background.watch import ENDING, Watch
from workers.engines_hash import ENGINES_HASH
from workers.storage import queue
from workers.storage.errors import JobBroken
from workers.storage.store import Store
from workers.storage.tasks import KINDS, Heartbeat, Task, enqueue_jobs

KIND: Final = "arena"
BATCHES: Final = 100
"""Into about so many batches an arena is divided: it is spread evenly, and not in too many jobs."""

OTHER_ENGINES: Final = Phrase("The server's AIs have changed since this arena began: begin it anew.")


def begin(store: Store, arena: Arena, task_id: str, owner: str) -> Task:
    """Begin the task of an arena; *owner*: SHA-256 hex of the token made for it."""
    asked = {"arena": arena.as_json(), "began": store.now().timestamp(), "engines": ENGINES_HASH}
    return store.tasks.begin(Task(task_id, KIND, owner, asked))


def deal_out(task_id: str) -> None:
    """Enqueue the games that haven't been played yet: the RQ job with which an arena begins, and begins again."""
    work_on(task_id, _deal_out)


def play_some(task_id: str, numbers: list[int]) -> None:
    """Play some games of an arena: an RQ job."""
    work_on(task_id, partial(_play_some, numbers))


def _asked(task: Task) -> Arena:
    """Return what is to be played. Raises ``JobBroken`` if it was begun by other engines, whose AIs play otherwise."""
    if task.asked["engines"] != ENGINES_HASH:
        raise JobBroken(OTHER_ENGINES)
    return Arena.load(task.asked["arena"])


def _deal_out(store: Store, task: Task) -> None:
    arena, played = _asked(task), store.tasks.parts(task)
    left = [number for number in range(arena.games) if number not in played]
    if not left:
        return _finish(store, task, arena)
    size = max(1, arena.games // BATCHES)
    batches = [left[first : first + size] for first in range(0, len(left), size)]
    ids = [task.job_id(f"-{batch[0]}") for batch in batches]
    calls = [[task.id, batch] for batch in batches]
    return enqueue_jobs(store.broker, KINDS[KIND], queue.ARENA_GAMES_JOB, ids, calls)


def _play_some(numbers: list[int], store: Store, task: Task) -> None:
    """Play until the numbers are done, or the arena isn't wanted any more, or this worker is to end."""
    arena, played = _asked(task), store.tasks.parts(task)
    heartbeat = Heartbeat(store.tasks, task)
    for number in numbers:
        if number in played:
            continue
        game = play(arena, number, Watch(lambda: not ENDING.is_set() and heartbeat()))
        if game is None:
            return
        done = store.tasks.keep(task, number, game.as_json())
        if not heartbeat(done / arena.games, resets_tries=True) or ENDING.is_set():
            return
        if done == arena.games:
            _finish(store, task, arena)
    heartbeat.send()


def _finish(store: Store, task: Task, arena: Arena) -> None:
    played = {number: Played.load(part) for number, part in store.tasks.parts(task).items()}
    seconds = store.now().timestamp() - task.asked["began"]
    store.tasks.finish(task, result(arena, played, seconds))
