#!/usr/bin/env python3
"""Check taut's mesh files against programs that are not taut (trimesh and meshio from PyPI).

They write samples of every format that taut then reads and writes back as OBJ and PLY; they read those again
and must find the same vertices, faces and tets. Needs: pip install trimesh meshio numpy.
usage: check_meshes.py COMMAND...    where `COMMAND... in out.obj|out.ply` reads a mesh and writes it back
"""
import pathlib, subprocess, sys, tempfile
import meshio, numpy as np, trimesh

converter = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp(prefix="taut_meshes_"))
failures = 0


def corners(points, cells):
    """Positions of all corners of all cells: does not depend on how vertices are numbered or split."""
    return np.asarray(points, float)[np.asarray(cells, int)]


def check(name, points, triangles, tolerance=0.0):
    global failures
    for suffix in (".obj", ".ply"):
        out = folder / (name.replace(".", "_") + suffix)
        run = subprocess.run([*converter, folder / name, out], capture_output=True, text=True)
        problem = run.stderr.strip() if run.returncode else ""
        if run.returncode == 0:
            mesh = trimesh.load(out, process=False, force="mesh")
            expected, found = corners(points, triangles), corners(mesh.vertices, mesh.faces)
            if expected.shape != found.shape:
                problem = f"{found.shape} corners, expected {expected.shape}"
            elif np.abs(expected - found).max() > tolerance:
                problem = f"off by {np.abs(expected - found).max()}"
        failures += bool(problem)
        print(f"{'FAIL' if problem else 'ok  '} {name:24} -> {suffix} {problem}")


# A closed surface with irrational coordinates, and a solid.
ball = trimesh.creation.icosphere(subdivisions=2)
points, faces = np.asarray(ball.vertices), np.asarray(ball.faces)
single = points.astype(np.float32).astype(float)
for name, tolerance, coordinates, options in [
    ("t.obj", 1e-7, points, {"digits": 17}),
    ("t_binary.ply", 1e-7, points, {"encoding": "binary"}),
    ("t_ascii.ply", 1e-7, points, {"encoding": "ascii"}),
    ("t_binary.stl", 0, single, {}),
    ("t_ascii.stl", 1e-7, points, {"file_type": "stl_ascii"}),
    ("t.glb", 0, single, {}),
]:
    ball.export(folder / name, **options)
    check(name, coordinates, faces, tolerance)
for name, data in ball.export(file_type="gltf").items():
    (folder / name.replace("model.gltf", "t.gltf")).write_bytes(data)
check("t.gltf", single, faces)

surface = meshio.Mesh(points, [("triangle", faces)])
centre = len(points)
solid = np.column_stack([faces, np.full(len(faces), centre)])
everything = np.vstack([points, [[0, 0, 0]]])
pin = np.arange(len(everything)) / 7
volume = meshio.Mesh(everything, [("triangle", faces), ("tetra", solid)], point_data={"pin": pin})
tags = {"gmsh:dim_tags": np.tile([3, 1], (len(everything), 1))}
ones = [np.ones(len(faces), int), np.ones(len(solid), int)]
gmsh4 = meshio.Mesh(everything, volume.cells, point_data=tags, cell_data={"gmsh:geometrical": ones, "gmsh:physical": ones})
for mesh, name, file_format, options in [
    (surface, "m.obj", "obj", {}),
    (surface, "m_binary.ply", "ply", {"binary": True}),
    (surface, "m_ascii.ply", "ply", {"binary": False}),
    (surface, "m_ascii.stl", "stl", {"binary": False}),
    (volume, "m.mesh", "medit", {}),
    (volume, "m2_ascii.msh", "gmsh22", {"binary": False}),
    (volume, "m2_binary.msh", "gmsh22", {"binary": True}),
    (gmsh4, "m4_ascii.msh", "gmsh", {"binary": False}),
    (gmsh4, "m4_binary.msh", "gmsh", {"binary": True}),
    (volume, "m5_ascii.vtk", "vtk51", {"binary": False}),
    (volume, "m5_binary.vtk", "vtk51", {"binary": True}),
    (volume, "m4_ascii.vtk", "vtk42", {"binary": False}),
    (volume, "m4_binary.vtk", "vtk42", {"binary": True}),
]:
    meshio.write(folder / name, mesh, file_format=file_format, **options)
    check(name, points, faces, 0 if "stl" not in name else 1e-7)
    if name.endswith(".vtk") and not np.array_equal(meshio.read(folder / name.replace(".vtk", "_vtk.ply")).point_data["pin"], pin):
        failures += 1
        print(f"FAIL {name}: the attribute is lost")
# Quads stay quads.
grid = np.array([[x, y, np.sin(x * y)] for x in range(4) for y in range(4)], float)
quads = np.array([[i, i + 4, i + 5, i + 1] for i in range(11) if i % 4 != 3])
meshio.write(folder / "quads.obj", meshio.Mesh(grid, [("quad", quads)]))
for suffix in (".obj", ".ply"):
    subprocess.run([*converter, folder / "quads.obj", folder / ("quads_out" + suffix)], check=True, stderr=subprocess.DEVNULL)
    found = meshio.read(folder / ("quads_out" + suffix))
    same = np.array_equal(found.points, grid) and np.array_equal(found.cells_dict.get("quad"), quads)
    failures += not same
    print("ok  " if same else "FAIL", "quads.obj ->", suffix, "as quads")
# TetGen has no faces of its own here, so the surface comes from the tets: compare as sets of corners.
meshio.write(folder / "m.node", meshio.Mesh(volume.points, [("tetra", solid)]), file_format="tetgen")
subprocess.run([*converter, folder / "m.ele", folder / "m_ele.ply"], check=True, stderr=subprocess.DEVNULL)
found = trimesh.load(folder / "m_ele.ply", process=False)
if not (found.is_watertight and abs(found.volume - ball.volume) < 1e-12):
    failures += 1
    print("FAIL m.ele: the surface of the tets is not the ball")
else:
    print("ok   m.ele -> surface, watertight, same volume")
sys.exit(1 if failures else 0)
