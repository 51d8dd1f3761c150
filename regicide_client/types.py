"""What the server answers, as types: the contract's components, named as there. A test holds them against it."""

from typing import Any, NotRequired, TypedDict

Json = dict[str, Any]


class Seat(TypedDict):
    """A seat of a game, as everybody may know it; and whatever else its ruleset lets a seat ask for."""

    seat: int
    kind: str
    name: NotRequired[str]
    level: NotRequired[str]
    reserved: NotRequired[bool]


class Game(TypedDict):
    """The game resource, as its reader may know it."""

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


class Commitment(TypedDict):
    """The promise of a secret seed, for one game."""

    id: str
    commitment: str
    expires: str


class Games(TypedDict):
    """A page of public games, newest first."""

    games: list[Game]
    next_cursor: str | None


class Legal(TypedDict):
    """One thing that a seat may do, in both spellings; ``label`` is what a button would say."""

    action: Json
    text: str
    label: str


class Actions(TypedDict):
    """Everything that a seat may do at a version."""

    version: int
    actions: list[Legal]


class Turn(TypedDict):
    """The answer to a move."""

    version: int
    status: str
    outcome: Json | None
    events: list[Json]
    view: Json
    to_act: list[int]
    may_act: list[int]


class Rehearsed(TypedDict):
    """What follows for sure from a move that isn't taken; ``certain``: nothing else does."""

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
    """The game as its reader knew it at a version."""

    version: int
    view: Json | None


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
    ratings: dict[str, int]


class Recorded(TypedDict):
    """An action of a record."""

    version: int
    seat: int
    action: Json
    text: str
    at: str
    ai: Json | None


class GameRecord(TypedDict):
    """Everything about a game that has ended: ``regicide verify`` replays it."""

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
    """A decision of a seat, and what an AI thinks of it; the chances are None where there was no choice."""

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
    """The result of a review: each decision of a seat once more, from what the seat knew then."""

    seat: int
    level: str
    accuracy: float | None
    decisions: list[Decision]


class Job(TypedDict):
    """What takes longer than a request: a hint, a review or an arena."""

    id: str
    kind: str
    status: str
    progress: float
    ahead: int | None
    result: Json | None
    problem: Json | None
