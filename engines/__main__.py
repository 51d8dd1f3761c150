"""The referee: the rules over a pipe, one JSON object per line in and out (docs/referee.md)."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Final, TextIO

from engines import RULESETS
from engines.contract.catalogue import require_rulesets
from engines.contract.events import Event
from engines.core.dealer import SeededDealer
from engines.core.errors import BadPosition, BadRequest, GameOver, Refusal
from engines.core.phrase import Phrase, listed
from engines.core.strict_reading import Reader, a_number, check_seat, no_number
from engines.core.types import Json
from engines.ruleset import Position, Ruleset, step


def _ruleset(name: object, refusal: type[Refusal]) -> Ruleset:
    ruleset = RULESETS.get(name) if isinstance(name, str) else None
    if ruleset is None:
        raise refusal(
            Phrase("There is no ruleset called {name!r}: there are {rulesets}.", name=name, rulesets=listed(RULESETS))
        )
    return ruleset


def _required_field(request: Json, field: str) -> Any:
    if field not in request:
        raise BadRequest(Phrase("The request needs {field!r}.", field=field))
    return request[field]


def _dealer(request: Json) -> SeededDealer:
    seed = request.get("seed", "")
    if not isinstance(seed, str):
        raise BadRequest(Phrase("The seed is a text."))
    try:
        return SeededDealer(seed)
    except UnicodeEncodeError:
        raise BadRequest(Phrase("The seed holds half a character: it must be valid Unicode.")) from None


def _seat(request: Json) -> int:
    seat = _required_field(request, "seat")
    if type(seat) is not int:
        raise BadRequest(Phrase("A seat is an integer, not {seat!r}.", seat=seat))
    return seat


def _position(request: Json) -> tuple[Ruleset, Position]:
    written = _required_field(request, "position")
    if not isinstance(written, dict):
        raise BadPosition(Phrase("The position is an object."))
    if "ruleset" not in written:
        raise Reader(written).refusal("ruleset", Phrase("is missing"))
    ruleset = _ruleset(written["ruleset"], BadPosition)
    return ruleset, ruleset.load(written)


def _events_as_json(events: list[Event]) -> list[Json]:
    return [event.as_json() for event in events]


def _rulesets(_request: Json) -> Json:
    return {
        "rulesets": [
            {"name": ruleset.name, "players": list(ruleset.player_counts), "options": ruleset.options}
            for ruleset in RULESETS.values()
        ]
    }


def _new(request: Json) -> Json:
    ruleset = _ruleset(_required_field(request, "ruleset"), BadRequest)
    players = _required_field(request, "players")
    if type(players) is not int or players not in ruleset.player_counts:
        counts = ", ".join(map(str, ruleset.player_counts))
        raise BadRequest(
            Phrase(
                "{title} is for {counts} players, not {players!r}.", title=ruleset.title, counts=counts, players=players
            )
        )
    dealer, events = _dealer(request), list[Event]()
    position = ruleset.new(players, request.get("options", {}), dealer, events)
    return {"position": position.dump(), "events": _events_as_json(events)}


def _legal(request: Json) -> Json:
    seat = _seat(request)
    _, position = _position(request)
    check_seat(seat, position.players)
    return {"actions": [action.as_json() for action in position.legal(seat)]}


def _apply(request: Json) -> Json:
    seat, dealer, action = _seat(request), _dealer(request), _required_field(request, "action")
    ruleset, position = _position(request)
    if position.is_over:
        raise GameOver(Phrase("The game has ended: nobody can act any more."))
    after, events = step(position, seat, ruleset.read(action), dealer)
    return {"position": after.dump(), "events": _events_as_json(events)}


def _view(request: Json) -> Json:
    seat = None if request.get("seat", 0) is None else _seat(request)
    _, position = _position(request)
    if seat is not None:
        check_seat(seat, position.players)
    return {"view": position.view(seat)}


OPERATIONS: Final[Mapping[str, Callable[[Json], Json]]] = {
    "rulesets": _rulesets,
    "new": _new,
    "legal": _legal,
    "apply": _apply,
    "view": _view,
}


def answer(request: object) -> Json:
    """Return the answer to one request of the referee protocol. A refused request is answered with ``error``."""
    if not isinstance(request, dict):
        return {"error": BadRequest(Phrase("A request is a JSON object.")).as_json()}
    try:
        operation = request.get("op")
        if not isinstance(operation, str) or operation not in OPERATIONS:
            raise BadRequest(
                Phrase(
                    "There is no operation {operation!r}: there are {operations}.",
                    operation=operation,
                    operations=listed(OPERATIONS),
                )
            )
        reply = OPERATIONS[operation](request)
    except Refusal as refusal:
        reply = {"error": refusal.as_json()}
    return {"id": request["id"], **reply} if "id" in request else reply


def answer_line(line: bytes) -> str:
    """Return the answer to one line of UTF-8, as one line of JSON. Invalid input is answered with ``error``."""
    try:
        try:
            request = json.loads(line.decode(), parse_constant=no_number, parse_float=a_number)
        except ValueError:
            return json.dumps({"error": BadRequest(Phrase("The line isn't JSON.")).as_json()})
        return json.dumps(answer(request))
    except RecursionError:
        return json.dumps({"error": BadRequest(Phrase("The line is nested too deeply.")).as_json()})


def main(lines: BinaryIO, out: TextIO) -> None:
    """Answer every line, also blank ones, until the input ends or the output is closed."""
    for line in lines:
        try:
            print(answer_line(line), file=out, flush=True)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())  # so that the flush at exit can't fail
            return


if __name__ == "__main__":
    require_rulesets()
    main(sys.stdin.buffer, sys.stdout)
