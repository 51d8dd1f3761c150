"""``python -m workers``: a pool of workers and a sweeper, for the storage that REDIS_URL names, until SIGTERM."""

import os
import sys
from typing import Final

from workers.processes.forkserver import prepare
from workers.settings import CannotStart, Settings

POOL: Final = "workers.background.pool"


def main() -> None:
    """Run by the settings in the environment."""
    settings = Settings.from_environment(os.environ)
    prepare(POOL)  # it imports what we import now, beside us
    from workers.background.pool import run  # noqa: PLC0415
    from workers.processes.logs import exit_with_threads, set_up_logs  # noqa: PLC0415
    from workers.processes.supervisor import exit_with_supervisor  # noqa: PLC0415

    set_up_logs(settings.log_level)
    exit_with_threads()
    exit_with_supervisor()
    run(settings)


if __name__ == "__main__":
    try:
        main()
    except CannotStart as reason:
        sys.stderr.write(f"{reason}\n")
        sys.exit(reason.status)
