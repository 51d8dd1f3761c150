"""What no waiting mends: ``regicide serve`` says it in one sentence and exits with 2; it doesn't begin, nor loop."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.clusters import Node, alone
from tests.faulty import ERRORS, FaultyLine
from tests.ports import free_port
from tests.servers.commands import refused, run, run_in_fork
from tests.servers.listening_tls import OPENSSL, certificate, tls_before
from tests.servers.served import COMMAND, START_SECONDS, ending, first_line
from tests.waiting import AGES, comes_true
from workers.settings import Settings
from workers.storage.startup_checks import check_stores


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Give a server that wants a password."""
    with alone(tmp_path_factory.mktemp("locked"), "--requirepass", "secret") as node:
        yield node


def end(tmp_path: Path, **environ: str) -> "subprocess.CompletedProcess[str]":
    """Begin to serve, and return how that ended."""
    settings = {"REGICIDE_DATA": str(tmp_path / "data"), "PORT": str(free_port())}
    return run_in_fork(["serve"], {**os.environ, **settings, **environ})


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"PORT": "99999"}, "PORT must be a whole number from 1 to 65535, not '99999'."),
        ({"HOST": "127.0.0.1,127.0.0.2"}, "Set HOST or PORT."),
        ({"HOST": "é..x"}, "Set HOST or PORT."),
        ({"REDIS_URL": "redis://127.0.0.1:99999"}, "REDIS_URL must be an address such as redis://127.0.0.1:6379."),
        ({"REDIS_URL": "redis://127.0.0.1:1,127.0.0.1:2"}, "REDIS_URL must name one server, or begin with"),
        (
            {"REDIS_URL": "redis://127.0.0.1:1?foo=bar"},
            "REDIS_URL has an option that can't be read: there is no option",
        ),
        (
            {"REGICIDE_DATA": "~nobody-of-this-name/x"},
            "REGICIDE_DATA must not begin with the home folder of a user that",
        ),
        ({"REGICIDE_DATA": "/b\udcffad"}, "REGICIDE_DATA must be a path in UTF-8."),
        ({"REGICIDE_DATA": f"/{'a' * 300}"}, "File name too long. Set REGICIDE_DATA."),
        ({"REDIS_URL": "redis://:secret@127.0.0.1:{port}/99"}, "can't be used: DB index is out of range."),
        ({"REDIS_URL": "redis://:wrong@127.0.0.1:{port}"}, "refuses the user or the password that REDIS_URL has."),
        (
            {"REDIS_URL": "redis://:secret@127.0.0.1:{port}", "REGICIDE_QUEUE_URL": "redis://127.0.0.1:{port}"},
            "refuses the user or the password that REGICIDE_QUEUE_URL has.",
        ),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_what_is_said(environ: dict[str, str], said: str, locked: Node, tmp_path: Path) -> None:
    """No traceback, no folder, nothing on standard output."""
    ended = end(tmp_path, **{name: value.format(port=locked.port) for name, value in environ.items()})

    (sentence,) = ended.stderr.strip().splitlines()
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in sentence
    assert "secret" not in ended.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--port", "99999"), "Invalid value for '--port': It must be a whole number from 1 to 65535, not '99999'."),
        (("--redis-url", "http://u:secret@db"), "Invalid value for '--redis-url': It must begin with"),
        (("--replicas", "1"), "REGICIDE_REPLICAS needs a REDIS_URL"),
    ],
    ids=lambda given: given[0] if isinstance(given, tuple) else "",
)
def test_what_is_said_of_flags(flags: tuple[str, ...], said: str, tmp_path: Path) -> None:
    """As of variables."""
    ended = run("serve", *flags, data=tmp_path / "data")

    assert said in refused(ended)
    assert "secret" not in ended.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.skipif(OPENSSL is None, reason="without openssl there is no certificate to show")
def test_a_certificate_that_is_not_trusted(locked: Node, tmp_path: Path) -> None:
    """With what would make it trusted."""
    cert, key = certificate(tmp_path / "tls")
    with tls_before(locked.port, cert, key) as port:
        ended = end(tmp_path, REDIS_URL=f"rediss://:secret@127.0.0.1:{port}")

    (sentence,) = ended.stderr.strip().splitlines()
    assert ended.returncode == 2
    assert "?ssl_ca_certs=FILE at the end of REDIS_URL names whom to trust." in sentence


def test_a_store_that_throws_games_away(tmp_path: Path) -> None:
    """It is used, and that is said at the start."""
    with alone(tmp_path / "node", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru") as node:
        environ = {**os.environ, "REDIS_URL": f"redis://127.0.0.1:{node.port}", "PORT": str(free_port())}
        log = tmp_path / "log"
        with log.open("wb") as errors:
            process = subprocess.Popen(
                [*COMMAND, "serve"], env=environ, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        with ending(process, log):
            assert "is served at" in first_line(process)

    said = "The storage throws games away when its memory is full (maxmemory-policy allkeys-lru): set noeviction."
    assert log.read_text("utf-8").splitlines()[0] == said


def test_a_store_that_reads_its_games(redis_url: str, tmp_path: Path) -> None:
    """It is waited for as long as it takes, which is said once."""
    told, seconds = list[str](), 0.2
    with FaultyLine(redis_url, tmp_path).open() as line:
        line.fault = ERRORS["LOADING"]
        settings = Settings(data=tmp_path, redis_url=line.url)
        checking = Thread(target=check_stores, args=(settings, seconds, told.append))
        checking.start()
        checking.join(5 * seconds)
        assert checking.is_alive()
        line.fault = None
        checking.join(AGES)

    assert [sentence.endswith("is reading its games, which takes a while if there are many.") for sentence in told] == [
        True
    ]


def test_the_wait_for_it_can_be_ended(redis_url: str, tmp_path: Path) -> None:
    """By SIGTERM, or Ctrl-C: nothing has begun yet."""
    with FaultyLine(redis_url, tmp_path).open() as line:
        line.fault = ERRORS["LOADING"]
        environ = {**os.environ, "REDIS_URL": line.url, "PORT": str(free_port())}
        log = tmp_path / "log"
        with log.open("wb") as errors:
            process = subprocess.Popen([*COMMAND, "serve"], env=environ, stderr=errors)
        with ending(process, log):
            assert comes_true(lambda: "is reading its games" in log.read_text("utf-8"), within=START_SECONDS)

    assert process.returncode == 0
    assert len(log.read_text("utf-8").splitlines()) == 1
