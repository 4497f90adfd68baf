//! Bodies, methods and ways to come to rest that several laws share.

use super::common::Random;
use taut::{DVec3, Damping, LinearSolver, Method, Model, NewtonSettings, Settings, Simulation, Spring, Stop};

/// Every method, local/global at one, ten and many iterations, Newton with each linear solver.
pub fn methods() -> Vec<Method> {
    let newton = |solver| NewtonSettings { solver, ..NewtonSettings::default() };
    let solvers = [LinearSolver::Cholesky, LinearSolver::PcgJacobi, LinearSolver::PcgConstant];
    let mut all: Vec<Method> = [1, 10, 100].map(|n| Method::LocalGlobal(Stop::iterations(n))).to_vec();
    all.extend(super::samples::accelerated(Stop::iterations(10)));
    all.extend(solvers.map(|s| Method::Newton(newton(s))));
    all.extend(solvers.map(Method::SemiImplicit));
    all.push(Method::hybrid());
    all
}

/// A connected tangle of springs between points of a cube of 2 m, masses over two orders of magnitude.
pub fn tangle(random: &mut Random, particles: usize, stiffness: f64) -> Model {
    let rest: Vec<DVec3> = (0..particles).map(|_| random.vector(1.0)).collect();
    let mut pairs: Vec<[u32; 2]> = (1..particles as u32).map(|i| [i - 1, i]).collect();
    for i in 0..particles as u32 {
        let j = random.range(0.0, f64::from(i.max(1))) as u32;
        if j + 1 < i {
            pairs.push([j, i]);
        }
    }
    let spring = |[a, b]: [u32; 2]| {
        let length = rest[a as usize].distance(rest[b as usize]);
        Spring::new(a, b, length, stiffness)
    };
    Model {
        masses: (0..particles).map(|_| random.magnitude(0.05, 5.0)).collect(),
        springs: pairs.into_iter().map(spring).collect(),
        rest,
        gravity: DVec3::ZERO,
        ..Model::default()
    }
}

/// Particles in a row, each joined to the next by a spring of its own rest length and stiffness [N/m].
pub fn line(places: Vec<DVec3>, masses: Vec<f64>, springs: &[(f64, f64)]) -> Model {
    let link = |(i, &(rest_length, stiffness)): (usize, &(f64, f64))| {
        Spring::new(i as u32, i as u32 + 1, rest_length, stiffness)
    };
    let springs = springs.iter().enumerate().map(link).collect();
    Model { masses, rest: places, springs, ..Model::default() }
}

/// To static equilibrium: with the velocity dropped before each step, a step of length h is one of the proximal
/// point method on the potential, which gains a factor 1 + ω²h² on a mode of frequency ω.
pub fn settle(simulation: &mut Simulation, h: f64, steps: usize) {
    let method = simulation.settings().method.clone();
    simulation
        .configure(Settings {
            method,
            damping: Damping { ether: 0.0, ..Damping::default() },
            time_step: h,
            ..simulation.settings().clone()
        })
        .unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
}
