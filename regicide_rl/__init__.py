"""Environments for reinforcement learning: every ruleset of ``engines``, for PettingZoo and Gymnasium.

``env`` makes an AEC environment of PettingZoo. ``solo`` makes an environment of Gymnasium with AIs at the other seats.
``vector`` makes one of Gymnasium with many games at once. `docs/rl.md` explains them.
"""

from regicide_rl.aec import SeatsEnv, env
from regicide_rl.single_agent import SoloEnv, solo
from regicide_rl.vector_env import GamesEnv, vector

__all__ = ["GamesEnv", "SeatsEnv", "SoloEnv", "env", "solo", "vector"]
