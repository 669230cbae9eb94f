"""The pages of what is registered by name: parameters, models, bandits, policies."""

import inspect

import baselines
import envs
from nsa_brian import PARAMETERS, load, load_model
from nsa_brian.model.loading import SPIKING
from nsa_brian.parameter_set import names
from pages.markdown import code, table

SETS = names()


def parameters_page():
    """Return the page of the 22 parameters and the shipped sets."""
    rows = [
        (info.symbol, code(info.name), info.unit, info.meaning, info.domain, info.search_range)
        for info in PARAMETERS.values()
    ]
    loaded = {name: load(name) for name in SETS}
    values = [
        (code(name), info.unit, *(f"{getattr(each.parameters, name):.6g}" for each in loaded.values()))
        for name, info in PARAMETERS.items()
    ]
    parts = [
        "# Parameters",
        "The 22 parameters of the paper's model. This page is made from `nsa_brian.PARAMETERS` and the sets that come "
        "with the package; `nsa parameters` lists the sets, `nsa parameters evolved` shows one, and "
        "`nsa parameters --model FILE.py` shows the parameters of a model of your own.",
        "## Meaning, legal values and search ranges",
        table(["symbol", "name", "unit", "meaning", "legal", "searched by evolution"], rows),
        "A time constant must be at least the time step `dt` with Brian2's explicit methods (`euler`, `heun`, "
        "`milstein`, `rk2`, `rk4`).",
        "## Parameter sets",
        "\n".join(f"- `{name}`: {each.source}. {each.note}".rstrip() for name, each in loaded.items()),
        table(["parameter", "unit", *map(code, loaded)], values, right=range(2, 2 + len(loaded))),
    ]
    return "\n\n".join(parts) + "\n"


def models_page():
    """Return the page of the spiking models' parameters."""
    parts = [
        "# Spiking models",
        "The models of spiking neurons that come with the package, with all constants. How they work and how to change "
        "them: [](../howto/models.md). This page is made from the models themselves; `nsa parameters --model "
        "spiking-ei` prints the same. W is Wang (2002), Neuron 36:955-968; BW is Brunel and Wang (2001), J Comput "
        "Neurosci 11:63-85; BG is Brette and Gerstner (2005), J Neurophysiol 94:3637-3642.",
    ]
    for name in SPIKING:
        model = load_model(name)
        own = [info for info in model.declared.values() if info.name not in PARAMETERS]
        rows = [(code(i.name), f"{i.default:g}", i.unit, i.meaning, i.search_range) for i in own]
        parts += [f"## {name}", table(["name", "value", "unit", "meaning", "searched"], rows, right=(1,))]
    return "\n\n".join(parts) + "\n"


def bandits_page():
    """Return the page of bandits and their settings."""
    parts = [
        "# Bandits",
        "All bandits by name, with their settings and defaults. `envs.make(NAME, n_arms, setting=value)` makes one; "
        "commands take `--env NAME --env-option setting=value`. This page is made from `envs.BANDITS`. Settings of "
        "every bandit: `n_arms`, `n_games`, `seed` or `rng`, and `trial_rounds`.",
    ]
    for name, cls in envs.BANDITS.items():
        presets = f"Presets: {', '.join(f'`{each}`' for each in cls.presets)}." if cls.presets else ""
        parts += [f"## {name}", first_lines(cls), settings_table(envs.settings_of(name)), presets]
    return "\n\n".join(filter(None, parts)) + "\n"


def policies_page():
    """Return the page of policies and their settings."""
    parts = [
        "# Policies",
        "All policies by name, with their settings and defaults. `baselines.make(NAME, n_arms, setting=value)` makes "
        "one. `NAME:tuned` is the agent with the values that `nsa tune` found. This page is made from "
        "`baselines.POLICIES`; formulas and references are in the linked docstrings.",
    ]
    for name, cls in baselines.POLICIES.items():
        given = {key: value for key, value in baselines.settings_of(name).items() if key not in COMMON}
        parts += [f"## {name}", f"{first_lines(cls)}\n\nClass: {{py:class}}`~{cls.__module__}.{cls.__qualname__}`."]
        parts += [settings_table(given)] if given else []
    return "\n\n".join(parts) + "\n"


COMMON = ("n_games", "seed", "rng")


def first_lines(cls):
    """Return the first paragraph of a class docstring."""
    return inspect.cleandoc(cls.__doc__).split("\n\n")[0].replace("``", "`")


def settings_table(settings):
    """Return a table of settings with their defaults."""
    empty = inspect.Parameter.empty
    rows = [(code(name), "required" if value is empty else code(value)) for name, value in settings.items()]
    return table(["setting", "default"], rows)
