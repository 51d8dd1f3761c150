"""What the README shows is what happens: its transcript is run against a house, its commands exist."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.served import House, house

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TRANSCRIPT = re.search(r"```console\n(.*?)```", README, re.DOTALL)
MISSING = [tool for tool in ("curl", "jq", "bash") if shutil.which(tool) is None]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Give a house to talk to."""
    with house(tmp_path_factory.mktemp("readme") / "data") as running:
        yield running


def steps() -> list[tuple[str, list[str]]]:
    """Return the transcript's commands, each with the lines that it is shown to print."""
    assert TRANSCRIPT is not None
    found: list[tuple[str, list[str]]] = []
    for line in TRANSCRIPT[1].splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("    ") and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line}", [])
        else:
            found[-1][1].append(line)
    return found


def shape(line: str) -> object:
    """Return what of a line stays the same from deal to deal: an object's keys, or that it is a list."""
    value = json.loads(line)
    return sorted(value) if isinstance(value, dict) else type(value)


@pytest.mark.skipif(bool(MISSING), reason=f"the transcript needs {' and '.join(MISSING)}, not installed here")
def test_the_transcript_happens(served: House, tmp_path: Path) -> None:
    """Each command of the transcript works, and prints lines of the shape that is shown."""
    script = "\n".join(f"{command}\necho '--'" for command, _ in steps())
    script = script.replace("localhost:8000", served.url.removeprefix("http://"))

    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], check=True, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )

    printed = [part.splitlines() for part in run.stdout.split("--\n")]
    for (command, shown), lines in zip(steps(), printed, strict=False):
        if "events" in command:  # what happens depends on the deal, and on how far the AIs have got
            assert lines or "..." in shown, command
        else:
            assert [shape(line) for line in lines] == [shape(line) for line in shown], command


def test_the_client_plays_as_shown(served: House) -> None:
    """The example in Python plays a game to its end."""
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    script = example.replace("http://127.0.0.1:8000", served.url) + '    print(ana.look()["status"])\n'

    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=120)

    assert run.stdout == "finished\n"


def test_the_referee_answers_as_shown() -> None:
    """The example for programs in any language deals a game."""
    (request,) = re.findall(r"^\$ echo '(.*)' \| python -m engines$", README, re.MULTILINE)

    run = subprocess.run(
        [sys.executable, "-m", "engines"],
        input=request,
        check=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )

    assert json.loads(run.stdout)["position"]["players"] == 2


@pytest.mark.parametrize("command", sorted(set(re.findall(r"^make (\w+)", README, re.MULTILINE))))
def test_every_make_target_exists(command: str) -> None:
    """What the README says that make does, make knows."""
    assert re.search(rf"^{command}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
