"""The page and the shuffle: a seed promised first, a part of its own after it, and the truth about both at the end."""

import json
import re
from collections.abc import Callable
from copy import deepcopy

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from engines.table.note_seals import chain
from engines.table.record_parser import load_record
from engines.table.replay import seals
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import ANA, HTTP, Json, Made, make, ready
from tests.web.test_lobby import OPEN, create, set_up

SEED = re.compile(r"[0-9a-f]{36}")
PROMISED = "had that fingerprint before it added a random part of its own"


def refuse(status: int, code: str, seconds: int | None = None) -> Callable[[Route], None]:
    """Return what answers a request with a problem instead of the server."""
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    problem = {"status": status, "code": code, "detail": f"In words: {code}.", "retry_after": seconds}
    body = json.dumps({name: value for name, value in problem.items() if value is not None})
    return lambda route: route.fulfill(
        status=status, body=body, headers={"Content-Type": "application/problem+json", **headers}
    )


def is_post(route: Route) -> bool:
    """Say whether a request changes something."""
    return route.request.method == "POST"


def tell(record: Json) -> Callable[[Route], None]:
    """Return what answers with a record instead of the server."""
    return lambda route: route.fulfill(json=record)


def sit_down(page: Page) -> Made:
    """Set up a table of Regicide in the lobby, with a novice, and return what its page holds of it."""
    set_up(page, game="Regicide", seats=("AI: novice",))
    create(page)
    return sitting(page, 0)


def sitting(page: Page, seat: int) -> Made:
    """Return the game at whose table a page sits, with the token that its address has."""
    ready(page)
    game_id, _, token = page.url.partition("#")[2].partition(".")
    return Made(page.url.partition("/play")[0], {"id": game_id, "tokens": {str(seat): token}})


def play_out(game: Made, *seats: int) -> Json:
    """Play the first action that is legal for each of the seats, until the end; return the record."""
    for _ in range(400):
        now = game.ask(seat=seats[0])
        if now["status"] != "active":
            return game.ask("/record", seats[0])
        mine = [seat for seat in now["to_act"] if seat in seats]
        if mine:
            game.act(game.ask("/actions", mine[0])["actions"][0]["text"], mine[0])
        else:
            token = game.body["tokens"][str(seats[0])]
            headers = {"Authorization": f"Bearer {token}", "If-None-Match": f'"{now["version"]}"'}
            HTTP.get(f"{game.url}/v1/games/{game.id}?wait=25", headers=headers)
    pytest.fail("the game didn't end")


def check_shuffle(page: Page) -> Locator:
    """Have the page check the shuffle, and return what it says."""
    page.get_by_role("button", name="Check the shuffle").click()
    return page.locator(".side [role=status]").filter(has_text="fingerprint")


def rewritten(record: Json) -> Json:
    """Return a record in which one AI's note says otherwise, with a chain that fits: whoever has the record can."""
    noted = next(entry for entry in record["actions"] if entry["ai"] is not None)
    noted["ai"]["iterations"] += 1
    return {**record, "ai_notes": chain(record["commitment"], seals(load_record(record)).values())}


FORGED: dict[str, Callable[[Json], Json]] = {
    "The seed does not match": lambda record: {**record, "seed": "00" * 32},
    "the random part that this browser added is missing": lambda record: {
        **record,
        "client_seeds": ["0" * 36, *record["client_seeds"][1:]],
    },
    "The AIs' notes on their decisions were changed": rewritten,
}


def test_the_seed_was_promised_before_the_players_part_was_known(visit: Visit, served: RunningServer):
    """The page asks for a promise, then draws its own part; at the end it says so, and finds each thing forged."""
    page, asked = visit("/").page, list[tuple[str, Json]]()

    def note(request: Request) -> None:
        if request.method == "POST":
            asked.append((request.url, request.post_data_json or {}))

    page.on("request", note)
    game = sit_down(page)
    (first, _), (second, body) = asked[:2]
    assert (first, second) == (f"{served.url}/v1/commitments", f"{served.url}/v1/games")
    assert body["commitment"]
    assert SEED.fullmatch(body["client_seed"])

    record = play_out(game, 0)
    assert record["client_seeds"][0] == body["client_seed"]
    said = check_shuffle(page)
    expect(said).to_contain_text("Fair: nobody chose these cards.")
    expect(said).to_contain_text(PROMISED)
    notes = sum(entry["ai"] is not None for entry in record["actions"])
    expect(said).to_contain_text(
        f"notes on their {notes} decisions are unchanged. This page received the seals of {notes}"
    )

    for sentence, forge in FORGED.items():
        page.route("**/record", tell(forge(deepcopy(record))))
        expect(page.locator(".side .problem")).to_have_count(0)
        check_shuffle(page)
        expect(page.locator(".side .problem").filter(has_text=sentence)).to_be_visible()
        expect(page.get_by_text("Fair: nobody chose these cards.")).to_have_count(int("AIs" in sentence))
        page.unroute("**/record")
        check_shuffle(page)
        expect(page.locator(".side .problem")).to_have_count(0)


def test_the_next_game_is_promised_too(visit: Visit, served: RunningServer):
    """By one press; who goes back and presses again comes to the same game, and to the same proof."""
    page = visit("/").page
    play_out(sit_down(page), 0)
    ended, again = page.url, page.get_by_role("button", name="Play again")
    with page.expect_request("**/next") as asked:
        again.click()
    expect(page.locator(".end")).to_have_count(0)
    ready(page)
    after = page.url
    assert after != ended
    assert set(asked.value.post_data_json or {}) == {"client_seed", "commitment"}

    page.goto("about:blank")
    page.goto(ended)
    again.click()
    expect(page.locator(".end")).to_have_count(0)
    ready(page)
    assert page.url == after
    record = play_out(sitting(page, 0), 0)

    assert record["client_seeds"][0] == (asked.value.post_data_json or {})["client_seed"]
    said = check_shuffle(page)
    expect(said).to_contain_text("Fair: nobody chose these cards.")
    expect(said).to_contain_text(PROMISED)


def test_a_page_that_is_promised_nothing_says_so(visit: Visit, served: RunningServer):
    """No promise can be had: the game goes on, the table says so at once, and the end doesn't call it fair."""
    page = visit(None, allowed=("503",)).page
    page.route("**/v1/commitments", refuse(503, "storage_unavailable"))
    page.goto(f"{served.url}/")
    game = sit_down(page)
    expect(page.locator(".news")).to_contain_text("The server gave no fingerprint of its seed beforehand")

    play_out(game, 0)
    said = check_shuffle(page)
    expect(said).to_contain_text("it reproduces the deal")
    expect(said).to_contain_text("This browser had no fingerprint yet when it added its own random part")
    expect(page.get_by_text("Fair: nobody chose")).to_have_count(0)


def test_a_promise_that_is_gone_is_asked_for_anew(visit: Visit, served: RunningServer):
    """The lobby was open for longer than a promise is kept, or the store has lost it: nobody notices."""
    page, sent = visit(None, allowed=("409",)).page, list[Json]()

    def once(route: Route) -> None:
        sent.append(route.request.post_data_json or {})
        if len(sent) == 1:
            refuse(409, "commitment_gone")(route)
        else:
            route.fallback()

    page.route("**/v1/games", lambda route: once(route) if is_post(route) else route.fallback())
    page.goto(f"{served.url}/")
    sit_down(page)

    assert len({body["commitment"] for body in sent}) == 2
    assert len({body["client_seed"] for body in sent}) == 2
    expect(page.locator(".news")).to_have_count(0)


def test_a_broken_promise_is_no_table(visit: Visit, served: RunningServer):
    """A server whose game has another fingerprint than it promised is told of, and its game isn't begun."""
    page = visit(None).page

    def lie(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "commitment": "0" * 64})

    page.route("**/v1/commitments", lie)
    page.goto(f"{served.url}/")
    page.get_by_role("button", name="Play Regicide").click()

    expect(page.get_by_role("alert")).to_contain_text("The server has not kept its promise")
    expect(page).to_have_url(f"{served.url}/")


def test_who_joins_adds_a_part_too(visit: Visit, served: RunningServer):
    """Ben saw the fingerprint in the list before he joined; that Ana has added a part as well is said."""
    made = make(served.url, {"kind": "human", "name": "Yolanda"}, OPEN, client_seed="hers")
    page = visit("/").page
    page.get_by_role("listitem").filter(has_text="Yolanda").get_by_role("button", name="Join").click()
    page.wait_for_url("**/play#*")
    page.locator("main[data-version]").wait_for()
    ben = page.url.rpartition(".")[2]
    record = play_out(Made(served.url, {**made.body, "tokens": {**made.body["tokens"], "1": ben}}), 0, 1)

    assert record["client_seeds"][0] == "hers"
    assert SEED.fullmatch(record["client_seeds"][1])
    said = check_shuffle(page)
    expect(said).to_contain_text(PROMISED)
    expect(said).to_contain_text("Others added a random part too.")
    expect(page.get_by_text("Fair: nobody chose")).to_have_count(0)


# Refusals that pass, and those that don't


def test_a_moments_refusal_is_waited_out(visit: Visit, served: RunningServer):
    """A server with too much to do is asked again, as soon as it says: a person sees the table and no complaint.

    What changes something, what reads and the stream, each refused once, for each of the three reasons that pass.
    """
    timeout, limit = (408, "request_timeout"), (429, "rate_limited")
    reasons = {"commitments": (503, "overloaded"), "games": limit, "actions": timeout, "stream": limit}
    page, refused = visit(None, allowed=("503", "429", "408")).page, set[str]()

    def at_first(route: Route) -> None:
        asked = f"{route.request.method} {route.request.url}"
        if asked in refused:
            route.fallback()
        else:
            refused.add(asked)
            refuse(*reasons.get(asked.rpartition("/")[2], timeout), 1)(route)

    page.route(re.compile(r"/v1/(commitments|games)$|/v1/games/[\w-]+(/actions|/stream)?$"), at_first)
    page.goto(f"{served.url}/")
    page.get_by_role("button", name="Play Regicide").click()
    page.wait_for_url("**/play#*")
    ready(page)

    assert len(refused) > 3
    expect(page.locator(".problem")).to_have_count(0)


@pytest.mark.parametrize(
    ("status", "code", "seconds"),
    [(429, "rate_limited", 60), (429, "too_many_games", 10), (503, "overloaded", 1)],
    ids=str,
)
def test_a_refusal_that_stays_is_said(visit: Visit, served: RunningServer, status: int, code: str, seconds: int):
    """What a person would have to wait long for is said in the server's words, where it was asked for."""
    page = visit(None, allowed=(str(status),)).page
    page.route(
        "**/v1/games", lambda route: refuse(status, code, seconds)(route) if is_post(route) else route.fallback()
    )
    page.goto(f"{served.url}/")
    page.get_by_role("button", name="Play Gridcannon").click()

    expect(page.get_by_role("alert").first).to_have_text(f"In words: {code}.")
    expect(page.get_by_role("button", name="Play Gridcannon")).to_have_attribute("aria-disabled", "false")


def test_a_table_that_cant_be_read_yet_isnt_called_missing(visit: Visit, served: RunningServer):
    """Too many requests, or a store that is away: the table says what the server says, and comes when it can."""
    game = make(served.url, ANA)
    page, waits = visit(None, allowed=("429", "503")).page, [(429, "rate_limited"), (503, "storage_unavailable")]

    def at_first(route: Route) -> None:
        if not waits:
            route.fallback()
        else:
            refuse(*waits[0], 1)(route)

    page.route(re.compile(rf"/v1/games/{game.id}$"), at_first)
    page.goto(f"{served.url}{game.link()}")
    expect(page.get_by_role("status")).to_have_text("In words: rate_limited.")
    del waits[0]
    expect(page.get_by_role("status")).to_have_text("In words: storage_unavailable.")
    waits.clear()
    ready(page)
