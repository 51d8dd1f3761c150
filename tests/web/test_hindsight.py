"""After the end: why an AI did what it did, at the step that it made."""

import re

from playwright.sync_api import expect

from tests.api.puzzles import QUIET
from tests.servers.served import RunningServer
from tests.waiting import comes_true
from tests.web.conftest import Visit
from tests.web.tables import ANA, HTTP, Made, make, ready

NOVICE = {"kind": "ai", "level": "novice"}


def decided_at(made: Made) -> int | None:
    """Return the step at which the AI has decided something, beyond a signal; None if it hasn't yet."""
    events = made.ask("/events?after=0")["events"]
    return next((one["version"] for one in events if one.get("seat") == 1 and one["type"] == "played"), None)


def played(url: str) -> Made:
    """Make a private game in which Ana has played, then the AI, and which was abandoned."""
    made = make(url, ANA, NOVICE, position=QUIET, private=True)
    made.act("play 5S")
    made.act("discard 6D")
    assert comes_true(lambda: decided_at(made) is not None)
    ended = HTTP.delete(
        f"{made.url}/v1/games/{made.id}", headers={"Authorization": f"Bearer {made.body['host_token']}"}
    )
    assert ended.json()["status"] == "abandoned"
    return made


def test_why_an_ai_did_what_it_did(visit: Visit, served: RunningServer):
    """At a step of the AI there is a button; the answer takes its place. At a step of Ana's there is none."""
    made = played(served.url)
    page = visit(made.link()).page
    ready(page)
    region = page.locator(".replay")
    why = region.get_by_role("button", name=re.compile("^Why did .+ do that"))
    expect(why).to_have_count(0)

    page.get_by_role("slider").fill(str(decided_at(made)))
    why.click()

    expect(region.locator(".why p")).to_contain_text("to win if experts play on")
    page.get_by_role("slider").fill("1")
    expect(region.locator(".told")).to_contain_text("You play")
    expect(why).to_have_count(0)
    expect(region.locator(".why")).to_have_count(0)
