"""How arms are explored: weights, what U and V show, and the probabilities that follow."""

import numpy as np
import pytest
from targets import brian2_target

from nsa_brian import Choice, Contacts, Model, NSANetwork, NSAParameters, Phase, Population
from nsa_brian.engines.columns import ColumnRounds
from nsa_brian.engines.rounds import Rounds
from nsa_brian.engines.table import Table
from nsa_brian.errors import ModelError
from nsa_brian.model.agreement import choice_probabilities, select

SHORT = NSAParameters(tau_u=12, tau_v=16, duration_input=40, duration_free=40)
#: The middles of 24 parts of [0, 1), which 2, 3 and 4 tied arms share evenly.
GRID = (np.arange(24) + 0.5) / 24
LUCK = np.stack([part.ravel() for part in np.meshgrid(GRID, GRID, GRID, indexing="ij")], axis=1)

ACTIVITY = {
    "they agree": ([0.1, 0.9, 0.2], [0.3, 0.8, 0.1]),
    "they differ": ([0.9, 0.1, 0.2], [0.3, 0.8, 0.1]),
    "U ties": ([0.9, 0.9, 0.2], [0.3, 0.8, 0.1]),
    "both tie": ([0.9, 0.9, 0.2], [0.1, 0.8, 0.8]),
    "all tie": ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
}
WEIGHTS = {
    "by arm": lambda k_u, k_v: np.tile([1.0, 2.0, 3.0], (len(k_u), 1)),
    "some 0": lambda k_u, k_v: np.tile([0.0, 2.0, 0.0], (len(k_u), 1)),
    "some below 0": lambda k_u, k_v: np.tile([-5.0, 1.0, 3.0], (len(k_u), 1)),
    "all 0": lambda k_u, k_v: np.zeros((len(k_u), 3)),
    "U's favourite": lambda k_u, k_v: (np.arange(3) == k_u[:, None]).astype(float),
    "by both favourites": lambda k_u, k_v: 1.0 + np.arange(3) * k_u[:, None] + (np.arange(3) == k_v[:, None]),
}


@pytest.mark.parametrize("exploit", ["agreement", "never"])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("activity", ACTIVITY)
def test_probabilities_are_the_shares_of_the_choices(activity, weights, exploit):
    """Over all combinations of luck on a fine grid; a share of 1/7 falls between its points."""
    one = np.array(ACTIVITY[activity])[:, None, :]
    many = np.repeat(one, len(LUCK), axis=1)
    arms, _ = select(many, LUCK, weigh=WEIGHTS[weights], exploit=exploit)
    shares = np.bincount(arms, minlength=3) / len(arms)
    found = choice_probabilities(one, weigh=WEIGHTS[weights], exploit=exploit)
    assert found.sum() == pytest.approx(1)
    assert found[0] == pytest.approx(shares, abs=1 / 24)
    if weights in ("by arm", "all 0", "U's favourite", "some 0"):
        assert found[0] == pytest.approx(shares, abs=1e-12)


def test_weights_of_one_are_no_weights():
    ones = lambda k_u, k_v: np.ones((len(k_u), 4))  # noqa: E731
    activity = np.random.default_rng(0).choice([0.0, 0.5, 1.0], (2, 500, 4))
    luck = np.random.default_rng(1).random((500, 3))
    assert (select(activity, luck, weigh=ones)[0] == select(activity, luck)[0]).all()
    assert choice_probabilities(activity, weigh=ones) == pytest.approx(choice_probabilities(activity))


def test_luck_just_below_one_takes_the_last_arm_that_has_a_weight():
    last = np.nextafter(1.0, 0)
    activity = np.array([[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]])
    for weights, arm in (([1.0, 2.0, 0.0], 1), ([0.1, 0.2, 0.3], 2), ([0.0, 0.0, 0.0], 2)):
        arms, agreed = select(activity, np.array([[0, 0, last]]), weigh=lambda k_u, k_v, w=weights: np.array([w]))
        assert (arms[0], agreed[0]) == (arm, False)
    arms, _ = select(activity, np.zeros((1, 3)), weigh=lambda k_u, k_v: np.array([[0.0, 0.0, 1.0]]))
    assert arms[0] == 2


@pytest.mark.parametrize(
    ("choice", "wanted"),
    [
        (Choice(), [1 / 3, 1 / 3, 1 / 3]),
        (Choice(explore="best_u"), [1, 0, 0]),
        (Choice(explore="best_v"), [0, 1, 0]),
        (Choice(explore="w"), [1 / 6, 2 / 6, 3 / 6]),
        (Choice(explore="int(u > u_at_v)"), [1, 0, 0]),
        (Choice(explore="int(v > v_at_u)"), [0, 1, 0]),
        (Choice(explore="int(u == u_top) + 3 * int(v == v_top)"), [0.25, 0.75, 0]),
        (Choice(explore="w - 2", exploit="never"), [0, 0, 1]),
        (Choice(explore="0"), [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_an_engine_weighs_as_the_choice_says(choice, wanted):
    with brian2_target("numpy"):
        engine = Rounds(3, SHORT, model=Model(choice=choice))
        engine.set_weights(np.array([1.0, 2.0, 3.0]))
        engine.respond()
    engine.ends[0], engine.ends[1] = [0.9, 0.1, 0.0], [0.2, 0.8, 0.1]  # they disagree
    assert engine.probabilities()[0] == pytest.approx(wanted)


def test_weights_that_are_no_numbers_are_said_so():
    with brian2_target("numpy"):
        engine = Rounds(3, SHORT, model=Model(choice=Choice(explore="1 / (w - w)", exploit="never")))
        engine.respond()
    with pytest.raises(ModelError, match="explore is not finite in the choice"):
        engine.select()


#: V fires, and V shows a rate, its own or made of it.
EQUATIONS = "dm/dt = (-m + 4 * I_v) / (6 * ms) : 1\nds/dt = -s / (10 * ms) : 1"
FIRES = {
    "populations": (Population("v", EQUATIONS, "option", 3, "m > 0.5", "m = 0; s += 0.3"),),
    "drive_u": "2 * s_pre",
    "drive_v": "(0.5 + w / w_max) * phi_u_pre",
}


@pytest.mark.slow
def test_rules_see_the_reward_where_rounds_go_on_after_the_choice():
    phases = (Phase("input", "duration_input", {"I": "I_ext"}), Phase("out", "20 * ms", after_choice=True))
    model = Model(phases=phases, signals="q : 1", signal_update="q = R", plasticity="w + R * (1 + q)")
    with brian2_target("auto"):
        engine = ColumnRounds(3, SHORT, model=model)
        engine.respond()
        engine.learn(np.array([1]), np.array([0.5]))
    assert engine.w.tolist() == [[0, 0.75, 0]]


@pytest.mark.parametrize("rule", ["w + tanh(R)", "w += chosen * tanh(R)"])
def test_rewards_that_are_bytes_are_as_exact_as_others(rule, without_compiler):
    """Functions of a reward have all digits: numpy's of a byte have 16 bits, and a search pays in bytes."""
    engine = Rounds(3, SHORT, 1, model=Model(plasticity=rule))
    for kind in (np.int8, bool, np.int64, float):
        engine.reset()
        engine.respond()
        engine.learn(np.array([1]), np.ones(1, dtype=kind))
        assert engine.w[0, 1] == np.tanh(1.0), kind


@pytest.mark.slow
def test_conditions_of_neurons_that_stand_still_run_without_a_compiler(without_compiler):
    """Brian2 leaves "or" in numpy's code for equations that stand still, an error for arrays."""
    line = "dm/dt = (-m + 4 * I_v + int(m < 0.1 or not (m < 0.4 and Phi_v > 0.1))) / (6 * ms) : 1 (unless refractory)"
    population = Population("v", f"{line}\nds/dt = -s / ms : 1", "option", 3, "m > 0.5", "m = 0; s += 1", "2 * ms")
    model = Model(populations=(population,), drive_u="s_pre")
    network = NSANetwork(3, SHORT, model=model)
    network.respond()
    with brian2_target("auto"):
        rounds = ColumnRounds(3, SHORT, model=model)
        rounds.respond()
    assert network.v == pytest.approx(rounds.v)
    assert network.v.max() > 0


@pytest.mark.parametrize(
    ("make", "model"),
    [
        (Rounds, Model(choice=Choice(u="u + w"))),
        (Rounds, Model(choice=Choice(u="u + w"), carried=("u",))),
        (NSANetwork, Model(choice=Choice(u="u + w"))),
        (NSANetwork, Model(choice=Choice(u="u + w"), **FIRES)),
        pytest.param(ColumnRounds, Model(choice=Choice(u="u + w"), **FIRES), marks=pytest.mark.slow),
    ],
)
def test_what_a_population_showed_stays_when_weights_change(make, model):
    """Learning comes after the choice, and does not change what the choice was made of."""
    with brian2_target("auto" if make is ColumnRounds else "numpy"):
        engine = make(3, SHORT, 2, rng=np.random.default_rng(0), model=model)
        for _ in range(2):
            engine.respond()
            before = engine.activity.copy()
            assert before[0] == pytest.approx(engine.state("u") + engine.w)
            engine.learn(np.array([0, 1]), np.ones(2))
            assert (engine.w[[0, 1], [0, 1]] > 0).all()
            assert (engine.activity == before).all()


@pytest.mark.slow
def test_what_compiled_rounds_showed_stays_too():
    model = Model(choice=Choice(u="u + w"), carried=("u",))
    found = []
    for n in (1, 4):
        engine = Rounds(3, SHORT, 2, rng=np.random.default_rng(0), model=model)
        stretch = engine.stretch()
        luck = np.random.default_rng(2).random((4, 2, 4))
        for t in range(0, 4, n):
            stretch.play(np.arange(2), np.full((n, 2, 3), 0.7), luck[t : t + n])
        found.append(engine.activity.copy())
    by_one = Rounds(3, SHORT, 2, rng=np.random.default_rng(0), model=model)
    for drawn in luck:
        by_one.respond()
        arms = by_one.choose(drawn[:, :3])
        by_one.learn(arms, (drawn[:, 3] < 0.7).astype(float))
    assert (found[0] == found[1]).all()
    assert found[0] == pytest.approx(by_one.activity, abs=1e-12)


@pytest.mark.slow
def test_a_population_that_fires_may_show_what_is_made_of_its_rate():
    """``v`` is the firing rate in Choice.v, and what V shows everywhere else."""
    model = Model(choice=Choice(v="v / 100 + w"), plasticity="w + Phi_eta * v", **FIRES)
    plain = Model(plasticity="w + 0 * R", **FIRES)
    found = []
    for make in (NSANetwork, ColumnRounds):
        with brian2_target("numpy" if make is NSANetwork else "auto"):
            engine, rates = (make(3, SHORT, rng=np.random.default_rng(0), model=each) for each in (model, plain))
            for each in (engine, rates):
                each.set_weights(np.array([0.5, 1.0, 2.0]))
                each.respond()
            assert rates.v.max() > 0
            assert engine.v == pytest.approx(rates.v / 100 + engine.w)
            engine.learn(np.array([1]), np.array([1.0]))
            found.append(engine.w.copy())
    assert (found[0][0, [0, 2]] == [0.5, 2.0]).all()
    assert found[0] == pytest.approx(found[1], abs=1e-12)


@pytest.mark.slow
def test_contacts_have_a_population_to_learn_from():
    """A phase after the choice shows the reward; what U and V showed at the choice stays."""
    phases = (Phase("input", "duration_input", {"I": "I_ext"}), Phase("out", "20 * ms", after_choice=True))
    more = "dm/dt = (-m + 4 * I_u + 3 * I) / (6 * ms) : 1\nds/dt = -s / (10 * ms) : 1"
    u = Population("u", more, "option", 2, "m > 0.5", "m = 0; s += 0.3")
    model = Model(
        **{**FIRES, "populations": (u, *FIRES["populations"]), "drive_v": "Phi_v * s_pre"},
        contacts=Contacts("b : 1", "b = int(since_pre < 30 * ms) * R"),
        phases=phases,
        plasticity="w = b * w_max",
    )
    found = []
    for make in (NSANetwork, ColumnRounds):
        with brian2_target("numpy" if make is NSANetwork else "auto"):
            engine = make(3, SHORT, rng=np.random.default_rng(0), model=model)
            engine.respond()
            before = engine.activity.copy()
            engine.learn(np.array([1]), np.array([1.0]))
            assert (engine.activity == before).all()
            found.append(engine.w.copy())
    assert (found[0] == found[1]).all()
    assert found[0].max() > 0


@pytest.mark.slow
def test_the_table_plays_what_populations_show():
    """In compiled rounds: what ties is looked for among what they show, not among what was looked up."""
    model = Model(choice=Choice(u="tanh(u) - 0.01 * w", v="floor(8 * v)"))
    luck, found = np.random.default_rng(2).random((40, 2, 4)), []
    for make in (Rounds, Table):
        stretch = make(3, SHORT, 2, rng=np.random.default_rng(0), model=model).stretch()
        found.append(stretch.play(np.arange(2), np.tile([0.1, 0.5, 0.9], (40, 2, 1)), luck)[0])
    assert (found[0] == found[1]).all()
    assert len(np.unique(found[0])) == 3
