"""A game that is saved and continued is the game that went on, bit for bit."""

import copy
import pickle
import zipfile

import numpy as np
import pytest
from games import SHORT
from own_models import OWN_MODELS
from spiking import OWN, small

import envs
from nsa_brian import NSA, Input, Model, NSANetwork
from nsa_brian.common.game_streams import streams
from nsa_brian.common.lock import Lock, LockedError
from nsa_brian.engines import network_state
from nsa_brian.engines.network_state import write_state
from nsa_brian.engines.registry import engine_class
from nsa_brian.saving import AGENT

ARMS, BEFORE, AFTER = 3, 2, 2
LUCK = np.random.default_rng(8).random((100, 3))
OURS = {make.__name__: make for make in OWN_MODELS}
#: Few neurons, and phases of some time steps.
TINY = {"neurons": 4, "input_time": 20, "free_time": 20, "reading_time": 10}


def rewards(t, arms):
    """The rewards of a round: they depend on nothing but the round and the arms."""
    return (LUCK[t, : np.size(arms)] < 0.3 + 0.4 * (np.ravel(arms) == 1)).astype(int)


def play(agent, start, stop):
    """All that shows what an agent does: its choices, activities and synapses."""
    found = []
    for t in range(start, stop):
        arms = agent.select_arm()
        found.append(np.copy(arms).tobytes() + agent.engine.activity.tobytes())
        agent.update(arms, rewards(t, arms).reshape(np.shape(arms)))
        found += [array.tobytes() for array in (*agent.engine.synapses.values(), *agent.engine.signals.values())]
    return found


def own(name, **options):
    """An agent with a model of our own."""
    model = OURS[name]()
    shapes = {"option": (20, ARMS), "game": (20,)}
    inputs = {each.name: LUCK[:20] if shapes[each.per] == (20, ARMS) else LUCK[:20, 0] for each in model.inputs}
    return NSA(ARMS, model.complete(SHORT), model=model, n_games=2, seed=4, inputs=inputs, **options)


def spikes(model, **options):
    """An agent of a few spiking neurons, whose couplings need not be found."""
    few = {name: value for name, value in TINY.items() if name in model.declared}
    options = {"seed": 4, "n_games": 2, **options}
    agent = NSA(ARMS, model.complete(SHORT).replace(**few), model=model, **options)
    agent.engine.set_weights(np.array([1.0, 2.0, 4.0]))
    return agent


#: Agents that run on Brian2's numpy target too.
INTERPRETED = {
    "rounds": lambda: NSA(ARMS, SHORT, seed=1),
    "rounds, games with sets of their own": lambda: NSA(
        ARMS, [SHORT, SHORT.replace(w_max=3.0), SHORT], n_games=3, rng=streams(3, "agent", range(3))
    ),
    "rounds, dense, rk4": lambda: NSA(ARMS, SHORT, seed=1, dense=True, method="rk4", ties="first"),
    "table": lambda: NSA(ARMS, SHORT, "table", seed=1, cells=64, n_games=2),
    "rounds, noise": lambda: NSA(ARMS, SHORT, model=Model(noise=0.05), seed=1, n_games=2),
    "rounds, carried state": lambda: own("habit"),
    "rounds, signals": lambda: own("arousal"),
    "rounds, inputs and a coupled pool": lambda: own("drug"),
    "network": lambda: NSA(ARMS, SHORT, "network", rng=np.random.Generator(np.random.MT19937(2))),
    "network, noise": lambda: NSA(ARMS, SHORT, "network", model=Model(noise=0.05), seed=1, n_games=2),
    "network, carried state": lambda: own("habit", engine="network"),
    "network, signals": lambda: own("arousal", engine="network"),
    "network, inputs and a coupled pool": lambda: own("drug", engine="network"),
    "network, a phase after the choice": lambda: own("outcome", engine="network", record=["v"]),
    "network, spikes and contacts": lambda: spikes(OWN, engine="network"),
}
#: Agents that need the compiler.
COMPILED = {
    "rounds, a phase after the choice": lambda: own("outcome"),
    "rounds, spikes and contacts": lambda: spikes(OWN),
    "rounds, spikes, single precision": lambda: spikes(OWN, precision="single"),
    "rounds, spikes with a calibrated coupling": lambda: NSA(ARMS, small(), model="spiking", seed=2),
    "rounds, spikes and rates": lambda: own("rivals"),
}


def copies(agent, path):
    """The agent, copied in every way."""
    agent.save(path)
    return {
        "file": NSA.load(path),
        "pickle": pickle.loads(pickle.dumps(agent)),
        "deepcopy": copy.deepcopy(agent),
        "copy": copy.copy(agent),
    }


def check(make, path):
    """Every copy continues as an agent that nobody copied, and so does the original."""
    whole = play(make(), 0, BEFORE + AFTER)
    per_round = len(whole) // (BEFORE + AFTER)
    expected = whole[BEFORE * per_round :]
    agent = make()
    play(agent, 0, BEFORE)
    players = {**copies(agent, path), "original": agent}
    for way, player in players.items():
        assert play(player, BEFORE, BEFORE + AFTER) == expected, way

    agent = make()
    play(agent, 0, BEFORE)
    arms = agent.select_arm()
    for way, player in copies(agent, path).items():
        player.update(arms, rewards(BEFORE, arms).reshape(np.shape(arms)))
        assert play(player, BEFORE + 1, BEFORE + AFTER) == expected[per_round:], f"{way}, between choice and reward"


#: Variables of a synapse with the names that engines and files use for themselves.
CLASHING = ("ends", "shown", "rates", "neurons", "arms", "stale", "pending", "step", "meta", "file")


def clashing():
    """A model with variables of the synapse and an input of these names; U reads them all."""
    return Model(
        name="clashing",
        rate_u=f"du/dt = (-u + I_u + I + round + 0.1 * ({' + '.join(CLASHING)}){{noise}}) / tau_u : 1",
        synapse="\n".join(f"{name} : 1" for name in CLASHING),
        plasticity="\n".join(["w += chosen * Phi_eta * (R * w_max - w)", *(f"{name} += 0.1 * R" for name in CLASHING)]),
        inputs=(Input("round", per="game"),),
    )


@pytest.mark.parametrize("engine", ["rounds", "network"])
def test_variables_may_have_the_names_of_what_an_engine_stores(engine, without_compiler, tmp_path):
    model, inputs = clashing(), {"round": LUCK[:20, 0]}
    check(lambda: NSA(ARMS, SHORT, engine, model=model, seed=1, n_games=2, inputs=inputs), tmp_path / "agent.npz")


@pytest.mark.slow
def test_and_so_they_may_with_a_phase_after_the_choice(tmp_path):
    model = clashing().change(phases=OURS["outcome"]().phases)
    assert engine_class("rounds", model).__name__ == "ColumnRounds"
    check(lambda: NSA(ARMS, SHORT, model=model, seed=1, n_games=2), tmp_path / "agent.npz")


#: Networks are slow, but for one.
SOME = [
    pytest.param(name, marks=pytest.mark.slow) if name.startswith("network") and name != "network, noise" else name
    for name in INTERPRETED
]


@pytest.mark.parametrize("name", SOME)
def test_a_continued_game_is_the_game_that_went_on(name, without_compiler, tmp_path):
    check(INTERPRETED[name], tmp_path / "agent.npz")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*INTERPRETED, *COMPILED])
def test_a_continued_game_is_the_game_that_went_on_compiled(name, tmp_path):
    check({**INTERPRETED, **COMPILED}[name], tmp_path / "agent.npz")


@pytest.mark.parametrize("engine", ["rounds", "table"])
def test_compiled_stretches_continue(engine, tmp_path):
    bandit = envs.make("MAB-D", ARMS, n_games=2, seed=1)
    probabilities, luck = bandit.ahead(90)
    whole = NSA(ARMS, engine=engine, n_games=2, seed=3)
    expected, _ = whole.play_ahead(probabilities, luck)
    agent = NSA(ARMS, engine=engine, n_games=2, seed=3)
    assert agent.plays_ahead
    agent.play_ahead(probabilities[:50], luck[:50])
    for way, player in copies(agent, tmp_path / "agent.npz").items():
        arms, _ = player.play_ahead(probabilities[50:], luck[50:])
        assert (arms == expected[50:]).all(), way
        assert (player.engine.w == whole.engine.w).all(), way


#: Continue the game of a file, with the rewards of this module.
CONTINUE = """
import numpy as np
from nsa_brian import NSA
agent = NSA.load("agent.npz")
luck, found = np.load("luck.npy"), []
for t in range({start}, {stop}):
    arms = agent.select_arm()
    found.append(np.ravel(arms))
    paid = luck[t, : np.size(arms)] < 0.3 + 0.4 * (np.ravel(arms) == 1)
    agent.update(arms, paid.astype(int).reshape(np.shape(arms)))
np.save("arms.npy", found)
np.save("w.npy", agent.engine.w)
"""


def continued_elsewhere(make, run_script, tmp_path, start, stop):
    agent = make()
    play(agent, 0, start)
    agent.save(tmp_path / "agent.npz")
    np.save(tmp_path / "luck.npy", LUCK)
    run_script(CONTINUE.format(start=start, stop=stop), tmp_path)
    arms = []
    for t in range(start, stop):
        arms.append(np.ravel(agent.select_arm()))
        agent.update(arms[-1], rewards(t, arms[-1]))
    assert (np.load(tmp_path / "arms.npy") == arms).all()
    assert (np.load(tmp_path / "w.npy") == agent.engine.w).all()


def test_a_game_is_continued_in_another_process(run_script, tmp_path):
    continued_elsewhere(INTERPRETED["rounds"], run_script, tmp_path, 30, 60)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["table", "network, noise", "rounds, carried state", "rounds, spikes and contacts"])
def test_and_so_are_other_games(name, run_script, tmp_path):
    continued_elsewhere({**INTERPRETED, **COMPILED}[name], run_script, tmp_path, 4, 10)


def test_subclasses_are_pickled_with_their_attributes():
    agent = Curious(ARMS, SHORT, seed=1)
    agent.asked = 5
    found = pickle.loads(pickle.dumps(agent))
    assert (type(found), found.asked) == (Curious, 5)


class Curious(NSA):
    """An agent with something of its own."""

    asked = 0


class TestFiles:
    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "agent.npz"
        NSA(ARMS, SHORT, seed=1).save(path)
        return path

    def refused(self, path, match):
        with pytest.raises(ValueError, match=match) as error:
            NSA.load(path)
        assert "\n" not in str(error.value)

    def test_another_file_is_refused(self, tmp_path):
        (tmp_path / "a.txt").write_text("hello")
        self.refused(tmp_path / "a.txt", "a.txt is not a saved agent")
        np.savez(tmp_path / "b.npz", x=np.ones(3))
        self.refused(tmp_path / "b.npz", "b.npz is not a saved agent")
        self.refused(tmp_path / "none.npz", "none.npz: cannot be read: No such file")

    def test_a_pickle_is_refused_and_runs_no_code(self, tmp_path):
        path = tmp_path / "evil.npz"
        path.write_bytes(pickle.dumps(Evil(str(tmp_path / "run"))))
        self.refused(path, "is not a saved agent")
        assert not (tmp_path / "run").exists()

    def test_a_damaged_file_is_refused(self, path):
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        self.refused(path, "is not a saved agent")

    def test_changed_numbers_are_refused(self, path):
        with np.load(path) as file:
            arrays = dict(file)
        np.savez(path, **{**arrays, "synapse w": arrays["synapse w"] + 1})
        self.refused(path, "damaged: its content does not match its checksum; save the agent again")

    def test_values_out_of_range_are_refused(self, path):
        meta, arrays = AGENT.read(path)
        AGENT.write(path, meta, {**arrays, "round of inputs": np.array(np.inf)})
        self.refused(path, "is not a saved agent of this release: cannot convert float infinity to integer")

    def test_errors_without_a_text_are_told_by_their_name(self, path, monkeypatch):
        def fail(*args):
            raise KeyError

        monkeypatch.setattr("nsa_brian.saving.rebuilt", fail)
        self.refused(path, "is not a saved agent of this release: KeyError")

    def test_a_file_holds_data_only(self, path):
        with zipfile.ZipFile(path) as file:
            assert all(name.endswith(".npy") for name in file.namelist())
        with np.load(path, allow_pickle=False) as file:
            assert all(file[name].dtype.kind in "fiubU" for name in file.files)

    def test_what_is_no_data_is_refused_and_nothing_is_written(self, tmp_path):
        agent = NSA(ARMS, SHORT, rng=Dice())
        with pytest.raises(ValueError, match="only numpy's random generators can be saved"):
            agent.save(tmp_path / "agent.npz")
        assert not list(tmp_path.iterdir())


class Evil:
    """A pickle that makes a file when it is read."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


class Dice:
    """A generator of the user's."""

    def random(self, size):
        return np.full(size, 0.5)

    def spawn(self, n):
        return [Dice() for _ in range(n)]


class TestNetworks:
    """``store`` and ``restore`` of networks, of rates and of spikes, in memory and in files."""

    def make(self, kind):
        if kind == "rates":
            return NSANetwork(ARMS, SHORT, seed=1, model=Model(noise=0.05), record=["w"])
        return spikes(OWN, engine="network", n_games=None, record=True).engine

    def go(self, network, n_rounds):
        arms = []
        network.play(lambda arm: arms.append(int(arm[0])) or np.ones(1), n_rounds)
        return arms, network.w.tobytes(), network.activity.tobytes()

    @pytest.mark.parametrize("kind", ["rates", pytest.param("spikes", marks=pytest.mark.slow)])
    def test_states_are_stored_in_memory_and_in_files(self, kind, without_compiler, tmp_path):
        network, calls = self.make(kind), []
        network.at_start(lambda: calls.append("start"))
        network.at_end(lambda: calls.append("end"))
        self.go(network, 1)
        assert calls == ["start", "end"]
        network.store()
        network.store("first", tmp_path / "states.npz")
        expected = self.go(network, 2)
        network.store("second", tmp_path / "states.npz")
        later, t = self.go(network, 1), network.network.t
        network.restore()
        assert self.go(network, 2) == expected
        other = self.make(kind)
        other.restore("second", tmp_path / "states.npz")
        assert self.go(other, 1) == later
        assert other.network.t == t
        other.restore("first", tmp_path / "states.npz")
        assert self.go(other, 2) == expected
        with pytest.raises(KeyError, match="nothing was stored under the name 'third'"):
            other.restore("third", tmp_path / "states.npz")

    def test_two_processes_do_not_write_a_file_at_once(self, tmp_path, monkeypatch):
        path, rng, held = tmp_path / "states.npz", np.random.default_rng(0), []

        def read(path, *keys):
            with pytest.raises(LockedError):
                Lock(tmp_path, "states.npz").__enter__()
            held.append(path)
            return reading(path, *keys)

        reading = network_state._read
        write_state(path, "a", {"x": np.zeros(1)}, rng)
        monkeypatch.setattr(network_state, "_read", read)
        write_state(path, "b", {"x": np.ones(1)}, rng)
        monkeypatch.undo()
        assert held == [path]
        assert [network_state.read_state(path, name)[0]["x"][0] for name in "ab"] == [0, 1]
        assert [each.name for each in tmp_path.iterdir()] == ["states.npz"]

    def test_a_state_of_another_network_is_refused(self, without_compiler, tmp_path):
        self.make("rates").store("a", tmp_path / "states.npz")
        for other in (NSANetwork(ARMS + 1, SHORT, seed=1, name="nsa"), NSANetwork(ARMS, SHORT, name="other")):
            with pytest.raises(ValueError, match="stored state"):
                other.restore("a", tmp_path / "states.npz")

    def test_what_was_added_cannot_be_copied(self, without_compiler, tmp_path):
        agent = NSA(ARMS, SHORT, "network", seed=1)
        agent.engine.at_end(lambda: None)
        for save in (lambda: agent.save(tmp_path / "a.npz"), lambda: copy.deepcopy(agent)):
            with pytest.raises(ValueError, match="functions of at_start or at_end cannot be copied or saved"):
                save()

    def test_a_network_is_not_stored_within_a_game(self, without_compiler):
        network = NSANetwork(ARMS, SHORT, seed=1)
        with pytest.raises(ValueError, match="the network is playing"):
            network.play(lambda arms: network.store() or np.ones(1), 2)
