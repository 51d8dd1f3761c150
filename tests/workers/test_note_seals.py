"""What an AI noted of its choice is told, sealed, to whoever follows the game; later nobody can write it otherwise."""

from dataclasses import replace

import orjson

from engines.core.types import Json
from engines.table.record_parser import Record, load_record
from engines.table.replay import compare_transcript, verify
from tests.workers.stores import EXPERT, HUMAN, NOVICE, open_table, work_off
from workers import game_commands
from workers.archived_record_format import compact, expand
from workers.retention import read_ended
from workers.storage.store import Store


def heard(store: Store, game: str) -> list[Json]:
    """Return what a stream tells a spectator of a game, from the beginning."""
    return [orjson.loads(snapshot.message(None)) for snapshot in store.history.snapshots(game)]


def ended(store: Store, *seats: object) -> tuple[str, list[Json]]:
    """Let AIs play until it is a person's turn, listen, and give the game up; return what was heard in play."""
    game = open_table(store, *seats, ruleset="regicide")  # type: ignore[arg-type]
    work_off(store)
    messages = heard(store, game)
    game_commands.change(store, game, lambda table, now: table.abandon(now))
    return game, messages


def record_of(store: Store, game: str) -> Record:
    """Return the record as it is exported."""
    return load_record(orjson.loads(read_ended(store, game)[1]))


def test_whoever_follows_a_game_can_prove_what_its_ais_noted(job_store: Store):
    """Each version that an AI made has a seal, which the record's note has too; a rewritten one hasn't."""
    game, messages = ended(job_store, EXPERT, HUMAN)
    record = record_of(job_store, game)
    first, *others = record.entries
    assert first.ai is not None
    forged = replace(record, entries=(replace(first, ai=replace(first.ai, iterations=1)), *others))

    assert [message["version"] for message in messages if "ai_note" in message] == [
        entry.version for entry in record.entries
    ]
    assert (verify(record), compare_transcript(record, messages)) == ([], [])
    assert {finding.code for finding in verify(forged)} == {"ai_notes"}
    assert [finding.code for finding in compare_transcript(forged, messages)] == ["ai_notes"]


def test_a_seal_tells_nothing_while_the_game_runs(job_store: Store):
    """Equal notes have other seals in another game: the key is the game's, and secret."""
    games = [ended(job_store, NOVICE, HUMAN)[1] for _ in range(3)]

    seals = {messages[1]["ai_note"] for messages in games}

    assert len(seals) == 3


def test_a_person_has_no_note(job_store: Store):
    """Nothing is sealed of what people do, and their answer has nothing of it."""
    game = open_table(job_store, HUMAN, HUMAN)

    answer = game_commands.play_action(job_store, game, 0, "step 1")

    assert "ai_note" not in answer
    assert not [message for message in heard(job_store, game) if "ai_note" in message]


def test_the_chain_comes_back_from_the_archive(job_store: Store):
    """A compact record has it; one that was archived before there was a chain comes back without."""
    game, messages = ended(job_store, NOVICE, HUMAN)
    line = read_ended(job_store, game)[1]
    older = {name: value for name, value in orjson.loads(line).items() if name != "ai_notes"}

    back = load_record(orjson.loads(expand(compact(line))))
    older_back = load_record(orjson.loads(expand(compact(orjson.dumps(older)))))

    assert (verify(back), compare_transcript(back, messages)) == ([], [])
    assert back.ai_notes is not None
    assert older_back.ai_notes is None
    assert verify(older_back) == []
