"""docs/evening.md is what happens: each of its commands is run, but for those that change the machine itself."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.api.games import ANA, BEN
from tests.servers.proxies import CADDY, caddy_version
from tests.servers.served import running_server
from tests.servers.transcript import MISSING, ROOT, WANTED
from tests.test_docs import lines_of_code
from tests.waiting import allowed
from workers.settings import Settings

PAGE = (ROOT / "docs" / "evening.md").read_text("utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
UNIT = (ROOT / "examples" / "systemd" / "regicide.service").read_text("utf-8")
OF_THE_MACHINE = {"systemctl", "journalctl", "apt-get", "nginx", "certbot", "ln"}
"""Programs that a test doesn't run: they would change the machine, or need a service manager."""
RUN = {"caddy", "curl", "sed", "regicide", "export", "install", "echo"}
ELSEWHERE = {
    "/usr/bin/python3": "tests/servers/test_wheel.py",
    "/opt/regicide/bin/pip": "tests/servers/test_wheel.py",
    "cp": "tests/test_deployment.py",
    "make": "tests/test_docs.py",
    ".venv/bin/python": "tests/servers/test_bench.py",
}
"""What else the page runs, and the tests of the same commands."""

pytestmark = pytest.mark.skipif(bool(MISSING), reason=WANTED)


def block_with(text: str) -> str:
    """Return the block of commands that has *text*."""
    (found,) = [block for block in BLOCKS if text in block]
    return str(found)


def run(script: str, folder: Path, **environ: str) -> str:
    """Run commands in a shell, in which `regicide` is installed; return what they print."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, **environ},
        check=False,
        capture_output=True,
        text=True,
        timeout=allowed(110),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def made_settings(folder: Path) -> dict[str, str]:
    """Make the settings as the page does, in a folder in place of /etc; return them."""
    (folder / "etc").mkdir()
    run(block_with("regicide.env").replace("/etc/", f"{folder}/etc/"), folder)
    lines = (folder / "etc" / "regicide.env").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_every_program_is_run_somewhere():
    """Here, by another test, or on a machine alone."""
    lines = [line for block in BLOCKS for line in block.splitlines()]

    assert {shlex.split(line)[0] for line in lines} == OF_THE_MACHINE | RUN | ELSEWHERE.keys()
    assert not [file for file in ELSEWHERE.values() if not (ROOT / file).exists()]


def test_the_server_is_set_up_as_its_unit_says():
    """Each command stands at the head of the unit too."""
    *commands, path, version = block_with("/opt/regicide/bin/pip").splitlines()

    for line in commands:
        assert f"#   {line}\n" in UNIT
    assert path == "export PATH=/opt/regicide/bin:$PATH REGICIDE_DATA=/var/lib/regicide"
    assert run(version, ROOT).startswith("regicide ")


def test_what_is_installed_builds_the_server():
    """Nothing else is fetched by its build: the locks that the page names have what it asks for, the compiler too."""
    (line,) = [line for line in block_with("/opt/regicide/bin/pip").splitlines() if "--require-hashes" in line]
    locks = "".join((ROOT / name).read_text("utf-8") for name in line.split() if name.endswith(".txt"))
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    compiler = re.findall(r'^COMPILER: Final = "(.*)"$', (ROOT / "setup.py").read_text("utf-8"), re.MULTILINE)

    for one in [*asked, *compiler]:
        name = re.split("[><=]", one)[0]
        assert re.search(rf"^{name}==", locks, re.MULTILINE), name


def test_the_settings_are_made(tmp_path: Path):
    """A token that the server takes, which root alone may read, and one proxy."""
    settings = Settings.from_environment(made_settings(tmp_path))

    assert settings.operator_token
    assert settings.proxies == 1
    assert (tmp_path / "etc" / "regicide.env").stat().st_mode & 0o777 == 0o600
    assert "\nEnvironmentFile=-/etc/regicide.env\n" in UNIT


@pytest.mark.parametrize("proxy", ["caddy", "nginx"])
def test_the_proxy_gets_its_name(tmp_path: Path, proxy: str):
    """Nothing of the example's name is left, and what the page names is in the configuration."""
    block = block_with(f"apt-get install --yes {proxy}")
    (line,) = [line for line in block.splitlines() if line.startswith("sed")]
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "etc" / proxy).mkdir(parents=True)

    run(line.replace("/etc/", f"{tmp_path}/etc/").replace("YOUR.NAME", "games.example.net"), tmp_path)

    (written,) = [file.read_text("utf-8") for file in (tmp_path / "etc" / proxy).iterdir()]
    assert "play.example.org" not in written
    assert "games.example.net" in written
    if proxy == "nginx":
        assert {"limit_conn clients 64;", "proxy_buffering off;"} <= settings_of(written)
        run(block_with("clients 1024").replace("/etc/", f"{tmp_path}/etc/"), tmp_path)
        assert "limit_conn clients 1024;" in settings_of((tmp_path / "etc" / "nginx" / "nginx.conf").read_text("utf-8"))


def settings_of(written: str) -> set[str]:
    """Return what the lines of nginx's configuration say, without what follows."""
    return {line.split(";")[0].strip() + ";" for line in written.splitlines()}


@pytest.mark.skipif(CADDY is None, reason="Caddy isn't installed here")
def test_caddy_takes_what_is_written(tmp_path: Path):
    """Valid, and as Caddy's own formatter has it; older versions by the line that is for them."""
    file = tmp_path / "etc" / "caddy" / "Caddyfile"
    file.parent.mkdir(parents=True)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    written, older, checked = (
        block_with(text) for text in ("install --yes caddy", "buffer_requests", "caddy validate")
    )

    commands = [
        *written.splitlines(),
        *(older.splitlines() if caddy_version() < (2, 6, 4) else []),
        *checked.splitlines(),
    ]
    of_caddy = [line for line in commands if line.startswith(("sed", "caddy"))]
    run("\n".join(of_caddy).replace("/etc/", f"{tmp_path}/etc/"), tmp_path)

    assert subprocess.run([str(CADDY), "fmt", file], check=True, capture_output=True).stdout == file.read_bytes()


def test_the_server_is_watched_and_moderated(tmp_path: Path):
    """Each command works on a server with the settings that were made, and prints what it should."""
    data = tmp_path / "data"
    with running_server(data, **made_settings(tmp_path)) as served, served.client() as client:
        address = served.url.removeprefix("http://")
        game = client.create("regicide", [ANA, BEN], private=True).game["id"]
        watched = [line for line in block_with("/metrics").splitlines() if line.startswith("curl")]

        seen = run("\n".join(watched).replace("127.0.0.1:8000", address), tmp_path)
        assert '"reasons":[]' in seen.replace(": ", ":")
        assert re.search(r"^regicide_games", seen, re.MULTILINE)

        block = block_with("regicide close").replace(" ID\n", f" {game}\n")
        said = run(block, tmp_path, REDIS_URL="", REGICIDE_DATA=str(data)).splitlines()
        assert said[0].startswith(game)
        assert said[1:] == [
            f"Game {game} is closed.",
            "All games have it.",
            "The last game begins at ten.",
            "The banner is taken back.",
        ]
        for command in ("regicide backup evening.backup", "regicide export evening.jsonl"):
            assert command in lines_of_code(PAGE)
            run(command, tmp_path, REDIS_URL="", REGICIDE_DATA=str(data))
    (restore,) = [line for line in block_with("regicide restore").splitlines() if line.startswith("regicide")]
    assert run(restore, tmp_path, REDIS_URL="", REGICIDE_DATA=str(data)).startswith("1 game restored")
