//! Cuts: what they make of a mesh, what they leave as it was, and that the simulation goes on as one prepared afresh.

use crate::common::{Random, distance, take};
use std::collections::{BTreeMap, BTreeSet};
use taut::collision::{ContactSettings, Level};
use taut::shapes::{Grid, Solid};
use taut::{Blade, DVec3, Edit, Filter, Method, Model, Path, Precision, Settings, Severed, Simulation, Stop};

fn settings() -> Settings {
    let method = Method::ConjugateGradient(Stop::iterations(10));
    let contact = ContactSettings { level: Level::Off, ..ContactSettings::default() };
    Settings { precision: Precision::Double, contact, ..Settings::new(method, 1.0 / 60.0) }
}

/// A square metre in the plane y = 0 around the origin.
fn cloth(side: usize) -> Simulation {
    let grid = Grid { columns: side, rows: side, stretch: 300.0, shear: 80.0, bend: 3.0, ..Grid::default() };
    Simulation::new(grid.build().unwrap(), settings()).unwrap()
}

/// Cubes of six tetrahedra each, `n` along an edge of one metre.
pub fn block(n: u32) -> Simulation {
    let side = n + 1;
    let at = |i: u32, j: u32, k: u32| i + side * (j + side * k);
    let grid = (0..side * side * side).map(|p| [p % side, p / side % side, p / side / side]);
    let positions: Vec<DVec3> =
        grid.map(|p| DVec3::from_array(p.map(|i| f64::from(i) / f64::from(n)))).collect();
    let mut tets = Vec::new();
    for [i, j, k] in (0..n * n * n).map(|c| [c % n, c / n % n, c / n / n]) {
        let corner = |bits: u32| at(i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2));
        for [a, b] in [[1, 3], [3, 2], [2, 6], [6, 4], [4, 5], [5, 1]] {
            tets.push([0, a, b, 7].map(corner));
        }
    }
    let model = Solid { stiffness: 500.0, ..Solid::default() }.build(&positions, &tets).unwrap();
    Simulation::new(model, settings()).unwrap()
}

/// A vertical blade under a line in the plane y = 0.
fn stroke(line: &[[f64; 2]]) -> Blade {
    let line: Vec<DVec3> = line.iter().map(|&[x, z]| DVec3::new(x, -3.0, z)).collect();
    Blade::sweep(&line, DVec3::Y * 6.0).unwrap()
}

fn count(cut: &Severed) -> (usize, usize) {
    (cut.copies.len(), cut.pieces)
}

#[test]
fn a_cut_parts_what_it_should() {
    let curtain = || Simulation::new(taut::shapes::published::curtain(81).unwrap(), settings()).unwrap();
    let [low, high] = taut::bounds::extent(curtain().positions().iter().copied());
    let (middle, width) = (0.5 * (low + high), high.x - low.x);
    let at = |x: f64, z: f64| [middle.x + x * width, middle.z + z * width];
    // Along a column, between two columns, at 30 degrees.
    let column = stroke(&[at(0.25, -1.0), at(0.25, 1.0)]);
    assert_eq!(count(&curtain().cut(&column).unwrap()), (81, 2));
    let between = stroke(&[at(0.2511, -1.0), at(0.2511, 1.0)]);
    assert_eq!(count(&curtain().cut(&between).unwrap()), (81, 2));
    let slanted = stroke(&[at(-1.0, -0.577), at(1.0, 0.577)]);
    let cut = curtain().cut(&slanted).unwrap();
    assert_eq!(cut.pieces, 2);
    assert!((81..=81 + 47).contains(&cut.copies.len()), "{}", cut.copies.len());
    // Inside: a slit along twenty edges keeps both tips whole.
    let slit = stroke(&[at(0.1, -0.001), at(0.1, 20.0 / 80.0 + 0.001)]);
    assert_eq!(count(&curtain().cut(&slit).unwrap()), (19, 1));
    // All around: what is cut out falls, the rest hangs.
    let mut simulation = curtain();
    (0..81).for_each(|i| simulation.pin(i).unwrap());
    let circle: Vec<[f64; 2]> = (0..=40)
        .map(|i| f64::from(i) * std::f64::consts::TAU / 40.0)
        .map(|a| at(0.2 * a.cos(), 0.2 * a.sin()))
        .collect();
    assert_eq!(simulation.cut(&stroke(&circle)).unwrap().pieces, 2);
    let inside = simulation.positions().iter().position(|p| p.distance(middle) < 0.02 * width).unwrap();
    take(&mut simulation, 60);
    let fallen = 9.81 * 0.5;
    let height = simulation.positions()[inside].y - middle.y;
    assert!((height + fallen).abs() < 0.05 * fallen, "{height}");
}

/// Half-way between two columns no end is nearer. Both sides of the first cut still choose the same one.
#[test]
fn ties_are_broken_alike_on_both_sides() {
    let mut simulation = cloth(9);
    let middle = stroke(&[[0.0625, -1.0], [0.0625, 1.0]]);
    assert_eq!(simulation.cut(&middle).unwrap().pieces, 2);
    let before = simulation.snapshot();
    assert_eq!(simulation.cut(&middle).unwrap(), Severed::default());
    assert!(simulation.snapshot() == before);
}

/// Pieces held together by elements, and particles without any.
fn shape(model: &Model) -> (usize, usize) {
    let mut of: Vec<usize> = (0..model.particles()).collect();
    fn root(of: &mut [usize], i: usize) -> usize {
        if of[i] != i {
            of[i] = root(of, of[i]);
        }
        of[i]
    }
    let mut used = vec![false; model.particles()];
    let triangles = model.triangles.iter().map(|t| &t[..]);
    for corners in triangles.chain(model.tets.iter().map(|t| &t[..])) {
        for &i in corners {
            used[i as usize] = true;
            let (a, b) = (root(&mut of, corners[0] as usize), root(&mut of, i as usize));
            of[b] = a;
        }
    }
    let roots: BTreeSet<usize> = (0..model.particles()).map(|i| root(&mut of, i)).collect();
    (roots.len(), used.iter().filter(|used| !**used).count())
}

/// Edges of more than two triangles, and particles around which triangles form more than one fan.
fn flaws(model: &Model) -> (usize, usize) {
    let mut edges: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    let mut links: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
    for &[a, b, c] in &model.triangles {
        for [p, q, r] in [[a, b, c], [b, c, a], [c, a, b]] {
            *edges.entry([p.min(q), p.max(q)]).or_default() += 1;
            links.entry(p).or_default().push([q, r]);
        }
    }
    let fans = |link: &Vec<[u32; 2]>| {
        let (mut rest, mut fans) = (link.clone(), 0);
        while let Some(first) = rest.pop() {
            let mut seen = first.to_vec();
            while let Some(i) = rest.iter().position(|e| seen.contains(&e[0]) || seen.contains(&e[1])) {
                seen.extend(rest.swap_remove(i));
            }
            fans += 1;
        }
        fans
    };
    (edges.values().filter(|n| **n > 2).count(), links.values().filter(|link| fans(link) > 1).count())
}

fn rest_size(model: &Model) -> f64 {
    let at = |i: u32| model.rest[i as usize];
    let area = |t: &[u32; 3]| 0.5 * (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).length();
    let volume =
        |t: &[u32; 4]| (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).dot(at(t[3]) - at(t[0])).abs() / 6.0;
    match model.tets.is_empty() {
        true => model.triangles.iter().map(area).sum(),
        false => model.tets.iter().map(volume).sum(),
    }
}

/// Elastic energy of some springs \[J\].
fn energy(simulation: &Simulation, springs: impl Iterator<Item = usize>) -> f64 {
    let x = simulation.positions();
    let energy = |i: usize| {
        let spring = simulation.model().springs[i];
        let (a, b) = spring.ab();
        spring.energy(x[a].distance(x[b]))
    };
    springs.map(energy).sum()
}

fn alike(a: f64, b: f64, bound: f64) -> bool {
    (a - b).abs() <= bound * a.abs().max(b.abs()).max(f64::MIN_POSITIVE)
}

/// Cut at random a hundred times; after each cut the laws hold, and a step is that of a simulation made afresh.
fn cut_at_random(mut simulation: Simulation, seed: u64, blade: impl Fn(&mut Random) -> Blade) {
    let mut random = Random(seed);
    let flawless = flaws(simulation.model());
    let (mut opened, before) = (0, rest_size(simulation.model()));
    for round in 0..100 {
        let knife = blade(&mut random);
        let old = simulation.snapshot();
        let whole = Simulation::restore(&old).unwrap().simulation;
        let cut = simulation.cut(&knife).unwrap();
        let (m, n) = (whole.model(), simulation.model());
        if cut == Severed::default() {
            assert!(simulation.snapshot() == old, "round {round}: nothing has changed");
            continue;
        }
        opened += 1;
        let all = |model: &Model| model.masses.iter().sum::<f64>();
        assert!(alike(all(m), all(n), 1e-14));
        let momentum = |s: &Simulation| taut::measure::momentum(s.model(), s.state());
        let moved = (momentum(&whole) - momentum(&simulation)).length();
        let speeds: f64 = m.masses.iter().zip(&whole.state().velocities).map(|(m, v)| m * v.length()).sum();
        assert!(moved <= 1e-14 * speeds);
        assert!(alike(before, rest_size(n), 1e-13), "area or volume at rest");
        let kept: BTreeSet<u32> = cut.springs.iter().copied().collect();
        let gone = (0..m.springs.len()).filter(|&i| !kept.contains(&(i as u32)));
        let (e, lost) = (energy(&whole, 0..m.springs.len()), energy(&whole, gone));
        assert!((energy(&simulation, 0..n.springs.len()) + lost - e).abs() <= 1e-12 * e, "round {round}");
        assert_eq!(shape(n).1, 0, "no particle without an element");
        let now = flaws(n);
        assert!(now.0 <= flawless.0 && now.1 <= flawless.1, "round {round}: {now:?}");
        let again = simulation.snapshot();
        assert_eq!(simulation.cut(&knife).unwrap(), Severed::default(), "round {round}: the second time");
        assert!(simulation.snapshot() == again);
        // The order is another than that of a fresh simulation, so not every bit.
        let (model, state) = (simulation.model().clone(), simulation.state().clone());
        let mut fresh = Simulation::with_state(model, state, simulation.settings().clone()).unwrap();
        fresh.step().unwrap();
        simulation.step().unwrap();
        assert!(distance(simulation.positions(), fresh.positions()) <= 1e-10);
        let mut restored = Simulation::restore(&simulation.snapshot()).unwrap().simulation;
        restored.step().unwrap();
        simulation.step().unwrap();
        assert!(restored.state() == simulation.state(), "round {round}: a snapshot goes on");
    }
    assert!(opened > 30, "{opened}");
}

#[test]
fn cloth_cut_at_random() {
    let mut simulation = cloth(32);
    (0..32).for_each(|i| simulation.pin(i).unwrap());
    take(&mut simulation, 3);
    cut_at_random(simulation, 3, |random| {
        let ends: Vec<[f64; 2]> =
            (0..2 + random.bits() % 2).map(|_| [random.range(-0.6, 0.6), random.range(-0.6, 0.6)]).collect();
        stroke(&ends)
    });
}

#[test]
fn a_block_cut_at_random() {
    let mut simulation = block(8);
    (0..81).for_each(|i| simulation.pin(i).unwrap());
    take(&mut simulation, 3);
    cut_at_random(simulation, 4, |random| {
        let at = |random: &mut Random| DVec3::splat(0.5) + random.vector(0.7);
        let [a, b] = [at(random), at(random)];
        Blade::sweep(&[a, b], random.vector(1.5)).unwrap()
    });
}

#[test]
fn a_block_cut_through_is_two_with_whole_skins() {
    let mut simulation = block(6);
    let knife =
        Blade::sweep(&[DVec3::new(0.4, -1.0, -1.0), DVec3::new(0.4, -1.0, 2.0)], DVec3::Y * 3.0).unwrap();
    let cut = simulation.cut(&knife).unwrap();
    assert_eq!(count(&cut), (49, 2));
    let model = simulation.model();
    assert_eq!(shape(model), (2, 0));
    // Every skin is closed: each of its edges has two triangles, in opposite senses.
    let mut edges: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    model.triangles.iter().flat_map(sides).for_each(|edge| *edges.entry(edge).or_default() += 1);
    assert!(edges.iter().all(|(&[a, b], &n)| n == 1 && edges.contains_key(&[b, a])));
    assert_eq!(model.triangles.len(), 6 * 36 * 2 + 2 * 36 * 2);
}

/// Membranes and blocks go with their triangles and tetrahedra.
#[test]
fn elements_are_parted_with_their_cells() {
    let mut simulation = block(4);
    simulation
        .rebuild(|model, _| {
            let block = |&corners: &[u32; 4]| taut::Block { corners, shear: 1e4, volume: 1e4 };
            model.blocks = model.tets.iter().map(block).collect();
            model.springs.clear();
            Ok(())
        })
        .unwrap();
    let knife =
        Blade::sweep(&[DVec3::new(0.4, -1.0, -1.0), DVec3::new(0.4, -1.0, 2.0)], DVec3::Y * 3.0).unwrap();
    assert_eq!(count(&simulation.cut(&knife).unwrap()), (25, 2));
    let model = simulation.model();
    assert!(model.blocks.iter().map(|block| block.corners).eq(model.tets.iter().copied()));
    take(&mut simulation, 2);
    let mut simulation = cloth(9);
    simulation
        .rebuild(|model, _| {
            model.membranes = model.triangles.iter().map(|&t| taut::Membrane::isotropic(t, 100.0)).collect();
            model.springs.clear();
            Ok(())
        })
        .unwrap();
    assert_eq!(simulation.cut(&stroke(&[[0.03, -1.0], [0.03, 1.0]])).unwrap().pieces, 2);
    let model = simulation.model();
    assert!(model.membranes.iter().map(|membrane| membrane.corners).eq(model.triangles.iter().copied()));
    take(&mut simulation, 2);
}

#[test]
fn copies_go_with_their_originals() {
    let mut simulation = cloth(11);
    let path = Path { keys: vec![(0.0, DVec3::ZERO), (1.0, DVec3::Y)] };
    take(&mut simulation, 1);
    simulation.edit(Edit::Hold { particles: (0..11).collect(), path }).unwrap();
    take(&mut simulation, 5);
    let springs: Vec<usize> = (0..20).collect();
    let later = |time, edit| taut::Event { time, edit };
    let mut events = simulation.events().to_vec();
    events.push(later(0.5, Edit::Release { particles: (0..11).collect() }));
    events.push(later(0.6, Edit::Stiffness { springs, factor: 2.0 }));
    let mut simulation = {
        let mut other =
            Simulation::with_state(simulation.model().clone(), simulation.state().clone(), settings())
                .unwrap();
        other.set_script(events).unwrap();
        other
    };
    let stiffness = |s: &Simulation| s.model().springs.iter().map(|s| s.stiffness).collect::<Vec<_>>();
    let cut = simulation.cut(&stroke(&[[0.101, -1.0], [0.101, 1.0]])).unwrap();
    assert_eq!(count(&cut), (11, 2));
    let top = cut.copies.iter().position(|&i| i < 11).unwrap();
    let (copy, original) = (121 + top, cut.copies[top] as usize);
    take(&mut simulation, 10);
    assert_eq!(simulation.positions()[copy], simulation.positions()[original], "both are carried");
    assert!(Simulation::restore(&simulation.snapshot()).is_ok(), "the path knows whom it carries");
    take(&mut simulation, 18);
    let before = stiffness(&simulation);
    take(&mut simulation, 4);
    assert!(simulation.positions()[copy] != simulation.positions()[original]);
    let free = |i: usize| simulation.state().filters[i] == Filter::Free;
    assert!(free(copy) && free(original), "both are let go");
    let changed = before.iter().zip(stiffness(&simulation)).enumerate().filter(|(_, (a, b))| *a != b);
    let changed: Vec<u32> = changed.map(|(i, _)| cut.springs[i]).collect();
    assert!(changed.iter().all(|&i| i < 20) && changed.len() > 10, "{changed:?}");
}

/// Cuts one after the other without a step between, so many that the order of elimination is not kept.
#[test]
fn cuts_need_no_step_between_them() {
    let mut simulation = cloth(15);
    simulation.pin(0).unwrap();
    take(&mut simulation, 1);
    for k in 0..18 {
        let at = -0.6 + 0.07 * f64::from(k);
        simulation.cut(&stroke(&[[at, -2.0], [at, 2.0]])).unwrap();
        simulation.cut(&stroke(&[[-2.0, at], [2.0, at]])).unwrap();
    }
    let (model, state) = (simulation.model().clone(), simulation.state().clone());
    assert_eq!(
        simulation.snapshot(),
        Simulation::restore(&simulation.snapshot()).unwrap().simulation.snapshot()
    );
    let mut fresh = Simulation::with_state(model, state, settings()).unwrap();
    take(&mut fresh, 3);
    let way = simulation.step().unwrap().way;
    take(&mut simulation, 2);
    assert_eq!((way, simulation.state() == fresh.state()), (taut::Way::Fresh, true));
}

/// With contact on the lips of a cut lie on each other, and part when they are pulled apart.
#[test]
fn a_cut_opens_with_contact() {
    for level in [Level::Fast, Level::Exact] {
        let grid = Grid { columns: 15, rows: 15, ..Grid::default() };
        let contact = ContactSettings { level, ..ContactSettings::default() };
        let mut simulation =
            Simulation::new(grid.build().unwrap(), Settings { contact, ..settings() }).unwrap();
        (0..15).for_each(|i| simulation.pin(i).unwrap());
        take(&mut simulation, 5);
        assert_eq!(simulation.cut(&stroke(&[[-0.9, 0.1], [0.9, 0.1]])).unwrap().pieces, 2);
        let low = |s: &Simulation| s.positions().iter().map(|p| p.y).fold(0.0, f64::min);
        let before = low(&simulation);
        take(&mut simulation, 60);
        assert!(low(&simulation) < before - 2.0, "{level:?}: {}", low(&simulation));
    }
}

#[test]
fn what_cannot_be_cut_is_said() {
    let mut simulation = cloth(5);
    let before = simulation.snapshot();
    let says = |result: Result<Severed, taut::Error>, what: &str| {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    };
    says(simulation.cut(&Blade { triangles: vec![[DVec3::NAN; 3]] }), "must be finite");
    for (line, along, what) in [
        (vec![DVec3::ZERO], DVec3::Y, "two points"),
        (vec![DVec3::X, DVec3::X], DVec3::Y, "give it a length"),
        (vec![DVec3::ZERO, DVec3::X], DVec3::ZERO, "needs a width"),
        (vec![DVec3::ZERO, DVec3::INFINITY], DVec3::Y, "must be finite"),
        (vec![DVec3::ZERO, DVec3::X], DVec3::NAN, "must be finite"),
        (vec![DVec3::ZERO, DVec3::X * 1e300], DVec3::Y, "nearer than 1e100 m"),
    ] {
        let message = Blade::sweep(&line, along).unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    }
    // As large as can be: cuts like any other.
    assert!(simulation.snapshot() == before);
    let huge =
        Blade::sweep(&[DVec3::new(0.1, -1e6, -1e6), DVec3::new(0.1, -1e6, 1e6)], DVec3::Y * 2e6).unwrap();
    assert_eq!(simulation.cut(&huge).unwrap().pieces, 2);
}
