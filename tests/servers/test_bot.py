"""The example of a bot plays, over real HTTP, with the command that its docstring shows; then the record is checked."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.served import COMMAND, RunningServer, running_server

ROOT = Path(__file__).parents[2]
EXAMPLE = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'examples' / 'bot.py'))}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server to play in."""
    with running_server(tmp_path_factory.mktemp("bots") / "data") as running:
        yield running


def run(*words: str, told: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a `regicide` command."""
    return subprocess.run(
        [*COMMAND, *words],
        check=False,
        input=told,
        env={**os.environ, **environ},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
    )


@pytest.mark.parametrize(
    ("ruleset", "level", "options"),
    [("regicide", "adept", {}), ("gridcannon", "novice", {"turn_limit": 40})],
)
def test_the_example_plays_to_the_end(served: RunningServer, ruleset: str, level: str, options: dict[str, int]):
    """Without a refusal; what is on record is true, and what its AIs did they would do again."""
    seats = [{"kind": "human", "name": "Bot"}, {"kind": "ai", "level": level}]
    with served.client() as server:
        created = server.create(ruleset, seats, options=options, client_seed="a bot")
        token = created.players[0].token or ""

        end = run("bot", "--game", created.game["id"], "--exec", EXAMPLE, "--server", served.url, REGICIDE_TOKEN=token)

        record = json.dumps(created.host.record())
    assert (end.returncode, end.stderr) == (0, "")
    assert end.stdout.startswith(f"Game {created.game['id']} is finished: {{")
    for command in ("verify", "audit"):
        checked = run(command, "-", told=record)
        assert checked.stdout.endswith("Everything matches.\n"), checked
