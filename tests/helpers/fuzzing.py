"""Random command lines and damaged files, each case from a number alone, so that a finding can be had again."""

import contextlib
import io
import json
import os
import random
import shutil
import signal
import threading
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import baselines
import envs
import nsa_brian
from experiments.cli import main
from experiments.parser import build_parser

#: What a value may be: nothing, odd, at the edge, beyond it, of the wrong kind, or a file. None makes long work.
VALUES = (
    *("", " ", "0", "-1", "1", "2", "3", "4", "0.5", "1e-320", "1e308", "1e400", "nan", "inf", "-inf", "0x10", "١"),
    *(str(2**31 - 1), str(2**31), str(2**63), str(10**30), "9" * 5000),
    *("a", "é", "a b", "a,b", ",", "2,2", "3,x", "=", "a=", "=b", "a=b", "sd=nan", "table=two.csv", "preset=x"),
    *("$(touch pwned)", ";", "a\nb", "\x1b[31m", "\u202e", "💥", "x" * 300, "../x", "/", ".", "~", "-", "--", "-h"),
    *("/dev/null", "/dev/zero", "/dev/full", "fifo", "folder", "nowhere.json", "locked"),
    *("good.json", "model.py", "model.json", "two.csv", "play.npz", "table.npz", "search", "empty", "text.json"),
    *("nsa", "random", "nsa,random", "nsa:good.json", "nsa:model.py", "random,random", "best-arm", "state-of-the-art"),
    *("MAB-P", "MAB-D,MAB-sin", "schedule", "rounds", "table", "network", "spiking", "paper", "quick", "png", "svg"),
    *("minbandit-38", "evolved", "tau_u=0.5", "duration_input=1e12", "w_max=4.5", "tcp://x", "tls://127.0.0.1:1"),
    *("\udcff", "b\udcfe.json", "x" * 100_000, "a b " * 2000, "-1e308", "1.7e308", "1e-308", "[1e308]", "{}", "NaN"),
    *("8x2x1,1x2x1", "1x1x1", "0x1x1", "1x1", "1x1x1x1", "1x2x1,8x1x1", "xxx", "1e9x1x1", ",x,", "0.3", "0.25"),
    *(
        "plugin.py",
        "odd-policy",
        "odd-bandit",
        "hostile.py",
        "hostile.py:MODEL",
        "model.py:x",
        "model.py:",
        "raises.py",
    ),
    *("spiking", "rate", "spiking-ei", "grow=1e308", "period=1e-320", "sd=1e308", "tau=nan", "leak=0.1", "leak=nan"),
)

#: Lines that a user's file may have, of which a random choice makes a hostile one.
HOSTILE = (
    "import nsa_brian, envs, baselines, numpy as np",
    "from nsa_brian import Model, Parameter, SpikingModel, Pool, Coupling, Lateral, Population",
    "raise SystemExit(3)",
    "raise Exception('a\\nb' * 1000)",
    "1 / 0",
    "x = (",
    "MODEL = 3",
    "MODEL = Model(noise=1e308)",
    "MODEL = Model(rate_u='du/dt = (-u + I_u + I + 1e308 * u**3) / tau_u : 1')",
    "MODEL = Model(rate_u='du/dt = (-u + I_u + I + log(-u)) / tau_u : 1')",
    "MODEL = Model(plasticity='w + 1e308 * R')",
    "MODEL = Model(name='a\\x1b[31m' * 100, plasticity='w + R * (1 - w)')",
    "MODEL = Model(parameters=(Parameter('q', 1, unit='s'),))",
    "MODEL = Model(parameters=(Parameter('q', float('nan')),), plasticity='w + q')",
    "MODEL = Model(parameters=(Parameter('q', 1.0, search=(1e-320, 1e308), scale='log'),), plasticity='w + q * R')",
    "MODEL = Model(plasticity='w + ' * 2000)",
    "MODEL = Model(plasticity='(' * 500 + 'w' + ')' * 500)",
    "MODEL = SpikingModel(equations_u='x')",
    "envs.BANDITS['MAB-P'] = None",
    "envs.BANDITS['odd-bandit'] = int",
    "baselines.POLICIES['random'] = 5",
    "nsa_brian.MODELS['x'] = None",
    "nsa_brian.MODELS.clear()",
    "class B(envs.Bandit):\n  def _begin(s): return np.full((s.n_games, s.n_arms), np.nan)\n  _next = _begin",
    "class C(envs.Bandit):\n  def _begin(s): return np.zeros(1)\n  def _next(s): raise KeyError(3)",
    "class D(envs.Bandit):\n  def _begin(s): return 'text'\n  _next = _begin",
    "class P(baselines.Policy):\n  def _select(s): return np.full(s.n_games, 10**9)\n  def _learn(s, a, r): pass",
    "class Q(P):\n  def _select(s): raise MemoryError",
    "class R(P):\n  def _select(s): return None",
    "class S(P):\n  def _select(s): return np.zeros(s.n_games)",
    "envs.BANDITS['MAB-P'] = B",
    "envs.BANDITS['MAB-P'] = C",
    "envs.BANDITS['MAB-P'] = D",
    "baselines.POLICIES['random'] = P",
    "baselines.POLICIES['random'] = Q",
    "baselines.POLICIES['random'] = R",
    "baselines.POLICIES['random'] = S",
    "print('printed')",
)

#: Commands in a small size.
COMMANDS = {
    "play": "--agents random --arms 3 --trials 1 --rounds 10 --repetitions 1",
    "table": "--preset quick --agents random,ucb1 --envs MAB-P --arms 3 --rounds 10 --repetitions 2",
    "standings": "--preset quick --agents random,ucb1,thompson --envs MAB-P,MAB-D --arms 3 --rounds 10",
    "ablation": "--preset quick --envs MAB-P --arms 3 --rounds 5 --repetitions 2 --trials 1 --noise 0",
    "bound": "--preset quick --agents random --envs MAB-P --arms 3 --rounds 10",
    "entropy": "--preset quick --agents random,ucb1 --rounds 10 --arms 3 --peaked-arms 3 --betas 1",
    "updates": "--preset quick --rounds 10 --repetitions 2 --arms 3",
    "environments": "--preset quick --rounds 10 --arms 3",
    "decision": "--preset quick --rounds 3 --after 0 --arms 2",
    "response": "--points 11 --parameters evolved",
    "noise": "--preset quick --rounds 3 --repetitions 2 --arms 2 --envs MAB-P --strengths 0.1",
    "tune": "--preset quick --policies epsilon-greedy --arms 3 --rounds 5 --narrowings 0 --envs MAB-P",
    "evolve ": "--look 4 --rungs 1x1x1 --population 4 --envs MAB-P --arms 3 --rounds 5 --trials 1 --out t",
    "evolve": "--preset paper-quick --population 4 --generations 1 --envs MAB-P --arms 3 --rounds 5 --trials 1 --out s",
    "evolution-figures": "search --out f",
    "record": "r.csv --rounds 3 --arms 3",
    "parameters": "",
    "check": "--rounds 2 --games 1 --arms 2",
    "report": "--preset nothing",
    "bench": "--nothing",  # a minute, and nothing but --out to get wrong
}

#: That say what is to be computed in a long run, or reach for other machines: given rarely as they cost seconds.
SLOW_COMMANDS = ("bench", "report", "check", "decision", "noise", "updates", "response")


@dataclass
class Outcome:
    """What a command did."""

    words: list
    code: int
    out: str
    err: str
    findings: list = field(default_factory=list)


def run(words, cwd, seconds=4.0):
    """Run a command in this process, stopped as by Ctrl-C when it takes long; says what is wrong with how it ended."""
    out, err = io.StringIO(), io.StringIO()
    before, here = set(every_file(cwd)), os.getcwd()
    build_parser(words[:1])  # Ctrl-C during a command's imports ends the process at once, here that of the tests
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    done = Outcome(list(words), -1, "", "")
    os.chdir(cwd)
    timer.start()
    try:
        with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(out):
            warnings.simplefilter("always")
            with contextlib.redirect_stderr(err):
                done.code = main(list(words))
    except SystemExit as left:
        done.code = left.code or 0
    except KeyboardInterrupt:  # after the command's end
        done.code = 130
    except Exception as error:
        done.findings.append(f"{type(error).__name__}: {error}")
    finally:
        timer.cancel()
        os.chdir(here)
    done.findings += [f"{each.filename}: {each.message}" for each in warned if each.category is RuntimeWarning][:1]
    done.out, done.err = out.getvalue(), err.getvalue()
    if len(done.err) > 2000 * (1 + done.err.count("\n")):
        done.findings.append(f"a line of {len(done.err)} characters")
    lines = [
        line for line in done.err.splitlines() if line.strip() and not line.startswith(("note: ", "WARNING", "INFO"))
    ]
    if "Traceback" in done.err or len(lines) > 1:
        done.findings.append(f"said {done.err!r:.500}")
    if not done.findings and done.code not in (0, 1, 2, 130):
        done.findings.append(f"exit code {done.code}")
    if done.code == 1 and words[:1] != ["check"]:
        done.findings.append("exit code 1, which says that engines do not agree")
    if done.code == 2 and len(lines) != 1:
        done.findings.append(f"exit code 2 with {len(lines)} lines")
    new = set(every_file(cwd)) - before
    if done.code == 2 and {path for path in new if path.split("/")[0] not in ("s", "t", "nsa-results")}:
        done.findings.append(f"refused, and left {sorted(new)}")
    odd = [path for path in new if path.endswith((".part", ".lock")) or "pwned" in path]
    if odd:
        done.findings.append(f"left {odd}")
    return done


def every_file(folder):
    """All files below a folder."""
    return [str(path.relative_to(folder)) for path in Path(folder).rglob("*") if "__pycache__" not in path.parts]


def command_line(rng):
    """A command in a small size with some of its options turned to something odd."""
    name = rng.choice([name for name in COMMANDS if name not in SLOW_COMMANDS or rng.random() < 0.15])
    words = COMMANDS[name].split()
    name = name.strip()
    options = _options(name)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        option = rng.choice(options)
        if rng.random() < 0.05:
            words.insert(rng.randrange(len(words) + 1), rng.choice(VALUES))
        elif option in FLAGS or rng.random() < 0.03:
            words.append(option)
        elif rng.random() < 0.3:
            words.append(f"{option}={rng.choice(VALUES)}")
        else:
            words += [option, rng.choice(VALUES)]
    return [name, *words]


FLAGS = ("--json", "--quiet", "--quick", "--no-figures", "--help", "-h")


def _options(name):
    parser = build_parser([name])
    (commands,) = parser._subparsers._group_actions
    found = [flag for action in commands.choices[name]._actions for flag in action.option_strings]
    return [flag for flag in found if flag not in ("-h", "--help", "--slurm", "--scheduler")] + ["--help"]


def corpus(folder, nsa):
    """Good files of every kind, and some that are none; ``nsa`` runs a command."""
    good = nsa("parameters", "evolved", "--json", cwd=folder)
    (folder / "good.json").write_text(good)
    (folder / "model.py").write_text(
        "from nsa_brian import Model, Parameter\n"
        'MODEL = Model(name="leaky", plasticity="w + Phi_eta * (R * w_max - w) - leak * w",\n'
        '    parameters=(Parameter("leak", 0.01, search=(0.001, 0.5), scale="log"),))\n'
    )
    (folder / "model.json").write_text(nsa("parameters", "--model", "model.py", "--json"))
    (folder / "plugin.py").write_text(
        "import baselines, envs\n"
        'baselines.POLICIES["odd-policy"] = type("Odd", (baselines.POLICIES["random"],), {})\n'
        'envs.BANDITS["odd-bandit"] = type("Odd", (envs.BANDITS["MAB-P"],), {})\n'
    )
    (folder / "raises.py").write_text("raise ValueError('a' * 10_000)")
    (folder / "two.csv").write_text("0.5,0.2\n" * 12)
    (folder / "text.json").write_text("not JSON")
    (folder / "empty").touch()
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    for name in ("play", "table"):
        nsa(name, *COMMANDS[name].split(), "--no-figures", "--out", "made")
        shutil.copy(next((folder / "made").glob(f"{name}-*.npz")), folder / f"{name}.npz")
    nsa("evolve", *COMMANDS["evolve"].split()[:-1], "search", "--no-figures")
    shutil.rmtree(folder / "made")


#: For what is read, the commands that read it.
READERS = {
    "good.json": ("play --rounds 3 --trials 1 --repetitions 1 --arms 2 --agents nsa --parameters {}", "parameters {}"),
    "model.json": (
        "parameters {}",
        "check --rounds 2 --games 1 --arms 2 {}",
        "evolve --preset paper-quick --start {} --arms 1",
    ),
    "two.csv": ("play --agents random --env schedule --trials 1 --rounds 9 --env-option table={}",),
    "play.npz": ("play --from {}", "play --from {} --json", "table --from {}"),
    "table.npz": ("table --from {}", "table --from {} --json --format svg", "standings --from {}"),
    "search/checkpoint.npz": (
        "evolve --resume search",
        "evolution-figures search",
        "evolve --resume search --generations 2",
    ),
    "search/generations/0001.npz": ("evolution-figures search", "evolve --resume search"),
}

ODD = (None, True, 0, -1, 1.5, 1e308, 2**63, "", "x", "é$|", [], {}, [[]], {"a": {}}, float("nan"), "x" * 1000)


def damaged_case(rng, folder):
    """Damage one of the files; the command that reads it."""
    name = rng.choice(list(READERS))
    path = folder / name
    content = path.read_bytes()
    way = rng.choice((_cut, _flip, _insert, _craft, _craft, _craft))
    path.write_bytes(way(rng, content, path.suffix))
    return rng.choice(READERS[name]).format(name).split()


#: Commands that run a hostile file, as a model or as a plugin.
RUNNERS = (
    "play --agents random --rounds 3 --trials 1 --repetitions 1 --arms 2 --plugin {}",
    "play --agents nsa --rounds 3 --trials 1 --repetitions 1 --arms 2 --model {}",
    "play --agents nsa:{} --rounds 3 --trials 1 --repetitions 2 --arms 2",
    "table --preset quick --agents random,ucb1 --envs MAB-P --arms 3 --rounds 3 --repetitions 2 --plugin {}",
    "check {} --rounds 2 --games 1 --arms 2",
    "parameters --model {}",
    "response --points 11 --model {}",
    "record r.csv --rounds 3 --arms 3 --plugin {}",
    "tune --preset quick --policies epsilon-greedy --arms 3 --rounds 5 --narrowings 0 --envs MAB-P --plugin {}",
    "environments --preset quick --rounds 10 --arms 3 --plugin {}",
    "evolve --preset paper-quick --population 4 --generations 1 --envs MAB-P --arms 3 --rounds 5 --trials 1 --out s "
    "--model {}",
    "evolve --preset paper-quick --population 4 --generations 1 --envs MAB-P --arms 3 --rounds 5 --trials 1 --out s "
    "--plugin {}",
)


def hostile_case(rng, folder):
    """Write a user's file of random lines; the command that runs it."""
    chosen = [line for line in HOSTILE[2:] if rng.random() < 0.15]
    if rng.random() < 0.5:
        chosen = [line for line in chosen if line.startswith("MODEL")][-1:]
    made = [line for line in HOSTILE if line.startswith("class")] if rng.random() < 0.6 else []
    (folder / "hostile.py").write_text("\n".join([*HOSTILE[: rng.choice((2, 2, 2, 1))], *made, *chosen]))
    return rng.choice(RUNNERS).format("hostile.py").split()


def _cut(rng, content, suffix):
    return content[: rng.randrange(len(content))]


def _flip(rng, content, suffix):
    changed = bytearray(content)
    for _ in range(rng.choice((1, 3, 30))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _insert(rng, content, suffix):
    place = rng.randrange(len(content))
    return content[:place] + bytes(rng.randrange(256) for _ in range(rng.choice((1, 10, 1000)))) + content[place:]


def _craft(rng, content, suffix):
    """The right form with odd entries."""
    if suffix == ".csv":
        return "\n".join(rng.choice(("0.5,0.5", "nan,1", "a,b", "1e400,0", "0.5", "", ",")) for _ in range(12)).encode()
    if suffix == ".json":
        return json.dumps(_odd(rng, json.loads(content))).encode()
    with np.load(io.BytesIO(content)) as file:
        arrays = dict(file)
    meta = json.loads(str(arrays.pop("meta")))
    meta.pop("checksum", None)  # as in release 0.2: so that what is odd is not refused for its checksum alone
    if rng.random() < 0.5 or not arrays:
        meta = _odd(rng, meta)
    else:
        name = rng.choice(sorted(arrays))
        array = arrays.pop(name)
        is_number = array.dtype.kind in "iuf"
        ways = [
            None,
            array[:0] if array.ndim else array,
            np.array(3),
            array.astype(str),
            array.reshape(-1),
            array[None],
        ]
        ways += [np.full(array.shape, np.nan), array.astype(np.float32), -array] if is_number else []
        changed = rng.choice(ways)
        if changed is not None:
            arrays[name] = changed
        if rng.random() < 0.7:  # and nothing that gives it away
            meta["arrays"] = {name: [array.dtype.str, *array.shape] for name, array in arrays.items()}
    written = io.BytesIO()
    np.savez(written, meta=np.array(json.dumps(meta)), **arrays)
    return written.getvalue()


def _odd(rng, value):
    """The same JSON with one entry, somewhere, gone or changed."""
    places = list(_places(value))
    holder, key = rng.choice(places) if places else ({"": value}, "")
    if isinstance(holder, dict) and rng.random() < 0.4:
        del holder[key]
    else:
        holder[key] = rng.choice(ODD)
    return value


def _places(value):
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def case(number, folder, kind=None, seconds=4.0):
    """Run the case of a number, and of a kind if one is given, in a folder of its own with the files of the corpus."""
    rng = random.Random(number)
    chosen = rng.choices((damaged_case, hostile_case, lambda rng, folder: command_line(rng)), (35, 20, 45))[0]
    words = (kind or chosen)(rng, folder)
    registries = [(registry, dict(registry)) for registry in (envs.BANDITS, baselines.POLICIES, nsa_brian.MODELS)]
    try:
        return run(words, folder, seconds)
    finally:
        for registry, before in registries:
            registry.clear()
            registry.update(before)
