"""Runs `regicide` commands in forks of this process, which has imported them: importing is most of what they cost.

It reads a JSON line for each command, its arguments, variables, working directory and the files of its output, and
writes the exit status of each.
"""

import gc
import json
import os
import sys
from typing import Any

import api.commands.operator_commands  # noqa: F401  what the commands import when they are used
import workers.storage.store  # noqa: F401
from api.commands.cli import main


def serve() -> None:
    """Run each command that is read, one after the other."""
    gc.freeze()
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            become(json.loads(line))
            main()
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  whoever asked reads it


def become(asked: dict[str, Any]) -> None:
    """Make of this fork a process with other arguments, variables, working directory, input and output."""
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environ"])
    sys.argv[1:] = asked["words"]
    flags = os.O_WRONLY | os.O_CREAT
    for number, name, way in ((0, os.devnull, os.O_RDONLY), (1, asked["out"], flags), (2, asked["err"], flags)):
        os.dup2(os.open(name, way), number)


if __name__ == "__main__":
    serve()
