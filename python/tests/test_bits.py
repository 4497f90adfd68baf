"""The same bits as the command, on any threads, copied in any way."""

import copy
import json
import pickle

import numpy as np
import pytest

import taut

# Those whose thirty frames take long are run for a few.
LONG = {"dog": 2, "dress": 3, "hippo": 5, "frog": 3}
# A cloth that falls on a ball.
DRAPE = {
    "body": [
        {
            "grid": {"columns": 9, "rows": 9, "width": 1.0, "height": 1.0},
            "mass": 0.2,
            "stretch": 300.0,
            "shear": 50.0,
            "bend": 5.0,
            "position": [0.0, 0.35, 0.0],
        }
    ],
    "solid": [{"sphere": {"centre": [0.0, 0.0, 0.0], "radius": 0.3}}],
}
METHODS = [
    "local_global", "conjugate_gradient", "lbfgs", "anderson", "chebyshev", "newton", "hybrid", "semi_implicit",
    "baraff_witkin", "static_imex", "adaptive_imex", "xpbd", "pbd",
]


@pytest.mark.parametrize("name", taut.scenes())
def test_scenes_have_the_hash_of_the_command(name, command, tmp_path):
    frames = min(LONG.get(name, 6), taut.Scene.load(name).frames)
    object = json.loads(command("run", name, "--frames", str(frames), "--json", "--format", "none", cwd=tmp_path))
    simulation = taut.Simulation(name)
    recording = simulation.run(frames)
    assert simulation.hash == object["hash"]
    assert len(recording) == frames + 1
    timed = {"seconds", "threads", "warnings", "edits", "contact"}
    summary = recording.summary
    assert summary.keys() >= object.keys() - {"warnings"}
    for key in object.keys() - timed:
        assert summary[key] == object[key], key
    last = simulation.positions.astype(np.float32)
    np.testing.assert_array_equal(recording.positions[-1], last)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_matter(threads):
    scene = taut.Scene.load("curtain")
    one, other = scene.simulation(threads=1), scene.simulation(threads=threads)
    one.step(3)
    other.step(3)
    assert one.hash == other.hash
    assert other.threads == threads


def copies(simulation):
    yield simulation.copy()
    yield copy.copy(simulation)
    yield copy.deepcopy(simulation)
    yield pickle.loads(pickle.dumps(simulation))
    yield taut.Simulation.restore(simulation.snapshot())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scheme", ["implicit_euler", "bdf2"])
def test_copies_go_on_with_the_same_bits(method, scheme):
    scene = taut.Scene.from_dict(DRAPE)
    simulation = scene.simulation()
    simulation.configure(method=method, scheme=scheme, time_step=1 / 120)
    simulation.step(25)
    assert simulation.report.touching > 0
    others = list(copies(simulation))
    simulation.step(5)
    for other in others:
        other.step(5)
        assert other.hash == simulation.hash
        assert other.time == simulation.time


def test_a_copy_knows_its_scene(cloth):
    again = pickle.loads(pickle.dumps(taut.Simulation("curtain21", threads=1)))
    assert again.threads == 1
    assert len(again.run(2)) == 3
    assert again.run(1).summary["scene"] == "curtain21"
    with pytest.raises(taut.SettingError, match="no scene says how many"):
        taut.Simulation.restore(cloth.snapshot()).run()


def test_replayed_edits_are_the_run_again():
    def start():
        return taut.Simulation("curtain21")

    live = start()
    live.record()
    live.step(2)
    live.grab(24, [0.1, 1.0, 0.2])
    live.step()
    live.wind = [0.0, 0.0, 2.0]
    live.scale_stiffness(slice(0, 50), 1.5)
    live.step(2)
    live.release(24)
    live.step(2)
    log = live.log
    assert [entry["step"] for entry in log] == [2, 3, 3, 5]
    again = start()
    again.replay(log)
    again.step(7)
    assert again.hash == live.hash
    by_hand = start()
    by_hand.step(2)
    by_hand.apply(log[0]["edit"])
    assert by_hand.step().step == 3
