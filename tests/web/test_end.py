"""The end of a game: true for whoever reads it; another game, the replay and its links, playing on from a step."""

import re
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, Route, expect

from engines import RULESETS
from tests.api.puzzles import position
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import (
    AI,
    ANA,
    BEN,
    HTTP,
    LAST_BLOW,
    SIZES,
    Json,
    Made,
    expect_version,
    keep_states,
    make,
    ready,
    resize,
    states,
)
from tests.web.test_fair_play import refuse
from tests.web.test_review import BLUNDER

TEAM_WINS = position([["5C"], ["7C"]], castle=[], enemy="KS", damage=35)


def duel(**more: object) -> Json:
    """Return a position of Gridcannon in which Ana fells the last royal of black by ``place c4``."""
    (taught,) = [lesson.position for lesson in RULESETS["gridcannon"].lessons if lesson.name == "line-of-fire"]
    royals = {slot: royal for slot, royal in taught["royals"].items() if slot != "e3"}
    pile = [card for card in taught["draw_pile"] if card not in {"KS", "QC", "QS", "KC"}]
    return {**taught, "royals": royals, "draw_pile": pile, **more}


def ended(url: str, kind: str) -> Made:
    """Make a game that has ended so."""
    ruleset, _, how = kind.partition(" ")
    if how == "abandoned":
        made = make(url, ANA, BEN, ruleset=ruleset)
        HTTP.delete(f"{url}/v1/games/{made.id}", headers={"Authorization": f"Bearer {made.body['host_token']}"})
        return made
    made = make(url, ANA, BEN, ruleset=ruleset, position=POSITIONS[kind])
    made.act(LAST_ACTIONS[kind])
    assert made.ask()["status"] == "finished", kind
    return made


POSITIONS = {
    "regicide won": TEAM_WINS,
    "regicide lost": BLUNDER,
    "gridcannon won": duel(),
    "gridcannon drawn": duel(
        turn_limit=9,
        royals={"a3": {"card": "JD", "armour": [], "alive": True}}
        | {"e3": {"card": "JS", "armour": [], "alive": True}},
    ),
}


LAST_ACTIONS = {
    "regicide won": "play 5C",
    "regicide lost": "play 2S",
    "gridcannon won": "place c4",
    "gridcannon drawn": "place c4",
}

KEPT = "JSON.parse(localStorage.getItem('regicide.results') ?? '[]').map(({ result }) => result)"
"""The results that the browser keeps."""


class Read(NamedTuple):
    """A game, who reads its end (a seat, or None who watches), what it is and says, in English and Spanish."""

    game: str
    reader: int | None
    kind: str
    english: tuple[str, ...]
    spanish: tuple[str, ...]


ENDS = [
    Read("regicide won", 0, "won", ("Victory!",), ("¡Victoria!",)),
    Read("regicide won", None, "watched", ("The team has won.",), ("El equipo ha ganado.",)),
    Read("regicide lost", 1, "lost", ("Defeat",), ("Derrota",)),
    Read("regicide lost", None, "watched", ("The team has lost.",), ("El equipo ha perdido.",)),
    Read("gridcannon won", 0, "won", ("You have won!",), ("¡Has ganado!",)),
    Read("gridcannon won", 1, "lost", ("You have lost.", "Won by Ana"), ("Has perdido.", "Ha ganado Ana")),
    Read("gridcannon won", None, "watched", ("Won by Ana",), ("Ha ganado Ana",)),
    Read("gridcannon drawn", 1, "drawn", ("A draw",), ("Empate",)),
    Read("regicide abandoned", 0, "abandoned", ("The game was abandoned.",), ("La partida se abandonó.",)),
]


@pytest.fixture(scope="module")
def games(served: RunningServer) -> dict[str, Made]:
    """Give a game that ended in each way."""
    return {kind: ended(served.url, kind) for kind in {read.game for read in ENDS}}


@pytest.mark.parametrize("read", ENDS, ids=lambda read: f"{read.game} {read.reader}".replace(" ", "-"))
def test_the_end_is_true_for_its_reader(visit: Visit, games: dict[str, Made], read: Read):
    """For the winner, the loser and whoever watches: one element says it, and who has won where rivals played.

    In the language of the page, and in another that is chosen then.
    """
    game = games[read.game]
    page = visit(f"/play?g={game.id}" if read.reader is None else game.link(read.reader)).page
    end = page.locator("[data-end]")

    expect(end).to_have_attribute("data-end", read.kind)
    expect(end).to_have_attribute("role", "status")
    for said in read.english:
        expect(end).to_contain_text(said)
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Español").click()
    for said in read.spanish:
        expect(end).to_contain_text(said)


def test_a_draw_leaves_no_place_for_a_crest(visit: Visit, games: dict[str, Made]):
    """Nobody's is drawn: on a small phone a third of the panel would be empty."""
    page = visit(games["gridcannon drawn"].link(1), width=320, height=640).page
    expect(page.locator(".end h2")).to_have_text("A draw")

    expect(page.locator(".crest")).to_have_css("display", "none")


def test_the_end_shows_what_the_game_came_to(visit: Visit, games: dict[str, Made]):
    """A crest, how far the game came, and numbers: each game draws its own."""
    end = visit(games["regicide won"].link()).page.locator(".end")
    expect(end.locator(".crest").get_by_role("img", name="King of spades")).to_be_visible()
    expect(end.get_by_role("list", name="Castle").get_by_role("listitem")).to_have_count(12)
    expect(end.locator(".figures div")).to_have_text(["exact kills0", "turn1", "minute1"])

    lost = visit(games["gridcannon won"].link(1)).page.locator(".end")
    expect(lost.locator(".crest").get_by_role("img")).to_have_count(2)
    expect(lost.locator(".crest .lost").get_by_role("img", name="Jack of clubs")).to_be_visible()
    expect(lost.locator(".figures div").first).to_have_text("turns9")


@pytest.mark.parametrize(
    ("flips", "locale", "medal"),
    [(0, "en", "A gold victory"), (1, "es", "Victoria de plata"), (2, "en", "A bronze victory")],
)
def test_whoever_wins_alone_gets_a_medal(visit: Visit, served: RunningServer, flips: int, locale: str, medal: str):
    """In view at each size; a team gets none."""
    alone = LAST_BLOW | {"flips": flips, "jesters_left": 2 - flips}
    made = make(served.url, ANA, position=alone)
    made.act("play 5C")
    page = visit(made.link(), locale=locale).page
    pill = page.locator(".end .medal")

    expect(pill).to_have_text(medal)
    expect(page.locator("#i-medal")).to_be_attached()
    for size in SIZES:
        resize(page, size)
        expect(pill).to_be_in_viewport(ratio=1)
    team = visit(ended(served.url, "regicide won").link()).page
    expect(team.locator(".end .figures")).to_be_visible()
    expect(team.locator(".end .medal")).to_have_count(0)


def test_the_end_is_there_from_the_start(visit: Visit, served: RunningServer):
    """Empty: so that a screen reader says what comes into it."""
    game = make(served.url, ANA, position=LAST_BLOW)
    page = visit(game.link()).page
    ready(page)
    end = page.locator("[role=status].hidden")
    expect(end).to_have_count(1)
    expect(end).to_be_empty()


@pytest.mark.parametrize("kind", ["regicide won", "regicide lost"])
def test_the_end_is_said_when_its_outcome_is_known(visit: Visit, served: RunningServer, kind: str):
    """The stream says that the game is over, but not how: only the game's resource does, which may come late or fail.

    Until then nothing is said of the end, and no result is kept.
    """
    game = make(served.url, ANA, AI, position=POSITIONS[kind])
    page = visit(game.link(), allowed=("503",)).page
    ready(page)
    keep_states(page, "() => document.querySelector('[data-end]')?.dataset.end ?? ''")
    held: list[Route] = []
    page.route(f"**/v1/games/{game.id}", lambda route: held.append(route))  # noqa: PLW0108 (else refused)
    with page.expect_request(f"**/v1/games/{game.id}"):
        game.act(LAST_ACTIONS[kind])
    expect(page.locator(".status").first).to_have_text("The game is over.")
    expect(page.locator("[data-end]")).to_have_count(0)
    assert page.evaluate(KEPT) == []

    refuse(503, "storage_unavailable")(held[0])
    page.unroute(f"**/v1/games/{game.id}")
    expect(page.locator("[data-end]")).to_have_attribute("data-end", kind.split()[1])
    expect(page.locator(".trouble")).to_have_text("")
    page.wait_for_function(f"{KEPT}.length > 0")
    assert page.evaluate(KEPT) == [kind.split()[1]]
    assert {*states(page)} <= {"", kind.split()[1]}


def test_a_table_that_cannot_be_opened_says_why(visit: Visit, served: RunningServer):
    """An error that no repetition mends is shown."""
    game = make(served.url, ANA, position=LAST_BLOW)
    page = visit(None, allowed=("500",)).page
    page.route(f"**/v1/games/{game.id}", refuse(500, "internal_error"))
    page.goto(served.url + game.link())

    expect(page.get_by_text("In words: internal_error.")).to_be_visible()


def test_replay_by_its_buttons_and_links(visit: Visit, games: dict[str, Made]):
    """It plays to the end by itself, faster if wanted; a link opens at its step and carries no token."""
    game = games["gridcannon won"]
    page = visit(game.link()).page
    end = page.locator(".end")
    keep_states(page, "() => document.querySelector('input[type=range]')?.value")
    end.get_by_role("button", name="Replay").click()
    page.get_by_role("button", name="2 times the speed").click()
    expect(page.get_by_role("slider")).to_have_value("1")
    expect(page.locator(".player").get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.locator("[aria-current=step]")).to_have_count(1)
    assert states(page)[-2:] == ["0", "1"]

    page.locator(".player").get_by_role("button", name="Earlier", exact=True).click()
    page.locator(".player").get_by_role("button", name="Share").click()
    link = page.get_by_role("textbox", name="Link to this step").input_value()
    assert re.fullmatch(rf".*/play#{game.id}@0", link)
    other = visit(f"/{link.rpartition('/')[2]}").page
    expect(other.get_by_role("slider")).to_have_value("0")


def test_playing_on_from_a_step(visit: Visit, games: dict[str, Made]):
    """A new game from just that position, with AIs at the other seats; no list of public games has it."""
    visitor = visit(games["gridcannon won"].link())
    page = visitor.page
    page.locator(".end").get_by_role("button", name="Replay").click()
    page.locator(".player").get_by_role("button", name="First step").click()
    page.get_by_role("button", name="Play on from here").click()
    page.wait_for_url(lambda url: games["gridcannon won"].id not in url)

    expect_version(page, 0)
    expect(page.locator("[data-token=c4]")).to_be_visible()
    made = page.url.partition("#")[2].partition(".")[0]
    seats = HTTP.get(f"{visitor.url}/v1/games/{made}").json()["seats"]
    assert [seat["kind"] for seat in seats] == ["human", "ai"]
    assert made not in HTTP.get(f"{visitor.url}/v1/games").text


def test_who_waits_for_another_game(visit: Visit, served: RunningServer):
    """Whoever has not asked yet reads who has."""
    game = ended(served.url, "regicide won")
    ana, ben = visit(game.link(0)).page, visit(game.link(1)).page
    expect(ben.locator(".end")).to_be_visible()
    ana.get_by_role("button", name="Play again").click()

    expect(ben.locator(".ready")).to_have_text("Ana waits for another game")
    expect(ana.get_by_role("heading", name="Another game of Regicide")).to_be_visible()


def test_whoever_watches_is_led_to_the_next_game(visit: Visit, served: RunningServer):
    """Once it has begun nobody waits any more, also for a player whose tab of the old game is still open."""
    game = ended(served.url, "regicide won")
    watching, ana = visit(f"/play?g={game.id}").page, visit(game.link(0)).page
    headers = [{"Authorization": f"Bearer {game.body['tokens'][seat]}"} for seat in ("0", "1")]
    following = [HTTP.post(f"{served.url}/v1/games/{game.id}/next", headers=one).json()["id"] for one in headers]

    expect(ana.locator(".ready")).to_have_text("The next game has begun.")
    watching.locator(".ready").get_by_role("link", name="Watch it").click()
    expect(watching).to_have_url(f"{served.url}/play?g={following[0]}")
    expect(watching.locator(".status").first).to_contain_text("You are watching.")


def test_results_lead_to_a_level(visit: Visit, served: RunningServer):
    """After a game that was won the lobby shows it, counts it by its level, and says a rating with an interval."""
    game = make(served.url, ANA, AI, ruleset="gridcannon", position=duel())
    page: Page = visit(game.link()).page
    page.locator("[data-token=c4]").click()
    page.locator("#act").click()
    expect(page.locator("[data-end=won]")).to_be_visible()

    page.locator(".end").get_by_role("link", name="All games").click()
    yours = page.get_by_role("region", name="Your games")
    expect(yours).to_contain_text("won")
    expect(yours.get_by_role("list", name="Games won by level")).to_contain_text("Gridcannon, adept1 of 1 won")
    expect(page.get_by_role("article", name="Gridcannon")).to_contain_text(
        re.compile(r"about 50 % to win\. Your rating: \d+ \(\d+ to \d+\), from 1 game\.")
    )


def test_the_log_stands_at_the_step_that_is_shown(visit: Visit, served: RunningServer):
    """At the end of a long game, at its beginning, and at the end again."""
    game = make(served.url, ANA, ruleset="regicide", client_seed="a long log")
    while game.ask()["status"] == "active":
        game.act(game.ask("/actions")["actions"][0]["text"])
    page = visit(game.link()).page
    line = page.locator("#log [aria-current=step]")
    page.get_by_role("region", name="The end").wait_for()

    expect(line).to_be_in_viewport(ratio=0.9)
    assert page.locator("#log").evaluate("(log) => log.scrollTop") > 0
    page.locator(".player").get_by_role("button", name="First step").click()
    expect(line).to_be_in_viewport(ratio=0.9)
    page.get_by_role("button", name="Back to the present").click()
    expect(line).to_be_in_viewport(ratio=0.9)


@pytest.mark.parametrize(("laid", "card"), [(LAST_BLOW, "5C"), (BLUNDER, "2S")])
def test_the_panel_of_the_end_has_the_focus(visit: Visit, served: RunningServer, laid: Json, card: str):
    """Not what it dims: Tab leads to its buttons, and Enter, pressed once too often, does nothing."""
    seats = [ANA] if laid is LAST_BLOW else [ANA, BEN]
    page = visit(make(served.url, *seats, position=laid).link()).page
    ready(page)
    page.locator(f"[data-token='{card}']").click()
    page.locator("#act").focus()
    page.keyboard.press("Enter")

    expect(page.locator(".end h2")).to_be_focused()
    expect(page.locator(".end h2")).to_have_css("box-shadow", "none")
    page.keyboard.press("Tab")
    expect(page.locator(".end").get_by_role("button", name="Play again")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".player .play")).to_be_focused()


def test_the_review_of_the_drawer_closes_the_panel(visit: Visit, games: dict[str, Made]):
    """As the panel's own button does: a decision of the review is seen on the table."""
    page = visit(games["regicide lost"].link()).page
    page.get_by_role("region", name="The end").wait_for()
    page.get_by_role("button", name="Review my decisions").click()

    expect(page.get_by_role("region", name="The end")).to_have_count(0)
    page.locator(".graph").wait_for()
    page.get_by_role("button", name="Show the result").click()
    expect(page.get_by_role("region", name="The end")).to_be_visible()


NOTIFIED = """
    window.notified = [];
    window.Notification = class {
        static requestPermission = async () => "granted";
        constructor(title, { body }) { window.notified.push(`${title}: ${body}`); }
    };
    Object.defineProperty(document, "hidden", { get: () => true });
"""


def test_a_notification_on_your_turn(visit: Visit, served: RunningServer):
    """Once it is allowed, and the page isn't looked at."""
    game = make(served.url, BEN, ANA, position=position([["5S", "9C"], ["7C", "8S"]], tavern=["2C"]))
    page = visit(None).page
    page.add_init_script(NOTIFIED)
    page.goto(f"{served.url}{game.link(1)}")
    page.locator(".menu summary").click()
    page.get_by_role("checkbox", name="Notification on your turn").check()
    game.act("play 5S")
    game.act("discard 9C")

    page.wait_for_function("() => window.notified.length")
    assert page.evaluate("window.notified") == ["Your turn: Regicide"]


@pytest.mark.parametrize("size", [(360, 740), (740, 360), (1280, 800)])
def test_the_drawer_lies_over_the_panel_of_the_end(visit: Visit, served: RunningServer, size: tuple[int, int]):
    """What is opened while the panel is shown can be read and closed."""
    page = visit(ended(served.url, "regicide won").link(), width=size[0], height=size[1]).page
    page.get_by_role("region", name="The end").wait_for()
    page.keyboard.press("l")
    drawer = page.get_by_role("complementary", name="Game log")

    expect(drawer.get_by_role("log")).to_be_in_viewport()
    drawer.get_by_role("button", name="Close").click()

    expect(drawer.get_by_role("button", name="Close")).to_have_count(0)
    expect(page.get_by_role("region", name="The end")).to_be_visible()
