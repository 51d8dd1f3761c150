"""The refusals of the storage. ``engines.core.errors`` has those of the rules, and what every refusal promises."""

from typing import ClassVar

from engines.core.errors import Refusal
from engines.core.phrase import Phrase, Translator, english


class StorageRefusal(Refusal):
    """Storage can't do what was asked for."""

    code = "storage_refused"


class NoSuchGame(StorageRefusal):
    """No game has this id."""

    code = "no_such_game"

    def __init__(self, phrase: Phrase | None = None) -> None:
        super().__init__(phrase or Phrase("There is no game of this id."))


class NoSuchJob(StorageRefusal):
    """No job has this id, or it was forgotten."""

    code = "no_such_job"

    def __init__(self) -> None:
        super().__init__(Phrase("There is no job of this id: jobs are kept for a day after they end."))


class JobBroken(Refusal):
    """A job that couldn't be done, by no fault of whoever asked for it."""

    code = "internal_error"


class StaleVersion(StorageRefusal):
    """The game has changed since the version that was expected."""

    code = "stale_version"

    def __init__(self, version: int) -> None:
        super().__init__(
            Phrase(
                "The game has changed: it is at version {version} now. Look at it before you act again.",
                version=version,
            )
        )
        self.version = version

    def as_json(self, tongue: Translator = english) -> dict[str, object]:
        """Add the current version."""
        return {**super().as_json(tongue), "version": self.version}


class KeyReused(StorageRefusal):
    """An Idempotency-Key came back with another body."""

    code = "key_reused"

    def __init__(self) -> None:
        super().__init__(Phrase("This Idempotency-Key was used with another body: take a new key for a new request."))


class InProgress(StorageRefusal):
    """The first request with this Idempotency-Key is still being worked on."""

    code = "in_progress"
    retry_after: ClassVar[int] = 1

    def __init__(self) -> None:
        super().__init__(
            Phrase("The first request with this Idempotency-Key is still being worked on: ask again in a second.")
        )


class CommitmentGone(StorageRefusal):
    """A seed that was promised can't be had: it was never promised, has been given up, or is another game's."""

    code = "commitment_gone"

    def __init__(self) -> None:
        super().__init__(
            Phrase(
                "No game can be set up with this commitment: it serves one game, for 15 minutes. Ask for another one "
                "with POST /v1/commitments."
            )
        )


class StorageUnavailable(StorageRefusal):
    """The storage doesn't answer, or takes no writes."""

    code = "storage_unavailable"
    retry_after: ClassVar[int] = 1

    def __init__(self, phrase: Phrase | None = None) -> None:
        super().__init__(phrase or Phrase("The storage can't be reached now: try again in a second."))


class TooManyStreams(StorageRefusal):
    """As many clients watch live as may."""

    code = "too_many_streams"
    retry_after: ClassVar[int] = 5

    def __init__(self) -> None:
        super().__init__(
            Phrase("Too many live viewers right now. Try again in a few seconds, or poll the game or its events.")
        )


class TooManyGames(StorageRefusal):
    """As many games in which only AIs play are under way for a client as may."""

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
    """As many arenas are under way for a client as may, or reviews of a game."""

    code = "too_many_jobs"
    retry_after: ClassVar[int] = 10

    def __init__(self, under_way: Phrase, limit: int) -> None:
        super().__init__(under_way.filled({"limit": limit}))


class Unreadable(StorageRefusal):
    """What is stored of a game can't be read here: by no fault of who asks."""

    code = "unreadable"


class Incomplete(Unreadable):
    """A part of what was stored of a game is missing, as when a store throws away what it has no memory for."""

    code = "unreadable"

    def __init__(self) -> None:
        super().__init__(
            Phrase("A part of this game is missing from the storage: it can't be shown or played as it was.")
        )


class Damaged(Unreadable):
    """What is stored isn't written as this version writes it: it was damaged, or a newer version wrote it."""

    code = "unreadable"

    def __init__(self) -> None:
        super().__init__(
            Phrase("What is stored of this game can't be read: it is damaged, or a newer version wrote it.")
        )


class DamagedKey(Unreadable):
    """A key of the storage has another type or form than what is written there; the log says which command met it."""

    code = "unreadable"

    def __init__(self) -> None:
        super().__init__(Phrase("A part of what is stored can't be read: it is damaged, or a newer version wrote it."))


class UnreadablePast(Unreadable):
    """A past version of a game can't be played again as it was: other rules have been played by since."""

    code = "unreadable_past"

    def __init__(self) -> None:
        super().__init__(
            Phrase(
                "What happened in this game can't be told any more: this version of the server plays by other rules. "
                "The game as it is now isn't touched by that."
            )
        )


class RematchExists(Exception):
    """The game has a next one already. Nobody but ``turns`` sees this."""

    def __init__(self, game_id: str) -> None:
        super().__init__(game_id)
        self.game_id = game_id
