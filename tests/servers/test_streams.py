"""Streams and long-polls of a whole server, over real HTTP."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest

from engines import RULESETS
from engines.ai import decision
from engines.ai.observation import Observation
from engines.core.types import Json
from regicide_client import Created, Player, ProblemError, RegicideClient
from regicide_client.types import Game
from tests.api.puzzles import LAST_BLOW, QUIET
from tests.servers.listening import EVENTS, LINES, Listener, listening
from tests.servers.served import END_SECONDS, RunningServer, running_server
from tests.waiting import AGES, allowed, comes_true, stays_untrue

ANA, BEN = {"kind": "human", "name": "Ana"}, {"kind": "human", "name": "Ben"}
ADEPT = {"kind": "ai", "level": "adept"}
PLACES = 8
ENDED = ("finished", "abandoned")
LONGEST = 120.0
"""Seconds that a game may take."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server with few places, in which silence is short."""
    wishes = {"REGICIDE_STREAMS": str(PLACES), "REGICIDE_KEEP_ALIVE_SECONDS": "0.2", "WEB_WORKERS": "1"}
    with running_server(tmp_path_factory.mktemp("streams") / "data", **wishes) as running:
        yield running


@pytest.fixture
def server(served: RunningServer) -> Iterator[RegicideClient]:
    """Give a client of it, once all places are free."""
    with RegicideClient(served.url, retry_seconds=0.0) as client:
        yield client


def quiet(server: RegicideClient, **wishes: Any) -> Created:
    """Set up a game of Ana and Ben, in which nobody is in danger."""
    return server.create("regicide", [ANA, BEN], position=QUIET, **wishes)


def play_on(players: list[Player]) -> Game:
    """Let the people act as adepts do until the game has ended, and return it."""
    game, until = players[0].fetch(), monotonic() + LONGEST
    while game["status"] not in ENDED:
        assert monotonic() < until, f"it isn't over, but at version {game['version']}"
        for player in players:
            game = player.fetch()
            if game["you"] in game["to_act"] and game["view"] is not None:
                ruleset, seed = RULESETS[game["ruleset"]], str(game["version"])
                action = decision.think(
                    decision.Question("adept", Observation(ruleset, game["view"], game["you"] or 0, seed))
                ).action
                try:
                    player.act(str(action), expected=game["version"])
                except ProblemError as problem:  # an AI has given its signal meanwhile: look again
                    if problem.code != "stale_version":
                        raise
    return game


def assert_told_as_entitled(player: Player, heard: Listener) -> None:
    """Each message has the events, and the view, that its listener may know of that version."""
    events = player.events()
    for message in heard.messages:
        version = message["version"]
        if "events" in message:
            told = [{"version": version, **event} for event in message["events"]]
            assert told == [event for event in events if event["version"] == version]
        past = player.server.ask("GET", f"/v1/games/{player.game_id}/views/{version}", token=player.token)
        assert past == {"version": version, "view": message["view"]}


@pytest.mark.parametrize("form", [EVENTS, LINES])
def test_a_snapshot_and_then_each_version(served: RunningServer, server: RegicideClient, form: str) -> None:
    """The snapshot is the game resource; a message is what the actor is told and a little more."""
    ana, ben = quiet(server).players.values()
    before = ana.fetch()
    with listening(served.url, ana, form) as heard:
        assert heard.hears(lambda it: it.messages == [before])
        turn = ana.act("play 5S")
        assert heard.hears(lambda it: len(it.messages) == 2)
        ana.act("discard 6D")
        assert heard.hears(lambda it: it.versions == [0, 1, 2])

    told = {name: value for name, value in turn.items() if name != "outcome"}  # a stream ends with the game
    assert heard.messages[1] == {**told, "may_act": [], "status": "active"}
    assert heard.ids == ([0, 1, 2] if form == EVENTS else [])
    assert ben.fetch()["version"] == 2


def test_server_sent_events_are_what_one_gets_who_takes_anything(served: RunningServer, server: RegicideClient) -> None:
    """``Accept`` need not be sent."""
    ana = quiet(server).players[0]
    with httpx.stream("GET", f"{served.url}/v1/games/{ana.game_id}/stream", trust_env=False, timeout=AGES) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert "Accept" in answer.headers["Vary"].split(", ")
        assert next(answer.iter_lines()) == "id: 0"


@pytest.mark.parametrize("accept", ["application/json", "text/html", "text/event-stream;q=0"])
def test_other_forms_are_refused(served: RunningServer, server: RegicideClient, accept: str) -> None:
    """By 406, a problem."""
    ana = quiet(server).players[0]

    answer = httpx.get(
        f"{served.url}/v1/games/{ana.game_id}/stream", headers={"Accept": accept}, trust_env=False, timeout=AGES
    )

    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


def test_head_takes_no_place(served: RunningServer, server: RegicideClient) -> None:
    """It is answered at once, more often than there are places."""
    ana = quiet(server).players[0]
    with httpx.Client(base_url=served.url, trust_env=False, timeout=AGES) as http:
        answers = {http.head(f"/v1/games/{ana.game_id}/stream").status_code for _ in range(2 * PLACES)}

    assert answers == {200}


@pytest.mark.parametrize("known", [0, 1, 2])
def test_resuming(served: RunningServer, server: RegicideClient, known: int) -> None:
    """It begins with the version after the last one: no snapshot, no gap, no repeat."""
    ana = quiet(server).players[0]
    for action in ("play 5S", "discard 6D"):
        ana.act(action)
    with listening(served.url, ana, Last_Event_ID=str(known)) as heard:
        assert heard.hears(lambda it: it.versions == list(range(known + 1, 3)))
        server.ask("POST", f"/v1/games/{ana.game_id}/seats/0/handover", token=ana.token, body={"level": "novice"})
        assert heard.hears(lambda it: it.versions == list(range(known + 1, 4)))

    assert all("events" in message for message in heard.messages)


@pytest.mark.parametrize("known", ["", "x", "-1", "1", "01", "0.0", "9" * 30, '"0"'])
def test_an_id_that_is_no_version_counts_as_none(served: RunningServer, server: RegicideClient, known: str) -> None:
    """The snapshot comes first."""
    ana = quiet(server).players[0]
    with listening(served.url, ana, Last_Event_ID=known) as heard:
        assert heard.hears(lambda it: it.messages == [ana.fetch()])


@pytest.mark.parametrize(
    ("ruleset", "seats", "options"),
    [("regicide", [ANA, BEN, ADEPT], {}), ("gridcannon", [ANA, BEN], {"turn_limit": 60})],
)
def test_a_whole_game(
    served: RunningServer, server: RegicideClient, ruleset: str, seats: list[Json], options: Json
) -> None:
    """Everybody hears each version once, in order, as they may know it, until the last; whenever they begin."""
    created = server.create(ruleset, seats, client_seed="heard", options=options)
    players, spectator = list(created.players.values()), server.spectator(created.game["id"])
    with ExitStack() as open_streams, ThreadPoolExecutor(1) as table:
        early = {
            eyes: open_streams.enter_context(listening(served.url, eyes, form))
            for eyes, form in zip([*players, spectator, created.host], (EVENTS, LINES, EVENTS, LINES), strict=True)
        }
        assert all(heard.hears(lambda it: it.messages) for heard in early.values())
        playing = table.submit(play_on, players)
        assert early[spectator].hears(lambda it: it.versions[-1] >= 4)  # sooner no game ends
        late = open_streams.enter_context(listening(served.url, spectator))
        resumed = open_streams.enter_context(listening(served.url, players[1], EVENTS, Last_Event_ID="3"))
        last = playing.result()["version"]
        assert all(heard.hears(lambda it: it.ended) for heard in (*early.values(), late, resumed))

    assert all(heard.versions == list(range(last + 1)) for heard in early.values())
    assert late.versions == list(range(late.versions[0], last + 1))
    assert resumed.versions == list(range(4, last + 1))
    assert [heard.messages[-1]["status"] for heard in early.values()] == ["finished"] * 4
    after = late.versions[0] + 1
    assert late.messages[1:] == early[spectator].messages[after:] == early[created.host].messages[after:]
    assert resumed.messages == early[players[1]].messages[4:]
    for eyes in (*players, spectator):
        assert_told_as_entitled(eyes, early[eyes])


def test_streams_of_a_game_that_has_ended(served: RunningServer, server: RegicideClient) -> None:
    """They tell what is left to tell, and end."""
    ana = server.create("regicide", [ANA, BEN], position=LAST_BLOW).players[0]
    ana.act("play 5C")
    for known, versions in ((None, [1]), ("0", [1]), ("1", [])):
        headers = {} if known is None else {"Last_Event_ID": known}
        with listening(served.url, ana, **headers) as heard:
            assert heard.hears(lambda it: it.ended)
        assert heard.versions == versions


def test_an_abandoned_game_ends_its_streams(served: RunningServer, server: RegicideClient) -> None:
    """The version that ends it is told."""
    created = quiet(server)
    with listening(served.url, created.players[0]) as heard:
        created.host.abandon()
        assert heard.hears(lambda it: it.ended)

    assert heard.messages[-1]["status"] == "abandoned"
    words = {"text": "The host has ended the game."}
    assert heard.messages[-1]["events"] == [{"type": "abandoned", "seat": None, **words}]


def test_before_the_start(served: RunningServer, server: RegicideClient) -> None:
    """There is nothing to see; then somebody joins, and the deal is told as each may know it."""
    created = server.create("regicide", [ANA, {"kind": "open"}])
    with listening(served.url, created.players[0]) as heard:
        assert heard.hears(lambda it: it.messages)
        server.join(created.game["id"], "Ben")
        assert heard.hears(lambda it: len(it.messages) == 2)

    assert (heard.messages[0]["view"], heard.messages[0]["status"]) == (None, "waiting")
    assert_told_as_entitled(created.players[0], heard)


@pytest.mark.parametrize("form", [EVENTS, LINES])
def test_silence_is_broken(served: RunningServer, server: RegicideClient, form: str) -> None:
    """By comments, or empty lines, which are no messages."""
    with listening(served.url, quiet(server).players[0], form) as heard:
        assert heard.hears(lambda it: it.keep_alives >= 3)

    assert heard.versions == [0]


def test_a_private_game_is_nobody_elses(served: RunningServer, server: RegicideClient) -> None:
    """Without a token of it there is no such game; with one there is its stream."""
    created = quiet(server, private=True)
    with pytest.raises(httpx.HTTPStatusError, match="404"), listening(served.url, server.spectator(created.game["id"])):
        pass
    with listening(served.url, created.host) as heard:
        assert heard.hears(lambda it: it.versions == [0])


def test_the_places_are_few(served: RunningServer, server: RegicideClient) -> None:
    """One too many is told when to come again; moves go on; a place is free again soon after somebody has gone."""
    ana = quiet(server).players[0]

    def full() -> ProblemError:
        with pytest.raises(ProblemError) as refusal:
            server.ask("GET", f"/v1/games/{ana.game_id}/stream", headers={"Accept": EVENTS})
        return refusal.value

    with ExitStack() as open_streams:
        heard: list[Listener] = []

        def seated() -> bool:
            try:
                heard.append(open_streams.enter_context(listening(served.url, ana)))
            except httpx.HTTPStatusError:  # those who went a moment ago hold their places until the next write
                return False
            return True

        assert all(comes_true(seated, within=5) for _ in range(PLACES))
        refusal = full()
        with pytest.raises(ProblemError) as waiting:
            server.ask("GET", f"/v1/games/{ana.game_id}?wait=1", headers={"If-None-Match": '"0"'})
        ana.act("play 5S")
        assert all(listener.hears(lambda it: it.versions == [0, 1]) for listener in heard)
    assert (refusal.status, refusal.code, refusal.body["retry_after"]) == (503, "too_many_streams", 5)
    assert waiting.value.code == "too_many_streams"

    def admitted() -> bool:
        try:
            with listening(served.url, ana) as again:
                return again.hears(lambda it: it.versions == [1])
        except httpx.HTTPStatusError:
            return False

    assert comes_true(admitted, within=5)


class TestLongPoll:
    """``GET /v1/games/{id}?wait=``."""

    @pytest.fixture
    def ana(self, server: RegicideClient) -> Player:
        return quiet(server).players[0]

    def ask(self, served: RunningServer, ana: Player, wait: object, known: str | None) -> tuple[httpx.Response, float]:
        """Return the answer and how long it took."""
        headers = {"Authorization": f"Bearer {ana.token}", **({"If-None-Match": known} if known is not None else {})}
        began = monotonic()
        answer = httpx.get(
            f"{served.url}/v1/games/{ana.game_id}?wait={wait}", headers=headers, trust_env=False, timeout=allowed(AGES)
        )
        return answer, monotonic() - began

    def test_it_answers_as_soon_as_somebody_has_moved(self, served: RunningServer, ana: Player) -> None:
        """With the game as the bearer sees it then."""
        with ThreadPoolExecutor(1) as waiting:
            asked = waiting.submit(self.ask, served, ana, 25, '"0"')
            assert stays_untrue(asked.done, seconds=0.3)
            ana.act("play 5S")
            answer, took = asked.result()

        assert (answer.status_code, answer.headers["ETag"]) == (200, '"1"')
        assert answer.json() == ana.fetch()
        assert took < allowed(10)

    def test_it_gives_up(self, served: RunningServer, ana: Player) -> None:
        """With 304, when time is up."""
        answer, took = self.ask(served, ana, 1, '"0"')

        assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", '"0"')
        assert 1 <= took < allowed(10)

    @pytest.mark.parametrize(
        ("wait", "known", "status"),
        [(25, None, 200), (25, '"7"', 200), (25, "nonsense", 200), (0, '"0"', 304), (0, None, 200)],
    )
    def test_there_is_nothing_to_wait_for(self, served: RunningServer, ana: Player, wait, known, status) -> None:
        """If the reader doesn't have this version, or doesn't want to wait."""
        answer, took = self.ask(served, ana, wait, known)

        assert answer.status_code == status
        assert took < allowed(10)

    def test_of_several_known_versions_none_is_news(self, served: RunningServer, ana: Player) -> None:
        """It waits for one that isn't among them."""
        with ThreadPoolExecutor(1) as waiting:
            asked = waiting.submit(self.ask, served, ana, 25, '"0", W/"1"')
            ana.act("play 5S")
            assert stays_untrue(asked.done, seconds=0.3)
            ana.act("discard 6D")
            answer, _ = asked.result()

        assert answer.json()["version"] == 2

    @pytest.mark.parametrize("wait", ["-1", "26", "1.5", "x", "", "99999999999999999999"])
    def test_bad_values(self, served: RunningServer, ana: Player, wait: str) -> None:
        """0 to 25 whole seconds."""
        answer, _ = self.ask(served, ana, wait, '"0"')

        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
        assert list(answer.json()["errors"]) == ["wait"]


def test_a_stream_outlives_the_storage(tmp_path: Path) -> None:
    """It is silent while the storage is away, and goes on where it was."""
    with running_server(tmp_path / "data", REGICIDE_KEEP_ALIVE_SECONDS="0.2") as served, served.client() as server:
        ana = quiet(server).players[0]
        with listening(served.url, ana) as heard:
            assert heard.hears(lambda it: it.messages)
            os.kill(served.members("valkey-server")[0], signal.SIGKILL)
            ana.act("play 5S")
            assert heard.hears(lambda it: it.versions == [0, 1])
            ana.act("discard 6D")
            assert heard.hears(lambda it: it.versions == [0, 1, 2])


def test_ctrl_c_ends_streams_at_once(tmp_path: Path) -> None:
    """Well, and the server with them."""
    with (
        running_server(tmp_path / "data", REGICIDE_STREAMS="2", WEB_WORKERS="1") as served,
        RegicideClient(served.url, retry_seconds=0.0) as server,
    ):
        ana = quiet(server).players[0]

        def no_place_is_left() -> bool:
            answer = httpx.head(f"{served.url}/v1/games/{ana.game_id}/stream", trust_env=False)
            return answer.status_code == httpx.codes.SERVICE_UNAVAILABLE

        with listening(served.url, ana) as heard, ThreadPoolExecutor(1) as waiting:
            assert heard.hears(lambda it: it.messages)
            poll = waiting.submit(
                httpx.get,
                f"{served.url}/v1/games/{ana.game_id}?wait=25",
                headers={"If-None-Match": '"0"'},
                trust_env=False,
                timeout=allowed(AGES),
            )
            assert comes_true(no_place_is_left, within=10)
            began = monotonic()

            assert served.stop() == 0

            assert monotonic() - began < allowed(END_SECONDS / 2)
            assert heard.hears(lambda it: it.ended)
            assert poll.result().status_code == 304
