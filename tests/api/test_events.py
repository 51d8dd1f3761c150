"""What happened, as each may know it; signals."""

import pytest
from flask.testing import FlaskClient

from tests.api.games import ANA, BEN, CLEO, Game, new_game, plain
from tests.api.puzzles import CHOICE


def test_the_deal_is_told(http: FlaskClient):
    """To each seat its own cards, to a spectator none."""
    game = new_game(http, ANA, BEN)
    hands = [game.look(seat)["view"]["hands"][seat] for seat in range(2)]

    for viewer in (0, 1, None, "host"):
        dealt = [event for event in game.events(viewer) if event["type"] == "dealt"]
        named = [event for event in dealt if "card" in event]
        assert all(event["version"] == 0 for event in dealt)
        assert len(dealt) == 14
        assert sorted(event["card"] for event in named) == (sorted(hands[viewer]) if isinstance(viewer, int) else [])


def test_after_and_limit(game: Game):
    """Each counts versions; none is cut in two."""
    plain(game.act(0, "play 5S"))
    plain(game.act(0, "discard 6D"))

    everything = game.events()
    versions = [event["version"] for event in everything]
    assert versions == sorted(versions)
    assert set(versions) == {0, 1, 2}
    assert game.events(after=0) == [event for event in everything if event["version"] > 0]
    assert game.events(after=0, limit=1) == [event for event in everything if event["version"] == 1]
    assert game.events(after=2) == []
    assert game.events(after=10**15) == []


class TestSignals:
    """R22: one each of the other seats, between a Jester's play and its player's choice."""

    @pytest.fixture
    def choice(self, http: FlaskClient) -> Game:
        return new_game(http, ANA, BEN, CLEO, position=CHOICE)

    def test_a_signal(self, choice: Game):
        """Everybody hears it."""
        after = plain(choice.ask("POST", "/signals", 1, json={"signal": "eager"}))

        assert (after["version"], after["you"]) == (1, 1)
        (told,) = choice.events(after=0)
        assert told == {"version": 1, "type": "signal", "seat": 1, "signal": "eager", "text": told["text"]}
        plain(choice.ask("POST", "/signals", 2, json={"signal": "reluctant"}))

    def test_the_player_gives_none(self, choice: Game):
        """Seat 0 chooses; it has nobody to tell."""
        assert choice.ask("POST", "/signals", 0, json={"signal": "eager"}).get_json()["rule"] == "R22"

    def test_one_each(self, choice: Game):
        """A second one is refused."""
        plain(choice.ask("POST", "/signals", 1, json={"signal": "eager"}))

        again = choice.ask("POST", "/signals", 1, json={"signal": "reluctant"})

        assert (again.status_code, again.get_json()["code"], again.get_json()["rule"]) == (422, "illegal_action", "R22")

    def test_the_window_closes(self, choice: Game):
        """With the choice."""
        plain(choice.act(0, "choose 1"))

        assert choice.ask("POST", "/signals", 2, json={"signal": "eager"}).get_json()["rule"] == "R22"
