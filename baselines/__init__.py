"""Policies that NSA is compared with. ``make("ucb1", n_arms=10)`` makes one; ``POLICIES`` lists all by name.

To add one, subclass :class:`Policy`, implement ``_select`` (the arms to pull) and ``_learn`` (the update), and add the
class to ``POLICIES``.
"""

import difflib
import inspect
from typing import Any

from baselines.aspiration import Aspiration, Familiarity
from baselines.base import Policy
from baselines.biased_random import BiasedRandom
from baselines.choice_kernel import ChoiceKernel, QKernel
from baselines.constant_step import ConstantStep, Optimistic
from baselines.cusum_ucb import CusumUCB
from baselines.discounted_thompson import DiscountedThompson
from baselines.discounted_ucb import DiscountedUCB
from baselines.epsilon_greedy import EpsilonGreedy
from baselines.exp3s import Exp3S
from baselines.f_dsw_thompson import FDSWThompson
from baselines.forced_exploration import ForcedExploration
from baselines.glr_klucb import GLRKLUCB
from baselines.kalman_softmax import KalmanSoftmax
from baselines.kl_ucb import KLUCB
from baselines.m_ucb import MonitoredUCB
from baselines.oracle_bayes import OracleBayes
from baselines.oracles import BestArm, OracleRestart
from baselines.q_learning import QForgetting, QLearning, QLearning2
from baselines.sliding_window_ucb import SlidingWindowUCB
from baselines.softmax import Softmax
from baselines.thompson import Thompson
from baselines.tunable import Tunable
from baselines.ucb1 import UCB1
from baselines.uniform import Uniform
from baselines.value_step import ValueStep
from baselines.vdbe import VDBE
from baselines.win_stay import WinStayLoseShift
from nsa_brian.common.texts import shown

__all__ = ["POLICIES", "Policy", "Tunable", "compared", "make", "settings_of"]

POLICIES: dict[str, type[Policy]] = {
    "thompson": Thompson,
    "epsilon-greedy": EpsilonGreedy,
    "ucb1": UCB1,
    "random": Uniform,
    "d-ucb": DiscountedUCB,
    "sw-ucb": SlidingWindowUCB,
    "d-thompson": DiscountedThompson,
    "f-dsw-thompson": FDSWThompson,
    "constant-step": ConstantStep,
    "optimistic": Optimistic,
    "value-step": ValueStep,
    "aspiration": Aspiration,
    "familiarity": Familiarity,
    "vdbe": VDBE,
    "softmax": Softmax,
    "exp3s": Exp3S,
    "forced-exploration": ForcedExploration,
    "kl-ucb": KLUCB,
    "cusum-ucb": CusumUCB,
    "m-ucb": MonitoredUCB,
    "glr-klucb": GLRKLUCB,
    "oracle-restart": OracleRestart,
    "best-arm": BestArm,
    "oracle-bayes": OracleBayes,
    "biased-random": BiasedRandom,
    "win-stay-lose-shift": WinStayLoseShift,
    "q-learning": QLearning,
    "q-learning-2": QLearning2,
    "q-forgetting": QForgetting,
    "choice-kernel": ChoiceKernel,
    "q-kernel": QKernel,
    "kalman-softmax": KalmanSoftmax,
}


def make(name: str, n_arms: int, **settings: Any) -> Policy:
    """Make a policy by name.

    Parameters
    ----------
    name : str
        One of ``POLICIES``.
    n_arms : int
        Number of arms K.
    **settings
        ``n_games``, ``seed`` or ``rng``, and the settings of the policy, keywords of its class.

    Raises
    ------
    ValueError
        For an unknown name or setting, or an illegal value.
    """
    legal = settings_of(name)
    for setting in settings:
        if setting not in legal:
            raise ValueError(f"unknown setting {shown(setting)} of {name}; known: {', '.join(legal)}")
    return POLICIES[name](n_arms, **settings)


def compared() -> tuple[str, ...]:
    """Return the policies that NSA is compared with: all but those with ``compared = False``."""
    return tuple(name for name, policy in POLICIES.items() if policy.compared)


def settings_of(name: str) -> dict[str, Any]:
    """Return the keywords of a policy with their defaults, those of its own class first."""
    if not isinstance(name, str) or name not in POLICIES:
        near = difflib.get_close_matches(str(name)[:80], POLICIES, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"unknown policy {shown(name)}; {hint}known: {', '.join(POLICIES)}")
    settings: dict[str, Any] = {}
    for cls in POLICIES[name].__mro__:
        if issubclass(cls, Policy):
            for key, parameter in inspect.signature(cls).parameters.items():
                if key != "n_arms" and parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                    settings.setdefault(key, parameter.default)
    return settings
