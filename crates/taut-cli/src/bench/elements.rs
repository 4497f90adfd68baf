//! What an iteration costs with other elements in the place of springs: the same particles, masses and pins.

use super::Session;
use super::case::{Case, H, flat, put, store};
use super::measure::{Burst, Contestant};
use super::ours::{Stepper, threads};
use super::race::{CHECK, absent, disagree, facts, peer};
use super::rows::{Subject, Work};
use serde_json::json;
use std::path::Path;
use taut::shapes::bending;
use taut::{Block, DVec3, Error, Filter, Membrane, Method, Stop};

/// Stiffness of cloth along warp and weft, and in shear [N/m]; rigidity \[N·m\].
const CLOTH: [f64; 3] = [1000.0, 300.0, 1e-5];
/// Young's modulus \[Pa\], and Poisson's ratio of what keeps its volume.
const RUBBER: [f64; 2] = [1e5, 0.45];

/// The case by the word of a contestant, `eigen_` before it or not: `springs`, `membranes` (with bending), `rotations` or
/// `volume`.
pub fn case(word: &str, springs: &Case) -> Result<Case, Error> {
    let (mut model, state) = (springs.model.clone(), springs.state.clone());
    let [stiffness, shear, rigidity] = CLOTH;
    let word = word.strip_prefix("eigen_").unwrap_or(word);
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

/// Local/global iterations of each case, by taut or, if its name begins with `eigen_`, by the peer.
pub fn contestants<'a>(
    names: &[&str],
    cases: &'a [Case],
    session: &Session,
) -> Result<Vec<Contestant<'a>>, Error> {
    let mut all: Vec<Contestant> = Vec::new();
    for (&name, case) in names.iter().zip(cases) {
        let made = match name.strip_prefix("eigen_") {
            None => ours(name, case),
            Some(_) => {
                let problem = session.place.scratch(&format!("{}.problem", case.name))?;
                write(case, &problem)?;
                let program = session.peers.clone();
                program.and_then(|program| {
                    peer(Work::Iteration(Subject::Curtain), "eigen_elements", &program, &problem)
                })
            }
        };
        let mut made = made.unwrap_or_else(|reason| absent(name, reason));
        made.name = name.into();
        all.push(made);
    }
    disagree(&mut all[1..]);
    Ok(all)
}

fn ours<'a>(name: &str, case: &'a Case) -> Result<Contestant<'a>, String> {
    let mut stepper = Stepper::new(case, Method::LocalGlobal(Stop::iterations(1)), threads(1));
    stepper.step(Stop::iterations(CHECK))?;
    let model = &case.model;
    let counts = [
        ("g", json!(stepper.value())),
        ("springs", json!(model.springs.len())),
        ("links", json!(model.links.len())),
        ("membranes", json!(model.membranes.len())),
        ("blocks", json!(model.blocks.len())),
    ];
    let facts = facts(&counts);
    let burst: Burst = Box::new(move |count| stepper.step(Stop::iterations(count)));
    // Elements are the yardstick, of springs and of the peer.
    Ok(Contestant { name: name.into(), ours: name != "springs", facts, burst })
}

/// Write the problem for the peer (format: benches/peers/elements.hpp).
fn write(case: &Case, path: &Path) -> Result<(), Error> {
    let Case { model, state, .. } = case;
    let o = case.objective();
    let mut out = b"TAUTPRB2".to_vec();
    let cells = model.membranes.len() + model.blocks.len();
    let corners = if model.blocks.is_empty() { 3 } else { 4 };
    for count in [model.particles(), cells, model.links.len(), corners] {
        out.extend((count as u64).to_le_bytes());
    }
    put(&mut out, [H]);
    put(&mut out, model.masses.iter().copied());
    [&model.rest, &o.inertia, &o.target].into_iter().for_each(|points| put(&mut out, flat(points)));
    out.extend(state.filters.iter().map(|f| u8::from(matches!(f, Filter::Pinned(_)))));
    let mut cell = |corners: &[u32], direction: DVec3, numbers: [f64; 3]| {
        corners.iter().for_each(|i| out.extend(i.to_le_bytes()));
        put(&mut out, direction.to_array());
        put(&mut out, numbers);
    };
    model.membranes.iter().for_each(|m| cell(&m.corners, m.direction, [m.warp, m.weft, m.shear]));
    model.blocks.iter().for_each(|b| cell(&b.corners, DVec3::ZERO, [b.shear, b.volume, 0.0]));
    for link in &model.links {
        out.extend((link.weights.len() as u64).to_le_bytes());
        put(&mut out, [link.stiffness]);
        for &(i, weight) in &link.weights {
            out.extend(i.to_le_bytes());
            put(&mut out, [weight]);
        }
    }
    store(path, &out)
}
