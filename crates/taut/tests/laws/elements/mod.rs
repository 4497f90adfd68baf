//! What holds for springs holds for every other kind of element: one list of models, and every law of the objective and
//! of the step over all of them.
//!
//! | file | what |
//! |---|---|
//! | `objective` | derivatives of g, its descent, its bits in a mirror and in other units |
//! | `motion` | momenta, other places and directions, threads, memory, snapshots, budgets, step limits |
//! | `cells` | membranes and blocks: patch tests, stresses, elements that were crushed, bad input |
//! | `drops` | solids that fall on the ground at default settings |
//! | `links` | links that are springs, seams, attachments, bad input |
//! | `scenes` | elements in the words of a scene |

mod cells;
mod drops;
mod links;
mod motion;
mod objective;
mod scenes;

use crate::common::Random;
use taut::{
    Block, DVec3, Damping, Limit, LinearSolver, Link, Membrane, Method, Model, NewtonSettings, Settings,
    Simulation, State, Stop,
};

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

/// A cube of n³ boxes of side `size` \[m\] with its inner points shaken, each box cut into six blocks.
pub fn blocks(random: &mut Random, n: u32, size: f64, young: f64, poisson: f64) -> Model {
    let number = |p: [u32; 3]| p[0] + (n + 1) * (p[1] + (n + 1) * p[2]);
    let mut rest = Vec::new();
    for k in 0..(n + 1).pow(3) {
        let p = [k % (n + 1), k / (n + 1) % (n + 1), k / (n + 1).pow(2)];
        let inside = p.iter().all(|&c| c > 0 && c < n);
        let place = DVec3::from_array(p.map(f64::from)) * size;
        rest.push(if inside { place + random.vector(0.15 * size) } else { place });
    }
    let mut blocks = Vec::new();
    for k in 0..n.pow(3) {
        let p = [k % n, k / n % n, k / n.pow(2)];
        // From one corner to the opposite one along the three axes, in every order.
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let mut at = p;
            let mut corners = [number(at); 4];
            for (corner, axis) in corners[1..].iter_mut().zip(order) {
                at[axis] += 1;
                *corner = number(at);
            }
            blocks.push(Block::isotropic(corners, young, poisson).unwrap());
        }
    }
    let masses = rest.iter().map(|_| random.range(0.01, 0.03)).collect();
    Model { masses, rest, blocks, ..Model::default() }
}

/// A sheet of n² squares of side `size` \[m\] in the plane of x and z, its inner points shaken and its diagonals at random:
/// warp along x, with stiffnesses of warp, weft, shear and area [N/m].
pub fn membranes(random: &mut Random, n: u32, size: f64, stiffness: [f64; 4]) -> Model {
    let mut rest = Vec::new();
    for k in 0..(n + 1).pow(2) {
        let p = [k % (n + 1), k / (n + 1)];
        let inside = p.iter().all(|&c| c > 0 && c < n);
        let place = DVec3::new(f64::from(p[0]), 0.0, f64::from(p[1])) * size;
        let shaken = random.vector(0.2 * size) * DVec3::new(1.0, 0.0, 1.0);
        rest.push(if inside { place + shaken } else { place });
    }
    let mut membranes = Vec::new();
    for k in 0..n * n {
        let a = k % n + (n + 1) * (k / n);
        let (b, c, d) = (a + 1, a + n + 1, a + n + 2);
        let pair =
            if random.bits().is_multiple_of(2) { [[a, b, d], [a, d, c]] } else { [[a, b, c], [b, d, c]] };
        let [warp, weft, shear, area] = stiffness;
        let one = |corners| Membrane { corners, direction: DVec3::X, warp, weft, shear, area, limit: None };
        membranes.extend(pair.map(one));
    }
    let masses = rest.iter().map(|_| random.range(0.01, 0.03)).collect();
    Model { masses, rest, membranes, ..Model::default() }
}

/// Where a model is after some steps.
pub fn run_for(model: &Model, state: State, settings: Settings, steps: usize) -> State {
    let mut simulation = Simulation::with_state(model.clone(), state, settings).unwrap();
    crate::common::take(&mut simulation, steps);
    simulation.state().clone()
}

/// One of every kind of element, off its rest pose by `noise` \[m\] and moving.
pub fn samples(noise: f64) -> Vec<Sample> {
    let mut random = Random(11);
    let mut models = vec![("links", linked(&mut random, 20, 0.1))];
    models.push(("blocks", blocks(&mut random, 2, 0.1, 2e4, 0.0)));
    models.push(("blocks that keep volume", blocks(&mut random, 2, 0.1, 2e4, 0.4)));
    models.push(("membranes", membranes(&mut random, 4, 0.1, [300.0, 200.0, 100.0, 0.0])));
    models.push(("membranes that keep area", membranes(&mut random, 4, 0.1, [300.0, 200.0, 50.0, 60.0])));
    if let Some((_, stiff)) = models.last_mut() {
        let limit = Some(Limit { low: 0.8, high: 1.05, stiffness: 500.0 });
        stiff.membranes.iter_mut().step_by(2).for_each(|one| one.limit = limit);
    }
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
    // Energy per volume; energy per area goes with that of a sheet.
    for block in &mut model.blocks {
        block.shear *= 1.0 / scale;
        block.volume *= 1.0 / scale;
    }
}
