"""The Neural Selection Agreement model on the Brian2 simulator.

``NSA`` is the agent, ``NSANetwork`` the Brian2 network, ``SpikingNSA`` the one of spiking neurons. ``Model`` declares a
model of your own, with ``Parameter``, ``Lateral``, ``Coupling`` and ``Population``, ``SpikingModel`` one of spiking
neurons, with ``Parameter`` and ``Pool``; ``check`` plays it on all engines.
``NSAParameters`` are the paper's 22 parameters, ``load`` reads a parameter set, ``load_model`` a model. Brian2 is
imported when it is needed, so that looking at parameters is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nsa_brian.engines.registry import ENGINES
from nsa_brian.parameter_set import DEFAULT_SET, ParameterSet, load
from nsa_brian.parameters import PARAMETERS, NSAParameters, Parameter

if TYPE_CHECKING:
    from nsa_brian.agent import NSA
    from nsa_brian.checking import check
    from nsa_brian.engines.network import Decision, NSANetwork
    from nsa_brian.likelihood import log_likelihood
    from nsa_brian.model.agreement import select
    from nsa_brian.model.couplings import Coupling, Lateral, Population
    from nsa_brian.model.loading import MODELS, load_model
    from nsa_brian.model.model import Model
    from nsa_brian.spiking.model import Pool, SpikingModel
    from nsa_brian.spiking.network import SpikingDecision, SpikingNSA

_LAZY = {
    "NSA": "agent",
    "NSANetwork": "engines.network",
    "Decision": "engines.network",
    "Model": "model.model",
    "Lateral": "model.couplings",
    "Coupling": "model.couplings",
    "Population": "model.couplings",
    "MODELS": "model.loading",
    "load_model": "model.loading",
    "check": "checking",
    "log_likelihood": "likelihood",
    "SpikingNSA": "spiking.network",
    "SpikingDecision": "spiking.network",
    "SpikingModel": "spiking.model",
    "Pool": "spiking.model",
    "select": "model.agreement",
}

__all__ = [
    "DEFAULT_SET",
    "ENGINES",
    "MODELS",
    "NSA",
    "PARAMETERS",
    "Coupling",
    "Decision",
    "Lateral",
    "Model",
    "NSANetwork",
    "NSAParameters",
    "Parameter",
    "ParameterSet",
    "Pool",
    "Population",
    "SpikingDecision",
    "SpikingModel",
    "SpikingNSA",
    "check",
    "load",
    "load_model",
    "log_likelihood",
    "select",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"nsa_brian.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'nsa_brian' has no attribute {name!r}")
