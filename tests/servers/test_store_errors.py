"""A store that answers with errors, and a whole server over it: 503 meanwhile, then everything goes on by itself."""

import os
import signal
from collections.abc import Iterator

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.faulty import ERRORS, FaultyLine
from tests.processes import are_gone
from tests.servers.served import RunningServer, running_server, sit_down
from tests.waiting import AGES, allowed, comes_true, stays_untrue

BACK = 5.0
"""Seconds after which all is well when the store is."""

WORKING = {"WORKERS": "2", "ARENA_WORKERS": "1"}
WORKERS = sum(map(int, WORKING.values()))

FAULT_SECONDS = 1.5
"""How long the store answers with an error: longer than all that is done each second."""


@pytest.fixture(scope="module")
def faulty(redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[FaultyLine, RunningServer]]:
    """Give a server, and the line to its store."""
    folder = tmp_path_factory.mktemp("faulty")
    with (
        FaultyLine(redis_url, folder).open() as line,
        running_server(folder / "data", REDIS_URL=line.url, REGICIDE_LOG_LEVEL="warning", **WORKING) as served,
    ):
        yield line, served


def get(served: RunningServer, path: str) -> httpx.Response:
    """Ask once."""
    return httpx.get(f"{served.url}{path}", trust_env=False, timeout=10)


def counted(served: RunningServer) -> float:
    """Return how many requests were counted, of all processes."""
    families = text_string_to_metric_families(get(served, "/metrics").text)
    samples = [sample for family in families for sample in family.samples]
    return sum(one.value for one in samples if one.name == "regicide_http_requests_total")


def lasting(served: RunningServer) -> list[int]:
    """Return the processes that outlive an error of the store: all but the workers, which are replaced."""
    return sorted({*served.members("-m workers"), *served.members("-m api")} - {*served.workers()})


@pytest.mark.parametrize(
    ("code", "passes"),
    [("BUSY", 0), ("NOREPLICAS", 1), ("MISCONF", 0), ("READONLY", 1), ("MOVED", 0), ("LOADING", 1)],
)
def test_the_server_outlives_every_error(faulty: tuple[FaultyLine, RunningServer], code: str, passes: int) -> None:
    """It is 503 ``storage_unavailable``; within 5 s of its end all is well, metrics too, and no process has gone.

    With *passes* the error comes in the middle of a pipeline.
    """
    line, served = faulty
    with served.client() as client:
        ana = sit_down(client)
        before = ana.wait_for_turn(timeout=allowed(BACK))
        before_it = lasting(served)
        line.passes, line.fault = passes, ERRORS[code]
        seen: list[httpx.Response] = []

        def is_over() -> bool:
            seen.extend(get(served, path) for path in ("/v1/games", f"/v1/games/{ana.game_id}", "/readyz", "/metrics"))
            body = {"ruleset": "regicide"}
            seen.append(httpx.post(f"{served.url}/v1/games", json=body, trust_env=False, timeout=AGES))
            return False

        stays_untrue(is_over, FAULT_SECONDS)
        line.fault = None

        assert comes_true(lambda: get(served, "/readyz").status_code == 200, within=BACK)
        codes = {(one.status_code, one.json()["code"]) for one in seen if one.is_error}
        assert codes <= {(503, "storage_unavailable"), (503, "no_worker"), (422, "invalid")}
        assert (503, "storage_unavailable") in codes
        assert ana.fetch() == before
        count = counted(served)
        assert comes_true(lambda: counted(served) > count, within=BACK)
        assert lasting(served) == before_it


def test_a_killed_pool_leaves_no_orphans_after_an_error(faulty: tuple[FaultyLine, RunningServer]) -> None:
    """Its workers end with it even while the store answers with errors; others take their place when it is well."""
    line, served = faulty
    assert comes_true(lambda: len(served.workers()) == WORKERS)  # an error before this one may have cost one
    line.passes, line.fault = 0, ERRORS["BUSY"]
    before = served.workers()
    pool, *_ = served.members("-m workers")

    os.kill(pool, signal.SIGKILL)

    assert comes_true(lambda: are_gone({pool, *before}), within=BACK)
    line.fault = None
    assert comes_true(lambda: len(served.workers()) == WORKERS, within=BACK * 4)
    assert comes_true(lambda: get(served, "/readyz").status_code == 200, within=BACK)
