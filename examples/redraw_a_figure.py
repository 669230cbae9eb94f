"""
A figure of your own from results
=================================

Results are computed once and stored; figures are drawn from the file. Writes ``games.npz`` and
``redraw_a_figure.png``.
"""

from pathlib import Path

import matplotlib

matplotlib.use("agg")  # no window: the figure goes to a file
import matplotlib.pyplot as plt

from experiments.metrics import smooth
from experiments.play import run
from experiments.results import load, save
from experiments.settings import PlaySettings

path = Path("games.npz")
if not path.exists():
    save(run(PlaySettings(env="MAB-P", arms=10, rounds=500, repetitions=4)), path)

results = load(path)
fig, ax = plt.subplots(figsize=(8, 3.5), layout="constrained")
for agent, record in results.records.items():
    ax.plot(smooth((record.best - record.expected).mean(axis=0), 50), label=agent)
ax.axvline(results.settings.rounds, color="grey", linestyle="--")
ax.set(
    xlabel="round", ylabel="regret (mean of 50 rounds)", title=f"{results.settings.env}, seed {results.settings.seed}"
)
ax.legend()
fig.savefig("redraw_a_figure.png")
print(f"drawn from {path}, made with {results.versions}")
