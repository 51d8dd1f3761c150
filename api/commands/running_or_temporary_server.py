"""The server that a command plays on: the running one, or a temporary one for this command only."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import httpx

from api.commands.serve import free_port, server_url
from engines.core.phrase import Phrase
from regicide_client import RegicideClient
from regicide_client.client import REQUEST_TIMEOUT_SECONDS
from workers.processes.supervisor import SUPERVISED_VARIABLE
from workers.settings import CannotStart, Settings

STARTING_SERVER_PHRASE: Final = Phrase("No server runs: starting one for this game.")
QUIET_SERVER_ENVIRONMENT: Final = {"REGICIDE_LOG_LEVEL": "warning"}
ANSWER_SECONDS: Final = 2.0
"""Seconds within which a running server answers."""


def open_client(url: str, language: str) -> RegicideClient:
    """Return a client whose responses are in *language*."""
    headers = {"Accept-Language": language}
    return RegicideClient(
        url, http=httpx.Client(base_url=url, timeout=REQUEST_TIMEOUT_SECONDS, trust_env=False, headers=headers)
    )


@contextmanager
def running_or_temporary_server(
    settings: Settings, starts: Callable[[], None], *, errors: int | None = None
) -> Iterator[str]:
    """Yield the address of the running server, or of a temporary server if none runs.

    *starts* is called before a temporary server starts. *errors* is where a temporary server writes its log:
    ``subprocess.DEVNULL``, or None for standard error. Raises ``CannotStart`` if another program answers there.
    """
    url = server_url(settings)
    try:
        health = httpx.get(f"{url}/healthz", timeout=ANSWER_SECONDS, trust_env=False)
        is_ours = health.is_success and health.json() == {"status": "ok"}
    except httpx.ConnectError:
        pass  # no server runs, so a temporary one is started below
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise _other_server(url) from error
    else:
        if not is_ours:
            raise _other_server(url)
        yield url
        return
    starts()
    with temporary_server(errors) as url:
        yield url


def _other_server(url: str) -> CannotStart:
    return CannotStart(f"Somebody else answers at {url}: set PORT to another.")


@contextmanager
def temporary_server(errors: int | None = None) -> Iterator[str]:
    """Yield the address of a server that runs during the block and is then deleted with its games.

    The server ends with this process, however this process ends. It runs in its own session, out of reach of Ctrl-C.
    """
    with tempfile.TemporaryDirectory(prefix="regicide-") as folder:
        own = {"PORT": str(free_port()), "HOST": "127.0.0.1", "REGICIDE_DATA": folder, SUPERVISED_VARIABLE: "1"}
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "api.commands.cli", "serve"],
            env={**os.environ, **QUIET_SERVER_ENVIRONMENT, **own},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        ) as server:
            try:
                yield _read_server_url(server)
            finally:
                server.terminate()


def _read_server_url(server: "subprocess.Popen[str]") -> str:
    """Wait for the line that has the server's address, and return the address."""
    for line in server.stdout or ():
        if "http://" in line:
            return line[line.index("http://") :].split()[0]
    raise CannotStart("The server ended before it was ready.")
