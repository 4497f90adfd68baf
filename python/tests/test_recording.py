"""Frames of a run, their files, and what a notebook shows."""

import base64
import html
import re

import numpy as np
import pytest

import taut


@pytest.fixture(scope="module")
def recording():
    return taut.Simulation("curtain21").run(8)


def test_what_is_recorded(recording):
    assert recording.positions.shape == (9, 441, 3) and recording.positions.dtype == np.float32
    assert recording.times.shape == (9,) and recording.times[0] == 0
    assert [report.step for report in recording.reports] == list(range(1, 9))
    assert recording.reports[-1].time == recording.times[-1]
    assert not recording.positions.flags.writeable
    assert recording.summary["frames"] == 8
    report = recording.reports[-1]
    assert report.to_dict()["iterations"] == report.iterations > 0
    assert report.ended in {"iterations", "tolerance", "budget", "rounding", "stalled"}


def test_every_other_frame_and_progress(recording):
    seen = []
    simulation = taut.Simulation("curtain21")
    other = simulation.run(8, every=2, progress=lambda done, all: seen.append((done, all)))
    np.testing.assert_array_equal(other.positions, recording.positions[::2])
    np.testing.assert_array_equal(other.times, recording.times[::2])
    assert len(other.reports) == 8
    assert seen == [(n, 8) for n in range(1, 9)]
    assert simulation.report.step == 8


def test_files_are_those_of_the_command(recording, command, tmp_path):
    command("run", "curtain21", "--frames", "8", "--format", "glb,html,gif", cwd=tmp_path)
    for ending in ["glb", "html", "gif"]:
        recording.save(tmp_path / f"own.{ending}")
        assert (tmp_path / f"own.{ending}").read_bytes() == (tmp_path / f"out/curtain21.{ending}").read_bytes()


def test_other_files(recording, tmp_path):
    for name in ["a.png", "a.obj", "a.ply"]:
        recording.save(str(tmp_path / name), size=(64, 48))
        assert (tmp_path / name).stat().st_size > 500
    recording.save(tmp_path / "a.npz")
    arrays = np.load(tmp_path / "a.npz")
    np.testing.assert_array_equal(arrays["positions"], recording.positions)
    np.testing.assert_array_equal(arrays["triangles"], recording.triangles)
    with pytest.raises(taut.SettingError, match="size"):
        recording.save(tmp_path / "b.png", size=(1, 1))
    assert len(list(tmp_path.iterdir())) == 4


def test_after_a_cut_copies_are_on_their_parents():
    simulation = taut.Simulation("curtain21")
    first = simulation.run(2)
    assert first.positions.shape[1] == 441
    done = simulation.cut({"line": [[0.03, -3, -3], [0.03, -3, 3]], "along": [0, 6, 0]})
    assert done["copies"] == 21 and done["pieces"] == 2
    after = simulation.run(3)
    assert after.positions.shape[1] == simulation.particles == 441 + 21
    assert after.triangles.max() == simulation.particles - 1
    np.testing.assert_array_equal(after.positions[0, :441], first.positions[-1])
    assert after.summary["cut"]["copies"] == 21
    scene = taut.Scene.load("curtain21").replace(
        {"event": [{"time": 0.1, "cut": {"line": [[0.03, -3, -3], [0.03, -3, 3]], "along": [0, 6, 0]}}]}
    )
    within = scene.simulation().run(6)
    assert within.positions.shape[1] == 462
    copies = within.positions[0, 441:]
    assert all(any((copy == place).all() for place in within.positions[0, :441]) for copy in copies)


def test_what_a_notebook_shows(recording):
    page = recording._repr_html_()
    assert page.startswith("<iframe") and "allow-scripts" in page
    inner = html.unescape(re.search(r'srcdoc="([^"]*)"', page).group(1))
    assert inner.lower().startswith("<!doctype html>") and "</html>" in inner
    still = taut.Simulation("curtain21")._repr_html_()
    picture = base64.b64decode(re.search(r"base64,([^\"]*)", still).group(1))
    assert picture.startswith(b"\x89PNG") and "441 particles" in still
