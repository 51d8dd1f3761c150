"""Why engines stay interpreted is said in a sentence. What servers do then: ``tests/servers/test_first_start.py``."""

from pathlib import Path
from queue import Queue
from shlex import quote

import pytest

from tests.waiting import AGES
from workers.processes.engine_compilation import (
    COMPILING_MESSAGE,
    NOT_FOUND_MESSAGE,
    STAYS_INTERPRETED_MESSAGE,
    Compilation,
)

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo There is no compiler. && echo && echo make: Error 3 && exit 3", "There is no compiler."),
        ("exit 3", "The command that compiles them ended with status 3."),
        ("true", NOT_FOUND_MESSAGE),
    ],
)
def test_why_engines_stay_interpreted(script: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the last line that the command printed, but for make's own, or its status; or nothing is there in the end."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # whatever these tests themselves run on
    told, compiled = Queue[str](), list[bool]()

    Compilation(f"sh -c {quote(script)}", told.put, lambda: compiled.append(True))

    assert [told.get(timeout=AGES) for _ in range(2)] == [
        COMPILING_MESSAGE,
        STAYS_INTERPRETED_MESSAGE.format(reason=reason),
    ]
    assert compiled == []
