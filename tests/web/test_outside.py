"""A game that nobody here has seen: its wheel is installed beside the server, and no line of ours has changed."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.outside import RACE, ROOT, Environment, broken_game, environment, wheel
from tests.servers.served import RunningServer, serving
from tests.waiting import AGES, allowed
from tests.web.conftest import OPERATOR_TOKEN, Visit
from tests.web.tables import AI, ANA, BEN, Look, Made, act_button, make, play_out, ready
from tests.web.test_operator_page import enter

SETTINGS = {"REGICIDE_RATE_REQUESTS": "0", "REGICIDE_RATE_CREATE": "0", "REGICIDE_LIMIT_AI_GAMES": "0"} | {
    "REGICIDE_OPERATOR_TOKEN": OPERATOR_TOKEN
}
OVERTAKEN = ("412",)


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the wheel of ``examples/race``."""
    return wheel(RACE, tmp_path_factory.mktemp("wheel"))


TITLE = "Ñandú & 'race' <b>"
"""A title that the game's name doesn't tell, with whatever has a meaning in HTML."""
PLAIN = f'''"""The race under another title, with an option per seat; it has no lessons."""

from dataclasses import asdict

from engines.ruleset import maybe, whole
from regicide_race.ruleset import Race, Track


class Lane(Track):
    def dump(self):
        return super().dump() | {{"ruleset": "plain"}}


class Plain(Race):
    """Be on turn when the goal is reached."""

    name, title, lessons = "plain", {TITLE!r}, ()
    starts = {{"type": "array", "items": maybe(whole(0, 5)), "default": []}}
    options = {{"type": "object", "properties": {{**Race.options["properties"], "starts": starts}}}}

    def check_options(self, players, options):
        return {{"goal": 12, "starts": [], **(options or {{}})}}

    def new(self, *given, **named):
        return Lane(**asdict(super().new(*given, **named)))

    def load(self, position):
        return Lane(**asdict(super().load(position)))
'''
ABOUT = 'export const options = {goal: "Steps to the goal", starts: "Steps ahead of player {n}"};'


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the wheel of a game that has only a picture, without styles, and labels of its options."""
    project = tmp_path_factory.mktemp("plain") / "project"
    web = project / "regicide_plain" / "web"
    (web / "lobby").mkdir(parents=True)
    (web / "lobby" / "about.js").write_text(ABOUT, "utf-8")
    shutil.copy(RACE / "regicide_race" / "web" / "board.js", web)
    (web.parent / "__init__.py").touch()
    (web.parent / "ruleset.py").write_text(PLAIN, "utf-8")
    configured = (RACE / "pyproject.toml").read_text("utf-8").replace("race", "plain").replace(":Race", ":Plain")
    (project / "pyproject.toml").write_text(configured, "utf-8")
    return wheel(project, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory, race: Path, plain: Path) -> Environment:
    """Give an environment where two games are installed beside ours, and a game that can't be loaded."""
    made = environment(tmp_path_factory.mktemp("beside") / "env", race, plain)
    broken_game(made, "chess", "nowhere:Chess")
    return made


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, race: Path) -> Environment:
    """Give an environment where the race is the only game: both our entry points were removed."""
    return environment(tmp_path_factory.mktemp("alone") / "env", race, our_games=False)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, beside: Environment) -> Iterator[RunningServer]:
    """Give a server with four games."""
    with serving(beside.command, ROOT, tmp_path_factory.mktemp("outside") / "data", SETTINGS) as running:
        yield running


@pytest.fixture(scope="module")
def lonely(tmp_path_factory: pytest.TempPathFactory, alone: Environment) -> Iterator[RunningServer]:
    """Give a server with the race alone."""
    with serving(alone.command, ROOT, tmp_path_factory.mktemp("lonely") / "data", SETTINGS) as running:
        yield running


def step(look: Look) -> None:
    """Take the shortest step on the track."""
    token = look.table.locator(".race-track [data-token]").first
    look.press(token)
    look.wait_chosen(token)
    look.press(act_button(look.table))


def hint(page: Page) -> None:
    """Ask for a hint, and wait for its best action."""
    page.keyboard.press("h")
    expect(page.locator(".chance button").first).to_contain_text("Step")


def games_of_arena(server: RunningServer) -> int:
    """Let two levels play each other; return the number of games in the result."""
    with server.client() as client:
        ended = client.arena("race", ["adept", "novice"], 4).wait(allowed(AGES))
    assert ended["result"] is not None, ended
    return int(ended["result"]["games"])


def test_it_is_played_from_the_lobby_to_its_end(visit: Visit, server: RunningServer, beside: Environment):
    """With its own picture and AIs; a hint, the review, and a record that proves its shuffles."""
    page = visit("/", url=server.url, allowed=OVERTAKEN).page
    expect(page.get_by_role("button", name="Play Regicide", exact=True)).to_be_visible()
    page.get_by_role("button", name="Play Race", exact=True).click()
    page.wait_for_url("**/play*")
    ready(page)
    expect(page.locator(".race-track .race-place")).to_have_count(13)
    hint(page)

    play_out(page, step)

    game_id, token = page.url.rpartition("#")[2].split(".")
    made = Made(server.url, {"id": game_id, "tokens": {"0": token}})
    assert made.ask()["status"] == "finished"
    page.get_by_role("button", name="Review my decisions").click()
    expect(page.locator(".graph")).to_be_visible()
    told = beside.run(beside.command, "verify", "-", given=json.dumps(made.ask("/record")))
    assert "match" in told


def test_it_is_read_and_taught_in_two_languages(visit: Visit, server: RunningServer):
    """The rules, the lesson, the words of the picture and of the log."""
    for language, title, said in (("en", "Race", "hidden card"), ("es", "Carrera", "carta oculta")):
        rules = visit(f"/v1/rulesets/race/rules?lang={language}", url=server.url).page
        expect(rules.get_by_role("heading", level=1)).to_have_text(title)
        page = visit(make(server.url, ANA, BEN, ruleset="race").link(), url=server.url, locale=language).page
        ready(page)
        expect(page.locator(".race-runners")).to_contain_text(said)
        expect(page.get_by_role("log")).to_contain_text(said)

    lesson = visit("/learn?ruleset=race&lesson=goal", url=server.url).page
    lesson.locator(".race-track [data-token='+3']").click()
    act_button(lesson).click()
    expect(lesson.locator(".lesson[data-standing=solved]")).to_contain_text("you have won")


def test_nobody_else_acts_in_a_lesson(visit: Visit, server: RunningServer):
    """No AI sits there: it would dash, which ends the game of this lesson, or act while the page is being loaded."""
    page = visit("/learn?ruleset=race&lesson=goal", url=server.url).page
    expect(page.locator(".lesson[data-standing=begun]")).to_be_visible()

    game_id, token = page.url.rpartition("#")[2].split(".")
    game = Made(server.url, {"id": game_id, "tokens": {"0": token}}).ask()
    assert [seat["kind"] for seat in game["seats"]] == ["human", "human"]
    assert game["may_act"] == [1]


def test_a_game_without_puzzles_shows_none(visit: Visit, server: RunningServer):
    """The list names the other two games alone."""
    page = visit("/puzzles", url=server.url).page
    expect(page.get_by_role("region", name="Gridcannon")).to_be_visible()
    expect(page.get_by_role("region", name="Regicide")).to_be_visible()

    expect(page.get_by_role("region", name="Race")).to_have_count(0)


def test_what_people_write_programs_with(server: RunningServer, beside: Environment):
    """The arena, the contract of the running server, the referee."""
    assert games_of_arena(server) == 4
    contract = httpx.get(f"{server.url}/openapi.yaml", timeout=AGES).text
    assert "RaceStep" in contract
    assert "race" not in (ROOT / "openapi.yaml").read_text("utf-8")
    request = {"op": "new", "ruleset": "race", "players": 2, "seed": "a"}
    answer = json.loads(beside.run((beside.python, "-m", "engines"), given=json.dumps(request)))
    assert answer["position"]["ruleset"] == "race"


def test_a_game_that_cannot_be_loaded(server: RunningServer, beside: Environment):
    """It is named once at the start with the reason, and counted; the others are served."""
    said = [json.loads(line) for line in server.log.read_text("utf-8").splitlines() if "ruleset_rejected" in line]

    reason = "ModuleNotFoundError: No module named 'nowhere'"
    assert [(line["entry_point"], line["reason"]) for line in said] == [("chess", reason)]
    assert "\nregicide_rulesets_rejected 1.0\n" in httpx.get(f"{server.url}/metrics", timeout=AGES).text
    assert reason in beside.run(beside.command, "check-ruleset", "chess", code=1)


def test_a_picture_that_cannot_be_loaded(visit: Visit, server: RunningServer):
    """The page says so, and draws the plain one; each action is a button."""
    no_board, visitor = "export const no = 1;", visit(None, url=server.url, allowed=("board.js",))
    visitor.page.route(
        "**/static/rulesets/race/board.js", lambda route: route.fulfill(body=no_board, content_type="text/javascript")
    )
    visitor.page.goto(server.url + make(server.url, ANA, AI, ruleset="race").link())
    ready(visitor.page)

    expect(visitor.page.get_by_role("alert")).to_contain_text("The picture of this game can't be loaded")
    expect(visitor.page.locator(".tree").first).to_contain_text("goal")
    expect(visitor.page.locator(".actbar [data-token]")).to_have_count(4)


def test_a_picture_without_tokens(visit: Visit, server: RunningServer):
    """Each action is a button below it."""
    board = 'import { html } from "/static/js/game_api.js"; export const Board = () => html`<p class="race-bare"></p>`;'
    visitor = visit(None, url=server.url)
    visitor.page.route(
        "**/static/rulesets/race/board.js", lambda route: route.fulfill(body=board, content_type="text/javascript")
    )
    visitor.page.goto(server.url + make(server.url, ANA, BEN, ruleset="race").link())
    ready(visitor.page)

    expect(visitor.page.locator(".race-bare")).to_have_count(1)
    expect(visitor.page.get_by_role("alert").get_by_role("paragraph")).to_have_count(0)
    expect(visitor.page.locator(".actbar [data-token]")).to_have_count(4)


def test_only_a_game_from_outside(visit: Visit, lonely: RunningServer, alone: Environment):
    """Both our entry points are removed: lobby, game, hint, review, arena, contract, laws."""
    listed = httpx.get(f"{lonely.url}/v1/rulesets", timeout=AGES).json()["rulesets"]
    assert [one["name"] for one in listed] == ["race"]
    page = visit("/", url=lonely.url, allowed=OVERTAKEN).page
    page.get_by_role("button", name="Play Race", exact=True).click()
    page.wait_for_url("**/play*")
    ready(page)
    hint(page)
    play_out(page, step)
    page.get_by_role("button", name="Review my decisions").click()
    expect(page.locator(".graph")).to_be_visible()

    assert games_of_arena(lonely) == 4
    assert "race keeps all laws." in alone.run(alone.command, "check-ruleset", "race", "--seconds", "2")
    contract = httpx.get(f"{lonely.url}/openapi.yaml", timeout=AGES).text
    assert "RaceStep" in contract
    assert "regicide.rulesets" not in contract
    assert "Gridcannon" not in contract


def test_pages_call_a_game_by_its_title(visit: Visit, server: RunningServer):
    """Heading, tab, brand, lessons, operator's page: none makes a title of the name."""
    made = make(server.url, ANA, BEN, ruleset="plain")
    page = visit(made.link(), url=server.url).page
    ready(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
    expect(page.get_by_role("link", name=f"{TITLE}: All games")).to_be_visible()
    expect(page).to_have_title(re.compile(f"Your turn .* {re.escape(TITLE)}$"))

    learn = visit("/learn?ruleset=plain", url=server.url).page
    expect(learn.get_by_role("heading", level=1)).to_have_text(f"Learn to play: {TITLE}")

    operator = visit("/operator", url=server.url, allowed=("401",)).page
    enter(operator)
    expect(operator.get_by_role("heading", name=TITLE, exact=True)).to_be_visible()
    expect(operator.get_by_role("link", name=f"{TITLE} {made.id}")).to_be_visible()


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_picture_without_styles(visit: Visit, server: RunningServer, language: str):
    """Nothing is asked for that isn't there, neither at the table nor in the lobby: that would be a complaint."""
    page = visit(make(server.url, ANA, BEN, ruleset="plain").link(), url=server.url, locale=language).page
    ready(page)
    expect(page.locator(".race-track .race-place")).to_have_count(13)
    expect(page.get_by_role("log")).not_to_contain_text("board")

    lobby = visit("/", url=server.url, locale=language).page
    expect(lobby.get_by_role("article", name=TITLE)).to_be_visible()


def test_a_game_without_lessons_offers_its_rules(visit: Visit, server: RunningServer):
    """In the lobby, and below the lessons of the others."""
    page = visit("/", url=server.url).page
    tile = page.get_by_role("article", name=TITLE)
    expect(tile.get_by_role("link", name=f"Rules of {TITLE}")).to_have_text("Rules")
    expect(tile.get_by_role("link", name="Learn to play")).to_have_count(0)
    expect(page.get_by_role("link", name="Learn to play, Race")).to_be_visible()

    learn = visit("/learn?ruleset=race", url=server.url).page
    expect(learn.get_by_role("link", name="Learn to play: Regicide")).to_be_visible()
    expect(learn.get_by_role("link", name=TITLE)).to_have_count(0)


def test_an_option_of_each_seat_that_is_a_number(visit: Visit, server: RunningServer):
    """It has an input for each seat, with the label of the game's module for the lobby."""
    page = visit("/", url=server.url).page
    page.locator("details.more summary").click()
    page.get_by_role("combobox", name="Game").select_option(label=TITLE)
    expect(page.get_by_label("Steps to the goal")).to_have_value("12")

    page.get_by_label("Steps ahead of player 2").fill("3")
    with page.expect_request("**/v1/games") as asked:
        page.get_by_role("button", name="Create game").click()

    assert json.loads(asked.value.post_data or "")["options"] == {"starts": [None, 3]}


@pytest.mark.long
def test_the_laws_hold_of_it_alone(alone: Environment):
    """Whatever the shared tests say of all games, they say where none of ours is installed."""
    pytest_there = (alone.python, "-m", "pytest", "-q", "-p", "no:cacheprovider")

    assert " passed" in alone.run(pytest_there, "tests/contract", seconds=1200)


def test_no_game_at_all(tmp_path: Path):
    """One sentence, exit code 2; nothing is started."""
    bare = environment(tmp_path / "env", our_games=False)

    said = bare.run(bare.command, "serve", code=2)

    assert said == "No game is installed: no entry point of the group regicide.rulesets gives a ruleset.\n"
