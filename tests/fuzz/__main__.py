"""Schemathesis asks a whole server whatever its contract allows, and what it doesn't: ``python -m tests.fuzz``.

All phases (examples, coverage, fuzzing, stateful), again and again with another seed, until so many cases were asked.
The first failure ends it: an answer that the contract doesn't know, a 5xx, a wrong body let through.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory
from typing import Final

from tests.servers.served import running_server

HERE = Path(__file__).parent
CONFIG: Final = HERE / "schemathesis.toml"

UNLIMITED: Final = {f"REGICIDE_RATE_{kind}": "0" for kind in ("CREATE", "JOBS", "REQUESTS")} | {
    f"REGICIDE_LIMIT_{kind}": "0" for kind in ("AI_GAMES", "ARENAS")
}
"""Settings of the server that is asked, unless limits are wanted: nobody asks too often."""
NOT_401_ALONE: Final = """
[checks.missing_required_header]
enabled = false # it takes nothing but 401 where a token is missing; `token_needed` of the hooks takes its place
"""


def main() -> None:
    """Read how much is wanted, and ask."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Other arguments go to schemathesis.")
    parser.add_argument("--cases", type=int, default=1, help="at least so many, in whole rounds")
    parser.add_argument("--examples", type=int, default=5, help="of each operation, in a round")
    parser.add_argument("--seed", type=int, default=1, help="of the first round")
    parser.add_argument("--limited", action="store_true", help="with limits as they are by default")
    chosen, more = parser.parse_known_args()
    asked, seed = 0, chosen.seed
    settings = {"WORKERS": "1", "REGICIDE_OPERATOR_TOKEN": token_urlsafe(24)} | ({} if chosen.limited else UNLIMITED)
    with TemporaryDirectory() as folder, running_server(Path(folder) / "server", **settings) as opened:
        report, config = Path(folder) / "report.json", Path(folder) / "schemathesis.toml"
        config.write_text(_config(limited=chosen.limited))
        while asked < chosen.cases:
            bounds = ["--max-examples", str(chosen.examples), "--seed", str(seed)]
            _ask(config, [f"{opened.url}/openapi.yaml", *bounds, *more], report)
            asked += json.loads(report.read_text())["test_cases"]["generated"]
            seed += 1
        assert opened.process.poll() is None, opened.log.read_text()[-2000:]
    print(f"{asked} cases, no failure.")  # noqa: T201  a command


def _config(*, limited: bool) -> str:
    """Return schemathesis's settings; where there are limits, 429 may be an answer to anything."""
    text = CONFIG.read_text("utf-8")
    return text.replace('"422"]', '"422", "429"]') + NOT_401_ALONE if limited else text


def _ask(config: Path, arguments: list[str], report: Path) -> None:
    """Let schemathesis ask one round; end as it ends if that isn't well."""
    written = ["--report", "json", "--report-json-path", str(report)]
    environ = {**os.environ, "PYTHONPATH": str(HERE.parents[1])}
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run"]
    code = subprocess.run([*command, *arguments, *written], env=environ, check=False).returncode
    if code != 0:
        sys.exit(code)


if __name__ == "__main__":
    main()
