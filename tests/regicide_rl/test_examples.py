"""The example agent: its gradients, its files, its programs."""

import signal
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from engines import RULESETS
from examples.rl import tournament, train
from examples.rl.agent import Agent, sample
from regicide_rl import vector


def small_agent(ruleset: str = "regicide", players: int = 1) -> Agent:
    """Return an agent with few units and with weights everywhere."""
    environment = RULESETS[ruleset].environment()
    agent = Agent.new(ruleset, players, environment.size(players), len(environment.actions), hidden=4, seed=1)
    agent.weights["last"] += np.random.default_rng(1).normal(0, 0.5, agent.weights["last"].shape).astype(np.float32)
    return agent


def loss(agent: Agent, rollout: train.Rollout) -> float:
    """Return what is minimised, written as it is defined: policy, value and entropy."""
    probabilities, values = agent.evaluate(agent.hidden(rollout.observations), rollout.masks)
    advantages = (rollout.advantages - rollout.advantages.mean()) / (rollout.advantages.std() + 1e-6)
    chosen = probabilities[np.arange(len(rollout.choices)), rollout.choices]
    logs = np.log(np.where(probabilities > 0, probabilities, 1))
    entropy = -(probabilities * logs).sum(axis=1)
    squares = (values - rollout.returns) ** 2 / 2
    return float((-advantages * np.log(chosen) - train.ENTROPY * entropy + squares).mean())


def test_gradients_are_those_of_the_loss() -> None:
    """By differences, in double precision, at some weights of each layer."""
    agent = small_agent()
    rollout = train.Games(agent, seed=1).play()
    agent.weights = {name: value.astype(np.float64) for name, value in agent.weights.items()}
    rollout.observations = rollout.observations.astype(np.float64)
    found = train.gradients(agent, rollout)
    rng, small = np.random.default_rng(2), 1e-5
    for name, gradient in found.items():
        largest = np.argsort(-np.abs(gradient.ravel()))[:50]
        for place in rng.choice(largest, min(4, len(largest)), replace=False):
            flat = agent.weights[name].reshape(-1)
            flat[place] += small
            above = loss(agent, rollout)
            flat[place] -= 2 * small
            slope = (above - loss(agent, rollout)) / 2 / small
            flat[place] += small
            assert gradient.ravel()[place] == pytest.approx(slope, rel=1e-2, abs=1e-5), name


def test_advantages_change_sides_between_rivals() -> None:
    """What is good for the next seat is bad for the one before; after an end nothing counts."""
    games = train.Games(small_agent("gridcannon", 2), seed=1)
    shape = (train.STEPS, train.GAMES)
    rewards, ended = np.zeros(shape, np.float32), np.zeros(shape, np.bool_)
    seats = np.zeros((train.STEPS + 1, train.GAMES), np.int64)
    seats[3:] = 1
    rewards[5] = 1
    ended[1, 0] = True

    found = games.advantages(rewards, np.zeros(seats.shape, np.float32), ended, seats)

    factor = train.DISCOUNT * train.TRACE
    assert found[5, 1] == 1
    assert found[3, 1] == pytest.approx(factor**2)
    assert found[2, 1] == pytest.approx(-(factor**3))
    assert found[0, 0] == 0
    assert not found[6:].any()
    assert found[2, 0] == pytest.approx(-(factor**3))


def test_it_learns() -> None:
    """After some updates it takes what is rewarded: here whatever yields an even index."""
    agent = small_agent()
    optimizer, rng = train.Adam(agent.weights), np.random.default_rng(0)
    env = vector("regicide", 1, train.GAMES, seed=1)
    observations, infos = env.reset()
    shares = []
    for _ in range(60):
        masks, seen = infos["action_mask"], observations.astype(np.float32)
        choices = agent.choose(observations, masks, rng)
        even = (choices % 2 == 0).astype(np.float32)
        shares.append(even.mean())
        optimizer.descend(train.gradients(agent, train.Rollout(seen, masks, choices, even, even)), 0.02)
        observations, *_, infos = env.step(choices)

    assert np.mean(shares[-10:]) > np.mean(shares[:10]) + 0.2


def test_illegal_actions_are_never_chosen() -> None:
    """Their probability is 0."""
    rng = np.random.default_rng(0)
    probabilities = np.array([[0, 1e-6, 0], [0.5, 0, 0.5]], np.float32)

    chosen = np.array([sample(probabilities, rng) for _ in range(200)])

    assert set(chosen[:, 0]) == {1}
    assert set(chosen[:, 1]) == {0, 2}


@pytest.mark.parametrize(("ruleset", "players"), [("regicide", 1), ("gridcannon", 2)])
def test_programs_train_and_play(
    ruleset: str, players: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An agent is trained, saved, loaded, and plays with chance and a level."""
    file = tmp_path / "agent.npz"
    words = [ruleset, "--players", str(players), "--minutes", "0.005", "--hidden", "4", "--save", str(file)]
    monkeypatch.setattr("sys.argv", ["train", *words])
    train.main()
    monkeypatch.setattr("sys.argv", ["tournament", str(file), "--games", "4", "--levels", "novice"])
    tournament.main()

    said = capsys.readouterr().out
    assert "choices, mean reward" in said
    assert [line.split()[0] for line in said.splitlines()[-2:]] == ["random", "novice"]
    loaded = Agent.load(file)
    assert (loaded.ruleset, loaded.players) == (ruleset, players)


def refusal(
    program: ModuleType, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """Return the last line that a program prints when it refuses its arguments."""
    monkeypatch.setattr("sys.argv", ["program", *words])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--save", "nowhere/agent.npz"], "--save: There is no folder 'nowhere': make it first."),
        (["--save", "."], "--save: '.' is a folder: name a file."),
        *[
            (["--save", "agent.npz", "--players", text], f"--players: it is one of 1, 2, 3, 4, not {text}.")
            for text in ("0", "-1", "9")
        ],
        *[
            (["--save", "agent.npz", "--hidden", text], f"--hidden: '{text}' is no number of units")
            for text in ("0", "-1", "1.5", "10001")
        ],
        *[
            (["--save", "agent.npz", "--minutes", text], f"--minutes: '{text}' is no number of minutes")
            for text in ("0", "-1", "nan", "inf", "1e999", "ten")
        ],
    ],
)
def test_what_training_refuses(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a sentence, before it begins."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(train, "train", lambda *_: pytest.fail("it has begun"))

    assert said in refusal(train, ["regicide", *words], monkeypatch, capsys)


def test_an_interrupt_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends training with a sentence; what was learned is in the file."""
    file = tmp_path / "agent.npz"
    words = ["regicide", "--players", "1", "--hidden", "4", "--minutes", "1", "--save", str(file)]
    monkeypatch.setattr("sys.argv", ["train", *words])
    monkeypatch.setattr(train, "progress", lambda _: signal.raise_signal(signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # pytest-xdist's processes ignore the signal
    try:
        train.main()
    finally:
        signal.signal(signal.SIGINT, before)

    assert capsys.readouterr().out == "Training is interrupted: what was learned until now is saved.\n"
    assert Agent.load(file).weights["last"].any()


@pytest.mark.parametrize("games", ["2", "4", "5"])
@pytest.mark.parametrize(("ruleset", "players"), [("regicide", 1), ("gridcannon", 2)])
def test_tournaments_of_few_games(
    games: str,
    ruleset: str,
    players: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Levels play two games."""
    file = tmp_path / "agent.npz"
    small_agent(ruleset, players).save(file)
    monkeypatch.setattr("sys.argv", ["tournament", str(file), "--games", games, "--levels", "novice"])

    tournament.main()

    assert "2 games" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize("games", ["1", "0", "-5", "many"])
def test_too_few_games(
    games: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are refused."""
    file = tmp_path / "agent.npz"
    small_agent().save(file)

    said = refusal(tournament, [str(file), "--games", games], monkeypatch, capsys)
    assert said.endswith(f"--games: '{games}' is no number of games: it is 2 or more.")


def write_foreign(file: Path, kind: str) -> None:
    """Write a file that holds no agent of these engines."""
    agent = small_agent()
    match kind:
        case "text":
            file.write_text("no agent")
        case "empty":
            file.touch()
        case "archive":
            file.write_bytes(b"PK\x03\x04 cut off")
        case "array":
            with file.open("wb") as out:
                np.save(out, np.zeros(3))
        case "arrays":
            np.savez(file, first=np.zeros(3))
        case "ruleset":
            Agent("chess", 1, agent.weights).save(file)
        case "players":
            Agent("regicide", 9, agent.weights).save(file)
        case "size":
            Agent("regicide", 2, agent.weights).save(file)
        case _:
            assert kind == "missing"


NO_AGENT = "is no file of an agent that examples.rl.train has saved."


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("missing", "can't be read: No such file or directory."),
        *[(kind, NO_AGENT) for kind in ("text", "empty", "archive", "array", "arrays", "ruleset")],
        *[(kind, "is for other games than these: train it again.") for kind in ("players", "size")],
    ],
)
def test_files_without_an_agent(
    kind: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are refused in one sentence with their name."""
    file = tmp_path / "file.npz"
    write_foreign(file, kind)

    told = refusal(tournament, [str(file)], monkeypatch, capsys)
    assert str(file) in told
    assert told.endswith(said)
