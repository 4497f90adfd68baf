"""taut: fast, exact simulation of cloth, hair and soft solids. Metres, kilograms, seconds; Y is up."""

from taut._taut import (
    Energy,
    Finding,
    Mesh,
    Recording,
    Report,
    Scene,
    Settled,
    Simulation,
    __version__,
    fabrics,
    read_mesh,
    scenes,
)
from taut.errors import Diverged, Error, FileError, ModelError, SettingError
from taut.sweeps import Sweep, sweep

__all__ = [
    "Diverged",
    "Energy",
    "Error",
    "FileError",
    "Finding",
    "Mesh",
    "ModelError",
    "Recording",
    "Report",
    "Scene",
    "SettingError",
    "Settled",
    "Simulation",
    "Sweep",
    "__version__",
    "fabrics",
    "read_mesh",
    "scenes",
    "sweep",
]
