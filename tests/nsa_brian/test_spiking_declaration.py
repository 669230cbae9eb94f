"""Spiking models as values: what is wrong with a declaration is said in one line; files and processes keep them."""

import json
import pickle

import pytest
from spiking import OWN, interpreted, small

from nsa_brian import Parameter, Pool, SpikingModel, SpikingNSA, load_model
from nsa_brian.errors import ModelError
from nsa_brian.model.model import Model
from nsa_brian.spiking.shipped import EI, LEARNING, MODELS, SPIKING

NEURON = SPIKING.neuron
POOL = Pool("i", "dx/dt = -x / (10 * ms) : 1", "x > 1", "x = 0")

WRONG = {
    "a name that nothing has": (
        {"u": "I_syn = J_u * s_v + I_inn * I : amp"},
        r"u, I_syn: unknown name 'I_inn'.*I_in",
    ),
    "the mean of a variable that is none": ({"u": "I_syn = J_u * q_v + I_in * I : amp"}, "unknown name 'q_v'"),
    "units of an equation": ({"u": "I_syn = J_u * s_v + V_th * I : amp"}, "units"),
    "units of a line": ({"v": "I_syn = gain * s_u : amp"}, "units do not fit: .* has unit"),
    "units of a reset": ({"reset": "vm = g_L\ns += opening * (1 - s)"}, "reset, vm: units do not fit"),
    "no refractory time": ({"refractory": ""}, "equations have the flag .unless refractory., but no refractory time"),
    "a refractory time that is none": ({"refractory": "g_L"}, "refractory: units do not fit"),
    "a reset of something else": (
        {"reset": "vn = V_reset"},
        r"reset cannot change 'vn': it changes its variables, s, vm",
    ),
    "a reset that is no statement": ({"reset": "V_reset"}, "reset must be statements"),
    "a threshold of something else": ({"threshold": "vn > V_th"}, "threshold: unknown name 'vn'"),
    "a start of something else": ({"initial": {"vn": "E_L"}}, "initial: there is no state variable 'vn'"),
    "the unit of a start": ({"initial": {"vm": "g_L"}}, "initial of vm: units do not fit"),
    "a rate that changes with the neuron": (
        {"poisson": {"n_x": "s * Hz"}, "u": "I_syn = J_u * s_v + I_in * I * n_x : amp"},
        "rate of n_x cannot use 's', which belongs to population U; it sees I",
    ),
    "a rate that is none": (
        {"poisson": {"n_x": "tau_s"}, "neuron": NEURON.replace("I_0 ", "I_0 * n_x ")},
        "rate of n_x: units do not fit",
    ),
    "events that nothing uses": ({"poisson": {"n_x": "10 * Hz"}}, "no equation uses 'n_x', a random number"),
    "two pools of one name": ({"pools": (POOL, POOL)}, "population i: there are two populations of that name"),
    "a pool's number of neurons": (
        {"pools": (Pool("i", POOL.neuron, POOL.threshold, POOL.reset, neurons="neurons_I"),)},
        r"population i, neurons: there is no parameter 'neurons_I'; did you mean neurons\?",
    ),
    "the gain's unit": ({"gain": "Phi_v * g_L"}, "gain: units do not fit"),
    "a gain of something else": ({"gain": "Phi_w"}, "gain: unknown name 'Phi_w'"),
    "what is to be found": ({"critical": "J_w"}, r"prepare, Critical: there is no parameter 'J_w'; did you mean J_v\?"),
    "a spontaneous rate": ({"homeostasis": "I_0"}, "prepare, Balance: there is no parameter 'spontaneous'"),
    "an outcome's duration": ({"flips": LEARNING.flips}, "phase outcome, duration: unknown name 'outcome_time'"),
    "a name with a meaning": ({"neuron": f"{NEURON}\ngain = 1 : 1"}, "the name 'gain' is taken"),
    "a name of a parameter": ({"neuron": f"{NEURON}\ntau_s = 1 : 1"}, "the name 'tau_s' is taken, by a parameter"),
    "the network's counter of spikes": ({"neuron": f"{NEURON}\ndcount/dt = -count / tau_s : 1"}, "'count' is taken"),
    "a parameter with a meaning": ({"parameters": Parameter("outcome", 3)}, "parameters: the name 'outcome' is taken"),
    "a parameter named as the weight": ({"parameters": Parameter("w", 3)}, "parameters: the name 'w' is taken"),
    "events named as a parameter": (
        {"poisson": {"tau_s": "10 * Hz"}},
        "poisson: the name 'tau_s' is taken, by a parameter",
    ),
    "events named as a variable": ({"poisson": {"s": "10 * Hz"}}, "poisson: the name 's' is taken, by another line"),
    "events named as what options have": ({"poisson": {"gain": "10 * Hz"}}, "the name 'gain' is taken, by synapse"),
    "a helper named as a parameter": (
        {"gain": "top = 2 : 1\nPhi_v * top"},
        "synapse: the name 'top' is taken, by a param",
    ),
    "a helper named as another": (
        {"gain": "k = 2 : 1\nk = 3 : 1\nPhi_v * k"},
        "synapse: Duplicate definition of variable 'k'",
    ),
    "a function of the weight named as a parameter": (
        {"gaussian_sigmoid": "z = w : 1\nPhi = z * beta : 1", "parameters": Parameter("z_v", 3)},
        "gaussian_sigmoid: the name 'z_v' is taken, by a parameter",
    ),
    "a parameter named as generated code names a variable": (
        {"refractory": "s_of_u", "parameters": Parameter("s_of_u", 3, "ms")},
        "s of u would be 's_of_u' in generated code, which is taken",
    ),
    "a number without a value": ({"neuron": f"{NEURON}\nx : 1"}, r"x has no equation; a number is declared as Param"),
    "a flag": ({"neuron": f"{NEURON}\ndx/dt = -x / tau_s : 1 (event-driven)"}, "x has a flag"),
    "nothing that moves": ({"neuron": "vm = E_L : volt"}, "must have a differential equation"),
    "a text": ({"threshold": 3}, "threshold must be a text, got 3"),
    "pools that are none": ({"pools": ("i",)}, "pools must be a tuple of Pool"),
    "a mapping": ({"initial": "vm"}, "initial must be a mapping of names to expressions"),
    "an entry that there is not": ({"equations": "x"}, "a spiking model has no entry 'equations'"),
    "a time that is none": (
        {"parameters": (Parameter("free_time", 3, "mV"),)},
        "phase free, duration: units do not fit: 'free_time' has unit",
    ),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_in_one_line(changes, message):
    with pytest.raises(ModelError, match=message) as error:
        SPIKING.change(**changes)
    assert len(str(error.value).splitlines()) == 1


def test_a_parameter_that_no_equation_uses_is_refused():
    with pytest.raises(ModelError, match="model unnamed: parameter 'g_K' is used in no equation"):
        SpikingModel(parameters=(*SPIKING.parameters, Parameter("g_K", 3, "nS")))
    with pytest.raises(ModelError, match="parameter 'g_K' is declared twice"):
        SpikingModel(parameters=(*SPIKING.parameters, *[Parameter("g_K", 3, "nS")] * 2))
    with pytest.raises(ModelError, match="'w_max' is a parameter of the model already"):
        SPIKING.change(parameters=Parameter("w_max", 3))


@pytest.mark.parametrize("name", ["u", "v", "my pool", "_i", "\u00e9", "i\n", 3])
def test_a_pool_has_a_name_of_its_own(name):
    with pytest.raises(ModelError, match=r"a (pool|population)'s name must (not )?be|Pool: name must be a text"):
        Pool(name, POOL.neuron, POOL.threshold, POOL.reset)


@pytest.mark.parametrize("name", ["UV", "options", "games", "clock", "network", "i_post", "U_spikes"])
def test_a_pool_is_not_named_as_an_object_of_the_network(name):
    with pytest.raises(ModelError, match=f"population {name}: the name '{name}' is taken"):
        Pool(name, POOL.neuron, POOL.threshold, POOL.reset)


def test_every_name_that_the_network_gives_is_refused():
    with interpreted():
        engine = SpikingNSA(2, small(OWN), model=OWN, record=True, seed=0)
    variables = {name for group in engine._objects.groups.values() for name in group.variables if name[0] != "_"}
    for neurons in OWN.structure.populations.values():
        variables -= {*neurons.written, *(link.variable.rpartition("_in_")[0] for link in OWN.structure.links)}
    assert {"count", "outcome", "I", "R", "Phi_eta", "gain", "choice", "spiked", "lastspike"} <= variables
    for name in variables:
        for changes in (
            {"neuron": f"{NEURON}\n{name} = s : 1"},
            {"parameters": Parameter(name, 3)},
            {"poisson": {name: "10 * Hz"}},
        ):
            with pytest.raises(ModelError, match=f"{name}\\b"):
                SPIKING.change(**changes)
    made = {thing.name.removeprefix("nsa_spiking_") for thing in (*engine.network.objects, engine.network)}
    assert {"U", "UV", "options", "games", "timing", "network", "U_spikes", "shared"} <= made
    for name in made - {"shared"} - set(engine.couplings):
        with pytest.raises(ModelError, match="is taken"):
            Pool(name, POOL.neuron, POOL.threshold, POOL.reset)


def test_what_neurons_see_has_one_order_so_that_their_code_is_compiled_once():
    read = [f"{link.variable.removesuffix(f'_in_{link.target}')} in {link.target}" for link in EI.structure.links]
    assert read == sorted(read)


def test_what_is_changed_takes_parameters_along():
    model = SPIKING.change(name="mine", refractory="3 * ms", parameters=Parameter("V_th", -48, "mV"))
    assert "tau_ref" not in model.declared
    assert model.declared["V_th"].default == -48
    assert model.declared["C_m"] == SPIKING.declared["C_m"]
    assert SPIKING.declared["V_th"].default == -50


def test_only_what_spiking_neurons_use_is_searched():
    assert {"w_max", "alpha_v", "sigma", "free_time", "top"} <= set(SPIKING.searched)
    assert not {"tau_u", "I_ext", "duration_free", "J_v", "E_L"} & set(SPIKING.searched)
    assert {"spontaneous", "g_NI"} <= set(EI.searched)
    assert "rate_x" not in EI.searched


def test_every_number_of_the_shipped_models_has_a_meaning():
    for model in MODELS.values():
        assert all(parameter.meaning for parameter in model.parameters)


@pytest.mark.parametrize("model", [*MODELS.values(), OWN], ids=lambda model: model.name)
def test_models_survive_files_and_processes(model, tmp_path):
    assert pickle.loads(pickle.dumps(model)) == model
    assert Model.from_dict(json.loads(model.to_json())) == model
    model.save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json") == model
    assert hash(load_model(tmp_path / "m.json")) == hash(model)


def test_a_file_that_is_no_model_is_refused():
    plain = SPIKING.to_dict()
    for changes, message in (
        ({"synapses": 3}, "has no entry 'synapses'"),
        ({"version": 9}, "a model of version 9 cannot be read"),
        ({"format": "nsa"}, "format is nsa-model or nsa-spiking-model"),
        ({"pools": [{"name": "i"}]}, "not a model: .*missing"),
    ):
        with pytest.raises(ModelError, match=message):
            Model.from_dict({**plain, **changes})


def test_unknown_models_are_answered_with_the_nearest():
    with pytest.raises(ModelError, match=r"no model 'spiking-ie'; did you mean spiking-ei\?"):
        load_model("spiking-ie")


def test_a_python_file_makes_a_model(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from nsa_brian.spiking.shipped import SPIKING\nMINE = SPIKING.change(name='mine', refractory='3 * ms')\n"
    )
    assert load_model(path).name == load_model(f"{path}:MINE").name == "mine"


def test_engines_of_rates_refuse_them():
    assert SPIKING.fastest == "rounds"
    assert SPIKING.refusal("rounds") == SPIKING.refusal("network") == ""
    assert "cannot run the model spiking: its neurons spike; use rounds or network" in SPIKING.refusal("table")
    assert repr(EI).startswith("Model('spiking-ei': synapse, parameters, populations, ")
