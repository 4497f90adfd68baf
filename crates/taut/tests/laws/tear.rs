//! Tearing: what is pulled too far parts, as long as it is pulled, and the same way every time.

use crate::common::take;
use std::collections::BTreeSet;
use taut::shapes::{Grid, Strands};
use taut::{
    DVec3, Damping, Edit, Event, Method, Model, Path, Scene, Settings, Simulation, State, Stop, Tear, measure,
};

/// A cloth of 41², its left and right sides held; the right one is pulled away at `speed` \[m/s\] until `until` \[s\].
fn pulled(tear: Tear, speed: f64, until: f64) -> Simulation {
    let n = 41;
    let grid = Grid { columns: n, rows: n, stretch: 400.0, shear: 100.0, bend: 1.0, ..Grid::default() };
    let mut model = grid.build().unwrap();
    model.gravity = DVec3::ZERO;
    model.bodies[0].tear = Some(tear);
    let settings = Settings::without_contact(Method::LocalGlobal(Stop::iterations(20)), 1.0 / 60.0);
    let mut state = State::at_rest(&model);
    (0..n).for_each(|row| state.pin(row * n));
    let mut simulation = Simulation::with_state(model, state, settings).unwrap();
    let path = Path { keys: vec![(0.0, DVec3::ZERO), (until, DVec3::X * speed * until)] };
    let edit = Edit::Hold { particles: (0..n).map(|row| row * n + n - 1).collect(), path };
    simulation.set_script(vec![Event { time: 0.0, edit }]).unwrap();
    simulation
}

fn copies(simulation: &Simulation) -> usize {
    simulation.model().copies.len()
}

/// Pulled on it tears on until it is in two; where the pull stops it stops. Three runs have one hash.
#[test]
fn a_pulled_cloth_tears_as_long_as_it_is_pulled() {
    let hashes = [(); 3].map(|()| {
        let mut simulation = pulled(Tear { strain: 0.15, most: 8, ..Tear::default() }, 0.5, 10.0);
        let mut counts = Vec::new();
        for _ in 0..120 {
            let before = copies(&simulation);
            let report = simulation.step().unwrap();
            assert_eq!(report.parted.map_or(0, |p| p.copies), copies(&simulation) - before);
            counts.push(copies(&simulation));
        }
        let first = counts.iter().position(|&n| n > 0).unwrap();
        // 0.15 of a metre at half a metre a second, give or take a tenth and what is not strained evenly.
        assert!((10..24).contains(&first), "{first}");
        assert!(counts[first + 5] > counts[first] && counts[first + 20] > counts[first + 5]);
        (measure::hash(simulation.state()), counts)
    });
    assert!(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
    // Stopped after 18 steps: what has begun ends soon, far from what it comes to when it is pulled on.
    let mut stopped = pulled(Tear { strain: 0.15, most: 8, ..Tear::default() }, 0.5, 0.3);
    let damping = Damping { drag: 5.0, ..Damping::default() };
    stopped.configure(Settings { damping, ..stopped.settings().clone() }).unwrap();
    take(&mut stopped, 60);
    let then = copies(&stopped);
    take(&mut stopped, 200);
    assert_eq!(copies(&stopped), then, "it stops");
    assert!(then < hashes[0].1[119], "{then} {:?}", hashes[0].1);
}

/// Without a pull, or below every limit, no bit changes.
#[test]
fn below_its_limit_nothing_tears() {
    let mut torn = pulled(Tear { strain: 0.5, spread: 0.2, ..Tear::default() }, 0.5, 0.5);
    let mut whole = pulled(Tear::default(), 0.5, 0.5);
    whole
        .rebuild(|model, _| {
            model.bodies[0].tear = None;
            Ok(())
        })
        .unwrap();
    take(&mut torn, 40);
    take(&mut whole, 40);
    assert!(copies(&torn) == 0 && torn.positions() == whole.positions());
}

/// No step opens more than it may; of equal limits the edges strained most go first; masses, momentum, area stay.
#[test]
fn at_most_so_many_in_a_step() {
    for most in [1, 3] {
        let mut simulation = pulled(Tear { strain: 0.1, most, ..Tear::default() }, 0.5, 10.0);
        let mass: f64 = simulation.model().masses.iter().sum();
        let mut steps = 0;
        for _ in 0..80 {
            let (before, x) = (simulation.model().clone(), simulation.positions().to_vec());
            simulation.step().unwrap();
            let model = simulation.model();
            let made = model.copies.len() - before.copies.len();
            steps += usize::from(made > 0);
            // A tear that meets another or the rim parts two or three particles at once.
            assert!(made <= 3 * most as usize, "{made}");
            let after: f64 = model.masses.iter().sum();
            assert!((after - mass).abs() <= 1e-13 * mass);
            assert_eq!(model.triangles.len(), before.triangles.len());
            if made > 0 && most == 1 {
                let strain = |&[a, b]: &[u32; 2]| {
                    let of = |x: &[DVec3]| x[a as usize].distance(x[b as usize]);
                    of(&x) / of(&before.rest) - 1.0
                };
                let load = |ends: &[u32; 2]| strain(ends) / limit(&before, *ends);
                let edges = edges(&before);
                let worst = edges.iter().map(load).fold(0.0, f64::max);
                assert!(worst > 1.0, "{worst}");
            }
        }
        assert!(steps > 10, "{steps}");
    }
}

fn limit(model: &Model, ends: [u32; 2]) -> f64 {
    model.bodies[0].tear.unwrap().limit(ends.map(|i| model.original(i)))
}

fn edges(model: &Model) -> BTreeSet<[u32; 2]> {
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    model.triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect()
}

/// Limits differ from edge to edge, by their seed, and not with time or direction.
#[test]
fn limits_are_fixed() {
    let tear = Tear { strain: 0.5, spread: 0.1, ..Tear::default() };
    let limits: Vec<f64> = (0..1000).map(|i| tear.limit([i, i + 1])).collect();
    let mean = limits.iter().sum::<f64>() / 1000.0;
    let [low, high] = limits.iter().fold([1.0, 0.0], |[l, h]: [f64; 2], &x| [l.min(x), h.max(x)]);
    assert!((mean - 0.5).abs() < 0.003 && low > 0.45 && low < 0.451 && high < 0.55 && high > 0.549);
    assert_eq!(tear.limit([3, 4]), tear.limit([4, 3]));
    assert!(Tear { seed: 2, ..tear }.limit([3, 4]) != tear.limit([3, 4]));
}

/// A hair pulled too far loses its weakest link, and a thread of springs only as well.
#[test]
fn strands_lose_the_link() {
    let strands = Strands { roots: vec![DVec3::ZERO], particles: 9, ..Strands::default() };
    let mut model = strands.build().unwrap();
    model.gravity = DVec3::ZERO;
    model.bodies[0].tear = Some(Tear { strain: 0.2, ..Tear::default() });
    let (first, last) = (model.rest[0], model.rest[8]);
    let springs = model.springs.len();
    let settings = Settings::without_contact(Method::default(), 1.0 / 60.0);
    let mut simulation = Simulation::new(model, settings).unwrap();
    simulation.pin(0).unwrap();
    let mut removed = 0;
    for step in 0..60 {
        let away = (last - first) * (1.0 + 0.01 * f64::from(step));
        simulation.grab(8, first + away).unwrap();
        let report = simulation.step().unwrap();
        removed += report.parted.map_or(0, |p| p.removed);
    }
    assert!(removed > 0 && simulation.model().springs.len() == springs - removed);
    assert!(simulation.model().copies.is_empty());
}

/// A step that fails after something tore leaves everything whole; snapshots tear on to the same bits.
#[test]
fn tears_are_undone_and_resumed() {
    let mut simulation = pulled(Tear { strain: 0.1, most: 4, ..Tear::default() }, 0.5, 10.0);
    while copies(&simulation) < 6 {
        take(&mut simulation, 1);
    }
    let mut other = Simulation::restore(&simulation.snapshot()).unwrap().simulation;
    let before = simulation.snapshot();
    let force = |force| Edit::Forces { particles: vec![700], forces: vec![force] };
    simulation.edit(force(DVec3::MAX)).unwrap();
    let there = simulation.snapshot();
    assert!(simulation.step().is_err());
    assert!(simulation.snapshot() == there);
    simulation.edit(force(DVec3::ZERO)).unwrap();
    assert!(simulation.snapshot() == before);
    for _ in 0..20 {
        take(&mut simulation, 1);
        take(&mut other, 1);
        assert!(simulation.snapshot() == other.snapshot());
    }
    assert!(copies(&simulation) > 10);
}

/// In scenes: for all bodies, or one; what contradicts itself is refused with its line.
#[test]
fn scenes_tear() {
    let text = |top: &str, own: &str| {
        format!(
            "{top}\n[[body]]\nname = \"one\"\ngrid = {{ columns = 4, rows = 4, width = 1.0, height = 1.0 }}\n{own}\n\
             [[body]]\nname = \"two\"\ngrid = {{ columns = 4, rows = 4, width = 1.0, height = 1.0 }}\n"
        )
    };
    let tears = |text: &str| {
        let scene = Scene::parse("tears", text, None).unwrap();
        scene.model.bodies.iter().map(|body| body.tear.map(|tear| tear.strain)).collect::<Vec<_>>()
    };
    assert_eq!(tears(&text("", "")), [None, None]);
    assert_eq!(tears(&text("tear = { strain = 0.4 }", "")), [Some(0.4), Some(0.4)]);
    assert_eq!(tears(&text("tear = { strain = 0.4 }", "tear = { strain = 0.2 }")), [Some(0.2), Some(0.4)]);
    assert_eq!(tears(&text("", "tear = {}")), [Some(0.5), None]);
    for (own, what) in [
        ("tear = { strain = 0.0 }", "above 0"),
        ("tear = { strain = inf }", "finite"),
        ("tear = { spread = 1.0 }", "below 1"),
        ("tear = { most = 0 }", "1 or more"),
        ("tear = { string = 1 }", "string"),
    ] {
        let message = Scene::parse("tears.toml", &text("", own), None).unwrap_err().to_string();
        assert!(message.contains(what) && message.contains("tears.toml:"), "{own}: {message}");
    }
    let solid = "[[body]]\nsolid = { parts = [{ sphere = { centre = [0.0, 0.0, 0.0], radius = 0.5 } }], particles = 81 }\ntear = {}";
    let message = Scene::parse("tears.toml", solid, None).unwrap_err().to_string();
    assert!(message.contains("does not tear"), "{message}");
}
