"""The client asks the same application, over the same store, as the tests of the application itself."""

from tests.api.conftest import app, opened, settings, store

__all__ = ["app", "opened", "settings", "store"]
