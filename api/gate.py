"""A limit to how many requests are answered at a time, while many more wait for games to change."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Semaphore
from typing import Any

WSGI = Callable[..., Iterable[bytes]]


class Gate:
    """A WSGI application with so many *places* for requests at work.

    There is a thread for each place, and one for each who might wait in a request (a long-poll): who waits gives
    the place up meanwhile.
    """

    def __init__(self, application: WSGI, places: int) -> None:
        self._application = application
        self._places = Semaphore(places)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request when there is a place for it."""
        with self._places:
            return self._application(environ, start_response)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Leave the place of this request to another as long as the block runs."""
        self._places.release()
        try:
            yield
        finally:
            self._places.acquire()
