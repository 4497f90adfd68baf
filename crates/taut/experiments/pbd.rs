//! The experiment behind `docs/experiments/pbd.md`: prints the page.
//!
//! `cargo run --release -p taut --example experiment_pbd > docs/experiments/pbd.md`

use taut::{DVec3, Damping, Error, Method, Model, Scene, Settings, Simulation, Spring, Stop, relative_error};

/// Links of the chain.
const LINKS: usize = 10;

/// How far the chain's end hangs below its rest when all motion has died, in units of what it should.
fn sag(method: Method, k: f64) -> Result<f64, Error> {
    let model = Model {
        masses: vec![0.1; LINKS + 1],
        rest: (0..=LINKS).map(|i| DVec3::NEG_Y * (0.1 * i as f64)).collect(),
        springs: (0..LINKS as u32).map(|i| Spring::new(i, i + 1, 0.1, k)).collect(),
        ..Model::default()
    };
    let exact: f64 = (1..=LINKS).map(|j| 0.1 * j as f64 * 9.81 / k).sum();
    let settings = Settings {
        damping: Damping { ether: 0.9, ..Damping::default() },
        ..Settings::without_contact(method.clone(), 1.0 / 30.0)
    };
    let mut simulation = Simulation::new(model, settings)?;
    simulation.pin(0)?;
    for _ in 0..1500 {
        simulation.step()?;
    }
    Ok((-0.1 * LINKS as f64 - simulation.positions()[LINKS].y) / exact)
}

/// Frames over which errors are averaged, as in \[Liu13\], Figure 3.
const FRAMES: usize = 50;

/// Mean relative error of one step by each method, over the first frames of the small curtain: every step begins where
/// the one before it was solved exactly.
fn errors(methods: &[Method]) -> Result<Vec<f64>, Error> {
    let mut exact = Scene::load("curtain21")?.simulation()?;
    exact.configure(Settings { method: Method::newton(), ..exact.settings().clone() })?;
    let (h, damping) = (exact.settings().time_step, exact.settings().damping);
    let mut means = vec![0.0; methods.len()];
    for _ in 0..FRAMES {
        let (model, before) = (exact.model(), exact.state());
        for (mean, method) in means.iter_mut().zip(methods) {
            let settings = Settings { method: method.clone(), ..exact.settings().clone() };
            let mut one = Simulation::with_state(model.clone(), before.clone(), settings)?;
            one.step()?;
            *mean += relative_error(model, before, h, &damping, one.positions())?.error / FRAMES as f64;
        }
        exact.step()?;
    }
    Ok(means)
}

type Make = fn(Stop) -> Method;
const METHODS: [(&str, Make); 3] =
    [("pbd", Method::Pbd), ("xpbd", Method::Xpbd), ("local_global", Method::LocalGlobal)];

fn main() -> Result<(), Error> {
    println!("# Stiffness and iterations: PBD, XPBD, local/global\n");
    println!("Made by `cargo run --release -p taut --example experiment_pbd`; do not edit.\n");
    println!(
        "A chain of ten links of 0.1 kg hangs from its end at h = 1/30 s until it rests. Its length over rest, as a"
    );
    println!("multiple of what its springs' k says (Σ mass below · g/k): 1 is right, more is too soft.\n");
    println!(
        "| iterations | {} |",
        METHODS.map(|m| format!("{}, k = 200 N/m | k = 20 000", m.0)).join(" | ")
    );
    println!("|---|---|---|---|---|---|---|");
    for n in [1, 2, 5, 10, 20, 50, 100] {
        let mut row = format!("| {n} |");
        for (_, make) in METHODS {
            for k in [200.0, 20_000.0] {
                row += &format!(" {:.4} |", sag(make(Stop::iterations(n)), k)?);
            }
        }
        println!("{row}");
    }
    println!(
        "\nPBD's stiffness is set by the number of iterations as much as by k, also with k′ = 1 − (1 − k)^(1/n), as"
    );
    println!(
        "[Liu13] says: the correction is right for a spring alone, and in a net every iteration undoes some of what the"
    );
    println!(
        "last did. It settles with n, but not at k. XPBD tends to the right answer, slowly where springs are stiff."
    );
    println!(
        "Local/global rests where it should after any number: what does not move any more is a minimum of g.\n"
    );
    println!("## One step\n");
    println!(
        "Mean relative error (15) of one step, over the first {FRAMES} frames of `curtain21`: each step begins where Newton's\n\
         method solved the one before it to rounding level.\n"
    );
    let makes = [METHODS[0], METHODS[1], METHODS[2], ("conjugate_gradient", Method::ConjugateGradient)];
    let counts = [1, 10, 50, 100, 200, 1000];
    let steps: Vec<Method> =
        counts.iter().flat_map(|&n| makes.map(|(_, make)| make(Stop::iterations(n)))).collect();
    let errors = errors(&steps)?;
    println!("| iterations | {} |\n|---|---|---|---|---|", makes.map(|m| m.0).join(" | "));
    for (n, row) in counts.iter().zip(errors.chunks(makes.len())) {
        println!("| {n} | {} |", row.iter().map(|e| format!("{e:.2e}")).collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}
