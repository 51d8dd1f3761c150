"""Records of this game: what only its signals can contradict."""

import pytest

from api.commands.check_ruleset.generated_games import setups
from engines import RULESETS
from engines.table.replay import audit
from tests.contract.hosted import Hosting
from tests.contract.tampering import MOST_SEEDS, codes, read


def test_signals_matter_to_a_choice() -> None:
    """R22: without them an AI that is to choose may choose otherwise, so the record has them."""
    setup = setups(RULESETS["regicide"], 4)[0]
    for seed in range(MOST_SEEDS):
        record = Hosting(setup, seed, ("adept",)).record()
        said = [line for line in record["actions"] if line["ai"] and "signals" in line["ai"]]
        assert audit(read(record), lambda *_: None) == []
        for line in said:
            del line["ai"]["signals"]
        if codes(audit(read(record), lambda *_: None)) == {"ai_choice"}:
            return
    pytest.fail("it led to the same choices in each of these games")
