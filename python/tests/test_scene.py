"""Scenes, fabrics, meshes, and what else there is."""

import pickle

import numpy as np
import pytest

import taut
from conftest import CLOTH


def test_what_comes_with_it():
    assert taut.scenes()["curtain21"].startswith("Small curtain")
    assert taut.fabrics()["silk"]["density"] == 0.08
    scene = taut.Scene.load("curtain21")
    assert (scene.name, scene.frames, scene.substeps) == ("curtain21", 150, 1)
    assert scene.time_step == pytest.approx(1 / 30)
    assert scene.text.startswith("#") and len(scene.hash) == 16
    assert scene.notes == []


def test_scenes_from_text_dicts_and_files(tmp_path):
    text = 'title = "t"\n[[body]]\ngrid = { columns = 3, rows = 3, width = 1.0, height = 1.0 }\n'
    parsed = taut.Scene.parse(text, name="mine")
    assert (parsed.name, parsed.title) == ("mine", "t")
    (tmp_path / "mine.toml").write_text(text)
    assert taut.Scene.load(tmp_path / "mine.toml").hash == parsed.hash
    tables = {"title": "t", "body": [{"grid": {"columns": np.int64(3), "rows": 3, "width": np.float32(1), "height": 1}}]}
    made = taut.Scene.from_dict(tables, name="mine")
    assert taut.Simulation(made).hash == taut.Simulation(parsed).hash == taut.Simulation(tmp_path / "mine.toml").hash
    assert taut.Scene.parse(made.text).hash == made.hash


def test_meshes(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 1 0\nf 1 2 3\n")
    mesh = taut.read_mesh(tmp_path / "a.obj")
    assert mesh.positions.shape[1] == 3 and mesh.triangles.tolist() == [[0, 1, 2]] and mesh.tets.shape == (0, 4)
    tables = {"body": [{"mesh": {"file": "a.obj"}}]}
    assert taut.Scene.from_dict(tables, folder=tmp_path).simulation().particles >= 3
    with pytest.raises(taut.FileError):
        taut.Scene.from_dict(tables)


def test_checks_find_what_is_suspicious():
    assert [finding for finding in taut.Scene.load("curtain21").check() if finding.severity != "note"] == []
    huge = taut.Scene.load("curtain21").replace({"body.0.grid.width": 1000.0, "body.0.grid.height": 1000.0})
    findings = huge.check()
    assert findings and findings[0].to_dict().keys() == {"severity", "what", "remedy"}


def test_settings_and_configure(cloth):
    settings = cloth.settings
    cloth.configure(**settings)
    assert cloth.settings == settings
    cloth.configure(method={"name": "newton", "tolerance": 1e-6}, scheme="bdf2", limit={"stretch": 0.1})
    settings = cloth.settings
    assert settings["method"]["tolerance"] == 1e-6 and settings["limit"]["stretch"] == 0.1
    assert (cloth.method, settings["scheme"]) == ("newton", "bdf2")
    cloth.configure(limit=None, scheme="implicit_euler", damping={"drag": 0.5})
    assert cloth.settings["limit"] is None and cloth.settings["damping"]["drag"] == 0.5
    cloth.step()


def test_settling():
    simulation = taut.Simulation(CLOTH)
    settled = simulation.settle()
    assert settled.converged and settled.steps > 10
    assert simulation.energy.kinetic == 0
    energy = simulation.energy
    assert energy.total == pytest.approx(energy.kinetic + energy.elastic + energy.gravity)


def test_relative_errors(cloth):
    before = cloth.hash
    cloth.configure(method={"name": "local_global", "iterations": 2})
    rough = cloth.relative_error()
    cloth.configure(method={"name": "local_global", "iterations": 50})
    fine = cloth.relative_error()
    assert 0 <= fine < rough
    assert cloth.hash == before
    cloth.measure_error(True)
    assert cloth.step().relative_error == fine
    cloth.configure(method="symplectic_euler", time_step=1e-4)
    assert np.isnan(cloth.relative_error())


def test_records_are_frozen_and_can_be_pickled(cloth):
    report = cloth.step()
    assert pickle.loads(pickle.dumps(report)).to_dict() == report.to_dict()
    assert repr(report).startswith("Report(step=4, ")
    assert "441 particles" in repr(taut.Scene.load("curtain21"))
    assert repr(cloth).startswith("Simulation('scene': 49 particles") or "49 particles" in repr(cloth)


def test_errors_can_be_pickled():
    with pytest.raises(taut.SettingError) as caught:
        taut.Simulation("curtain21", threads=0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is taut.SettingError and again.name == "threads" and str(again) == str(caught.value)
