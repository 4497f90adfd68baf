"""What the tests share: small scenes, and the command built beside the package."""

import os
import subprocess
from pathlib import Path

import pytest

import taut

ROOT = Path(__file__).resolve().parents[2]

CLOTH = {
    "body": [
        {
            "grid": {"columns": 7, "rows": 7, "width": 1.0, "height": 1.0},
            "mass": 0.2,
            "stretch": 300.0,
            "shear": 50.0,
            "bend": 5.0,
        }
    ],
    "pin": [{"at": ["top_left", "top_right"]}],
}


@pytest.fixture
def cloth() -> taut.Simulation:
    """A small cloth that hangs by two corners, after three steps."""
    simulation = taut.Simulation(CLOTH)
    simulation.step(3)
    return simulation


@pytest.fixture
def command():
    """Run the command `taut`, which TAUT names, or skip."""
    binary = os.environ.get("TAUT")
    if not binary:
        pytest.skip("TAUT does not name the command")

    def run(*arguments: str, cwd: Path) -> str:
        done = subprocess.run([binary, *arguments], cwd=cwd, capture_output=True, text=True, check=True)
        return done.stdout

    return run
