"""What pages know of a ruleset and load of it, without a request for what isn't there."""

import json
import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from api.resources.ruleset_files import files_of, picture
from engines import RULESETS
from examples.race.regicide_race.ruleset import Race
from examples.sealed import Sealed

INSTALLED = re.compile(r"<meta name=\"games\" content='([^']*)'>")


@pytest.mark.parametrize("path", ["/", "/play", "/learn", "/puzzles", "/puzzles/today", "/operator", "/about"])
def test_each_page_lists_the_installed_games(path: str, http: FlaskClient):
    """By name: title, whether there are lessons, and the picture as the list of rulesets has it."""
    found = INSTALLED.search(http.get(path).text)

    assert found
    assert json.loads(unescape(found[1])) == {
        name: {"title": one.title, "lessons": bool(one.lessons), "picture": picture(one)}
        for name, one in RULESETS.items()
    }


@pytest.mark.parametrize("name", RULESETS)
def test_a_picture_names_the_styles_beside_its_module(name: str, http: FlaskClient):
    """Those in subfolders are loaded by modules of the game, when they are needed."""
    drawn = http.get(f"/v1/rulesets/{name}").get_json()["picture"]

    assert drawn["styles"] == [f"/static/rulesets/{name}/board.css"]
    assert http.get(drawn["styles"][0]).status_code == 200


def test_labels_of_options_have_the_games_translations():
    """The module for the lobby has no catalogue of its own: the one of the whole game is served beside it."""
    lobby = json.loads(files_of(Race())["lobby/messages.es.json"])

    assert lobby["Reach the goal"] == "Llega a la meta"


def test_a_ruleset_without_a_folder_for_browsers_has_no_files():
    """Nor an empty catalogue."""
    assert files_of(Sealed()) == {}
    assert picture(Sealed()) is None
