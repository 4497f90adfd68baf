//! Energy budgeting (`conserve`), after any method: energy on its budget where velocities can be scaled that far, and
//! told what is missing where not; what damping takes stays taken; both momenta kept, pins exact, nothing changed when it
//! is off.

use crate::bodies::tangle;
use crate::common::{Random, take};
use crate::friction::every_way;
use taut::measure::{angular_momentum, momentum};
use taut::{DVec3, Damping, Error, Filter, Model, Scheme, Settings, Simulation, Spring, State, shapes};

const H: f64 = 1.0 / 60.0;

/// A simulation that conserves some share of the energy.
fn conserving(model: &Model, state: &State, word: &str, damping: Damping, conserve: f64) -> Simulation {
    let settings = Settings { damping, conserve, ..Settings::without_contact(word.parse().unwrap(), H) };
    Simulation::with_state(model.clone(), state.clone(), settings).unwrap()
}

/// One that conserves all of it.
fn simulation(model: &Model, state: &State, word: &str, damping: Damping) -> Simulation {
    conserving(model, state, word, damping, 1.0)
}

/// Energy in the frame of the centre of mass, linear momentum, and angular momentum about that centre.
fn books(simulation: &Simulation) -> (f64, DVec3, DVec3) {
    let (model, state) = (simulation.model(), simulation.state());
    let mass: f64 = model.masses.iter().sum();
    let centre: DVec3 = model.masses.iter().zip(&state.positions).map(|(&m, &x)| m / mass * x).sum();
    let p = momentum(model, state);
    let energy = simulation.energy();
    let own = energy.kinetic + energy.elastic - 0.5 * p.length_squared() / mass;
    (own, p, angular_momentum(model, state) - centre.cross(p))
}

/// A springy tangle in free fall that tumbles and vibrates.
fn tumbling(stiffness: f64) -> (Model, State) {
    let mut random = Random(5);
    let model = tangle(&mut random, 15, stiffness);
    let mut state = State::at_rest(&model);
    let spin = random.vector(2.0);
    let v = state.positions.iter().map(|&x| spin.cross(x) + random.vector(1.0)).collect();
    state.velocities = v;
    (model, state)
}

#[test]
fn a_free_body_keeps_energy_and_both_momenta() {
    for word in ["newton", "conjugate_gradient", "local_global", "baraff_witkin", "xpbd", "symplectic_euler"]
    {
        let (model, state) = tumbling(20.0);
        let mut simulation = simulation(&model, &state, word, Damping::default());
        let (energy, p, l) = books(&simulation);
        let mass: f64 = model.masses.iter().sum();
        for n in 1..=200 {
            simulation.step().unwrap();
            let now = books(&simulation);
            let expected = p + f64::from(n) * H * mass * model.gravity;
            let off = (now.0 / energy - 1.0).abs().max((now.2 - l).length() / l.length());
            assert!(off <= 1e-10, "{word}, step {n}: {off:e}");
            assert!((now.1 - expected).length() <= 1e-11 * expected.length(), "{word}, step {n}");
        }
    }
}

/// Without it the same body loses a good part of its energy: the law above is not empty.
#[test]
fn implicit_euler_alone_loses_it() {
    let (model, state) = tumbling(20.0);
    let mut simulation = conserving(&model, &state, "newton", Damping::default(), 0.0);
    let energy = books(&simulation).0;
    take(&mut simulation, 200);
    let left = books(&simulation).0 / energy;
    assert!(left < 0.8, "{left}");
}

fn hanging() -> (Model, State) {
    let model = shapes::Grid { columns: 7, rows: 7, stretch: 50.0, ..Default::default() }.build().unwrap();
    let mut state = State::at_rest(&model);
    state.velocities.iter_mut().for_each(|v| v.x = 0.3);
    [0, 6].into_iter().for_each(|i| state.pin(i));
    (model, state)
}

#[test]
fn held_cloth_is_never_above_its_budget_and_mostly_on_it() {
    for word in ["newton", "conjugate_gradient", "adaptive_imex", "pbd"] {
        let (model, state) = hanging();
        let mut simulation = simulation(&model, &state, word, Damping::default());
        let mut met = 0;
        for n in 1..=300 {
            let before = simulation.energy();
            simulation.step().unwrap();
            let after = simulation.energy();
            let scale = before.kinetic + before.elastic + before.gravity.abs();
            let over = (after.total() - before.total()) / scale;
            assert!(over <= 1e-12, "{word}, step {n}: {over:e}");
            met += usize::from(over >= -1e-12);
            assert_eq!(simulation.positions()[6], model.rest[6]);
        }
        println!("{word}: {met} of 300 steps on the budget");
        assert!(met >= 285, "{word}: {met}");
    }
}

/// Seen from a frame that moves evenly with the pins nothing is different.
#[test]
fn pins_that_move_evenly_change_nothing() {
    let (model, mut state) = hanging();
    let mut still = simulation(&model, &state, "newton", Damping::default());
    // A power of two times whole numbers: positions of pins are exact.
    let velocity = DVec3::new(0.5, 0.0, 0.25);
    state.velocities.iter_mut().for_each(|v| *v += velocity);
    let mut moving = simulation(&model, &state, "newton", Damping::default());
    for n in 1..=60 {
        for i in [0, 6] {
            moving.grab(i, model.rest[i] + f64::from(n) * H * velocity).unwrap();
        }
        take(&mut still, 1);
        take(&mut moving, 1);
    }
    for (a, b) in still.positions().iter().zip(moving.positions()) {
        let off = (*b - *a - velocity).length();
        assert!(off <= 1e-8, "{off:e}");
    }
}

/// What damping takes is not given back: a factor on velocities is the same factor with it.
#[test]
fn damping_is_not_undone() {
    let (mut model, state) = tumbling(20.0);
    model.gravity = DVec3::ZERO;
    model.springs.iter_mut().for_each(|s| s.stiffness = 1e-300);
    let mut simulation = simulation(&model, &state, "newton", Damping { ether: 0.9, ..Damping::default() });
    let before = simulation.energy().kinetic;
    take(&mut simulation, 5);
    let kept = simulation.energy().kinetic / before;
    assert!((kept / 0.9f64.powi(10) - 1.0).abs() <= 1e-12, "{kept}");
}

#[test]
fn half_of_it_is_between_none_and_all() {
    let (model, state) = tumbling(20.0);
    let left = |conserve| {
        let mut simulation = conserving(&model, &state, "newton", Damping::default(), conserve);
        take(&mut simulation, 50);
        books(&simulation).0
    };
    let [none, half, all] = [0.0, 0.5, 1.0].map(left);
    assert!(none < 0.95 * half && half < 0.95 * all, "{none} {half} {all}");
}

#[test]
fn what_cannot_be_is_refused() {
    let (model, state) = hanging();
    let mut simulation = simulation(&model, &state, "newton", Damping::default());
    let Err(Error::Setting { name, remedy, .. }) =
        simulation.configure(Settings { scheme: Scheme::Bdf2, ..simulation.settings().clone() })
    else {
        panic!()
    };
    assert!(name == "damping.conserve" && remedy.contains("implicit_euler"));
    let over = Settings { conserve: 1.5, ..simulation.settings().clone() };
    assert!(simulation.configure(over).is_err());
    assert_eq!(simulation.state().filters[1], Filter::Free);
}

/// Two pins drawn apart put into their springs the mean of their forces before and after a step, times their way.
#[test]
fn pins_do_work() {
    let (k, r) = (30.0, 0.8);
    let springs = vec![Spring::new(0, 1, r, k), Spring::new(1, 2, r, k)];
    let rest = vec![-DVec3::X, DVec3::ZERO, DVec3::X];
    let model =
        Model { masses: vec![1.0, 0.5, 1.0], rest, springs, gravity: DVec3::ZERO, ..Model::default() };
    let mut state = State::at_rest(&model);
    state.velocities[1] = DVec3::new(0.4, 2.0, -1.0);
    let mut simulation = simulation(&model, &state, "newton", Damping::default());
    let energy = |s: &Simulation| 0.25 * s.state().velocities[1].length_squared() + s.energy().elastic;
    let pull = |s: &Simulation, pin: usize| {
        let p = s.positions()[pin] - s.positions()[1];
        k * (p.length() - r) * p.normalize()
    };
    for n in 1..=40 {
        let place = (1.0 + 0.01 * f64::from(n)) * DVec3::X;
        simulation.grab(0, -place).unwrap();
        simulation.grab(2, place).unwrap();
        let (before, from) = (energy(&simulation), [pull(&simulation, 0), pull(&simulation, 2)]);
        simulation.step().unwrap();
        let to = [pull(&simulation, 0), pull(&simulation, 2)];
        let work = 0.5 * (from[1] + to[1] - from[0] - to[0]).dot(0.01 * DVec3::X);
        let off = energy(&simulation) - before - work;
        assert!(off.abs() <= 1e-12 * before && work > 0.0, "step {n}: {off:e}, {work}");
    }
}

/// A stretched net is let go, and falls. In its first steps velocities cannot grow as its springs let go: most of its
/// energy is lost, and told. With what was told the books are closed, in every step.
#[test]
fn what_is_missing_is_told() {
    let model = shapes::Grid { columns: 9, rows: 9, ..Default::default() }.build().unwrap();
    let mut state = State::at_rest(&model);
    state.positions.iter_mut().for_each(|p| *p *= 1.1);
    for word in taut::Method::NAMES {
        let mut simulation = simulation(&model, &state, word, Damping::default());
        // At their own short steps explicit springs lose little.
        let explicit = word.ends_with("_euler") || word == "static_imex";
        if explicit {
            let settings = Settings { time_step: 1e-4, ..simulation.settings().clone() };
            simulation.configure(settings).unwrap();
        }
        let energy = books(&simulation).0;
        let (mut missing, mut early) = (0.0, 0.0);
        for n in 1..=60 {
            missing += simulation.step().unwrap().missing_energy.unwrap();
            early = if n == 2 { missing } else { early };
            let off = (books(&simulation).0 + missing) / energy - 1.0;
            assert!(off.abs() <= 1e-10, "{word}, step {n}: {off:e}");
        }
        println!(
            "{word}: of {energy:.2} J {early:.2} J are missing after two steps, {missing:.2} J after 60"
        );
        assert!(explicit || early > 0.5 * energy, "{word}: {early} of {energy} J");
    }
    let mut without = conserving(&model, &state, "newton", Damping::default(), 0.0);
    assert_eq!(without.step().unwrap().missing_energy, None);
}

/// A particle on a spring, thrown along it: mean energy in the second that follows and mean kinetic energy, each over
/// that in closed form.
fn oscillator(settings: Settings) -> [f64; 2] {
    let (m, k, v, beta) = (0.5, 50.0, 2.0, settings.damping.material);
    let springs = vec![Spring::new(0, 1, 1.0, k)];
    let (masses, rest) = (vec![1.0, m], vec![DVec3::ZERO, DVec3::X]);
    let model = Model { masses, rest, springs, gravity: DVec3::ZERO, ..Model::default() };
    let mut state = State::at_rest(&model);
    state.velocities[1] = v * DVec3::X;
    state.pin(0);
    let steps = (1.0 / settings.time_step).round() as usize;
    let mut simulation = Simulation::with_state(model, state, settings).unwrap();
    let (mut whole, mut kinetic) = (0.0, 0.0);
    for _ in 0..steps {
        simulation.step().unwrap();
        let energy = simulation.energy();
        whole += (energy.kinetic + energy.elastic) / steps as f64;
        kinetic += energy.kinetic / steps as f64;
    }
    // x = (v/ω) e^{−γt} sin ωt.
    let gamma = 0.5 * beta * k / m;
    let omega = (k / m - gamma * gamma).sqrt();
    let exact = |t: f64| {
        let (x, a) = ((v / omega) * (-gamma * t).exp() * (omega * t).sin(), v * (-gamma * t).exp());
        let speed = a * (omega * t).cos() - gamma * x;
        [0.5 * m * speed * speed + 0.5 * k * x * x, 0.5 * m * speed * speed]
    };
    let mean =
        |which: usize| (0..10_000).map(|i| exact((f64::from(i) + 0.5) * 1e-4)[which]).sum::<f64>() * 1e-4;
    [whole / mean(0), kinetic / mean(1)]
}

/// What the damper of the spring takes is not given back, what the time scheme loses is: the energy of a damped
/// oscillator is the true one but for O(h), where implicit Euler alone would have lost several per cent of it.
#[test]
fn material_damping_takes_what_it_should_and_no_more() {
    for beta in [0.0, 0.01, 0.03] {
        for settings in every_way(1.0).filter(|settings| settings.scheme != Scheme::Bdf2) {
            let damping = Damping { material: beta, ..Damping::default() };
            let off = |conserve, rate: f64| {
                let settings = Settings { damping, conserve, time_step: 1.0 / rate, ..settings.clone() };
                oscillator(settings).map(|share| share - 1.0)
            };
            let name = format!("{} {}, β {beta}", settings.method.name(), settings.scheme.name());
            let errors = [240.0, 480.0, 960.0].map(|rate| off(1.0, rate));
            println!("{name}: {errors:.5?}");
            for ([whole, kinetic], rate) in errors.iter().zip([240.0, 480.0, 960.0]) {
                assert!(whole.abs() <= 3.0 / rate, "{name}, 1/{rate} s: {whole}");
                assert!(kinetic.abs() <= 12.0 / rate, "{name}, 1/{rate} s: it stands still, {kinetic}");
            }
            if settings.method == taut::Method::newton() && settings.scheme == Scheme::ImplicitEuler {
                assert!(off(0.0, 960.0)[0] < -0.025, "{name}: the scheme loses something");
            }
        }
    }
}
