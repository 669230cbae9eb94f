"""The Neural Selection Agreement model on the Brian2 simulator.

``NSA`` is the agent, ``NSANetwork`` the Brian2 network, ``SpikingNSA`` the network of spiking neurons. ``Model``
declares a model from ``Parameter``, ``Lateral``, ``Coupling`` and ``Population``; ``SpikingModel`` declares one of
spiking neurons from ``Parameter`` and ``Pool``. ``check`` compares all engines on a model. ``prepare`` calibrates a
model before it is played, in the steps ``RateMap``, ``Balance`` and ``Critical``. ``NSAParameters`` holds the paper's
22 parameters, ``load`` reads a parameter set, ``load_model`` a model. Brian2 is imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nsa_brian.engines.registry import ENGINES
from nsa_brian.parameter_set import DEFAULT_SET, ParameterSet, load
from nsa_brian.parameters import PARAMETERS, NSAParameters, Parameter

if TYPE_CHECKING:
    from nsa_brian.agent import NSA
    from nsa_brian.checking import check
    from nsa_brian.engines.decision import Decision
    from nsa_brian.engines.network import NSANetwork
    from nsa_brian.engines.spiking import SpikingDecision, SpikingNSA
    from nsa_brian.likelihood import choice_probabilities, log_likelihood
    from nsa_brian.model.agreement import select
    from nsa_brian.model.loading import MODELS, load_model
    from nsa_brian.model.model import Model
    from nsa_brian.model.parts import Choice, Contacts, Coupling, Input, Lateral, Phase, Population
    from nsa_brian.model.preparing import Balance, Critical, RateMap
    from nsa_brian.model.shipped import LIF, lif
    from nsa_brian.model.spiking import Pool, SpikingModel
    from nsa_brian.preparation import prepare

_LAZY = {
    "NSA": "agent",
    "NSANetwork": "engines.network",
    "Decision": "engines.decision",
    "Model": "model.model",
    "Lateral": "model.parts",
    "Coupling": "model.parts",
    "Population": "model.parts",
    "Contacts": "model.parts",
    "Input": "model.parts",
    "Phase": "model.parts",
    "Choice": "model.parts",
    "RateMap": "model.preparing",
    "Balance": "model.preparing",
    "Critical": "model.preparing",
    "MODELS": "model.loading",
    "load_model": "model.loading",
    "check": "checking",
    "choice_probabilities": "likelihood",
    "log_likelihood": "likelihood",
    "prepare": "preparation",
    "LIF": "model.shipped",
    "lif": "model.shipped",
    "SpikingNSA": "engines.spiking",
    "SpikingDecision": "engines.spiking",
    "SpikingModel": "model.spiking",
    "Pool": "model.spiking",
    "select": "model.agreement",
}

__all__ = [
    "DEFAULT_SET",
    "ENGINES",
    "LIF",
    "MODELS",
    "NSA",
    "PARAMETERS",
    "Balance",
    "Choice",
    "Contacts",
    "Coupling",
    "Critical",
    "Decision",
    "Input",
    "Lateral",
    "Model",
    "NSANetwork",
    "NSAParameters",
    "Parameter",
    "ParameterSet",
    "Phase",
    "Pool",
    "Population",
    "RateMap",
    "SpikingDecision",
    "SpikingModel",
    "SpikingNSA",
    "check",
    "choice_probabilities",
    "lif",
    "load",
    "load_model",
    "log_likelihood",
    "prepare",
    "select",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"nsa_brian.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'nsa_brian' has no attribute {name!r}")
