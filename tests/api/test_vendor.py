"""The libraries of the table in the browser: bundled, pinned, and what they are said to be."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
JS = ROOT / "api" / "web" / "js"
VENDORED = json.loads((JS / "vendor.json").read_text())


@pytest.mark.parametrize("name", sorted(VENDORED))
def test_a_bundle_is_the_one_that_was_made(name: str):
    """Nobody has changed it by hand; what it is made of stands in its first line."""
    text = (JS / name).read_bytes()
    packages = VENDORED[name]["packages"]

    assert sha256(text).hexdigest() == VENDORED[name]["sha256"]
    for package, about in packages.items():
        assert f"{package} {about['version']} ({about['license']})".encode() in text.splitlines()[0]


def test_the_versions_are_those_that_are_pinned():
    """`make vendor` bundles what the lock file says."""
    locked = json.loads((ROOT / ".ci/vendor/package-lock.json").read_text())["packages"]
    bundled = {name: about for bundle in VENDORED.values() for name, about in bundle["packages"].items()}

    assert {name: about["version"] for name, about in bundled.items()} == {
        name: locked[f"node_modules/{name}"]["version"] for name in bundled
    }
    assert {about["license"] for about in bundled.values()} <= {"MIT", "Apache-2.0"}
