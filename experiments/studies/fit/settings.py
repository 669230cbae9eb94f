"""Settings of ``nsa fit``: the data, the agents and their free parameters, the search."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from baselines import Tunable
from experiments.core.agents import check_names
from experiments.core.errors import at_least
from experiments.core.game_settings import AgentSettings
from experiments.core.inputs import content_of, keep_contents, read_digest
from experiments.core.named import once, read_agent, read_set
from experiments.core.nsa_agents import MODEL_HELP, NSA, check_course, is_nsa
from experiments.core.options import setting, some
from experiments.studies.fit.candidates import LAPSE_NAME, Candidate, candidate
from experiments.studies.fit.data import Behaviour
from experiments.studies.fit.fitting import Effort
from experiments.studies.fit.genes import Gene, Prior
from experiments.studies.fit.reading import Reading, parse
from nsa_brian import ParameterSet
from nsa_brian.common.texts import is_number, shown
from nsa_brian.errors import printable
from nsa_brian.model.timing import engine_options
from nsa_brian.plugins import DIGITS

#: Name of the shipped data: 28 subjects in a probabilistic selection task, from HDDM 1.0.1 (BSD-2-Clause).
EXAMPLE = "example"

#: Criteria that approximate the log evidence in the comparison over subjects.
CRITERIA = ("bic", "aic")

#: The set that NSA has, but for its free parameters. Subjects are fitted better with it than with the default set, and
#: its four free parameters can be recovered (``nsa recover``).
FITTED_SET = "evolved"

FITTED = ("nsa", "q-learning", "q-learning-2", "q-kernel", "kalman-softmax", "win-stay-lose-shift")


@dataclass(frozen=True, kw_only=True)
class SearchSettings(AgentSettings):
    """Agents, their free parameters, and how they are searched."""

    agents: tuple[str, ...] = setting(FITTED, "agents, comma separated: nsa, nsa:WHAT, policies", "A,B")
    search: dict[str, Any] | None = setting(
        None, "free parameters of an agent, NAME or NAME:LOW:HIGH; repeatable", "AGENT=A,B",
        flag="--search",
    )  # fmt: skip
    prior: dict[str, Any] | None = setting(
        None, "prior: beta:A:B, gamma:SHAPE:SCALE, normal:MEAN:SD or lognormal:MEDIAN:SIGMA; repeatable",
        "AGENT.NAME=PRIOR", flag="--prior",
    )  # fmt: skip
    screened: int = setting(1024, "points of a space-filling sample of the free parameters")
    restarts: int = setting(6, "runs of CMA-ES, from the best points of the sample")
    generations: int = setting(60, "largest number of generations of a run")
    samples: int = setting(100, "simulations of an NSA model with noise, whose probabilities are means over them")
    parameters: str = setting(FITTED_SET, "parameter set of NSA: a name or a file", "SET")
    model: str = setting("", MODEL_HELP, "MODEL", compare=False)
    seed: int = setting(0, "random seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, screened=1, restarts=1, generations=1, samples=1, seed=0)
        check_names(self.agents)
        others = {agent: read_agent(agent, FITTED_SET) for agent in self.agents if is_nsa(agent) and agent != NSA}
        object.__setattr__(self, "nsa_agents", {NSA: read_set(self.parameters, self.model, FITTED_SET), **others})
        _ = self.candidates

    @property
    def sets(self) -> dict[str, ParameterSet]:
        """The given parameter set by name."""
        return {self.parameters: self.nsa_agents[NSA]}

    @property
    def effort(self) -> Effort:
        """How long to search."""
        return Effort(**some(self, "screened", "restarts", "generations"))

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        """The agents with their free parameters."""
        unknown = [name for name in self.search or {} if name not in self.agents]
        if unknown:
            raise ValueError(f"--search {unknown[0]}: not among the agents {', '.join(self.agents)}")
        found = {name: self._candidate(name) for name in self.agents}
        for key in self.prior or {}:
            agent, _, parameter = key.rpartition(".")
            if agent not in found or parameter not in [gene.name for gene in found[agent].genes]:
                free = ", ".join(f"{name}.{gene.name}" for name, each in found.items() for gene in each.genes)
                raise ValueError(f"--prior {printable(key)}: not a free parameter; free are {free}")
        return found

    def _candidate(self, name: str) -> Candidate:
        free, ranges = None, {}
        if name in (self.search or {}):
            parts = [part.strip() for part in str((self.search or {})[name]).split(",") if part.strip()]
            free = [part.partition(":")[0] for part in parts]
            ranges = {part.partition(":")[0]: part for part in parts if ":" in part}
        options = engine_options(self.dt, self.method, self.precision)
        made = candidate(name, self.nsa_agents.get(name), free, **self._options_of(name, options))
        genes = [self._gene(name, gene, ranges) for gene in made.genes]
        if is_nsa(name):
            for bound in ("low", "high"):
                ends = {gene.name: getattr(gene.range, bound) for gene in genes if gene.name != LAPSE_NAME}
                agent = self.nsa_agents[name]
                check_course(agent.model, agent.parameters.replace(**ends), self.dt, self.method)
        return dataclasses.replace(made, genes=tuple(genes))

    def _options_of(self, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"samples": self.samples, "seed": self.seed, "options": options} if is_nsa(name) else {}

    def _gene(self, agent: str, gene: Gene, ranges: Mapping[str, str]) -> Gene:
        """Return a gene with the range and the prior that were given."""
        prior = (self.prior or {}).get(f"{agent}.{gene.name}")
        gene = dataclasses.replace(gene, prior=None if prior is None else Prior.of(prior))
        if gene.name not in ranges:
            return gene
        _, *numbers = ranges[gene.name].split(":")
        if len(numbers) != 2 or not all(map(is_number, numbers)):
            raise ValueError(f"--search {agent}: a range is NAME:LOW:HIGH, got {shown(ranges[gene.name])}")
        low, high = map(float, numbers)
        try:
            range_ = Tunable(low, high, gene.range.scale, gene.range.legal, gene.range.integer, gene.range.meaning)
        except ValueError as error:
            raise ValueError(f"--search {agent}, {gene.name}: {error}") from None
        return dataclasses.replace(gene, range=range_)

    @property
    def free_text(self) -> dict[str, list[str]]:
        """The free parameters of each agent in words."""
        return {name: [gene.text for gene in each.genes] for name, each in self.candidates.items()}


@dataclass(frozen=True, kw_only=True)
class FitSettings(SearchSettings):
    """Data, agents and search of a fit."""

    data: str = setting(EXAMPLE, f"CSV or TSV file of choices and rewards, or {EXAMPLE}: the shipped one", "FILE")
    subjects: int | None = setting(None, "only the first N subjects")
    pooled: bool = setting(False, "one set of parameters for all subjects")
    column: dict[str, Any] | None = setting(
        None, "column of the subject, choice, reward, block, offered, ...; repeatable", "WHAT=NAME",
        flag="--column",
    )  # fmt: skip
    condition: str = setting("", "column of conditions, each with arms of its own", "COLUMN")
    scale_rewards: tuple[float, ...] = setting((), "lowest and highest reward, which become 0 and 1", "LOW,HIGH")
    arms: int | None = setting(None, "number of arms (default: those in the file)", "K")
    missed: str = setting("", "code of missed trials besides empty cells and NA", "CODE")
    folds: int = setting(
        0, "parts of cross-validation: whole games if there are as many, else contiguous parts (default: none)"
    )
    predictive: int = setting(20, "simulated subjects of each fit for the predictive check; 0 for none")
    criterion: str = setting("bic", "evidence of each fit in the comparison: bic or aic", "NAME")

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, folds=0, predictive=0)
        if self.subjects is not None:
            at_least(self, subjects=1)
        if self.folds == 1:
            raise ValueError("folds must be 0 or at least 2, got 1")
        if self.criterion not in CRITERIA:
            raise ValueError(f"criterion must be one of {', '.join(CRITERIA)}, got {shown(self.criterion)}")
        _ = self.input_digests, self.reading  # read and check them now

    @property
    def effort(self) -> Effort:
        """How long to search, and the parts of cross-validation."""
        return Effort(**some(self, "screened", "restarts", "generations", "folds"))

    @property
    def reading(self) -> Reading:
        """How to read the file."""
        scale: Any = self.scale_rewards or None
        pairs = "cond" if _is_example(self.data) else ""  # each pair of stimuli has arms of its own
        return Reading(self.column or {}, self.condition or pairs, scale, self.arms, self.missed)

    @cached_property
    def input_digests(self) -> dict[str, str]:
        """Digest of the data."""
        return {self.data: data_digest(self.data)}

    def behaviour(self) -> Behaviour:
        """Return the data; raise a ValueError if they are not legal."""
        content = content_of(_path(self.data), self.input_digests[self.data])
        found = parse(content, self.data, self.reading)
        if self.subjects is not None:
            found = dataclasses.replace(found, subjects=found.subjects[: self.subjects])
        fewest = min(found.subjects, key=lambda subject: subject.n_trials)
        if self.folds > fewest.n_trials:
            raise ValueError(f"folds must be at most the {fewest.n_trials} trials of a subject, got {self.folds}")
        return found.pooled() if self.pooled else found


#: Data of scripts by name; they have no file.
_in_memory: dict[str, str] = {}


def remember(text: str) -> str:
    """Store data that are in memory, as the text of a file, and return a name for ``FitSettings.data``."""
    content = text.encode()
    digest = hashlib.sha256(content).hexdigest()[:DIGITS]
    keep_contents({digest: content})
    _in_memory[f"data {digest}"] = digest
    return f"data {digest}"


def data_digest(data: str) -> str:
    """Return the digest of a data file; raise a ValueError if it cannot be read."""
    if data in _in_memory:
        return _in_memory[data]
    path, label = _path(data), printable(data)
    if os.path.isdir(path):
        raise ValueError(f"{label} is a folder, not a file of choices and rewards")
    if os.path.exists(path) and not os.path.isfile(path):  # reading a FIFO would block
        raise ValueError(f"{label} is not a regular file")
    digest = once(read_digest, path)
    if not digest:
        raise ValueError(f"{label} cannot be read, or is too long" if os.path.exists(path) else f"no file {label}")
    return digest


def _is_example(data: str) -> bool:
    return data == EXAMPLE and not Path(data).exists()


def _path(data: str) -> str:
    """Return the path of the data."""
    if _is_example(data):
        return str(resources.files("experiments") / "data" / "rlddm_data.csv")
    return data
