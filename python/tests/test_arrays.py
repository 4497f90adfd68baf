"""Arrays are snapshots: new, read-only, and never changed afterwards."""

import gc
import random

import numpy as np
import pytest

import taut

ARRAYS = ["positions", "velocities", "forces", "rest", "masses", "triangles", "tets", "spring_ends", "rest_lengths",
          "stiffness", "families", "wind", "gravity", "momentum"]


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_new_read_only_and_in_order(cloth, name):
    array = getattr(cloth, name)
    assert type(array) is np.ndarray
    assert array.flags.c_contiguous and not array.flags.writeable
    assert not np.shares_memory(array, getattr(cloth, name))
    with pytest.raises(ValueError):
        array[...] = 1
    np.testing.assert_array_equal(np.from_dlpack(array), array)
    assert memoryview(array).readonly


def test_shapes_and_kinds(cloth):
    m, s = cloth.particles, len(cloth.stiffness)
    assert cloth.positions.shape == cloth.velocities.shape == cloth.forces.shape == cloth.rest.shape == (m, 3)
    assert cloth.masses.shape == (m,) and cloth.spring_ends.shape == (s, 2)
    assert cloth.families.shape == cloth.rest_lengths.shape == (s,)
    assert cloth.positions.dtype == np.float64 and cloth.triangles.dtype == np.uint32
    assert cloth.tets.shape == (0, 4)
    assert set(np.unique(cloth.families)) == {0, 1, 2}
    np.testing.assert_allclose(cloth.momentum, (cloth.masses[:, None] * cloth.velocities).sum(axis=0))


def test_kept_arrays_keep_their_bits():
    simulation = taut.Simulation("curtain21", threads=1)
    chance = random.Random(4)
    kept = []

    def remember():
        for name in ["positions", "velocities", "stiffness", "spring_ends"]:
            array = getattr(simulation, name)
            kept.append((array, array.tobytes()))

    def odd():
        simulation.forces = np.full((simulation.particles, 3), 1e308)
        with pytest.raises(taut.Diverged):
            simulation.step()
        simulation.forces = np.zeros((simulation.particles, 3))

    def cut():
        x = chance.uniform(-0.4, 0.4)
        simulation.cut({"line": [[x, -3, -3], [x, -3, 3]], "along": [0, 6, 0]})

    deeds = [
        lambda: simulation.configure(scheme=chance.choice(["implicit_euler", "bdf2"])),
        lambda: simulation.configure(method=chance.choice(["local_global", "conjugate_gradient", "lbfgs"])),
        lambda: simulation.grab(chance.randrange(400), simulation.positions[7]),
        lambda: simulation.release(slice(21, None)),
        lambda: simulation.scale_stiffness(slice(0, 9), chance.uniform(0.9, 1.1)),
        lambda: simulation.halt(),
        odd,
    ]
    for step in range(1000):
        if step % 10 == 0:
            remember()
        if step % 37 == 0:
            chance.choice(deeds)()
        if step in (300, 600):
            cut()
        simulation.step()
    del simulation
    gc.collect()
    for array, bits in kept:
        assert array.tobytes() == bits


def test_setting_as_a_whole(cloth):
    m = cloth.particles
    moved = cloth.positions + [0, 0, 0.01]
    cloth.positions = moved
    np.testing.assert_array_equal(cloth.positions, moved)
    cloth.velocities = np.zeros((m, 3), dtype=np.float32)
    cloth.forces = [[0, 0, 1]] * m
    assert cloth.energy.kinetic == 0
    assert cloth.forces[5, 2] == 1
    cloth.velocities = np.asfortranarray(np.ones((m, 3)))
    assert (cloth.velocities == 1).all()
    cloth.velocities = np.ones((2 * m, 6))[::2, ::2]
    cloth.stiffness = 2 * cloth.stiffness
    cloth.stiffness = 500
    assert (cloth.stiffness == 500).all()
    cloth.step()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_copying_into_an_array_of_ones_own(cloth, dtype):
    out = np.empty((cloth.particles, 3), dtype)
    cloth.copy_positions(out)
    np.testing.assert_array_equal(out, cloth.positions.astype(dtype))
    wide = np.zeros((cloth.particles, 6), dtype)
    cloth.copy_positions(wide[:, ::2])
    np.testing.assert_array_equal(wide[:, ::2], out)
    assert (wide[:, 1::2] == 0).all()


@pytest.mark.parametrize(
    "which",
    [5, -1, slice(None), slice(10, 2, -3), [1, 2], np.array([3, -2]), np.arange(49) % 2 == 0, [], np.uint8(3), range(4)],
)
def test_which_particles(cloth, which):
    own = np.asarray(which, dtype=int) if isinstance(which, (list, range)) else which
    chosen = np.atleast_1d(np.arange(cloth.particles)[own])
    where = cloth.positions
    cloth.pin(which)
    cloth.step()
    for particle in chosen:
        np.testing.assert_array_equal(cloth.positions[particle], where[particle])
    cloth.release(which)
    cloth.step()


def test_others_read_them(cloth):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh(cloth.positions, cloth.triangles, process=False)
    assert len(mesh.vertices) == cloth.particles
    meshio = pytest.importorskip("meshio")
    assert meshio.Mesh(cloth.positions, {"triangle": cloth.triangles}).points.shape == (cloth.particles, 3)


def test_a_model_of_ones_own():
    def chain(**more):
        n = 5
        rest = np.column_stack([np.arange(n) * 0.1, np.ones(n), np.zeros(n)])
        springs = [(i, i + 1) for i in range(n - 1)]
        return taut.Simulation.from_arrays(rest=rest, masses=0.1, springs=springs, stiffness=100.0, **more)

    simulation = chain(families=["stretch"] * 3 + ["bend"], solids=[{"ground": {"height": 0.0}}], method="newton")
    simulation.pin(0)
    assert simulation.method == "newton" and simulation.time_step == 1 / 30
    assert list(simulation.families) == [0, 0, 0, 2]
    np.testing.assert_allclose(simulation.rest_lengths, 0.1)
    recording = simulation.run(20)
    assert recording.positions.shape == (21, 5, 3)
    assert simulation.positions[4, 1] < 0.9
    simulation.move(0, [0, 0.1, 0])
    assert np.isclose(chain(gravity=(0, 0, 0), rest_lengths=[0.1] * 4).run(2).positions[-1, 4, 1], 1.0)
    with pytest.raises(taut.ModelError, match="spring 0"):
        taut.Simulation.from_arrays(rest=np.zeros((2, 3)), masses=1, springs=[(0, 7)], stiffness=1)
    with pytest.raises(taut.SettingError, match="solids.0|solid"):
        chain(solids=[{"grund": {}}])
