"""Tournaments: the plan, programs that go wrong, repeating and resuming, records, and what the command refuses."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import orjson
import pytest
from click.testing import CliRunner, Result

from api.commands.cli import main
from api.commands.tournament.plan import Plan
from api.commands.tournament.standings import drawn_against, standings, won_against
from engines import RULESETS
from engines.core.confidence import wilson
from engines.core.dealer import SeededDealer
from engines.core.types import Json
from engines.table.record_parser import read_record
from engines.table.replay import audit, verify
from tests.waiting import AGES, comes_true
from workers.local_work_processes import locked_file

pytestmark = pytest.mark.search

FIRST_LEGAL = """
    import json, sys
    for question in map(json.loads, sys.stdin):
        if "ended" in question:
            print("I have won." if question["ended"]["won"] else "I haven't won.", file=sys.stderr)
        else:
            print(json.dumps(question["actions"][0]), flush=True)
"""
WRONG = {
    "dies": ("crash", "input()"),
    "hangs": ("timeout", "input(); import time; time.sleep(60)"),
    "cheats": ("illegal", "input(); print('\"play KS KH\"', flush=True); input()"),
    "passes": ("illegal", "input(); print('null', flush=True); input()"),
    "floods": ("illegal", "while True: print('x' * 10**6, end='')"),
    "babbles": ("illegal", "input(); print('play', flush=True); input()"),
}


def program(folder: Path, name: str, source: str) -> str:
    """Return ``NAME=COMMAND`` of some lines of Python."""
    script = folder / f"{name}.py"
    script.write_text(dedent(source))
    return f"{name}={sys.executable} -I {script}"


def run(out: Path, *words: str) -> Result:
    """Run the command in this process; its games are played in others."""
    return CliRunner().invoke(main, ["tournament", "--out", str(out), *words], catch_exceptions=False)


def read(out: Path) -> Json:
    """Return what the file holds."""
    found: Json = json.loads(out.read_bytes())
    return found


def test_each_deal_is_played_from_both_sides():
    """All pairings have the same deals, equally often from each side, whatever the number of seats."""
    plan = Plan("gridcannon", "seed", {"a": (), "b": (), "c": ()}, 4, 4, {})

    games = [plan.pairing(number) for number in range(plan.total)]

    assert [(game.deal, game.names) for game in games[:4]] == [
        (0, ("a", "b", "a", "b")),
        (0, ("b", "a", "b", "a")),
        (0, ("a", "c", "a", "c")),
        (0, ("c", "a", "c", "a")),
    ]
    assert plan.total == 12
    assert {game.deal for game in games} == {0, 1}


def test_every_composition_of_a_team():
    """In a cooperative ruleset, each on the same deals, and on each once: a team of equals would play it alike."""
    plan = Plan("regicide", "seed", {"a": (), "b": ()}, 2, 3, {})

    assert plan.groups == [("a", "a", "a"), ("a", "a", "b"), ("a", "b", "b"), ("b", "b", "b")]
    assert [plan.pairing(number).names for number in (2, 3)] == [("a", "a", "b"), ("b", "a", "a")]
    assert [plan.pairing(number).deal for number in range(plan.total)] == [0, 1] * 4


def test_programs_that_go_wrong(tmp_path: Path):
    """Each loses its games, is counted apart by what it did, and stops nothing."""
    words = [word for name, (_, source) in WRONG.items() for word in ("--player", program(tmp_path, name, source))]
    out = tmp_path / "out.json"

    ended = run(out, "--ruleset", "gridcannon", "--player", "novice", *words, "--games", "2", "--seconds", "0.5")

    assert ended.exit_code == 0, ended.output
    beside_a_level = [game for game in read(out)["games"] if "novice" in game["seats"]]
    assert {(game["by"], game["ended"]) for game in beside_a_level} == {(name, end) for name, (end, _) in WRONG.items()}
    assert all(game["winners"] == ["novice"] and not game["drawn"] for game in beside_a_level)
    lines = {line["name"]: line for line in read(out)["players"]}
    assert all(lines[name]["forfeits"] >= 2 for name in WRONG)
    assert {lines["novice"][field] for field in ("rating", "low", "high")} == {None}
    assert "No finite rating: novice" in ended.output
    assert [lines["novice"][field] for field in ("games", "wins", "draws", "losses", "forfeits")] == [12, 12, 0, 0, 0]


def test_a_team_with_a_program(tmp_path: Path):
    """It is told how its games ended; rates and Wilson's bounds stand in the file, for players and for teams."""
    out, records = tmp_path / "out.json", tmp_path / "records.jsonl.gz"
    mine = program(tmp_path, "mine", FIRST_LEGAL)

    words = ("--player", "novice", "--player", mine, "--games", "2", "--notes")

    ended = run(out, *words, "--records", str(records))

    assert ended.exit_code == 0, ended.output
    found = read(out)
    assert [team["seats"] for team in found["teams"]] == [["novice", "novice"], ["novice", "mine"], ["mine", "mine"]]
    assert all(line["games"] == 4 and line["low"] <= line["rating"] <= line["high"] for line in found["players"])
    written = gzip.decompress(records.read_bytes()).decode().splitlines()
    read_records = [read_record(line) for line in written]
    assert [record.id for record in read_records] == [f"tournament/{number}" for number in range(6)]
    assert [finding for record in read_records for finding in verify(record)] == []
    assert audit(read_records[0], lambda _entry, _ai, same: None) == []
    assert all(entry["at"] is None for line in written for entry in json.loads(line)["actions"])


def kill_in_the_middle(out: Path, command: list[str]) -> int:
    """Run a command until its file has more games, and kill it with all its processes; return how many there are.

    Whenever the file is read, it is valid JSON with all of its fields.
    """
    begun = len(read(out)["games"]) if out.exists() else 0
    running = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def has_gone_on() -> bool:
        assert not out.exists() or {"ruleset", "seed", "players", "games"} <= read(out).keys()
        return running.poll() is not None or (out.exists() and len(read(out)["games"]) > begun)

    assert comes_true(has_gone_on)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    return len(read(out)["games"])


def assert_the_same_games(
    folder: Path, words: list[str], *, kills: int, processes: tuple[int, int] = (1, 2)
) -> tuple[Json, list[int]]:
    """Play a tournament with and without kills: to equal files and records. Return the file, and the games kept."""
    outs, records = [folder / "whole.json", folder / "cut.json"], [folder / "whole.gz", folder / "cut.gz"]
    given = [
        [*words, "--records", str(file), "--concurrency", str(n)] for file, n in zip(records, processes, strict=True)
    ]
    assert run(outs[0], *given[0]).exit_code == 0
    command = [sys.executable, "-m", "api.commands.cli", "tournament", "--out", str(outs[1]), *given[1]]
    kept = [kill_in_the_middle(outs[1], command) for _ in range(kills)]

    ended = run(outs[1], *given[1])

    assert ended.exit_code == 0, ended.output
    assert read(outs[1]) == read(outs[0])
    assert records[0].read_bytes() == records[1].read_bytes()
    assert not records[1].with_name("cut.gz.part").exists()
    return read(outs[0]), kept


DUEL = ["--ruleset", "gridcannon", "--player", "novice", "--player", "adept", "--options", '{"turn_limit": 30}']


def test_killed_twice_it_goes_on(tmp_path: Path):
    """Killed with all its processes, the same command comes to the same file as one that wasn't; records too.

    The ratings are those of the odds of the players' points.
    """
    found, kept = assert_the_same_games(tmp_path, [*DUEL, "--games", "240"], kills=2)

    assert 0 < kept[0] < 240
    points, rated = won_against(found["games"]), {line["name"]: line["rating"] for line in found["players"]}
    odds = 10 ** ((rated["adept"] - rated["novice"]) / 400)
    assert odds == pytest.approx(points["adept", "novice"] / points["novice", "adept"], rel=1e-3)


@pytest.mark.long
@pytest.mark.parametrize(("ruleset", "games"), [("regicide", 1000), ("gridcannon", 400)])
def test_killed_ten_times_it_goes_on(tmp_path: Path, ruleset: str, games: int):
    """In the middle of whatever it does: the same games in the end."""
    levels = [word for level in ("novice", "apprentice", "adept") for word in ("--player", level)]

    _, kept = assert_the_same_games(tmp_path, ["--ruleset", ruleset, *levels, "--games", str(games)], kills=10)

    assert kept == sorted(set(kept)), "each run went on, none was at its end"


def test_killed_while_it_writes(tmp_path: Path):
    """The file is replaced as a whole: half of a new one leaves the old one as it was."""
    out = tmp_path / "out.json"
    assert run(out, *DUEL, "--games", "2").exit_code == 0
    before = out.read_bytes()
    program = (
        "import os, signal, sys; from pathlib import Path; write = Path.write_bytes\n"
        "def half(path, content):\n"
        "    write(path, content[: len(content) // 2])\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "Path.write_bytes = half\n"
        "from api.commands.cli import main; main()"
    )

    words = ["tournament", "--out", str(out), *DUEL, "--games", "4"]
    killed = subprocess.run([sys.executable, "-c", program, *words], check=False, capture_output=True)

    assert killed.returncode == -signal.SIGKILL
    assert out.read_bytes() == before
    assert run(out, *DUEL, "--games", "4").exit_code == 0
    assert len(read(out)["games"]) == 4


def test_more_games_than_before(tmp_path: Path):
    """They follow those that there are, records too; games without a record are played again."""
    out, records = tmp_path / "out.json", tmp_path / "records.jsonl.gz"
    with_records = (*DUEL, "--records", str(records))
    assert run(out, *DUEL, "--games", "2").exit_code == 0

    for games in ("4", "6"):
        assert run(out, *with_records, "--games", games).exit_code == 0

    whole = tmp_path / "whole.jsonl.gz"
    assert run(tmp_path / "whole.json", *DUEL, "--games", "6", "--records", str(whole)).exit_code == 0
    assert records.read_bytes() == whole.read_bytes()
    assert read(out) == read(tmp_path / "whole.json")


DECIDED = 46
"""Games: 22 pairs that are all won make a ratio of 22 * log(0.571 / 0.5) = 2.94, one more decides."""


def test_a_test_ends_when_it_is_decided(tmp_path: Path):
    """A level that always wins is found out long before all games are played."""
    words = ["--player", "adept", "--player", program(tmp_path, "dies", "input()"), "--games", "1000"]

    ended = run(tmp_path / "out.json", "--ruleset", "gridcannon", *words, "--sprt", "0,50")

    assert "the first player is 50 Elo points better" in ended.output
    found = read(tmp_path / "out.json")
    assert (found["sprt"]["verdict"], len(found["games"])) == ("high", DECIDED)


def test_from_given_positions(tmp_path: Path):
    """Each line of the file in turn, from both sides."""
    rules = RULESETS["regicide"]
    positions = [rules.new(2, {}, SeededDealer(f"{number}")) for number in range(2)]
    file = tmp_path / "positions.jsonl"
    file.write_text("".join(json.dumps(position.dump()) + "\n" for position in positions))
    records = tmp_path / "records.jsonl.gz"

    ended = run(
        tmp_path / "out.json",
        *("--player", "novice", "--games", "4", "--positions", str(file), "--records", str(records)),
    )

    assert ended.exit_code == 0, ended.output
    written = [json.loads(line) for line in gzip.decompress(records.read_bytes()).splitlines()]
    assert [record["position"] for record in written] == [positions[deal].dump() for deal in (0, 1, 0, 1)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--player", "nobody"], "'nobody' is no level of regicide"),
        (["--player", "novice", "--player", "novice"], "two players called novice"),
        (["--player", "mine=no-such-program"], "The program of mine can't be run"),
        (["--player", "=cat"], "needs a name"),
        (["--player", "mine=cat 'x"], "No closing quotation"),
        (["--player", f"{'x' * 41}=cat"], "at most 40 characters"),
        (["--player", "novice", "--options", '{"a": 1, "a": 1}'], "'a' is there twice"),
        (["--player", "novice", "--games", "3"], "It is even"),
        (["--player", "novice", "--seats", "5"], "regicide is for 1, 2, 3, 4 players"),
        (["--player", "novice", "--options", "[]"], "--options"),
        (["--player", "novice", "--sprt", "0,10"], "two players who play against each other"),
        (["--ruleset", "gridcannon", "--player", "novice"], "needs two players"),
        (["--ruleset", "gridcannon", "--player", "novice", "--player", "adept", "--sprt", "10"], "two numbers"),
        (["--ruleset", "gridcannon", "--player", "novice", "--player", "adept", "--sprt", "9,1"], "is less than"),
        (["--ruleset", "gridcannon", "--player", "novice", "--player", "adept", "--sprt", "0,inf"], "up to 1,000 Elo"),
        (["--ruleset", "gridcannon", "--player", "novice", "--player", "adept", "--sprt=-2e4,0"], "up to 1,000 Elo"),
        (["--player", "novice", "--seconds", "inf"], "--seconds"),
        (["--player", "novice", "--seconds", "1e300"], "--seconds"),
        (["--player", "novice", "--seconds", "nan"], "not a number of seconds"),
    ],
)
def test_what_it_refuses(tmp_path: Path, words: list[str], said: str):
    """In a sentence, before a game is played."""
    ended = run(tmp_path / "out.json", *words)

    assert ended.exit_code == 2
    assert said in ended.output
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("line", ["{}", "nonsense", '{"ruleset": "chess"}'])
def test_positions_that_can_not_be_read(tmp_path: Path, line: str):
    """The line is named."""
    file = tmp_path / "positions.jsonl"
    file.write_text(line)

    ended = run(tmp_path / "out.json", "--player", "novice", "--positions", str(file))

    assert (ended.exit_code, "Line 1: " in ended.output) == (2, True)


def test_an_empty_file_of_positions(tmp_path: Path):
    """It is refused; without positions, other games than those that were asked for would be played."""
    file = tmp_path / "positions.jsonl"
    file.touch()

    ended = run(tmp_path / "out.json", "--player", "novice", "--games", "2", "--positions", str(file))

    assert (ended.exit_code, "There are no positions in the file." in ended.output) == (2, True)
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"\xff\xfe", "It is not UTF-8."),
        (b"[" * 100_000, "It is nested too deeply."),
        (b'{"players": 2, "players": 2}', "'players' is there twice in one object."),
        (b'{"players": ' + b"1" * 5_000 + b"}", "Exceeds the limit (4300 digits) for integer string conversion"),
    ],
)
def test_positions_of_odd_files(tmp_path: Path, line: bytes, said: str):
    """In a sentence, without advice on Python."""
    file = tmp_path / "positions.jsonl"
    file.write_bytes(line)

    ended = run(tmp_path / "out.json", "--player", "novice", "--positions", str(file))

    assert (ended.exit_code, f"Line 1: {said}" in " ".join(ended.output.split())) == (2, True)
    assert "sys." not in ended.output


def test_another_file(tmp_path: Path):
    """What holds no tournament, or another, isn't touched."""
    out = tmp_path / "out.json"
    words = ["--player", "novice", "--games", "2"]
    assert run(out, *words).exit_code == 0
    before = out.read_bytes()

    other = run(out, *words, "--seed", "another")
    assert "holds another tournament" in other.output
    assert out.read_bytes() == before

    out.write_text("[]")
    assert "holds no tournament" in run(out, *words).output
    assert out.read_text() == "[]"


def test_no_game_of_a_team_is_counted_twice(tmp_path: Path):
    """A team of equals is as good as it was in so many deals."""
    out, records = tmp_path / "out.json", tmp_path / "records.jsonl.gz"

    assert run(out, "--player", "novice", "--games", "10", "--records", str(records)).exit_code == 0

    written = [json.loads(line) for line in gzip.decompress(records.read_bytes()).splitlines()]
    assert len({record["seed"] for record in written}) == 10


def coop_game(number: int, *seats: str, won: bool) -> Json:
    """Return a game of a team as the file has it."""
    return {"number": number, "seats": [*seats], "winners": [*seats] if won else [], "drawn": False, "by": None}


def test_games_of_one_deal_count_as_fewer():
    """If all teams win the same deals, a player's games tell no more than the deals."""
    plan = Plan("regicide", "seed", {"a": (), "b": ()}, 40, 2, {})
    pairings = [plan.pairing(number) for number in range(plan.total)]

    alike = [coop_game(one.number, *one.names, won=one.deal % 2 == 0) for one in pairings]
    apart = [coop_game(one.number, *one.names, won=one.number % 3 == 0) for one in pairings]

    same_deals, different = standings(plan, alike)[0], standings(plan, apart)[0]
    assert (same_deals["low"], same_deals["high"]) == pytest.approx(wilson(20, 40), abs=1e-4)
    assert different["games"] == 80
    assert different["high"] - different["low"] < same_deals["high"] - same_deals["low"]


def test_a_shared_victory_is_half_a_win():
    """For those who share it; against others it is a whole one."""
    game = {"seats": ["a", "b", "c"], "winners": ["a", "b"], "drawn": False}

    points, drawn = won_against([game]), drawn_against([game])

    assert {pair: point for pair, point in points.items() if point} == {
        ("a", "b"): 0.5,
        ("b", "a"): 0.5,
        ("a", "c"): 1,
        ("b", "c"): 1,
    }
    assert dict(drawn) == {("a", "b"): 1, ("b", "a"): 1}


def test_fewer_games_than_before(tmp_path: Path):
    """They are counted; the others stay in the files, and are there for more games than before."""
    outs, records = [tmp_path / "out.json", tmp_path / "once.json"], [tmp_path / "r.gz", tmp_path / "once.gz"]
    for games in ("6", "2", "8"):
        assert run(outs[0], *DUEL, "--games", games, "--records", str(records[0])).exit_code == 0
        if games == "2":
            found = read(outs[0])
            assert [len(found[name]) for name in ("games", "later")] == [2, 4]
            assert sum(line["games"] for line in found["players"]) == 4
    assert run(outs[1], *DUEL, "--games", "8", "--records", str(records[1])).exit_code == 0

    assert read(outs[0]) == read(outs[1])
    assert records[0].read_bytes() == records[1].read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["once.gz", "once.json", "out.json", "r.gz"]


def test_players_in_another_order(tmp_path: Path):
    """They would have other games of the same numbers."""
    out = tmp_path / "out.json"
    assert run(out, "--ruleset", "gridcannon", *DUEL, "--games", "2").exit_code == 0

    other = run(out, *DUEL[:2], "--player", "adept", "--player", "novice", *DUEL[6:], "--games", "2")

    assert (other.exit_code, "holds another tournament" in other.output) == (1, True)


@pytest.mark.parametrize("named", ["--out", "--records"])
def test_a_file_that_another_command_writes(tmp_path: Path, named: str):
    """It is left alone; it is free again when that command has ended, however it did."""
    files = {"--out": tmp_path / "out.json", "--records": tmp_path / "records.jsonl.gz"}
    words = [*DUEL, "--games", "2", "--records", str(files["--records"])]

    with locked_file(files[named]):
        refused = run(files["--out"], *words)

    assert (refused.exit_code, "Another command writes" in refused.output) == (1, True)
    assert [file.name for file in tmp_path.iterdir()] == []
    assert run(files["--out"], *words).exit_code == 0


def test_damaged_files(tmp_path: Path):
    """Are told in a sentence, and left as they are."""
    out, records = tmp_path / "out.json", tmp_path / "records.jsonl.gz"
    words = [*DUEL, "--games", "2", "--records", str(records)]
    assert run(out, *words).exit_code == 0
    whole = read(out)
    for damage in ({"winners": 5}, {"winners": ["expert"]}, {"seats": ["adept", "adept"]}, {"drawn": 1}, {"by": "x"}):
        text = json.dumps({**whole, "games": [{**whole["games"][0], **damage}, *whole["games"][1:]]})
        out.write_text(text)
        assert "holds no tournament" in run(out, *words).output
        assert out.read_text() == text
    out.write_text(json.dumps(whole))
    part = records.with_name(f"{records.name}.part")
    told = {**whole["plan"], "games": None, "engines": whole["engines"], "notes": False}
    part.write_bytes(orjson.dumps(told) + b'\n{"id": "a/0"\n')

    ended = run(out, *words)

    assert (ended.exit_code, "is damaged: delete it" in ended.output) == (1, True)


HANGING = """import os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1], str(os.getpid())).touch()
input()
while True:
    time.sleep(1)
"""


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_no_program_outlives_the_command(tmp_path: Path, ending: signal.Signals):
    """However it ends, and whatever the program does."""
    (tmp_path / "running").mkdir()
    hanging = f"{program(tmp_path, 'hangs', HANGING)} {tmp_path / 'running'}"
    words = ["tournament", "--ruleset", "gridcannon", "--player", "adept", "--player", hanging, "--seconds", "600"]
    start = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    command = [sys.executable, "-c", f"{start}from api.commands.cli import main; main()", *words]

    with subprocess.Popen(
        [*command, "--games", "4", "--out", str(tmp_path / "out.json")], stderr=subprocess.PIPE
    ) as run:
        assert comes_true(lambda: any((tmp_path / "running").iterdir()), within=AGES)
        run.send_signal(ending)
        run.wait(AGES)

    def left() -> list[str]:
        return [file.name for file in (tmp_path / "running").iterdir() if Path("/proc", file.name).exists()]

    assert comes_true(lambda: not left(), within=AGES)
