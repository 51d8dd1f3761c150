"""The errors of this package. All are ``RegicideError``, whose text is a sentence for people."""

import httpx

from regicide_client.types import Json


class RegicideError(Exception):
    """Base class of this package's errors."""


class ServerUnreachable(RegicideError):
    """The server can't be reached, or the connection broke and retries failed.

    It is unknown whether the request was carried out. ``__cause__`` is httpx's error.
    """

    def __init__(self, url: object, reason: Exception) -> None:
        super().__init__(f"The server at {url} can't be reached: {str(reason).rstrip('.') or type(reason).__name__}.")


class WaitTimeout(RegicideError):
    """A method that waits, such as ``wait_for_turn``, has timed out."""


class CommitmentMismatch(RegicideError):
    """The game has another secret seed than the server had committed to."""


class ProblemError(RegicideError):
    """The server refused a request.

    Nothing has changed, unless ``body``, the problem document, says that the outcome is unknown.
    """

    def __init__(self, body: Json) -> None:
        super().__init__(body["detail"])
        self.status: int = body["status"]
        self.code: str = body["code"]
        self.detail: str = body["detail"]
        self.body = body

    @classmethod
    def of(cls, response: httpx.Response) -> "ProblemError":
        """Return the problem of a response. Its code is ``unknown`` if the response is no problem document."""
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
