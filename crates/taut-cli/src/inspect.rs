//! `taut scenes` and `taut check`: what there is, and what is in it.

use crate::Stopped;
use serde_json::json;
use taut::scene::BUILTIN;
use taut::{Scene, doctor};

/// List the built-in scenes.
pub fn scenes() -> Result<(), Stopped> {
    for builtin in BUILTIN {
        println!("{:12} {}", builtin.name, builtin.title());
    }
    Ok(())
}

/// Read a scene and say what is in it.
pub fn check(name: &str, as_json: bool) -> Result<(), Stopped> {
    let scene = Scene::load(name).map_err(Stopped::Input)?;
    let (model, h) = (&scene.model, scene.time_step());
    let diagnosis = doctor::examine(model, &scene.state, h);
    if as_json {
        let findings = diagnosis.findings.iter();
        let object = json!({
            "scene": scene.name,
            "particles": model.particles(),
            "springs": model.springs.len(),
            "triangles": model.triangles.len(),
            "tets": model.tets.len(),
            "method": scene.method.name(),
            "time_step": h,
            "omega_max": diagnosis.omega_max,
            "findings": findings.map(|f| json!({
                "severity": f.severity.name(), "what": f.what, "remedy": f.remedy,
            })).collect::<Vec<_>>(),
        });
        println!("{object:#}");
        return Ok(());
    }
    println!("{}: {}", scene.name, scene.title);
    println!(
        "  {} particles ({} pinned), {} springs, {} triangles, {} tets, {} bodies",
        model.particles(),
        scene.state.filters.iter().filter(|f| f.is_pinned()).count(),
        model.springs.len(),
        model.triangles.len(),
        model.tets.len(),
        model.bodies.len()
    );
    let mass: f64 = model.masses.iter().sum();
    println!(
        "  {mass:.4} kg in all, {:.3} m across, mean rest length {:.4} m",
        model.size(),
        model.mean_rest_length()
    );
    println!(
        "  {} frames at {} per second, {} step(s) of {h:.5} s each",
        scene.frames, scene.frames_per_second, scene.substeps
    );
    println!("  method {}", scene.method.name());
    scene.notes.iter().for_each(|note| println!("  note: {note}"));
    print!("{diagnosis}");
    Ok(())
}
