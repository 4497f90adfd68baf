"""The compiled half of taut."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Self, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Energy",
    "Finding",
    "Mesh",
    "Recording",
    "Report",
    "Scene",
    "Settled",
    "Simulation",
    "_Cases",
    "__version__",
    "_unpickle",
    "fabrics",
    "read_mesh",
    "scenes",
]

__version__: str

_Which: TypeAlias = int | slice | ArrayLike

def scenes() -> dict[str, str]:
    """The scenes that come with taut: name and title."""

def fabrics() -> dict[str, dict[str, float]]:
    """The fabrics that scenes may name, with their numbers: density [kg/m²], stretch, shear and bend [N/m], damping
    [s]; as elements warp, weft and skew [N/m]."""

def read_mesh(path: str | PathLike[str]) -> Mesh:
    """Read a mesh file: OBJ, PLY, STL, glTF, GLB, Medit, TetGen, Gmsh or VTK."""

def _unpickle(bytes: bytes, facts: tuple[Any, ...]) -> Simulation: ...

@final
class Report:
    """What one step cost and how exact it was."""
    @property
    def step(self) -> int:
        """Steps taken so far."""
    @property
    def time(self) -> float:
        """Simulated time after the step [s]."""
    @property
    def iterations(self) -> int:
        """Iterations of the method."""
    @property
    def newton_steps(self) -> int:
        """Of those, Newton steps."""
    @property
    def linear_iterations(self) -> int:
        """Iterations of linear solvers."""
    @property
    def ended(self) -> str:
        """Why the step ended: iterations, tolerance, budget, rounding, stalled or non_finite."""
    @property
    def residual(self) -> float:
        """Scaled residual at the answer (dimensionless)."""
    @property
    def relative_error(self) -> float | None:
        """Relative error against the exact step, if it is measured (dimensionless)."""
    @property
    def missing_energy(self) -> float | None:
        """Energy that the energy budget could not give back [J]."""
    @property
    def followed(self) -> str:
        """How edits since the step before were followed."""
    @property
    def touching(self) -> int:
        """Particles that touch a solid."""
    @property
    def contacts(self) -> int:
        """Contacts of bodies with themselves and each other."""
    @property
    def inverted(self) -> int:
        """Tetrahedra that are inside out."""
    @property
    def copies(self) -> int:
        """Copies of particles that cuts and tears have made."""
    @property
    def seconds(self) -> float:
        """Wall-clock time [s]."""
    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""

@final
class Settled:
    """How settling went."""
    @property
    def steps(self) -> int:
        """Steps taken."""
    @property
    def iterations(self) -> int:
        """Iterations in all steps together."""
    @property
    def converged(self) -> bool:
        """Whether it is at rest."""
    @property
    def displacement(self) -> float:
        """Largest displacement in the last step, in mean rest lengths (dimensionless)."""
    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""

@final
class Energy:
    """Mechanical energy [J]."""
    @property
    def kinetic(self) -> float:
        """Of the motion [J]."""
    @property
    def elastic(self) -> float:
        """Of springs and all other elements [J]."""
    @property
    def gravity(self) -> float:
        """In the field of gravity, zero at the origin [J]."""
    @property
    def total(self) -> float:
        """All together [J]."""
    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""

@final
class Finding:
    """Something suspicious about a scene."""
    @property
    def severity(self) -> str:
        """note, warning or error."""
    @property
    def what(self) -> str:
        """What was found, with index and value."""
    @property
    def remedy(self) -> str:
        """What to change."""
    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""

@final
class Mesh:
    """A mesh file."""
    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions of the vertices [m], (n, 3)."""
    @property
    def triangles(self) -> NDArray[np.uint32]:
        """Corners of the triangles, (n, 3)."""
    @property
    def tets(self) -> NDArray[np.uint32]:
        """Corners of the tetrahedra, (n, 4)."""
    @property
    def attributes(self) -> dict[str, NDArray[np.float64]]:
        """Numbers of the vertices that the file names, in its own units."""
    @property
    def notes(self) -> list[str]:
        """What was welded, dropped or left out."""

@final
class Scene:
    """A scene: text that builds a model, a state and everything a run needs."""
    @staticmethod
    def load(name_or_path: str | PathLike[str]) -> Scene:
        """Load a scene: the name of one that comes with taut, or a path to a TOML file."""
    @staticmethod
    def parse(text: str, *, name: str = "scene", folder: str | PathLike[str] | None = None) -> Scene:
        """Build a scene from its text. Mesh files are looked up in `folder` and nowhere else."""
    @staticmethod
    def from_dict(tables: Mapping[str, Any], *, name: str = "scene", folder: str | PathLike[str] | None = None) -> Scene:
        """Build a scene from its tables as dicts: those of a scene file."""
    def replace(self, changes: Mapping[str, Any]) -> Scene:
        """The same scene with other values for some keys: `{"method.iterations": 20, "body.0.stretch": 80.0}`."""
    def check(self) -> list[Finding]:
        """What is suspicious about it, worst first."""
    def simulation(self, *, threads: int | None = None) -> Simulation:
        """A simulation at the start of the scene, on so many threads (by default one per core)."""
    @property
    def name(self) -> str:
        """Its name."""
    @property
    def title(self) -> str:
        """One line on what it shows."""
    @property
    def hash(self) -> str:
        """Hash of its text, 16 hexadecimal digits."""
    @property
    def text(self) -> str:
        """The text it was built from."""
    @property
    def frames(self) -> int:
        """Frames to make."""
    @property
    def frames_per_second(self) -> float:
        """Frames per second of simulated time [1/s]."""
    @property
    def substeps(self) -> int:
        """Steps per frame."""
    @property
    def time_step(self) -> float:
        """Time step [s]."""
    @property
    def notes(self) -> list[str]:
        """Remarks of mesh loaders."""

@final
class Simulation:
    """A running simulation."""
    def __new__(cls, scene: Scene | str | PathLike[str] | Mapping[str, Any], *, threads: int | None = None) -> Self: ...
    @staticmethod
    def from_arrays(
        *,
        rest: ArrayLike,
        masses: ArrayLike,
        springs: ArrayLike,
        stiffness: ArrayLike,
        rest_lengths: ArrayLike | None = None,
        families: Sequence[str | int] | NDArray[Any] | None = None,
        triangles: ArrayLike | None = None,
        tets: ArrayLike | None = None,
        solids: Sequence[Mapping[str, Any]] = (),
        gravity: ArrayLike = (0.0, -9.81, 0.0),
        method: str | Mapping[str, Any] = "conjugate_gradient",
        time_step: float = 0.03333333333333333,
        threads: int | None = None,
    ) -> Simulation:
        """A simulation of your own particles: rest pose [m], masses [kg], ends of springs and their stiffness [N/m]."""
    def step(self, count: int = 1) -> Report:
        """Advance by so many steps; the report of the last. If one fails, those before it are done."""
    def run(
        self,
        frames: int | None = None,
        *,
        every: int = 1,
        progress: Callable[[int, int], object] | None = None,
    ) -> Recording:
        """Make frames: by default as many as the scene has, each `every`-th of them recorded. `progress(done, all)`
        is called after each."""
    def settle(self, tolerance: float = 1e-9, limit: int = 3000) -> Settled:
        """Move to static equilibrium: until a step moves nothing by more than `tolerance` mean rest lengths, or
        `limit` steps."""
    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions [m], (m, 3): a copy, which never changes. To set them, give as many."""
    @positions.setter
    def positions(self, value: ArrayLike) -> None: ...
    @property
    def velocities(self) -> NDArray[np.float64]:
        """Velocities [m/s], (m, 3): a copy. To set them, give as many."""
    @velocities.setter
    def velocities(self, value: ArrayLike) -> None: ...
    @property
    def forces(self) -> NDArray[np.float64]:
        """Forces of your own [N], (m, 3): a copy. To set them, give as many; they act until changed."""
    @forces.setter
    def forces(self, value: ArrayLike) -> None: ...
    def copy_positions(self, out: NDArray[np.float64] | NDArray[np.float32]) -> None:
        """Write the positions [m] into an array of your own, (m, 3), float64 or float32."""
    @property
    def time(self) -> float:
        """Simulated time [s]."""
    @property
    def time_step(self) -> float:
        """Time step [s]."""
    @property
    def particles(self) -> int:
        """Number of particles m."""
    @property
    def energy(self) -> Energy:
        """Kinetic, elastic and gravitational energy now [J]."""
    @property
    def momentum(self) -> NDArray[np.float64]:
        """Linear momentum [kg m/s], (3,)."""
    @property
    def hash(self) -> str:
        """Hash of every bit of positions and velocities, 16 hexadecimal digits: that of `taut run --json`."""
    @property
    def method(self) -> str:
        """The word of the method."""
    @property
    def report(self) -> Report | None:
        """The report of the last step, if there was one."""
    @property
    def threads(self) -> int:
        """Number of threads it steps on; the bits do not depend on it."""
    @property
    def rest(self) -> NDArray[np.float64]:
        """Rest pose [m], (m, 3)."""
    @property
    def masses(self) -> NDArray[np.float64]:
        """Masses [kg], (m,)."""
    @property
    def triangles(self) -> NDArray[np.uint32]:
        """Corners of the surface triangles, (n, 3)."""
    @property
    def tets(self) -> NDArray[np.uint32]:
        """Corners of the tetrahedra, (n, 4)."""
    @property
    def spring_ends(self) -> NDArray[np.uint32]:
        """Ends of the springs, (s, 2)."""
    @property
    def rest_lengths(self) -> NDArray[np.float64]:
        """Rest lengths of the springs [m], (s,)."""
    @property
    def stiffness(self) -> NDArray[np.float64]:
        """Stiffness of the springs [N/m], (s,): a copy. To set it, give one number for each, or one for all."""
    @stiffness.setter
    def stiffness(self, value: ArrayLike) -> None: ...
    @property
    def families(self) -> NDArray[np.uint8]:
        """Families of the springs, (s,): 0 stretch, 1 shear, 2 bend."""
    @property
    def wind(self) -> NDArray[np.float64]:
        """Velocity of the wind [m/s], (3,); settable. It acts where the air has a density."""
    @wind.setter
    def wind(self, value: ArrayLike) -> None: ...
    @property
    def gravity(self) -> NDArray[np.float64]:
        """Acceleration of gravity [m/s²], (3,); settable."""
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    @property
    def settings(self) -> dict[str, Any]:
        """How steps are taken, by the words that `configure` takes."""
    def configure(self, **changes: Any) -> None:
        """Take steps in another way: `configure(method="newton", damping={"drag": 0.1})`, by the words of
        `settings`."""
    def pin(self, particles: _Which) -> None:
        """Hold particles where they are."""
    def grab(self, particles: _Which, places: ArrayLike) -> None:
        """Hold particles at places [m]: each is exactly there after the next step. One place is for all of them."""
    def release(self, particles: _Which) -> None:
        """Let particles go, with the velocity they have."""
    def halt(self) -> None:
        """Take all motion away."""
    def scale_stiffness(self, springs: _Which, factor: float) -> None:
        """Multiply the stiffness of springs."""
    def apply(self, edit: Mapping[str, Any]) -> None:
        """Make an edit as Rust has it: `{"place": {"particles": [24], "places": [[0.1, 0.25, 0.0]]}}`."""
    def cut(self, blade: ArrayLike | Mapping[str, Any]) -> dict[str, int]:
        """Cut through everything that a blade meets: corners of its triangles [m], (n, 3, 3), or a dict with the
        points of a `line` and the vector `along` which it is swept [m]. What the cut has done."""
    def cut_at(self, particle: int) -> dict[str, int]:
        """Punch a hole where a particle is. What that has done."""
    def move(self, solid: int | str, position: ArrayLike, rotation: ArrayLike | None = None) -> None:
        """Move a solid, an obstacle by its number or a body by its name: it is there after the next step. `position`
        [m] is how far from where it was given, `rotation` a unit quaternion (x, y, z, w) about the origin."""
    def record(self) -> None:
        """Keep a log of edits from now on."""
    @property
    def log(self) -> list[dict[str, Any]]:
        """The edits since `record`: dicts of the steps before them and the edit."""
    def replay(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Make the edits of a log again, each before the step before which it was made."""
    def measure_error(self, on: bool) -> None:
        """Also solve every step exactly from now on, to report its relative error (slow)."""
    def relative_error(self) -> float:
        """Relative error of the coming step against its exact solution, eq. (15) of Liu et al. 2013 (dimensionless);
        NaN for a method that minimises nothing. A copy takes the step."""
    def snapshot(self) -> bytes:
        """Everything as bytes: model, state, settings, solids and script. `restore` goes on from there, bit for bit."""
    @staticmethod
    def restore(data: bytes, *, threads: int | None = None) -> Simulation:
        """The simulation of a snapshot."""
    def copy(self) -> Simulation:
        """The same simulation again."""
    def __copy__(self) -> Simulation: ...
    def __deepcopy__(self, _memo: Any) -> Simulation: ...

@final
class Recording:
    """The frames of a run."""
    @property
    def positions(self) -> NDArray[np.float32]:
        """Positions [m], (frames, m, 3), float32, the start first. If anything was cut, a particle that was not
        there yet is where the one is that it is a copy of."""
    @property
    def triangles(self) -> NDArray[np.uint32]:
        """Corners of the triangles, (n, 3), as they are after all cuts."""
    @property
    def times(self) -> NDArray[np.float64]:
        """Simulated times of the frames [s]."""
    @property
    def reports(self) -> list[Report]:
        """The reports of all steps."""
    @property
    def summary(self) -> dict[str, Any]:
        """The run as one dict: that of `taut run --json`."""
    def save(self, path: str | PathLike[str], *, size: tuple[int, int] = (640, 480)) -> None:
        """Write it as its ending says: .glb, .html, .gif with all frames, .png, .obj, .ply with the last, .npz with
        positions, times and triangles. The file is there whole or not at all."""
    def __len__(self) -> int: ...

@final
class _Cases:
    def __new__(
        cls,
        scene: Scene | str | PathLike[str] | Mapping[str, Any],
        vary: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        out: str | PathLike[str],
        frames: int | None,
        limit: float | None,
    ) -> Self: ...
    @property
    def notes(self) -> list[str]: ...
    def missing(self) -> list[int]: ...
    def run(self, index: int) -> tuple[dict[str, Any], Simulation | None] | None: ...
    def record(self, line: Mapping[str, Any]) -> None: ...
    def lines(self) -> list[dict[str, Any]]: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...
