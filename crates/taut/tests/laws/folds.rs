//! Cloth folds without dimples of the size of its mesh, and what it lies on stands on something.

use crate::common::take;
use taut::collision::Shape;
use taut::{DVec3, Scene};

/// How alike neighbours in a grid curve: with L how far a particle stands off the mean of its four neighbours, the sum
/// of L times the mean L of these four, over the sum of L². 1 is smooth, −1 a chequerboard of hills and dimples.
fn evenness(positions: &[DVec3], columns: usize) -> f64 {
    let inner = |margin: usize| {
        let rows = positions.len() / columns;
        let row = move |r: usize| (margin..columns - margin).map(move |c| r * columns + c);
        (margin..rows - margin).flat_map(row)
    };
    let around = |i: usize, values: &[DVec3]| {
        [i - 1, i + 1, i - columns, i + columns].map(|j| values[j]).iter().sum::<DVec3>() / 4.0
    };
    let mut off = vec![DVec3::ZERO; positions.len()];
    inner(1).for_each(|i| off[i] = positions[i] - around(i, positions));
    let (alike, all) = inner(2).fold((0.0, 0.0), |(alike, all), i| {
        (alike + off[i].dot(around(i, &off)), all + off[i].length_squared())
    });
    alike / all
}

#[test]
fn evenness_knows_waves_from_chequerboards() {
    let sheet = |height: &dyn Fn(usize, usize) -> f64| -> Vec<DVec3> {
        (0..400).map(|i| DVec3::new((i % 20) as f64, height(i % 20, i / 20), (i / 20) as f64)).collect()
    };
    assert!(evenness(&sheet(&|c, _| (0.3 * c as f64).sin()), 20) > 0.9);
    assert!(evenness(&sheet(&|c, r| ((c + r) % 2) as f64), 20) < -0.999);
}

/// With one diagonal per quad every other particle has none: along folds it stands out, row by row, however exactly the
/// steps are solved. With both diagonals all particles are alike.
#[test]
fn both_diagonals_fold_without_a_washboard() {
    let folded = |diagonals: &str| {
        let text = format!(
            "[method]\niterations = 10\n[contact]\nlevel = \"off\"\n[[body]]\ngrid = {{ columns = 25, rows = 25, width = 0.8, height = 0.8, diagonals = \"{diagonals}\" }}\n\
             fabric = \"silk\"\nelements = false\nposition = [0.0, 0.6, 0.0]\n\
             [[solid]]\nsphere = {{ centre = [0.0, 0.25, 0.0], radius = 0.25 }}\nfriction = 0.4\n"
        );
        let scene = Scene::parse("silk", &text, None).unwrap();
        let mut simulation = scene.simulation().unwrap();
        take(&mut simulation, 50 * scene.substeps);
        evenness(simulation.positions(), 25)
    };
    let [one, both] = ["alternating", "both"].map(folded);
    assert!(both > 0.3 && one < 0.15, "one diagonal {one}, both {both}");
}

#[test]
fn the_tablecloth_folds_without_a_washboard() {
    let scene = Scene::load("tablecloth").unwrap();
    let mut simulation = scene.simulation().unwrap();
    take(&mut simulation, 25 * scene.substeps);
    let even = evenness(simulation.positions(), 71);
    assert!(even > 0.4, "{even}");
}

/// A step past the explicit limit shivers in whatever slack strain limits leave it: they must leave little.
#[test]
fn strain_limits_keep_rows_straight() {
    let scene = Scene::load("demo_limited").unwrap();
    let mut simulation = scene.simulation().unwrap();
    for frame in 1..=scene.frames {
        take(&mut simulation, scene.substeps);
        let even = evenness(simulation.positions(), 17);
        assert!(frame < 50 || even > -0.1, "frame {frame}: {even}");
    }
}

#[test]
fn tables_stand_on_the_ground() {
    for name in ["tablecloth", "table_drape"] {
        let scene = Scene::load(name).unwrap();
        let (ground, solids): (Vec<_>, Vec<_>) =
            scene.obstacles.iter().map(|o| &o.shape).partition(|s| matches!(s, Shape::Ground { .. }));
        let mut standing: Vec<&Shape> = ground;
        for _ in 0..solids.len() {
            let touch = |[low, high]: [DVec3; 2], other: &Shape| {
                let [l, h] = other.bounds();
                low.cmple(h).all() && l.cmple(high).all()
            };
            let more = solids.iter().filter(|s| standing.iter().any(|other| touch(s.bounds(), other)));
            let more: Vec<&Shape> = more.copied().collect();
            standing.extend(more);
        }
        assert!(solids.iter().all(|s| standing.contains(s)), "{name}: something floats");
    }
}
