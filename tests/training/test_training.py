"""Training: lessons by TD(lambda), a network that learns them, a run that goes on as if it hadn't been interrupted."""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import pytest

from engines.ai.value_network import ValueNetwork
from training.network import Network
from training.replay_buffer import ReplayBuffer, Seen, examples
from training.run import Run, TrainingSettings
from training.self_play import greedy_game, taught_game
from training.subject import Subject
from training.subjects import SUBJECTS
from training.teacher_game_arrays import TeacherGames

TINY = TrainingSettings(games=6, taught_games=4, a_round=2, units=(8, 4), examples=300, batch=32)

every_subject = pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
GREEDY: list[Subject] = [subject for subject in SUBJECTS.values() if subject.ranked is not None]
TAUGHT_ONLY: list[Subject] = [subject for subject in SUBJECTS.values() if subject.ranked is None]


def network(subject: Subject, seed: int = 1) -> ValueNetwork:
    """Return an untrained network."""
    sizes = (subject.feature_count, 8, 4, len(subject.utilities))
    return ValueNetwork(Network(sizes, np.random.default_rng(seed)).packed())


def seen(*viewpoints: int) -> Seen:
    """Return positions that have one feature each, their number."""
    return [([number], viewpoint) for number, viewpoint in enumerate(viewpoints)]


def test_a_position_learns_from_the_end_and_from_what_was_thought_of_those_after_it() -> None:
    """TD(lambda), worked out by hand."""
    thoughts = [[0.5, 0.5], [0.2, 0.8], [0.4, 0.6]]
    found = {held[0]: target for held, target in examples(seen(0, 0, 0), thoughts, 1, trace=0.75)}
    assert found[2] == pytest.approx([0, 1])
    assert found[1] == pytest.approx([0.25 * 0.4, 0.75 + 0.25 * 0.6])
    assert found[0] == pytest.approx([0.75 * 0.1 + 0.25 * 0.2, 0.75 * 0.9 + 0.25 * 0.8])


def test_without_mixing_all_learn_the_end() -> None:
    """With lambda 1."""
    thoughts = [[0.5, 0.5], [0.2, 0.8]]
    assert [target for _, target in examples(seen(0, 0), thoughts, 0, trace=1.0)] == [[1, 0], [1, 0]]


def taught(*viewpoints: int, explored: tuple[int, ...] = (), ending: int = 0) -> TeacherGames:
    """Return one game of three seats, which one of them wins or nobody, told as ``seen`` tells it."""
    games = TeacherGames(features=9, endings=4, seats=3)
    games.add(seen(*viewpoints), [number in explored for number in range(len(viewpoints))], ending)
    return games


def test_rivals_learn_the_end_as_each_of_them_counts_the_seats() -> None:
    """Of three seats the second wins, or nobody; a thought of one seat is turned round for the one before it."""
    thoughts = np.array([[0.0, 0.0, 0.0, 1.0], [0.1, 0.2, 0.3, 0.4]], np.float32)
    found = taught(1, 2, ending=1).targets(thoughts, trace=0.5)
    assert found == pytest.approx(np.array([[0.65, 0.05, 0.1, 0.2], [0, 0, 1, 0]]))


def test_at_first_all_learn_the_end() -> None:
    """Nothing is thought of any position yet."""
    assert taught(0, 1, 2, ending=1).targets(None, trace=0.5).tolist() == [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]


def test_what_came_of_something_else_says_nothing_of_what_was_before() -> None:
    """From the second of three positions somebody left the teacher's ways: the first learns what is thought of it."""
    thoughts = np.array([[0.0, 0.0, 0.0, 1.0], [0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1]], np.float32)
    games = taught(0, 0, 0, explored=(1,))
    assert games.targets(thoughts, trace=0.5)[0] == pytest.approx(thoughts[1])
    assert games.learned().tolist() == [0, 2]


def test_games_of_any_length_learn_each_from_their_own_end() -> None:
    """Three games, the longest neither first nor last, as each would learn alone."""
    rng, games, alone = np.random.default_rng(3), TeacherGames(9, 4, 3), list[npt.NDArray[np.float32]]()
    for length, ending in ((2, 0), (4, 3), (1, 2)):
        viewpoints = [int(viewpoint) for viewpoint in rng.integers(0, 3, length)]
        one = taught(*viewpoints, explored=(1,), ending=ending)
        games.add(seen(*viewpoints), [number == 1 for number in range(length)], ending)
        alone.append(one.targets(rng.random((length, 4)).astype(np.float32), trace=0.8))
    rng = np.random.default_rng(3)
    thoughts = list[npt.NDArray[np.float32]]()
    for length in (2, 4, 1):
        rng.integers(0, 3, length)
        thoughts.append(rng.random((length, 4)).astype(np.float32))
    assert games.targets(np.concatenate(thoughts), trace=0.8) == pytest.approx(np.concatenate(alone))
    assert len(games) == 3


def test_older_lessons_are_forgotten() -> None:
    """Only the latest are learned."""
    buffer = ReplayBuffer(3, features=9, endings=2)
    for number in range(5):
        buffer.add(([number], [1.0, 0.0]))
    features, _ = buffer.sample(100, np.random.default_rng(1))
    assert len(buffer) == 3
    assert set(features[:, 0]) == {2, 3, 4}


def test_it_learns_which_feature_decides() -> None:
    """A feature that decides alone, among others that say nothing."""
    rng = np.random.default_rng(1)
    learner, buffer, chances = Network((10, 8, 4, 2), rng), ReplayBuffer(500, features=10, endings=2), Random(1)
    for _ in range(500):
        held = sorted(chances.sample(range(10), 4))
        buffer.add((held, [0.0, 1.0] if 3 in held else [1.0, 0.0]))
    losses = [learner.train_step(*buffer.sample(64, rng), 5e-3) for _ in range(300)]
    written = ValueNetwork(learner.packed())
    assert losses[-1] < 0.1 < losses[0]
    assert written.outcome_probabilities([1, 3, 5, 7])[1] > 0.9
    assert written.outcome_probabilities([1, 2, 5, 7])[1] < 0.1


def test_what_is_written_says_what_was_learned() -> None:
    """As far as sixteen bits can."""
    learner = Network((30, 8, 4, 3), np.random.default_rng(2))
    held = [2, 7, 11, 29]
    row = np.zeros(30, np.float32)
    row[held] = 1
    w1, b1, w2, b2, w3, b3 = learner.parameters
    scores = np.maximum(np.maximum(row @ w1 + b1, 0) @ w2 + b2, 0) @ w3 + b3
    shares = np.exp(scores) / np.exp(scores).sum()
    assert ValueNetwork(learner.packed()).outcome_probabilities(held) == pytest.approx(list(shares), abs=1e-2)


@every_subject
def test_games_of_teachers_are_told_in_features_of_the_subject(subject: Subject) -> None:
    """Who explores says so; whoever learns from greedy players later has teachers that don't."""
    told, explored, ending = taught_game(subject.name, "a game")
    assert (told, explored, ending) == taught_game(subject.name, "a game")
    assert 0 <= ending < len(subject.utilities) == len(subject.progress)
    assert max(max(held) for held, _ in told) < subject.feature_count
    assert {viewpoint for _, viewpoint in told} <= set(range(subject.players))
    assert len(told) == len(explored)
    assert any(explored) == (subject.explore is not None)
    assert not all(explored)


@pytest.mark.parametrize("subject", GREEDY, ids=lambda subject: subject.name)
def test_equal_chances_give_equal_greedy_games(subject: Subject) -> None:
    """So that a run can be repeated."""
    thinks = network(subject)
    guide = subject.guide(thinks, subject.utilities)
    assert subject.ranked is not None
    told, thoughts, ending = greedy_game(subject, subject.ranked, guide, thinks, Random(5))
    assert (told, thoughts, ending) == greedy_game(subject, subject.ranked, guide, thinks, Random(5))
    assert len(told) == len(thoughts) > 0
    assert all(sum(thought) == pytest.approx(1) for thought in thoughts)
    assert max(max(held) for held, _ in told) < subject.feature_count
    assert {viewpoint for _, viewpoint in told} <= set(range(subject.players))
    assert 0 <= ending < len(subject.utilities)


def test_what_teachers_alone_teach() -> None:
    """A run without greedy players is done when it has learned from its teachers."""
    run = Run(TAUGHT_ONLY[0], replace(TINY, games=0, rounds=2))
    before, done = run.network.packed(), [run.is_done]
    run.train_round()
    done.append(run.is_done)
    assert done == [False, True]
    assert run.network.packed() != before
    assert "best" in run.line()


def test_an_interrupted_run_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    """Weights, moments, lessons and chances are kept."""
    whole, first, second = (Run(GREEDY[0], TINY) for _ in range(3))
    first.train_round()
    first.save(tmp_path / "run.npz")
    second.restore(tmp_path / "run.npz")
    while not whole.is_done:
        whole.train_round()
    while not second.is_done:
        second.train_round()
    assert second.network.packed() == whole.network.packed()
    assert second.played == 6
    assert "6 games" in second.line()
