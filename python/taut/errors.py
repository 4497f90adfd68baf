"""What can go wrong, in the sentences of the command. The fields are those of Rust's ``taut::Error``."""


class Error(Exception):
    """Any error of taut."""


class ModelError(Error, ValueError):
    """An element of a model cannot be simulated."""

    element: str
    index: int
    problem: str
    remedy: str


class SettingError(Error, ValueError):
    """A value is impossible: which, what was given, what would be right."""

    name: str
    value: str
    remedy: str


class FileError(Error, ValueError):
    """A file or a scene could not be read, understood or written."""

    path: str
    line: int | None
    problem: str
    remedy: str


class Diverged(Error, ArithmeticError):
    """A step became infinite, or blew up; the simulation is where it was before that step."""

    particle: int
    time: float
