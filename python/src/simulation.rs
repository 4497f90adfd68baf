//! The simulation: a class around the library's, served to one thread at a time.

use crate::error::{Raise, plain, setting};
use crate::recording::{Recorder, Recording};
use crate::records::{Report, Settled};
use crate::scene::Scene;
use crate::{input, threads};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use taut::{Edit, Threads};

/// How long steps are taken before signals are looked for.
const TURN: Duration = Duration::from_millis(20);

/// A running simulation.
#[pyclass(frozen, module = "taut", weakref)]
pub struct Simulation {
    inner: Mutex<taut::Simulation>,
    pub scene: Arc<taut::Scene>,
    last: Mutex<Option<taut::Report>>,
    /// The process one of whose threads is at work on it, or 0.
    busy: AtomicU32,
}

impl Simulation {
    pub fn of(scene: Arc<taut::Scene>, mut simulation: taut::Simulation, threads: Threads) -> Self {
        simulation.use_threads(threads);
        let (inner, last, busy) = (Mutex::new(simulation), Mutex::default(), AtomicU32::new(0));
        Simulation { inner, scene, last, busy }
    }

    pub fn of_scene(py: Python<'_>, scene: Arc<taut::Scene>, threads: Threads) -> PyResult<Self> {
        let simulation = py.detach(|| scene.simulation()).raise()?;
        Ok(Simulation::of(scene, simulation, threads))
    }

    /// Something short; the interpreter waits unless another thread is at work.
    pub fn short<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut taut::Simulation) -> R + Send,
    ) -> PyResult<R> {
        match self.inner.try_lock() {
            Ok(mut own) => Ok(work(&mut own)),
            Err(TryLockError::Poisoned(own)) => Ok(work(&mut own.into_inner())),
            Err(TryLockError::WouldBlock) => self.long(py, work),
        }
    }

    /// Something that takes its time; other threads of the interpreter go on meanwhile.
    pub fn long<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut taut::Simulation) -> R + Send,
    ) -> PyResult<R> {
        let (process, busy) = (std::process::id(), self.busy.load(Ordering::Acquire));
        if busy != 0 && busy != process {
            return Err(plain(
                py,
                "another thread was at work on this simulation when the process was forked, and is not here: \
                 make another, or fork while none is",
            ));
        }
        Ok(py.detach(|| {
            let mut own = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            self.busy.store(process, Ordering::Release);
            let done = work(&mut own);
            self.busy.store(0, Ordering::Release);
            done
        }))
    }

    pub fn edit(&self, py: Python<'_>, edit: Edit) -> PyResult<()> {
        self.short(py, |own| own.edit(edit))?.raise()
    }

    pub fn count(&self, py: Python<'_>) -> PyResult<usize> {
        self.short(py, |own| own.model().particles())
    }

    pub fn particles_of(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        input::indices("particles", given, self.count(given.py())?)
    }

    pub fn seen(&self) -> Option<taut::Report> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn saw(&self, report: taut::Report) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, *, threads = None))]
    fn new(scene: &Bound<'_, PyAny>, threads: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let threads = threads::asked(threads)?;
        Simulation::of_scene(scene.py(), Scene::of(scene)?, threads)
    }

    /// A simulation of your own particles: rest pose [m], masses [kg], ends of springs and their stiffness [N/m].
    #[staticmethod]
    #[pyo3(signature = (*, rest, masses, springs, stiffness, rest_lengths = None, families = None, triangles = None,
        tets = None, solids = None, gravity = None, method = None, time_step = 1.0 / 30.0, threads = None))]
    #[pyo3(
        text_signature = "(*, rest, masses, springs, stiffness, rest_lengths=None, families=None, triangles=None, \
        tets=None, solids=(), gravity=(0.0, -9.81, 0.0), method='conjugate_gradient', time_step=0.03333333333333333, threads=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn from_arrays(
        rest: &Bound<'_, PyAny>,
        masses: &Bound<'_, PyAny>,
        springs: &Bound<'_, PyAny>,
        stiffness: &Bound<'_, PyAny>,
        rest_lengths: Option<&Bound<'_, PyAny>>,
        families: Option<&Bound<'_, PyAny>>,
        triangles: Option<&Bound<'_, PyAny>>,
        tets: Option<&Bound<'_, PyAny>>,
        solids: Option<&Bound<'_, PyAny>>,
        gravity: Option<&Bound<'_, PyAny>>,
        method: Option<&Bound<'_, PyAny>>,
        time_step: f64,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (py, threads) = (rest.py(), threads::asked(threads)?);
        let given =
            crate::model::Given { rest, masses, springs, stiffness, rest_lengths, families, triangles, tets };
        let mut model = given.model()?;
        model.gravity = gravity.map_or(Ok(model.gravity), |gravity| input::vector("gravity", gravity))?;
        let settings = crate::model::settings(method, time_step)?;
        let solids = crate::model::solids(solids, &model)?;
        let simulation = py.detach(|| {
            let mut simulation = taut::Simulation::new(model, settings)?;
            simulation.set_obstacles(solids)?;
            Ok(simulation)
        });
        let simulation = simulation.raise()?;
        Ok(Simulation::of(Arc::new(taut::Scene::around("arrays", &simulation)), simulation, threads))
    }

    /// Advance by so many steps; the report of the last. If one fails, those before it are done.
    #[pyo3(signature = (count = None), text_signature = "($self, count=1)")]
    fn step(&self, py: Python<'_>, count: Option<&Bound<'_, PyAny>>) -> PyResult<Report> {
        let mut left = count.map_or(Ok(1), |count| input::whole("count", count, 1))?;
        loop {
            let report = self.long(py, |own| {
                let began = Instant::now();
                loop {
                    let report = own.step()?;
                    self.saw(report);
                    left -= 1;
                    if left == 0 || began.elapsed() > TURN {
                        return Ok(report);
                    }
                }
            })?;
            let report = report.raise()?;
            py.check_signals()?;
            if left == 0 {
                return Ok(Report::from(&report));
            }
        }
    }

    /// Make frames: by default as many as the scene has, each `every`-th of them recorded. `progress(done, all)` is called
    /// after each.
    #[pyo3(signature = (frames = None, *, every = None, progress = None))]
    #[pyo3(text_signature = "($self, frames=None, *, every=1, progress=None)")]
    fn run(
        &self,
        py: Python<'_>,
        frames: Option<&Bound<'_, PyAny>>,
        every: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Recording> {
        let frames = match frames.filter(|frames| !frames.is_none()) {
            Some(frames) => input::whole("frames", frames, 0)? as usize,
            None if self.scene.frames == 0 => {
                return setting("frames", "None", "no scene says how many: give a number");
            }
            None => self.scene.frames,
        };
        let every = every.map_or(Ok(1), |every| input::whole("every", every, 1))? as usize;
        Recorder::new(py, self, every)?.run(py, frames, progress)
    }

    /// Move to static equilibrium: until a step moves nothing by more than `tolerance` mean rest lengths, or `limit` steps.
    #[pyo3(signature = (tolerance = 1e-9, limit = None), text_signature = "($self, tolerance=1e-9, limit=3000)")]
    fn settle(&self, py: Python<'_>, tolerance: f64, limit: Option<&Bound<'_, PyAny>>) -> PyResult<Settled> {
        let limit = limit.map_or(Ok(3000), |limit| input::whole("limit", limit, 1))? as usize;
        if tolerance.is_nan() || tolerance < 0.0 {
            return setting(
                "tolerance",
                tolerance,
                "must be zero or more mean rest lengths, for example 1e-9",
            );
        }
        let mut signal = Ok(());
        let settled = self.long(py, |own| {
            own.settle(tolerance, limit, |_, _| {
                if signal.is_ok() {
                    signal = Python::attach(|py| py.check_signals());
                }
                signal.is_ok()
            })
        })?;
        signal?;
        settled.raise().map(Settled::from)
    }
}
