"""The tour of the contract happens as it is told, and leaves nothing out."""

import re
from collections.abc import Iterator
from doctest import ELLIPSIS, OutputChecker

import pytest
import yaml

from tests.servers.served import running_server
from tests.servers.transcript import MISSING, ROOT, WANTED, run, steps

TOUR = steps((ROOT / "docs" / "http.md").read_text(encoding="utf-8"))
CONTRACT = yaml.load((ROOT / "openapi.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)
OPERATOR_TOKEN = "an-operator-s-secret-token"
PAGES = {
    *("/", "/about", "/docs/contract", "/learn", "/operator", "/play", "/puzzles", "/puzzles/{puzzle_id}", "/metrics"),
}
"""For browsers and machines."""

Toured = tuple[list[str], str]


@pytest.fixture(scope="module")
def toured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toured]:
    """Give what was printed and traced on the tour of a server."""
    if MISSING:
        pytest.skip(WANTED)
    folder = tmp_path_factory.mktemp("tour")
    with running_server(folder / "data", REGICIDE_OPERATOR_TOKEN=OPERATOR_TOKEN) as served:
        yield run([command for command, _ in TOUR], folder, served.url.removeprefix("http://"))


def test_the_tour_happens(toured: Toured) -> None:
    """Each command prints what is shown; ``...`` stands for anything."""
    printed, _ = toured
    checker = OutputChecker()

    for (command, shown), said in zip(TOUR, printed, strict=True):
        assert checker.check_output(shown, said, ELLIPSIS), f"{command}\nis told to print\n{shown}but prints\n{said}"


def test_the_tour_leaves_nothing_out(toured: Toured) -> None:
    """Every operation of the contract has been asked."""
    _, trace = toured
    asked = [line for line in trace.splitlines() if re.match(r"\++ curl ", line)]
    wanted = {
        (method, path)
        for path, operations in CONTRACT["paths"].items()
        for method in operations
        if method in ("get", "post", "delete") and path not in PAGES
    }

    found = {(method, path) for line in asked for method, path in wanted if is_for(line, method, path)}

    assert wanted - found == set()


def is_for(curl: str, method: str, path: str) -> bool:
    """Tell whether a command, as bash has traced it, asks for an operation."""
    pattern = re.sub(r"\{.*?\}", r"[^/? ']+", path)
    sent = "delete" if " -X DELETE " in curl else "post" if re.search(" -d | -X POST ", curl) else "get"
    return sent == method and re.search(rf"[a-z0-9.]+:\d+{pattern}(?=[? ']|$)", curl) is not None
