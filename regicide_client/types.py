"""Types of the server's responses: the components of openapi.yaml, with the same names. A test compares them."""

from typing import Any, NotRequired, TypedDict

Json = dict[str, Any]


class Seat(TypedDict):
    """A seat as everyone may see it. It may have more fields: the ruleset's ``seat_options``."""

    seat: int
    kind: str
    name: NotRequired[str]
    level: NotRequired[str]
    reserved: NotRequired[bool]


class Game(TypedDict):
    """The game resource, as the holder of the token (or a spectator) may see it."""

    id: str
    ruleset: str
    status: str
    version: int
    seats: list[Seat]
    to_act: list[int]
    may_act: list[int]
    deadline: str | None
    commitment: str
    created: str
    updated: str
    you: int | None
    view: Json | None
    outcome: Json | None
    notice: NotRequired[str]


class Commitment(TypedDict):
    """A commitment to the secret seed of one game."""

    id: str
    commitment: str
    expires: str


class Games(TypedDict):
    """A page of public games, newest first."""

    games: list[Game]
    next_cursor: str | None


class Legal(TypedDict):
    """A legal action as object and text. ``label`` is the text of a button."""

    action: Json
    text: str
    label: str


class Actions(TypedDict):
    """The legal actions of a seat at a version."""

    version: int
    actions: list[Legal]


class Turn(TypedDict):
    """The response to an action."""

    version: int
    status: str
    outcome: Json | None
    events: list[Json]
    view: Json
    to_act: list[int]
    may_act: list[int]


class Rehearsed(TypedDict):
    """The response to a dry run of an action: the events that it would certainly cause, from what the seat knows.

    ``certain`` is True if the action would cause no other events.
    """

    legal: bool
    events: list[Json]
    certain: bool


class Message(TypedDict):
    """A version of a game, as a stream sends it."""

    version: int
    events: list[Json]
    view: Json | None
    to_act: list[int]
    may_act: list[int]
    status: str
    ai_note: NotRequired[str]


class PastView(TypedDict):
    """The view of a game at a version."""

    version: int
    view: Json | None


class Puzzle(TypedDict):
    """A position with a goal that only one line of play reaches. The answer is not included."""

    id: str
    ruleset: str
    grade: int
    seat: int
    position: Json
    goal: str
    goal_text: str
    moves: int


class PuzzleStep(TypedDict):
    """An action that the server plays in a puzzle."""

    seat: int
    action: Json
    text: str


class PuzzleAnswer(TypedDict):
    """The server's judgement of the actions with which a solver has answered a puzzle so far.

    ``right`` is True if each of them was the only action that still leads to the goal, ``solved`` if none is left to
    find. ``line`` has the actions that follow: up to the next answer, a wrong answer's refutation, or the solution.
    """

    right: bool
    solved: bool
    line: list[PuzzleStep]
    note: NotRequired[str]


class Offer(TypedDict):
    """A level, offered to persons whose rating is at least ``low`` and below ``high``. None means no limit."""

    level: str
    rating: float
    low: float | None
    high: float | None


class Scale(TypedDict):
    """The scale of levels. A level suits persons who win about the share ``target`` (0 to 1) of their games at it."""

    unit: str
    target: float
    offers: list[Offer]


class Ruleset(TypedDict):
    """A game that can be played."""

    name: str
    title: str
    players: list[int]
    cooperative: bool
    options: Json
    seat_options: list[str]
    actions: list[str]
    levels: list[str]
    ratings: dict[str, float]
    scale: Scale | None
    about: str
    picture: Json | None
    lobby: str | None
    icon: str | None


class Recorded(TypedDict):
    """An action of a record."""

    version: int
    seat: int
    action: Json
    text: str
    at: str
    ai: Json | None


class GameRecord(TypedDict):
    """The complete record of an ended game, which ``regicide verify`` replays."""

    format: int
    id: str
    ruleset: str
    players: int
    options: Json
    position: Json | None
    seed: str
    client_seeds: list[str]
    commitment: str
    seats: list[Seat]
    actions: list[Recorded]
    outcome: Json | None
    ai_notes: str


class Decision(TypedDict):
    """A decision of a seat and an AI's judgement.

    ``chance`` and ``best_chance`` are estimated chances to win, with the seat's action and with that of the AI. Both
    are None if there was no choice. ``loss`` is how much of the chance to win was lost.
    """

    version: int
    text: str
    label: str
    best: str
    best_label: str
    chance: float | None
    best_chance: float | None
    loss: float
    kind: str
    why: str


class Review(TypedDict):
    """The result of a review: a judgement of each decision, from what the seat knew at that time."""

    seat: int
    level: str
    accuracy: float | None
    decisions: list[Decision]


class Job(TypedDict):
    """Background work for a client: a hint, a review or an arena."""

    id: str
    kind: str
    status: str
    progress: float
    ahead: int | None
    result: Json | None
    partial: Json | None
    problem: Json | None
