"""Evolution of models of the user's own: genes, games, noise, a fitness of one's own, folders."""

import dataclasses
import json
import pickle

import numpy as np
import pytest
from fitness import all_near_four_and_a_half, near_four_and_a_half
from guide import model_of
from selection import mostly_slow
from spiking import small as small_spiking

import envs
from evolution import FitnessGames, Genome, Search, SearchSettings, batched, choose_champion, scores
from evolution.checkpoint import kept_generations, read_generation
from evolution.evaluation import evaluate, evaluate_held_out
from evolution.random_numbers import CommonRandomNumbers, stream
from evolution.search import GAMES, SELECTION
from evolution.state import COLUMNS
from experiments.evolve.options import Sources, options_of, to_plain
from experiments.evolve.requests import from_record
from nsa_brian import PARAMETERS, Model, Parameter, load, load_model, preparation
from nsa_brian.plugins import load_plugins
from nsa_brian.spiking.shipped import SPIKING

ADAPTING = model_of("adapting.py")
#: One gene more than the paper's, and a parameter that is none.
LEAKY = Model(
    name="leaky",
    plasticity="w + Phi_eta * (R * w_max - w) - leak * w**power",
    parameters=(Parameter("power", 1.0), Parameter("leak", 0.01, search=(0.0001, 0.5), scale="log")),
)
#: Runs in rounds and network only.
LATERAL = model_of("lateral.py")
SHORT = {"duration_input": 100, "duration_free": 100}
SET_38 = load("minbandit-38").parameters
QUICK = SET_38.replace(**SHORT)
SMALL = FitnessGames(envs=("MAB-P", "MAB-sin"), arms=(4,), iterations=2, trials=1, rounds=30)


def small(model, **changes):
    games = dataclasses.replace(SMALL, model=model)
    return SearchSettings(**{"games": games, "population": 8, "generations": 4, "seed": 3, "fixed": SHORT, **changes})


def finished(search, workers=None):
    while not search.stop:
        search.step(workers)
    return search


def outcome(search):
    return {name: np.asarray(value).tolist() for name, value in search.state().items()}


class TestGenome:
    def test_has_the_models_own_genes_after_the_22(self):
        genome = Genome(model=ADAPTING)
        assert genome.size == 24
        assert [info.name for info in genome.genes] == [*PARAMETERS, "b", "tau_a"]

    def test_decodes_and_encodes_them(self):
        genome = Genome(model=ADAPTING)
        vector = np.linspace(-3, 3, 24)
        parameters = genome.decode(vector)
        assert 20 <= parameters.tau_a <= 3000
        assert genome.encode(parameters) == pytest.approx(vector)
        assert parameters.replace(b=0.3).to_dict().keys() == {*PARAMETERS, "tau_a", "b"}

    def test_is_that_of_the_paper_for_its_22(self):
        vector = np.random.default_rng(0).normal(size=24)
        with_own = Genome(model=ADAPTING).decode(vector).to_dict()
        assert {name: with_own[name] for name in PARAMETERS} == Genome().decode(vector[:22]).to_dict()

    def test_has_no_gene_for_a_parameter_without_a_range(self):
        genome = Genome(model=LEAKY)
        assert [info.name for info in genome.genes][22:] == ["leak"]
        assert genome.decode([0.0] * 23).power == 1.0

    def test_holds_own_parameters_fixed_searched_or_not(self):
        genome = Genome({"leak": 0.2, "power": 2.0}, LEAKY)
        decoded = genome.decode([0.0] * 22)
        assert (genome.size, decoded.leak, decoded.power) == (22, 0.2, 2.0)

    @pytest.mark.parametrize(
        ("fixed", "words"),
        [({"leek": 1}, "did you mean leak"), ({"leak": -1}, "leak must be a number above 0, got -1")],
    )
    def test_refuses(self, fixed, words):
        with pytest.raises(ValueError, match=words):
            Genome(fixed, LEAKY)

    def test_starts_at_the_defaults_of_what_a_plain_set_does_not_name(self):
        centre = Search(small(ADAPTING, start=SET_38, fixed={})).centre
        assert centre.b == pytest.approx(0.3)
        assert centre.tau_a == pytest.approx(300)

    def test_keeps_the_starts_value_of_a_parameter_that_is_not_searched(self):
        start = LEAKY.complete(SET_38).replace(power=3.0)
        assert Search(small(LEAKY, start=start)).centre.power == 3.0

    def test_a_start_of_another_model_is_refused(self):
        with pytest.raises(ValueError, match="model 'leaky' has no parameter 'b'"):
            small(LEAKY, start=ADAPTING.complete(SET_38))


class TestGames:
    def test_are_played_by_the_fastest_engine_that_runs_the_model(self):
        assert SMALL.played_by == "table"
        assert dataclasses.replace(SMALL, model=LATERAL).played_by == "rounds"
        assert dataclasses.replace(SMALL, engine="rounds").played_by == "rounds"

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"model": LATERAL, "engine": "table"}, "the engine table cannot run the model lateral: "),
            ({"model": LATERAL, "engine": "network"}, "engine must be one of table, rounds here"),
            ({"model": "adapting.py"}, "model must be a Model"),
        ],
    )
    def test_refuse(self, changes, words):
        with pytest.raises(ValueError, match=words):
            dataclasses.replace(SMALL, **changes)

    def test_come_back_from_plain_values(self):
        settings = small(LEAKY, start=SET_38)
        assert SearchSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings

    def test_by_the_table_are_those_by_rounds(self):
        genome, rng = Genome(SHORT, ADAPTING), np.random.default_rng(1)
        some = [genome.decode(rng.normal(0, 0.3, genome.size)) for _ in range(6)]
        games = dataclasses.replace(SMALL, model=ADAPTING)
        by_table, by_rounds = (
            scores(dataclasses.replace(games, engine=engine), (2,), some).reward for engine in ("table", "rounds")
        )
        assert (by_table == by_rounds).mean() > 0.9

    @pytest.mark.slow
    def test_depend_on_the_models_own_parameters(self):
        games = dataclasses.replace(SMALL, model=LEAKY)
        found = scores(games, (1,), [QUICK, LEAKY.complete(QUICK), LEAKY.complete(QUICK).replace(leak=0.5)]).reward
        assert (found[0] == found[1]).all()
        assert (found[0] != found[2]).any()

    @pytest.mark.parametrize(
        "model",
        [
            Model(name="noisy", noise=0.2),
            dataclasses.replace(model_of("noisy_lateral.py"), noise=0.2),
            pytest.param(model_of("carried.py"), marks=pytest.mark.slow),
        ],
        ids=lambda model: model.name,
    )
    def test_do_not_depend_on_the_company(self, model):
        """Nor on the games beside: with noise, coupling and state that is carried over."""
        games = dataclasses.replace(SMALL, model=model)
        genome, rng = Genome(SHORT, model), np.random.default_rng(0)
        others = [genome.decode(rng.normal(size=genome.size)) for _ in range(3)]
        alone = scores(games, (1,), [QUICK])
        among = scores(games, (1,), [*others[:2], QUICK, others[2], QUICK])
        assert (among.reward[[2, 4]] == alone.reward).all()
        one_env = scores(dataclasses.replace(games, envs=("MAB-sin",)), (1,), [others[2], QUICK])
        assert one_env.reward[1, 0] == alone.reward[0, 1]

    @pytest.mark.parametrize("spread", mostly_slow([[[0], [1, 2]], [[0], [1], [2]]], [[0], [1, 2]]))
    def test_of_spiking_models_do_not_depend_on_how_individuals_are_spread(self, spread):
        games = FitnessGames(envs=("stationary",), arms=(3,), iterations=2, trials=1, rounds=8, model=SPIKING)
        individuals = [small_spiking(I_0=0.1), small_spiking(I_0=0.2, sigma_eta=2.759), small_spiking(tau_s=60)]

        def found(*chunks):
            preparation._known.clear()  # as in a process of its own
            chosen = ([individuals[i] for i in chunk] for chunk in chunks)
            return np.concatenate([np.hstack(scores(games, (1,), chunk)) for chunk in chosen])

        together = found([0, 1, 2])
        assert len({row.tobytes() for row in together}) == 3
        assert (found(*spread) == together).all()

    def test_with_noise_have_other_luck_under_another_seed(self):
        games = FitnessGames(envs=("stationary",), arms=(4,), iterations=1, trials=1, rounds=1, model=Model(noise=0.2))
        lucks = []
        for seed in ((1,), (2,)):
            lucks.append(CommonRandomNumbers([stream(seed, "a"), stream(seed, "b")], 3).random((6, 4)))
        assert (lucks[0] != lucks[1]).all()
        assert (lucks[0][:2] == lucks[0][4:]).all()
        assert (lucks[0][0] != lucks[0][1]).all()
        assert scores(games, (1,), [QUICK]).reward.shape == (1, 1)

    @pytest.mark.slow
    @pytest.mark.parametrize("wild", [{"k": 40.0}, {"q": 40.0}], ids=["activity", "weight"])
    @pytest.mark.parametrize("engine", ["table", "rounds"])
    def test_of_a_model_that_runs_away_are_scored_and_spoil_nobodys(self, wild, engine):
        """By an activity that explodes, or by a weight that is not defined."""
        model = Model(
            name="wild",
            rate_u="du/dt = (-u + I_u + I + k * u**3{noise}) / tau_u : 1",
            plasticity="w + Phi_eta * (R * w_max - w) + log(1 - q * w)",
            parameters=(Parameter("k", 0.1, search=(0, 50)), Parameter("q", 0.1, search=(0, 50))),
        )
        games = dataclasses.replace(SMALL, model=model, engine=engine)
        sane = model.complete(QUICK.replace(duration_input=400, duration_free=400))
        alone = scores(games, (1,), [sane]).reward[0]
        beside = scores(games, (1,), [sane.replace(**wild), sane]).reward
        assert (beside[1] == alone).all()
        assert (beside[0] != alone).any()
        assert ((beside > 0) & (beside < 1)).all()


@pytest.mark.parametrize(("inexact", "generations"), [(0.0, 60), pytest.param(0.01, 200, marks=pytest.mark.slow)])
def test_choosing_a_champion_takes_a_tenth_of_a_search_that_has_no_table(inexact, generations, monkeypatch):
    games = dataclasses.replace(SMALL, model=LEAKY, engine="rounds", rounds=5)
    search = finished(Search(small(LEAKY, games=games, generations=generations, inexact=inexact)))
    played = []

    def spy(fitness, seed, sets, workers, perturbation, iterations):
        played.append(len(sets) * perturbation.players * iterations * games.game_rounds / games.iterations)
        return evaluate_held_out(fitness, seed, sets, workers, perturbation, iterations)

    monkeypatch.setattr("evolution.champion.evaluate_held_out", spy)
    choose_champion(search, others={"set 38": SET_38})
    assert 0.08 * search.progress.game_rounds < sum(played) <= 0.1 * search.progress.game_rounds


class TestOwnFitness:
    def test_is_what_the_search_maximizes(self):
        settings = small(ADAPTING, generations=40, population=12, fixed={})
        search = finished(Search(settings, fitness=near_four_and_a_half))
        champion = choose_champion(search, iterations=5, others={"set 38": SET_38})
        assert champion.parameters.w_max == pytest.approx(4.5, abs=0.4)
        assert champion.parameters.b == pytest.approx(0.1, rel=0.5)
        assert champion.report["champion"]["reward"] > champion.report["set 38"]["reward"]

    def test_is_asked_with_the_generations_seed(self):
        asked = []

        def fitness(parameters, seed):
            asked.append(seed)
            return parameters.w_max

        search = Search(small(LEAKY, generations=2), fitness=fitness)
        finished(search)
        assert asked == [(3, GAMES, 0)] * 8 + [(3, GAMES, 1)] * 8
        assert search.logbook[1]["best"] == max(individual.reward for individual in search.population)
        asked.clear()
        champion = choose_champion(search, iterations=2)
        assert {seed for seed in asked if seed[1] == SELECTION} == {(3, SELECTION, 0), (3, SELECTION, 1)}
        assert champion.selection[champion.origin] == pytest.approx(champion.parameters.w_max)

    def test_in_two_processes_is_the_same(self, two_processes):
        settings = small(ADAPTING)
        there = outcome(finished(Search(settings, fitness=near_four_and_a_half), two_processes))
        assert there == outcome(finished(Search(settings, fitness=near_four_and_a_half)))

    def test_that_is_batched_gets_a_whole_generation_at_once(self, two_processes):
        calls = []

        @batched
        def together(sets, seed):
            calls.append(len(sets))
            return all_near_four_and_a_half(sets, seed)

        settings = small(ADAPTING, generations=2)
        search = finished(Search(settings, fitness=together))
        assert calls == [8, 8]
        assert outcome(search) == outcome(finished(Search(settings, fitness=near_four_and_a_half)))
        again = finished(Search(settings, fitness=all_near_four_and_a_half), two_processes)
        assert outcome(again) == outcome(search)

    @pytest.mark.parametrize("wrong", [[1.0], 3, [[1.0] * 8], ["a"] * 8])
    def test_that_is_batched_must_return_a_number_for_each_set(self, wrong):
        with pytest.raises(ValueError, match="one number for each of 8 sets"):
            Search(small(ADAPTING), fitness=batched(lambda sets, seed: wrong)).step()

    def test_has_a_logbook_without_optimum_and_regret(self, tmp_path):
        search = Search(small(ADAPTING, generations=2), fitness=near_four_and_a_half)
        search.step()
        assert set(search.logbook[0]) == set(COLUMNS) - {"optimum", "regret"}
        assert "regret" not in search.progress.last
        search.save(tmp_path)
        assert "regret" not in (tmp_path / "logbook.csv").read_text()
        assert list(Search.load(tmp_path, near_four_and_a_half).logbook) == list(search.logbook)
        assert "regret" in Search(small(ADAPTING)).logbook.header

    def test_must_be_a_number(self):
        with pytest.raises(ValueError, match="a fitness must be a finite number, got nan"):
            Search(small(LEAKY), fitness=lambda parameters, seed: float("nan")).step()
        with pytest.raises(ValueError, match="fitness must be a function"):
            Search(small(LEAKY), fitness=3)


class TestGenesThatAModelDoesNotUse:
    def test_are_no_genes_and_are_named(self):
        genome = Genome(model=load_model("familiarity"))
        assert [gene.name for gene in genome.genes] == ["eta", "eta_h", "fall", "recovery", "a_0", "rise", "sink"]
        assert genome.unused == load("evolved").parameters.to_dict()  # as in 0.2, so that its searches can be resumed
        assert Genome().unused == {}
        assert "beta_v" not in Genome({"beta_v": 3.0}, load_model("familiarity")).unused

    def test_are_genes_where_something_reads_the_function(self):
        model = load_model("familiarity").change(
            plasticity="w += chosen * Phi_eta * (R - w)", synapse="h : 1", name="read"
        )
        assert {"beta_eta", "r_eta"} <= set(model.searched)
        assert "beta_v" not in model.searched

    def test_are_told_and_recorded(self, tmp_path, nsa):
        words = [
            "evolve",
            "--model",
            "familiarity",
            "--envs",
            "MAB-P",
            "--arms",
            "3",
            "--rounds",
            "20",
            "--trials",
            "1",
        ]
        words += ["--population", "6", "--generations", "1", "--iterations", "1", "--no-figures", "--out", "s"]
        told = nsa(*words, cwd=tmp_path)
        assert "not searched with this model, at the values of the set evolved: tau_u, tau_v" in told
        assert "at the values of the set evolved: tau_u" in load(tmp_path / "s" / "best.json").note


class TestAFolder:
    def test_goes_on_bit_for_bit(self, tmp_path):
        search = Search(small(ADAPTING))
        for _ in range(2):
            search.step()
            search.save(tmp_path / "deep" / "s")
        again = Search.load(tmp_path / "deep" / "s")
        assert again.settings == search.settings
        assert outcome(again) == outcome(search)
        assert outcome(finished(again)) == outcome(finished(search))

    def test_has_the_commands_files(self, tmp_path):
        search = Search(small(ADAPTING))
        search.step()
        search.save(tmp_path)
        names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
        assert names == ["checkpoint.npz", "generations/0001.npz", "logbook.csv"]
        generation = read_generation(tmp_path, 1)
        assert generation["parameters"].shape == (8, 24)
        first = search.genome.decode(search.population[0])
        assert generation["parameters"][0].tolist() == [getattr(first, name) for name in ADAPTING.declared]

    def test_can_be_asked_for_more_generations(self, tmp_path):
        settings = small(LEAKY, generations=1)
        finished(Search(settings)).save(tmp_path)
        assert finished(Search.load(tmp_path, generations=3)).generation == 3

    def test_of_another_search_is_refused(self, tmp_path):
        Search(small(LEAKY)).save(tmp_path)
        Search(small(LEAKY, generations=9)).save(tmp_path)
        with pytest.raises(ValueError, match="holds another search"):
            Search(small(LEAKY, seed=4)).save(tmp_path)
        with pytest.raises(ValueError, match="holds another search"):
            Search(small(ADAPTING)).save(tmp_path)

    def test_does_not_hold_the_fitness_of_ones_own(self, tmp_path):
        search = Search(small(ADAPTING), fitness=near_four_and_a_half)
        search.step()
        search.save(tmp_path / "own")
        with pytest.raises(ValueError, match="a custom fitness, near_four_and_a_half: resume it in Python"):
            Search.load(tmp_path / "own")
        again = Search.load(tmp_path / "own", fitness=near_four_and_a_half)
        assert outcome(finished(again)) == outcome(finished(search))
        Search(small(ADAPTING)).save(tmp_path / "games")
        with pytest.raises(ValueError, match="scored on games"):
            Search.load(tmp_path / "games", fitness=near_four_and_a_half)

    @pytest.mark.slow
    def test_goes_on_and_is_drawn_by_the_commands(self, tmp_path, nsa, refused):
        """Saved once, from Python: the command goes on with it, and an own fitness can be drawn."""
        search = Search(small(ADAPTING))
        search.step()
        search.step()
        search.save(tmp_path / "s")
        options = ["--fix", "duration_input=100", "--fix", "duration_free=100", "--no-figures"]
        nsa("evolve", "--resume", "s", *options, cwd=tmp_path)
        assert outcome(Search.load(tmp_path / "s")) == outcome(finished(search))
        assert kept_generations(tmp_path / "s", 4) == [2, 3, 4]
        own = Search(small(LEAKY), fitness=lambda parameters, seed: parameters.w_max)
        own.step()
        own.save(tmp_path / "own")
        nsa("evolution-figures", "own", cwd=tmp_path)
        assert "a custom fitness" in refused("evolve", "--resume", "own", cwd=tmp_path)


def test_options_and_settings_of_a_search_come_to_the_same():
    settings = small(Model(), start=SET_38)
    named, sources = from_record(json.loads(json.dumps(to_plain(options_of(settings, Sources("", "minbandit-38"))))))
    assert sources == Sources("", "minbandit-38")
    assert dataclasses.replace(named, games=dataclasses.replace(named.games, engine="")) == settings


def test_bandits_of_a_plugin_are_known_to_workers_that_were_there_before_it(tmp_path, monkeypatch, two_processes):
    two_processes.map(abs, [1, 2])
    plugin = tmp_path / "plugin.py"
    plugin.write_text(
        "import envs\n"
        "import numpy as np\n"
        "class Half(envs.Bandit):\n"
        "    def _begin(self):\n"
        "        return np.full((self.n_games, self.n_arms), 0.5)\n"
        "    def _next(self):\n"
        "        return self.probabilities\n"
        "envs.BANDITS['half'] = Half\n"
    )
    monkeypatch.setattr("envs.BANDITS", dict(envs.BANDITS))
    load_plugins([plugin])
    plugin.unlink()
    try:
        found = evaluate(
            FitnessGames(envs=("half",), arms=(3,), rounds=5, model=LEAKY), (0,), [QUICK] * 2, two_processes
        )
    finally:
        load_plugins([])
    assert found.reward.ravel().tolist() == [0.5, 0.5]


def test_games_travel_without_the_models_file():
    games = dataclasses.replace(SMALL, model=LATERAL)
    assert pickle.loads(pickle.dumps(games)) == games
