"""
Silence U for a hundred rounds
==============================

A perturbation experiment on the command line: light inhibits U in rounds 100 to 199, in a rate model and in a spiking
one. ``light`` is an input with one value per round, a line of ``light.csv``. ::

    for i in $(seq 0 299); do echo $((i >= 100 && i < 200)); done > light.csv
    nsa play --model silence_u.py:RATES --input light=light.csv --arms 5 --trials 1 --rounds 300 --agents nsa,random
    nsa play --model silence_u.py:SPIKES --input light=light.csv --arms 5 --trials 1 --rounds 300 --agents nsa,random

The figures shade these rounds. With ``Input("light")`` each option has its own light, and the file a column per option.
In Python, ``NSA(..., inputs={"light": array})`` takes the same values.
"""

from nsa_brian import Input, Model, Parameter, check, load_model

light = Input("light", per="game")

RATES = Model(
    name="silenced",
    inputs=light,
    rate_u="du/dt = (-u + I_u + I - 3 * light{noise}) / tau_u : 1",
)
SPIKES = load_model("spiking").change(
    name="silenced-spikes",
    inputs=light,
    u="I_syn = J_u * s_v + I_in * I - J_light * light : amp",
    parameters=Parameter("J_light", 1, "nA", meaning="current that light draws from a neuron of U"),
)

if __name__ == "__main__":
    print(check(RATES, n_rounds=5))
