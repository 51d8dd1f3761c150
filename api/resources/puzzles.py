"""Routes of puzzles: list them, show the puzzle of a day, and judge a solver's answers."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Final

from flask import Response, current_app

from api.contract import examples, requests
from api.contract.shared_schemas import ref
from api.http.overload import run_exclusively_in_thread
from api.http.request_io import Blueprint, json_response, run_in_thread
from api.language import current_translator, in_language
from api.problems.documents import BODY_CODES
from api.problems.errors import NotFound
from engines import RULESETS
from engines.analysis.puzzles import Puzzle, as_json, find_puzzle, give_up, judge, puzzle_of_day, stored_puzzles
from engines.core.phrase import Phrase
from engines.core.types import Json

blp = Blueprint("puzzles", __name__, url_prefix="/v1/puzzles", description="Positions whose answers are proved.")

CLOCK: Final = "REGICIDE_PUZZLE_CLOCK"
"""Configuration key under which tests put a function that returns the time in UTC."""


@blp.route("")
@blp.doc(operationId="listPuzzles", security=[])
@blp.arguments(requests.PuzzlesQuery, location="query")
@blp.response(200, ref("Puzzles"), example=examples.PUZZLE_LIST)
@blp.refuses("invalid", "unreadable")
@run_in_thread
def list_puzzles(query: Json) -> Response:
    """List puzzles, the easiest first: positions with a goal that can be reached in one way only.

    `moves` is the number of moves that the solver must find. The response has no answers.
    """
    chosen = [puzzle for puzzle in _puzzles(query.get("ruleset")) if query.get("grade") in (None, puzzle.grade)]
    translate = current_translator()
    shown = [as_json(puzzle, translate) for puzzle in chosen[: query["limit"]]]
    return in_language(json_response({"puzzles": shown}))


@blp.route("/today")
@blp.doc(operationId="getPuzzleOfTheDay", security=[])
@blp.arguments(requests.PuzzleOfTheDayQuery, location="query")
@blp.response(200, ref("PuzzleOfTheDay"), examples=examples.PUZZLE_OF_THE_DAY)
@blp.refuses("unreadable")
@run_in_thread
def show_today(query: Json) -> Response:
    """Show today's puzzle.

    The date in UTC determines the puzzle, which is the same for everybody.
    """
    return _shown_of_day(query.get("ruleset"), _today())


@blp.route("/yesterday")
@blp.doc(operationId="getPuzzleOfYesterday", security=[])
@blp.arguments(requests.PuzzleOfTheDayQuery, location="query")
@blp.response(200, ref("PuzzleOfTheDay"), examples=examples.PUZZLE_OF_THE_DAY)
@blp.refuses("unreadable")
@run_in_thread
def show_yesterday(query: Json) -> Response:
    """Show yesterday's puzzle.

    As for any puzzle, `give_up` shows the answer.
    """
    return _shown_of_day(query.get("ruleset"), _today() - timedelta(days=1))


@blp.route("/<puzzle_id>")
@blp.doc(operationId="getPuzzle", security=[])
@blp.response(200, ref("Puzzle"), examples=examples.PUZZLE_BY_RULESET)
@blp.refuses("not_found", "unreadable")
@run_in_thread
def show_puzzle(puzzle_id: str) -> Response:
    """Show one puzzle.

    The answer isn't shown. Send yours to `POST .../answers`.
    """
    return _puzzle_response(_find_or_refuse(puzzle_id))


@blp.route("/<puzzle_id>/answers", methods=["POST"])
@blp.doc(operationId="answerPuzzle", security=[])
@blp.arguments(requests.PuzzleAnswersIn, example=examples.PUZZLE_ANSWERS)
@blp.response(200, ref("PuzzleAnswer"), example=examples.PUZZLE_RESULT)
@blp.refuses(*BODY_CODES, "not_found", "bad_action", "bad_card", "illegal_action")
@run_exclusively_in_thread
def answer(body: Json, puzzle_id: str) -> Response:
    """Judge the solver's answers so far.

    `line` has the actions that follow: to the solver's next decision, or to the goal if the puzzle is solved. After a
    wrong answer it is a refutation. It includes own actions without a choice. In a team the solver moves for all. With
    `give_up` the `line` is the whole solution. A `note` says if finding a refutation would take too long.
    """
    puzzle = _find_or_refuse(puzzle_id)
    judged = give_up(puzzle) if body["give_up"] else judge(puzzle, body["actions"])
    note = {} if judged.note is None else {"note": judged.note.render(current_translator())}
    return in_language(json_response({"right": judged.right, "solved": judged.solved, "line": judged.line, **note}))


def _now() -> datetime:
    return datetime.now(UTC)


def _today() -> date:
    clock: Callable[[], datetime] = current_app.config.get(CLOCK) or _now
    return clock().date()


def _puzzles(name: str | None) -> list[Puzzle]:
    chosen = RULESETS.values() if name is None else [RULESETS[name]]
    puzzles = [puzzle for ruleset in chosen for puzzle in stored_puzzles(ruleset)]
    return sorted(puzzles, key=lambda puzzle: puzzle.grade)


def _find_or_refuse(puzzle_id: str) -> Puzzle:
    puzzle = find_puzzle(RULESETS.values(), puzzle_id)
    if puzzle is None:
        raise NotFound(Phrase("There is no puzzle called {puzzle}.", puzzle=puzzle_id))
    return puzzle


def _puzzle_response(puzzle: Puzzle) -> Response:
    return in_language(json_response(as_json(puzzle, current_translator())))


def _shown_of_day(name: str | None, day: date) -> Response:
    puzzles = _puzzles(name)
    if not puzzles:
        raise NotFound(Phrase("This game has no puzzles."))
    shown = as_json(puzzle_of_day(puzzles, day), current_translator())
    return in_language(json_response({"day": day.isoformat(), **shown}))
