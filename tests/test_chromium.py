"""Which browser the pages are tested in: the one that CHROMIUM names, the system's, the fetched one, or none."""

from pathlib import Path

import pytest

from tests.chromium import NONE_FOUND, SWITCHED_OFF, NoChromiumError, find_chromium


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """Give a folder for the PATH, with a browser in it."""
    browser = tmp_path / "bin" / "chromium"
    browser.parent.mkdir()
    browser.touch(mode=0o755)
    return browser


@pytest.fixture
def fetched(tmp_path: Path) -> Path:
    """Give a folder into which a browser has been fetched."""
    folder = tmp_path / "browser"
    folder.mkdir()
    (folder / ".installed").touch()
    return folder


def test_the_variable_comes_first(system: Path, fetched: Path, tmp_path: Path):
    """Whatever else is there; a path that leads nowhere is no reason to take another."""
    own = tmp_path / "own"
    own.touch()
    on_path = {"PATH": str(system.parent)}

    assert find_chromium({**on_path, "CHROMIUM": str(own)}, fetched).path == str(own)
    with pytest.raises(FileNotFoundError, match="CHROMIUM is /nowhere"):
        find_chromium({**on_path, "CHROMIUM": "/nowhere"}, fetched)
    with pytest.raises(NoChromiumError, match=SWITCHED_OFF):
        find_chromium({**on_path, "CHROMIUM": "none"}, fetched)


def test_the_systems_comes_second(system: Path, fetched: Path):
    """As it is."""
    found = find_chromium({"PATH": str(system.parent), "CHROMIUM": ""}, fetched)

    assert (found.path, found.variables) == (str(system), {})


def test_the_fetched_one_comes_last(fetched: Path, tmp_path: Path):
    """With its libraries and its font; where there is none either, the reason says what would help."""
    nowhere = {"PATH": str(tmp_path)}

    found = find_chromium(nowhere, fetched)

    assert found.path == str(fetched / "chromium")
    assert str(fetched / "lib") in found.variables["LD_LIBRARY_PATH"].split(":")
    assert f"<dir>{fetched}/fonts</dir>" in Path(found.variables["FONTCONFIG_FILE"]).read_text("utf-8")
    with pytest.raises(NoChromiumError) as missing:
        find_chromium(nowhere, tmp_path / "empty")
    assert str(missing.value) == NONE_FOUND
