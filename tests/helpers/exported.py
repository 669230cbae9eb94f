"""Exported scripts, and the games of the network engine that they must equal."""

import ast
import runpy
import subprocess
import sys

from brian2 import defaultclock, ms
from targets import brian2_target

import envs
from nsa_brian import NSA, load, prepare
from nsa_brian.common.game_streams import streams
from nsa_brian.export.script import Game, to_script

#: Short rounds, in which activity still lasts where a weight is high.
SHORT = load().parameters.replace(tau_u=10, tau_v=12, duration_input=60, duration_free=60)
#: Shorter phases and fewer neurons of spiking models, of the parameters that a model has.
FEW = {"neurons": 5, "input_time": 30, "free_time": 40, "reading_time": 25, "outcome_time": 20, "neurons_I": 3}
#: What a script may import.
PLAIN = {"math", "numpy", "brian2"}
#: Runs a script in a process that can import none of our packages, nor what else they need.
ALONE = """
import runpy, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked}:
            raise ImportError(name + " is not installed here")
sys.meta_path.insert(0, Refuse())
runpy.run_path(sys.argv[1], run_name="__main__")
"""
BLOCKED = {
    "nsa_brian",
    "envs",
    "baselines",
    "evolution",
    "experiments",
    "deap",
    "matplotlib",
    "tqdm",
    "scipy",
    "filelock",
}


def quick(model, **changes):
    """Parameters with which a model's rounds are short."""
    found = model.complete(SHORT)
    own = {name: value for name, value in {**FEW, **changes}.items() if name in dict(found.own)}
    return found.replace(**own)


def prepare_compiled(model, parameters, game):
    """Find the critical value of a model's rate map, which takes a compiler; it is found once."""
    if model.prepare:
        with brian2_target("auto"):
            prepare(model, parameters, game.n_arms)


def exported(model, parameters, game):
    """The script of a model."""
    prepare_compiled(model, parameters, game)
    return to_script(parameters, model, game)


def imports(text):
    """The packages that a script imports."""
    nodes = list(ast.walk(ast.parse(text)))
    found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return found | {node.module for node in nodes if isinstance(node, ast.ImportFrom)}


def choices(model, parameters, game):
    """What the network engine chooses in a game, as `nsa play --engine network` does."""
    bandit = envs.make(game.bandit, game.n_arms, n_games=1, **(game.settings or {}))
    bandit.reset(streams(game.seed, "bandit", range(1)))
    rng = streams(game.seed, "agent nsa", range(1))
    prepare_compiled(model, parameters, game)
    agent = NSA(game.n_arms, parameters, "network", n_games=1, rng=rng, model=model)
    found = []

    def pull(arms):
        rewards = bandit.pull(arms)
        bandit.step()
        found.append(int(arms[0]))
        return rewards

    agent.play(pull, game.n_rounds)
    return found


def run_here(text, folder):
    """The names of a script that was run in this process."""
    path = folder / "script.py"
    path.write_text(text, "utf-8")
    before = defaultclock.dt / ms
    try:
        return runpy.run_path(str(path), run_name="__main__")
    finally:
        defaultclock.dt = before * ms


def run_alone(text, folder):
    """The choices of a script, run with brian2 and numpy alone, without a compiler."""
    (folder / "script.py").write_text(text, "utf-8")
    (folder / "brian_preferences").write_text("codegen.target = 'numpy'\n", "utf-8")
    code = ALONE.format(blocked=BLOCKED)
    done = subprocess.run(
        [sys.executable, "-c", code, "script.py"], cwd=folder, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return list(map(int, done.stdout.splitlines()[0].removeprefix("arms: ").split()))


__all__ = ["PLAIN", "SHORT", "Game", "choices", "exported", "imports", "quick", "run_alone", "run_here", "to_script"]
