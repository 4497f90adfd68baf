"""Sweeps from Python: the same cases as the command, resumed, named, measured."""

import json

import numpy as np
import pytest

import taut

VARY = {"body.0.stretch": [100.0, 400.0], "method.iterations": np.array([3, 9])}


def results(sweep):
    return [(case["index"], case["status"], case["hash"], case["measures"]) for case in sweep.cases]


@pytest.mark.parametrize("workers", [1, 3])
def test_cases_are_those_of_the_command(command, tmp_path, workers):
    text = 'scene = "curtain21"\nframes = 3\n[vary]\n"body.0.stretch" = [100.0, 400.0]\n"method.iterations" = [3, 9]\n'
    (tmp_path / "s.toml").write_text(text)
    object = json.loads(command("sweep", "s.toml", "--json", cwd=tmp_path))
    assert object["statuses"]["done"] == object["cases"] == 4
    lines = [json.loads(line) for line in (tmp_path / "sweep/results.jsonl").read_text().splitlines()[1:]]
    sweep = taut.sweep("curtain21", VARY, out=tmp_path / "own", frames=3, workers=workers)
    assert sweep.statuses == {"done": 4}
    assert {case["hash"] for case in sweep.cases} == {line["hash"] for line in lines}
    # The journal is the same, so either goes on where the other ended.
    again = taut.sweep("curtain21", VARY, out=tmp_path / "sweep", frames=3)
    assert results(again) == results(sweep)
    by_hand = taut.Scene.load("curtain21").replace({"body.0.stretch": 400.0, "method.iterations": 9}).simulation()
    by_hand.run(3)
    assert sweep.cases[3]["hash"] == by_hand.hash


def test_what_is_measured(tmp_path):
    seen = []

    def measure(simulation):
        seen.append(simulation.hash)
        return {"lowest": simulation.positions[:, 1].min(), "shape": simulation.positions, "word": "x"}

    def start():
        return taut.sweep("curtain21", VARY, measure=measure, out=tmp_path, frames=2)

    first = start()
    assert len(seen) == 4
    assert results(start()) == results(first) and len(seen) == 4
    case = first.cases[0]
    arrays = np.load(tmp_path / "cases" / f"{case['key']}.npz")
    assert arrays["shape"][:, 1].min() == case["measures"]["lowest"]
    table = pytest.importorskip("pyarrow") and first.to_table()
    if table is not None:
        assert table.num_rows == 4 and "lowest" in table.column_names and "body.0.stretch" in table.column_names


def test_failures_have_names(tmp_path):
    vary = [{"body.0.stretch": 500.0}, {"body.0.stretch": -1.0}, {"method": {"name": "forward_euler"}, "body.0.stretch": 1e9}]
    sweep = taut.sweep("curtain21", vary, out=tmp_path, frames=20)
    assert [case["status"] for case in sweep.cases] == ["done", "refused", "diverged"]
    assert "body.0.stretch = -1" in sweep.cases[1]["error"]


def test_an_exception_in_measure_stops_it_and_keeps_what_is_done(tmp_path):
    def measure(simulation):
        if simulation.settings["method"]["iterations"] == 9:
            raise RuntimeError("on purpose")
        return {}

    with pytest.raises(RuntimeError, match="on purpose"):
        taut.sweep("curtain21", VARY, measure=measure, out=tmp_path, frames=2, workers=1)
    sweep = taut.sweep("curtain21", VARY, measure=lambda simulation: {}, out=tmp_path, frames=2)
    assert sweep.statuses == {"done": 4}


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"vary": {}}, "vary = nothing: give at least one case"),
        ({"vary": 3}, "vary = 3: must be a dict, or a list of dicts"),
        ({"vary": {"body.0.stretch": 3}}, "vary.body.0.stretch = a value: must be a list"),
        ({"backend": "dask"}, "backend = 'dask'"),
        ({"limit": -1.0}, "limit = -1"),
        ({"frames": -1}, "frames = -1"),
    ],
)
def test_what_is_refused(tmp_path, arguments, words):
    given = {"vary": VARY, "out": tmp_path / "out", **arguments}
    with pytest.raises(taut.SettingError) as caught:
        taut.sweep("curtain21", **given)
    assert words in str(caught.value)


def test_the_folder_of_another_sweep_is_refused(tmp_path):
    taut.sweep("curtain21", VARY, out=tmp_path, frames=1)
    with pytest.raises(taut.FileError, match="another sweep"):
        taut.sweep("curtain21", VARY, out=tmp_path, frames=2)
