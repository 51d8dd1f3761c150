"""A pytest plugin: ``pytest --check-ruleset NAME`` adds a test for each law of an installed ruleset."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from api.commands.check_ruleset.checks import Law

SECONDS_PER_LAW: Final = 2.5


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--check-ruleset``, which may be repeated."""
    words = "test the laws of rulesets on this installed ruleset; may be repeated"
    parser.getgroup("regicide").addoption("--check-ruleset", action="append", default=[], metavar="NAME", help=words)


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the tests of each ruleset that was named."""
    for name in config.getoption("--check-ruleset"):
        items.extend(_laws_of(session, name))


def _laws_of(session: pytest.Session, name: str) -> Iterator[pytest.Item]:
    from api.commands.check_ruleset.checks import LAWS  # noqa: PLC0415  it is needed only with the option

    for law in LAWS:
        yield LawItem.from_parent(session, name=f"{name}: {law.name}", ruleset=name, law=law)


class LawItem(pytest.Item):
    """The test of one law."""

    def __init__(self, *, ruleset: str, law: "Law", **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]  # pytest's own keywords
        self._ruleset, self._law = ruleset, law

    def runtest(self) -> None:
        """Check the law with generated games. If it is broken, fail with the example and advice on how to mend it."""
        from api.commands.check_ruleset import checks  # noqa: PLC0415  it is needed only with the option
        from engines import REJECTED_RULESETS, RULESETS  # noqa: PLC0415  it is needed only with the option

        if self._ruleset not in RULESETS:
            reasons = [one.reason for one in REJECTED_RULESETS if one.name == self._ruleset]
            pytest.fail(f"there is no ruleset {self._ruleset!r}: {reasons or list(RULESETS)}", pytrace=False)
        ruleset = RULESETS[self._ruleset]
        if self._law is not checks.LAW_EVERY_GAME_ENDS and checks.find_endless_game(ruleset) is not None:
            pytest.skip("a game doesn't end, so that no other law can be tried")
        if (finding := checks.find(ruleset, self._law, SECONDS_PER_LAW)) is not None:
            pytest.fail(f"{finding.what} ({finding.where})\nTo mend: {finding.mend}.", pytrace=False)

    def reportinfo(self) -> tuple[str, None, str]:
        """Return the law's name as the place of the test."""
        return "regicide check-ruleset", None, self.name
