//! Links under cuts: bending is made again, attachments follow their face, seams stay, strands part.

use crate::common::{Random, distance, take};
use taut::collision::{ContactSettings, Level};
use taut::shapes::{Grid, bending, strand_bending};
use taut::{
    Blade, DVec3, Link, Membrane, Method, Model, Precision, Settings, Severed, Simulation, Spring, Stop,
};

const RIGIDITY: [f64; 2] = [2e-4, 5e-5];
/// What all links are multiplied by.
const FACTOR: f64 = 2.5;

fn settings() -> Settings {
    let contact = ContactSettings::new(Level::Off);
    let method = Method::ConjugateGradient(Stop::iterations(10));
    Settings { precision: Precision::Double, contact, ..Settings::new(method, 1.0 / 60.0) }
}

/// The warp of every triangle.
fn warp() -> DVec3 {
    DVec3::new(1.0, 0.0, 2.0)
}

/// A square metre in the plane y = 0, as membranes that bend, its particles moved a little within the plane.
fn sheet(side: usize, random: &mut Random) -> Model {
    let mut model = Grid { columns: side, rows: side, ..Grid::default() }.build().unwrap();
    let edge = 1.0 / (side - 1) as f64;
    model.rest.iter_mut().for_each(|p| *p += random.vector(0.2 * edge) * DVec3::new(1.0, 0.0, 1.0));
    model.springs.clear();
    model.membranes = model.triangles.iter().map(|&t| Membrane::isotropic(t, 300.0)).collect();
    model.links = made(&model);
    model
}

/// The bending of the mesh there is.
fn made(model: &Model) -> Vec<Link> {
    let warps = vec![warp(); model.triangles.len()];
    let links = bending(&model.rest, &model.triangles, &warps, RIGIDITY).unwrap();
    links.into_iter().map(|link| Link { stiffness: FACTOR, ..link }).collect()
}

fn energy(links: &[Link], x: &[DVec3]) -> f64 {
    links.iter().map(|link| 0.5 * link.stiffness * link.vector(x).length_squared()).sum()
}

fn stroke(line: &[[f64; 2]]) -> Blade {
    let line: Vec<DVec3> = line.iter().map(|&[x, z]| DVec3::new(x, -3.0, z)).collect();
    Blade::sweep(&line, DVec3::Y * 6.0).unwrap()
}

/// After every cut the bending is that of the mesh there is then, at any positions; where nothing opened its links have the
/// bits they had, and what goes on is what one made afresh would do.
#[test]
fn bending_is_made_again_from_the_edges_that_are_left() {
    let mut random = Random(20);
    let mut simulation = Simulation::new(sheet(20, &mut random), settings()).unwrap();
    (0..20).for_each(|i| simulation.pin(i).unwrap());
    take(&mut simulation, 2);
    let mut opened = 0;
    for round in 0..40 {
        let at = |random: &mut Random| [random.range(-0.6, 0.6), random.range(-0.6, 0.6)];
        let knife = stroke(&[at(&mut random), at(&mut random)]);
        let (before, x) = (simulation.model().links.clone(), simulation.positions().to_vec());
        let bent = energy(&before, &x);
        let cut = simulation.cut(&knife).unwrap();
        let model = simulation.model();
        if cut == Severed::default() {
            assert_eq!(model.links, before);
            continue;
        }
        opened += 1;
        assert_eq!(cut.removed, 0);
        let fresh = made(model);
        for _ in 0..3 {
            let x: Vec<DVec3> = model.rest.iter().map(|p| *p + random.vector(0.3)).collect();
            let [ours, theirs] = [&model.links, &fresh].map(|links| energy(links, &x));
            assert!((ours - theirs).abs() <= 1e-11 * theirs, "round {round}: {ours} {theirs}");
        }
        // Copies are where their originals are: the energy falls by exactly what links have changed.
        let near = |link: &&Link| !before.contains(link);
        let changed: f64 = model.links.iter().filter(near).count() as f64;
        assert!(changed > 0.0 && changed < 0.8 * before.len() as f64, "round {round}: {changed}");
        let kept: Vec<&Link> = before.iter().filter(|link| model.links.contains(link)).collect();
        assert!(kept.len() > before.len() / 5, "{} of {}", kept.len(), before.len());
        let now = energy(&model.links, simulation.positions());
        let lost =
            energy(&before.iter().filter(|l| !model.links.contains(l)).cloned().collect::<Vec<_>>(), &x);
        let new: Vec<Link> = model.links.iter().filter(near).cloned().collect();
        assert!((bent - lost + energy(&new, simulation.positions()) - now).abs() <= 1e-12 * bent);
        let (model, state) = (model.clone(), simulation.state().clone());
        let mut fresh = Simulation::with_state(model, state, settings()).unwrap();
        take(&mut fresh, 1);
        take(&mut simulation, 1);
        assert!(distance(simulation.positions(), fresh.positions()) <= 1e-10);
    }
    assert!(opened > 20, "{opened}");
}

/// A sheet cut in two bends along the cut without resistance, and each half as one that was made so.
#[test]
fn halves_bend_as_halves() {
    let mut simulation = Simulation::new(sheet(9, &mut Random(3)), settings()).unwrap();
    assert_eq!(simulation.cut(&stroke(&[[0.0, -1.0], [0.0, 1.0]])).unwrap().pieces, 2);
    let model = simulation.model();
    // What is on one side is turned about the line where they met.
    let mut left = vec![false; model.particles()];
    for triangle in &model.triangles {
        let middle = triangle.iter().map(|&i| model.rest[i as usize].x).sum::<f64>();
        triangle.iter().for_each(|&i| left[i as usize] = middle < 0.0);
    }
    let turned = |(p, &left): (&DVec3, &bool)| if left { DVec3::new(0.0, p.x, p.z) } else { *p };
    let x: Vec<DVec3> = model.rest.iter().zip(&left).map(turned).collect();
    let whole = sheet(9, &mut Random(3));
    let [cut, uncut] = [energy(&model.links, &x), energy(&whole.links, &x[..whole.particles()])];
    assert!(cut < 1e-20 * uncut, "{cut} {uncut}");
}

/// What is attached to a triangle goes with it; what a seam joins, and whom an attachment holds, are the originals.
#[test]
fn attachments_follow_and_seams_stay() {
    let mut model = sheet(9, &mut Random(5));
    let button = model.particles() as u32;
    model.masses.push(0.01);
    model.body_of.push(0);
    model.rest.push(DVec3::new(0.05, 0.1, 0.05));
    let middle = 40;
    let count = model.links.len();
    for triangle in model.triangles.clone() {
        if triangle.contains(&middle) {
            model.links.push(Link::attachment(button, &triangle.map(|i| (i, 1.0 / 3.0)), 10.0));
        }
    }
    model.links.push(Link::new(vec![(middle, 1.0), (button, -1.0)], 0.0, 1.0));
    model.links.push(Link::attachment(middle, &[(0, 0.5), (1, 0.25), (9, 0.25)], 10.0));
    let own = model.links.len() - count;
    let mut simulation = Simulation::new(model.clone(), settings()).unwrap();
    let cut = simulation.cut(&stroke(&[[0.0, -1.0], [0.0, 1.0]])).unwrap();
    assert_eq!(cut.copies.iter().filter(|&&p| p == middle).count(), 1);
    let after = simulation.model();
    // Kept in their order, before what was made again.
    let tied: Vec<&Link> = after.links.iter().filter(|link| link.weave.is_none()).collect();
    assert_eq!(tied.len(), own);
    let mut copies = 0;
    for (link, before) in tied.iter().zip(&model.links[count..]).take(own - 2) {
        assert_eq!(link.weights[0], (button, 1.0));
        let corners: Vec<u32> = link.weights[1..].iter().map(|w| w.0).collect();
        let number = |t: &&[u32; 3]| before.weights[1..].iter().all(|w| t.contains(&w.0));
        let place = model.triangles.iter().position(|t| number(&t)).unwrap();
        assert_eq!(corners, after.triangles[place], "it follows its face");
        copies += usize::from(after.triangles[place] != model.triangles[place]);
    }
    assert!(copies > 0 && copies < own - 2, "some have copies, some have not");
    assert_eq!(tied[own - 2], &model.links[count + own - 2]);
    assert_eq!(tied[own - 1].weights[0].0, middle);
    take(&mut simulation, 2);
}

/// A strand that is cut loses its bending there with its link, and bends everywhere else as before.
#[test]
fn a_strand_loses_its_bending_where_it_is_cut() {
    let mut model = Model::default();
    for i in 0..11 {
        model.masses.push(0.01);
        model.rest.push(DVec3::X * 0.1 * f64::from(i));
    }
    model.springs = (0..10).map(|i| Spring::new(i, i + 1, 0.1, 100.0)).collect();
    let strand: Vec<u32> = (0..11).collect();
    model.links = strand_bending(&model.rest, &strand, 1e-4).unwrap();
    let mut simulation = Simulation::new(model.clone(), settings()).unwrap();
    let cut = simulation.cut(&stroke(&[[0.44, -1.0], [0.44, 1.0]])).unwrap();
    assert_eq!((cut.copies.len(), cut.removed, cut.pieces), (0, 3, 2));
    let kept: Vec<Link> =
        model.links.iter().filter(|link| ![4, 5].contains(&link.weights[0].0)).cloned().collect();
    assert_eq!(simulation.model().links, kept);
    take(&mut simulation, 2);
}

/// Around a hole the sheet bends from the edges that are left.
#[test]
fn a_hole_is_not_bent_across() {
    let mut random = Random(6);
    let mut simulation = Simulation::new(sheet(9, &mut random), settings()).unwrap();
    for particle in [40, 42, 31, 0] {
        simulation.cut_at(particle).unwrap();
        let model = simulation.model();
        assert_eq!(model.membranes.len(), model.triangles.len());
        let x: Vec<DVec3> = model.rest.iter().map(|p| *p + random.vector(0.3)).collect();
        let [ours, theirs] = [energy(&model.links, &x), energy(&made(model), &x)];
        assert!((ours - theirs).abs() <= 1e-11 * theirs, "{ours} {theirs}");
        take(&mut simulation, 1);
    }
}

/// Air goes out of what is opened, by a cut or a hole, and stays in what is not; the report says so.
#[test]
fn what_is_opened_loses_its_air() {
    let start = || {
        let mut model = super::joined::ball(2, 0.1, 100.0);
        let other = super::joined::ball(2, 0.1, 100.0);
        let count = model.append(&other) as u32;
        model.rest[count as usize..].iter_mut().for_each(|p| *p += DVec3::X);
        model.inflate(&[0], 50.0, None, None).unwrap();
        model.inflate(&[1], 50.0, None, None).unwrap();
        Simulation::new(model, settings()).unwrap()
    };
    let mut simulation = start();
    take(&mut simulation, 2);
    // Beside one, then across it.
    simulation.cut(&stroke(&[[0.5, -1.0], [0.5, 1.0]])).unwrap();
    assert_eq!((simulation.step().unwrap().parted, simulation.model().gases.len()), (None, 2));
    simulation.cut(&stroke(&[[0.003, -1.0], [0.003, 1.0]])).unwrap();
    assert_eq!(simulation.step().unwrap().parted.map(|p| (p.pieces, p.deflated)), Some((3, 1)));
    assert_eq!(simulation.model().gases, start().model().gases[1..]);
    take(&mut simulation, 3);
    let mut simulation = start();
    let last = simulation.model().particles() - 1;
    assert_eq!(simulation.cut_at(last).unwrap().deflated, 1);
    assert_eq!(simulation.model().gases, start().model().gases[..1]);
    take(&mut simulation, 3);
}
