"""Compare the policies' speed in a single game with SMPyBandits (Besson, 2018), which plays one game at a time.

    pip install SMPyBandits
    python docs/smpybandits.py              a minute
    python docs/smpybandits.py --quick      few rounds, to test the script

Writes `docs/results/smpybandits.json` and updates the numbers in the pages. Both packages play 0/1 rewards of constant
probabilities and learn from them, in turns of ten rounds; the median over turns counts. Settings are the same where
both have them, so that the two do similar work; choices and random numbers differ.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import time
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.special
from measure import DOCS, machine, write_numbers

import baselines

ARMS = (10, 200)
#: Rounds of a turn.
TURN = 10
#: Module and class of SMPyBandits, and its settings, by our name.
POLICIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "random": ("Uniform", "Uniform", {}),
    "epsilon-greedy": ("EpsilonGreedy", "EpsilonGreedy", {"epsilon": 0.1}),
    "ucb1": ("UCB", "UCB", {}),
    "thompson": ("Thompson", "Thompson", {}),
    "softmax": ("Softmax", "Softmax", {"temperature": 0.1}),
    "d-ucb": ("DiscountedUCB", "DiscountedUCB", {"gamma": 0.99}),
    "sw-ucb": ("SlidingWindowUCB", "SWUCB", {"tau": 1000}),
    "d-thompson": ("DiscountedThompson", "DiscountedThompson", {"gamma": 0.99}),
    "kl-ucb": ("klUCB", "klUCB", {}),
    "exp3s": ("Exp3S", "Exp3S", {"gamma": 0.01, "alpha": 0.001}),
    "cusum-ucb": ("CUSUM_UCB", "CUSUM_IndexPolicy", {"horizon": 4000, "max_nb_random_events": 2}),
    "m-ucb": ("Monitored_UCB", "Monitored_IndexPolicy", {"horizon": 400_000, "w": 50, "b": 5.0}),
    "glr-klucb": ("GLR_UCB", "BernoulliGLR_IndexPolicy", {"delta": 0.01, "alpha0": 0.05, "per_arm_restart": False}),
}


def theirs(name: str, n_arms: int) -> Any:
    """Return a policy of SMPyBandits at the start of a game."""
    module, of, settings = POLICIES[name]
    if name == "glr-klucb":
        settings = {**settings, "policy": policy_class("klUCB_forGLR", "klUCB_forGLR")}
    policy = policy_class(module, of)(n_arms, **settings)
    policy.startGame()
    return policy


def policy_class(module: str, name: str) -> Any:
    """Import a class of SMPyBandits without what it prints."""
    # SMPyBandits 0.9.7 imports functions by names that SciPy has removed.
    special: Any = scipy.special
    special.btdtri, special.btdtr = special.betaincinv, special.betainc
    with contextlib.redirect_stdout(io.StringIO()):
        return getattr(importlib.import_module(f"SMPyBandits.Policies.{module}"), name)


def compare(name: str, n_arms: int, n_rounds: int) -> tuple[float, float]:
    """Return microseconds a round of our policy and of theirs; the first pulls of all arms are not counted."""
    our, their = baselines.make(name, n_arms, seed=0), theirs(name, n_arms)
    chances, times = np.linspace(0.1, 0.9, n_arms).tolist(), []
    for start in range(0, n_arms + n_rounds, TURN):
        uniform = np.random.default_rng(start).random(TURN).tolist()
        pair = [
            turn(select, learn, uniform, chances)
            for select, learn in ((our.select_arm, our.update), (their.choice, their.getReward))
        ]
        if start >= n_arms:
            times.append(pair)
    ours, others = 1e6 * np.median(times, axis=0) / TURN
    return float(ours), float(others)


def turn(select: Any, learn: Any, uniform: list[float], chances: list[float]) -> float:
    """Play some rounds and return the seconds that they took."""
    begun = time.perf_counter()
    for number in uniform:
        arm = select()
        learn(arm, float(number < chances[arm]))
    return time.perf_counter() - begun


def main() -> None:
    """Measure, and write the file and the numbers in the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rounds")
    args = parser.parse_args()
    begun = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):  # some policies print their settings
        found = {
            name: {k: compare(name, k, (20 if args.quick else 600) * TURN // (10 if "kl" in name else 1)) for k in ARMS}
            for name in POLICIES
        }
    header = ["policy", *(text for k in ARMS for text in (f"us, {k} arms", "SMPyBandits", "ratio"))]
    rows = [
        [name, *(text for a, b in of.values() for text in (f"{a:.2f}", f"{b:.1f}", f"{a / b:.2f}"))]
        for name, of in found.items()
    ]
    caption = f"A round of a policy in a single game, beside SMPyBandits {version('SMPyBandits')}."
    record = {
        "command": "python docs/smpybandits.py" + " --quick" * args.quick,
        "seconds": round(time.perf_counter() - begun, 1),
        "stand_in": args.quick,
        **machine(),
        "tables": [{"caption": caption, "header": header, "rows": rows, "right": list(range(1, len(header)))}],
        "summary": {
            name: {f"k{k}": {"us": a, "smpybandits_us": b, "ratio": a / b} for k, (a, b) in of.items()}
            for name, of in found.items()
        },
    }
    text = json.dumps(record, indent=1, ensure_ascii=False)
    (DOCS / "results" / "smpybandits.json").write_text(text + "\n", "utf-8")
    write_numbers(DOCS.parent)


if __name__ == "__main__":
    main()
