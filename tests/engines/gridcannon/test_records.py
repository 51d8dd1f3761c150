"""Records of this game: what only its options and seats can contradict."""

from api.commands.check_ruleset.generated_games import Setup
from engines import RULESETS
from engines.table.replay import verify
from tests.contract.hosted import Hosting
from tests.contract.tampering import codes, read


def test_seats_and_options_agree() -> None:
    """A seat that asked for a family got it."""
    setup = Setup(RULESETS["gridcannon"], 2, RULESETS["gridcannon"].check_options(2, {"families": ["black", None]}))
    record = Hosting(setup, 1, abandoned=True).record()
    record["seats"][0]["family"] = "black"
    assert verify(read(record)) == []

    record["seats"][0]["family"] = "red"

    assert codes(verify(read(record))) == {"options"}
