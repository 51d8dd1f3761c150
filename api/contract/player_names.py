"""Validation of players' names: every character must be visible, so that no two names look alike."""

import unicodedata
from typing import Final

from api.contract.validation import validation_error
from engines.core.phrase import Phrase

INVISIBLE_CHARACTERS: Final = frozenset(
    (
        *"\N{HANGUL CHOSEONG FILLER}\N{HANGUL JUNGSEONG FILLER}\N{HANGUL FILLER}\N{HALFWIDTH HANGUL FILLER}",
        *"\N{BRAILLE PATTERN BLANK}\N{COMBINING GRAPHEME JOINER}\N{MUSICAL SYMBOL NULL NOTEHEAD}",
        *"\N{KHMER VOWEL INHERENT AQ}\N{KHMER VOWEL INHERENT AA}\N{KHITAN SMALL SCRIPT FILLER}",
        *map(chr, range(0x180B, 0x1810)),  # Mongolian variation selectors
        *map(chr, range(0xFE00, 0xFE10)),  # variation selectors
        *map(chr, range(0xE0100, 0xE01F0)),  # variation selectors of ideographs
    )
)
"""Invisible characters that Python classifies as printable."""

ZERO_WIDTH_JOINER: Final = "\N{ZERO WIDTH JOINER}"
ZERO_WIDTH_NON_JOINER: Final = "\N{ZERO WIDTH NON-JOINER}"
STYLE_SELECTORS: Final = "\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}"
"""Selectors of text style and emoji style."""

COMBINING_KEYCAP: Final = "\N{COMBINING ENCLOSING KEYCAP}"
VIRAMA_COMBINING_CLASS: Final = 9
"""Combining class of the signs that join letters in scripts of India."""

BLANK_NAME_PHRASE: Final = Phrase("A name isn't made of spaces alone.")


def check_name(name: str) -> None:
    """Refuse a name that is blank or has an invisible character. The message names the character.

    Joiners are allowed where they are visible: in emoji, and between letters of Persian or Hindi. Raises
    ``ValidationError``.
    """
    for place, character in enumerate(name):
        if (character.isprintable() and character not in INVISIBLE_CHARACTERS) or _is_visible_in_context(
            character, name[:place], name[place + 1 :]
        ):
            continue
        code = f"U+{ord(character):04X} {unicodedata.name(character, '')}".strip()
        raise validation_error(Phrase("A name has no characters that can't be seen, such as {code}.", code=code))
    if not name.strip():
        raise validation_error(BLANK_NAME_PHRASE)


def _is_visible_in_context(character: str, before: str, after: str) -> bool:
    """Return whether an otherwise invisible character has a visible effect at this place."""
    one, other = before[-1:], after[:1]
    if not one:
        return False
    if character in STYLE_SELECTORS:
        return _is_emoji_or_modifier(one) or other == COMBINING_KEYCAP
    if not other or character not in (ZERO_WIDTH_JOINER, ZERO_WIDTH_NON_JOINER):
        return False
    if character == ZERO_WIDTH_JOINER and _is_emoji_or_modifier(other):
        return _is_emoji_or_modifier(one.translate(dict.fromkeys(map(ord, STYLE_SELECTORS))) or before[-2:-1])
    return _joins_letters(one, other)


def _is_emoji_or_modifier(character: str) -> bool:
    """Return whether a character is an emoji or a modifier of its colour."""
    return not character.isascii() and unicodedata.category(character) in ("So", "Sk", "Sm", "Po", "Pd")


def _joins_letters(one: str, other: str) -> bool:
    """Return whether the letter *one* is written differently when it is joined to the letter *other*."""
    if unicodedata.combining(one) == VIRAMA_COMBINING_CLASS:
        return unicodedata.category(other) == "Lo"
    return unicodedata.bidirectional(other) == "AL" and unicodedata.bidirectional(one) in ("AL", "NSM")
