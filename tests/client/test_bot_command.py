"""A program at a seat: what it is asked, what becomes of its answers, and of programs that go wrong."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from time import monotonic

import httpx
import pytest
from click.testing import CliRunner
from flask import Flask

from api.commands.cli import main
from engines.core.types import Json
from regicide_client import Created, Player, ProblemError, RegicideClient
from regicide_client.bot_command import MAX_REFUSED_ANSWERS, Bot, BotFailed, ProgramSetup, ended_line
from regicide_client.json_lines_process import Program, ProgramError, ProgramNotFound
from tests.api.games import ANA, BEN
from tests.api.puzzles import LAST_BLOW
from tests.ports import free_port
from tests.waiting import allowed
from workers.storage.store import Store

QUICK = 0.3
LONG = 30.0


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Give what starts a program of some lines of Python."""
    started = list[Program]()

    def start(source: str, seconds: float = LONG) -> Program:
        started.append(Program(command(tmp_path, source), seconds))
        return started[-1]

    yield start
    for running in started:
        running.kill()


def command(folder: Path, source: str) -> list[str]:
    """Return how to run some lines of Python."""
    script = folder / "program.py"
    script.write_text(dedent(source))
    return [sys.executable, "-I", str(script)]


def test_lines_in_and_a_line_out(program: Callable[..., Program]):
    """Objects and null, however long, one answer to several lines."""
    echo = program("""
        import json, sys
        for line in sys.stdin:
            if "error" not in line:
                print(json.dumps(json.loads(line)["say"]), flush=True)
    """)
    long = {"text": "ñ" * 100_000}

    assert echo.ask({"say": {"text": "yield"}}) == {"text": "yield"}
    assert echo.ask({"error": {}}, {"say": None}) is None
    assert echo.ask({"say": long}) == long
    echo.end()


FAILING = [
    ("it has ended", "raise SystemExit(3)", "ended, with the status 3"),
    ("it ends on being asked", "input(); raise SystemExit(0)", "ended, with the status 0"),
    ("it hangs", "import time; time.sleep(60)", "within 0.3 s"),
    ("it is deaf", "import os, time; os.read(0, 1); print('{', end='', flush=True); time.sleep(60)", "within 0.3 s"),
    ("no JSON", "input(); print('play 5C', flush=True); input()", "answered no JSON: b'play 5C'"),
    ("no number", "input(); print('{\"a\": NaN}', flush=True); input()", "answered no JSON"),
    ("too great a number", "input(); print('{\"a\": -1e999}', flush=True); input()", "answered no JSON"),
    ("half a character", 'input(); print(\'{"a": "\\\\ud800"}\', flush=True); input()', "answered no JSON"),
    ("depth", "input(); print('[' * 10**5, flush=True); input()", "answered no JSON"),
    ("no object", "input(); print('[1]', flush=True); input()", "neither an object, a text nor null: b'[1]'"),
    ("no end", "while True: print('x' * 10**6, end='')", "more than 1048576 bytes"),
    ("it closes its ears", "import os, sys, time; os.close(1); time.sleep(60)", "closed its output"),
]


@pytest.mark.parametrize(("what", "source", "said"), FAILING, ids=[what for what, *_ in FAILING])
def test_a_program_that_fails(program: Callable[..., Program], what: str, source: str, said: str):
    """A sentence says how; nobody waits longer than the time that it has."""
    failing = program(source, QUICK if "0.3" in said else LONG)

    with pytest.raises(ProgramError, match=re.escape(said)):
        failing.ask({"padding": "x" * 10**6})


def test_more_than_was_asked(program: Callable[..., Program]):
    """What comes before the question can't be its answer."""
    chatty = program("input(); print('null\\nnull', flush=True); input()")
    chatty.ask({})

    with pytest.raises(ProgramError, match="more than it is asked"):
        chatty.ask({})


def test_no_program():
    """It is said at once."""
    with pytest.raises(ProgramNotFound, match="no-such-program can't be run: No such file"):
        Program(["no-such-program"], 1.0)


# At a seat


@pytest.fixture
def server(app: Flask, store: Store) -> Iterator[RegicideClient]:
    """Give a client of the application, without a network between."""
    with RegicideClient("", http=httpx.Client(base_url="http://server", transport=httpx.WSGITransport(app))) as server:
        yield server


@pytest.fixture
def ana(server: RegicideClient) -> Player:
    """Give a player whose 5 of clubs wins the game."""
    return server.create("regicide", [ANA, BEN], position=LAST_BLOW).players[0]


def play(player: Player, command: list[str], restarts: int = 0, seconds: float = LONG) -> tuple[Json, list[str]]:
    """Let a program play; return the game after its end, and what was said on the way."""
    said = list[str]()
    setup = ProgramSetup(command, seconds, restarts, said.append, lambda game: ended_line(True, False, game["outcome"]))
    return dict(Bot(player, setup).play()), said


def answering(folder: Path, *answers: str) -> tuple[list[str], Path]:
    """Return a program that gives these answers in turn, over all of its lives; and the file of what it is sent."""
    sent, said = folder / "sent", folder / "said"
    said.write_text("".join(answer + "\n" for answer in answers))
    return command(
        folder,
        f"""
        import sys
        for line in sys.stdin:
            open({str(sent)!r}, "a").write(line)
            if line[:8] not in ('{{"error"', '{{"ended"'):
                answer, _, rest = open({str(said)!r}).read().partition("\\n")
                open({str(said)!r}, "w").write(rest)
                print(answer, flush=True)
    """,
    ), sent


def lines(sent: Path) -> list[Json]:
    """Return what a program was sent, without the line that tells it how the game ended."""
    read = [json.loads(line) for line in sent.read_text().splitlines()]
    return [line for line in read if "ended" not in line]


def test_what_a_program_is_asked(ana: Player, tmp_path: Path):
    """The seat's view, all that is legal, what happened; the game ends with its answer."""
    view, legal = ana.fetch()["view"], ana.actions()
    command, sent = answering(tmp_path, '{"text": "play 5C"}')

    game, said = play(ana, command)

    (question,) = lines(sent)
    (started,) = question.pop("events")
    words = {"text": "The game begins from a given position."}
    assert started == {"version": 0, "type": "started", "seat": None, "from_position": True, **words}
    assert question == {"version": 0, "seat": 0, "to_act": [0], "view": view, "actions": legal}
    assert (game["status"], said) == ("finished", [])


@pytest.mark.parametrize("form", [lambda one: one, lambda one: one["action"], lambda one: one["text"]])
def test_an_answer_in_any_form(ana: Player, tmp_path: Path, form: Callable[[Json], object]):
    """The whole entry of ``actions``, its object, or its text."""
    command, _ = answering(tmp_path, json.dumps(form(dict(ana.actions()[0]))))

    game, said = play(ana, command)

    assert (game["status"], said) == ("finished", [])


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ('{"text": "play KS"}', "illegal_action"),
        ('"play KS"', "illegal_action"),
        ('{"type": "fold"}', "bad_action"),
        ('{"text": "play 1Z"}', "bad_card"),
        ("{}", "bad_action"),
        ("null", "must_act"),
    ],
)
def test_a_refusal_is_told(ana: Player, tmp_path: Path, answer: str, code: str):
    """And the question put again, without the events, which have been sent."""
    command, sent = answering(tmp_path, answer, '{"text": "play 5C"}')

    game, said = play(ana, command)

    first, error, second = lines(sent)
    assert error["error"]["code"] == code
    assert second == {**first, "events": []}
    assert game["status"] == "finished"
    (told,) = said
    assert told.startswith(f"Refused: {answer}. {error['error']['detail']} ({code}")


def test_a_program_is_started_again(ana: Player, tmp_path: Path):
    """It is sent everything from the beginning."""
    command, sent = answering(tmp_path, "nonsense", '{"text": "play 5C"}')

    game, said = play(ana, command, restarts=1)

    first, second = lines(sent)
    assert second == first
    assert len(said) == 1
    assert "started again (1 of 1). It has answered no JSON" in said[0]
    assert game["status"] == "finished"


@pytest.mark.parametrize("restarts", [0, 2])
def test_restarts_have_an_end(ana: Player, tmp_path: Path, restarts: int):
    """So many times it is started again, and no more."""
    with pytest.raises(BotFailed, match=f"failed {restarts + 1} times in a row. It has ended"):
        play(ana, command(tmp_path, "raise SystemExit(1)"), restarts)

    assert ana.fetch()["version"] == 0


def test_a_program_that_never_learns(ana: Player, tmp_path: Path):
    """So many refusals of one answer after the other are a failure."""
    command, sent = answering(tmp_path, *["{}"] * MAX_REFUSED_ANSWERS)

    with pytest.raises(BotFailed, match=f"{MAX_REFUSED_ANSWERS} of its answers"):
        play(ana, command)

    assert len(lines(sent)) == 2 * MAX_REFUSED_ANSWERS - 1


def test_who_is_overtaken_is_asked_again(server: RegicideClient, ana: Player, tmp_path: Path):
    """Somebody has changed the game meanwhile: no refusal is sent, the new view is."""
    command, sent = answering(tmp_path, '{"text": "play 5C"}', '{"text": "play 5C"}')
    host = server.create("regicide", [ANA, BEN], position=LAST_BLOW)

    class Slow(Player):
        """A player who is overtaken once."""

        def act(self, action, *, expected=None, key=None):
            if expected == 0:
                host.host.hand_over(1, "novice")
            return super().act(action, expected=expected, key=key)

    slow = Slow(server, host.game["id"], host.players[0].token)
    game, said = play(slow, command)

    assert [line["version"] for line in lines(sent)] == [0, 1]
    assert [event["type"] for event in lines(sent)[1]["events"]] == ["handed_over"]
    assert (game["status"], said) == ("finished", [])


def ending(server: RegicideClient, created: Created, player: Player) -> Player:
    """Return *player* as one whose game is abandoned when it waits."""

    class Ending(Player):
        def wait_for_change(self, version, timeout):
            created.host.abandon()
            return super().wait_for_change(version, timeout)

    return Ending(server, player.game_id, player.token)


def test_null_lets_others_act(server: RegicideClient, tmp_path: Path):
    """A seat that may only interrupt is asked once a version."""
    created = server.create("gridcannon", [ANA, BEN])
    while not created.game["may_act"]:
        seat = created.game["to_act"][0]
        created.players[seat].act(created.players[seat].actions()[0]["text"])
        created.game.update(created.host.fetch())
    idle = created.players[created.game["may_act"][0]]
    version = created.game["version"]

    command, sent = answering(tmp_path, "null")
    game, _ = play(ending(server, created, idle), command)

    assert [line["version"] for line in lines(sent)] == [version]
    assert game["status"] == "abandoned"


def test_a_seat_that_was_given_away(server: RegicideClient, tmp_path: Path):
    """An AI plays on there: the program isn't asked any more, whatever the AI has still to decide."""
    created = server.create("regicide", [ANA, BEN])
    created.host.hand_over(0, "master")

    watching = ending(server, created, created.players[0])
    game, said = play(watching, command(tmp_path, "raise SystemExit(1)"))

    assert (game["to_act"], game["status"], said) == ([], "abandoned", [])


def test_who_has_no_seat(server: RegicideClient, tmp_path: Path):
    """A host or a spectator has nothing to decide; an unknown token is said to be one."""
    created = server.create("regicide", [ANA, BEN])

    with pytest.raises(BotFailed, match="no seat"):
        play(created.host, ["true"])
    with pytest.raises(ProblemError, match="token"):
        play(Player(server, created.game["id"], "rs_unknown"), ["true"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--exec", "true", "--server", "gopher://127.0.0.1"], "can't be reached"),
        (["--exec", "true", "--server", "http://[::1"], "can't be reached"),
        (["--exec", "true", "--token", "rs_ñ"], "--token"),
        (["--exec", ""], "There is no program"),
        (["--exec", "python 'x"], "No closing quotation"),
        (["--exec", "true", "--seconds", "0"], "--seconds"),
    ],
)
def test_the_command_refuses(options: list[str], said: str):
    """In a sentence."""
    end = CliRunner().invoke(main, ["bot", "--game", "g", "--token", "t", *options])

    assert end.exit_code != 0
    assert said in end.stderr


def test_where_nobody_listens():
    """It is said within two seconds: somebody waits at the terminal."""
    began = monotonic()
    ended = CliRunner().invoke(
        main, ["bot", "--game", "g", "--token", "t", "--exec", "true", "--server", f"http://127.0.0.1:{free_port()}"]
    )

    assert ended.exit_code == 1
    assert "can't be reached" in ended.stderr
    assert monotonic() - began < allowed(2)
