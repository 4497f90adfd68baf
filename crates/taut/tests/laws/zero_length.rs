//! Springs without rest length are linear: one local/global iteration is exact, and each mode of frequency ω
//! follows, in its own coordinate a about equilibrium,
//!
//! ```text
//! b' = (b − h ω² a)/(1 + h²ω²),   a' = a + h b',   ½b'² + ½ω²a'² = (½b² + ½ω²a²)/(1 + h²ω²)
//! ```

use super::bodies::line;
use super::common::Random;
use std::f64::consts::PI;
use taut::{DVec3, Method, Model, Settings, Simulation, State, Stop};

/// A chain whose modes are known: eigenvalue λ of the path graph's Laplacian (ω² = λk/m) and shape of each.
struct Chain {
    pinned: Vec<usize>,
    particles: usize,
    modes: Vec<(f64, Vec<f64>)>,
}

impl Chain {
    /// Modes j = 1…n: squared sines, and the shape given by `shape(j, particle)`, normalised here.
    fn new(
        particles: usize,
        pinned: Vec<usize>,
        angle: impl Fn(f64) -> f64,
        shape: impl Fn(f64, f64) -> f64,
    ) -> Self {
        let modes = (0..particles - pinned.len()).map(|j| {
            let theta = angle(j as f64);
            let mut v: Vec<f64> = (0..particles).map(|i| shape(theta, i as f64)).collect();
            pinned.iter().for_each(|&i| v[i] = 0.0);
            let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
            v.iter_mut().for_each(|v| *v /= norm);
            (4.0 * (theta / 2.0).sin().powi(2), v)
        });
        Chain { modes: modes.collect(), pinned, particles }
    }

    /// Both ends free (one mode is the motion of the whole).
    fn free(n: usize) -> Self {
        Chain::new(n, vec![], |j| j * PI / n as f64, |theta, i| (theta * (i + 0.5)).cos())
    }

    /// First particle pinned.
    fn hanging(n: usize) -> Self {
        let angle = |j: f64| (2.0 * j + 1.0) * PI / (2.0 * n as f64 + 1.0);
        Chain::new(n + 1, vec![0], angle, |theta, i| (theta * i).sin())
    }

    /// Both ends pinned.
    fn between(n: usize) -> Self {
        let angle = |j: f64| (j + 1.0) * PI / (n as f64 + 1.0);
        Chain::new(n + 2, vec![0, n + 1], angle, |theta, i| (theta * i).sin())
    }

    fn amplitude(&self, mode: usize, values: &[DVec3]) -> DVec3 {
        self.modes[mode].1.iter().zip(values).map(|(&s, &v)| s * v).sum()
    }
}

/// Follow the simulation and the modes for 1,000 steps; returns the largest distance over the size of the motion.
fn compare(chain: &Chain, stiffness: f64, mass: f64, h: f64, method: Method) -> f64 {
    let mut random = Random(chain.particles as u64);
    let rest: Vec<DVec3> = (0..chain.particles).map(|_| random.vector(1.0)).collect();
    let springs = vec![(0.0, stiffness); chain.particles - 1];
    let model = Model { gravity: DVec3::ZERO, ..line(rest, vec![mass; chain.particles], &springs) };
    let mut state = State::at_rest(&model);
    for i in 0..chain.particles {
        state.velocities[i] = random.vector(1.0);
    }
    for &i in &chain.pinned {
        // Pins at the origin: the equilibrium is there too.
        state.positions[i] = DVec3::ZERO;
        state.velocities[i] = DVec3::ZERO;
        state.pin(i);
    }
    let size = state.positions.iter().map(|p| p.length()).fold(0.0, f64::max);
    let mut modes: Vec<(f64, DVec3, DVec3)> = (0..chain.modes.len())
        .map(|j| {
            let omega2 = chain.modes[j].0 * stiffness / mass;
            (omega2, chain.amplitude(j, &state.positions), chain.amplitude(j, &state.velocities))
        })
        .collect();
    let mut simulation = Simulation::with_state(model, state, Settings::without_contact(method, h)).unwrap();
    let (mut worst, mut reach) = (0.0_f64, size);
    for _ in 0..1000 {
        simulation.step().unwrap();
        let mut expected = vec![DVec3::ZERO; chain.particles];
        for ((omega2, a, b), (_, shape)) in modes.iter_mut().zip(&chain.modes) {
            *b = (*b - h * *omega2 * *a) / (1.0 + h * h * *omega2);
            *a += h * *b;
            expected.iter_mut().zip(shape).for_each(|(x, &s)| *x += s * *a);
        }
        worst = worst.max(super::common::distance(simulation.positions(), &expected));
        reach = expected.iter().map(|x| x.length()).fold(reach, f64::max);
    }
    worst / reach
}

#[test]
fn chains_follow_the_closed_form_for_a_thousand_steps() {
    let one = Method::LocalGlobal(Stop::iterations(1));
    for (stiffness, mass, h) in [(1.0, 0.5, 0.01), (300.0, 0.02, 1.0 / 30.0), (1e6, 0.1, 1.0 / 30.0)] {
        let chains = [Chain::hanging(1), Chain::hanging(12), Chain::between(9), Chain::free(8)];
        for chain in &chains {
            // Any method is exact here; the middle stiffness is enough to show it.
            let others = [Method::newton(), Method::hybrid(), Method::SemiImplicit(Default::default())];
            let others = others.into_iter().filter(|_| stiffness == 300.0);
            for method in std::iter::once(one.clone()).chain(others) {
                let error = compare(chain, stiffness, mass, h, method.clone());
                println!("{} particles, k {stiffness:e}, {}: {error:e}", chain.particles, method.name());
                assert!(
                    error <= 1e-11,
                    "{} particles, k {stiffness}, {method:?}: {error:e}",
                    chain.particles
                );
            }
        }
    }
}

#[test]
fn the_energy_of_each_mode_shrinks_by_the_factor_of_its_frequency() {
    let (chain, k, m, h) = (Chain::hanging(6), 40.0, 0.1, 1.0 / 30.0);
    for (j, (lambda, shape)) in chain.modes.iter().enumerate() {
        let zeros = vec![DVec3::ZERO; chain.particles];
        let model = Model {
            gravity: DVec3::ZERO,
            ..line(zeros, vec![m; chain.particles], &vec![(0.0, k); chain.particles - 1])
        };
        let mut state = State::at_rest(&model);
        state.positions.iter_mut().zip(shape).for_each(|(x, &s)| *x = s * DVec3::new(1.0, -2.0, 0.5));
        state.velocities.iter_mut().zip(shape).for_each(|(v, &s)| *v = s * DVec3::new(3.0, 1.0, -4.0));
        state.pin(0);
        let mut simulation = Simulation::with_state(
            model,
            state,
            Settings::without_contact(Method::LocalGlobal(Stop::iterations(1)), h),
        )
        .unwrap();
        let omega2 = lambda * k / m;
        let mut last = simulation.energy().total();
        for n in 0..20 {
            let report = simulation.step().unwrap();
            assert!(report.solve.residual < 1e-13, "mode {j}: residual {:e}", report.solve.residual);
            let now = simulation.energy().total();
            let factor = now / last * (1.0 + omega2 * h * h);
            assert!((factor - 1.0).abs() < 1e-11, "mode {j}, step {n}: {factor}");
            last = now;
        }
    }
}

#[test]
fn gravity_moves_the_equilibrium_and_nothing_else() {
    let (k, m, h) = (50.0_f64, 0.3_f64, 0.02_f64);
    let model = line(vec![DVec3::ZERO, DVec3::X], vec![m; 2], &[(0.0, k)]);
    let (g, omega2) = (model.gravity, k / m);
    let mut state = State::at_rest(&model);
    state.pin(0);
    let method = Method::LocalGlobal(Stop::iterations(1));
    let mut simulation = Simulation::with_state(model, state, Settings::without_contact(method, h)).unwrap();
    let rest = g / omega2;
    let (mut a, mut b) = (DVec3::X - rest, DVec3::ZERO);
    for n in 0..1000 {
        simulation.step().unwrap();
        b = (b - h * omega2 * a) / (1.0 + h * h * omega2);
        a += h * b;
        let off = (simulation.positions()[1] - rest - a).length();
        assert!(off <= 1e-11, "step {n}: {off:e}");
    }
}
