"""`check` compares what really runs: broken engines are found, whatever path they are broken on."""

import json

import numpy as np
import pytest
from guide import PIECES, model_of
from models import OTHERS
from spiking import OWN, small
from targets import each_network_target, on_target

from experiments.cli import main
from nsa_brian import Model, NSANetwork, NSAParameters, check
from nsa_brian.codegen import stretch as compiled_stretch
from nsa_brian.codegen.code_objects import CompiledRound
from nsa_brian.codegen.kept import KeptCode
from nsa_brian.engines.base import Engine
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.separable import Separable
from nsa_brian.engines.table import Table
from nsa_brian.errors import ModelError
from nsa_brian.model.loading import SPIKING

#: Rounds of 160 steps.
SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=80, duration_free=80)
CARRIED, POOL, DECAY = model_of("carried.py"), model_of("dynamic_pool.py"), model_of("decay.py")


@pytest.fixture
def quick_network(monkeypatch):
    """Brian2's networks without their compiler, which takes half a minute for each."""
    monkeypatch.setattr("nsa_brian.engines.network.NSANetwork", on_target(NSANetwork, "numpy"))


class TestVerdict:
    @pytest.mark.slow
    @each_network_target
    def test_tells_who_runs_it_and_that_they_agree(self, network_target, monkeypatch):
        monkeypatch.setattr("nsa_brian.engines.network.NSANetwork", on_target(NSANetwork, network_target))
        found = check(model_of("lateral.py"), SHORT, n_rounds=8)
        by_name = {engine.name: engine for engine in found.engines}
        assert found.agree
        assert by_name.keys() == {
            "network",
            "network, round by round",
            "rounds, round by round",
            "rounds, compiled rounds",
            "rounds, as in a search",
            "rounds, in numpy",
            "table",
        }
        for name, engine in by_name.items():
            if name != "table":
                assert (engine.choices, engine.difference, engine.error) == (1, None, "")
                assert engine.activity < 1e-12
                assert engine.synapses < 1e-12
                assert engine.rounds == (5 if name in ("network, round by round", "rounds, in numpy") else 8)
        assert by_name["rounds, compiled rounds"].steps_per_second > by_name["network"].steps_per_second
        assert "couples options" in by_name["table"].refusal
        assert "they agree (2 games of 8 rounds, 4 arms; differences up to 1e-09 are rounding)" in str(found)
        assert found.to_dict()["engines"][-1]["choices"] is None

    @pytest.mark.slow
    def test_names_the_round_the_variable_and_both_values(self, quick_network, monkeypatch, capsys):
        """A response table that is far too coarse."""
        monkeypatch.setattr(
            "nsa_brian.engines.table.ResponseTable._interpolate", lambda self, which, value: np.stack([value, -value])
        )
        found = check(Model(), SHORT, n_rounds=25)
        assert not found.agree
        (first,) = (engine for engine in found.engines if engine.name == "table, round by round")
        assert (first.difference.round, first.difference.variable) == (0, "u")
        assert f"table, round by round: {first.difference}" in str(found)
        assert "they differ (2 games of 25 rounds" in str(found)
        assert main(["check", "--rounds", "2", "--arms", "2", "--games", "1", "--json"]) == 1
        told = json.loads(capsys.readouterr().out)
        assert told["agree"] is False
        assert told["engines"][-1]["difference"]["variable"] == "u"

    @pytest.mark.slow
    def test_an_error_on_every_path_is_the_models(self, quick_network):
        with pytest.raises(ModelError, match="w is not finite after learning"):
            check(Model(plasticity="w + log(R - 2)"), SHORT)

    def test_an_error_on_one_path_is_a_difference(self, quick_network, monkeypatch):
        def fail(self, places):
            raise ModelError("out of order")

        monkeypatch.setattr(Table, "answer", fail)
        found = check(Model(), SHORT, n_rounds=3)
        assert not found.agree
        assert "table, round by round: out of order" in str(found)


def without_kept_code(monkeypatch):
    """Generate code anew: what was generated before from the same model is right."""
    monkeypatch.setattr(KeptCode, "get", lambda self, generated_from, make: make())


def in_template(monkeypatch, name, *changes):
    """Change the text of a C++ template."""
    without_kept_code(monkeypatch)
    templater = CompiledRound.templater
    source, *_ = templater.env.loader.get_source(templater.env, f"{name}.pyx")
    for old, new in changes:
        assert source.count(old) == 1, f"{name}.pyx has {source.count(old)} times {old!r}"
        source = source.replace(old, new)
    made = type(templater.templates.get_template(name))(templater.env.from_string(source), source)
    monkeypatch.setitem(templater.templates._templates, name, made)


def in_support(monkeypatch, old, new):
    """Change what generated C++ rests on, in templates that are loaded anew."""
    without_kept_code(monkeypatch)
    templater = CompiledRound.templater
    support = templater.env.globals["_support"]
    assert support.count(old) == 1, f"{support.count(old)} times {old!r}"
    monkeypatch.setitem(templater.env.globals, "_support", support.replace(old, new))
    monkeypatch.setattr(templater.templates, "_templates", {})
    monkeypatch.setattr(templater.env, "cache", None)


def wrong_rule(monkeypatch):
    """Compiled rounds learn a little too slowly."""
    right = compiled_stretch.rule_lines

    def rule(model):
        (line,), lines = right(model)
        return [line.replace("w = ", "w = 1e-6 * w + (1 - 1e-6) * (", 1) + ")"], lines

    monkeypatch.setattr(compiled_stretch, "rule_lines", rule)


def wrong_function(monkeypatch):
    """e^x off by up to 2e-6 of itself."""
    in_support(monkeypatch, "fma(r, 1. / 120, 1. / 24)", "fma(r, 1. / 120, 1. / 23.9)")


def wrong_operator(monkeypatch):
    """`%` as C has it."""
    in_support(monkeypatch, "return (y < 0) != (rest < 0) ? rest + y : rest;", "return rest;")


def state_not_reset(monkeypatch):
    """A second game begins where the first one ended."""
    monkeypatch.setattr(Rounds, "reset", Separable.reset)


def carried_state_ignored(monkeypatch):
    """Compiled rounds start neurons anew that should go on."""
    in_template(
        monkeypatch,
        "stretch",
        ("_last_{{ name }}[_place] = {{ before }}{{ name }}{{ after }};", ""),
    )


def pool_not_stepped(monkeypatch):
    """A pool's state is written back from before the round."""
    in_template(monkeypatch, "game", ("_all__pools[{{ loop.index0 }} * n_games + game] = {{", "(void){{"))


def wrong_forecast(monkeypatch):
    """Weights to come are foreseen with the wrong reward, and taken without a look whether they came."""
    in_template(
        monkeypatch,
        "stretch",
        (" && _own[_seen].w == _last_w[_place]", ""),
        ("{{ _number('R') }} = _luck[4 * _at + 3] < ", "{{ _number('R') }} = _luck[4 * _at + 3] > "),
    )


def wrong_tie(monkeypatch):
    """The first of equals is taken, where chance should."""
    in_support(monkeypatch, "(int64_t)(luck * tied_)", "(int64_t)(0 * luck * tied_)")


def wrong_interpolation(monkeypatch):
    """Parabolas that are too flat."""
    in_support(monkeypatch, "p[0] + t / 2 * (p[2] - p[-2]", "p[0] + t / 2.1 * (p[2] - p[-2]")


def unchosen_options_learn_as_chosen(monkeypatch):
    in_template(monkeypatch, "stretch", ("'_is_arm[_i]' if block == 'learn' else '0'", "'1'"))


def wrong_exploration(monkeypatch):
    """The random arm is drawn from the number that broke a tie."""
    in_template(
        monkeypatch,
        "stretch",
        (
            "{{ '_agree ? _k_v : ' if _exploits }}(int64_t)(_drawn[2] * _n_arms);",
            "{{ '_agree ? _k_v : ' if _exploits }}(int64_t)(_drawn[1] * _n_arms);",
        ),
    )


def late_input(monkeypatch):
    """Compiled rounds take the input away a step late."""
    in_template(monkeypatch, "round", ("{{ border }}[i] == next ?", "{{ border }}[i] < next ?"))


def numpy_learns_by_hand(monkeypatch):
    """Learning in numpy, the reference's too, that forgets a little."""
    right = Engine._learn

    def learn(self, arms, rewards):
        right(self, arms, rewards)
        self._variables()["w"][:] *= 1 - 1e-6

    monkeypatch.setattr(Engine, "_learn", learn)


MUTATIONS = {
    "a wrong rule": (Model(), wrong_rule),
    "a wrong function": (Model(), wrong_function),
    "a wrong operator": (Model(plasticity="w + (R - w) / 3 + (-w - 0.1) % 0.03"), wrong_operator),
    "a state that is not reset": (CARRIED, state_not_reset),
    "an ignored carried variable": (CARRIED, carried_state_ignored),
    "a pool that is not stepped": (POOL, pool_not_stepped),
    "a wrong forecast": (Model(), wrong_forecast),
    "a wrong tie": (Model(), wrong_tie),
    "a wrong interpolation": (Model(), wrong_interpolation),
    "options that learn though not chosen": (DECAY, unchosen_options_learn_as_chosen),
    "a wrong exploration": (Model(), wrong_exploration),
    "input that lasts too long": (Model(), late_input),
    "a wrong rule in numpy": (Model(), numpy_learns_by_hand),
}
#: By default, the quickest.
OFTEN = ("a state that is not reset",)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in MUTATIONS]
)
def test_finds_a_broken_engine(name, quick_network, monkeypatch):
    model, breaks = MUTATIONS[name]
    breaks(monkeypatch)
    found = check(model, SHORT, n_rounds=6 if name in OFTEN else 12)
    assert not found.agree, str(found)
    assert any(engine.difference is not None for engine in found.engines)


@pytest.mark.parametrize("model", [Model(), CARRIED], ids=lambda model: model.name)
def test_finds_nothing_where_nothing_is_broken(model, quick_network):
    found = check(model, SHORT, n_rounds=6)
    assert found.agree, str(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PIECES, *OTHERS])
def test_models_of_the_guide_and_others_agree(name, quick_network):
    model = model_of(name) if name in PIECES else OTHERS[name]
    found = check(model, SHORT, n_rounds=20)
    assert found.agree, str(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paper", *SPIKING])
def test_shipped_models_agree(name):
    """In Brian2's compiled network, with the default set."""
    found = check(name, n_arms=3, n_rounds=4)
    assert found.agree, str(found)


def late_refractoriness(monkeypatch):
    in_template(monkeypatch, "columns", ("] = _rest_{{ p.name }};", "] = _rest_{{ p.name }} + 1;"))


def times_by_subtraction(monkeypatch):
    """Times since a spike as differences of two times, which miss a multiple of the step by a rounding error."""
    monkeypatch.setattr("nsa_brian.engines.network_objects.SINCE", "(t - lastspike_{end})")


def outcome_without_noise(monkeypatch):
    """The first step of an outcome has the random numbers of the step before it."""
    right = NSANetwork._begin_after

    def begin_after(self, arms, rewards):
        hand_out, self._numbers.hand_out = self._numbers.hand_out, lambda: None
        right(self, arms, rewards)
        self._numbers.hand_out = hand_out

    monkeypatch.setattr(NSANetwork, "_begin_after", begin_after)


#: Spikes count if they are less than two time steps ago, at a time whose multiples of dt round down.
NEAR = OWN.change(flips=OWN.flips.replace("50 * ms", "1 * ms"))


@pytest.mark.parametrize(
    "breaks",
    [
        pytest.param(None, marks=pytest.mark.slow),
        pytest.param(times_by_subtraction, marks=pytest.mark.slow),
        pytest.param(outcome_without_noise, marks=pytest.mark.slow),
        pytest.param(late_refractoriness, marks=pytest.mark.slow),
    ],
)
def test_finds_broken_spikes(breaks, quick_network, monkeypatch):
    """And spikes and what they teach agree where nothing is broken."""
    if breaks:
        breaks(monkeypatch)
    found = check(NEAR, small(NEAR, push=3, outcome_time=53), n_arms=2, n_rounds=3, n_games=3)
    assert found.agree == (breaks is None), str(found)
