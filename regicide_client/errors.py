"""What can go wrong: every error of this package is a ``RegicideError``, whose text is a sentence for a person."""

import httpx

from regicide_client.types import Json


class RegicideError(Exception):
    """The root of every error that this package raises."""


class ServerUnreachable(RegicideError):
    """Nobody answers at the server's address, or the connection broke and couldn't be had again in time.

    Whether a request that was sent has been carried out isn't known. ``__cause__`` is httpx's own error.
    """

    def __init__(self, url: object, reason: Exception) -> None:
        super().__init__(f"The server at {url} can't be reached: {str(reason).rstrip('.') or type(reason).__name__}.")


class WaitTimeout(RegicideError):
    """What was waited for didn't happen in time."""


class CommitmentMismatch(RegicideError):
    """The server set up the game with another secret seed than it had promised."""


class ProblemError(RegicideError):
    """The server refuses; nothing has changed, unless ``body``, its problem document, says that it can't tell."""

    def __init__(self, body: Json) -> None:
        super().__init__(body["detail"])
        self.status: int = body["status"]
        self.code: str = body["code"]
        self.detail: str = body["detail"]
        self.body = body

    @classmethod
    def of(cls, response: httpx.Response) -> "ProblemError":
        """Return the problem of an answer; ``unknown`` if it holds none."""
        try:
            body = response.json()
        except ValueError:
            body = None
        if isinstance(body, dict) and {"code", "detail"} <= set(body):
            return cls({**body, "status": response.status_code})
        said = f"{response.status_code} {response.reason_phrase}".strip()
        request = response.request
        detail = f"The answer to {request.method} {request.url} is {said}, and not from a Regicide server."
        return cls({"status": response.status_code, "code": "unknown", "detail": detail})
