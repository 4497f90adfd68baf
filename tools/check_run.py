"""Pillow and trimesh must find in what `taut run` itself wrote what the command said it wrote."""

import json
import pathlib
import sys

import numpy as np
import trimesh
from PIL import Image

folder, answer = pathlib.Path(sys.argv[1]), json.load(open(sys.argv[2]))
scene, frames, particles, triangles = (answer[k] for k in ("scene", "frames", "particles", "triangles"))
mark = f"taut {answer['version']}, scene {scene} {answer['scene_hash']}"

gif = Image.open(folder / f"{scene}.gif")
assert (gif.format, gif.size, gif.n_frames) == ("GIF", (320, 240), frames + 1), (gif.format, gif.size, gif.n_frames)
assert gif.info["comment"].decode() == mark, gif.info
pictures = []
for number in range(frames + 1):
    gif.seek(number)
    pictures.append(np.asarray(gif.convert("RGB"), int))
    png = Image.open(folder / f"{scene}_{number:04}.png")
    png.load()
    assert (png.format, png.size) == ("PNG", (320, 240))
    assert mark in png.text.values(), png.text
    near = np.abs(np.asarray(png.convert("RGB"), int) - pictures[-1]).mean()
    assert near < 8, f"frame {number} of the GIF is not the PNG: {near}"
assert np.abs(pictures[0] - pictures[-1]).mean() > 0.5, "nothing moves"

for number in range(frames + 1):
    meshes = [trimesh.load(folder / f"{scene}_{number:04}.{ending}", process=False) for ending in ("obj", "ply")]
    for mesh in meshes:
        assert (len(mesh.vertices), len(mesh.faces)) == (particles, triangles), mesh
    assert np.array_equal(meshes[0].vertices, meshes[1].vertices), "OBJ and PLY differ"
assert not (folder / f"{scene}_{frames + 1:04}.png").exists()
glb = trimesh.load_scene(folder / f"{scene}.glb", process=False)
assert sum(len(g.vertices) for g in glb.geometry.values()) >= particles, glb.geometry
print(f"{scene}: Pillow and trimesh read {frames + 1} frames of GIF, PNG, OBJ, PLY and the GLB")
