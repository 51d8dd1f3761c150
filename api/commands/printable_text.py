"""Text for a terminal, without control characters."""

import re
from typing import Final

CONTROL_CHARACTER_PATTERN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Pattern of a control character, except tab and line feed."""


def printable(text: str) -> str:
    """Return *text* with U+FFFD in place of control characters, with which a server could write to the terminal."""
    return CONTROL_CHARACTER_PATTERN.sub("\N{REPLACEMENT CHARACTER}", text)
