//! What joins bodies and fills them: seams, attachments and air, in scenes and in models.

use crate::common::take;
use taut::measure::{angular_momentum, momentum};
use taut::{
    DVec3, Damping, Explicit, Gas, Membrane, Method, Model, Scene, Settings, Simulation, State, doctor,
};

/// A ball of `6 n²` squares, cut in two each: a cube's faces blown up to radius r \[m\]. No gravity.
pub fn ball(n: u32, radius: f64, stiffness: f64) -> Model {
    let mut rest: Vec<DVec3> = Vec::new();
    let mut triangles = Vec::new();
    let at = |axis: usize, side: f64, u: u32, v: u32| {
        let place = |k: u32| 2.0 * f64::from(k) / f64::from(n) - 1.0;
        let mut p = DVec3::ZERO;
        (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, place(u), place(v));
        p.normalize() * radius
    };
    let mut number = |p: DVec3| match rest.iter().position(|q: &DVec3| q.distance(p) < 1e-9) {
        Some(i) => i as u32,
        None => {
            rest.push(p);
            rest.len() as u32 - 1
        }
    };
    for (axis, side) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
        for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))) {
            let [a, b, c, d] =
                [(u, v), (u + 1, v), (u + 1, v + 1), (u, v + 1)].map(|(u, v)| number(at(axis, side, u, v)));
            // Wound as they come: half of the faces look inwards.
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let membranes = triangles.iter().map(|&t| Membrane::isotropic(t, stiffness)).collect();
    let masses = vec![0.01 / rest.len() as f64; rest.len()];
    Model { masses, rest, triangles, membranes, gravity: DVec3::ZERO, ..Model::default() }
}

fn volume(gas: &Gas, x: &[DVec3]) -> f64 {
    let six = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| x[i as usize]);
        a.dot(b.cross(c))
    };
    gas.triangles.iter().map(six).sum::<f64>() / 6.0
}

/// The force is minus the slope of −p₀ V₀ ln V, by differences; it has no sum and no moment.
#[test]
fn air_presses_as_the_law_of_gases_says() {
    let mut model = ball(3, 0.1, 1e-9);
    model.inflate(&[0], 50.0, None, None).unwrap();
    let gas = model.gases[0].clone();
    assert!((gas.volume - volume(&gas, &model.rest)).abs() < 1e-15 && gas.volume > 0.003);
    let mut state = State::at_rest(&model);
    state.positions.iter_mut().for_each(|x| *x = *x * DVec3::new(1.2, 0.7, 1.0) + DVec3::ONE);
    let h = 1e-3;
    let method = Method::Explicit(Explicit::SymplecticEuler);
    let settings = Settings::without_contact(method, h);
    let mut simulation = Simulation::with_state(model.clone(), state.clone(), settings).unwrap();
    simulation.step().unwrap();
    let force: Vec<DVec3> =
        simulation.state().velocities.iter().zip(&model.masses).map(|(v, m)| *v * *m / h).collect();
    let energy = |x: &[DVec3]| -50.0 * gas.volume * volume(&gas, x).ln();
    let largest = force.iter().map(|f| f.length()).fold(0.0, f64::max);
    for i in (0..model.particles()).step_by(5) {
        for axis in 0..3 {
            let at = |shift: f64| {
                let mut x = state.positions.clone();
                x[i][axis] += shift;
                energy(&x)
            };
            let slope = (at(1e-4) - at(-1e-4)) / 2e-4;
            assert!((force[i][axis] + slope).abs() < 1e-6 * largest, "{} {slope}", force[i][axis]);
        }
    }
    let turn: DVec3 = state.positions.iter().zip(&force).map(|(x, f)| x.cross(*f)).sum();
    assert!(force.iter().sum::<DVec3>().length() < 1e-13 * largest && turn.length() < 1e-13 * largest);
}

/// A balloon: at rest tension and pressure balance as Laplace says, 2 E λ (λ − 1) / r = p₀.
#[test]
fn a_balloon_has_the_radius_of_laplace() {
    let (radius, stiffness, stretch) = (0.1, 100.0, 1.1);
    let pressure = 2.0 * stiffness * stretch * (stretch - 1.0) / radius;
    let mut model = ball(8, radius, stiffness);
    model.inflate(&[0], pressure, None, Some((0.0, 0.2))).unwrap();
    let damping = Damping { ether: 0.97, ..Damping::default() };
    let settings = Settings { damping, ..Settings::without_contact(Method::default(), 1.0 / 480.0) };
    let mut simulation = Simulation::new(model.clone(), settings).unwrap();
    take(&mut simulation, 600);
    let gas = &model.gases[0];
    let found = (volume(gas, simulation.positions()) / volume(gas, &model.rest)).cbrt();
    println!("stretch {found:.4} of {stretch}");
    assert!((found - stretch).abs() < 0.01 * (stretch - 1.0), "{found}");
    assert!(simulation.positions().iter().sum::<DVec3>().length() < 1e-9);
}

/// The doctor's limit is where steps begin to grow.
#[test]
fn steps_too_long_for_air_are_warned_of() {
    let mut model = ball(4, 0.1, 1e-3);
    model.inflate(&[0], 400.0, None, None).unwrap();
    let mut state = State::at_rest(&model);
    state.positions.iter_mut().for_each(|x| *x *= 1.001);
    let pushes = |h: f64| {
        let found = doctor::examine(&model, &state, h).findings;
        found.into_iter().find(|f| f.what.contains("pushes it to and fro")).map(|f| f.remedy)
    };
    let remedy = pushes(1.0).expect("a second is too long");
    let limit: f64 = remedy.split_whitespace().find_map(|word| word.parse().ok()).unwrap();
    assert!(pushes(0.9 * limit).is_none() && pushes(1.1 * limit).is_some(), "{remedy}");
}

/// Two sheets sewn together hold air; what is open does not.
#[test]
fn sewn_sheets_hold_air() {
    let scene = |seam: &str, pressure: &str| {
        let sheet = |name: &str, y: f64, more: &str| {
            format!(
                "[[body]]\nname = \"{name}\"\nfabric = \"cotton\"\nposition = [0.0, {y:?}, 0.0]\n{more}\n\
                 grid = {{ columns = 9, rows = 9, width = 0.4, height = 0.4 }}\n"
            )
        };
        let (low, high) = (sheet("low", 0.0, pressure), sheet("high", 0.02, ""));
        Scene::parse(
            "s.toml",
            &format!(
                "gravity = [0.0, 0.0, 0.0]\n[damping]\nether = 0.98\n[contact]\nlevel = \"off\"\n{low}{high}{seam}"
            ),
            None,
        )
    };
    let all = "at = [\"top\", \"bottom\", \"left\", \"right\"]";
    let seam = format!(
        "[[seam]]\nfirst = {{ body = \"low\", {all} }}\nsecond = {{ body = \"high\", {all} }}\nseconds = 0.2\n"
    );
    let scene_of = scene(&seam, "pressure = 60.0\nvolume = 0.008\ninflate = 0.5\n").unwrap();
    let settings = Settings { time_step: 1.0 / 240.0, ..scene_of.settings.clone() };
    let mut simulation =
        Simulation::with_state(scene_of.model.clone(), scene_of.state.clone(), settings).unwrap();
    take(&mut simulation, 480);
    let gas = &scene_of.model.gases[0];
    assert_eq!((gas.sewn.len(), gas.triangles.len()), (32, 256));
    let x = simulation.positions();
    let gap = gas.sewn.iter().map(|&[a, b]| x[a as usize].distance(x[b as usize])).fold(0.0, f64::max);
    println!("gap {gap:e} m, volume {} m³", volume(gas, x));
    assert!(gap < 1e-3 && volume(gas, x) > 0.005, "{gap} {}", volume(gas, x));
    let (model, state) = (simulation.model(), simulation.state());
    assert!(momentum(model, state).length() < 1e-12 && angular_momentum(model, state).length() < 1e-6);

    for (seam, pressure, words) in [
        ("", "pressure = 60.0", ["s.toml:10", "pressure = 60", "is open"]),
        (&*seam, "pressure = -1.0", ["s.toml:10", "pressure = -1", "zero or more"]),
        (&*seam, "pressure = 60.0\nvolume = 0.0", ["s.toml:10", "fills 0 m³", "above zero"]),
        (&*seam, "pressure = 60.0\ninflate = 0.0", ["s.toml:11", "inflate = 0", "positive"]),
        (&*seam, "volume = 1.0", ["s.toml:10", "volume = 1", "add pressure"]),
        (
            &seam.replace("\"left\", \"right\"] }\nsecond =", "\"left\"] }\nsecond ="),
            "",
            ["seam", "25 and 32", "as many"],
        ),
        (&seam.replace("seconds = 0.2", "stiffness = 0.0"), "", ["stiffness = 0", "positive", "s.toml:"]),
        (&seam.replace("\"high\"", "\"hihg\""), "", ["\"hihg\"", "did you mean `high`?", "s.toml:"]),
        (&seam.replace("\"high\"", "\"low\""), "", ["particle 0", "sewn to itself", "s.toml:20"]),
    ] {
        let error = scene(seam, pressure).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)) && !error.contains('\n'), "{error}");
    }
}

/// A patch lies on a sheet of another mesh: where it is attached it stays, though the sheet is bent.
#[test]
fn a_patch_stays_where_it_is_attached() {
    let scene = |attachment: &str| {
        let text = format!(
            "[contact]\nlevel = \"off\"\n[damping]\nether = 0.99\n[[body]]\nname = \"sheet\"\nfabric = \"denim\"\n\
             grid = {{ columns = 8, rows = 8, width = 1.0, height = 1.0 }}\n[[body]]\nname = \"patch\"\n\
             fabric = \"cotton\"\nposition = [0.03, 0.0, 0.07]\n\
             grid = {{ columns = 6, rows = 6, width = 0.4, height = 0.4 }}\n[[body]]\nname = \"hair\"\n\
             strands = {{ columns = 1, rows = 1, spacing = 1.0, particles = 5, length = 0.4 }}\n\
             position = [0.3, 0.0, 0.3]\n[[pin]]\nat = [\"left\", \"right\"]\n{attachment}"
        );
        Scene::parse("s.toml", &text, None)
    };
    let held =
        "[[attachment]]\npart = { body = \"patch\", at = [\"left\", \"right\", \"top\"] }\nto = \"sheet\"\n";
    let root =
        "[[attachment]]\npart = { body = \"hair\", at = [\"roots\"] }\nto = \"sheet\"\nstiffness = 500.0\n";
    let end = "[[attachment]]\npart = { body = \"patch\", indices = [30] }\nto = \"hair\"\n";
    let scene_of = scene(&format!("{held}{root}")).unwrap();
    let bending = scene("").unwrap().model.links.len();
    let attached = &scene_of.model.links[bending..];
    assert_eq!(attached.len(), 6 + 6 + 4 + 1);
    assert!(attached.iter().all(|link| link.vector(&scene_of.model.rest).length() < 1e-12));
    assert!(attached[..16].iter().all(|l| l.stiffness == 1000.0) && attached[16].stiffness == 500.0);
    let strand = scene(end).unwrap().model.links.pop().unwrap();
    assert_eq!(strand.weights.len(), 2, "the hair's root, and no more: {:?}", strand.weights);
    let mut simulation = scene_of.simulation().unwrap();
    take(&mut simulation, 120);
    let off = attached.iter().map(|link| link.vector(simulation.positions()).length()).fold(0.0, f64::max);
    let fallen = simulation.positions().iter().map(|p| p.y).fold(0.0, f64::min);
    println!("{off} m off, {fallen} m down");
    assert!(off < 2e-3 && fallen < -0.05, "{off} {fallen}");

    for (attachment, words) in [
        (held.replace("\"sheet\"", "\"patch\""), ["s.toml:", "to = \"patch\"", "that body itself"]),
        (held.replace("\"sheet\"", "\"shet\""), ["s.toml:", "to = \"shet\"", "did you mean `sheet`?"]),
        (held.replace("\"left\"", "\"lift\""), ["s.toml:", "at = \"lift\"", "did you mean `left`?"]),
        (format!("{held}stiffness = -1.0\n"), ["s.toml:", "stiffness = -1", "positive"]),
    ] {
        let error = scene(&attachment).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)) && !error.contains('\n'), "{error}");
    }
}
