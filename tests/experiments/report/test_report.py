"""The report: one page, opened in a real browser."""

import contextlib
import io
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from small_studies import small

from experiments import cli, parser
from experiments.core import study_command
from experiments.report import command as report_command
from experiments.report.command import studies
from nsa_brian.parameter_set import BEST

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# Put into a copy of the page: looks at it as a reader would, and writes down what it saw.
PROBE = """
<script>
window.seen = {errors: []};
window.addEventListener("error", (event) => window.seen.errors.push(String(event.message)));
</script>
"""
LOOK = """
<script>
addEventListener("load", () => {
  const seen = window.seen;
  seen.images = [...document.images].map((image) => [image.naturalWidth, image.alt.length]);
  seen.overflow = document.documentElement.scrollWidth - innerWidth;
  seen.sorted = [...document.querySelectorAll("table")].map((table) => {
    const column = table.tHead.rows[0].cells.length - 1;
    const texts = () => [...table.tBodies[0].rows].map((row) => row.cells[column].textContent.trim());
    const before = texts();
    const button = table.tHead.rows[0].cells[column].querySelector("button");
    button.click();
    const up = texts();
    button.click();
    return {before, up, down: texts()};
  });
  const note = document.createElement("pre");
  note.id = "seen";
  note.textContent = JSON.stringify(seen);
  document.body.append(note);
});
</script>
"""


@pytest.fixture(scope="module")
def page(done):
    """The page of all studies in a small size, which is their quick one here."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(said):
        for study in studies():
            patch.setattr(study, "presets", {**study.presets, "quick": small(study.name)})
        assert cli.main(["report", "--preset", "quick", "--out", str(done.out), "--json"]) == 0
    outcome = json.loads(said.getvalue())
    assert len(outcome["claims"]) == 7
    return Path(outcome["report"]).read_text("utf-8")


@pytest.mark.slow
def test_the_page_needs_nothing_from_elsewhere(page):
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", page)
    assert "http" not in re.sub(r"base64,[^\"]*", "", page)


@pytest.mark.slow
def test_every_part_tells_its_settings_and_its_command(page):
    names = ("environments", "decision", "response", "table", "standings", "ablation", "bound", "entropy", "updates")
    for name in names:
        assert f"<pre>nsa {name} --preset quick</pre>" in page
    assert page.count("<dt>seed</dt>") == len(names) - 1  # all but response, which has no luck
    assert page.count('alt="') == len(names)


def dump(path, width):
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    flags += [
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        f"--user-data-dir={path.parent / 'user'}",
    ]
    flags += [f"--window-size={width},900", "--virtual-time-budget=5000", "--dump-dom"]
    done = subprocess.run([BROWSER, *flags, path.as_uri()], capture_output=True, text=True, timeout=120)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.S)
    assert found, done.stderr
    return json.loads(found[1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))


def numbers(texts):
    leading = [re.match(r"[-+]?[\d.]+", text) for text in texts]
    return [float(found[0]) for found in leading] if all(leading) else None


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
@pytest.mark.parametrize("width", [500, 1400])
def test_in_a_browser_no_errors_all_images_and_tables_that_sort(page, tmp_path, width):
    path = tmp_path / "page.html"
    path.write_text(page.replace("<head>", "<head>" + PROBE).replace("</body>", LOOK + "</body>"), "utf-8")
    seen = dump(path, width)
    assert seen["errors"] == []
    assert len(seen["images"]) == 9
    assert all(image_width > 500 and alt > 30 for image_width, alt in seen["images"])
    assert seen["overflow"] <= 0  # wide tables scroll by themselves
    assert len(seen["sorted"]) >= 13
    for table in seen["sorted"]:
        assert sorted(table["before"]) == sorted(table["up"]) == sorted(table["down"])
        if numbers(table["up"]):
            assert numbers(table["up"]) == sorted(numbers(table["before"]))
            assert numbers(table["down"]) == sorted(numbers(table["before"]), reverse=True)


def test_parameters_model_seed_and_plugins_reach_every_part_that_has_them(tmp_path):
    path, plugin = tmp_path / "leaky.py", tmp_path / "plug in.py"
    path.write_text("from nsa_brian import Model\nMODEL = Model(name='leaky', plasticity='w + 0.1 * (R - w)')\n")
    plugin.write_text("")
    words = ["report", "--model", str(path), "--parameters", "minbandit-38", "--seed", "3", "--plugin", str(plugin)]
    args = parser.build_parser().parse_args(words)
    for study in studies():
        settings, told = report_command.settings_of(study, args), report_command.command_line(study, args)
        again = parser.build_parser().parse_args(shlex.split(told)[1:])
        assert study_command.read_settings(study, again) == settings
        assert again.plugin == [str(plugin)]
        if study.name != "environments":
            agents = [agent for name, agent in settings.nsa_agents.items() if name != f"nsa:{BEST}"]
            assert {(agent.model_name, agent.name) for agent in agents} == {("leaky", "minbandit-38")}


def test_a_report_of_spikes_is_of_spikes_but_for_what_rates_compute():
    args = parser.build_parser().parse_args(["report", "--model", "spiking"])
    models = {study.name: getattr(report_command.settings_of(study, args), "model", None) for study in studies()}
    assert {name for name, model in models.items() if model != "spiking"} == {"environments", "response"}


def test_a_page_of_one_part_has_its_picture_and_needs_nothing_from_elsewhere(tmp_path, monkeypatch, capsys):
    study = next(study for study in studies() if study.name == "environments")
    monkeypatch.setattr(study, "presets", {**study.presets, "quick": small(study.name)})
    monkeypatch.setattr(report_command, "studies", lambda: [study])
    assert cli.main(["report", "--preset", "quick", "--out", str(tmp_path), "--json"]) == 0
    page = Path(json.loads(capsys.readouterr().out)["report"]).read_text("utf-8")
    assert page.count('alt="') == 1
    assert "http" not in re.sub(r"base64,[^\"]*", "", page)
