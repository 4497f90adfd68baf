//! What holds for springs holds for every other kind of element: one list of models, and every law of the objective and
//! of the step over all of them.
//!
//! | file | what |
//! |---|---|
//! | `objective` | derivatives of g, its descent, its bits in a mirror and in other units |
//! | `motion` | momenta, other places and directions, threads, memory, snapshots, budgets, step limits |
//! | `links` | links that are springs, seams, attachments, bad input |

mod links;
mod motion;
mod objective;

use crate::common::Random;
use taut::{DVec3, Damping, LinearSolver, Link, Method, Model, NewtonSettings, State, Stop};

/// A model in an odd pose.
pub struct Sample {
    pub name: &'static str,
    pub model: Model,
    pub state: State,
}

/// Points at random, each about `size` \[m\] from its neighbours, all joined by links of two to seven particles.
fn linked(random: &mut Random, m: u32, size: f64) -> Model {
    let side = size * f64::from(m).cbrt();
    let rest: Vec<DVec3> = (0..m).map(|_| random.vector(side)).collect();
    let mut links = Vec::new();
    for i in 0..m {
        let others = 1 + random.bits() % 5;
        let mut weights = vec![(i, 0.0)];
        while weights.len() < 1 + others as usize {
            let j = (random.bits() % u64::from(m)) as u32;
            if weights.iter().all(|&(k, _)| k != j) {
                weights.push((j, random.range(-1.0, 1.0)));
            }
        }
        weights[0].1 = -weights.iter().map(|(_, w)| w).sum::<f64>();
        let mut link = Link::new(weights, 0.0, random.magnitude(10.0, 300.0));
        // Three in four have a length, and some share their particles with the next.
        if i % 4 > 0 {
            link.rest_length = link.vector(&rest).length() * random.range(0.7, 1.2);
        }
        let second = Link::new(link.weights.iter().map(|&(k, w)| (k, -0.5 * w)).collect(), 0.0, 7.0);
        links.push(link);
        if i % 3 == 0 {
            links.push(second);
        }
        let next = vec![(i, 1.0), ((i + 1) % m, -1.0)];
        let mut link = Link::new(next, 0.0, 50.0);
        link.rest_length = link.vector(&rest).length();
        links.push(link);
    }
    let masses = (0..m).map(|_| random.range(0.01, 0.03)).collect();
    Model { masses, rest, links, ..Model::default() }
}

/// One of every kind of element, off its rest pose by `noise` \[m\] and moving.
pub fn samples(noise: f64) -> Vec<Sample> {
    let mut random = Random(11);
    let models = vec![("links", linked(&mut random, 20, 0.1))];
    let posed = |(name, model): (&'static str, Model)| {
        let mut state = State::at_rest(&model);
        state.positions.iter_mut().for_each(|x| *x += random.vector(noise));
        state.velocities.iter_mut().for_each(|v| *v = random.vector(0.3));
        Sample { name, model, state }
    };
    models.into_iter().map(posed).collect()
}

/// The methods that minimise g, and so take every element.
pub fn minimising() -> Vec<Method> {
    let stop = Stop::iterations(8);
    let mut all = vec![Method::LocalGlobal(stop), Method::newton(), Method::hybrid()];
    all.extend(crate::samples::accelerated(stop));
    let newton = |solver| Method::Newton(NewtonSettings { stop: Stop::iterations(40), solver });
    all.extend([LinearSolver::PcgJacobi, LinearSolver::PcgConstant].map(newton));
    all
}

/// Every kind of damping that keeps both momenta.
pub const DAMPED: Damping = Damping { ether: 1.0, rigid: 0.0, drag: 0.0, material: 0.01 };

/// Give a model whose points were scaled the numbers that belong to them: energies go with the square of lengths, so that
/// masses, stiffnesses and times stay.
fn resize(model: &mut Model, scale: f64) {
    model.links.iter_mut().for_each(|link| link.rest_length *= scale);
}
