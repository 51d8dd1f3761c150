"""Subjects (networks to train) of each installed game that has a package ``training`` in its folder."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from engines import RULESETS
from training.subject import Subject


def _subjects() -> Iterator[Subject]:
    for ruleset in RULESETS.values():
        package = type(ruleset).__module__.rpartition(".")[0]
        if package and find_spec(f"{package}.training") is not None:
            yield from import_module(f"{package}.training").SUBJECTS


SUBJECTS: Final[Mapping[str, Subject]] = {subject.name: subject for subject in _subjects()}
"""Subjects by name: the ruleset and the number of players, separated by a dot."""
