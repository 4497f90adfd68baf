"""What Rust has, Python has; the stubs are the module."""

import os
import re
import subprocess
import sys
from pathlib import Path

import taut
from conftest import ROOT

# Public methods of Rust's Simulation that have another name in Python, or none, and why.
OTHERWISE = {
    "new": "__new__",
    "with_state": "restore",
    "model": "rest",  # and masses, triangles, tets, spring_ends, ...
    "state": "velocities",  # and positions, forces, time
    "edit": "apply",
    "pin_all": "pin",
    "set_positions": "positions",
    "set_velocities": "velocities",
    "set_forces": "forces",
    "set_force": "forces",
    "set_stiffness": "stiffness",
    "set_wind": "wind",
    "move_solid": "move",
    "use_threads": "threads",  # given when it is made
    "rebuild": None,  # takes a function of Rust's model
    "return_to": None,  # restore a snapshot
    "set_script": None,  # events are the scene's
    "set_obstacles": None,  # solids are the scene's, or of from_arrays
    "events": None,
    "obstacles": None,
    "apart": None,  # Python's threads step a copy as well
    "adopt": None,
}


def test_every_method_of_rust_is_there():
    found = set()
    for file in [*(ROOT / "crates/taut/src/simulation").glob("*.rs"), ROOT / "crates/taut/src/settle.rs"]:
        for block in re.findall(r"^impl Simulation \{(.*?)^\}", file.read_text(), re.M | re.S):
            found |= set(re.findall(r"^    pub fn (\w+)", block, re.M))
    assert {"step", "snapshot", "settle", "cut"} <= found
    assert not OTHERWISE.keys() - found, "these are no more"
    missing = {name for name in found if OTHERWISE.get(name, name) and not hasattr(taut.Simulation, OTHERWISE.get(name, name))}
    assert not missing


def test_every_docstring_is_there():
    for cls in [taut.Simulation, taut.Scene, taut.Recording, taut.Report, taut.Mesh]:
        assert cls.__doc__
        for name, member in vars(cls).items():
            if not name.startswith("_"):
                assert member.__doc__, f"{cls.__name__}.{name}"


def run(*arguments: str) -> None:
    environment = {**os.environ, "MYPYPATH": ""}
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_the_module():
    run("mypy.stubtest", "taut")


def test_examples_are_typed(tmp_path):
    examples = sorted(str(path) for path in (ROOT / "python/examples").glob("*.py"))
    assert examples
    run("mypy", "--strict", f"--cache-dir={tmp_path}", *examples)
    assert Path(taut.__file__).with_name("py.typed").exists()
