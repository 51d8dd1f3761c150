"""The commands that need no server: a record, verified and audited."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from api.commands.check_ruleset.generated_games import setups
from api.commands.cli import main
from engines import RULESETS
from engines.core.types import Json
from tests.contract.hosted import Hosting


@cache
def record() -> Json:
    """Return a record of two players, in which a novice has made some choices."""
    setup = setups(RULESETS["regicide"], 2)[0]
    records = (Hosting(setup, seed, ("novice",)).record() for seed in range(100))
    return next(record for record in records if sum(bool(entry["ai"]) for entry in record["actions"]) > 20)


def run(command: str, written: bytes, folder: Path | None = None) -> Result:
    """Run a command on a record: in a file if there is a folder, else on standard input."""
    if folder is None:
        return CliRunner().invoke(main, [command, "-"], input=written)
    (folder / "record.json").write_bytes(written)
    return CliRunner().invoke(main, [command, str(folder / "record.json")])


@pytest.mark.parametrize("command", ["verify", "audit"])
def test_a_true_record(command: str, tmp_path: Path):
    """From a file or from standard input: 0, and one line."""
    written = json.dumps(record(), ensure_ascii=False).encode()

    ends = [run(command, written), run(command, written, tmp_path)]

    assert [end.exit_code for end in ends] == [0, 0]
    assert ends[0].stdout == ends[1].stdout
    assert ends[0].stdout.endswith("Everything matches.\n")
    assert ends[0].stdout.count("\n") == 1


@pytest.mark.parametrize("command", ["verify", "audit"])
def test_a_tampered_record(command: str):
    """1, and a line for each thing that doesn't match."""
    forged = deepcopy(record()) | {"commitment": "0" * 64}
    forged["actions"][0]["text"] = "play nothing"

    end = run(command, json.dumps(forged).encode())

    assert end.exit_code == 1
    *lines, verdict = end.stdout.splitlines()
    assert {line.split(": ")[0] for line in lines} == {"commitment", "text"}
    assert verdict.endswith("2 things don't match.")


def test_whether_ais_notes_are_as_they_were_committed(tmp_path: Path):
    """The verdict says so; of a record of an older version that can't be told, and of a forged one it isn't so."""
    true, older, forged = (deepcopy(record()) for _ in range(3))
    del older["ai_notes"]
    forged["ai_notes"] = "0" * 64

    said = [run("verify", json.dumps(one).encode()).stdout for one in (true, older, forged)]

    assert "notes of AIs as committed by the server. Everything matches." in said[0]
    assert "notes of AIs not chained by the server. Everything matches." in said[1]
    assert "ai_notes: What AIs noted isn't as the server committed it" in said[2]
    assert "One thing doesn't match." in said[2]


@pytest.mark.parametrize(
    ("heard", "status", "said"),
    [
        ("", 0, "Everything matches."),
        ('{"id": "{id}", "commitment": "{commitment}"}\n\n', 0, "Everything matches."),
        ('{"id": "{id}", "commitment": "0"}', 1, "commitment: While the game ran"),
        ('{"version": 999, "ai_note": "00"}', 1, "ai_notes: Version 999"),
        ("[]", 2, "no JSON"),
        ("{", 2, "no JSON"),
    ],
)
def test_what_was_heard_in_play(tmp_path: Path, heard: str, status: int, said: str):
    """Lines that a player kept are held against the record."""
    (tmp_path / "record.json").write_text(json.dumps(true := record()))
    kept = heard.replace("{id}", true["id"]).replace("{commitment}", true["commitment"])
    (tmp_path / "heard").write_text(kept)

    end = CliRunner().invoke(main, ["verify", str(tmp_path / "record.json"), "--heard", str(tmp_path / "heard")])

    assert end.exit_code == status
    assert said in end.output


def test_an_audit_tells_how_far_it_is():
    """A line for each choice on standard error; one that differs is said there too."""
    forged = deepcopy(record())
    novices = [entry["ai"] for entry in forged["actions"] if entry["ai"]]
    for ai in novices:
        ai["level"] = "adept"

    end = run("audit", json.dumps(forged).encode())

    steps = end.stderr.splitlines()
    assert [step.split()[0] for step in steps] == [f"{n}/{len(novices)}" for n in range(1, len(novices) + 1)]
    assert end.exit_code == 1
    assert end.stdout.count("ai_choice: ") == sum(step.endswith("something else") for step in steps) > 0


@pytest.mark.parametrize("command", ["verify", "audit"])
@pytest.mark.parametrize(
    ("written", "said"),
    [(b"{}", "'format' is missing"), (b"", "no JSON"), (b"\xff", "isn't UTF-8"), (b'{"format": 1}', "'id' is missing")],
)
def test_what_is_no_record(command: str, written: bytes, said: str):
    """2, and what is wrong with it."""
    end = run(command, written)

    assert end.exit_code == 2
    assert said in end.stderr


def test_no_file():
    """2 as well."""
    assert CliRunner().invoke(main, ["verify", "nowhere.json"]).exit_code == 2
