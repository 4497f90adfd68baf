"""Textured meshes made by trimesh must come out of taut with the same pictures on the same faces, as trimesh sees them.

check_textures.py make FOLDER: write quilt.glb, and quilt.gltf with its files next to it.
check_textures.py check FOLDER FILE...: what taut made of them.
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np
import trimesh
from PIL import Image
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial


def picture(seed):
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (24, 40, 3), dtype=np.uint8))


def materials():
    linen = PBRMaterial(name="linen", baseColorTexture=picture(1), normalTexture=picture(2), emissiveTexture=picture(3),
                        emissiveFactor=[0.1, 0.2, 0.3], metallicFactor=0.0, roughnessFactor=0.5, doubleSided=True)
    felt = PBRMaterial(name="felt", baseColorTexture=picture(4), metallicRoughnessTexture=picture(5), alphaMode="MASK",
                       alphaCutoff=0.25)
    brass = PBRMaterial(name="brass", baseColorFactor=[200, 150, 50, 255], metallicFactor=1.0, roughnessFactor=0.25)
    return [linen, felt, brass]


def make(folder):
    """Three pieces of 8 x 8 squares side by side, each of a material."""
    scene = trimesh.Scene()
    steps = np.arange(9, dtype=np.float64) / 8
    x, y = (a.ravel() for a in np.meshgrid(steps, steps))
    corner = (np.arange(8)[:, None] * 9 + np.arange(8)).ravel()
    faces = np.concatenate([corner[:, None] + [0, 1, 10], corner[:, None] + [0, 10, 9]])
    for place, material in enumerate(materials()):
        points = np.stack([x + place, y, 0 * x], axis=1)
        mesh = trimesh.Trimesh(points, faces, process=False)
        mesh.visual = TextureVisuals(uv=np.stack([x, y], axis=1), material=material)
        scene.add_geometry(mesh, geom_name=material.name)
    scene.export(folder / "quilt.glb")
    files = trimesh.exchange.gltf.export_gltf(scene)
    document = json.loads(files.pop("model.gltf"))
    (folder / "pictures").mkdir()
    for number, image in enumerate(document["images"]):
        view = document["bufferViews"][image.pop("bufferView")]
        start, data = view.get("byteOffset", 0), files[document["buffers"][view["buffer"]]["uri"]]
        image["uri"] = f"pictures/{number}.png"
        (folder / image["uri"]).write_bytes(data[start : start + view["byteLength"]])
    (folder / "quilt.gltf").write_text(json.dumps(document))
    for name, data in files.items():
        (folder / name).write_bytes(data)


def pictures(path):
    """The bytes of all pictures in a GLB, by material and use."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    document, binary = json.loads(data[20 : 20 + length]), data[20 + length + 8 :]
    found = {}
    for material in document["materials"]:
        for use, value in {**material, **material.get("pbrMetallicRoughness", {})}.items():
            if use.endswith("Texture"):
                image = document["images"][document["textures"][value["index"]]["source"]]
                view = document["bufferViews"][image["bufferView"]]
                start = view.get("byteOffset", 0)
                found[material["name"], use] = (image["mimeType"], binary[start : start + view["byteLength"]])
    return found


def check(folder, path):
    wanted = {material.name: (place, material) for place, material in enumerate(materials())}
    given, made = pictures(folder / "quilt.glb"), pictures(path)
    assert len(given) == 5 and given == made, (given.keys(), made.keys())
    seen = set()
    for mesh in trimesh.load_scene(path, process=False).geometry.values():
        material = mesh.visual.material
        place, original = wanted[material.name]
        x = mesh.triangles_center[:, 0]
        assert ((place < x) & (x < place + 1)).all() and len(mesh.faces) == 128, (material.name, len(mesh.faces))
        for use in ["baseColorTexture", "normalTexture", "emissiveTexture", "metallicRoughnessTexture"]:
            a, b = getattr(material, use), getattr(original, use)
            assert (a is None) == (b is None), (material.name, use)
            assert a is None or (np.asarray(a.convert("RGB")) == np.asarray(b)).all(), (material.name, use)
        for key in ["doubleSided", "alphaMode", "alphaCutoff", "metallicFactor", "roughnessFactor"]:
            assert getattr(material, key) == getattr(original, key), (material.name, key)
        if original.baseColorTexture is not None:
            corners = mesh.faces.ravel()
            uv = np.stack([mesh.vertices[:, 0] - place, mesh.vertices[:, 1]], axis=1)
            assert np.abs(mesh.visual.uv[corners] - uv[corners]).max() < 1e-5, material.name
        seen.add(material.name)
    assert seen == set(wanted), seen
    print(f"{path}: trimesh finds {sorted(seen)} on their faces, {len(made)} pictures are the same bytes")


if sys.argv[1] == "make":
    make(Path(sys.argv[2]))
else:
    for file in sys.argv[3:]:
        check(Path(sys.argv[2]), Path(file))
