"""What a server is installed and run by: packages by their hashes, an image for nobody, a unit with a sandbox."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = {file.stem: file.read_text("utf-8") for file in sorted((ROOT / ".ci" / "locks").glob("*.txt"))}
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
DOCKERFILE = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text("utf-8"))
UNITS = sorted((ROOT / "examples" / "systemd").glob("*.service"))
PINNED = re.compile(r"^([\w.-]+)==(\S+)(?: ;.*?)?((?: --hash=sha256:[0-9a-f]{64})+)$")


def canonical(name: str) -> str:
    """Return a package's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(name: str) -> dict[str, str]:
    """Return the versions of a lock by package; every line has hashes."""
    lines = re.sub(r" \\\n\s*", " ", LOCKS[name]).splitlines()
    found = [PINNED.fullmatch(line) for line in lines]
    assert None not in found, [line for line, match in zip(lines, found, strict=True) if match is None]
    return {canonical(match[1]): match[2] for match in found if match}


def instructions(name: str) -> list[str]:
    """Return what the Dockerfile says after each *name*."""
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)


@pytest.mark.parametrize("name", LOCKS)
def test_whatever_is_installed_is_known_by_its_hash(name: str):
    """In the version that the constraints say, by one SHA-256 or more."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    wanted = {canonical(package): version for package, _, version in (line.partition("==") for line in lines)}

    found = locked(name)

    assert found
    assert found == {package: wanted.get(package) for package in found}


def test_a_lock_has_what_is_asked_for():
    """Every package that pyproject.toml names for serving and for tests, and what builds this one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    serving = [*project["dependencies"], *project["optional-dependencies"]["embedded"], "setuptools"]
    testing = [*serving, *project["optional-dependencies"]["dev"]]

    for name, asked in (("serve", serving), ("dev", testing), ("uv", ["uv"]), ("compile", ["mypy", "setuptools"])):
        assert {canonical(re.split(r"[\[><=]", one)[0]) for one in asked} <= locked(name).keys()


def test_make_installs_nothing_without_a_hash():
    """What serves, tests and compiles: by the locks; this folder itself fetches nothing."""
    calls = re.findall(r"\$\(call install,(.*)\)", MAKEFILE)

    assert len(calls) == 2
    assert all("--require-hashes" in call or "--no-deps --no-build-isolation" in call for call in calls)
    assert "$(PIP_INSTALL) --require-hashes" in MAKEFILE


def test_the_image_installs_nothing_without_a_hash():
    """Each pip asks for hashes, or fetches nothing."""
    pips = [
        command
        for run in instructions("RUN")
        for command in run.split("&&")
        if re.search(r"pip (install|wheel)", command)
    ]

    assert len(pips) == 4
    assert all("--require-hashes" in pip or "--no-deps" in pip for pip in pips)


def test_the_image_runs_as_nobody():
    """From where it is served on, by number, so that an engine can tell; its folder is nobody's alone."""
    *_, user = instructions("USER")
    final = DOCKERFILE.rpartition("\nFROM ")[2]

    assert user == "65534:65534"
    assert f"\nUSER {user}\n" in final
    assert final.index("USER") < final.index("ENTRYPOINT")
    assert "--owner=65534 --group=65534 --mode=0700 /data" in final
    assert "sudo" not in DOCKERFILE


def test_the_image_is_made_of_what_is_there():
    """All that it copies, and all of that is let through."""
    copied = {name for copy in instructions("COPY") if "--from" not in copy for name in copy.split()[:-1]}
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[:1] == "!"}

    assert copied == let_through
    assert [name for name in copied if not (ROOT / name).exists()] == []


def unit(file: Path) -> ConfigParser:
    """Read a unit; where a name is there more often the last one counts."""
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(file, "utf-8")
    return parser


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("DynamicUser", "yes"), ("NoNewPrivileges", "yes"), ("CapabilityBoundingSet", ""), ("UMask", "0077")),
        *(("ProtectSystem", "strict"), ("ProtectHome", "yes"), ("PrivateTmp", "yes"), ("PrivateDevices", "yes")),
        *(("StateDirectoryMode", "0700"), ("MemoryDenyWriteExecute", "yes")),
        *(("RestrictNamespaces", "yes"), ("RestrictSUIDSGID", "yes"), ("ProtectKernelModules", "yes")),
        ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"),
    ],
)
@pytest.mark.parametrize("file", UNITS, ids=lambda file: file.stem)
def test_each_unit_has_its_sandbox(file: Path, name: str, value: str):
    """A user of its own, one folder to write to, nothing to gain."""
    assert unit(file)["Service"][name] == value


@pytest.mark.parametrize("file", UNITS, ids=lambda file: file.stem)
def test_memory_is_limited_apart_from_the_store(file: Path):
    """A unit that has the store among its processes doesn't limit its memory; each writes to its own folder."""
    service = unit(file)["Service"]

    assert ("MemoryMax" in service) == (file.stem != "regicide")
    assert f"REGICIDE_DATA=/var/lib/{service['StateDirectory']}" in service["Environment"]


def test_a_build_without_its_compiler_says_what_to_install():
    """In one sentence, where there is a C compiler; the lock that it names is there."""
    build = (
        "import runpy, sys; sys.modules['mypyc'] = None; sys.argv = ['setup.py', 'build']; runpy.run_path('setup.py')"
    )
    environ = {**os.environ, "REGICIDE_COMPILE": "yes"}

    ended = subprocess.run(
        [sys.executable, "-c", build], cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )

    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert "compile.txt" in ended.stderr or "can't be compiled" in ended.stderr
    assert (ROOT / ".ci" / "locks" / "compile.txt").exists()


@pytest.mark.parametrize("file", UNITS, ids=lambda file: file.stem)
def test_each_unit_is_started_again_however_often_it_ends(file: Path):
    """By itself systemd gives up after five starts in ten seconds, and a full disk lasts longer."""
    assert unit(file)["Unit"]["StartLimitIntervalSec"] == "0"
    assert unit(file)["Service"]["Restart"] == "always"


ANALYZE = shutil.which("systemd-analyze")


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze isn't installed here")
@pytest.mark.parametrize("file", UNITS, ids=lambda file: file.stem)
def test_systemd_understands_each_unit(file: Path, tmp_path: Path):
    """And finds little to gain for who breaks in: an exposure of 2 or less, of 10."""
    there = tmp_path / file.name
    there.write_text(file.read_text("utf-8").replace("/opt/regicide/bin/regicide", shutil.which("true") or ""), "utf-8")

    understood = subprocess.run(["systemd-analyze", "verify", there], capture_output=True, text=True, check=False)
    exposed = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", there],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (understood.returncode, understood.stdout + understood.stderr) == (0, "")
    assert exposed.returncode == 0, exposed.stdout[-500:]
