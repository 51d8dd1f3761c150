"""The example of a bot plays, over real HTTP, with the command that its docstring shows; then the record is checked."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from doctest import ELLIPSIS, OutputChecker
from itertools import permutations
from math import log10
from pathlib import Path
from typing import Any

import pytest

from engines.contract.default_levels import LEVELS
from tests.servers.served import COMMAND, RunningServer
from tests.servers.transcript import MISSING, WANTED, steps
from tests.servers.transcript import run as run_steps
from tests.waiting import allowed

ROOT = Path(__file__).parents[2]
EXAMPLE = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'examples' / 'bot.py'))}"


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
        timeout=allowed(110),
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

    ended = subprocess.run([*words, served.url], check=True, capture_output=True, text=True, timeout=allowed(110))

    assert (ended.stdout in ("I have won.\n", "I haven't won.\n"), ended.stderr) == (True, "")


Json = dict[str, Any]


def example_players(folder: Path) -> list[str]:
    """Return the options that let the examples that read lines take part in a tournament, each by its language."""
    for name in ("python", "node", "c"):
        (folder / name).mkdir()
    bots = {name: shlex.join(example(name, folder / name)) for name in ("python", "node", "c")}
    return [word for name, command in bots.items() for word in ("--player", f"{name}={command}")]


def rated_again(games: list[Json], names: list[str]) -> dict[str, float]:
    """Return Bradley-Terry ratings of mean 0 from a file's games alone, by Zermelo's iteration until it stands still.

    It shares no code with the tournament, and no method: that uses Newton's.
    """
    points = {(one, other): 0.0 for one in names for other in names}
    for game in games:
        for one, other in permutations(set(game["seats"]) & set(names), 2):
            points[one, other] += (
                0.5 if game["drawn"] else float(one in game["winners"] and other not in game["winners"])
            )
    worth, moved = dict.fromkeys(names, 1.0), 1.0
    while moved > 1e-9:
        before = dict(worth)
        for one in names:
            met = [(points[one, other] + points[other, one], worth[other]) for other in names if other != one]
            won = sum(points[one, other] for other in names if other != one)
            worth[one] = won / sum(count / (worth[one] + theirs) for count, theirs in met)
        moved = max(abs(log10(worth[name] / before[name])) for name in names)
    mean = sum(400 * log10(one) for one in worth.values()) / len(names)
    return {name: 400 * log10(one) - mean for name, one in worth.items()}


def hold_ratings(found: Json) -> None:
    """Elo points are those of another program within a point; rates are wins over games."""
    if "teams" in found:
        for line in found["players"]:
            own = [game for game in found["games"] if line["name"] in game["seats"]]
            wins = sum(line["name"] in game["winners"] for game in own)
            assert line["rating"] == pytest.approx(wins / len(own), abs=1e-3)
        return
    rated = {line["name"]: line["rating"] for line in found["players"] if line["rating"] is not None}
    assert rated
    assert rated == pytest.approx(rated_again(found["games"], list(rated)), abs=1)


def test_printed_examples_in_a_tournament(tmp_path: Path):
    """Those that read lines play each other and a level, forfeit nothing, and say whether they have won.

    The ratings are those that another program finds from the games.
    """
    words = ["--player", "novice", *example_players(tmp_path), "--games", "4", "--options", '{"turn_limit": 100}']

    ended = run("tournament", "--ruleset", "gridcannon", *words, "--out", str(tmp_path / "out.json"))

    assert ended.returncode == 0, ended.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert [game["ended"] for game in found["games"]] == ["rules"] * 24
    assert sum(line["wins"] for line in found["players"][1:]) == ended.stderr.count("I have won.")
    assert sum(line["wins"] for line in found["players"]) > 0, "ratings of draws alone prove nothing"
    hold_ratings(found)


@pytest.mark.long
@pytest.mark.parametrize(("ruleset", "options"), [("regicide", "{}"), ("gridcannon", '{"turn_limit": 40}')])
def test_all_levels_and_all_examples_in_a_tournament(tmp_path: Path, ruleset: str, options: str):
    """None forfeits; the ratings are those that another program finds from the games."""
    levels = [word for level in LEVELS for word in ("--player", level)]
    out = tmp_path / f"{ruleset}.json"
    words = ["--ruleset", ruleset, *levels, *example_players(tmp_path), "--games", "2", "--options", options]

    ended = subprocess.run([*COMMAND, "tournament", *words, "--out", str(out)], check=False, cwd=ROOT, text=True)

    assert ended.returncode == 0
    found = json.loads(out.read_text())
    assert len(found["players"]) == len(LEVELS) + 3
    assert {game["ended"] for game in found["games"]} == {"rules"}
    hold_ratings(found)


@pytest.mark.skipif(bool(MISSING), reason=WANTED)
def test_the_page_happens(tmp_path: Path):
    """Each command of docs/bots.md works, and prints what is shown."""
    shown = steps((ROOT / "docs" / "bots.md").read_text("utf-8"))

    printed, _ = run_steps([command for command, _ in shown], tmp_path, "")

    checker = OutputChecker()
    for (command, text), said in zip(shown, printed, strict=True):
        assert not text or checker.check_output(text, said, ELLIPSIS), f"{command}\nprints\n{said}"
