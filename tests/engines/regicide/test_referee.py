"""The referee itself: rulesets, requests, identifiers, and the process that never dies of a bad line."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines.referee import Json, accepted, ask, refusal, view
from tests.engines.regicide.boards import board, case, lost
from tests.waiting import AGES, allowed

REPOSITORY = Path(__file__).parents[3]


def test_the_catalogue_knows_regicide() -> None:
    """Name, player counts, and options as a JSON Schema that allows no others."""
    rulesets = accepted(ask({"op": "rulesets"}), "rulesets")
    regicide = next(ruleset for ruleset in rulesets if ruleset["name"] == "regicide")

    assert regicide["players"] == [1, 2, 3, 4]
    assert {"first_seat", "solo_yield"} == set(regicide["options"]["properties"])
    assert regicide["options"]["type"] == "object"


ASKED: list[Json] = [
    {"op": "rulesets"},
    {"op": "new", "ruleset": "regicide", "players": 2, "options": {}, "seed": "s"},
    {"op": "legal", "position": board(), "seat": 0},
    {"op": "apply", "position": board(), "seat": 0, "action": "play TC", "seed": "s"},
    {"op": "view", "position": board(), "seat": None},
]
WRONG: list[Json] = [
    {"op": "fly"},
    {"op": "apply", "position": board(damage=20), "seat": 0, "action": "yield", "seed": "s"},
    {"op": "apply", "position": board(), "seat": 0, "action": "dance", "seed": "s"},
    {"op": "new", "ruleset": "regicide", "players": 2, "options": {"x": 1}, "seed": "s"},
]
NAMELESS: list[Any] = ["chess", "", None, 5, [], {}]
SEATLESS: list[Any] = ["0", None, True, 0.5, [0]]


@pytest.mark.parametrize("request_", ASKED + WRONG, ids=lambda request_: str(request_["op"]))
def test_an_id_comes_back(request_: Json) -> None:
    """Whatever it is, in refusals too; without one the answer has none; nothing else changes."""
    plain = ask(request_)

    assert "id" not in plain
    for name in (7, 0, "a", "", None, False, [1, {"b": 2}], {"x": None}):
        assert ask(request_ | {"id": name}) == plain | {"id": name}


@pytest.mark.parametrize("request_", ASKED, ids=lambda request_: str(request_["op"]))
def test_an_answer_has_its_keys(request_: Json) -> None:
    """Each operation answers what the protocol's table says, and no more."""
    keys = {"rulesets": {"rulesets"}, "new": {"position", "events"}, "legal": {"actions"},
            "apply": {"position", "events"}, "view": {"view"}}  # fmt: skip

    assert set(ask(request_)) == keys[request_["op"]]


@pytest.mark.parametrize(
    ("position", "said"),
    [
        case("no ruleset", {key: value for key, value in board().items() if key != "ruleset"}, "'ruleset' is missing"),
        case("an enemy that is none", board(enemy="X1"), "'enemy' holds Jacks, Queens and Kings only"),
    ],
)
def test_what_is_wrong_with_a_position_is_said(position: Json, said: str) -> None:
    """The field that is wrong is named, not one that suffers from it."""
    heard = ask({"op": "legal", "position": position, "seat": 0})

    assert refusal(heard) == "bad_position"
    assert said in heard["error"]["detail"]


def test_an_applied_action_is_told() -> None:
    """Events are a list of objects with a type (docs/referee.md, Event); playing a card says which."""
    heard = ask(ASKED[3])

    assert heard["events"]
    assert all(isinstance(event["type"], str) for event in heard["events"])
    assert "TC" in json.dumps(heard["events"])


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"id": 1},
        *({"op": op} for op in (None, 5, "", "New", "legal ", ["new"], {"new": 1}, True)),
        {"op": "legal", "seat": 0},
        {"op": "apply", "seat": 0, "action": "yield", "seed": "s"},
        {"op": "view", "seat": None},
        *(ASKED[1] | {"ruleset": name} for name in NAMELESS),
        {"op": "new", "players": 2, "options": {}, "seed": "s"},
        {"op": "new", "ruleset": "regicide", "options": {}, "seed": "s"},
        *({"op": op, "position": board(), "seat": seat, "action": "yield", "seed": "s"}
          for op in ("legal", "apply") for seat in SEATLESS),
    ],
    ids=lambda request_: json.dumps({key: value for key, value in request_.items() if key != "position"}),
)  # fmt: skip
def test_bad_requests(request_: Json) -> None:
    """What is wrong with the request itself is `bad_request`."""
    assert refusal(ask(request_)) == "bad_request"


@pytest.mark.parametrize("position", [None, 5, "position", [], [board()], {}])
def test_a_position_is_an_object(position: Any) -> None:
    """Something else, or an empty one, is a bad one, whatever is asked of it."""
    request = {"seat": 0, "action": "yield", "position": position}

    assert {refusal(ask({"op": op, **request})) for op in ("legal", "apply", "view")} == {"bad_position"}


@pytest.mark.parametrize(
    "form",
    ["yield", {"type": "yield"}, {"text": "yield"}, {"action": {"type": "yield"}, "text": "yield", "label": "Yield"}],
    ids=str,
)
def test_an_action_in_any_form(form: Any) -> None:
    """The forms that HTTP takes."""
    assert ask(ASKED[3] | {"action": form})["position"]["yielded"] == [True, False]


@pytest.mark.parametrize(
    "form", [{"text": 5}, {"text": "yield", "label": "Yield"}, {"action": 5}, {}, 5, None], ids=str
)
def test_no_form_of_an_action(form: Any) -> None:
    """Nothing else."""
    assert refusal(ask(ASKED[3] | {"action": form})) == "bad_action"


class Referee:
    """A referee as a process, which is asked again and again."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def ask(self, *lines: bytes) -> list[Json]:
        """Send it *lines*; return as many answers."""
        told, heard = self._process.stdin, self._process.stdout
        assert told is not None
        assert heard is not None
        told.write(b"".join(line + b"\n" for line in lines))
        told.flush()
        return [json.loads(heard.readline()) for _ in lines]


@pytest.fixture(scope="module")
def referee() -> Iterator[Referee]:
    """Give a referee that many tests ask; told no more, it has nothing else to say, and ends well."""
    with subprocess.Popen(
        [sys.executable, "-m", "engines"],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        yield Referee(process)
        assert process.communicate(timeout=allowed(AGES)) == (b"", b"")
    assert process.returncode == 0


def test_it_ends_well_when_nobody_reads_any_more() -> None:
    """As in ``python -m engines | head -1``: without a word, whatever is still asked."""
    with subprocess.Popen(
        [sys.executable, "-m", "engines"],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        referee_ = Referee(process)
        assert referee_.ask(b'{"op": "rulesets"}')
        assert process.stdout is not None
        process.stdout.close()
        _, told = process.communicate(b'{"op": "rulesets"}\n' * 9, timeout=allowed(AGES))

    assert (process.returncode, told) == (0, b"")


def play_lines(lines: list[bytes]) -> list[Json]:
    """Feed a referee of its own with *lines*; return its answers, which must be as many."""
    done = subprocess.run(
        [sys.executable, "-m", "engines"], input=b"\n".join(lines) + b"\n", capture_output=True, cwd=REPOSITORY,
        timeout=allowed(AGES),
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines)
    return answers


GOOD = {"op": "view", "position": board(), "seat": None, "id": "still here"}


@pytest.mark.parametrize(
    "line",
    [
        case("no JSON", b"{"),
        case("words", b"play TC"),
        case("two objects", b'{"op":"rulesets"} {"op":"rulesets"}'),
        case("a list", b'[{"op":"rulesets"}]'),
        case("a string", b'"rulesets"'),
        case("a number", b"5"),
        case("null", b"null"),
        case("true", b"true"),
        case("an empty object", b"{}"),
        case("nothing", b""),
        case("blanks", b" \t "),
        case("no UTF-8", b'{"op":"\xff\xfe"}'),
        case("no UTF-8 in a text that comes back", b'{"op":"rulesets","id":"\xff"}'),
        case("UTF-16", '{"op":"rulesets"}'.encode("utf-16")),
        case("no number that comes back", b'{"op":"rulesets","id":NaN}'),
        case("an infinite number", b'{"op":"rulesets","x":-Infinity}'),
        case("a number beyond all that come back", b'{"op":"rulesets","id":1e999}'),
        case("a null byte", b'{"op":"\x00"}'),
        case("deep", b"[" * 100_000),
        case("deep and closed", b'{"op":' + b"[" * 50_000 + b"]" * 50_000 + b"}"),
        case("an unknown op", b'{"op":"fly"}'),
        case("a lone surrogate", b'{"op":"\\ud800"}'),
        case("a long line", b'{"op":"' + b"x" * 1_000_000 + b'"}'),
    ],
)
def test_a_bad_line_is_answered_and_the_next_one_read(referee: Referee, line: bytes) -> None:
    """The referee answers `bad_request` and goes on."""
    first, second = referee.ask(line, json.dumps(GOOD).encode())

    assert refusal(first) == "bad_request"
    assert second == {"view": view(board(), None), "id": "still here"}


@pytest.mark.parametrize(
    "line",
    [
        case("a huge seat", {"op": "legal", "position": board(), "seat": "HUGE"}),
        case("a huge damage", {"op": "legal", "position": board(damage="HUGE"), "seat": 0}),
        case("infinite damage", {"op": "legal", "position": board(damage="NEVER"), "seat": 0}),
        case(
            "not a number of players",
            {"op": "new", "ruleset": "regicide", "players": "NAN", "options": {}, "seed": "s"},
        ),
    ],
)
def test_numbers_that_are_none_are_answered_too(referee: Referee, line: Json) -> None:
    """Numbers beyond every limit are refused, whichever fault is named; the referee goes on."""
    text = json.dumps(line).replace('"HUGE"', "9" * 5000).replace('"NEVER"', "Infinity").replace('"NAN"', "NaN")

    first, second = referee.ask(text.encode(), json.dumps(GOOD).encode())

    assert refusal(first) in {"bad_request", "bad_position"}
    assert second["id"] == "still here"


def test_lone_surrogates_in_a_good_request_do_no_harm() -> None:
    """As an id, a seed or an action they are answered, one way or the other, in JSON."""
    texts = [
        '{"op":"rulesets","id":"\\ud800"}',
        '{"op":"new","ruleset":"regicide","players":2,"options":{},"seed":"\\ud800"}',
        json.dumps({"op": "apply", "position": board(), "seat": 0, "action": "play \ud800", "seed": "s"}),
        json.dumps({"op": "legal", "position": board() | {"enemy": "\ud800"}, "seat": 0}),
    ]

    answers = play_lines([*(text.encode() for text in texts), json.dumps(GOOD).encode()])

    assert answers[0]["id"] == "\ud800"
    assert [refusal(heard) for heard in answers[2:4]] == ["bad_card", "bad_card"]
    assert answers[4]["id"] == "still here"


def test_a_whole_conversation() -> None:
    """Many good and bad lines, answered one by one in their order, as the function answers them."""
    over = {"op": "apply", "position": board(phase="over", outcome=lost("could_not_act", 9)), "seat": 0,
    "action": "flip",
            "seed": "s"}  # fmt: skip
    requests = [request | {"id": number} for number, request in enumerate([*ASKED, *WRONG, over] * 10)]
    lines = [part for request in requests for part in (json.dumps(request, ensure_ascii=False).encode(), b'{"op":')]

    answers = play_lines(lines)

    assert answers[::2] == [ask(request) for request in requests]
    assert {refusal(heard) for heard in answers[1::2]} == {"bad_request"}


def test_the_process_is_as_exact_as_the_function() -> None:
    """One seed, one game: on another process, with another hash seed, the same deal and the same text."""
    request = {"op": "new", "ruleset": "regicide", "players": 4, "options": {"first_seat": "random"}, "seed": "ñ 王"}

    answers = play_lines([json.dumps(request).encode(), json.dumps(request, ensure_ascii=False).encode()])

    assert answers == [ask(request)] * 2
