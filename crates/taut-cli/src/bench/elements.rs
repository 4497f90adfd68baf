//! What an iteration costs with other elements in the place of springs: the same particles, masses and pins.

use super::case::Case;
use super::measure::{Burst, Contestant};
use super::ours::{Stepper, threads};
use super::race::{absent, facts};
use serde_json::json;
use taut::shapes::bending;
use taut::{Block, DVec3, Error, Membrane, Method, Stop};

/// Stiffness of cloth along warp and weft, and in shear [N/m]; rigidity \[N·m\].
const CLOTH: [f64; 3] = [1000.0, 300.0, 1e-5];
/// Young's modulus \[Pa\], and Poisson's ratio of what keeps its volume.
const RUBBER: [f64; 2] = [1e5, 0.45];

/// The case by the word of a contestant: `springs`, `membranes` (with bending), `rotations` or `volume`.
pub fn case(word: &str, springs: &Case) -> Result<Case, Error> {
    let (mut model, state) = (springs.model.clone(), springs.state.clone());
    let [stiffness, shear, rigidity] = CLOTH;
    match word {
        "membranes" => {
            let warp = vec![DVec3::X; model.triangles.len()];
            model.links = bending(&model.rest, &model.triangles, &warp, [rigidity; 2])?;
            let cloth = |&corners: &[u32; 3]| {
                let [warp, weft] = [stiffness; 2];
                Membrane { corners, direction: DVec3::X, warp, weft, shear, area: 0.0, limit: None }
            };
            model.membranes = model.triangles.iter().map(cloth).collect();
        }
        "rotations" | "volume" => {
            let poisson = if word == "volume" { RUBBER[1] } else { 0.0 };
            let blocks = model.tets.iter().map(|&corners| Block::isotropic(corners, RUBBER[0], poisson));
            model.blocks = blocks.collect::<Result<_, _>>()?;
        }
        _ => return Ok(Case { name: springs.name.clone(), model, state }),
    }
    model.springs.clear();
    Case { name: format!("{}_{word}", springs.name), model, state }.moving()
}

/// Local/global iterations of each case.
pub fn contestants<'a>(names: &[&str], cases: &'a [Case]) -> Vec<Contestant<'a>> {
    let make = |(name, case): (&&str, &'a Case)| -> Result<Contestant<'a>, String> {
        let mut stepper = Stepper::new(case, Method::LocalGlobal(Stop::iterations(1)), threads(1));
        stepper.step(Stop::iterations(1))?;
        let model = &case.model;
        let counts = [
            ("springs", model.springs.len()),
            ("links", model.links.len()),
            ("membranes", model.membranes.len()),
            ("blocks", model.blocks.len()),
        ];
        let facts = facts(&counts.map(|(key, count)| (key, json!(count))));
        let burst: Burst = Box::new(move |count| stepper.step(Stop::iterations(count)));
        Ok(Contestant { name: name.to_string(), ours: *name != "springs", facts, burst })
    };
    let named = |pair: (&&str, &'a Case)| make(pair).unwrap_or_else(|reason| absent(pair.0, reason));
    names.iter().zip(cases).map(named).collect()
}
