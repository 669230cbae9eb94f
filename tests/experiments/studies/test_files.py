"""Files of a study that are not what their names say: told, and computed anew or refused."""

import json
import shutil

import numpy as np
import pytest
from selection import mostly_slow

from experiments.cli import main

TABLE = ["table", "--preset", "quick", "--agents", "random,ucb1", "--envs", "MAB-P", "--arms", "5", "--rounds", "20"]
TABLE += ["--no-figures"]


@pytest.fixture
def made(nsa, tmp_path):
    """A results file, what was said of it, and the command again."""
    said = json.loads(nsa(*TABLE, "--json", cwd=tmp_path))
    return tmp_path / said["files"]["results"], said


def crafted(path, change=lambda meta: meta, arrays=lambda arrays: arrays, checksum=False):
    """The same file with something else inside, and without the checksum unless it is to stay."""
    with np.load(path) as file:
        found = dict(file)
    meta = json.loads(str(found.pop("meta")))
    if not checksum:
        meta.pop("checksum", None)
    np.savez(path, meta=np.array(json.dumps(change(meta))), **arrays(found))


def another_value(arrays):
    """The same arrays but for one number."""
    name = next(name for name in arrays if name.endswith("|regret"))
    return {**arrays, name: np.append(arrays[name][:-1], 0.001)}


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:1000]),
        lambda path: path.write_bytes(b""),
        lambda path: crafted(path, lambda meta: {**meta, "settings": {**meta["settings"], "seed": 7}}),
        lambda path: crafted(path, lambda meta: {**meta, "version": 99}),
        lambda path: crafted(path, arrays=lambda found: dict(list(found.items())[1:])),
        lambda path: crafted(path, arrays=lambda found: {name: array.ravel()[:0] for name, array in found.items()}),
        lambda path: crafted(path, arrays=another_value, checksum=True),
    ],
    ids=["cut short", "empty", "other settings", "other version", "an array less", "empty arrays", "another value"],
)
def test_results_that_are_not_what_was_asked_for_are_computed_anew(damage, made, nsa, capsys):
    path, said = made
    before = path.read_bytes()
    damage(path)
    assert json.loads(nsa(*TABLE, "--json")) == said
    assert path.read_bytes() == before


def test_it_is_said_that_they_are(made, capsys):
    path, _ = made
    crafted(path, lambda meta: {**meta, "settings": {**meta["settings"], "seed": 7}})
    assert main(TABLE) == 0
    said = f"note: nsa-results/{path.name} holds results of other settings; computing everything again\n"
    assert capsys.readouterr().err == said


def test_a_changed_value_is_not_shown_as_the_answer(made, refused, capsys):
    path, _ = made
    crafted(path, arrays=another_value, checksum=True)
    name, folder = f"nsa-results/{path.name}", path.parent.parent
    damage = f"{name} is damaged: its content does not match its checksum"
    assert refused("table", "--from", name, cwd=folder) == f"nsa table: error: {damage}; delete it and run again\n"
    assert main(TABLE) == 0
    assert capsys.readouterr().err == f"note: {damage}; computing everything again\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda meta: {**meta, "versions": {**meta["versions"], "numpy": "1.0"}},
        lambda meta: {**meta, "settings": {**meta["settings"], "seed": 7}},
    ],
    ids=["version", "seed"],
)
def test_what_made_a_result_is_part_of_its_checksum(change, made, refused):
    path, _ = made
    crafted(path, change, checksum=True)
    assert "is damaged" in refused("table", "--from", path, cwd=path.parent.parent)


def test_results_of_release_0_2_have_no_checksum_and_load(made, nsa):
    path, said = made
    crafted(path)
    outcome = json.loads(nsa("table", "--from", path, "--no-figures", "--json"))
    assert outcome["cells"] == said["cells"]


@pytest.mark.parametrize("of", mostly_slow(["another seed", "cut short", "another value"], "another seed"))
def test_cells_of_other_settings_or_damaged_are_computed_anew(of, nsa, capsys, tmp_path):
    expected = json.loads(nsa(*TABLE, "--json", cwd=tmp_path))
    path = tmp_path / expected["files"]["results"]
    cells = path.with_suffix(".cells")
    cells.mkdir()
    if of == "another seed":  # cells under the right names, of another run
        from experiments import registry
        from experiments.core import cells as room

        study = registry.study("table")
        other = study.load(path)
        told = {**other.settings_dict, "seed": 7}
        for name, arrays in other.cells.items():
            made = {"study": "table", "settings": told, "marks": dict(other.versions), "cell": name}
            zeros = {key: np.zeros_like(array) for key, array in arrays.items()}
            room.CELL.write(cells / f"{room.file_stem(name)}.npz", made, zeros)
    elif of == "another value":
        from experiments import registry
        from experiments.core import cells as room

        results, name = registry.study("table").load(path), "MAB-P/5/random"
        made = {"study": "table", "settings": results.settings_dict, "marks": dict(results.versions), "cell": name}
        cell = cells / f"{room.file_stem(name)}.npz"
        room.CELL.write(cell, made, results.cells[name])
        crafted(cell, arrays=lambda found: {**found, "regret": found["regret"] / 2}, checksum=True)
    else:
        (cells / "MAB-P%2F5%2Frandom.npz").write_bytes(b"PK\3\4")
    path.unlink()
    assert main([*TABLE, "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out) == expected
    assert told.err.count("computing it again") == (2 if of == "another seed" else 1)
    assert not cells.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda meta: {key: value for key, value in meta.items() if key != "settings"},
        lambda meta: {**meta, "settings": {}},
        lambda meta: {**meta, "settings": []},
        lambda meta: {**meta, "settings": {**meta["settings"], "arms": "many"}},
        lambda meta: {**meta, "settings": {**meta["settings"], "agents": ["nobody"]}},
        lambda meta: {**meta, "versions": None, "study": "standings"},
    ],
)
def test_odd_entries_are_one_line_where_results_are_drawn(change, made, refused):
    path, _ = made
    crafted(path, change)
    shutil.copy(path, path.parent.parent / "odd.npz")
    assert "odd.npz" in refused("table", "--from", "odd.npz", cwd=path.parent.parent)
