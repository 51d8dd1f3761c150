"""The command ``regicide dataset``: the decisions of recorded games as one table."""

import csv
import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

import click

from api.commands.command_base import InvalidInput, exit_on_error
from engines.core.errors import BadRequest
from engines.core.types import Json
from engines.table.decision_rows import COLUMNS, Unplayable, decisions
from engines.table.record_parser import read_record
from workers.settings import CannotStart

ROWS_PER_BATCH: Final = 5_000
"""Number of rows written at a time, so that memory use doesn't grow with the number of games."""

GZIP_MAGIC_BYTES: Final = b"\x1f\x8b"
"""The first bytes of a gzip file."""
NO_PYARROW_MESSAGE: Final = (
    "Parquet needs pyarrow, the extra `data`: pip install 'regicide-server[data]', or use --format csv."
)


ARROW_TYPE_BY_COLUMN: Final = {
    **dict.fromkeys(("game", "ruleset"), "string"),
    **dict.fromkeys(("players", "decision", "version", "seat"), "int32"),
    "must_act": "bool",
    **dict.fromkeys(("view", "signals", "action"), "string"),
    "choice": "int32",
    "by": "string",
    "is_ai": "bool",
    "iterations": "int32",
    **dict.fromkeys(("won", "drawn"), "bool"),
    "result": "string",
    "score": "float64",
}
"""Arrow types of the columns of a Parquet file, except ``legal``: ``_parquet`` adds it as a list of texts."""

Write = Callable[[list[Json]], object]
"""Function that appends rows to the open table."""


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder for the table."
)
@click.option("--format", "suffix", type=click.Choice(["parquet", "csv"]), default="parquet", show_default=True)
def dataset(file: Path, out: Path, suffix: str) -> None:
    """Write a table from FILE, records of games as JSON lines. Each row has a decision and what its seat knew.

    FILE is what `regicide arena` and `regicide tournament` write with --records. docs/data.md describes the columns.
    """
    table = out / f"decisions.{suffix}"
    with exit_on_error():
        count = _write(file, table, WRITER_BY_FORMAT[suffix])
    click.echo(f"{count} decisions: {table}")


def _write(file: Path, table: Path, writer: Callable[[Path], AbstractContextManager[Write]]) -> int:
    """Write the whole table, or no table after an error. Return the number of rows."""
    draft, count = table.with_name(f"{table.name}.new"), 0
    try:
        table.parent.mkdir(parents=True, exist_ok=True)
        with writer(draft) as write:
            rows = _rows(file)
            while batch := list(islice(rows, ROWS_PER_BATCH)):
                write(batch)
                count += len(batch)
        draft.replace(table)
    except OSError as error:
        raise CannotStart(f"{table} can't be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)
    return count


def _rows(file: Path) -> Iterator[Json]:
    """Yield the rows of all games. Raises an ``InvalidInput`` that names the line."""
    with _open_lines(file) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                for row in decisions(read_record(line.decode())):
                    yield row.as_json()
            except UnicodeDecodeError as error:
                raise InvalidInput(f"{file}, line {number}: it isn't UTF-8.") from error
            except BadRequest as refusal:
                raise InvalidInput(f"{file}, line {number}: {refusal.detail}") from refusal
            except Unplayable as unplayable:
                raise InvalidInput(f"{file}, line {number}: {unplayable}") from unplayable


@contextmanager
def _open_lines(file: Path) -> Iterator[Iterable[bytes]]:
    """Open a file of lines, compressed or plain. Raises ``InvalidInput`` if it can't be read."""
    try:
        with file.open("rb") as raw:
            is_packed = raw.read(len(GZIP_MAGIC_BYTES)) == GZIP_MAGIC_BYTES
            raw.seek(0)
            yield gzip.GzipFile(fileobj=raw) if is_packed else raw
    except (EOFError, gzip.BadGzipFile) as error:
        raise InvalidInput(f"{file} is cut off or damaged: {error}.") from error


@contextmanager
def _csv(path: Path) -> Iterator[Write]:
    """Open a CSV file whose first line names the columns. Lists are written as JSON, null as an empty cell."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        yield lambda rows: table.writerows([_cell(row[name]) for name in COLUMNS] for row in rows)


def _cell(value: object) -> object:
    """Return a value as it is written in CSV: truth values and lists as JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (bool, list)) else value


@contextmanager
def _parquet(path: Path) -> Iterator[Write]:
    """Open a Parquet file. Raises ``CannotStart`` without pyarrow."""
    try:
        import pyarrow as pa  # noqa: PLC0415  pyarrow is an extra that only this function needs
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise CannotStart(NO_PYARROW_MESSAGE) from error

    schema = pa.schema([pa.field(name, pa.type_for_alias(kind)) for name, kind in ARROW_TYPE_BY_COLUMN.items()])
    schema = schema.insert(COLUMNS.index("legal"), pa.field("legal", pa.list_(pa.string())))
    with parquet.ParquetWriter(path, schema, compression="zstd") as table:
        yield lambda rows: table.write_table(pa.Table.from_pylist(rows, schema))


WRITER_BY_FORMAT: Final = {"parquet": _parquet, "csv": _csv}
