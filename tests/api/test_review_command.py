"""``regicide review``: how well the seats of a record have decided, in the terminal."""

import json
from copy import deepcopy

import pytest
from click.testing import CliRunner, Result

from api.commands.cli import main
from api.commands.record_review import table
from api.language import translator
from engines.core.phrase import english
from engines.core.types import Json
from tests.api.games import Game, new_game, plain
from tests.api.test_reviews import ended  # noqa: F401  a fixture


@pytest.fixture
def record(ended: Game) -> Json:  # noqa: F811  the fixture
    """Give the record of a game that Ana has lost by her only decision; Ben made none."""
    return plain(ended.ask("GET", "/record"))


def run(record: Json | bytes, *options: str) -> Result:
    """Review a record that comes on standard input."""
    written = record if isinstance(record, bytes) else json.dumps(record).encode()
    return CliRunner().invoke(main, ["review", "-", "--level", "novice", *options], input=written)


def test_a_blunder_in_the_table(record: Json):
    """Each seat of a person with its accuracy; each decision, and why it could have been better."""
    end = run(record)

    assert end.exit_code == 0, end.output
    assert end.stdout == (
        "Seat 0, Ana: accuracy 0.0%\n"
        "good 0, inaccuracy 0, mistake 0, blunder 1\n"
        "step  played   wins  best     wins  lost\n"
        "   0  Play 2♠    0%  Play 5♣  100%  100%  blunder\n"
        "      Ana plays 5♣ for 5; the enemy takes 10: 0 left; K♠ falls: "
        "an estimated 100% to win if experts play on, against 0% for “Play 2♠”.\n"
        "\n"
        "Seat 1, Ben: never had a choice\n"
        "good 0, inaccuracy 0, mistake 0, blunder 0\n"
        "step  played  wins  best  wins  lost\n"
    )


def test_a_seat_in_spanish(record: Json):
    """The one that is asked for."""
    end = run(record, "--seat", "0", "--lang", "es")

    assert end.stdout.startswith("Asiento 0, Ana: precisión 0.0 %\n")
    assert "Juega 2♠    0%  Juega 5♣" in end.stdout
    assert "error grave\n      Ana juega 5♣: ataque de 5; " in end.stdout
    assert "Ben" not in end.stdout


def test_what_is_no_record(record: Json):
    """2 if it can't be read, or there is no such seat; 1 if it can't be played."""
    forged = deepcopy(record)
    forged["actions"][0] |= {"action": {"type": "play", "cards": ["7C"]}, "text": "play 7C"}

    ends = [run(b"{"), run(record, "--seat", "2"), run(forged)]

    assert [end.exit_code for end in ends] == [2, 2, 1]
    assert "illegal: Version 1, seat 0" in ends[2].stdout
    assert "can't be played" in ends[2].stderr


def test_columns():
    """As wide as they must be; where there was no choice there are no numbers, and no better action."""
    good = {
        "label": "Draw a card",
        "best_label": "Draw a card",
        "text": "draw",
        "best": "draw",
        "why": "",
        "kind": "good",
    }
    rows: list[Json] = [
        {**good, "version": 9, "chance": None, "best_chance": None, "loss": 0},
        {**good, "version": 10, "chance": 0.5, "best_chance": 0.5, "loss": 0},
        {**good, "version": 100, "best": "x", "best_label": "X", "chance": 0.5, "best_chance": 0.49, "loss": 0},
        {**good, "version": 101, "best": "x", "best_label": "X", "chance": 0.4, "best_chance": 0.46, "loss": 0.06,
         "kind": "inaccuracy", "why": "Why."},
    ]  # fmt: skip

    assert table(rows, english) == [
        "step  played       wins  best  wins  lost",
        "   9  Draw a card     -  -        -     -",
        "  10  Draw a card   50%  -        -     -",
        " 100  Draw a card   50%  X      49%     -",
        " 101  Draw a card   40%  X      46%    6%  inaccuracy",
        "      Why.",
    ]
    assert table(rows, translator("es"))[0] == "paso  jugó         gana  mejor  gana  perdida"


def test_seats_of_ais_where_nobody_else_played(http):
    """If no person sat there all seats are reviewed."""
    ais = [{"kind": "ai", "level": "novice"}] * 2
    game = new_game(http, *ais)
    plain(game.ask("DELETE", "", "host"))

    end = run(plain(game.ask("GET", "/record")))

    assert [line.partition(",")[0] for line in end.stdout.splitlines() if line.startswith("Seat")] == [
        "Seat 0",
        "Seat 1",
    ]
