"""Every ruleset as a game of OpenSpiel, ``regicide(players=2)``: a chance node deals, actions draw what they need."""

import random
from copy import copy

import numpy as np
import pyspiel

from engines import RULESETS
from engines.contract.learning_tasks import Task
from engines.core.dealer import SimulationDealer


class Table:
    """The game in progress. A copy has the same future, unless *world* takes the place of the position."""

    def __init__(self, task, seed):
        self.task, self.rng = task, random.Random(seed)
        self.episode = task.deal(SimulationDealer(self.rng))

    def __deepcopy__(self, memo, world=None):
        twin, world = copy(self), world or self.episode.position.copy()
        twin.rng = copy(self.rng)
        twin.episode = self.task.imagine(self.episode, world, SimulationDealer(twin.rng))
        return twin


class State(pyspiel.State):
    """The deal, then the choices of the seats."""

    table = None

    def current_player(self):
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        return self.table.episode.seat if self.table else pyspiel.PlayerId.CHANCE

    def is_terminal(self):
        return self.table is not None and self.table.episode.position.is_over

    def chance_outcomes(self):
        return [(0, 1.0)]

    def _legal_actions(self, player):
        return [index for index, legal in enumerate(self.table.episode.mask) if legal]

    def _apply_action(self, action):
        if self.table is None:
            self.table = Table(self.get_game().task, self.get_game().rng.random())
        else:
            self.table.episode.step(action)

    def _action_to_string(self, player, action):
        return "deal" if player < 0 else self.get_game().task.environment.actions[action]

    def returns(self):
        return self.table.task.rewards(self.table.episode) if self.is_terminal() else [0.0] * self.num_players()

    def resample_from_infostate(self, player, sampler):
        twin, view = self.clone(), self.table.episode.position.view(player)
        twin.table = self.table.__deepcopy__({}, self.table.task.ruleset.imagine(view, random.Random(sampler())))
        return twin

    def __str__(self):
        return str(self.table.episode.position.dump()) if self.table else "the deal"


class Observer:
    """What a player may know, as bits and as text."""

    def __init__(self, size):
        self.tensor = np.zeros(size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state, player):
        self.tensor[:] = np.frombuffer(state.table.episode.observation(player), np.int8) if state.table else 0

    def string_from(self, state, player):
        return str(state.table.episode.position.view(player)) if state.table else "the deal"


class Game(pyspiel.Game):
    """A table of one ruleset, which its subclass names."""

    def __init__(self, params=None):
        chosen = self.kind.parameter_specification | (params or {})
        self.task, self.rng = Task(self.ruleset, chosen["players"], {}), random.Random(chosen["rng_seed"])
        actions = len(self.task.environment.actions)
        super().__init__(self.kind, pyspiel.GameInfo(actions, 1, chosen["players"], -1, 1, None, 100_000), chosen)
        self.new_initial_state = lambda: State(self)
        self.make_py_observer = lambda *_: Observer(self.task.environment.size(self.task.players))


for rules in RULESETS.values():
    types, seats, params = pyspiel.GameType, rules.player_counts, {"players": 2, "rng_seed": 0}
    outcome = types.Utility.IDENTICAL if rules.cooperative else types.Utility.GENERAL_SUM
    chance, information = types.ChanceMode.SAMPLED_STOCHASTIC, types.Information.IMPERFECT_INFORMATION
    what = rules.name, rules.title, types.Dynamics.SEQUENTIAL, chance, information, outcome, types.RewardModel.TERMINAL
    kind = types(*what, max(seats), min(seats), *(False, False, True, True), params)
    pyspiel.register_game(kind, type(rules.title, (Game,), {"ruleset": rules, "kind": kind}))
