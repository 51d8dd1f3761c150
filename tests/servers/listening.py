"""Somebody who listens to a stream over real HTTP, in a thread, and keeps all that they hear."""

import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Thread
from typing import Any

import httpx

from regicide_client import Player

Json = dict[str, Any]
EVENTS, LINES = "text/event-stream", "application/x-ndjson"
PATIENCE = 20.0


class Listener:
    """What was heard so far; *ids* are those of server-sent events."""

    def __init__(self) -> None:
        self.messages: list[Json] = []
        self.ids: list[int] = []
        self.keep_alives = 0
        self.ended = False
        """Well: by the server, between two messages."""
        self._changed = Condition()

    @property
    def versions(self) -> list[int]:
        """The version of each message, the snapshot's too."""
        return [message["version"] for message in self.messages]

    def hears(self, claim: Callable[["Listener"], object]) -> bool:
        """Wait until *claim* comes true."""
        with self._changed:
            return bool(self._changed.wait_for(lambda: claim(self), PATIENCE))

    def listen(self, answer: httpx.Response) -> None:
        """Read until the server ends it, or the line is cut."""
        lines = answer.iter_lines()
        try:
            for line in lines:
                self._hear(line, answer.headers["Content-Type"].startswith(EVENTS))
        except (httpx.HTTPError, httpx.StreamError):
            return
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def _hear(self, line: str, events: bool) -> None:
        with self._changed:
            field, _, value = line.partition(": ") if events else ("data" if line else "", "", line)
            if field == "data":
                self.messages.append(json.loads(value))
            elif field == "id":
                self.ids.append(int(value))
            elif line.startswith(":") or (not line and not events):
                self.keep_alives += 1
            self._changed.notify_all()


@contextmanager
def listening(
    url: str, player: Player, form: str = LINES, trusted: ssl.SSLContext | None = None, /, **headers: str
) -> Iterator[Listener]:
    """Listen to a player's game as long as the block runs; *trusted* takes the certificate of a server with TLS."""
    sent = {"Accept": form, **{name.replace("_", "-"): value for name, value in headers.items()}}
    if player.token is not None:
        sent["Authorization"] = f"Bearer {player.token}"
    listener = Listener()
    with (
        httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False, verify=trusted or True) as http,
        http.stream("GET", f"/v1/games/{player.game_id}/stream", headers=sent) as answer,
    ):
        if answer.status_code != httpx.codes.OK:
            answer.read()
        answer.raise_for_status()
        assert answer.headers["Content-Type"].startswith(form)
        thread = Thread(target=listener.listen, args=(answer,), daemon=True)
        thread.start()
        yield listener
        answer.close()
    thread.join(PATIENCE)
