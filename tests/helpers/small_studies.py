"""Every study in a small size."""

import dataclasses

from experiments import registry

SMALLER = {
    "play": {"arms": 4, "rounds": 15, "repetitions": 3},
    "table": {"arms": (5, 10), "envs": ("MAB-P", "MAB-D"), "rounds": 60, "repetitions": 3},
    "entropy": {"rounds": 60, "repetitions": 2, "peaked_arms": 20, "betas": (17.0, 0.5)},
    "updates": {"rounds": 200, "repetitions": 10},
    "environments": {"rounds": 100},
    "decision": {"after": (0, 60), "rounds": 60},
    "response": {"points": 101},
    "standings": {
        "agents": ("nsa", "ucb1", "optimistic:tuned", "best-arm"),
        "envs": ("MAB-P", "MAB-D", "switching", "reversal"),
        "arms": (3, 5),
        "rounds": 60,
        "repetitions": 3,
    },
    "bound": {
        "agents": ("nsa", "ucb1", "oracle-bayes"),
        "envs": ("MAB-P", "MAB-D", "MAB-sinP"),
        "arms": (3, 5),
        "rounds": 60,
        "repetitions": 3,
    },
    "noise": {"arms": 3, "rounds": 20, "repetitions": 3, "strengths": (0.0, 0.3)},
    "fit": {"subjects": 2, "generations": 3, "predictive": 2},
    "recover": {"rounds": 20, "generations": 3},
    "tune": {"policies": ("epsilon-greedy",), "arms": (4,), "rounds": 40, "narrowings": 0},
}
STUDIES = {study.name: study for study in registry.studies()}


def small(name):
    """Settings of a study that are computed in a moment."""
    study = STUDIES[name]
    return study.settings_of(dataclasses.replace(study.presets["quick"], **SMALLER.get(name, {})))
