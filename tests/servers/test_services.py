"""What others run beside the server: containers, Prometheus, its alerts and a dashboard. Broken copies are refused."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import httpx
import pytest
import yaml

from tests.servers.served import RunningServer
from tests.waiting import AGES, allowed, comes_true

ROOT: Final = Path(__file__).parents[2]
EXAMPLES: Final = ROOT / "examples"
COMPOSE: Final = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec")
HADOLINT: Final = Path(sys.executable).with_name("hadolint")
PROMTOOL: Final = shutil.which("promtool")
SUFFIXES: Final = re.compile(r"_(bucket|sum|count)$")
ALERTS: Final = yaml.safe_load((EXAMPLES / "alerts.yml").read_text("utf-8"))
DASHBOARD: Final = json.loads((EXAMPLES / "dashboard.json").read_text("utf-8"))
QUERIES: Final = [
    *(rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]),
    *(target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]),
]


def status(*command: str | Path) -> int:
    """Run a checker; return its status."""
    return subprocess.run(command, capture_output=True, check=False).returncode


def test_compose_keeps_its_schema(tmp_path: Path):
    """As the Compose specification has it."""
    broken = tmp_path / "compose.yaml"
    broken.write_text((ROOT / "compose.yaml").read_text("utf-8").replace("restart: unless-stopped", "restrat: always"))

    assert status(*COMPOSE, ROOT / "compose.yaml") == 0
    assert status(*COMPOSE, broken) == 1


def test_hadolint_finds_nothing_in_the_image(tmp_path: Path):
    """In the Dockerfile; a copy that doesn't excuse what it installs by no version is refused."""
    broken = tmp_path / "Dockerfile"
    told = (ROOT / "Dockerfile").read_text("utf-8")
    broken.write_text(told.replace("# hadolint ignore=DL3008\n", ""), "utf-8")

    assert status(HADOLINT, ROOT / "Dockerfile") == 0
    assert status(HADOLINT, broken) == 1


def test_containers_gain_nothing():
    """None may gain privileges; ours and the store write to their volumes alone; what they mount is there."""
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]

    assert set(services) == {"web", "worker", "store", "prometheus", "grafana"}
    for name, service in services.items():
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["cap_drop"] == ["ALL"]
        assert service.get("read_only", False) or name == "grafana"
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
        for mount in service.get("volumes", []):
            here = mount.split(":")[0]
            assert not here.startswith(".") or (ROOT / here).exists(), here


@pytest.mark.skipif(PROMTOOL is None, reason="promtool isn't installed here")
def test_prometheus_understands_its_settings_and_alerts(tmp_path: Path):
    """By promtool."""
    for name in ("prometheus.yml", "alerts.yml"):
        shutil.copy(EXAMPLES / name, tmp_path)
    assert PROMTOOL
    assert status(PROMTOOL, "check", "config", tmp_path / "prometheus.yml") == 0

    alerts = (tmp_path / "alerts.yml").read_text("utf-8")
    (tmp_path / "alerts.yml").write_text(alerts.replace('absent(regicide_processes{kind="worker"})', "absent("))
    assert status(PROMTOOL, "check", "config", tmp_path / "prometheus.yml") == 1


def test_they_ask_only_for_what_there_is(served: RunningServer):
    """Each metric, and each label value that a query names, is at /metrics once the game has begun."""
    asked = {SUFFIXES.sub("", name) for query in QUERIES for name in re.findall(r"\bregicide_\w+", query)}
    with served.client() as client:
        game = client.create("regicide", [{"kind": "ai", "level": "novice"}, {"kind": "human", "name": "Ana"}])
        ana = game.players[1]
        ana.wait_for_turn(timeout=allowed(AGES))
        ana.act(ana.actions()[0]["text"])

        def told() -> str:
            return httpx.get(f"{served.url}/metrics", timeout=AGES).text

        assert comes_true(lambda: told().count("regicide_moves_total{") >= 2)
    metrics = told()
    known = {SUFFIXES.sub("", name) for name in re.findall(r"^# TYPE (\S+)", metrics, re.MULTILINE)}

    assert asked - known == set()
    assert 'route="/v1/games/<game_id>/actions"' in metrics
    for label in ('kind="worker"', 'queue="ai"', 'queue="review"', 'status="active"'):
        assert label in metrics
