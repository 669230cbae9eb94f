"""Measure how much the time step and the integration method matter.

    python docs/time_step.py                ten to thirty minutes
    python docs/time_step.py --quick        small settings, to test the script

Writes `docs/results/time-step.json` and updates the numbers in the pages. Rate models: choices, regret and critical
weight of the shipped sets with Euler and rk4 at several time steps, against rk4 at 0.5 ms. Spiking models: firing that
outlasts the input, and regret, with the coupling calibrated at each time step and with that of 0.5 ms.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from itertools import product
from statistics import mean
from typing import Any

import numpy as np
from brian2 import ms
from measure import DOCS, machine, write_numbers
from scipy import stats

from experiments.core.functions import respond
from experiments.core.play import play_agent
from experiments.core.settings import PlaySettings
from nsa_brian import ParameterSet, load, load_model, prepare
from nsa_brian.engines.spiking import SpikingRounds
from nsa_brian.model.preparing import Critical
from nsa_brian.parameter_set import names

#: What the others are compared with: time step in ms and method.
REFERENCE = (0.5, "rk4")
STEPS = (1.0, 2.0, 5.0, 10.0)
SPIKING_STEPS = (0.5, 0.25, 0.1)
#: Weight of the trained option as a share of w_max.
TRAINED = 0.8
#: Bandits and arms of the rate models, arms of the spiking models.
ENVS, ARMS, SPIKING_ARMS = ("MAB-P", "MAB-sin"), 10, 5


def games(nsa: ParameterSet, env: str, arms: int, rounds: int, n_games: int, dt: float, method: str) -> PlaySettings:
    """Return games with a time step and a method."""
    size: dict[str, Any] = {"arms": arms, "trials": 1, "rounds": rounds, "repetitions": n_games}
    return PlaySettings(env=env, **size, agents=("nsa",), nsa=nsa, dt=dt, method=method)


def rate_models(rounds: int, n_games: int, points: int) -> dict[str, Any]:
    """Return choices changed, games changed, regret and w* by set, method and time step."""
    found: dict[str, Any] = {}
    for name in names():
        nsa, expected = load(name), {}
        found[name] = {}
        for dt, method in (REFERENCE, *product(STEPS, ("euler", "rk4"))):
            changed, different, regret = [], [], []
            for env in ENVS:
                record = play_agent(games(nsa, env, ARMS, rounds, n_games, dt, method), "nsa", range(n_games))
                differs = record.arms != expected.setdefault(env, record.arms)
                changed.append(float(differs.mean()))
                different.append(float(differs.any(axis=1).mean()))
                regret.append(float((record.best - record.expected).mean()))
            found[name][f"{method} {dt:g}"] = {
                "percent_of_choices_changed": 100 * mean(changed),
                "percent_of_games_changed": 100 * mean(different),
                "regret": mean(regret),
                "critical_weight": float(respond(nsa.parameters, points, dt=dt, method=method)["critical"]),
            }
            print(name, method, dt, found[name][f"{method} {dt:g}"], flush=True)
    return found


def short_rounds(points: int) -> dict[str, float]:
    """Return w* of the default set with phases of 500 ms, with both methods at 20 ms."""
    parameters = dataclasses.replace(load().parameters, duration_input=500.0, duration_free=500.0)
    return {m: float(respond(parameters, points, dt=20.0, method=m)["critical"]) for m in ("euler", "rk4")}


def spiking_model(name: str, rounds: int, n_games: int, decisions: int) -> dict[str, Any]:
    """Return firing of a trained option at the end of a round and regret by time step and calibration."""
    model, parameters, found = load_model(name), load().parameters, {}
    (coupling,) = (step.name for step in model.prepare if isinstance(step, Critical))
    prepared = {dt: prepare(model, parameters, SPIKING_ARMS, dt=dt * ms) for dt in SPIKING_STEPS}
    nsa = ParameterSet(model.complete(parameters), name, model=model)
    for dt in SPIKING_STEPS:
        of_step: dict[str, Any] = {
            "coupling": prepared[dt][0][coupling] / prepared[SPIKING_STEPS[0]][0][coupling],
            "calibrated": firing(nsa, n_games, decisions, dt, prepared[dt]),
            "same_coupling": firing(nsa, n_games, decisions, dt, prepared[SPIKING_STEPS[0]]),
        }
        record = play_agent(games(nsa, "MAB-P", SPIKING_ARMS, rounds, n_games, dt, "euler"), "nsa", range(n_games))
        of_step["regret"] = estimate((record.best - record.expected).mean(axis=1))
        found[f"{dt:g}"] = of_step
        print(name, dt, of_step, flush=True)
    return found


def percent_higher(found: dict[str, Any]) -> dict[str, Any]:
    """Return the firing of a model with its difference from that at the first time step, in percent."""
    first = {place: each["mean"] for place, each in found[f"{SPIKING_STEPS[0]:g}"]["calibrated"].items()}
    for of_step, label, place in product(found.values(), ("calibrated", "same_coupling"), "uv"):
        of_step[label][place]["percent_higher"] = 100 * (of_step[label][place]["mean"] / first[place] - 1)
    return found


def firing(nsa: ParameterSet, n_games: int, decisions: int, dt: float, prepared: Any) -> dict[str, Any]:
    """Return the rates in Hz of U and V of a trained option at the end of a round."""
    weights = np.array([TRAINED * nsa.parameters.w_max, *[0.0] * (SPIKING_ARMS - 1)])
    options: dict[str, Any] = {"model": nsa.model, "dt": dt * ms, "prepared": prepared}
    engine = SpikingRounds(SPIKING_ARMS, nsa.parameters, n_games, seed=0, **options)
    engine.set_weights(weights)
    rates = []
    for _ in range(decisions):
        engine.respond()
        rates.append(engine.activity[:, :, 0].copy())
    return dict(zip("uv", map(estimate, np.mean(rates, axis=0)), strict=True))


def estimate(values: np.ndarray) -> dict[str, float]:
    """Return the mean over games and half of its 95% confidence interval."""
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return {"mean": float(values.mean()), "half": float(half)}


def tables(rates: dict[str, Any], spikes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tables of the page of results."""
    rows = [
        [
            name,
            *key.split(),
            f"{each['percent_of_choices_changed']:.2f}",
            f"{each['percent_of_games_changed']:.0f}",
            f"{each['regret']:.4f}",
            f"{each['critical_weight']:.4f}",
        ]
        for name, found in rates.items()
        for key, each in found.items()
    ]
    header = ["set", "method", "dt (ms)", "choices changed (%)", "games changed (%)", "regret", "w*"]
    caption = "Rate model: compared with rk4 at 0.5 ms, in games with the same random numbers."
    first = {"caption": caption, "header": header, "rows": rows, "right": [2, 3, 4, 5, 6]}
    rows = [
        [
            name,
            dt,
            f"{each['coupling']:.3f}",
            *(_plus_minus(each[label][place], 1) for label in ("calibrated", "same_coupling") for place in "uv"),
            _plus_minus(each["regret"], 3),
        ]
        for name, found in spikes.items()
        for dt, each in found.items()
    ]
    header = ["model", "dt (ms)", "calibrated coupling", "U (Hz)", "V (Hz)", "U, same coupling", "V, same coupling"]
    caption = (
        "Spiking models: firing of a trained option at the end of a round, with 95% intervals over games. The coupling "
        "is relative to that of 0.5 ms; it is calibrated at each time step, or the same as at 0.5 ms."
    )
    return [first, {"caption": caption, "header": [*header, "regret"], "rows": rows, "right": list(range(1, 8))}]


def _plus_minus(each: dict[str, float], digits: int) -> str:
    return f"{each['mean']:.{digits}f} ± {each['half']:.{digits}f}"


def main() -> None:
    """Measure, and write the file and the numbers in the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small settings")
    args = parser.parse_args()
    rate = {"rounds": 2000, "n_games": 10, "points": 20001}
    spiking = {"rounds": 200, "n_games": 32, "decisions": 10}
    if args.quick:
        rate, spiking = {"rounds": 50, "n_games": 2, "points": 101}, {"rounds": 5, "n_games": 2, "decisions": 1}
    begun = time.perf_counter()
    rates = rate_models(**rate)
    spikes = {name: percent_higher(spiking_model(name, **spiking)) for name in ("spiking", "spiking-ei")}
    record = {
        "command": "python docs/time_step.py" + " --quick" * args.quick,
        "seconds": round(time.perf_counter() - begun, 1),
        "stand_in": args.quick,
        **machine(),
        "settings": {"rate": rate, "spiking": spiking},
        "tables": tables(rates, spikes),
        "summary": {"rate": rates, "short_rounds": short_rounds(rate["points"]), "spiking": spikes},
    }
    text = json.dumps(record, indent=1, ensure_ascii=False)
    (DOCS / "results" / "time-step.json").write_text(text + "\n", "utf-8")
    write_numbers(DOCS.parent)


if __name__ == "__main__":
    main()
