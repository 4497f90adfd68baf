"""Trimesh must find in the samples what export_sample put there: counts, places, colours, provenance."""

import json
import struct
import sys

import numpy as np
import trimesh

EXPECTED = {  # geometry: (vertices, triangles); strands are tubes of three sides, without their bend springs
    "cloth.glb": {"curtain": (6561, 12800), "ball": (33 * 64, 2 * 32 * 64)},
    "strands.glb": {"brush": (3 * 1995, 6 * 105 * 18)},
}


def last_frame(path):
    """Base plus last morph target of mesh 0: what a viewer shows at the end."""
    data = open(path, "rb").read()
    (length,) = struct.unpack_from("<I", data, 12)
    document, binary = json.loads(data[20 : 20 + length]), data[20 + length + 8 :]

    def points(index):
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        offset = view["byteOffset"] + accessor["byteOffset"]
        return np.frombuffer(binary, "<f4", 3 * accessor["count"], offset).reshape(-1, 3)

    primitive = document["meshes"][0]["primitives"][0]
    assert len(primitive["targets"]) == 149, len(primitive["targets"])
    smooth = path.endswith("cloth.glb")
    assert all(("NORMAL" in part) == smooth for part in [primitive["attributes"], *primitive["targets"]])
    return document, points(primitive["attributes"]["POSITION"]) + points(primitive["targets"][-1]["POSITION"])


for path in sys.argv[1:]:
    scene = trimesh.load_scene(path, process=False)
    for name, (vertices, elements) in EXPECTED[path.rsplit("/", 1)[-1]].items():
        mesh = scene.geometry[name]
        found = (len(mesh.vertices), len(mesh.faces) if hasattr(mesh, "faces") else None)
        assert found == (vertices, elements), f"{path}: {name} has {found}"
        assert np.isfinite(mesh.vertices).all()
    document, end = last_frame(path)
    extras = document["asset"]["extras"]
    assert document["asset"]["generator"].startswith("taut "), document["asset"]
    assert extras["scene_hash"] == "0123456789abcdef", extras
    moved = np.linalg.norm(end - np.asarray(scene.geometry[document["meshes"][0]["name"]].vertices), axis=1).max()
    print(f"{path}: trimesh reads {sorted(scene.geometry)}, bounds {scene.bounds.round(3).tolist()}, moved {moved:.3f} m")
    assert moved > 0.05
