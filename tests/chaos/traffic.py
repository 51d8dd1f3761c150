"""Players with keys, and streams beside them, through whatever happens; each game is held against its record."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final
from uuid import uuid4

import orjson

from engines import RULESETS
from engines.ai import decision
from engines.ai.observation import Observation
from engines.core.types import Json
from regicide_client import Created, Player, ProblemError, RegicideClient
from regicide_client.errors import RegicideError
from tests.servers.entitled import Truth
from tests.servers.overheard import Overheard, Reply, offences

RETRY_SECONDS: Final = 90.0
"""For so long a client tries again."""
STUCK_SECONDS: Final = 90.0
"""A game in which nothing has happened for so long is stuck."""
LOOK_SECONDS: Final = 5.0
OVERTAKEN: Final = {"stale_version", "game_over", "not_your_turn"}
"""What somebody hears who acts on a version that others have moved on from."""

Done = tuple[int, int, str]
"""An act that was answered well: seat, version, text."""


@dataclass
class Tally:
    """What came of all games so far."""

    games: int = 0
    moves: int = 0
    """Of people, acknowledged."""
    ai_moves: int = 0
    messages: int = 0
    lost: int = 0
    """Moves that were acknowledged, and aren't in the record."""
    doubled: int = 0
    """Moves of people in the record that nobody was told of, and versions that a stream told twice."""
    stuck: int = 0
    missed: int = 0
    """Versions that a stream left out."""
    leaks: int = 0
    wrong: list[str] = field(default_factory=list)
    """What was wrong, in words."""
    older: bool = False
    """An older version takes part (``Truth``)."""
    lock: Lock = field(default_factory=Lock)

    def note(self, **counts: int) -> None:
        """Add to some of the counts."""
        with self.lock:
            for name, count in counts.items():
                setattr(self, name, getattr(self, name) + count)

    def complain(self, what: str) -> None:
        """Note what was wrong."""
        with self.lock:
            self.wrong.append(what)

    def is_clean(self) -> bool:
        """Nothing was wrong."""
        return not (self.lost or self.doubled or self.stuck or self.missed or self.leaks or self.wrong)


class Follower:
    """Follows a game's stream to its end, in a thread, and keeps what it is told."""

    def __init__(self, url: str, game: str, token: str | None, seat: int | None) -> None:
        self.seat = seat
        self.messages: list[Json] = []
        self._where = (url, game, token)
        self._thread = Thread(target=self._follow, daemon=True)
        self._thread.start()

    def ends(self) -> bool:
        """Wait until the stream has ended."""
        self._thread.join(STUCK_SECONDS)
        return not self._thread.is_alive()

    def _follow(self) -> None:
        url, game, token = self._where
        with RegicideClient(url, retry_seconds=RETRY_SECONDS) as server:
            for message in Player(server, game, token).stream():
                self.messages.append(dict(message))


def play_on(url: str, tables: Sequence[tuple[str, str]], number: int, stop: Event, tally: Tally) -> None:
    """Play one game after another, at each kind of table in turn, until told to stop."""
    games = 0
    while not stop.is_set():
        ruleset, kinds = tables[(number + games) % len(tables)]
        games += 1
        try:
            _play(url, ruleset, kinds, f"chaos {number} {games}", tally)
        except (RegicideError, AssertionError) as error:
            tally.note(stuck=1)
            tally.complain(f"{ruleset} {kinds}: {type(error).__name__}: {error}")


def _play(url: str, ruleset: str, kinds: str, seed: str, tally: Tally) -> None:
    """Play one game to its end: *kinds* has ``h`` for a person's seat, ``a`` and ``n`` for an adept and a novice."""
    levels, rng = {"a": "adept", "n": "novice"}, Random(seed)
    seats = [
        {"kind": "human", "name": f"Seat {number}"} if kind == "h" else {"kind": "ai", "level": levels[kind]}
        for number, kind in enumerate(kinds)
    ]
    with RegicideClient(url, retry_seconds=RETRY_SECONDS) as server:
        created = server.create(ruleset, seats, client_seed=seed)
        game_id = created.game["id"]
        followers = [Follower(url, game_id, player.token, seat) for seat, player in created.players.items()]
        followers.append(Follower(url, game_id, None, None))
        done = _sit(created, rng, tally)
        if done is None:
            tally.note(stuck=1)
            tally.complain(f"{ruleset} {kinds} {game_id}: nothing happened for {STUCK_SECONDS:.0f} s")
            return
        record = dict(created.host.record())
    tally.note(games=1)
    _check_record(record, done, tally)
    for follower in followers:
        _check_stream(follower, record, Overheard(url, ruleset, len(kinds), rng), tally)


def _sit(created: Created, rng: Random, tally: Tally) -> list[Done] | None:
    """Play all people's seats until the game has ended; None if nothing happens any more."""
    host, done, since = created.host, list[Done](), monotonic()
    game = host.fetch()
    while game["status"] == "active":
        mine = [seat for seat in game["to_act"] if seat in created.players]
        if mine:
            acted = _act(created.players[rng.choice(mine)], rng)
            done += acted
            tally.note(moves=len(acted))
        before = game["version"]
        game = host.fetch() if mine else host.fetch_if_changed(before, wait=int(LOOK_SECONDS)) or game
        if game["version"] != before:
            since = monotonic()
        elif monotonic() - since > STUCK_SECONDS:
            return None
    return done


def _act(player: Player, rng: Random) -> list[Done]:
    """Act, and tell what was answered well; now and then the same is sent again, and gets the same answer."""
    game = player.fetch()
    seat, version = game["you"], game["version"]
    if seat is None or seat not in game["to_act"] or game["view"] is None:
        return []
    seen = Observation(RULESETS[game["ruleset"]], game["view"], seat, str(rng.random()))
    text, key = str(decision.think(decision.Question("adept", seen)).action), str(uuid4())
    try:
        turn = player.act(text, expected=version, key=key)
    except ProblemError as problem:
        if problem.code not in OVERTAKEN:
            raise
        return []
    if rng.random() < 0.1:
        assert player.act(text, expected=version, key=key) == turn, "the same key had another answer"
    return [(seat, turn["version"], text)]


def _check_record(record: Json, done: list[Done], tally: Tally) -> None:
    """Hold what was acknowledged against what happened."""
    by_people = [entry for entry in record["actions"] if entry["ai"] is None]
    happened = [(entry["seat"], entry["version"], entry["text"]) for entry in by_people]
    lost, doubled = set(done) - set(happened), set(happened) - set(done)
    tally.note(ai_moves=len(record["actions"]) - len(by_people), lost=len(lost), doubled=len(doubled))
    tally.note(doubled=len(happened) - len(set(happened)))
    for what in (*lost, *doubled):
        tally.complain(f"{record['id']}: {'lost' if what in lost else 'not acknowledged'}: {what}")


def _check_stream(follower: Follower, record: Json, game: Overheard, tally: Tally) -> None:
    """Every version, once, in order; and nothing that its reader may not know."""
    if not follower.ends():
        tally.note(stuck=1)
        tally.complain(f"{record['id']}: the stream of {follower.seat} doesn't end")
        return
    versions = [message["version"] for message in follower.messages]
    told, last = versions[1:], max(entry["version"] for entry in record["actions"])
    tally.note(messages=len(versions), doubled=len(told) - len(set(told)))
    missed = set(range(versions[0] + 1, last + 1)) - set(told)
    tally.note(missed=len(missed))
    if missed or told != sorted(set(told)):
        tally.complain(f"{record['id']}: the stream of {follower.seat} told {versions}")
    game.heard = [
        Reply(follower.seat, b"", orjson.dumps(message), message, message["version"], message["version"])
        for message in follower.messages
    ]
    for offence in offences(game, Truth(record, dealt_at=0, older=tally.older)):
        tally.note(leaks=1)
        tally.complain(f"{record['id']}: {offence}"[:400])
