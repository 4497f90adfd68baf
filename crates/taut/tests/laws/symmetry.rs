//! What space does not care about, the engine must not either: place, direction, handedness, unit of length, and
//! the order in which things are numbered.
//!
//! Mirroring and scaling by powers of two commute with rounding, so there the bits must agree. Rotation, shifting
//! and renumbering do not: they change the rounding of every operation, and the law is then about how a scene
//! answers to a disturbance of 1e-16. Cloth under compression buckles, and a buckling direction chosen by rounding
//! is no law's business: the scenes here are held in mild tension by gravity and wind and are damped, so that
//! disturbances shrink. `semi_implicit` takes whole steps with indefinite matrices as they come, and a matrix that
//! passes through a singular one magnifies without limit: it gets steps short enough for `M + h²K` to stay definite;
//! explicit methods get steps they are stable at. Position-based methods visit springs in an order, and so depend on it.

use crate::common::{Random, distance};
use crate::samples::accelerated;
use taut::linear::Preconditioner;
use taut::shapes::{Diagonals, Grid};
use taut::{
    Air, DVec3, Damping, Edit, Event, Explicit, Filter, ImexSettings, LinearSolver, Method, Model,
    NewtonSettings, Path, Precision, Settings, Simulation, Spring, SpringKind, State, Stop,
};

const STEPS: usize = 100;
const SOLVERS: [LinearSolver; 3] =
    [LinearSolver::Cholesky, LinearSolver::PcgJacobi, LinearSolver::PcgConstant];

/// Everything a run depends on but the method.
#[derive(Clone)]
struct Scene {
    model: Model,
    state: State,
    events: Vec<Event>,
    damping: Damping,
    h: f64,
}

/// Steps that suit the method (see above) [s].
fn time_step(method: &Method) -> f64 {
    if matches!(method, Method::SemiImplicit(_) | Method::Explicit(_)) { 1.0 / 400.0 } else { 1.0 / 60.0 }
}

pub fn methods() -> Vec<Method> {
    let stop = Stop::iterations(50);
    let mut all = vec![Method::LocalGlobal(Stop::iterations(10)), Method::LocalGlobal(Stop::tolerance(1e-6))];
    all.extend(accelerated(Stop::iterations(10)));
    for solver in SOLVERS {
        all.push(Method::Newton(NewtonSettings { stop, solver }));
        // To the end: where fifty leave it, between conjugate gradients and Newton, is anybody's guess.
        all.push(Method::Hybrid(NewtonSettings { stop: Stop::iterations(500), solver }));
        all.push(Method::SemiImplicit(solver));
    }
    let imex = ImexSettings::default();
    all.push(Method::BaraffWitkin(imex));
    all.push(Method::BaraffWitkin(ImexSettings { newton: 3, preconditioner: Preconditioner::None, ..imex }));
    all.push(Method::StaticImex(ImexSettings { decompose: false, ..imex }));
    all.push(Method::AdaptiveImex(ImexSettings { preconditioner: Preconditioner::Block, ..imex }));
    all.extend([Method::Pbd(Stop::iterations(10)), Method::Xpbd(Stop::iterations(10))]);
    all
}

/// Those and the explicit ones, which most steps are too long for.
pub fn every_method() -> Vec<Method> {
    methods().into_iter().chain(Explicit::NAMES.map(|(_, order)| Method::Explicit(order))).collect()
}

fn visits_in_order(method: &Method) -> bool {
    matches!(method, Method::Pbd(_) | Method::Xpbd(_))
}

/// A flag in slanting wind: three particles of the first row pinned, one of them moving and let go, every kind of
/// damping, a force of the user's own, extension-only springs along the edges of the quads.
fn scene(method: &Method) -> Scene {
    let h = time_step(method);
    let at = |step: f64| step * h;
    let grid = Grid {
        columns: 6,
        rows: 5,
        mass: 0.5,
        stretch: 400.0,
        shear: 100.0,
        bend: 20.0,
        kind: SpringKind::ExtensionOnly,
        ..Grid::default()
    };
    let mut model = grid.build().unwrap();
    model.air = Air { wind: DVec3::new(0.7, -0.4, 2.5), density: 1.2, ..Air::default() };
    let mut random = Random(7);
    model.masses.iter_mut().for_each(|m| *m *= random.range(0.8, 1.2));
    let mut state = State::at_rest(&model);
    // Not at rest length, where rounding decides whether an extension-only spring is slack.
    state.positions.iter_mut().for_each(|p| *p *= 1.01);
    state.velocities.iter_mut().for_each(|v| *v = random.vector(0.1));
    state.forces[20] = DVec3::new(0.05, 0.02, -0.03);
    [0, 3, 5].into_iter().for_each(|i| state.pin(i));
    let keys = vec![
        (0.0, DVec3::ZERO),
        (at(30.0), DVec3::new(0.02, 0.06, -0.05)),
        (at(60.0), DVec3::new(0.0, 0.03, 0.03)),
    ];
    let events = vec![
        Event { time: at(6.0), edit: Edit::Hold { particles: vec![5], path: Path { keys } } },
        Event { time: at(36.0), edit: Edit::Wind(DVec3::new(-0.3, -0.2, 3.0)) },
        Event { time: at(66.0), edit: Edit::Release { particles: vec![3] } },
        Event { time: at(78.0), edit: Edit::Stiffness { springs: (10..30).collect(), factor: 1.5 } },
    ];
    let damping = Damping { ether: 0.99, rigid: 0.05, drag: 0.2, material: 0.01 };
    Scene { model, state, events, damping, h }
}

impl Scene {
    /// The whole scene with every point and every vector (velocity, acceleration, force) mapped, and the unit of
    /// length changed by `scale`; masses, stiffnesses and times stay.
    fn mapped(&self, point: impl Fn(DVec3) -> DVec3, vector: impl Fn(DVec3) -> DVec3, scale: f64) -> Scene {
        let mut new = self.clone();
        new.model.rest.iter_mut().chain(&mut new.state.positions).for_each(|p| *p = point(*p));
        new.state.velocities.iter_mut().chain(&mut new.state.forces).for_each(|v| *v = vector(*v));
        new.model.gravity = vector(new.model.gravity);
        new.model.air.wind = vector(new.model.air.wind);
        new.model.air.density *= scale.powi(-3);
        new.model.springs.iter_mut().for_each(|s| s.rest_length *= scale);
        for filter in &mut new.state.filters {
            if let Filter::Pinned(place) = filter {
                *place = point(*place);
            }
        }
        for event in &mut new.events {
            match &mut event.edit {
                Edit::Hold { path, .. } => path.keys.iter_mut().for_each(|(_, p)| *p = vector(*p)),
                Edit::Wind(wind) => *wind = vector(*wind),
                _ => {}
            }
        }
        new
    }

    fn run(&self, method: &Method, steps: usize) -> State {
        self.run_in(Precision::default(), method, steps)
    }

    fn run_in(&self, precision: Precision, method: &Method, steps: usize) -> State {
        let (model, state) = (self.model.clone(), self.state.clone());
        let (damping, conserve) = (self.damping, 0.5);
        let settings =
            Settings { damping, conserve, precision, ..Settings::without_contact(method.clone(), self.h) };
        let mut simulation = Simulation::with_state(model, state, settings).unwrap();
        simulation.set_script(self.events.clone()).unwrap();
        for _ in 0..steps {
            simulation.step().unwrap();
        }
        simulation.state().clone()
    }
}

/// What symmetries that change the order of sums may cost, relative to the size of the scene. Rounding in a solve stays in
/// the answer of a method that does not converge, and cloth about to buckle magnifies it, up to 1e5 times in these runs.
const COST: [(Precision, f64); 2] = [(Precision::Double, 1e-9), (Precision::Single, 1e-5)];

/// Positions and velocities equal in every bit, but −0 is 0.
fn same(a: &State, b: &State) -> bool {
    a.positions == b.positions && a.velocities == b.velocities
}

fn map(state: &State, vector: impl Fn(DVec3) -> DVec3) -> State {
    let mut new = state.clone();
    new.positions.iter_mut().chain(&mut new.velocities).for_each(|v| *v = vector(*v));
    new
}

/// The scene must be worth the name: it moves by a good part of its size, and stays together.
#[test]
fn the_scene_moves() {
    for method in every_method() {
        let scene = scene(&method);
        let end = scene.run(&method, STEPS);
        let moved = distance(&end.positions, &scene.state.positions);
        let least = if time_step(&method) < 0.01 { 0.1 } else { 0.3 };
        assert!((least..3.0).contains(&moved), "{method:?} moved {moved} m");
    }
}

#[test]
fn turned_and_carried_off_it_moves_the_same() {
    let turn = rotation(DVec3::new(0.3, -0.5, 0.8).normalize(), 2.1);
    for (shift, turn) in [
        (DVec3::new(3.0, -2.0, 5.0), turn),
        (DVec3::new(-0.7, 0.1, 0.4), [DVec3::X, DVec3::Y, DVec3::Z]),
        (DVec3::ZERO, [DVec3::Y, DVec3::Z, DVec3::X]),
    ] {
        let rotate = |v: DVec3| turn[0] * v.x + turn[1] * v.y + turn[2] * v.z;
        let place = |p: DVec3| rotate(p) + shift;
        for method in every_method() {
            let scene = scene(&method);
            let size = scene.model.size();
            let moved = scene.mapped(place, rotate, 1.0);
            for (precision, cost) in COST {
                let expected: Vec<DVec3> =
                    scene.run_in(precision, &method, STEPS).positions.iter().map(|&p| place(p)).collect();
                let error = distance(&moved.run_in(precision, &method, STEPS).positions, &expected) / size;
                println!("{error:.1e} {method:?} {precision:?}");
                assert!(
                    error <= cost,
                    "{error:.1e} of the size for {method:?}, shift {shift}, turn {turn:?}"
                );
            }
        }
    }
}

/// Columns of the rotation by `angle` about a unit axis (Rodrigues).
fn rotation(axis: DVec3, angle: f64) -> [DVec3; 3] {
    let (sin, cos) = angle.sin_cos();
    [DVec3::X, DVec3::Y, DVec3::Z].map(|v| v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos)))
}

#[test]
fn mirrored_it_moves_as_its_mirror_image_bit_for_bit() {
    for method in every_method() {
        let scene = scene(&method);
        let expected = scene.run(&method, STEPS);
        for signs in [[-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]] {
            let flip = |v: DVec3| v * DVec3::from_array(signs);
            let mirrored = scene.mapped(flip, flip, 1.0).run(&method, STEPS);
            assert!(same(&mirrored, &map(&expected, flip)), "{signs:?} for {method:?}");
        }
    }
}

#[test]
fn in_any_unit_of_length_it_moves_the_same_bit_for_bit() {
    for method in every_method() {
        let scene = scene(&method);
        let expected = scene.run(&method, STEPS);
        for p in [-40, 1, 40] {
            let scale = 2f64.powi(p);
            let larger = |v: DVec3| v * scale;
            let scaled = scene.mapped(larger, larger, scale).run(&method, STEPS);
            assert!(same(&scaled, &map(&expected, larger)), "2^{p} for {method:?}");
        }
    }
}

/// Every power from −40 to 40, a few steps each.
#[test]
fn every_power_of_two_is_a_unit_of_length() {
    for method in every_method() {
        let scene = scene(&method);
        let expected = scene.run(&method, 3);
        for p in -40..=40 {
            let scale = 2f64.powi(p);
            let larger = |v: DVec3| v * scale;
            let scaled = scene.mapped(larger, larger, scale).run(&method, 3);
            assert!(same(&scaled, &map(&expected, larger)), "2^{p} for {method:?}");
        }
    }
}

/// A random order of 0..n.
fn shuffled(n: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, (random.bits() % (i as u64 + 1)) as usize);
    }
    order
}

/// The scene with particle i called `name[i]`, its springs and triangles in another order and turned round.
fn renumbered(scene: &Scene, name: &[usize], random: &mut Random) -> Scene {
    let mut new = scene.clone();
    for (i, &n) in name.iter().enumerate() {
        new.model.masses[n] = scene.model.masses[i];
        new.model.rest[n] = scene.model.rest[i];
        new.state.positions[n] = scene.state.positions[i];
        new.state.velocities[n] = scene.state.velocities[i];
        new.state.forces[n] = scene.state.forces[i];
        new.state.filters[n] = scene.state.filters[i];
    }
    let called = |i: u32| name[i as usize] as u32;
    let mut springs: Vec<Spring> = scene.model.springs.clone();
    for (i, &n) in shuffled(springs.len(), random).iter().enumerate() {
        let spring = scene.model.springs[i];
        let [a, b] = spring.ends.map(called);
        springs[n] = Spring { ends: if n % 2 == 0 { [a, b] } else { [b, a] }, ..spring };
    }
    new.model.springs = springs;
    for (i, &n) in shuffled(scene.model.triangles.len(), random).iter().enumerate() {
        let [a, b, c] = scene.model.triangles[i].map(called);
        new.model.triangles[n] = [b, c, a];
    }
    // A range of springs has no meaning in another order: the stiffness event goes.
    new.events.retain(|e| !matches!(e.edit, Edit::Stiffness { .. }));
    for event in &mut new.events {
        if let Edit::Hold { particles, .. } | Edit::Release { particles } = &mut event.edit {
            particles.iter_mut().for_each(|i| *i = name[*i]);
        }
    }
    new
}

#[test]
fn renumbered_it_moves_the_same() {
    let mut random = Random(3);
    for _ in 0..2 {
        for method in every_method().into_iter().filter(|m| !visits_in_order(m)) {
            let mut scene = scene(&method);
            scene.events.retain(|e| !matches!(e.edit, Edit::Stiffness { .. }));
            let size = scene.model.size();
            let name = shuffled(scene.model.particles(), &mut random);
            let other = renumbered(&scene, &name, &mut random);
            for (precision, cost) in COST {
                let expected = scene.run_in(precision, &method, STEPS).positions;
                let found = other.run_in(precision, &method, STEPS).positions;
                let found: Vec<DVec3> = name.iter().map(|&n| found[n]).collect();
                let error = distance(&found, &expected) / size;
                println!("{error:.1e} {method:?} {precision:?}");
                assert!(error <= cost, "{error:.1e} of the size for {method:?}");
            }
        }
    }
}

/// Cloth pinned at two corners, symmetric about x = 0: it stays so, though nothing in the engine knows of it.
#[test]
fn a_symmetric_cloth_stays_symmetric() {
    for diagonals in [Diagonals::Both, Diagonals::Alternating] {
        // An odd number of columns makes the chequerboard of diagonals its own mirror image.
        let grid = Grid { columns: 9, rows: 8, diagonals, ..Grid::default() };
        let mut model = grid.build().unwrap();
        model.air = Air { wind: DVec3::new(0.0, 0.5, 2.0), density: 1.2, ..Air::default() };
        let mut state = State::at_rest(&model);
        state.pin(0);
        state.pin(8);
        let damping = Damping { ether: 0.995, rigid: 0.02, drag: 0.2, material: 0.01 };
        // Shear and bend of 1000 N/m, and their dampers, are too stiff for explicit steps of this length.
        let suits = |m: &Method| !visits_in_order(m) && !matches!(m, Method::StaticImex(_));
        for method in every_method().into_iter().filter(suits) {
            let h = if matches!(method, Method::Explicit(_)) { 1e-4 } else { time_step(&method) };
            let (model, state) = (model.clone(), state.clone());
            let scene = Scene { model, state, events: Vec::new(), damping, h };
            for (precision, cost) in COST {
                let end = scene.run_in(precision, &method, STEPS).positions;
                let partner = |i: usize| i / 9 * 9 + (8 - i % 9);
                let mirrored: Vec<DVec3> =
                    (0..end.len()).map(|i| end[partner(i)] * DVec3::new(-1.0, 1.0, 1.0)).collect();
                let error = distance(&end, &mirrored) / scene.model.size();
                println!("{error:.1e} {method:?} {precision:?}");
                assert!(error <= cost, "{error:.1e} of the size for {method:?}, {diagonals:?}");
            }
        }
    }
}
