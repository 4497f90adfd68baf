//! Frames of a run.

use crate::error::{Raise, setting};
use crate::records::Report;
use crate::simulation::Simulation;
use crate::{array, tables};
use numpy::{PyArray1, PyArray2, PyArray3};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::Arc;
use taut::export::{Animation, Film, write_html};
use taut::run::{self, Summary, files, step_frame};
use taut::{Error, Scene, clock};

/// Largest page that is shown in a notebook [bytes].
const LARGEST_PAGE: usize = 20_000_000;
/// Size of pictures [pixels].
const SIZE: (usize, usize) = (640, 480);

/// A recording that is being made.
pub struct Recorder<'a> {
    simulation: &'a Simulation,
    scene: Arc<Scene>,
    every: usize,
    recording: run::Recording,
    summary: Summary,
    reports: Vec<taut::Report>,
    times: Vec<f64>,
}

impl<'a> Recorder<'a> {
    /// With the state there is as its first frame.
    pub fn new(py: Python<'_>, simulation: &'a Simulation, every: usize) -> PyResult<Self> {
        let scene = simulation.scene.clone();
        let mut recording = run::Recording::new(&scene, 0);
        recording.animation.frames_per_second /= every as f64;
        let (summary, reports, times) = (Summary::default(), Vec::new(), Vec::new());
        let mut recorder = Recorder { simulation, scene, every, recording, summary, reports, times };
        recorder.take(py)?;
        Ok(recorder)
    }

    fn take(&mut self, py: Python<'_>) -> PyResult<()> {
        let Recorder { simulation, scene, recording, times, .. } = self;
        let pushed = simulation.long(py, |own| {
            times.push(own.state().time);
            recording.push(scene, own)
        })?;
        pushed.raise()
    }

    /// Make so many frames.
    pub fn run(
        mut self,
        py: Python<'_>,
        frames: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Recording> {
        let began = clock::seconds();
        while self.summary.frames < frames {
            let mut signal = Ok(());
            let Recorder { simulation, scene, summary, reports, .. } = &mut self;
            let whole = simulation.long(py, |own| {
                step_frame(scene, own, summary, |report| {
                    reports.push(*report);
                    simulation.saw(*report);
                    signal = Python::attach(|py| py.check_signals());
                    signal.is_ok()
                })
            })?;
            signal?;
            whole.raise()?;
            self.summary.frames += 1;
            if self.summary.frames.is_multiple_of(self.every) {
                self.take(py)?;
            }
            if let Some(progress) = progress.filter(|progress| !progress.is_none()) {
                progress.call1((self.summary.frames, frames))?;
            }
        }
        self.summary.total = clock::seconds() - began;
        let (scene, summary) = (self.scene.clone(), &self.summary);
        let summary = self.simulation.long(py, |own| summary.json(&scene, own, &[]))?;
        let Recorder { scene, recording, reports, times, .. } = self;
        Ok(Recording { scene, recording, reports, times, summary })
    }
}

/// The frames of a run.
#[pyclass(frozen, module = "taut")]
pub struct Recording {
    scene: Arc<Scene>,
    recording: run::Recording,
    reports: Vec<taut::Report>,
    times: Vec<f64>,
    summary: serde_json::Value,
}

#[pymethods]
impl Recording {
    /// Positions [m], (frames, m, 3), float32, the start first. If anything was cut, a particle that was not there yet is
    /// where the one is that it is a copy of.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray3<f32>> {
        let animation = &self.recording.animation;
        array::film(py, [animation.frames.len(), animation.particles()], |frame| {
            self.recording.positions(frame)
        })
    }

    /// Corners of the triangles, (n, 3), as they are after all cuts.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        let animation = &self.recording.animation;
        let named = |i: u32| animation.order.get(i as usize).copied().unwrap_or(i);
        let triangles: Vec<[u32; 3]> = animation.triangles.iter().map(|t| t.map(named)).collect();
        array::table(py, &triangles)
    }

    /// Simulated times of the frames [s].
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array::list(py, self.times.clone())
    }

    /// The reports of all steps.
    #[getter]
    fn reports(&self) -> Vec<Report> {
        self.reports.iter().map(Report::from).collect()
    }

    /// The run as one dict: that of `taut run --json`.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        tables::object(py, &self.summary)
    }

    /// Write it as its ending says: .glb, .html, .gif with all frames, .png, .obj, .ply with the last, .npz with positions,
    /// times and triangles. The file is there whole or not at all.
    #[pyo3(signature = (path, *, size = SIZE), text_signature = "($self, path, *, size=(640, 480))")]
    fn save(&self, py: Python<'_>, path: PathBuf, size: (usize, usize)) -> PyResult<()> {
        if path.extension().is_some_and(|ending| ending == "npz") {
            return self.save_arrays(py, path);
        }
        let range = taut::scene::Output::SIZES;
        if ![size.0, size.1].iter().all(|n| range.contains(n)) {
            let remedy =
                format!("width and height must be between {} and {} pixels", range.start(), range.end());
            return setting("size", format!("{size:?}"), remedy);
        }
        py.detach(|| self.recording.save(&self.scene, &path, size)).raise().map(drop)
    }

    fn __len__(&self) -> usize {
        self.times.len()
    }

    fn __repr__(&self) -> String {
        let animation = &self.recording.animation;
        let (frames, particles) = (animation.frames.len(), animation.particles());
        format!("Recording({:?}: {frames} frames of {particles} particles)", self.scene.name)
    }

    /// A player, offline like all of it.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let (page, every) = py.detach(|| player(&self.recording.animation)).raise()?;
        let page = page.replace('&', "&amp;").replace('"', "&quot;");
        let note = if every > 1 { format!("<p>Every {every}th frame is shown.</p>") } else { String::new() };
        let style = "width: 100%; height: 480px; border: 0";
        Ok(format!("<iframe sandbox=\"allow-scripts\" style=\"{style}\" srcdoc=\"{page}\"></iframe>{note}"))
    }
}

impl Recording {
    fn save_arrays(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let buffer = py.import("io")?.call_method0("BytesIO")?;
        let arrays = pyo3::types::PyDict::new(py);
        arrays.set_item("positions", self.positions(py))?;
        arrays.set_item("times", self.times(py))?;
        arrays.set_item("triangles", self.triangles(py))?;
        py.import("numpy")?.call_method("savez", (&buffer,), Some(&arrays))?;
        let bytes = buffer.call_method0("getvalue")?.cast_into::<PyBytes>()?;
        let written = files::write(&path, |out| std::io::Write::write_all(out, bytes.as_bytes()));
        written.raise().map(drop)
    }
}

/// The player of an animation, or of every k-th frame of it.
fn player(animation: &Animation) -> Result<(String, usize), Error> {
    let mut every = 1;
    loop {
        let mut own = animation.clone();
        own.frames = animation.frames.iter().step_by(every).cloned().collect();
        own.frames_per_second /= every as f64;
        let mut page = Vec::new();
        write_html(&own, &mut page)?;
        if page.len() <= LARGEST_PAGE || own.frames.len() <= 2 {
            return Ok((String::from_utf8_lossy(&page).into_owned(), every));
        }
        every = (every + 1).max(every * page.len() / LARGEST_PAGE);
    }
}

/// A simulation as it is, as a PNG in base64.
pub fn picture(scene: &Scene, simulation: &taut::Simulation) -> Result<String, Error> {
    let mut recording = run::Recording::new(scene, 0);
    recording.push(scene, simulation)?;
    let mut film = Film::new(&recording.animation, SIZE.0, SIZE.1)?;
    let mut bytes = Vec::new();
    let drawn = film.picture(0).write_png(&mut bytes, &scene.name);
    drawn.map_err(|e| Error::file("picture", None, e, ""))?;
    Ok(base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes))
}
