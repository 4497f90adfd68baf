//! `taut scenes` and `taut check`: what there is, and what is in it.

use crate::args::SceneName;
use crate::{Stopped, print};
use serde_json::json;
use taut::doctor::Diagnosis;
use taut::run::findings;
use taut::scene::BUILTIN;
use taut::{Model, Scene};

/// List the built-in scenes.
pub fn scenes() -> Result<(), Stopped> {
    let wide = BUILTIN.iter().map(|b| b.name.len()).max().unwrap_or(0);
    print(&BUILTIN.map(|builtin| format!("{:wide$}  {}\n", builtin.name, builtin.title())).concat())
}

/// Read a scene and say what is in it.
pub fn check(scene: &SceneName, as_json: bool) -> Result<(), Stopped> {
    let scene = scene.load().map_err(Stopped::Input)?;
    let diagnosis = scene.examine();
    print(&if as_json { object(&scene, &diagnosis) } else { lines(&scene, &diagnosis) })
}

fn object(scene: &Scene, diagnosis: &Diagnosis) -> String {
    let model = &scene.model;
    let object = json!({
        "scene": scene.name,
        "particles": model.particles(),
        "springs": model.springs.len(),
        "triangles": model.triangles.len(),
        "tets": model.tets.len(),
        "method": scene.settings.method.name(),
        "time_step": scene.time_step(),
        "omega_max": diagnosis.omega_max,
        "notes": scene.notes,
        "findings": findings(&diagnosis.findings),
    });
    format!("{object:#}\n")
}

fn lines(scene: &Scene, diagnosis: &Diagnosis) -> String {
    let (model, h) = (&scene.model, scene.time_step());
    let own = |i: &usize| !model.is_solid(*i);
    let all = || (0..model.particles()).filter(own);
    let pinned = all().filter(|&i| scene.state.filters[i].is_pinned()).count();
    let mass: f64 = all().map(|i| model.masses[i]).sum();
    let notes: String = scene.notes.iter().map(|note| format!("  note: {note}\n")).collect();
    format!(
        "{}: {}
  {} ({pinned} pinned), {}, {}, {}, {}
  {mass:.4} kg in all, {:.3} m across, mean rest length {:.4} m
  {} at {} per second, {} of {h:.5} s each
  method {}
{notes}{diagnosis}",
        scene.name,
        scene.title,
        count(model.particles(), "particle", "particles"),
        made_of(model),
        count(model.triangles.len(), "triangle", "triangles"),
        count(model.tets.len(), "tet", "tets"),
        count(model.bodies.len(), "body", "bodies"),
        model.size(),
        model.mean_rest_length(),
        count(scene.frames, "frame", "frames"),
        scene.frames_per_second,
        count(scene.substeps, "step", "steps"),
        scene.settings.method.name(),
    )
}

/// How many elements of each kind a model has.
pub fn made_of(model: &Model) -> String {
    let kinds = [
        (model.springs.len(), "spring", "springs"),
        (model.membranes.len(), "membrane", "membranes"),
        (model.blocks.len(), "block", "blocks"),
        (model.links.len(), "link", "links"),
    ];
    let some: Vec<String> =
        kinds.into_iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| count(n, one, many)).collect();
    if some.is_empty() { count(0, "spring", "springs") } else { some.join(", ") }
}

/// The word for what a model's stretch is that of.
pub fn stretched(model: &Model) -> &'static str {
    if model.membranes.is_empty() && model.blocks.is_empty() { "spring" } else { "edge" }
}

/// A number and the word for what is counted.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
