//! The experiment behind `docs/experiments/schemes.md`: prints the page.
//!
//! `cargo run --release -p taut --example experiment_schemes > docs/experiments/schemes.md`

use taut::shapes::{Diagonals, Grid};
use taut::{DVec3, Damping, Error, Explicit, Method, Model, Scheme, Settings, Simulation, State, doctor};

/// A net stretched by 30 % between four corners, swinging; with or without rest lengths.
fn net(rest_lengths: bool) -> Result<(Model, State), Error> {
    let grid = Grid { columns: 5, rows: 5, diagonals: Diagonals::None, bend: 0.0, ..Grid::default() };
    let mut model = grid.build()?;
    let mut state = State::at_rest(&model);
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        *v = DVec3::new(0.3, 1.0, -0.2) * (((x.x + 0.5) * 3.0).sin() * ((x.z + 0.5) * 3.0).sin());
        *x *= 1.3;
    }
    for i in [0, 4, 20, 24] {
        state.pin(i);
        state.velocities[i] = DVec3::ZERO;
    }
    if !rest_lengths {
        model.springs.iter_mut().for_each(|s| s.rest_length = 0.0);
    }
    Ok((model, state))
}

fn simulation(
    model: &Model,
    state: &State,
    method: Method,
    scheme: Scheme,
    h: f64,
) -> Result<Simulation, Error> {
    let settings = Settings { scheme, ..Settings::without_contact(method, h) };
    Simulation::with_state(model.clone(), state.clone(), settings)
}

/// Energy after and largest during 2000 steps, relative to that at the start, counted from the lowest it can have.
fn energy(rest_lengths: bool, scheme: Scheme, h_omega: f64) -> Result<String, Error> {
    let (model, state) = net(rest_lengths)?;
    let h = h_omega / doctor::Frequency::of(&model, &state).upper;
    let mut settled = simulation(&model, &state, Method::newton(), Scheme::ImplicitEuler, 1.0 / 30.0)?;
    settled.settle(1e-9, 500, |_, _| true)?;
    let floor = settled.energy().total();
    let mut run = simulation(&model, &state, Method::newton(), scheme, h)?;
    let start = run.energy().total() - floor;
    let mut most = 0.0_f64;
    for _ in 0..2000 {
        run.step()?;
        most = most.max((run.energy().total() - floor) / start - 1.0);
    }
    let end = (run.energy().total() - floor) / start - 1.0;
    Ok(format!("{end:+.1e} ({most:+.0e})"))
}

fn main() -> Result<(), Error> {
    println!("# Time schemes: energy and order\n");
    println!("Made by `cargo run --release -p taut --example experiment_schemes`; do not edit.\n");
    println!(
        "A net of 5 × 5 particles, stretched by 30 % between its four corners and set swinging; every step solved by"
    );
    println!(
        "`newton`. Change of the energy above equilibrium after 2000 steps, in brackets its largest gain on the way.\n"
    );
    for (rest_lengths, title) in [(false, "springs without rest length"), (true, "springs with rest length")]
    {
        println!("| {title}, hω_max | implicit_euler | bdf2 | midpoint |\n|---|---|---|---|");
        for h_omega in [0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0] {
            let cells = Scheme::NAMES.map(|s| energy(rest_lengths, s.1, h_omega));
            let cells: Result<Vec<String>, Error> = cells.into_iter().collect();
            println!("| {h_omega} | {} |", cells?.join(" | "));
        }
        println!();
    }
    println!(
        "Implicit midpoint keeps a quadratic energy to rounding at any step. With rest lengths the energy is not"
    );
    println!(
        "quadratic: it wavers, by the square of the step, and past hω = 1 it grows a thousandfold. Implicit Euler loses"
    );
    println!("it at every step, BDF2 much less where steps are short.\n");
    println!("## Order\n");
    println!("Largest distance of a particle from a fine solution after 6/ω_max, and the fitted slope:\n");
    let (model, state) = net(true)?;
    let h = 0.1 / doctor::Frequency::of(&model, &state).upper;
    let end = |method: &Method, scheme, parts: usize| -> Result<Vec<DVec3>, Error> {
        let mut run = simulation(&model, &state, method.clone(), scheme, h / parts as f64)?;
        for _ in 0..60 * parts {
            run.step()?;
        }
        Ok(run.positions().to_vec())
    };
    let fine = end(&Method::newton(), Scheme::Midpoint, 256)?;
    println!("| method, scheme | hω = 0.1 [m] | 0.05 | 0.025 | 0.0125 | slope |\n|---|---|---|---|---|---|");
    let explicit = Explicit::NAMES.map(|(_, order)| (Method::Explicit(order), Scheme::ImplicitEuler));
    let implicit = Scheme::NAMES.map(|s| (Method::newton(), s.1));
    for (method, scheme) in explicit.into_iter().chain(implicit) {
        let mut errors = Vec::new();
        for parts in [1, 2, 4, 8] {
            let x = end(&method, scheme, parts)?;
            errors.push(x.iter().zip(&fine).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max));
        }
        let l: Vec<f64> = errors.iter().map(|e| e.log2()).collect();
        let slope = (3.0 * (l[0] - l[3]) + (l[1] - l[2])) / 10.0;
        let name = match method {
            Method::Explicit(order) => order.name().to_string(),
            _ => format!("newton, {}", scheme.name()),
        };
        let cells: Vec<String> = errors.iter().map(|e| format!("{e:.2e}")).collect();
        println!("| {name} | {} | {slope:.2} |", cells.join(" | "));
    }
    println!();
    budget()
}

/// How long a curtain swings.
fn budget() -> Result<(), Error> {
    println!("## Energy budgets\n");
    println!(
        "The 21 × 21 curtain swings from two corners, h = 1/30 s, `newton`, no damping: energy above that of hanging at rest,"
    );
    println!(
        "in per cent of that at the start, and the swing of its hem about the pins in the second before [m].\n"
    );
    println!("| scheme | conserve | 2 s | 5 s | 10 s | 20 s | 40 s |\n|---|---|---|---|---|---|---|");
    let text = taut::scene::BUILTIN.iter().find(|b| b.name == "curtain21").expect("a scene of ours").text;
    let mut scene = taut::Scene::parse("curtain21", text, None)?;
    (scene.settings.method, scene.settings.damping) = (Method::newton(), Damping::default());
    let mut settled = scene.simulation()?;
    settled.settle(1e-6, 500, |_, _| true)?;
    let floor = settled.energy().total();
    let rows = [(Scheme::ImplicitEuler, 0.0), (Scheme::Bdf2, 0.0), (Scheme::ImplicitEuler, 0.5)];
    for (scheme, conserve) in rows.into_iter().chain([(Scheme::ImplicitEuler, 1.0)]) {
        (scene.settings.scheme, scene.settings.conserve) = (scheme, conserve);
        let mut run = scene.simulation()?;
        let start = run.energy().total() - floor;
        let (mut cells, mut ends) = (Vec::new(), (0.0_f64, 0.0_f64));
        for frame in 1..=1200 {
            run.step()?;
            let z = run.positions()[21 * 20 + 10].z - run.positions()[0].z;
            ends = if frame % 30 == 1 { (z, z) } else { (ends.0.min(z), ends.1.max(z)) };
            if [60, 150, 300, 600, 1200].contains(&frame) {
                let left = 100.0 * (run.energy().total() - floor) / start;
                cells.push(format!("{left:.0} %, {:.2}", ends.1 - ends.0));
            }
        }
        println!("| {} | {conserve} | {} |", scheme.name(), cells.join(" | "));
    }
    println!(
        "\n`conserve` is after any method (integrator/budget): velocities are scaled so that a step has the energy it"
    );
    println!(
        "began with, plus work, less what damping takes. What stiff springs lose comes back as motion of the whole."
    );
    Ok(())
}
