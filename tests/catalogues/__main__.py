"""``python -m tests.catalogues``: bring every catalogue up to date with the code, and compile it.

Prints the sentences that have no translation yet.
"""

import sys

from tests.catalogues import HOMES, LANGUAGES, update

for home in HOMES:
    for language in LANGUAGES:
        for sentence in update(home, language):
            sys.stdout.write(f"{home.name}/messages.{language}.po needs a translation of {sentence!r}\n")
