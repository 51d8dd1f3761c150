"""Games through a whole server, with every byte that anybody is sent kept, and held against what they may know."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from threading import Thread
from time import monotonic
from typing import Any

import httpx
import orjson

from engines import RULESETS
from engines.ai import decision
from engines.ai.observation import Observation
from engines.contract.facts_for_checks import Viewer, facts_of
from engines.core.cards import NAMES
from engines.core.dealer import action_seed, player_seed
from engines.core.types import Json
from tests.servers.entitled import HOSTED, Truth, cards_in, dicts
from tests.waiting import AGES, comes_true

Headers = Mapping[str, str]

NONE: Headers = {}
ENDED = ("finished", "abandoned")
HOST = "host"
EXAMPLES = {"bad_action": {"3D", "3S", "TH"}, "bad_card": {"TH", "7D"}}
"""The cards in a sentence that shows how to write them, by the refusal's code: always the same."""

INTERRUPTS, OPENING = 0.1, 60
"""How often somebody interrupts by chance, and up to which version: games shall come to an end."""


@dataclass
class Reply:
    """Something that *viewer* was sent, all its bytes, and what they had sent."""

    viewer: Viewer
    asked: bytes
    text: bytes
    body: Any
    low: int
    high: int
    """At some version from *low* to *high*."""

    @property
    def is_record(self) -> bool:
        """It shows everything."""
        return isinstance(self.body, dict) and "seed" in self.body

    def versions(self) -> Iterable[int]:
        """Return the versions that it may speak of: its own, if it says one."""
        said = self.body.get("version") if isinstance(self.body, dict) else None
        return [said] if isinstance(said, int) else range(self.low, self.high + 1)


SHORT: dict[str, Json] = {"gridcannon": {"turn_limit": 60}}
"""Options of games in which not everything is asked: `make long` plays them to the end that their cards have."""


@dataclass
class Overheard:
    """One game, played over HTTP, and all that was sent."""

    url: str
    ruleset: str
    players: int
    rng: Random
    heard: list[Reply] = field(default_factory=list)
    refusals: dict[tuple[int, int], dict[str, str]] = field(default_factory=dict)
    """By version and seat: what was said about a card that the seat might have held."""

    def __post_init__(self) -> None:
        self.version = 0
        self.game = ""
        self.tokens: dict[str, str] = {}
        self._keys: list[tuple[int, str, Json]] = []

    def ask(self, who: str, method: str, path: str, body: Json | None = None, headers: Headers = NONE) -> Any:
        """Send a request as a seat (``"0"``), the host or nobody (``""``); return the JSON of the answer.

        A seat without a token yet is about to get one.
        """
        token = {"Authorization": f"Bearer {self.tokens[who]}"} if who in self.tokens else {}
        answer = self.http.request(method, path, json=body, headers={**headers, **token})
        text = b"\n".join([str(answer.status_code).encode(), *map(b": ".join, answer.headers.raw), answer.content])
        said = orjson.loads(answer.content) if answer.content[:1] in (b"{", b"[") else None
        asked = orjson.dumps([method, path, body])
        self.heard.append(Reply(int(who) if who.isdigit() else None, asked, text, said, self.version, self.version))
        return said

    def at(self, path: str = "") -> str:
        """Return the path of something of this game."""
        return f"/v1/games/{self.game}{path}"

    # The course of a game

    def play(self, *, thorough: bool) -> Json:
        """Play to the end, and return the record."""
        with httpx.Client(base_url=self.url, timeout=AGES, trust_env=False) as self.http, ExitStack() as streams:
            self._sit_down(streams, {} if thorough else SHORT.get(self.ruleset, {}))
            while (game := self._settled())["status"] not in ENDED:
                self._look_around(game, thorough=thorough)
                self._move(game)
                if self.version == 12 and self.players > 1:
                    self.ask(HOST, "POST", self.at(f"/seats/{self.players - 1}/handover"), {"level": "adept"})
            self._look_around(game, thorough=True)
        with httpx.Client(base_url=self.url, trust_env=False, timeout=AGES) as http:
            record: Json = http.get(self.at("/record")).json()
        return record

    def _sit_down(self, streams: ExitStack, options: Json) -> None:
        """Set up a table with open seats, let everybody join, and watch from every seat."""
        seats = [{"kind": "human", "name": "Seat 0"}, *[{"kind": "open"}] * (self.players - 1)]
        wishes = {"ruleset": self.ruleset, "seats": seats, "client_seed": "luck 0", "options": options}
        made = self.ask("0", "POST", "/v1/games", wishes)
        self.game, self.tokens = made["id"], {"0": made["tokens"]["0"], HOST: made["host_token"]}
        streams.enter_context(Streams(self, ["", HOST, "0"]))
        for seat in range(1, self.players):
            guest = {"name": f"Seat {seat}", "client_seed": f"luck {seat}"}
            joined = self.ask(str(seat), "POST", self.at("/join"), guest)
            self.tokens[str(seat)] = joined["token"]
            self.version = joined["version"]
            streams.enter_context(Streams(self, [str(seat)]))
        self.dealt_at = self.version

    def _settled(self) -> Json:
        """Return the game, as a spectator sees it, once it is a person's turn or the game has ended."""
        until = monotonic() + AGES
        while True:
            assert monotonic() < until, f"no AI has moved at version {self.version}"
            game: Json = self.ask("", "GET", self.at())
            self.version = game["version"]
            people = [seat["seat"] for seat in game["seats"] if seat["kind"] == "human"]
            if game["status"] in ENDED or any(seat in people for seat in game["to_act"]):
                return game
            self.ask("", "GET", self.at("?wait=5"), headers={"If-None-Match": f'"{self.version}"'})

    def _move(self, game: Json) -> None:
        """Let somebody act: mostly who must, and well; now and then who may, by chance."""
        people = [seat["seat"] for seat in game["seats"] if seat["kind"] == "human"]
        seat = self.rng.choice([seat for seat in game["to_act"] if seat in people])
        mine = self.ask(str(seat), "GET", self.at())
        if mine["version"] != game["version"] or seat not in mine["to_act"]:
            return
        action = str(
            decision.think(
                decision.Question(
                    "adept", Observation(RULESETS[self.ruleset], mine["view"], seat, str(self.rng.random()))
                )
            ).action
        )
        if mine["may_act"] and self.version < OPENING and self.rng.random() < INTERRUPTS:
            seat = self.rng.choice(mine["may_act"])
            legal = self.ask(str(seat), "GET", self.at("/actions"))["actions"]
            action = self.rng.choice(legal)["text"] if legal else action
        key = f"{self.rng.random()}"
        self._keys.append((seat, key, {"text": action}))
        said = self.ask(str(seat), "POST", self.at("/actions"), {"text": action}, {"Idempotency-Key": key})
        self.version = max(self.version, said.get("version", 0))

    # Curious people

    def _look_around(self, game: Json, *, thorough: bool) -> None:
        """Let people ask all kinds of things at this version: some of them some, or everybody everything."""
        began, everybody = len(self.heard), ["", *self.tokens]
        for who in everybody if thorough else [self.rng.choice(everybody)]:
            questions = list(self._questions(who))
            for method, path, body, headers in questions if thorough else self.rng.sample(questions, 3):
                self.ask(who, method, path, body, headers)
        for seat in game["to_act"]:
            if thorough or self.version % 2:
                self._probe(seat, count=6 if thorough else 2)
            if thorough or self.version % 8 == 0:
                self._ask_hint(str(seat))
        self.version = self.ask("", "GET", self.at())["version"]
        for one in self.heard[began:]:
            one.high = self.version

    def _ask_hint(self, who: str) -> None:
        """Ask what to do, and look at the job until it has ended."""
        said = self.ask(who, "POST", self.at("/hints"), {"level": "adept"})

        def has_ended() -> bool:
            return self.ask(who, "GET", f"/v1/jobs/{said['id']}")["status"] not in ("queued", "running")

        assert "id" not in said or comes_true(has_ended, AGES)

    def _questions(self, who: str) -> Iterator[tuple[str, str, Json | None, Headers]]:
        """Yield what *who* may ask, sensible or not."""
        past = self.rng.randrange(self.version + 1)
        seat, key, body = self.rng.choice(self._keys) if self._keys else (0, "none", {"text": "draw"})
        acts = self.at("/actions")
        yield from ((method, self.at(), None, {}) for method in ("GET", "PUT"))
        yield "GET", self.at(), None, {"If-None-Match": f'"{self.version}"'}
        yield "GET", self.at(), None, {"If-None-Match": f'"{past}"', "Accept-Language": "es"}
        yield "GET", acts, None, {}
        yield "GET", self.at("/events"), None, {}
        yield "GET", self.at(f"/events?after={past}&limit=3"), None, {}
        yield "GET", self.at(f"/views/{past}"), None, {}
        yield "GET", self.at("/record"), None, {}
        yield "GET", "/v1/games?status=active&limit=1", None, {}
        yield "GET", "/metrics", None, {}
        for action in ("play " + self.rng.choice(NAMES), "draw", "yield", "discard " + self.rng.choice(NAMES), "fly"):
            yield "POST", acts + "?dry_run=true", {"text": action}, {}
        yield "POST", acts, {"text": "draw"}, {"If-Match": f'"{self.version + 1}"'}
        yield "POST", self.at("/join"), {"name": "Zoe"}, {}
        yield "POST", self.at("/signals"), {"signal": self.rng.choice(["loud", "eager"])}, {}
        yield "POST", self.at("/hints"), {"level": "adept"}, {}
        yield "POST", self.at("/reviews"), {"level": "novice", "seat": 0}, {}
        if who == str(seat):
            yield "POST", acts, body, {"Idempotency-Key": key}
            yield "POST", acts, {"text": "fly"}, {"Idempotency-Key": key}

    def _probe(self, seat: int, count: int) -> None:
        """Ask about cards that the seat can't know of whether it might play them."""
        probe = facts_of(RULESETS[self.ruleset]).probe
        if probe is None:
            return
        seen = self.ask(str(seat), "GET", self.at())
        known, told = cards_in(orjson.dumps(seen)), dict[str, str]()
        unknown = [name for name in NAMES if name not in known]
        for card in self.rng.sample(unknown, min(count, len(unknown))):
            body = {"text": probe.format(card)}
            said = self.ask(str(seat), "POST", self.at("/actions?dry_run=true"), body)
            told[card] = json.dumps(said, sort_keys=True).replace(card, "it")
        if self.ask(str(seat), "GET", self.at())["version"] == seen["version"]:
            self.refusals[seen["version"], seat] = told


class Streams:
    """Live streams of a game, in both forms, from the moment they are opened to the end of the game."""

    def __init__(self, game: Overheard, whose: list[str]) -> None:
        self._game = game
        self._heard: dict[tuple[str, str], list[int]] = {}
        forms = (("text/event-stream", b"\n\n"), ("application/x-ndjson", b"\n"))
        self._threads = [
            Thread(target=self._read, args=(who, form, end), daemon=True) for who in whose for form, end in forms
        ]

    def __enter__(self) -> None:
        for thread in self._threads:
            thread.start()

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join(AGES)
            assert not thread.is_alive(), "a stream didn't end with its game"
        for heard in self._heard.values():
            assert heard == list(range(heard[0], self._game.version + 1)), "a stream left something out"

    def _read(self, who: str, form: str, end: bytes) -> None:
        game, left, heard = self._game, b"", self._heard.setdefault((who, form), [])
        headers = {"Accept": form} | ({"Authorization": f"Bearer {game.tokens[who]}"} if who else {})
        viewer = int(who) if who.isdigit() else None
        with httpx.stream("GET", game.url + game.at("/stream"), headers=headers, timeout=AGES, trust_env=False) as sent:
            for part in sent.iter_raw():
                *messages, left = (left + part).split(end)
                for text in messages:
                    lines = [line.removeprefix(b"data: ") for line in text.splitlines()]
                    said = next((orjson.loads(line) for line in lines if line.startswith(b"{")), None)
                    game.heard.append(Reply(viewer, form.encode(), text, said, 0, 0))
                    heard += [said["version"]] if said else []


def offences(game: Overheard, truth: Truth) -> Iterator[str]:
    """Yield, in a sentence each, what somebody was told who may not know it."""
    for one in game.heard:
        if one.is_record:
            if one.high < truth.last:
                yield f"the record, before the end: {one.text!r}"
            continue
        versions, viewer = one.versions(), one.viewer
        code = one.body.get("code") if isinstance(one.body, dict) else None
        allowed = cards_in(one.asked) | EXAMPLES.get(code or "", set())
        for version in versions:
            allowed |= truth.lies_open(version, viewer) | truth.packets(version)
        for said in dicts(one.body):
            yield from _misplaced(said, truth, viewer, cards_in(one.asked))
        told = [version for said in dicts(one.body) for version in _told_versions(said)]
        allowed |= {card for version in told for card in cards_in(orjson.dumps(truth.events_seen(version, viewer)))}
        if leaked := cards_in(one.text) - allowed:
            yield f"{sorted(leaked)} at {list(versions)} to {viewer}: {one.asked!r} {one.text!r}"


def _told_versions(said: Json) -> list[int]:
    """Return the versions whose events an object tells."""
    events = None if said.get("legal") else said.get("events")  # a rehearsal tells what has not happened
    return [event.get("version", said.get("version")) for event in events] if isinstance(events, list) else []


def _misplaced(said: Json, truth: Truth, viewer: Viewer, asked: set[str]) -> Iterator[str]:
    """Yield what is wrong with an object that shows a view, or tells events."""
    view, version = said.get("view"), said.get("version")
    if isinstance(view, dict) and isinstance(version, int):
        packets = cards_in(orjson.dumps(view.get("packets")))
        shown = cards_in(orjson.dumps({**view, "packets": None}))
        if hidden := shown - truth.lies_open(version, viewer):
            yield f"{sorted(hidden)} in the view of {viewer} at {version}"
        if hidden := packets - truth.packets(version):
            yield f"{sorted(hidden)} in packets shown to {viewer} at {version}"
    for told in set(_told_versions(said)):
        events = [event for event in said["events"] if event.get("version", version) == told]
        plain = [{name: value for name, value in event.items() if name not in ("version", "text")} for event in events]
        if not truth.is_told([event for event in plain if event["type"] not in HOSTED], told, viewer):
            yield f"events of {told} as told to {viewer}: {plain}"
        if cards_in(orjson.dumps([event for event in plain if event["type"] in HOSTED])):
            yield f"a card in what the table did at {told}: {plain}"
    for event in said["events"] if isinstance(said.get("events"), list) else ():
        silent = {name: value for name, value in event.items() if name != "text"}
        if cards_in(event.get("text", "").encode()) - cards_in(orjson.dumps(silent)):
            yield f"a card in the words of an event that doesn't name it: {event}"


def secrets(record: Json, truth: Truth) -> set[bytes]:
    """Return what nobody may read before the end: the seed, and all that follows from it."""
    versions = range(1 + max(entry["version"] for entry in record["actions"]))
    seeds = [action_seed(truth.key, number) for number in range(len(record["actions"]) + 1)]
    minds = [player_seed(truth.key, version, seat) for version in versions for seat in range(record["players"])]
    return {word.encode() for word in (record["seed"], truth.key.hex(), *record["client_seeds"], *seeds, *minds)}
