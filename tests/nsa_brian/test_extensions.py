"""Models that users write, the guide's pieces and others: the network and the compiled engine, choice for choice."""

import dataclasses

import brian2
import numpy as np
import pytest
from games import SHORT, agree, game
from guide import PIECES, RECIPES, SPIKING_PIECES, model_of
from models import OTHERS, WILD
from selection import mostly_slow
from spiking import interpreted, unfound
from targets import brian2_target, each_network_target, on_target

from nsa_brian import (
    NSA,
    Coupling,
    Lateral,
    Model,
    NSANetwork,
    NSAParameters,
    Population,
    check,
    load,
    prepare,
)
from nsa_brian.engines.columns import ColumnRounds
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.table import Table

BOTH = (NSANetwork, Rounds)

N_ROUNDS, FEW_ROUNDS = 30, 10

MODELS = {**{name: model_of(name) for name in PIECES}, **OTHERS}

#: One of each kind, which is compiled by default; the compiler takes a second or two for each.
COMPILED = {
    "decay.py",  # a rule for the options that were not chosen
    "surprise.py",  # a signal of the game
}
#: Of kinds that others have too: among the slow tests.
ALIKE = {
    *("self_excitation.py", "hebbian.py", "optimistic.py", "noisy_lateral.py", "static_pool.py", "rectified.py"),
    *("choice_kernel.py", "asymmetric.py", "prior.py", "normalisation.py", "follow_u.py"),
    *("synaptic current and threshold that rises", "learning rate by surprise", "V of other options divides U"),
}
#: Every model: those kinds compiled, the others in numpy, and compiled among the slow tests.
EACH_MODEL = [
    *(pytest.param(name, "auto", id=name) for name in MODELS if name in COMPILED),
    *(
        pytest.param(name, "numpy", id=name, marks=[pytest.mark.slow] if name in ALIKE else [])
        for name in MODELS
        if name not in COMPILED
    ),
    *(
        pytest.param(name, "auto", id=f"{name}, compiled", marks=pytest.mark.slow)
        for name in MODELS
        if name not in COMPILED
    ),
]
each_model = pytest.mark.parametrize(("name", "rounds_target"), EACH_MODEL)


def quiet(model):
    return dataclasses.replace(model, noise=0.0) if model.noise else model


def both(model, seed, network_target="numpy", rounds_target="auto"):
    """The same game on the network and on the compiled engine; fewer rounds where neither is compiled."""
    n_rounds = FEW_ROUNDS if network_target == rounds_target == "numpy" else N_ROUNDS
    found = []
    for make, name in ((NSANetwork, network_target), (Rounds, rounds_target)):
        with brian2_target(name):
            engine = make(4, SHORT, 3, rng=np.random.default_rng(seed), model=model, **with_inputs(model, seed))
            found.append(game(engine, n_rounds, seed))
    return found


def with_inputs(model, seed=0):
    """Values of the model's inputs, as options of an engine: on in a part of the rounds and options."""
    shapes = {"option": (N_ROUNDS, 3, 4), "game": (N_ROUNDS, 3)}
    rng = np.random.default_rng(seed + 200)
    values = {name: (rng.random(shapes[each.per]) < 0.3) * 0.9 for name, each in model.structure.inputs.items()}
    return {"inputs": values} if values else {}


@each_model
def test_network_and_rounds_make_the_same_choices(name, rounds_target):
    """Up to 30 rounds, 4 arms, 3 games with their own luck; engines differ by rounding at most."""
    network, rounds = both(quiet(MODELS[name]), seed=0, rounds_target=rounds_target)
    agree(network, rounds)
    assert len(np.unique(network[0])) > 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", MODELS)
def test_the_compiled_network_and_rounds_make_the_same_choices(name, seed):
    agree(*both(quiet(MODELS[name]), seed, "auto"))


@pytest.mark.slow
@each_model
def test_the_model_differs_from_the_papers(name, rounds_target):
    """Else the test above would say nothing."""
    first = []
    for model in (Model(), quiet(MODELS[name])):
        with brian2_target(rounds_target):
            engine = Rounds(4, SHORT, 3, rng=np.random.default_rng(0), model=model, **with_inputs(model))
            first.append(game(engine, N_ROUNDS, 0)[1][:, : 3 * 3 * 4])
    assert np.abs(first[0] - first[1]).max() > 1e-5


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_of_the_guide_takes_twenty_lines_at_most(name):
    code = [line for line in RECIPES[name].splitlines() if line.strip() and not line.strip().startswith("#")]
    assert len(code) <= 20, len(code)
    assert max(map(len, code)) <= 120


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bound.py", "surprise.py"])
def test_recipes_agree_on_every_path(name, monkeypatch):
    """Compiled rounds many in a call too: the first once read a reaction time that was of another round."""
    monkeypatch.setattr("nsa_brian.engines.network.NSANetwork", on_target(NSANetwork, "numpy"))
    found = check(MODELS[name], SHORT, n_rounds=30, n_arms=3)
    assert found.agree, str(found)


@pytest.mark.parametrize("engine", ["network", "rounds"])
def test_the_reaction_time_of_the_guide_is_when_the_bound_is_crossed(engine, without_compiler):
    agent = NSA(3, SHORT, engine, model=MODELS["bound.py"], seed=1)
    agent.engine.set_weights(np.array([0.0, 4.4, 0.0]))
    arm = agent.select_arm()
    agent.update(arm, 1)
    crossed = NSANetwork(3, SHORT, model=MODELS["bound.py"], seed=1)
    crossed.set_weights(np.array([0.0, 4.4, 0.0]))
    course = crossed.decide().v[:, arm]
    assert arm == 1
    assert agent.engine.chosen("T")[0] == pytest.approx(1e-3 * (1 + np.argmax(course > 0.5)))


# Populations of many neurons -----------------------------------------------------------------------------------------

#: Few neurons and short phases, by the parameters that a recipe has.
FEW = {"neurons": 4, "n_shared": 3, "input_time": 60, "free_time": 80, "reading_time": 50}


def spiking_games(name, n_rounds):
    """The same game of a recipe of spiking neurons, on the network and on the compiled engine; couplings as given."""
    model = model_of(name)
    model = unfound(model) if model.prepare else model
    parameters = model.complete(SHORT)
    parameters = parameters.replace(**{key: FEW[key] for key in FEW if key in parameters.to_dict()})
    weights = np.array([0.5, 2.5, 4.0])
    ways = {"model": model, "prepared": prepare(model, parameters, 3)}
    rounds = ColumnRounds(3, parameters, 2, rng=np.random.default_rng(1), **ways)
    rounds.set_weights(weights)
    found = game(rounds, n_rounds, 1)
    with interpreted():
        network = NSANetwork(3, parameters, 2, rng=np.random.default_rng(1), **ways)
        network.set_weights(weights)
        return game(network, n_rounds, 1), found


@pytest.mark.parametrize("name", mostly_slow(SPIKING_PIECES))
def test_recipes_of_spiking_neurons_agree(name):
    network, rounds = spiking_games(name, 2)
    agree(network, rounds)
    assert network[1][:, :6].any()  # which means that neurons of U were active
    assert "table" in model_of(name).refusal("table")


@pytest.mark.slow
@pytest.mark.parametrize("name", SPIKING_PIECES)
def test_recipes_of_spiking_neurons_agree_for_long(name):
    network, rounds = spiking_games(name, 30)
    agree(network, rounds)
    assert len(np.unique(network[0])) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", SPIKING_PIECES)
def test_recipes_of_spiking_neurons_find_the_better_arm(name):
    agent = NSA(3, load().parameters, model=model_of(name), seed=1, n_games=10)
    arms = []
    agent.play(lambda chosen: arms.append(chosen.copy()) or (chosen == 1).astype(float), n_rounds=40)
    assert (np.array(arms[20:]) == 1).mean() > 0.8


@pytest.mark.parametrize("name", mostly_slow(MODELS, "decay.py", "lateral.py"))
def test_the_table_does_as_rounds_does_or_refuses(name):
    model = MODELS[name]
    if model.refusal("table"):
        with pytest.raises(ValueError, match=r"the engine table cannot run the model .*; use rounds or network"):
            Table(4, SHORT, model=model)
        return
    made = [make(4, SHORT, 3, rng=np.random.default_rng(5), model=model) for make in (Rounds, Table)]
    rounds, table = (game(engine, N_ROUNDS, 5) for engine in made)
    assert (table[0] == rounds[0]).all()
    assert table[1] == pytest.approx(rounds[1], abs=1e-5)


def test_who_is_refused_by_the_table_and_why():
    reasons = {name: MODELS[name].refusal("table") for name in MODELS}
    allowed = {name for name, reason in reasons.items() if not reason}
    assert allowed >= {"adapting.py", "self_excitation.py", "decay.py", "hebbian.py", "optimistic.py", "rectified.py"}
    assert allowed >= {"plain_weight.py", "slow_weight.py", "novelty.py"}
    assert allowed >= {"surprise.py", "asymmetric.py", "prior.py", "softmax.py", "follow_u.py"}
    assert "its neurons read light, which may differ from round to round" in reasons["silenced.py"]
    assert "its rules read T, and a table holds u and v" in reasons["bound.py"]
    assert "a is carried over from round to round" in reasons["carried.py"]
    assert "x of the synapse changes within a round" in reasons["depression.py"]
    assert "couples options (I_lateral)" in reasons["lateral.py"]
    assert "couples options (excitation, I_pool)" in reasons["static_pool.py"]
    four = Model(synapse="g : 1\nh : 1\nk : 1", drive_v="(Phi_v + g - h * k) * phi_u_pre", plasticity="w += chosen * R")
    reason = "a round's end depends on g and h and k and w of the synapse, and a table has at most 3 variables"
    assert reason in four.refusal("table")
    assert "noise makes many answers" in Model(noise=0.1).refusal("table")
    tired = dataclasses.replace(MODELS["adapting.py"], plasticity="w + Phi_eta * (R * w_max - w) * exp(-a)")
    assert "its rules read a, and a table holds u and v" in tired.refusal("table")
    crowded = Model(drive_v="Phi_v * phi_u_pre * 4 / n_arms")
    assert "its equations use n_arms" in crowded.refusal("table")


#: What has gone wrong before, or might; the compiler takes a second or two for each.
CORNERS = {
    "the rule reads a": dataclasses.replace(
        MODELS["adapting.py"], plasticity="w + Phi_eta * (R * w_max - w) * exp(-a)"
    ),
    "n_arms": Model(drive_v="Phi_v * phi_u_pre * 4 / n_arms"),
    "weights that fade": Model(synapse="dw/dt = -w / (3 * second) : 1"),
    "activity carried over": Model(carried=("u", "v")),
    "a constant condition": Model(
        rate_u="du/dt = (-u + I_u + I - 0.2 * int(exp(u) > 1.2 and b > 0.5)) / tau_u : 1", constants={"b": 0.7}
    ),
    "one in a coupling": Model(
        rate_u="du/dt = (-u + I_u + I - L / (n_arms - 1)) / tau_u : 1",
        lateral=(Lateral("u", "L", "0.3 * phi_u_pre * int(exp(u_pre) > 1.2 and b > 0.5)"),),
        constants={"b": 0.7},
    ),
    "not": Model(plasticity="w + Phi_eta * (R * w_max - w) * int(not (R > 2))"),
    "a value that looks at V": Model(
        gaussian_sigmoid="Phi = r / (1 + exp(-beta * (w - alpha))) * (1 - 0.5 * phi_v_post) : 1",
        plasticity="w + 0.3 * (R * w_max - w)",
    ),
    "a clock of one's own": Model(
        rate_u="du/dt = (-u + I_u + I * exp(-age / (30 * ms)){noise}) / tau_u : 1\ndage/dt = 1 : second"
    ),
}
#: The same in few models, those that go together in one.
CORNERS_AT_ONCE = {
    "what is read anew in every round": Model(
        rate_u="""
            du/dt = (-u + I_u + I * exp(-age / (90 * ms)) - a - 0.2 * int(exp(u) > 1.2 and b > 0.5){noise}) / tau_u : 1
            da/dt = (-a + 0.3 * u) / (100 * ms) : 1
            dage/dt = 1 : second
        """,
        drive_v="Phi_v * phi_u_pre * 4 / n_arms",
        plasticity="w + Phi_eta * (R * w_max - w) * exp(-a) * int(not (R > 2))",
        constants={"b": 0.7},
    ),
    "what goes on, and a value that looks at V": Model(
        synapse="dw/dt = -w / (3 * second) : 1",
        carried=("u", "v"),
        gaussian_sigmoid="Phi = r / (1 + exp(-beta * (w - alpha))) * (1 - 0.5 * phi_v_post) : 1",
        plasticity="w + 0.3 * (R * w_max - w)",
    ),
    "a constant condition in a coupling": CORNERS["one in a coupling"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CORNERS_AT_ONCE)
def test_corners_agree_too(name):
    network, rounds = both(CORNERS_AT_ONCE[name], seed=3)
    agree(network, rounds)
    assert len(np.unique(network[0])) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", CORNERS)
def test_each_corner_agrees(name):
    agree(*both(CORNERS[name], seed=3))


@pytest.mark.parametrize("name", ["dynamic_pool.py", "depression.py"])
def test_without_a_compiler_the_round_is_the_same(name):
    found = []
    for name_of_target in ("auto", "numpy"):
        with brian2_target(name_of_target):
            found.append(game(Rounds(3, SHORT, 2, rng=np.random.default_rng(4), model=MODELS[name]), 6, 4))
    assert (found[0][0] == found[1][0]).all()
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-10)


@pytest.mark.parametrize(
    "name",
    [
        name if name in COMPILED else pytest.param(name, marks=pytest.mark.slow)
        for name in ("adapting.py", "lateral.py", "dynamic_pool.py", "depression.py", "slow_weight.py")
    ],
)
def test_every_game_may_have_its_own_parameters(name):
    """A batch of sets, own parameters included, plays as each alone does; dense models too."""
    model = MODELS[name]
    rng = np.random.default_rng(8)
    sets = []
    for _ in range(3):
        own = {parameter.name: parameter.default * rng.uniform(0.5, 1.5) for parameter in model.parameters}
        duration = float(rng.integers(60, 90))
        sets.append(
            NSAParameters(**{**SHORT.to_dict(), "duration_free": duration, "w_max": rng.uniform(3, 5)}, own=own)
        )

    def play(parameters, which):
        luck = np.random.default_rng(0).random((20, 3, 4))[:, which]
        engine = Rounds(4, parameters, len(which), model=model)
        arms = []
        for drawn in luck:
            engine.respond()
            chosen = (drawn[:, 0] * 4).astype(int)
            arms.append(engine.activity.copy())
            engine.learn(chosen, (drawn[:, 1] < 0.5).astype(float))
        return np.array(arms)

    together = play(sets, [0, 1, 2])
    for i in range(3):
        assert (play([sets[i]], [i])[:, :, 0] == together[:, :, i]).all()


@pytest.mark.slow
@each_network_target
def test_a_noisy_coupled_model_has_the_noise_of_theory(network_target):
    """No response: each neuron is a leaky integrator, of variance noise^2 / (1 - dt / (2 tau)), coupled or not."""
    model = MODELS["noisy_lateral.py"]
    alone = SHORT.replace(threshold_u=1.0, threshold_v=1.0, I_ext=0.0)
    for make, name in ((NSANetwork, network_target), (Rounds, "auto")):
        with brian2_target(name):
            engine = make(50, alone, 20, rng=np.random.default_rng(7), model=model)
            engine.respond()
        for x, tau in ((engine.u, alone.tau_u), (engine.v, alone.tau_v)):
            variance = model.noise**2 / (1 - 1 / (2 * tau))
            assert abs(x.mean()) < 4 * np.sqrt(variance / x.size)
            assert abs(x.var() - variance) < 4 * variance * np.sqrt(2 / x.size)


@pytest.mark.slow
@each_network_target
def test_a_noisy_coupled_game_does_not_depend_on_its_batch(network_target):
    from nsa_brian.common.game_streams import streams

    model = MODELS["noisy_lateral.py"]
    for make, name in ((NSANetwork, network_target), (Rounds, "auto")):
        with brian2_target(name):
            alone = make(4, SHORT, 1, rng=streams(0, "a", range(1, 2)), model=model)
            batch = make(4, SHORT, 3, rng=streams(0, "a", range(3)), model=model)
            for engine in (alone, batch):
                engine.respond()
                engine.respond()
        assert (alone.u[0] == batch.u[1]).all()


def test_a_table_of_several_sets_is_asked_for_options_of_any_game():
    """Two options of one game may change and none of the other: each has its own game's functions of the weight."""
    sets = [SHORT.replace(beta_v=6.0, alpha_v=3.1, mu_v=-2.0), SHORT.replace(beta_v=2.0, alpha_v=1.0, mu_v=1.0)]
    rule = "w += chosen * Phi_eta * (R * w_max - w) - (1 - chosen) * 0.05 * w"
    found = []
    for make in (Rounds, Table):
        engine = make(3, sets, 2, model=Model(plasticity=rule))
        for arms in ([0, 0], [1, 0], [0, 0]):
            engine.respond()
            engine.learn(np.array(arms), np.array([1.0, 0.0]))
        engine.respond()
        found.append(engine.activity.copy())
    assert found[1] == pytest.approx(found[0], abs=1e-6)


def test_a_decision_is_watched_from_its_start(with_and_without_compiler):
    decision = NSANetwork(3, SHORT, seed=0, model=Model(initial={"u": "0.5"})).decide()
    assert (decision.u[0] == 0.5).all()


def test_a_reset_goes_to_the_start_of_everything():
    model = Model(
        rate_u="du/dt = (-u + I_u + I - a - p_in{noise}) / tau_u : 1\nda/dt = (u - a) / (100 * ms) : 1",
        synapse="dx/dt = (0.5 - x) / (50 * ms) : 1",
        drive_v="x * Phi_v * phi_u_pre",
        populations=(Population("pool", "dp/dt = (-p + total) / (20 * ms) : 1"),),
        couplings=(Coupling("v", "pool", "total", "phi_v_pre"), Coupling("pool", "u", "p_in", "0.1 * p_pre")),
        initial={"a": "0.05", "x": "0.9", "w": "0.3 * w_max", "p": "0.02"},
        carried=("a", "p"),
    )
    for make in BOTH:
        with brian2_target("numpy"):
            engine = make(3, SHORT, 2, rng=np.random.default_rng(1), model=model)
            first = game(engine, 4, 1)
            engine.reset()
            assert (engine.w == 0.3 * SHORT.w_max).all()
            assert (engine.synapses["x"] == 0.9).all()
            engine.rng = np.random.default_rng(1)
            again = game(engine, 4, 1)
        assert (again[0] == first[0]).all()
        assert (again[1] == first[1]).all()


class TestWeightsChangedByHand:
    def test_are_answered_to_whatever_learn_does(self):
        """An overridden learn that sets weights: no activity is stale (it was, in 13% of the choices)."""

        class Sticky(Rounds):
            def learn(self, arms, rewards):
                w = self.w.copy()
                w[:, 0] += 0.5
                self.set_weights(w)

        engine = Sticky(3, SHORT, rng=np.random.default_rng(0))
        reference = Rounds(3, SHORT, rng=np.random.default_rng(0), dense=True)
        for _ in range(6):
            engine.respond()
            reference.set_weights(engine.w)
            reference.respond()
            assert engine.activity == pytest.approx(reference.activity, abs=1e-12)
            engine.learn(np.array([0]), np.array([1.0]))

    @pytest.mark.parametrize("make", [Rounds, Table])
    def test_are_not_taken_by_the_back_door(self, make):
        engine = make(3, SHORT)
        with pytest.raises(ValueError, match="read-only"):
            engine.w[0, 0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            engine.synapses["w"][:] = 1.0

    def test_of_a_name_that_the_synapse_has_not(self):
        with pytest.raises(ValueError, match="the synapse has no variable 'x'; it has w"):
            Rounds(3, SHORT).set_weights(np.zeros(3), x=np.zeros(3))


def test_activities_that_are_not_finite_are_said_so(with_and_without_compiler):
    engine = Rounds(3, SHORT, model=WILD)
    engine.respond()
    with pytest.raises(ValueError, match="model wild: activities are not finite at a round's end"):
        engine.select()


class TestNetworkExtras:
    def test_hooks_namespace_and_stored_random_numbers(self, without_compiler):
        network = NSANetwork(3, SHORT, seed=1, model=Model(noise=0.05))
        watcher = brian2.NeuronGroup(3, "dx/dt = -x / tau_watch : 1", method="euler", name="watcher")
        network.network.add(watcher)
        network.namespace["tau_watch"] = 10 * brian2.ms
        calls = []
        network.at_start(lambda: calls.append(("start", network.u.max())))
        network.at_end(lambda: calls.append(("end", network.u.max())))
        network.play(lambda arms: np.ones(1), 2)
        assert [name for name, _ in calls] == ["start", "end", "start", "end"]
        assert calls[0][1] == calls[2][1] == 0 < calls[1][1]
        network.store()
        played = []
        for _ in range(2):
            network.play(lambda arms: played.append(int(arms[0])) or np.ones(1), 5)
            played.append(network.w.tobytes())
            network.restore()
        assert played[: len(played) // 2] == played[len(played) // 2 :]
        with pytest.raises(KeyError, match="nothing was stored under the name 'other'"):
            network.restore("other")

    def test_are_brian2_objects_of_the_declaration(self, without_compiler):
        network = NSANetwork(3, SHORT, 2, model=MODELS["dynamic_pool.py"], record=["p", "u"])
        pool = network.populations["pool"]
        assert isinstance(pool, brian2.NeuronGroup)
        assert len(pool) == 2
        into, out = network.couplings["excitation"], network.couplings["I_pool"]
        assert sorted(zip(into.i[:], into.j[:], strict=True)) == [(i, i // 3) for i in range(6)]
        assert sorted(zip(out.i[:], out.j[:], strict=True)) == [(j // 3, j) for j in range(6)]
        network.play(lambda arms: np.ones(2), 1)
        assert network.monitors["p"].p.shape == (2, network.round_steps)
