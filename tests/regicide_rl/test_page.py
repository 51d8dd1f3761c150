"""What docs/rl.md says: its programs run, and its numbers are right."""

import re
from pathlib import Path
from typing import Final

import pytest

import regicide_rl
from engines import RULESETS

PAGE: Final = (Path(__file__).parents[2] / "docs" / "rl.md").read_text("utf-8")
PROGRAMS: Final = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_programs_run(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    """From their first line to their last."""
    exec(compile(program, "docs/rl.md", "exec"), {})  # noqa: S102  the page's own

    assert "Traceback" not in capsys.readouterr().err


def test_the_first_loop_prints_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    """Who does what, and the outcome."""
    exec(compile(PROGRAMS[0], "docs/rl.md", "exec"), {})  # noqa: S102  the page's own

    said = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"player_0 (play|yield).*", said[0])
    assert "'result': 'lost'" in said[-1]


@pytest.mark.parametrize(("name", "title"), [("regicide", "Regicide"), ("gridcannon", "Gridcannon")])
def test_indices_are_those_of_the_page(name: str, title: str) -> None:
    """Each row of the table of actions begins and ends with actions of its kind, and all are there."""
    section = PAGE.split(f"## {title}: ")[1].split("\n## ")[0]
    actions = RULESETS[name].environment().actions
    rows = re.findall(r"^\| (\d+)(?:(?:-|, )(\d+))? \| (.+) \|$", section, re.MULTILINE)
    spans = [(int(first), int(last or first)) for first, last, _ in rows]

    assert section.startswith(f"{len(actions)} actions")
    assert [index for first, last in spans for index in range(first, last + 1)] == list(range(len(actions)))
    for (first, last), (_, _, said) in zip(spans, rows, strict=True):
        verbs = {actions[index].split()[0] for index in range(first, last + 1)}
        words = said.replace("goes next", "choose").replace("place the royal", "royal").replace("lay the", "armour")
        assert all(verb in words for verb in verbs), (said, verbs)


@pytest.mark.parametrize(("name", "title"), [("regicide", "Regicide"), ("gridcannon", "Gridcannon")])
def test_fields_are_those_of_the_page(name: str, title: str) -> None:
    """Each field is in the table, and no other; sizes in the text are right."""
    section = PAGE.split(f"## {title}: ")[1].split("\n## ")[0]
    environment, players = RULESETS[name].environment(), max(RULESETS[name].player_counts)
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", section, re.MULTILINE)
    named = {field for row in rows for field in re.findall(r"`(\w+)`", row)}
    plain = {
        re.sub(r"_([a-e]?[0-9])$", lambda match: "_i" if match[1].isdigit() else "_x", f)
        for f in environment.fields(players)
    }
    written = {re.sub(r"_[cs]$", "_x", field) for field in named}

    assert written == plain
    assert all(f"{environment.size(count):,}" in section for count in RULESETS[name].player_counts)


def test_the_defaults() -> None:
    """Two players, or as few as can play."""
    assert len(regicide_rl.env().possible_agents) == 2
    assert len(regicide_rl.env("gridcannon").possible_agents) == 2
