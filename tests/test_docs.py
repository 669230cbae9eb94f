"""The documentation's generated pages, and that numbers in README and pages are those of the results files."""

import dataclasses
import importlib.util
import json
import re
import shlex
import sys

import pytest
from guide import PAGES, ROOT, blocks
from pages import commands, quotes, registered, results

from experiments.parser import build_parser
from experiments.registry import ENTRIES
from nsa_brian import PARAMETERS

FOLDER = ROOT / "docs" / "results"
FOUND = results.load(FOLDER)


@pytest.fixture(scope="module")
def measure():
    spec = importlib.util.spec_from_file_location("measure", ROOT / "docs" / "measure.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["measure"] = module
    spec.loader.exec_module(module)
    return module


def test_the_readmes_numbers_are_those_of_the_files():
    assert results.with_block(PAGES["README.md"], FOUND) == PAGES["README.md"], "run: python docs/measure.py --pages"


@pytest.mark.parametrize("name", FOUND)
def test_every_results_file_says_what_made_it(name):
    record = FOUND[name]
    program, *words = shlex.split(record["command"])
    if program == "nsa":
        build_parser().parse_args(words)
    else:
        assert (program, (ROOT / words[0]).is_file()) == ("python", True)
    assert {"processor", "cores", "python"} <= set(record["machine"])
    assert {"nsa-brian", "brian2", "numpy"} <= set(record["versions"])
    assert not re.search(r'"(/|~|[A-Z]:\\)', (FOLDER / f"{name}.json").read_text("utf-8")), "a path of a machine"


@pytest.mark.parametrize("name", FOUND)
def test_every_results_file_is_shown_with_its_command_and_version(name):
    texts = [text for page, text in results.pages(FOLDER).items() if page != "index"]
    page = next(text for text in texts if f"\n{FOUND[name]['command']}\n" in text)
    assert f"nsa-brian {FOUND[name]['versions']['nsa-brian']}" in page
    assert FOUND[name]["machine"]["processor"] in page


def test_every_page_of_results_is_measured(measure):
    shown = {name for page in results.PAGES.values() for name in page.files}
    own_scripts = {"evolution-ablation", "smpybandits", "time-step"}  # docs/ablation.py, ...
    assert shown - own_scripts <= set(measure.MEASUREMENTS)
    for each in measure.MEASUREMENTS.values():
        for command in (each.command, each.quick):
            build_parser().parse_args(shlex.split(command)[1:])


@pytest.mark.parametrize("page", quotes.QUOTES)
def test_numbers_in_pages_are_those_of_the_files(page):
    assert quotes.renewed(PAGES[page], quotes.QUOTES[page], FOUND) == PAGES[page], "run: python docs/measure.py --pages"


def test_pages_quote_full_measurements():
    quoted = {quote.path.split("/")[0] for each in quotes.QUOTES.values() for quote in each}
    assert not [name for name in sorted(quoted) if FOUND[name]["stand_in"]], "measured with small settings"


def test_one_command_writes_all_numbers_anew(measure, tmp_path):
    names = ("README.md", *quotes.QUOTES)
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(PAGES[name].replace("0.0951", "0.5").replace("of 24 cells", "of 1 cells"), "utf-8")
    changed = [name for name in names if (tmp_path / name).read_text("utf-8") != PAGES[name]]
    assert changed == ["README.md", "docs/explanation/evolution.md"]
    measure.write_numbers(tmp_path)
    assert all((tmp_path / name).read_text("utf-8") == PAGES[name] for name in names)


def test_a_quote_must_be_in_its_page_once():
    quote = quotes.Quote("table/summary/mean_regret", "regret {nsa:.3f}.")
    for text in ("no regret.", "regret 0.1. regret 0.2."):
        with pytest.raises(ValueError, match=r"'regret \{nsa:\.3f\}\.'"):
            quotes.renewed(text, [quote], FOUND)


def test_a_summary_without_tables_is_shown_all_the_same(tmp_path):
    summary = {"regret": 0.12345, "runs": [{"run": 1, "regret": 0.5}], "sets": {"a": {"x": 1}}, "by": {"y": 2}}
    record = {**FOUND["table"], "tables": [], "summary": summary}
    (tmp_path / "evolution.json").write_text(json.dumps(record), "utf-8")
    text = results.pages(tmp_path)["evolution"]
    assert all(part in text for part in ("0.1235", "**runs**", "**sets**", "**by**"))


def test_the_page_of_commands_has_all_of_them_with_their_options():
    text = commands.page()
    for entry in ENTRIES:
        assert f"## nsa {entry.name}\n" in text
    assert "`--workers N`" in text
    assert "**single CMA-ES run** Any of these selects" in text
    assert "%(default)" not in text


def test_the_page_of_parameters_has_all_of_them():
    text = registered.parameters_page()
    assert all(f"`{name}`" in text for name in PARAMETERS)


def test_the_study_of_the_guide_is_a_study(tmp_path):
    scope = {"__name__": "guide_study"}
    exec(compile(blocks("docs/howto/study.md")[0], "study.py", "exec"), scope)
    study = scope["STUDY"]
    small = dataclasses.replace(study.presets["quick"], rounds=10, envs=("MAB-P",), arms=3)
    found, path = study.run(small, tmp_path)
    assert set(found.summary.regret["MAB-P"]) == {"nsa", "random"}
    assert study.load(path).tables[0].rows == found.tables[0].rows
    assert len(study.rows(found)) == 2


@pytest.mark.slow
def test_measuring_writes_what_the_pages_show(measure, tmp_path):
    record = measure.measure("play-rate", True, tmp_path)
    assert record["stand_in"]
    assert record["tables"][0]["rows"]
