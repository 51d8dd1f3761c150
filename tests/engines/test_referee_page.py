"""docs/referee.md: every line that it shows is answered as it shows."""

import re
import subprocess
import sys
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

import pytest

import engines.__main__
from engines.__main__ import OPERATIONS, answer_line
from tests.own import OWN_RULESETS
from tests.waiting import AGES, allowed

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "referee.md").read_text("utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
SHOWN = [re.fullmatch(r"\$ echo '(.*)' \| python -m engines\n(.*\n)", block) for block in BLOCKS]


@pytest.mark.parametrize("number", range(len(SHOWN)))
def test_the_referee_answers_as_shown(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """``...`` stands for anything; of games that are installed beside ours the page knows nothing."""
    monkeypatch.setattr(engines.__main__, "RULESETS", OWN_RULESETS)
    example = SHOWN[number]
    assert example, BLOCKS[number]
    line, answer = example.groups()

    assert OutputChecker().check_output(answer, answer_line(line.encode()) + "\n", ELLIPSIS)


def test_every_operation_and_refusal_is_there() -> None:
    """Each operation has an example; each refusal that the referee can give is in the table."""
    assert set(re.findall(r'"op":"(\w+)","?', PAGE)) | {"rulesets"} >= set(OPERATIONS)
    shown = set(re.findall(r'"code": "(\w+)"', PAGE))
    assert shown == {
        *("bad_request", "bad_options", "bad_position", "bad_card", "not_your_turn", "illegal_action"),
    }
    assert all(f"`{code}`" in PAGE for code in (*shown, "game_over", "bad_action"))


def test_the_program_plays() -> None:
    """To the end of a game."""
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

    done = subprocess.run(
        [sys.executable, "-c", program], check=True, cwd=ROOT, capture_output=True, text=True, timeout=allowed(AGES)
    )

    assert "'result': " in done.stdout
