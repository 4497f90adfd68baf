//! What a run of a scene is, whoever runs it: frames, what adds up over them, and results that are whole or absent.
//!
//! ```
//! use taut::Scene;
//! use taut::run::{Recording, Summary, step_frame};
//!
//! # fn main() -> Result<(), taut::Error> {
//! let scene = Scene::load("curtain21")?;
//! let mut simulation = scene.simulation()?;
//! let (mut summary, mut recording) = (Summary::default(), Recording::new(&scene, 0));
//! recording.push(&scene, &simulation)?;
//! for _ in 0..10 {
//!     step_frame(&scene, &mut simulation, &mut summary, |_| true)?;
//!     recording.push(&scene, &simulation)?;
//!     summary.frames += 1;
//! }
//! assert_eq!(summary.json(&scene, &simulation, &[])["frames"], 10);
//! # let folder = std::env::temp_dir().join(format!("taut_run_{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let file = folder.join("film.glb");
//! recording.save(&scene, &file, (640, 480))?;
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

pub mod files;
pub mod parts;
mod recording;
mod summary;

pub use recording::{Recording, comments};
pub use summary::{Summary, findings, goal};

use crate::{Error, Report, Scene, Simulation};

/// The steps up to the end of a frame, and the error of the last of them if asked for. A state that was saved within a
/// frame has a part of them behind it. `see` gets every report, and says whether to go on; returns whether the frame is
/// whole.
pub fn step_frame(
    scene: &Scene,
    simulation: &mut Simulation,
    summary: &mut Summary,
    mut see: impl FnMut(&Report) -> bool,
) -> Result<bool, Error> {
    loop {
        let last = (simulation.state().step + 1).is_multiple_of(scene.substeps as u64);
        simulation.measure_error(summary.relative_errors.is_some() && last);
        let report = simulation.step()?;
        summary.add(&report);
        let go_on = see(&report);
        if let (Some(error), Some(errors)) = (report.relative_error, &mut summary.relative_errors) {
            errors.push(error);
        }
        if last || !go_on {
            return Ok(last);
        }
    }
}
