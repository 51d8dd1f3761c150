"""What the README shows is what happens: its transcript is run against a server. Its commands: tests/test_docs.py."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.commands.cli import main
from tests.servers.served import RunningServer
from tests.servers.transcript import MISSING, ROOT, WANTED, run, steps
from tests.waiting import AGES, allowed
from workers.settings import VARIABLES, settings_table

SETTINGS = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
TRANSCRIPT = re.findall(r"```console\n.*?```", README, re.DOTALL)[0]


def shape(line: str) -> object:
    """Return what of a line stays the same from deal to deal: an object's keys, or that it is a list."""
    value = json.loads(line)
    return sorted(value) if isinstance(value, dict) else type(value)


@pytest.mark.skipif(bool(MISSING), reason=WANTED)
def test_the_transcript_happens(served: RunningServer, tmp_path: Path) -> None:
    """Each command of the transcript works, and prints lines of the shape that is shown."""
    shown = steps(TRANSCRIPT)

    printed, _ = run([command for command, _ in shown], tmp_path, served.url.removeprefix("http://"))

    for (command, text), said in zip(shown, printed, strict=True):
        expected, lines = text.splitlines(), said.splitlines()
        if "events" in command:  # what happens depends on the deal, and on how far the AIs have got
            assert lines or "..." in expected, command
        else:
            assert [shape(line) for line in lines] == [shape(line) for line in expected], command


def test_the_client_plays_as_shown(served: RunningServer) -> None:
    """The example in Python plays a game to its end."""
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    script = example.replace("http://127.0.0.1:8000", served.url) + '    print(ana.fetch()["status"])\n'

    run = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=allowed(120)
    )

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
        timeout=AGES,
    )

    assert json.loads(run.stdout)["position"]["players"] == 2


def test_every_variable_is_in_the_table() -> None:
    """The table of ``docs/settings.md`` and ``regicide serve --help`` have a line for each variable of the settings."""
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.*) \| (.*) \|$", SETTINGS, re.MULTILINE)
    told = " ".join(CliRunner().invoke(main, ["serve", "--help"]).output.split())

    assert rows == settings_table()
    assert {variable for variable, *_ in rows} == {variable.name for variable in VARIABLES.values()}
    for variable, chooses, default in rows:
        assert f"{chooses} [env var: {variable}; default: {default}]".replace("`", "") in told
