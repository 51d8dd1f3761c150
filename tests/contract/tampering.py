"""A record that has everything, ways to change it, and what is found then."""

import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from api.commands.check_ruleset.generated_games import setups
from engines import RULESETS
from engines.core.types import Json
from engines.table.note_seals import chain
from engines.table.record_parser import read_record
from engines.table.replay import DESCRIPTION_BY_MISMATCH_CODE, Mismatch, seals
from tests.contract.hosted import Hosting

MOST_SEEDS = 100
"""So many games are tried at most in search of one in which something happens: then none is taken to have it."""


MOST_ACTIONS = 120
"""A record is played again for each of its actions, so it had better be short."""


def has_all(record: Json) -> bool:
    """The record has what there is to tamper with, and not too much of it."""
    ais = [entry["ai"] for entry in record["actions"] if entry["ai"]]
    signals = not RULESETS[record["ruleset"]].signals or any("signals" in ai for ai in ais)
    both = {"novice", "adept"} == {ai["level"] for ai in ais} and record["outcome"] is not None
    return (
        signals
        and both
        and 5 < len(record["actions"]) <= MOST_ACTIONS
        and later_by_novices(record) != []
        and that_stayed(record) != []
    )


@cache
def whole(ruleset: str) -> Json:
    """Return a record of novices, adepts and people, with signals if there are any in the game."""
    setup = next(setup for setup in setups(RULESETS[ruleset], RULESETS[ruleset].player_counts[-1]))
    return next(record for seed in range(MOST_SEEDS) if has_all(record := Hosting(setup, seed).record()))


def changed(where: Callable[[Json], Json], **values: object) -> Callable[[Json], None]:
    """Return what changes values in a part of a record."""

    def change(record: Json) -> None:
        where(record).update(values)

    return change


def at(record: Json, index: int) -> Json:
    """Return an entry to be changed."""
    found: Json = record["actions"][index]
    return found


def note(record: Json, level: str = "novice") -> Json:
    """Return the note on the first AI of *level*."""
    found: Json = next(e["ai"] for e in record["actions"] if e["ai"] and e["ai"]["level"] == level)
    return found


def a_person_in_its_place(record: Json) -> None:
    """Say that a person took the last action of a novice that acted before."""
    later_by_novices(record)[-1]["ai"] = None


def later_by_novices(record: Json) -> list[Json]:
    """Return the actions of novices that acted more than once."""
    by_novices = [e for e in record["actions"] if e["ai"] and e["ai"]["level"] == "novice"]
    return [e for e in by_novices if any(e["seat"] == other["seat"] for other in by_novices if other is not e)]


def doubled(record: Json) -> None:
    """Let an action stand there twice."""
    record["actions"].insert(5, deepcopy(at(record, 4)))


def dropped(record: Json) -> None:
    """Leave an action out."""
    del record["actions"][4]


def cut_off(record: Json) -> None:
    """Leave the last action out."""
    record["actions"].pop()


def swapped(record: Json) -> None:
    """Let two actions change places."""
    actions = record["actions"]
    actions[3], actions[4] = actions[4], actions[3]


def versions_swapped(record: Json) -> None:
    """Let two actions change their versions."""
    first, second = at(record, 3), at(record, 4)
    first["version"], second["version"] = second["version"], first["version"]


def going_on(record: Json) -> None:
    """Let an action follow the last one."""
    last = deepcopy(at(record, -1))
    record["actions"].append(last | {"version": last["version"] + 1, "ai": None})


def another_seat(record: Json) -> None:
    """Let the next seat begin."""
    mover = at(record, 0)
    mover["seat"] = (mover["seat"] + 1) % record["players"]


def another_option(record: Json) -> None:
    """Choose the other value of an option."""
    option = next((name for name, value in record["options"].items() if isinstance(value, bool)), None)
    if option is None:
        pytest.skip("no option is a yes or a no")
    record["options"][option] = not record["options"][option]


def an_option_less(record: Json) -> None:
    """Leave an option out."""
    if not record["options"]:
        pytest.skip("there are no options")
    record["options"].popitem()


def a_person_at_an_ais_seat(record: Json) -> None:
    """Say that a novice's seat was a person's to the end."""
    seat = next(e["seat"] for e in record["actions"] if e["ai"] and e["ai"]["level"] == "novice")
    record["seats"][seat] = {"seat": seat, "kind": "human"}


def fewer_players(record: Json) -> None:
    """Say that two have played; or one, if it was two."""
    record["players"] = 1 if record["players"] == 2 else 2


def too_many_players(record: Json) -> None:
    """Say that more have played than ever can."""
    record["players"] = max(RULESETS[record["ruleset"]].player_counts) + 1


def a_seat_opened(record: Json) -> None:
    """Let nobody sit on a seat."""
    record["seats"][0] = {"seat": 0, "kind": "open"}


def last_by_ai(record: Json) -> Json:
    """Return the seat of the AI that acted last."""
    seat = next(e["seat"] for e in reversed(record["actions"]) if e["ai"] and is_ai(record, e["seat"]))
    found: Json = record["seats"][seat]
    return found


def is_ai(record: Json, seat: int) -> bool:
    """An AI sits there at the end."""
    return bool(record["seats"][seat]["kind"] == "ai")


def another_level(record: Json) -> None:
    """Say that another AI sat where one acted and stayed."""
    that_stayed(record)[0]["level"] = "master"


def that_stayed(record: Json) -> list[Json]:
    """Return the seats of AIs after whose last action no seat can have been handed over."""
    versions, found = [entry["version"] for entry in record["actions"]], []
    for seat in (seat for seat in record["seats"] if seat["kind"] == "ai"):
        own = [e["version"] for e in record["actions"] if e["ai"] and e["seat"] == seat["seat"]]
        if own and versions[-1] - own[-1] == len([version for version in versions if version > own[-1]]):
            found.append(seat)
    return found


def a_level_for_a_person(record: Json) -> None:
    """Give a person's seat a level."""
    person = next((seat for seat in record["seats"] if seat["kind"] == "human"), None)
    if person is None:
        pytest.skip("nobody but AIs sits there at the end")
    person["level"] = "novice"


Tamper = Callable[[Json], None]
TAMPERED: list[tuple[str, Tamper, set[str]]] = [
    ("the commitment", changed(lambda r: r, commitment="0" * 64), {"commitment"}),
    ("the seed", changed(lambda r: r, seed="0" * 64), {"commitment", "ai_seed"}),
    ("a client seed", lambda r: r["client_seeds"].__setitem__(0, "mine"), {"ai_seed"}),
    ("client seeds in another order", lambda r: r["client_seeds"].append(""), {"players", "unplayed"}),
    ("the outcome", changed(lambda r: r["outcome"], reason="because"), {"outcome"}),
    ("no outcome", changed(lambda r: r, outcome=None), {"outcome"}),
    ("the players", fewer_players, {"players", "unplayed"}),
    ("players that there can't be", too_many_players, {"players", "unplayed"}),
    ("an option", another_option, set()),
    ("an option that goes without saying", an_option_less, {"options"}),
    ("an option that there isn't", changed(lambda r: r["options"], more=1), {"options", "unplayed"}),
    ("a position", changed(lambda r: r, position={}), {"position", "unplayed"}),
    ("a seat", another_seat, {"seat", "unplayed"}),
    ("a seat that there isn't", changed(lambda r: at(r, 3), seat=7), {"seat", "unplayed"}),
    ("a seat that nobody took", a_seat_opened, {"not_started", "unplayed"}),
    ("no action", changed(lambda r: at(r, 3), action={"type": "pass the salt"}), {"action", "unplayed"}),
    ("a text", changed(lambda r: at(r, 3), text="play it again"), {"text"}),
    ("a version", versions_swapped, {"version"}),
    ("the order", swapped, {"version"}),
    ("an action doubled", doubled, {"version"}),
    ("an action dropped", dropped, set()),
    ("the end cut off", cut_off, {"outcome"}),
    ("an action after the end", going_on, {"after_end", "unplayed"}),
    ("an AI that there isn't", changed(note, level="oracle"), {"ai_level"}),
    ("an AI for a person", a_person_at_an_ais_seat, {"ai_level"}),
    ("a person for an AI", a_person_in_its_place, {"ai_level"}),
    ("the level of a seat that there isn't", changed(last_by_ai, level="oracle"), {"ai_level"}),
    ("no level of an AI's seat", lambda r: last_by_ai(r).pop("level"), {"ai_level"}),
    ("another level of an AI's seat", another_level, {"ai_level"}),
    ("a level of a person's seat", a_level_for_a_person, {"ai_level"}),
    ("an AI's seed", changed(note, seed="0" * 64), {"ai_seed"}),
    ("an AI's budget", changed(note, budget={"iterations": 1, "seconds": 1.0, "foresight": 1}), {"ai_budget"}),
    ("an AI's iterations", changed(note, iterations=1), {"ai_iterations", "ai_notes"}),
    ("the chain of notes", changed(lambda r: r, ai_notes="0" * 64), {"ai_notes"}),
    ("a search beside an AI's", changed(note, helper_iterations=1), {"ai_iterations"}),
    ("what an AI saw", changed(note, view_sha256="0" * 64), {"ai_view"}),
    ("what an AI heard", changed(note, signals={"0": "no"}), {"ai_signals"}),
    ("who spoke", changed(note, signals={"9": "eager"}), {"ai_signals"}),
]


def read(record: Json) -> Any:
    """Read a record as it comes from a file."""
    return read_record(json.dumps(record))


def codes(found: list[Mismatch]) -> set[str]:
    """Return what was found; every sentence is one."""
    assert all(finding.sentence[0].isupper() and finding.sentence[-1] == "." for finding in found)
    assert {finding.code for finding in found} <= set(DESCRIPTION_BY_MISMATCH_CODE)
    return {finding.code for finding in found}


def rechained(record: Json) -> Json:
    """Make the chain of notes anew, as whoever forges a record can."""
    return record | {"ai_notes": chain(record["commitment"], seals(read(record)).values())}
