"""The current request, its application and its notes, read without Flask's proxies.

A request reads them two dozen times, and each access through a proxy executes forty more instructions of Python.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

from flask import Flask, Request, current_app, g, request

_PROXIED: Final = attrgetter("_get_current_object")  # as Werkzeug documents it
current_request: Final[Callable[[], Request]] = _PROXIED(request)
"""Returns the request that is being handled."""
current_application: Final[Callable[[], Flask]] = _PROXIED(current_app)
"""Returns the application that handles the request."""
request_notes: Final[Callable[[], Any]] = _PROXIED(g)
"""Returns the notes on the request: Flask's ``g``."""
