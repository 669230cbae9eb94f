"""The Neural Selection Agreement model on the Brian2 simulator.

``NSA`` is the agent, ``NSANetwork`` the Brian2 network, ``SpikingNSA`` the one of spiking neurons, ``NSAParameters``
the model's 22 parameters, ``load`` reads a parameter set. Brian2 is imported when one of the first three is asked
for, so that looking at parameters is quick.
"""

from importlib import import_module
from typing import Any

from nsa_brian.engines import ENGINES
from nsa_brian.parameter_set import DEFAULT_SET, ParameterSet, load
from nsa_brian.parameters import PARAMETERS, NSAParameters

_LAZY = {
    "NSA": "agent",
    "NSANetwork": "network",
    "Model": "model",
    "Lateral": "model",
    "Decision": "network",
    "SpikingNSA": "spiking",
    "SpikingDecision": "spiking",
    "SpikingParameters": "spiking_parameters",
    "select": "selection",
}

__all__ = ["DEFAULT_SET", "ENGINES", "PARAMETERS", "NSAParameters", "ParameterSet", "load", *_LAZY]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"nsa_brian.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'nsa_brian' has no attribute {name!r}")
