"""Entry point ``python -m workers``: a worker pool and a sweeper for the store at REDIS_URL, until SIGTERM."""

import gc

gc.disable()  # importing creates hardly any garbage, and collections would take a tenth of the start time

import os

from workers.background.worker_processes import run
from workers.processes.logs import exit_with_threads, set_up_logs
from workers.processes.supervisor import exit_with_supervisor
from workers.settings import Settings, run_or_exit
from workers.startup_ai_file_check import check_ai_files


def main() -> None:
    """Run the pool of workers and the sweeper with the settings of the environment."""
    gc.enable()
    settings = Settings.from_environment(os.environ)
    check_ai_files()
    set_up_logs(settings.log_level)
    exit_with_threads()
    exit_with_supervisor()
    run(settings)


if __name__ == "__main__":
    run_or_exit(main)
