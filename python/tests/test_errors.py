"""Bad input: the class, a sentence with name, value and remedy, and a state that is what it was."""

import numpy as np
import pytest

import taut

M = 49


def rows(n, value=0.0):
    return np.full((n, 3), value)


def with_nan():
    array = rows(M)
    array[7, 1] = np.nan
    return array


def assign(name, value):
    return lambda s: setattr(s, name, value)


def fail(*_):
    raise RuntimeError("on purpose")


SETTING = [
    (assign("positions", rows(M - 1)), "positions = an array of shape (48, 3): must have the shape (49, 3)"),
    (assign("positions", np.zeros((3, M))), "must have the shape (49, 3)"),
    (assign("positions", np.zeros(3 * M)), "positions = an array of shape (147,)"),
    (assign("positions", 0.0), "positions = an array of shape ()"),
    (assign("positions", with_nan()), "positions of particle 7 = [0, NaN, 0]: must be finite"),
    (assign("positions", rows(M, np.inf)), "positions of particle 0"),
    (assign("positions", rows(M).astype(complex)), "positions = an array of complex128"),
    (assign("positions", [["a", "b", "c"]] * M), "positions = an array of <U1"),
    (assign("positions", [[0, 0, 0]] * (M - 1) + [[0, 0]]), "positions = [[0, 0, 0]"),
    (assign("positions", rows(M).astype(object)), "positions = an array of object"),
    (assign("positions", rows(M).astype(bool)), "positions = an array of bool"),
    (assign("positions", rows(M).astype(np.longdouble)), "positions = an array of float128"),
    (assign("positions", None), "positions = an array of object"),
    (assign("velocities", with_nan()), "velocities of particle 7"),
    (assign("forces", with_nan()), "forces of particle 7"),
    (assign("forces", rows(0)), "must have the shape (49, 3)"),
    (assign("stiffness", -1.0), "stiffness of spring 0 = -1: must be zero or more and finite"),
    (assign("stiffness", [1.0, 2.0]), "must be one number, or have the shape"),
    (assign("stiffness", np.nan), "stiffness of spring 0 = NaN"),
    (assign("stiffness", "soft"), "stiffness = an array of <U4"),
    (assign("wind", [1, 2]), "wind = an array of shape (2,): must be three numbers"),
    (assign("wind", [1, 2, np.inf]), "wind = [1, 2, inf]: must be finite"),
    (assign("gravity", "down"), "gravity = an array of <U4"),
    (lambda s: s.pin(M), "particles = 49: there are only 49, counted from 0"),
    (lambda s: s.pin(-M - 1), "particles = -50"),
    (lambda s: s.pin([1, 2, 10**9]), "particles = 1000000000"),
    (lambda s: s.pin(10**30), "particles = "),
    (lambda s: s.pin(1.0), "particles = 1.0: must be an int, a slice, an array of indices or a mask"),
    (lambda s: s.pin([1.5]), "particles = [1.5]"),
    (lambda s: s.pin(True), "particles = True"),
    (lambda s: s.pin("all"), "particles = 'all'"),
    (lambda s: s.pin(None), "particles = None"),
    (lambda s: s.pin(np.ones(M - 1, bool)), "a mask must have the shape (49,)"),
    (lambda s: s.pin(np.ones((M, 1), bool)), "particles = an array of shape (49, 1)"),
    (lambda s: s.pin([[1, 2]]), "particles = an array of shape (1, 2)"),
    (lambda s: s.pin(np.array([2**64 - 1], np.uint64)), "particles = 9223372036854775807"),
    (lambda s: s.pin(slice(0, 5, 0)), "particles = slice(0, 5, 0)"),
    (lambda s: s.grab(0, [1, 2]), "places = an array of shape (2,)"),
    (lambda s: s.grab([0, 1], rows(3)), "must have the shape (2, 3)"),
    (lambda s: s.grab(0, [0, np.nan, 0]), "places of particle 0"),
    (lambda s: s.scale_stiffness(10**6, 2.0), "springs = 1000000: there are only"),
    (lambda s: s.scale_stiffness([0, 0], 2.0), "springs = spring 0: is named twice"),
    (lambda s: s.scale_stiffness(0, -1.0), "stiffness = -1"),
    (lambda s: s.scale_stiffness(0, np.nan), "stiffness = NaN"),
    (lambda s: s.step(0), "count = 0: must be a whole number, 1 or more"),
    (lambda s: s.step(-1), "count = -1"),
    (lambda s: s.step(1.5), "count = 1.5"),
    (lambda s: s.step(10**30), "count = 1"),
    (lambda s: s.run(-1), "frames = -1: must be a whole number, 0 or more"),
    (lambda s: s.run(1, every=0), "every = 0"),
    (lambda s: s.settle(-1.0), "tolerance = -1"),
    (lambda s: s.settle(1e-9, 0), "limit = 0"),
    (lambda s: s.configure(method="newtin"), 'method.name = "newtin": did you mean `newton`?'),
    (lambda s: s.configure(methode="newton"), "unknown key `methode`"),
    (lambda s: s.configure(time_step=0.0), "time step = 0"),
    (lambda s: s.configure(time_step="short"), 'time_step = "short": must be a number'),
    (lambda s: s.configure(damping={"drag": -1.0}), "damping.drag = -1"),
    (lambda s: s.configure(method={"iterations": 0}), "iterations = 0"),
    (lambda s: s.configure(scheme=[None]), "settings.scheme.0 = None: must be a number, text"),
    (lambda s: s.configure(contact={"level": "some"}), 'contact.level = "some"'),
    (lambda s: s.apply({"plce": {}}), "edit = {'plce': {}}: is none: unknown variant `plce`"),
    (lambda s: s.apply({"place": {"particles": [0]}}), "missing field `places`"),
    (lambda s: s.apply({"place": {"particles": [99], "places": [[0, 0, 0]]}}), "particle 99"),
    (lambda s: s.apply(3), "edit = 3: is none"),
    (lambda s: s.cut([[0, 0, 0]]), "must have the shape (n, 3, 3)"),
    (lambda s: s.cut({"line": [[0, 0, 0]]}), "the key `along` is missing"),
    (lambda s: s.cut({"line": [[0, 0, 0]], "along": [0, 1, 0]}), "cut.line = 1 points"),
    (lambda s: s.cut_at([1, 2]), "particle = 2 particles: must be one"),
    (lambda s: s.move(0, [0, 0, 0]), "solid = obstacle 0: there are only 0"),
    (lambda s: s.move("ball", [0, 0, 0]), 'solid = "ball": is the name of no body'),
    (lambda s: s.move(0, [0, 0, 0], [0, 0, 0]), "rotation = an array of shape (3,): must be 4 numbers"),
    (lambda s: s.copy_positions(rows(M - 1)), "must have the shape (49, 3)"),
    (lambda s: s.copy_positions(np.zeros((M, 3), int)), "must be a float64 or float32 array"),
    (lambda s: s.copy_positions([[0, 0, 0]] * M), "must be a float64 or float32 array"),
    (lambda s: s.copy_positions(s.positions), "cannot be written to"),
    (lambda s: taut.Simulation("curtain21", threads=0), "threads = 0"),
    (lambda s: taut.Simulation("curtain21", threads=5000), "threads = 5000: must be between 1 and 1024"),
    (lambda s: taut.Simulation("curtain21", threads="two"), "threads = 'two'"),
    (lambda s: taut.Simulation(3), "scene = 3: must be a Scene"),
    (lambda s: taut.Scene.load("curtain21").replace({"body.0.stretch": None}), "changes.body.0.stretch = None"),
    (lambda s: taut.Scene.load("curtain21").replace({"body.7.stretch": 1}), "key = body.7"),
    (lambda s: taut.Scene.load("curtain21").replace(3), "changes = 3: must be a dict"),
    (lambda s: taut.Scene.from_dict({"body": [{"grid": {1: 2}}]}), "keys must be text"),
    (lambda s: s.replay([{"step": 3}]), "missing field `edit`"),
]


@pytest.mark.parametrize("deed, words", SETTING, ids=[words for _, words in SETTING])
def test_settings_are_refused(cloth, deed, words):
    before, bytes = cloth.hash, cloth.snapshot()
    with pytest.raises(taut.SettingError) as caught:
        deed(cloth)
    error = caught.value
    assert words in str(error)
    assert "\n" not in str(error)
    assert isinstance(error, ValueError) and isinstance(error, taut.Error)
    assert error.name and error.value is not None and error.remedy
    assert (cloth.hash, cloth.snapshot()) == (before, bytes)
    cloth.step()


FILES = [
    (lambda folder: taut.Scene.load("curtian"), "curtian: there is no scene of this name; did you mean `curtain`?", None),
    (lambda folder: taut.Scene.load(folder), "is not a regular file", None),
    (lambda folder: taut.Scene.load(folder / "no.toml"), "cannot be read", None),
    (lambda folder: taut.Scene.parse("duration = -1"), "scene:1: duration = -1; must be positive", 1),
    (lambda folder: taut.Scene.parse(""), "the scene has no body", None),
    (lambda folder: taut.Scene.from_dict({"body": [{"gird": {}}]}), "body.0.gird: unknown key `gird`", None),
    (lambda folder: taut.Simulation({"titel": "x"}), "titel: unknown key `titel`; did you mean `title`?", None),
    (
        lambda folder: taut.Scene.load("curtain21").replace({"body.0.strech": 1.0}),
        "curtain21: body.0.strech: unknown key `strech`; did you mean `stretch`?",
        None,
    ),
    (lambda folder: taut.read_mesh(folder / "no.obj"), "no.obj: cannot be read", None),
    (lambda folder: taut.read_mesh(folder), "is not a regular file", None),
    (lambda folder: taut.Simulation.restore(b"nothing"), "this is no state that taut saved", None),
    (lambda folder: taut.Simulation("curtain21").run(1).save(folder / "a.mp4"), "cannot write this format", None),
    (lambda folder: taut.Simulation("curtain21").run(1).save(folder / "no" / "a.glb"), "cannot write", None),
    (lambda folder: taut.Simulation("curtain21").run(1).save(folder / "no" / "a.npz"), "cannot write", None),
]


@pytest.mark.parametrize("deed, words, line", FILES, ids=[words for _, words, _ in FILES])
def test_files_are_refused(tmp_path, deed, words, line):
    with pytest.raises(taut.FileError) as caught:
        deed(tmp_path)
    assert words in str(caught.value)
    assert caught.value.line == line and caught.value.path is not None
    assert isinstance(caught.value, ValueError)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_snapshot_is_refused(cloth):
    bytes = cloth.snapshot()
    for at in range(0, len(bytes), len(bytes) // 50):
        odd = bytes[:at] + bytes[at + 1 :]
        with pytest.raises(taut.Error):
            taut.Simulation.restore(odd)


def test_what_blows_up_keeps_the_last_good_state(cloth):
    cloth.forces = np.full((M, 3), 1e308)
    before = cloth.hash
    with pytest.raises(taut.Diverged, match="the last good state is kept") as caught:
        cloth.step(5)
    assert isinstance(caught.value, ArithmeticError)
    assert caught.value.time == cloth.time and 0 <= caught.value.particle < M
    assert cloth.hash == before
    cloth.forces = np.zeros((M, 3))
    cloth.step()


def test_an_exception_in_progress_comes_through(cloth):
    with pytest.raises(RuntimeError, match="on purpose"):
        cloth.run(5, progress=fail)
    assert cloth.step().step == 5
    with pytest.raises(TypeError):
        cloth.run(5, progress=3)
    cloth.step()


def test_what_does_not_exist_is_not_made(cloth):
    with pytest.raises(AttributeError):
        cloth.position = 3
    with pytest.raises(AttributeError):
        cloth.particles = 3
    with pytest.raises(AttributeError):
        cloth.step().time = 3
