"""Entry point ``python -m workers``: a worker pool and a sweeper for the store at REDIS_URL, until SIGTERM."""

import os
from typing import Final

from workers.ai_files import check_ai_files
from workers.processes.forkserver import prepare
from workers.settings import Settings, run_or_exit

POOL: Final = "workers.background.pool"


def main() -> None:
    """Run the pool with the settings of the environment."""
    settings = Settings.from_environment(os.environ)
    prepare(POOL)  # the fork server imports the pool while this process imports it too
    check_ai_files()
    from workers.background.pool import run  # noqa: PLC0415
    from workers.processes.logs import exit_with_threads, set_up_logs  # noqa: PLC0415
    from workers.processes.supervisor import exit_with_supervisor  # noqa: PLC0415

    set_up_logs(settings.log_level)
    exit_with_threads()
    exit_with_supervisor()
    run(settings)


if __name__ == "__main__":
    run_or_exit(main)
