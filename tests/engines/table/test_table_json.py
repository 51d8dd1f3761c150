"""A hosted game: what is told of it to whom, and what is kept."""

import json
from datetime import UTC, datetime
from random import Random

import pytest

from engines import RULESETS
from engines.core.dealer import commitment
from engines.core.errors import BadPosition, StillRunning
from engines.table import table_json
from engines.table.note_seals import view_hash
from engines.table.seats import FIRST_LAYOUT_FIELDS, Joined
from engines.table.table import Table, rfc3339
from tests.engines.regicide.boards import board
from tests.engines.tables import ANA, BEN, CHOOSING, FREE, LATER, NOON, NOVICE, SEED, ended, events_of, refused, table


def test_the_resource_shows_what_a_seat_may_know() -> None:
    """Every field; the secret seed in none."""
    game = table(ANA, NOVICE, private=True, turn_seconds=60)

    shown, ai = table_json.resource(game, 0), {"kind": "ai", "name": game.seats[1].name, "level": "novice"}

    assert shown == {
        "id": "g1", "ruleset": "regicide", "status": "active", "version": 0,
        "seats": [{"seat": 0, "kind": "human", "name": "Ana"}, {"seat": 1, **ai}],
        "to_act": [0], "may_act": [], "deadline": "2026-05-01T12:01:00.123Z", "commitment": commitment(SEED),
        "created": "2026-05-01T12:00:00.123Z", "updated": "2026-05-01T12:00:00.123Z", "you": 0,
        "view": game.view(0), "outcome": None,
    }  # fmt: skip
    assert table_json.resource(game, None)["view"] == game.view(None) != shown["view"]
    for secret in (SEED.hex(), "añá", game.key.hex()):
        assert secret not in json.dumps(shown, ensure_ascii=False)


def test_a_spectator_can_do_nothing() -> None:
    """No list of actions is theirs."""
    assert table(ANA, BEN).legal(None) == []


def test_the_record_is_secret_until_the_end() -> None:
    """Then it reveals the seed, and holds what a replay needs."""
    game, entries = ended()

    record = table_json.record(game, entries)

    assert isinstance(refused(table_json.record, table(ANA, BEN), []), StillRunning)
    assert isinstance(refused(table_json.record, table(ANA, FREE), []), StillRunning)
    assert record == {
        "format": 1, "id": "g1", "ruleset": "regicide", "players": 2, "options": game.options,
        "position": board(["2C", "8C"]), "seed": SEED.hex(), "client_seeds": ["añá", ""],
        "commitment": commitment(bytes.fromhex(record["seed"])), "seats": table_json.resource(game, None)["seats"],
        "actions": entries, "outcome": table_json.resource(game, None)["outcome"], "ai_notes": record["commitment"],
    }  # fmt: skip
    assert record["outcome"]["result"] == "lost"
    assert table_json.record(table(ANA, FREE).abandon(NOON).table, [])["outcome"] is None


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_version_survives_storage(ruleset: str) -> None:
    """Stored and read again, a game goes on as if nothing had been."""
    players = RULESETS[ruleset].player_counts[-1]
    game = table(*[FREE] * players, ruleset=ruleset, turn_seconds=5, private=True)
    for seat in range(players):
        game = stored(game).join(seat, f"Ñ{seat}", "x", LATER).table
    rng = Random(1)
    while game.status == "active" and game.version < 60:
        loaded, seat = stored(game), game.to_act()[0]
        action = rng.choice(game.legal(seat))["action"]
        assert events_of(loaded.act(seat, action, LATER)) == events_of(game.act(seat, action, LATER))
        game = loaded.act(seat, action, LATER).table
    assert game.version > players


def test_signals_survive_storage() -> None:
    """Their seats come back as numbers."""
    game = table(ANA, BEN, ANA, position=CHOOSING).signal(2, "eager", NOON).table

    assert stored(game).signals == {2: "eager"}


def stored(game: Table) -> Table:
    """Return *game* as storage gives it back."""
    again = table_json.load(json.loads(json.dumps(table_json.dump(game))))
    assert table_json.dump(again) == table_json.dump(game)
    assert table_json.resource(again, 0) == table_json.resource(game, 0)
    return again


def test_a_view_has_one_hash() -> None:
    """UTF-8 JSON, keys sorted, no spaces (docs/http.md)."""
    assert view_hash({"b": "ñ", "a": [1, None]}) == view_hash({"a": [1, None], "b": "ñ"})
    assert view_hash({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_times_are_written_in_milliseconds() -> None:
    """So that they sort as text."""
    assert rfc3339(datetime(2026, 5, 1, 12, tzinfo=UTC)) == "2026-05-01T12:00:00.000Z"


def test_events_of_the_table_are_for_everybody() -> None:
    """Nothing at the table is hidden."""
    event = Joined(1, "Ana")

    assert event.public() == event.as_json() == {"type": "joined", "seat": 1, "name": "Ana"}


def test_what_a_newer_version_stored_is_kept() -> None:
    """Fields that aren't known have no effect, and are written again as they were, whatever is done meanwhile."""
    stored = table_json.dump(table(ANA, BEN, NOVICE))
    newer = {
        **stored,
        "mood": {"a": 1},
        "seats": [{**seat, "hat": number} for number, seat in enumerate(stored["seats"])],
    }

    loaded = table_json.load(newer)
    after = table_json.dump(loaded.act(loaded.to_act()[0], loaded.legal(loaded.to_act()[0])[0]["action"], LATER).table)

    assert table_json.dump(loaded) == newer
    assert (after["mood"], [seat["hat"] for seat in after["seats"]]) == ({"a": 1}, [0, 1, 2])
    assert table_json.is_same(loaded, table_json.load(stored))
    assert not table_json.is_same(loaded, table_json.load({**stored, "moves": 1}))


def test_an_unknown_field_of_a_position_is_refused() -> None:
    """It is a rule that this version doesn't play by."""
    stored = table_json.dump(table(ANA, BEN))

    with pytest.raises(BadPosition):
        table_json.load({**stored, "position": {**stored["position"], "weather": "rain"}})


def test_what_older_versions_read_is_all_that_is_stored() -> None:
    """They refuse any other field: one that came later is written only where it isn't what it is without."""
    stored = table_json.dump(table(ANA, BEN, NOVICE))

    assert set(stored) == table_json.FIRST_LAYOUT_FIELDS
    assert {name for seat in stored["seats"] for name in seat} == FIRST_LAYOUT_FIELDS


@pytest.mark.parametrize(
    ("name", "value"), [("version", "x"), ("moves", None), ("status", 7), ("seed", []), ("options", [1])]
)
def test_fields_of_another_kind_cannot_be_read(name: str, value: object) -> None:
    """Else the first who used one would fail: a table is read whole, or not at all."""
    with pytest.raises(TypeError):
        table_json.load({**table_json.dump(table(ANA, BEN)), name: value})
