"""Who doesn't ask for the extra gets nothing of it."""

import re
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
OF_THE_EXTRA: Final = {"numpy", "gymnasium", "pettingzoo"}


def names(lines: list[str]) -> set[str]:
    """Return the names of requirements."""
    return {re.split(r"[^\w-]", line)[0].lower() for line in lines}


def test_it_is_required_by_the_extra_alone() -> None:
    """The distribution's metadata, and what is locked for serving."""
    needs = requires("regicide-server") or []
    locked = [line for line in (ROOT / ".ci/locks/serve.txt").read_text("utf-8").splitlines() if "==" in line]

    assert names([need for need in needs if 'extra == "rl"' in need]) == OF_THE_EXTRA
    assert names([need for need in needs if "extra ==" not in need]) & OF_THE_EXTRA == set()
    assert len(locked) > 10
    assert names(locked) & {*OF_THE_EXTRA, "cloudpickle", "farama-notifications"} == set()


def test_nothing_imports_it() -> None:
    """The command, the web process, the workers, the client and all games are there, and none of this."""
    modules = "api.commands.cli, api.web_process, workers.background.worker_processes, regicide_client"
    asked = f"import sys, engines, {modules}; engines.RULESETS['regicide'].environment(); print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)

    assert "engines.regicide.rl_environment" in said.stdout.split()
    assert {"regicide_rl", *OF_THE_EXTRA} & set(said.stdout.split()) == set()
