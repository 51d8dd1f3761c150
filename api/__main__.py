"""The web server: ``python -m api`` listens and forks the web processes. ``regicide serve`` starts it."""

import gc

gc.disable()  # importing creates hardly any garbage, and collections would take a tenth of the start time

import os
import resource
from contextlib import closing, suppress
from typing import Final

import structlog

from api.contract.examples import FAILED_EXAMPLES
from api.http_server import processes
from api.web_process import limits, run_web_process
from engines import REJECTED_RULESETS
from workers.processes.logs import set_up_logs
from workers.processes.supervisor import exit_with_supervisor
from workers.settings import Settings, run_or_exit
from workers.storage.errors import StorageUnavailable
from workers.storage.startup_checks import check_stores
from workers.storage.store import open_store

OPEN_FILES_BESIDE_CONNECTIONS: Final = 256
"""Number of files that a process may open in addition to its connections."""

log: Final = structlog.get_logger(__name__)


def main() -> None:
    """Serve with the settings of the environment until SIGTERM or SIGINT."""
    gc.enable()
    settings = Settings.from_environment(os.environ)
    set_up_logs(settings.log_level)
    exit_with_supervisor()
    for rejected in REJECTED_RULESETS:
        log.warning("ruleset_rejected", entry_point=rejected.name, reason=rejected.reason)
    for failed in FAILED_EXAMPLES:
        log.error("ruleset_example_failed", ruleset=failed.ruleset_name, exc_info=failed.error)
    check_stores(settings)
    with closing(open_store(settings)) as store, suppress(StorageUnavailable):
        store.health.check_layout()  # an unreachable store is not fatal, because each web process checks it again
    _allow_open_files(limits(settings).connections + OPEN_FILES_BESIDE_CONNECTIONS)
    listening = processes.listen(settings.host, settings.port)
    processes.run(settings.web_workers, lambda tally: run_web_process(settings, listening, tally))


def _allow_open_files(count: int) -> None:
    """Raise this process's limit of open files to *count*, or to the system's maximum if that is lower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        allowed = count if hard == resource.RLIM_INFINITY else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


if __name__ == "__main__":
    run_or_exit(main)
