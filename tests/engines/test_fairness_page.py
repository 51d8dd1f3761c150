"""docs/fairness.md describes the shuffles so that they can be made again by somebody who has only the page."""

import hmac
import json
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from api.commands.check_ruleset.generated_games import setups
from engines import RULESETS
from engines.core.dealer import SeededDealer, action_seed, game_key
from engines.core.types import Json
from engines.table.record_parser import load_record
from engines.table.replay import seals
from tests.contract.hosted import Hosting
from tests.waiting import AGES

PAGE = (Path(__file__).parents[2] / "docs" / "fairness.md").read_text("utf-8")


def record_of(players: int) -> Json:
    """Return the record of a game with client seeds."""
    return Hosting(setups(RULESETS["regicide"], players)[0], players, ("novice",), abandoned=True).record()


def run(record: Json, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the page's program beside a record."""
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (folder / "record.json").write_text(json.dumps(record), "utf-8")
    command = [sys.executable, "-I", "-W", "ignore::ResourceWarning", "-c", program]
    return subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=AGES)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_program_deals_what_was_dealt(players: int, tmp_path: Path) -> None:
    """Castle and tavern of a real record, by the standard library alone."""
    record = record_of(players)
    key = game_key(bytes.fromhex(record["seed"]), record["client_seeds"])
    dealt = RULESETS["regicide"].new(players, record["options"], SeededDealer(action_seed(key, 0))).dump()

    castle, tavern = [line.split() for line in run(record, tmp_path).stdout.splitlines()]

    assert castle == [dealt["enemy"], *dealt["castle"]]
    in_hands = sorted(card for hand in dealt["hands"] for card in hand)
    assert sorted(tavern[: len(in_hands)]) == in_hands
    assert tavern[len(in_hands) :] == dealt["tavern"]


def test_the_program_notices_another_seed(tmp_path: Path) -> None:
    """One that wasn't promised."""
    done = run(record_of(2) | {"seed": "0" * 64}, tmp_path)

    assert done.returncode == 1
    assert "the seed isn't the one that was promised" in done.stderr


def test_the_seals_and_their_chain_are_as_the_page_says(tmp_path: Path) -> None:
    """Made again from a record by hashlib and hmac alone."""
    record = Hosting(setups(RULESETS["regicide"], 2)[0], 3, ("expert", "novice"), abandoned=True).record()
    key = hmac.digest(bytes.fromhex(record["seed"]), "\n".join(record["client_seeds"]).encode(), "sha256")
    link, made = record["commitment"], {}
    for line in record["actions"]:
        if (ai := line["ai"]) is not None:
            work = f"{ai['iterations']} {ai.get('helper_iterations', 0)}"
            text = f"note {line['version']} {line['seat']} {ai['level']} {work}"
            made[line["version"]] = hmac.digest(key, text.encode(), "sha256").hex()
            link = sha256((link + made[line["version"]]).encode()).hexdigest()

    assert "of the text `note v s level i h`" in PAGE
    assert made
    assert made == seals(load_record(record))
    assert link == record["ai_notes"]
