"""Records: true ones verify, whatever happened in the game; whatever is changed in one is said."""

from copy import deepcopy
from functools import cache
from itertools import pairwise

import pytest

from api.commands.check_ruleset.generated_games import FEW_SEARCH_ITERATIONS, setups
from engines import RULESETS
from engines.contract.default_levels import LEVELS
from engines.contract.facts_for_checks import facts_of
from engines.core.types import Json
from engines.ruleset import Ruleset
from engines.table.replay import audit, compare_transcript, seals, verify
from tests.contract.games import FIRST, IDS, TABLES
from tests.contract.hosted import WITH_SECOND_SEARCH, Hosting, hostings
from tests.contract.tampering import MOST_SEEDS, TAMPERED, Tamper, codes, note, read, rechained, whole

EACH = 17
"""Times six kinds of table: more than a hundred records."""


@pytest.mark.search
@pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)
def test_true_records_verify(ruleset: Ruleset, players: int) -> None:
    """Of AIs and people, with joins, signals, handovers, stand-ins; abandoned, started from a position."""
    for hosting in hostings(ruleset, players, EACH):
        assert verify(read(hosting.record())) == [], hosting


@pytest.mark.search
@pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)
def test_ais_choose_again_what_they_chose(ruleset: Ruleset, players: int) -> None:
    """At every level, from the record alone."""
    told = list[str]()
    for level in LEVELS:
        seeds = iter(range(MOST_SEEDS))
        while told.count(level) < FEW_SEARCH_ITERATIONS:
            seed = next(seeds)
            setup = setups(ruleset, players)[seed % len(setups(ruleset, players))]
            record = read(Hosting(setup, seed, (level,), from_position=seed % 2 == 1, abandoned=True).record())
            assert audit(record, lambda _entry, ai, _same: told.append(ai.level)) == []


def test_one_note_that_is_rewritten_is_seen() -> None:
    """An AI that is said to have searched once chooses the same, perhaps: the chain of notes tells it all the same."""
    record = searched()
    record["actions"][-1]["ai"]["iterations"] -= 1

    assert "ai_notes" in codes(verify(read(record)))


def test_a_chain_that_is_rewritten_too_is_seen_by_who_was_there() -> None:
    """Whoever kept what was told in play finds the version; nobody else can tell."""
    record = searched()
    true = read(record)
    stream = [{"version": version, "ai_note": sealed} for version, sealed in seals(true).items()]
    listed = {"events": [], "ai_notes": {str(version): sealed for version, sealed in seals(true).items()}}
    entry = record["actions"][-1]
    entry["ai"]["iterations"] -= 1
    forged = read(rechained(record))

    assert verify(forged) == []
    assert [len(compare_transcript(true, heard)) for heard in (stream, [listed])] == [0, 0]
    for heard in (stream, [listed]):
        (finding,) = compare_transcript(forged, heard)
        assert finding.code == "ai_notes"
        assert f"Version {entry['version']}:" in finding.sentence


def test_a_commitment_that_was_heard_in_play() -> None:
    """And isn't the record's: the seed was exchanged."""
    record = read(searched())
    resource = {"id": record.id, "version": 0, "commitment": "0" * 64}
    strange: list[Json] = [{"version": [], "ai_note": "x"}, {"version": 99, "ai_note": "x"}, {"ai_notes": {"x": "y"}}]

    assert codes(compare_transcript(record, [resource])) == {"commitment"}
    assert (
        compare_transcript(record, [{**resource, "commitment": record.commitment}, {**resource, "id": "another"}]) == []
    )
    assert len(compare_transcript(record, strange)) == 3


def test_a_record_of_an_older_version_is_read() -> None:
    """It has no chain; what is in it is judged as before."""
    record = searched()
    del record["ai_notes"]
    older = read(record)

    assert older.ai_notes is None
    assert verify(older) == []


def searched() -> Json:
    """Return a record, to be changed, that ends with the action of an AI that searched."""
    return deepcopy(_searched())


@cache
def _searched() -> Json:
    setup = setups(FIRST, 2)[0]
    records = (Hosting(setup, seed, ("expert",), abandoned=True).record() for seed in range(MOST_SEEDS))
    return next(one for one in records if one["actions"] and (one["actions"][-1]["ai"] or {}).get("iterations", 0) > 1)


BY_THE_RULES = {"an option", "a seat", "the order", "an action doubled", "an action dropped", "the end cut off"}
"""What only the game's own rules can notice."""


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize(("what", "tamper", "expected"), TAMPERED, ids=[what for what, *_ in TAMPERED])
def test_what_is_changed_is_said(ruleset: str, what: str, tamper: Tamper, expected: set[str]) -> None:
    """Each with its code; where it throws the game off its course, what comes of that is said too."""
    if what in BY_THE_RULES and not facts_of(RULESETS[ruleset]).leaves_traces:
        pytest.skip("its rules needn't notice")
    record = deepcopy(whole(ruleset))
    tamper(record)

    found = codes(verify(read(record)))

    assert found
    assert found >= expected


TRACED = [name for name in RULESETS if facts_of(RULESETS[name]).leaves_traces]


@pytest.mark.parametrize("ruleset", [RULESETS[name] for name in TRACED], ids=TRACED)
def test_no_action_can_be_left_out(ruleset: Ruleset) -> None:
    """Whichever it is, of a game that has ended: the rules, an AI or the outcome object."""
    record = whole(ruleset.name)
    for index in range(len(record["actions"])):
        shorter = record | {"actions": [e for i, e in enumerate(record["actions"]) if i != index]}
        assert verify(read(shorter)), f"without {record['actions'][index]}"


@pytest.mark.parametrize("ruleset", [RULESETS[name] for name in TRACED], ids=TRACED)
def test_no_action_can_be_another(ruleset: Ruleset) -> None:
    """Each action in the place of each of its neighbours."""
    record = whole(ruleset.name)
    actions = record["actions"]
    for index, (one, other) in enumerate(pairwise(actions)):
        if one["action"] == other["action"]:
            continue
        said = {"action": other["action"], "text": other["text"]}
        forged = [one | said if i == index else e for i, e in enumerate(actions)]
        assert verify(read(record | {"actions": forged})), f"{said} for {one}"


@pytest.mark.parametrize("ruleset", [name for name in RULESETS if RULESETS[name].levels["adept"].budget is None])
def test_another_choice_is_noticed(ruleset: str) -> None:
    """A level that chooses otherwise, everything else as it was; verifying alone can't tell."""
    record = deepcopy(whole(ruleset))
    for line in record["actions"]:
        if line["ai"] is not None and line["ai"]["level"] == "novice":
            line["ai"]["level"] = "adept"
    for seat in record["seats"]:
        if seat["kind"] == "ai":
            seat["level"] = "adept"
    record, told = rechained(record), list[bool]()

    found = audit(read(record), lambda _entry, _ai, same: told.append(same))

    assert verify(read(record)) == []
    assert codes(found) == {"ai_choice"}
    assert len(found) == told.count(False)


def second_searches(seed: int) -> tuple[Json, list[Json]]:
    """Return a record of masters of before 1.0, and the notes on those that counted a second search."""
    record = Hosting(setups(FIRST, 2)[0], seed, ("master",), abandoned=True).record()
    return record, [line["ai"] for line in record["actions"] if line["ai"] and "helper_iterations" in line["ai"]]


@pytest.mark.parametrize("forgery", [{}, {"helper_iterations": 2}], ids=["left out", "another"])
def test_a_second_search_matters_to_a_choice(forgery: Json) -> None:
    """What it counted is part of what an AI chose by: another number leads to other choices."""
    for seed in range(MOST_SEEDS):
        record, notes = second_searches(seed)
        assert audit(read(record), lambda *_: None) == []
        for forged in notes:
            del forged["helper_iterations"]
            forged.update(forgery)
        if codes(audit(read(rechained(record)), lambda *_: None)) == {"ai_choice"}:
            return
    pytest.fail("it led to the same choices in each of these games")


def record_with(level: str) -> Json:
    """Return a record in which an AI of *level* acts."""
    setup = setups(FIRST, 2)[0]
    records = (Hosting(setup, seed, (level,), abandoned=True).record() for seed in range(MOST_SEEDS))
    return next(
        known for known in records if any((line["ai"] or {}).get("level") == level for line in known["actions"])
    )


@pytest.mark.parametrize("level", ["novice", "expert", "master"])
def test_a_second_search_has_half_of_the_iterations(level: str) -> None:
    """Beside a level that searches; others have none."""
    budget = FIRST.levels[level].budget
    record, found, most = record_with(level), list[set[str]](), budget.iterations // 2 if budget else 0
    for helping in (most, most + 1):
        note(record, level).update({"helper_iterations": helping} if helping else {})
        found.append(codes(verify(read(rechained(record)))))

    assert found == [set(), {"ai_iterations"}]


def test_a_budget_cannot_be_left_out() -> None:
    """Of an AI that searches; it is that of its level, in its ruleset."""
    record = record_with("master")
    known = note(record, "master")
    budget = FIRST.levels["master"].budget
    assert budget is not None
    assert known["budget"] == budget.as_json()

    del known["budget"]

    assert codes(verify(read(record))) == {"ai_budget"}


def test_few_is_few() -> None:
    """The searches of these tests are within every level's budget, or their records wouldn't verify."""
    assert all(
        level.budget.iterations // (2 if name == WITH_SECOND_SEARCH else 1) >= FEW_SEARCH_ITERATIONS
        for ruleset in RULESETS.values()
        for name, level in ruleset.levels.items()
        if level.budget
    )
