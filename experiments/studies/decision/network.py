"""Brian2 network in the state of a trained engine."""

from __future__ import annotations

from typing import Any

from experiments.core.settings import PlaySettings
from nsa_brian.engines.network import NSANetwork


def network_of(games: PlaySettings, engine: Any, rounds: int, name: str = "nsa") -> NSANetwork:
    """Return a network with the synapses, signals, carried state and inputs of an engine's first game."""
    inputs = {key: values[rounds:] for key, values in games.inputs_of(games.agents[0]).items()}
    network = NSANetwork(
        games.arms,
        engine.parameters[0],
        ties=games.ties,
        seed=games.seed,
        name=name,
        model=engine.model,
        **games.integration,
        inputs={key: values for key, values in inputs.items() if len(values)},
        **({"prepared": engine.values[:1]} if engine.model.prepare else {}),
    )
    network.set_weights(**{key: values[0] for key, values in engine.synapses.items()})
    for key, values in engine.signals.items():
        network.signals[key][:] = values[0]
    for key in engine.structure.carried if rounds else ():
        network.neurons(key)[0] = engine.neurons(key)[0] if hasattr(engine, "neurons") else engine.state(key)[0]
    return network
