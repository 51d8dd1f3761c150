"""Refusals of the store. ``engines.core.errors`` has those of the rules, and the base class of all refusals."""

from typing import ClassVar

from engines.core.errors import Refusal
from engines.core.phrase import Phrase, Translator, english


class StorageRefusal(Refusal):
    """Base class of the store's refusals. A refusal without a *phrase* has the ``default`` of its class."""

    code = "storage_refused"
    default: ClassVar[Phrase]

    def __init__(self, phrase: Phrase | None = None) -> None:
        super().__init__(phrase or self.default)


class NoSuchGame(StorageRefusal):
    """No game has this id."""

    code = "no_such_game"
    default = Phrase("There is no game of this id.")


class NoSuchJob(StorageRefusal):
    """No job has this id, or it has expired."""

    code = "no_such_job"
    default = Phrase("There is no job of this id: jobs are kept for a day after they end.")


class JobBroken(Refusal):
    """A job failed because of an internal error."""

    code = "internal_error"


class StaleVersion(StorageRefusal):
    """The game has changed since the expected version."""

    code = "stale_version"

    def __init__(self, version: int, phrase: Phrase | None = None) -> None:
        """Take the game's current *version*, and a *phrase* if another one than the usual sentence says why."""
        super().__init__(
            phrase
            or Phrase(
                "The game has changed: it is at version {version} now. Look at it before you act again.",
                version=version,
            )
        )
        self.version = version

    def as_json(self, tongue: Translator = english) -> dict[str, object]:
        """Return the refusal as JSON. The game's current version is added as ``version``."""
        return {**super().as_json(tongue), "version": self.version}


class KeyReused(StorageRefusal):
    """An Idempotency-Key was reused with another body."""

    code = "key_reused"
    default = Phrase("This Idempotency-Key was used with another body: take a new key for a new request.")


class InProgress(StorageRefusal):
    """The first request with this Idempotency-Key is still in progress."""

    code = "in_progress"
    retry_after: ClassVar[int] = 1
    default = Phrase("The first request with this Idempotency-Key is still being worked on: ask again in a second.")


class CommitmentGone(StorageRefusal):
    """The seed of a commitment is not available: it is unknown, has expired, or was taken by another game."""

    code = "commitment_gone"
    default = Phrase(
        "No game can be set up with this commitment: it serves one game, for 15 minutes. Ask for another one "
        "with POST /v1/commitments."
    )


class StorageUnavailable(StorageRefusal):
    """The store does not reply, or accepts no writes."""

    code = "storage_unavailable"
    retry_after: ClassVar[int] = 1
    default = Phrase("The storage can't be reached now: try again in a second.")


class TooManyStreams(StorageRefusal):
    """The limit of concurrent streams is reached."""

    code = "too_many_streams"
    retry_after: ClassVar[int] = 5
    default = Phrase("Too many live viewers right now. Try again in a few seconds, or poll the game or its events.")


class TooManyGames(StorageRefusal):
    """The client's limit of running games in which only AIs play is reached."""

    code = "too_many_games"
    retry_after: ClassVar[int] = 10

    def __init__(self, limit: int) -> None:
        super().__init__(
            Phrase(
                "{limit} games in which only AIs play are under way for your address, and more may not be: wait until "
                "one has ended, or give one up.",
                limit=limit,
            )
        )


class TooManyJobs(StorageRefusal):
    """The limit of a client's running arenas, or of a game's running reviews, is reached."""

    code = "too_many_jobs"
    retry_after: ClassVar[int] = 10

    def __init__(self, under_way: Phrase, limit: int) -> None:
        super().__init__(under_way.bind({"limit": limit}))


class Unreadable(StorageRefusal):
    """A stored game can't be read by this process."""

    code = "unreadable"


class Incomplete(Unreadable):
    """One of a game's keys is missing, as after the server has evicted it."""

    code = "unreadable"
    default = Phrase("A part of this game is missing from the storage: it can't be shown or played as it was.")


class Damaged(Unreadable):
    """A stored value has an unknown format: it was damaged, or was written by a newer version."""

    code = "unreadable"
    default = Phrase("What is stored of this game can't be read: it is damaged, or a newer version wrote it.")


class DamagedKey(Unreadable):
    """A key has an unexpected type or form. The log names the command that found it."""

    code = "unreadable"

    def __init__(self) -> None:
        super().__init__(Phrase("A part of what is stored can't be read: it is damaged, or a newer version wrote it."))


class RulesetMissing(Unreadable):
    """The game's ruleset isn't installed. The game continues when the ruleset is installed again."""

    code = "no_such_ruleset"

    def __init__(self, name: str, *, private: bool) -> None:
        super().__init__(Phrase("The game's ruleset, {ruleset}, isn't installed here now.", ruleset=name))
        self.private = private
        self.holder: str | None = None
        """The holder of the request's token in the game."""
        self.token_known = False
        """True if the request's token belongs to any game or job."""


class UnreadablePast(Unreadable):
    """A past version of a game can't be replayed, because the rules of the engine have changed since."""

    code = "unreadable_past"
    default = Phrase(
        "What happened in this game can't be told any more: this version of the server plays by other rules. "
        "The game as it is now isn't touched by that."
    )


class RematchExists(Exception):
    """The game already has a rematch. ``workers.rematch`` catches this exception, so no client receives it."""

    def __init__(self, game_id: str) -> None:
        super().__init__(game_id)
        self.game_id = game_id
