"""Types that all packages share."""

from typing import Any

Json = dict[str, Any]
"""A JSON object, as Python reads it."""
