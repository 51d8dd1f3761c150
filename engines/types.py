"""Types that all of the house shares."""

from typing import Any

Json = dict[str, Any]
"""A JSON object, as Python reads it."""
