"""No card reaches a page whose reader may not know it: shown, sent (streams too) or kept, in whole games."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import orjson
import pytest
from playwright.sync_api import Page

from engines import RULESETS
from engines.ai import decision
from engines.ai.observation import Observation
from engines.contract.facts_for_checks import Viewer
from engines.core.cards import NAMES
from tests.servers.entitled import Truth, cards_in
from tests.servers.overheard import Overheard, Reply, offences
from tests.servers.served import RunningServer
from tests.web.conftest import Visit, Visitor
from tests.web.tables import ANA, BEN, OVERTAKEN, Made, expect_version, make

LISTEN = """
window.heard = [];
const version = () => Number(document.querySelector("main")?.dataset.version ?? 0);
const ask = window.fetch;
window.fetch = async (path, options = {}) => {
    const one = {asked: `${path} ${options.body ?? ""}`, text: "", low: version(), high: 0};
    const answer = await ask(path, options);
    window.heard.push(one);
    const reader = answer.clone().body?.pipeThrough(new TextDecoderStream()).getReader();
    const read = ({done, value}) => {
        one.high = version() + 1;
        one.text += value ?? "";
        return done || reader.read().then(read, () => {});
    };
    reader?.read().then(read, () => {});
    return answer;
};
"""
"""Keep all that the page is sent, streams as they come, with the step that it showed when it asked and heard."""

HELD = """() => [
    ...[document.head, ...document.body.children].filter((one) => !one.matches("svg.sprite"))
        .map((one) => one.outerHTML.replace(/ d="[^"]*"/g, "")),
    JSON.stringify([localStorage, sessionStorage, document.cookie, document.title, location.href]),
].join("\\n")"""
"""All that the page shows and keeps, without the drawings' paths, and the figures that all cards have."""

SPOKEN = re.compile(r"\b(ace|Jack|Queen|King|10|[2-9]) of (clubs|diamonds|hearts|spades)\b")
TURN_LIMITS = {"gridcannon": {"turn_limit": 14}}
"""What ends a game that nobody has won by then: what is sent in longer games is held in tests/servers/test_leaks.py."""
MOST_STEPS = 1_000


def in_short(text: str) -> str:
    """Write what a screen reader says as cards are named: 7 of spades as 7S."""
    return SPOKEN.sub(lambda card: card[1][0].upper().replace("1", "T") + card[2][0].upper(), text)


@dataclass
class Reader:
    """A page, who reads it, and all that it has shown at each step."""

    visitor: Visitor
    viewer: Viewer
    shown: dict[int, str] = field(default_factory=dict)

    @property
    def page(self) -> Page:
        """The page."""
        return self.visitor.page

    def look(self, version: int) -> None:
        """Keep what the page shows at a step of the game; foresee what the first card would do."""
        expect_version(self.page, version)
        first = self.page.locator(".hand [data-token][aria-disabled=false], .gc-board [data-may=next]")
        if first.count() and version % 3 == 0:
            first.first.click()
            self.page.locator("#preview:not(:empty), main:not(:has(#act[aria-disabled=false]))").first.wait_for(
                state="attached"
            )
        self.shown[version] = self.page.evaluate(HELD)

    def replies(self) -> Iterator[Reply]:
        """Yield what the page was sent, each message of a stream by itself."""
        for one in self.page.evaluate("window.heard"):
            assert one["text"] or "/stream" not in one["asked"], "a stream that nothing was heard of"
            for text in one["text"].splitlines() if "/stream" in one["asked"] else [one["text"]]:
                body = json.loads(text) if text.startswith(("{", "[")) else None
                yield Reply(self.viewer, one["asked"].encode(), text.encode(), body, one["low"], one["high"])


def play(made: Made, ruleset: str, readers: list[Reader]) -> None:
    """Play a whole game beside the pages, which are looked at at each step."""
    rng, version = Random(f"leaks {ruleset}"), 0
    for _ in range(MOST_STEPS):
        for reader in readers:
            reader.look(version)
        look = made.ask()
        if look["status"] == "finished":
            return
        seats = [*look["to_act"], *(look["may_act"] if rng.random() < 0.1 else [])]
        seat = seats[-1]
        seen = Observation(RULESETS[ruleset], made.ask("", seat)["view"], seat, str(rng.random()))
        action = (
            decision.think(decision.Question("adept", seen)).action or made.ask("/actions", seat)["actions"][0]["text"]
        )
        version = made.act(str(action), seat)["version"]
    pytest.fail("the game didn't end")


def shown_in_vain(reader: Reader, truth: Truth) -> Iterator[str]:
    """Yield the cards that a page has held whose reader couldn't know them: by where they lay, or what was told."""
    told = set[str]()
    for version, text in sorted(reader.shown.items()):
        told |= cards_in(orjson.dumps(truth.events_seen(version, reader.viewer)))
        allowed = told | truth.lies_open(version, reader.viewer) | truth.packets(version)
        if leaked := cards_in(in_short(text).encode()) - allowed:
            yield f"{sorted(leaked)} on the page of {reader.viewer} at {version}"


@pytest.mark.parametrize("viewers", [(0, None), pytest.param((0, 1, None), marks=pytest.mark.long)], ids=str)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_whole_games(visit: Visit, served: RunningServer, ruleset: str, viewers: tuple[Viewer, ...]):
    """A seat's page and a spectator's, from the deal to the end; in ``make long`` each seat's."""
    made = make(served.url, ANA, BEN, ruleset=ruleset, options=TURN_LIMITS.get(ruleset, {}))
    readers = [Reader(visit(None, allowed=OVERTAKEN), viewer) for viewer in viewers]
    for reader in readers:
        reader.page.add_init_script(LISTEN)
        reader.page.goto(served.url + (f"/play?g={made.id}" if reader.viewer is None else made.link(reader.viewer)))

    play(made, ruleset, readers)

    truth, heard = Truth(made.ask("/record"), 0), Overheard(served.url, ruleset, 2, Random(0))
    for reader in readers:
        heard.heard = list(reader.replies())
        assert list(shown_in_vain(reader, truth)) == []
        assert list(offences(heard, truth)) == []
        streamed = {one.body["version"] for one in heard.heard if b"/stream" in one.asked and one.body}
        assert streamed == set(range(1, truth.last + 1))

    hidden = min(set(NAMES) - truth.lies_open(0, None) - cards_in(orjson.dumps(truth.events_seen(0, None))))
    leak = Reader(readers[-1].visitor, None, {0: f"<p>{hidden}</p>"})
    heard.heard = [Reply(None, b"", hidden.encode(), None, 0, 0)]
    assert [len(list(leaks)) for leaks in (shown_in_vain(leak, truth), offences(heard, truth))] == [1, 1]
