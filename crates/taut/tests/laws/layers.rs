//! Bodies that meet themselves and each other do not pass through: no triangle crosses another after any step, whatever
//! the method, and the laws of motion hold.

use crate::common::{Random, take};
use taut::collision::{ContactSettings, Level};
use taut::shapes::{Field, Grid, Mass, Solid, Strands};
use taut::{DVec3, Error, Method, Model, Settings, Simulation, State, Stop, measure};

const H: f64 = 1.0 / 60.0;

/// A square metre of soft cloth.
fn cloth(n: usize) -> Model {
    let grid =
        Grid { columns: n, rows: n, mass: 0.3, stretch: 300.0, shear: 100.0, bend: 3.0, ..Grid::default() };
    grid.build().unwrap()
}

/// Some cloths one above the other, a little uneven.
fn stack(count: usize, n: usize, gap: f64) -> (Model, State) {
    let (mut model, mut places, mut random) = (Model::default(), Vec::new(), Random(5));
    for layer in 0..count {
        let one = cloth(n);
        places.extend(one.rest.iter().map(|&p| p + DVec3::Y * gap * layer as f64 + random.vector(1e-3)));
        model.append(&one);
    }
    let mut state = State::at_rest(&model);
    state.positions = places;
    (model, state)
}

fn settings(method: &str, level: Level) -> Settings {
    Settings { contact: ContactSettings::new(level), ..Settings::new(method.parse().unwrap(), H) }
}

/// Pairs of an edge and a triangle without common particle that cross, by signs of volumes.
pub fn crossings(model: &Model, x: &[DVec3]) -> usize {
    let at = |i: u32| x[i as usize];
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a) > 0.0;
    let mut edges: Vec<[u32; 2]> =
        model.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.iter_mut().for_each(|e| e.sort_unstable());
    edges.sort_unstable();
    edges.dedup();
    let mut count = 0;
    for &[i, j] in &edges {
        let (p, q) = (at(i), at(j));
        for t in model.triangles.iter().filter(|t| !t.contains(&i) && !t.contains(&j)) {
            let [a, b, c] = t.map(at);
            let apart = p.max(q).cmplt(a.min(b).min(c)) | p.min(q).cmpgt(a.max(b).max(c));
            if apart.any() || volume(a, b, c, p) == volume(a, b, c, q) {
                continue;
            }
            let sides = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
            count += usize::from(sides[0] == sides[1] && sides[1] == sides[2]);
        }
    }
    count
}

/// A face that is there many times is one obstacle: the same bits, and as many pairs.
#[test]
fn repeated_faces_are_met_once() {
    let (model, mut state) = stack(2, 5, 0.05);
    (0..25).for_each(|i| state.pin(i));
    let turned = model.triangles.iter().map(|&[a, b, c]| [b, c, a]);
    let triangles = model.triangles.iter().copied().chain(turned.clone()).chain(turned).collect();
    let repeated = Model { triangles, ..model.clone() };
    let fall = |model: Model| {
        let settings = settings("conjugate_gradient", Level::Exact);
        let mut simulation = Simulation::with_state(model, state.clone(), settings).unwrap();
        let reports: Vec<_> = (0..30).map(|_| simulation.step().unwrap().contact.unwrap()).collect();
        (measure::hash(simulation.state()), reports)
    };
    let (once, often) = (fall(model), fall(repeated));
    assert!(once.1.iter().any(|report| report.contacts > 0));
    assert_eq!(once, often);
}

/// Cloths fall onto one that is held at its corners; every kind of method, both levels.
#[test]
fn a_pile_does_not_pass_through_itself() {
    let methods = ["conjugate_gradient", "local_global", "newton", "baraff_witkin", "xpbd"];
    for (k, method) in methods.into_iter().enumerate() {
        let level = [Level::Fast, Level::Exact][k % 2];
        let (model, mut state) = stack(3, 9, 0.05);
        [0, 8, 72, 80].into_iter().for_each(|corner| state.pin(corner));
        let mut simulation = Simulation::with_state(model, state, settings(method, level)).unwrap();
        let mut touched = 0;
        for step in 0..50 {
            let report = simulation.step().unwrap();
            touched += report.contact.unwrap().contacts;
            assert_eq!(crossings(simulation.model(), simulation.positions()), 0, "{method}, step {step}");
        }
        assert!(touched > 100, "{method}: {touched} contacts");
    }
}

/// A cloth is twisted at both ends until it folds onto itself; without rounds of impacts rigid zones alone keep it from
/// crossing itself.
#[test]
fn zones_alone_are_enough() {
    let n = 13;
    let mut model = cloth(n);
    model.gravity = DVec3::ZERO;
    let rest = model.rest.clone();
    let mut state = State::at_rest(&model);
    let handles: Vec<usize> = (0..n).flat_map(|row| [row * n, row * n + n - 1]).collect();
    handles.iter().for_each(|&i| state.pin(i));
    let mut settings = settings("newton", Level::Fast);
    settings.contact.rounds = Some(0);
    let mut simulation = Simulation::with_state(model, state, settings).unwrap();
    let mut zones = 0;
    for step in 1..=90 {
        for &i in &handles {
            let angle = rest[i].x.signum() * f64::from(step) * 0.06;
            let turn = glam::DQuat::from_rotation_x(angle);
            simulation.grab(i, turn * rest[i]).unwrap();
        }
        let report = simulation.step().unwrap().contact.unwrap();
        zones += report.zones;
        assert_eq!(crossings(simulation.model(), simulation.positions()), 0, "step {step}: {report:?}");
    }
    assert!(zones > 0);
}

/// Two free cloths that meet keep their momentum; nothing else acts on them.
#[test]
fn momentum_is_kept_when_cloths_meet() {
    for method in ["conjugate_gradient", "newton", "symplectic_euler"] {
        let (mut model, mut state) = stack(2, 7, 0.1);
        model.gravity = DVec3::ZERO;
        state.velocities[49..].fill(DVec3::new(0.2, -2.0, 0.1));
        let mut settings = settings(method, Level::Exact);
        settings.time_step = 1.0 / 240.0;
        let mut simulation = Simulation::with_state(model, state, settings).unwrap();
        let before = measure::momentum(simulation.model(), simulation.state());
        let mut contacts = 0;
        for _ in 0..60 {
            contacts += simulation.step().unwrap().contact.unwrap().contacts;
        }
        let after = measure::momentum(simulation.model(), simulation.state());
        let scale: f64 = simulation.model().masses.iter().sum::<f64>() * 2.0;
        assert!(contacts > 0 && (after - before).length() < 1e-12 * scale, "{method}: {before} {after}");
    }
}

/// What nothing comes near has the bits it has without contact.
#[test]
fn far_from_everything_no_bit_changes() {
    for method in ["conjugate_gradient", "newton", "baraff_witkin", "symplectic_euler"] {
        let hash = |level: Level| {
            let (model, mut state) = stack(1, 9, 0.0);
            state.pin(0);
            let mut settings = settings(method, level);
            settings.time_step = 1.0 / 480.0;
            let mut simulation = Simulation::with_state(model, state, settings).unwrap();
            (0..20).for_each(|_| _ = simulation.step().unwrap());
            measure::hash(simulation.state())
        };
        assert_eq!(hash(Level::Off), hash(Level::Exact), "{method}");
    }
}

/// Strands cross nothing: one falls across another that is held at its ends; also beside a body of tets.
#[test]
fn strands_meet_strands() {
    for beside in [Model::default(), ball(DVec3::X * 9.0)] {
        let strand = |direction: DVec3| {
            let roots = vec![DVec3::ZERO];
            Strands { roots, direction, particles: 9, length: 1.0, ..Strands::default() }.build().unwrap()
        };
        let (held, mut falling) = (strand(DVec3::X), strand(DVec3::Z));
        falling.rest.iter_mut().for_each(|p| *p += DVec3::new(0.5, 0.05, -0.5));
        let mut model = Model::default();
        [&held, &falling, &beside].into_iter().for_each(|body| _ = model.append(body));
        let mut state = State::at_rest(&model);
        state.pin(0);
        state.pin(8);
        let after = |level| {
            let settings = settings("newton", level);
            let mut simulation = Simulation::with_state(model.clone(), state.clone(), settings).unwrap();
            take(&mut simulation, 40);
            simulation.positions()[13].y - simulation.positions()[4].y
        };
        let below = after(Level::Off);
        assert!(below < -0.1, "{below}");
        for level in [Level::Fast, Level::Exact] {
            let above = after(level);
            assert!(above > 0.0, "{level}: {above}");
        }
    }
}

/// A soft ball.
fn ball(centre: DVec3) -> Model {
    let mesh = Field::ball(centre, 0.15).lattice(0.07).unwrap();
    let solid = Solid { name: "ball".into(), mass: Mass::Total(0.2), stiffness: 50.0 };
    solid.build(&mesh.positions, &mesh.tets).unwrap()
}

/// A body of tets is met by its boundary, whether the model names that or not: it stays on a sheet that holds it.
#[test]
fn tets_meet_by_their_boundary() {
    for named in [true, false] {
        let ball = ball(DVec3::Y * 0.2);
        let mut model = cloth(9);
        model.append(&ball);
        let all = model.clone();
        if !named {
            model.triangles.truncate(model.triangles.len() - ball.triangles.len());
        }
        let mut state = State::at_rest(&model);
        (0..81).filter(|i| [0, 8].contains(&(i % 9)) || [0, 8].contains(&(i / 9))).for_each(|i| state.pin(i));
        let settings = settings("conjugate_gradient", Level::Fast);
        let mut simulation = Simulation::with_state(model, state, settings).unwrap();
        for step in 0..50 {
            take(&mut simulation, 1);
            assert_eq!(crossings(&all, simulation.positions()), 0, "named {named}, step {step}");
        }
        let lowest = simulation.positions()[81..].iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let middle = simulation.positions()[40].y;
        assert!(lowest > middle - 0.05 && middle < -0.01, "named {named}: {lowest} m on {middle} m");
    }
}

/// Two handles that cross with cloth between them: `exact` refuses the step and names the pair.
#[test]
fn what_cannot_escape_is_named() {
    let (model, mut state) = stack(2, 5, 0.05);
    (0..50).for_each(|i| state.pin(i));
    // A single particle between two prescribed sheets.
    let mut model = model;
    let one = cloth(2);
    model.append(&one);
    state.positions.extend(one.rest.iter().map(|&p| 0.05 * p + DVec3::Y * 0.025));
    state.velocities.extend([DVec3::ZERO; 4]);
    state.forces.extend([DVec3::ZERO; 4]);
    state.filters.extend([taut::Filter::Free; 4]);
    let mut simulation = Simulation::with_state(model, state, settings("newton", Level::Exact)).unwrap();
    simulation.step().unwrap();
    let before = simulation.snapshot();
    (25..50).for_each(|i| simulation.grab(i, simulation.positions()[i] - DVec3::Y * 0.1).unwrap());
    let pinned = simulation.snapshot();
    let error = simulation.step().unwrap_err();
    assert!(matches!(error, Error::Pinched { .. }), "{error}");
    assert_eq!(simulation.snapshot(), pinned);
    assert_ne!(before, pinned);
}

/// The same scene mirrored, and twice as large, is the mirrored and doubled motion.
#[test]
fn contact_has_no_preferred_side_or_size() {
    let run = |map: &dyn Fn(DVec3) -> DVec3, scale: f64| {
        let (mut model, mut state) = stack(2, 6, 0.03);
        model.rest.iter_mut().for_each(|p| *p = map(*p));
        model.springs.iter_mut().for_each(|s| *s = s.with_length(s.rest_length * scale));
        state.positions.iter_mut().for_each(|p| *p = map(*p));
        model.gravity = map(model.gravity);
        state.pin(0);
        let method =
            Method::Newton(taut::NewtonSettings { stop: Stop::iterations(20), ..Default::default() });
        let settings = Settings { method, ..settings("newton", Level::Exact) };
        let mut simulation = Simulation::with_state(model, state, settings).unwrap();
        (0..12).for_each(|_| _ = simulation.step().unwrap());
        simulation.positions().to_vec()
    };
    let plain = run(&|p| p, 1.0);
    let doubled = run(&|p| 2.0 * p, 2.0);
    assert!(plain.iter().zip(&doubled).all(|(a, b)| 2.0 * *a == *b), "powers of two");
    let mirrored = run(&|p| DVec3::new(-p.x, p.y, p.z), 1.0);
    let off = plain.iter().zip(&mirrored).map(|(a, b)| (*a - DVec3::new(-b.x, b.y, b.z)).length());
    assert!(off.fold(0.0, f64::max) < 1e-9);
}

/// Cloth thicker than its mesh allows does not swell, flat or bent: neighbours are kept apart by less.
#[test]
fn thick_cloth_does_not_swell() {
    let mut model = cloth(7);
    model.gravity = DVec3::ZERO;
    let edge = 1.0 / 6.0;
    model.bodies[0].skin.thickness = Some(1.5 * edge);
    let mut state = State::at_rest(&model);
    // Bent over a cylinder, so that it is not flat.
    for p in &mut state.positions {
        let (sin, cos) = (p.x / 0.4).sin_cos();
        *p = DVec3::new(0.4 * sin, 0.4 * cos, p.z);
    }
    let capped = |level| {
        let settings = settings("conjugate_gradient", level);
        let mut simulation = Simulation::with_state(model.clone(), state.clone(), settings).unwrap();
        let reports: Vec<_> = (0..10).map(|_| simulation.step().unwrap()).collect();
        let ratios = measure::stretch_ratios(simulation.model(), simulation.state());
        (reports[0].contact.map_or(0, |c| c.capped), ratios[ratios.len() - 1])
    };
    let ((none, free), (many, kept)) = (capped(Level::Off), capped(Level::Exact));
    assert!(none == 0 && many > 100, "{many} pairs");
    assert!(kept < free + 0.02, "{kept} with contact, {free} without");
}
