"""``regicide dataset``: a row for each decision, as Parquet and as CSV, and what it refuses."""

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from api.commands.cli import main
from api.commands.dataset import ARROW_TYPE_BY_COLUMN
from engines.core.types import Json
from engines.table.decision_rows import COLUMNS, decisions
from engines.table.record_parser import read_record

pytestmark = pytest.mark.search

ARENA = ("arena", "--ruleset", "gridcannon", "--seat", "adept", "--seat", "novice", "--games", "3", "--seed", "rows")


def run(*words: str | Path) -> Result:
    """Run a command."""
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the records of some games."""
    file = tmp_path_factory.mktemp("games") / "games.jsonl.gz"
    ended = run(*ARENA, "--records", file)
    assert ended.exit_code == 0, ended.output
    return file


def expected(games: Path) -> list[Json]:
    """Return the rows that the records have."""
    lines = gzip.decompress(games.read_bytes()).decode().splitlines()
    return [row.as_json() for line in lines for row in decisions(read_record(line))]


def test_parquet(games: Path, tmp_path: Path):
    """Every column has its type; the same bytes a second time."""
    runs = [run("dataset", games, "--out", tmp_path / folder) for folder in ("one", "other")]
    assert [ended.exit_code for ended in runs] == [0, 0], runs[0].output

    file = tmp_path / "one" / "decisions.parquet"
    table = parquet.read_table(file)
    assert table.to_pylist() == expected(games)
    assert table.column_names == list(COLUMNS)
    assert {
        name: str(table.schema.field(name).type).replace("double", "float64") for name in ARROW_TYPE_BY_COLUMN
    } == ARROW_TYPE_BY_COLUMN
    assert runs[0].output == f"{len(table)} decisions: {file}\n"
    assert file.read_bytes() == (tmp_path / "other" / "decisions.parquet").read_bytes()
    assert list((tmp_path / "one").iterdir()) == [file]


def test_csv(games: Path, tmp_path: Path):
    """Lists and truth values are JSON, null is nothing; lines that aren't compressed are read too."""
    plain = tmp_path / "games.jsonl"
    plain.write_bytes(gzip.decompress(games.read_bytes()))

    ended = run("dataset", plain, "--out", tmp_path, "--format", "csv")

    assert ended.exit_code == 0, ended.output
    with (tmp_path / "decisions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    texts = {"game", "ruleset", "view", "action", "by", "result"}
    assert [
        {name: text if name in texts else json.loads(text or "null") for name, text in row.items()} for row in rows
    ] == expected(games)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: [lines[0], b"{}", lines[2]], "line 2: In the record"),
        (lambda lines: [lines[0], lines[1].replace(b'"seed":"', b'"seed":"x')], "line 2: In the record"),
        (lambda lines: [lines[0].replace(b'"result":"won"', b'"result":"draw"')], "line 1: After the last action"),
        (lambda lines: [b"\xff"], "line 1: it isn't UTF-8"),
    ],
)
def test_a_line_that_is_no_record(games: Path, tmp_path: Path, change, said: str):
    """It is named, and there is no table."""
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"\n".join(change(gzip.decompress(games.read_bytes()).splitlines())))

    ended = run("dataset", file, "--out", tmp_path / "table", "--format", "csv")

    assert (ended.exit_code, said in ended.output) == (2, True), ended.output
    assert list((tmp_path / "table").iterdir()) == []


def test_a_file_that_is_cut_off(games: Path, tmp_path: Path):
    """As after a download that broke."""
    file = tmp_path / "games.jsonl.gz"
    file.write_bytes(games.read_bytes()[:-100])

    ended = run("dataset", file, "--out", tmp_path / "table")

    assert (ended.exit_code, "is cut off or damaged" in ended.output) == (2, True), ended.output


def test_without_pyarrow(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A sentence names the extra; CSV goes without."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    refused = run("dataset", games, "--out", tmp_path)

    assert (refused.exit_code, "the extra `data`" in refused.output) == (1, True)
    assert run("dataset", games, "--out", tmp_path, "--format", "csv").exit_code == 0


def test_no_other_command_loads_pyarrow():
    """It takes a while, and isn't there for most."""
    modules = "api.commands.cli, api.commands.dataset, workers.local_arena"
    program = f"import sys, {modules}; print('pyarrow' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"False\n"


def test_the_memory_that_it_needs_does_not_grow(games: Path, tmp_path: Path):
    """Ten times as many games, each more than is written at a time, take less than 30 MB more."""
    line = gzip.decompress(games.read_bytes())
    program = (
        "import resource, sys; from click.testing import CliRunner; from api.commands.cli import main; "
        "from api.commands import dataset; dataset.ROWS_PER_BATCH = 200; "
        "ended = CliRunner().invoke(main, sys.argv[1:]); assert ended.exit_code == 0, ended.output; "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for times in (3, 30):
        file = tmp_path / f"{times}.jsonl.gz"
        file.write_bytes(gzip.compress(line * times))
        words = ("dataset", str(file), "--out", str(tmp_path / f"{times}"))
        done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, check=True, text=True)
        peaks.append(int(done.stdout) / 1024)

    assert peaks[1] - peaks[0] < 30, peaks
