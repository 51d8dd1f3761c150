"""``python -m tests.catalogues``: bring every catalogue up to date with the code, and compile it."""

from tests.catalogues import HOMES, LANGUAGES, update

for home in HOMES:
    for language in LANGUAGES:
        update(home, language)
