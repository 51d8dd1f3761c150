"""The example of a bot plays, over real HTTP, with the command that its docstring shows; then the record is checked."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.served import COMMAND, RunningServer, running_server
from tests.servers.transcript import MISSING, WANTED, steps
from tests.servers.transcript import run as run_steps

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


def example(name: str, folder: Path) -> list[str]:
    """Return how to run an example as ``regicide bot --example`` prints it; skip where its language is missing."""
    language, _, _ = name.partition("-")
    tool = shutil.which({"python": "python3", "node": "node", "c": "cc"}[language])
    if tool is None or (name == "c-http" and shutil.which("curl") is None):
        pytest.skip(f"the example in {name} needs {'curl' if tool else language}, not installed here")
    source = folder / f"mybot.{ {'python': 'py', 'node': 'mjs', 'c': 'c'}[language] }"
    source.write_text(run("bot", "--example", name).stdout)
    if language != "c":
        return [sys.executable if language == "python" else tool, str(source)]
    subprocess.run([tool, "-Wall", "-Wextra", "-Werror", "-o", str(folder / "mybot"), str(source)], check=True)
    return [str(folder / "mybot")]


@pytest.mark.parametrize("name", ["python-http", "node-http", "c-http"])
def test_a_printed_example_over_http(served: RunningServer, tmp_path: Path, name: str):
    """It plays a game against a novice to its end, and says whether it has won."""
    words = example(name, tmp_path)

    ended = subprocess.run([*words, served.url], check=True, capture_output=True, text=True, timeout=110)

    assert (ended.stdout in ("I have won.\n", "I haven't won.\n"), ended.stderr) == (True, "")


def test_printed_examples_in_a_tournament(tmp_path: Path):
    """Those that read lines play each other, forfeit nothing, and say whether they have won."""
    bots = {name: shlex.join(example(name, tmp_path)) for name in ("python", "node", "c")}
    words = [word for name, command in bots.items() for word in ("--player", f"{name}={command}")]

    ended = run("tournament", "--ruleset", "gridcannon", *words, "--games", "2", "--out", str(tmp_path / "out.json"))

    assert ended.returncode == 0, ended.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert [game["ended"] for game in found["games"]] == ["rules"] * 6
    assert sum(line["wins"] for line in found["players"]) == ended.stderr.count("I have won.")


@pytest.mark.skipif(bool(MISSING), reason=WANTED)
def test_the_page_happens(tmp_path: Path):
    """Each command of docs/bots.md works, and prints what is shown."""
    shown = steps((ROOT / "docs" / "bots.md").read_text("utf-8"))

    printed, _ = run_steps([command for command, _ in shown], tmp_path, "")

    for (command, text), said in zip(shown, printed, strict=True):
        assert text in ("", said), command
