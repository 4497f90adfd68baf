"""One scene with other values, many times: every case by itself, on one thread."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from taut._taut import Scene, Simulation, _Cases
from taut.errors import Error, SettingError

Measure = Callable[[Simulation], Mapping[str, Any]]


class Sweep:
    """What became of the cases of a sweep."""

    def __init__(self, cases: list[dict[str, Any]], notes: list[str]) -> None:
        self.cases = cases
        """A dict for each case: index, parameters, key, status, seconds, attempts, host, kernel, hash, measures, error."""
        self.notes = notes
        """What was found in the journal that is worth saying."""

    @property
    def statuses(self) -> dict[str, int]:
        """How many cases ended how."""
        return dict(Counter(case["status"] for case in self.cases))

    def to_table(self) -> Any:
        """A pyarrow table: parameters and measures are columns."""
        try:
            pyarrow = import_module("pyarrow")
        except ImportError:
            raise Error("to_table needs pyarrow: pip install 'taut[sweep]'") from None
        rows = [
            {
                "index": case["index"],
                "status": case["status"],
                **case["parameters"],
                **case["measures"],
                **{key: case[key] for key in ("hash", "error", "seconds", "attempts", "host", "kernel", "key")},
            }
            for case in self.cases
        ]
        columns = dict.fromkeys(key for row in rows for key in row)
        return pyarrow.table({key: [row.get(key) for row in rows] for key in columns})

    def __repr__(self) -> str:
        return f"Sweep({self.statuses})"


def sweep(
    scene: Scene | str | os.PathLike[str] | Mapping[str, Any],
    vary: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    measure: Measure | None = None,
    backend: str = "threads",
    out: str | os.PathLike[str] = "sweep",
    frames: int | None = None,
    limit: float | None = None,
    workers: int | None = None,
) -> Sweep:
    """Run a scene with every combination of some values, or with a list of dicts of values.

    Each case is a line of ``results.jsonl`` in the folder `out`; started again, what is there is not run again.
    `measure` makes numbers of a simulation that is done (arrays go to ``cases/<key>.npz``); by default they are those of
    the run. A case takes at most `limit` seconds.
    """
    if backend != "threads":
        error = SettingError(f"backend = {backend!r}: there is only 'threads'")
        error.name, error.value, error.remedy = "backend", repr(backend), "there is only 'threads'"
        raise error
    cases = _Cases(scene, vary, out, frames, limit)
    pool = ThreadPoolExecutor(workers or os.cpu_count())

    def one(index: int) -> None:
        ran = cases.run(index)
        if ran is None:
            return
        line, simulation = ran
        if measure is not None and simulation is not None:
            line["measures"] = _split(measure(simulation), Path(out) / "cases" / f"{line['key']}.npz")
        cases.record(line)

    try:
        for job in as_completed([pool.submit(one, index) for index in cases.missing()]):
            job.result()
        return Sweep(cases.lines(), cases.notes)
    finally:
        cases.stop()
        pool.shutdown(cancel_futures=True)
        cases.close()


def _split(measures: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The measures that are numbers; arrays are written to a file."""
    plain: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    for key, value in measures.items():
        if np.ndim(value) > 0 and not isinstance(value, str):
            arrays[key] = np.asarray(value)
        else:
            plain[key] = value.item() if isinstance(value, np.generic) else value
    if arrays:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez(part, **arrays)
        part.replace(path)
    return plain
