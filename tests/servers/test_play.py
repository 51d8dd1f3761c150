"""``regicide play``: whole games in a terminal and through pipes; nothing is left behind."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from engines import RULESETS
from engines.core.types import Json
from regicide_client import Created, RegicideClient
from tests.processes import are_gone, descendants
from tests.servers.commands import refused, run
from tests.servers.served import COMMAND, RunningServer, running_server
from tests.servers.terminals import LEAVES_SCREEN, Terminal, terminal
from tests.waiting import AGES, comes_true

ENDINGS = {"en": r"(has|have) (won|lost)|is a draw", "es": r"ganado|perdido|empate"}
ENDED = {"en": "suits you now", "es": "te conviene ahora"}
SHORT: Mapping[str, Json] = {"gridcannon": {"turn_limit": 16}}
"""Options of games that would take minutes."""
RECENT = 1 << 16
"""So much of what was shown is looked at again for the end."""
TURN = {"en": "Your turn.", "es": "Te toca."}
PROMPT = r"\d+\. [^\n]+\r?\n> $"
GAMES = [
    pytest.param(ruleset, language, marks=() if (number + other) % 2 == 0 else pytest.mark.long)
    for number, ruleset in enumerate(RULESETS)
    for other, language in enumerate(ENDINGS)
]
"""Every ruleset and every language, each with another; ``make long`` plays the others."""
NOWHERE = "http://127.0.0.1:1"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server that runs while these games are played: other tests keep theirs busy."""
    with running_server(tmp_path_factory.mktemp("play") / "data") as running:
        yield running


@pytest.fixture
def state(tmp_path: Path) -> dict[str, str]:
    """Give the variables of a user without results."""
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


def piped(typed: str, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Play through pipes."""
    return subprocess.run(
        [*COMMAND, "play", *words],
        check=False,
        input=typed,
        capture_output=True,
        text=True,
        timeout=AGES,
        env={**os.environ, **environ},
    )


def short_game(client: RegicideClient, ruleset: str) -> Created:
    """Return a new game with an AI and an open seat, which isn't long."""
    seats = [{"kind": "open"}, {"kind": "ai", "level": "novice"}]
    return client.create(ruleset, seats, private=True, options=SHORT.get(ruleset, {}))


def link_to(made: Created, served: RunningServer) -> str:
    """Return the link to a game's open seat."""
    return f"{served.url}/play#{made.game['id']}.{made.invite}"


@pytest.mark.parametrize(("ruleset", "language"), GAMES)
def test_a_whole_game_in_lines(served: RunningServer, state: dict[str, str], ruleset: str, language: str):
    """Each decision lists its actions and asks; lines have at most 80 columns, and no escape sequences; status 0."""
    words = ("--plain", "--lang", language, "--name", "Ana")
    with (
        served.client() as client,
        terminal("play", "--join", link_to(short_game(client, ruleset), served), *words, **state) as player,
    ):
        decisions = 0
        while player.wait_for(PROMPT, ENDED[language]) == PROMPT:
            player.type("1\n")
            decisions += 1
        assert player.end() == 0

    lines = player.shown.replace("\r", "").splitlines()
    assert decisions > 3
    assert "\x1b" not in player.shown
    assert max(map(len, lines)) <= 80
    assert re.search(ENDINGS[language], player.shown)
    assert player.shown.count("1. ") >= decisions
    kept = (Path(state["XDG_STATE_HOME"]) / "regicide" / "results.json").read_text()
    assert f'"ruleset": "{ruleset}"' in kept


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_whole_game_on_the_full_screen(served: RunningServer, state: dict[str, str], ruleset: str):
    """Number keys choose and Enter acts, at 80 by 24, to the end; q restores the terminal."""
    with served.client() as client:
        made = short_game(client, ruleset)
        with terminal("play", "--join", link_to(made, served), "--name", "Ana", **state) as player:
            player.wait_for(TURN["en"])
            ended = re.compile(r"(has|have) (won|lost)|is a draw")
            while made.host.fetch()["status"] != "finished":
                player.type("1\r")
                player.read(0.2)
                assert player.process.poll() is None, player.shown[-1000:]
            told = comes_true(lambda: (player.read(), ended.search(player.shown[-RECENT:]))[1] is not None)
            assert told, player.shown[-3000:]
            player.type("q")

            assert player.end() == 0
            assert LEAVES_SCREEN in player.shown
            assert player.is_as_before()


def test_a_pipe_is_enough(served: RunningServer, state: dict[str, str]):
    """Without a terminal it plays in lines; the end of the input is like q."""
    ended = piped("h\n?\np\nt\n0\nnonsense\nplay KK\n1\n", "--server", served.url, "--name", "Ana", **state)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "There is no such action: choose a number from 1 to" in ended.stdout
    assert ended.stdout.count("1. ") >= 4
    assert "%)" in ended.stdout
    assert "You pl" in ended.stdout


def test_an_encoding_without_suits(served: RunningServer, state: dict[str, str]):
    """What it doesn't have is escaped."""
    ended = piped("q\n", "regicide", "--server", served.url, PYTHONIOENCODING="ascii", **state)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "\\u2666" in ended.stdout or "\\u2660" in ended.stdout


def test_lines_of_a_pipe_wait_for_their_prompt(served: RunningServer, state: dict[str, str]):
    """A whole game against an AI, all of whose answers were written before it began."""
    words = ("regicide", "--players", "2", "--level", "novice", "--server", served.url)

    ended, left = piped("1\n" * 200, *words, **state), piped("1\n1\n", *words, **state)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert re.search(ENDINGS["en"], ended.stdout)
    assert "The input has ended" not in ended.stdout
    assert (left.returncode, left.stderr) == (0, "")
    assert left.stdout.endswith("The input has ended: you leave the table.\n")
    assert len(re.findall("> You (?:play|yield|discard)", left.stdout)) == len("11")


@pytest.mark.parametrize(
    ("face", "end"),
    [
        pytest.param("plain", "q", marks=pytest.mark.long),
        ("plain", "Ctrl-C"),
        pytest.param("plain", "SIGTERM", marks=pytest.mark.long),
        pytest.param("full", "q", marks=pytest.mark.long),
        ("full", "Ctrl-C"),
        ("full", "SIGTERM"),
    ],
)
def test_nothing_is_left_behind(state: dict[str, str], face: str, end: str, tmp_path: Path):
    """It started a server for the game, which ends with it; the terminal is as it was before."""
    words = ["--plain"] if face == "plain" else []
    nowhere = {"REGICIDE_DATA": str(tmp_path / "data"), "PORT": "1", **state}
    with terminal("play", *words, "--name", "Ana", **nowhere) as player:
        player.wait_for(PROMPT if face == "plain" else TURN["en"])
        family = descendants(player.process.pid)
        assert any("valkey" in command for command in family.values())
        if end == "SIGTERM":
            player.process.send_signal(signal.SIGTERM)
        elif end == "Ctrl-C" and face == "plain":
            player.process.send_signal(signal.SIGINT)
        else:
            player.type("q\n" if end == "q" else "\x03")

        status = player.end()

        assert status == (143 if end == "SIGTERM" else 0)
        assert comes_true(lambda: are_gone(family))
        assert player.is_as_before()
        if face == "full":
            assert LEAVES_SCREEN in player.shown


def test_who_is_killed_leaves_no_server(state: dict[str, str], tmp_path: Path):
    """The server hears of its end, though nobody could tell it."""
    nowhere = {"REGICIDE_DATA": str(tmp_path / "data"), "PORT": "1", **state}
    with terminal("play", "--plain", **nowhere) as player:
        player.wait_for(PROMPT)
        family = descendants(player.process.pid)
        player.process.kill()
        player.process.wait()

        assert comes_true(lambda: are_gone(family))


@pytest.mark.parametrize("face", [pytest.param("plain", marks=pytest.mark.long), "full"])
def test_the_terminal_goes_away(state: dict[str, str], face: str, tmp_path: Path):
    """Nobody sends SIGHUP, as the terminal controls nothing: the game and its server end all the same."""
    words = ["--plain"] if face == "plain" else []
    with terminal("play", *words, REGICIDE_DATA=str(tmp_path / "data"), PORT="1", **state) as player:
        player.wait_for(PROMPT if face == "plain" else TURN["en"])
        family = descendants(player.process.pid)

        player.hang_up()

        assert comes_true(lambda: player.process.poll() is not None)
        assert comes_true(lambda: are_gone(family))


def test_what_can_not_begin_says_so(served: RunningServer, tmp_path: Path):
    """In one sentence, with status 2."""
    at = ("--server", served.url)
    assert "has no game 'chess'" in refused(run("play", "chess", *at, data=tmp_path))
    assert "is for 1, 2, 3, 4 players" in refused(run("play", "regicide", "--players", "9", *at, data=tmp_path))
    assert "This is no link to a seat" in refused(run("play", "--join", "http://nowhere/", data=tmp_path))
    (tmp_path / "regicide").mkdir()
    (tmp_path / "regicide" / "results.json").write_text('[{"ruleset": 1')
    torn = run("play", "--plain", *at, data=tmp_path, XDG_STATE_HOME=str(tmp_path))
    assert "can't be read: delete" in refused(torn)
    unreachable = run("play", "--server", NOWHERE, data=tmp_path)
    assert (unreachable.returncode, "Traceback" in unreachable.stderr) == (1, False)


def test_a_seat_that_a_friend_offers(served: RunningServer, state: dict[str, str]):
    """The link of an invitation is enough; a friend's moves are waited for."""
    with served.client() as client:
        created = client.create("regicide", [{"kind": "human", "name": "Cleo"}, {"kind": "open"}], private=True)
        with terminal("play", "--plain", "--join", link_to(created, served), "--name", "Ana", **state) as player:
            cleo = created.players[0]
            player.wait_for("Waiting for Cleo.", PROMPT)
            while cleo.fetch()["to_act"] == [0]:
                cleo.act(cleo.actions()[0]["text"])
            assert comes_true(lambda: bool(player.read()) and bool(re.search(PROMPT, player.shown)))
            assert "Regicide: Cleo, Ana (you)." in player.shown
            player.type("q\n")
            assert player.end() == 0
        assert cleo.fetch()["status"] == "active"  # what others play goes on


PUZZLE = "regicide-20261126001-12"
"""Solved by `play 3S` and `play JC`, of different hands; `yield` is wrong."""
PUZZLE_WORDS = {
    "en": ("Moves to find: 2", "That isn't the answer", "Try again", "Right.", "Solved."),
    "es": ("Jugadas por encontrar: 2", "Esa no es la solución", "Otra vez", "Correcto.", "Resuelto."),
}


@pytest.mark.parametrize("language", PUZZLE_WORDS)
def test_a_puzzle_in_lines(served: RunningServer, state: dict[str, str], language: str):
    """The goal, a refutation, another try from where it was given, the other hand, the end; in 80 columns."""
    words = ("--puzzle", PUZZLE, "--lang", language, "--server", served.url)
    with terminal("play", "--plain", *words, **state) as player:
        for typed in ("yield", "again", "play 3S", "play JC"):
            player.wait_for(PROMPT)
            player.type(f"{typed}\n")
        assert player.end() == 0

    lines = player.shown.replace("\r", "").splitlines()
    places = [player.shown.index(words) for words in PUZZLE_WORDS[language]]
    assert places == sorted(places)
    assert max(map(len, lines)) <= 80
    assert not Path(state["XDG_STATE_HOME"]).exists()


def test_whoever_gives_up_a_puzzle_reads_its_solution(served: RunningServer, state: dict[str, str]):
    """Also after a wrong answer; a puzzle has no hints."""
    ended = piped("h\nyield\nanswer\n", "--puzzle", PUZZLE, "--server", served.url, **state)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "A puzzle has no hints" in ended.stdout
    assert "This is the answer:" in ended.stdout
    assert ended.stdout.index("victory") < ended.stdout.index("That was the answer.")


def choose(player: Terminal, number: int, then: str) -> None:
    """Choose an action by its number, and press Enter until *then* is shown: it does nothing until one is chosen.

    Once in a while the number is typed again: after a refusal nothing is chosen any more.
    """
    seen = len(player.shown)
    for pressed in range(500):
        if pressed % 50 == 0:
            player.type(str(number))
        player.type("\r")
        player.read(0.2)
        if re.search(then, player.shown[seen:]):
            return
    pytest.fail(f"{then} isn't shown: {player.shown[-3000:]!r}")


def test_a_second_enter_does_not_act_again(served: RunningServer, state: dict[str, str]):
    """A wrong answer that is confirmed many times at once is one answer, and what it leads to stays on the screen."""
    with terminal("play", "--puzzle", PUZZLE, "--server", served.url, **state) as player:
        player.wait_for(r"3\. Yield")
        player.type("3" + "\r" * 40)
        player.wait_for(r"1\. Try again")
        player.type("\r" * 40 + "?")
        player.wait_for("an action by its number")

        assert "3. Yield" not in player.shown[player.shown.index("1. Try again") :]


def test_a_puzzle_on_the_full_screen(served: RunningServer, state: dict[str, str]):
    """Wrong, again, then the answers by their numbers; q restores the terminal."""
    with terminal("play", "--puzzle", PUZZLE, "--server", served.url, **state) as player:
        player.wait_for(r"3\. Yield")
        choose(player, 3, r"1\. Try again")
        choose(player, 1, r"3\. Yield")
        choose(player, 1, r"2\. Play J")
        choose(player, 2, "Solved")
        player.type("q")

        assert player.end() == 0
        assert LEAVES_SCREEN in player.shown
        assert player.is_as_before()


@pytest.mark.parametrize("words", [("--puzzle",), ("gridcannon", "--puzzle", "today")])
def test_todays_puzzle(served: RunningServer, state: dict[str, str], words: tuple[str, ...]):
    """Of any game, or of one."""
    ended = piped("q\n", *words, "--plain", "--server", served.url, **state)

    assert ended.returncode == 0
    assert "Moves to find" in ended.stdout
    assert "Gridcannon" in ended.stdout or len(words) == 1


def test_a_puzzle_that_does_not_exist(served: RunningServer, state: dict[str, str]):
    """It is said, and nothing begins."""
    ended = piped("", "--puzzle", "none", "--server", served.url, **state)

    assert ended.returncode == 1
    assert "There is no puzzle called none." in ended.stderr
