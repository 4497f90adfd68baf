"""Which stiffness gives this drape? Stretch and bend of a cloth, found from the shape in which it hangs.

The target is made by taut itself, with 1 mm of noise, several times over; the spread of the answers says how well the
drape determines them, and so do the singular values of the Jacobian.
"""

import sys

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares  # type: ignore[import-untyped]

import taut

SIDE = 21 if "--full" in sys.argv else 9
NOISE = 1e-3  # [m]
TRUTH = np.log([300.0, 3.0])  # stretch and bend [N/m]


def drape(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where a cloth with these logarithms of stretch and bend comes to rest [m]."""
    stretch, bend = np.exp(parameters)
    scene = taut.Scene.from_dict(
        {
            "contact": {"level": "off"},
            "body": [
                {
                    "grid": {"columns": SIDE, "rows": SIDE, "width": 1.0, "height": 1.0},
                    "mass": 0.5,
                    "stretch": stretch,
                    "shear": 0.2 * stretch,
                    "bend": bend,
                    "perturbation": 1e-4,
                }
            ],
            "pin": [{"at": ["top_left", "top_right"]}],
        }
    )
    simulation = scene.simulation(threads=1)
    settled = simulation.settle()
    assert settled.converged, settled
    return simulation.positions


def fit(target: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """The logarithms that give a drape, the Jacobian there [m], and how many drapes that took."""
    start = np.log([500.0, 6.0])
    found = least_squares(lambda x: (drape(x) - target).ravel(), start, diff_step=1e-4, xtol=1e-9)
    return found.x, found.jac, found.nfev + 2 * found.njev


def main() -> None:
    exact = drape(TRUTH)
    found, jacobian, drapes = fit(exact)
    print(f"without noise: {np.exp(found)} N/m, off by {np.abs(found - TRUTH).max():.1e}, {drapes} drapes")
    print(f"singular values of the Jacobian: {np.linalg.svd(jacobian, compute_uv=False)} m")
    chance = np.random.default_rng(1)
    answers = np.array([fit(exact + NOISE * chance.standard_normal(exact.shape))[0] for _ in range(4)])
    spread = np.exp(answers.std(axis=0)) - 1
    print(f"with 1 mm of noise: {np.exp(answers.mean(axis=0))} N/m, spread {100 * spread} %")
    assert np.abs(found - TRUTH).max() < 1e-3


if __name__ == "__main__":
    main()
