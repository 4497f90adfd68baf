//! The Dress: a closed person who moves smoothly, a dress that fits it, and none crosses the other on their way.

use taut::geometry::edge_meets_face;
use taut::shapes::{Dress, Walker};
use taut::{DVec3, Error, Scene};

/// Edges of the first faces that meet the second ones without sharing a corner, by an exact test.
fn crossings(x: &[DVec3], some: &[[u32; 3]], others: &[[u32; 3]]) -> usize {
    let corners = |t: &[u32; 3]| t.map(|i| x[i as usize]);
    let bounds = |t: &[u32; 3]| {
        let [a, b, c] = corners(t);
        (a.min(b).min(c), a.max(b).max(c))
    };
    let boxes: Vec<_> = others.iter().map(bounds).collect();
    let mut count = 0;
    for t in some {
        let (low, high) = bounds(t);
        for (u, (l, h)) in others.iter().zip(&boxes) {
            if low.cmpgt(*h).any() || high.cmplt(*l).any() || t.iter().any(|i| u.contains(i)) {
                continue;
            }
            let [a, b, c] = corners(t);
            count += [[a, b], [b, c], [c, a]].into_iter().filter(|&e| edge_meets_face(e, corners(u))).count();
        }
    }
    count
}

/// Crossings of the dress with itself and the body, either way.
fn crossed(scene: &Scene, x: &[DVec3]) -> usize {
    let of = |body| scene.model.triangles.iter().filter(move |t| scene.model.body_of[t[0] as usize] == body);
    let [dress, woman] = [0, 1].map(|body| of(body).copied().collect::<Vec<_>>());
    crossings(x, &dress, &dress) + crossings(x, &dress, &woman) + crossings(x, &woman, &dress)
}

/// Every edge is met by its reverse; there are some thousand vertices; it stands at first, and then no vertex moves faster
/// than a swinging foot, nor changes its speed more than a step does.
#[test]
fn the_walker_is_closed_and_moves_smoothly() {
    let walker = Walker::default();
    let walk = walker.walk(4.0, 60.0).unwrap();
    let turns = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let mut ways: Vec<_> = walk.triangles.iter().flat_map(turns).collect();
    let mut back: Vec<_> = ways.iter().map(|&[a, b]| [b, a]).collect();
    ways.sort_unstable();
    back.sort_unstable();
    assert_eq!(ways, back);
    let n = walk.positions.len();
    assert!((2000..4000).contains(&n), "{n} vertices");
    let heights = walk.positions.iter().map(|p| p.y);
    let (low, high) = (heights.clone().fold(f64::INFINITY, f64::min), heights.fold(0.0, f64::max));
    assert!(low.abs() < 0.02 && (high - walker.height).abs() < 0.02, "from {low} to {high} m");
    let frames: Vec<&[DVec3]> = walk.frames.positions.chunks(n).collect();
    assert_eq!(frames.len(), 241);
    assert!(frames[..=30].iter().all(|f| *f == frames[0]), "it stands for half a second");
    let (mut speed, mut change) = (0.0f64, 0.0f64);
    for f in frames.windows(3) {
        for ((a, b), c) in f[0].iter().zip(f[1]).zip(f[2]) {
            speed = speed.max(60.0 * c.distance(*b));
            change = change.max(3600.0 * (*c - 2.0 * *b + *a).length());
        }
    }
    println!("{n} vertices, at most {speed} m/s and {change} m/s²");
    assert!(speed < 4.5 && change < 60.0, "{speed} m/s, {change} m/s²");
    let gone = frames[240].iter().zip(frames[0]).map(|(a, b)| *a - *b).sum::<DVec3>() / n as f64;
    let (angle, way) = (0.6 * 2.75, 1.1 * 2.75);
    let chord = way * f64::sin(0.5 * angle) / (0.5 * angle);
    assert!((gone.reject_from(DVec3::Y).length() - chord).abs() < 0.1, "{gone} m instead of {chord} m");
    assert_eq!(walk, walker.walk(4.0, 60.0).unwrap());
}

/// The dress has the published number of vertices, and half a second of its scene passes without a crossing.
#[test]
fn the_dress_fits_and_is_never_crossed() {
    let scene = Scene::load("dress").unwrap();
    let count = scene.model.particles_of(0).count();
    assert!(50 * count.abs_diff(3505) <= 3505, "{count} vertices");
    assert_eq!(crossed(&scene, &scene.state.positions), 0);
    let mut simulation = scene.simulation().unwrap();
    for step in 1..=60 {
        let contact = simulation.step().unwrap().contact.unwrap();
        assert_eq!((contact.pinches, contact.tangled), (0, 0), "step {step}");
        if step % 20 == 0 {
            assert_eq!(crossed(&scene, simulation.positions()), 0, "step {step}");
        }
    }
    // It has stayed on: nothing of it is lower than the skirt is long, nothing of the top has slipped.
    let x = &simulation.positions()[..count];
    let top = x.iter().map(|p| p.y).fold(0.0, f64::max);
    assert!(top > 1.42, "the straps are at {top} m");
}

#[test]
fn what_nobody_can_walk_in_is_refused() {
    let walker = Walker::default();
    let refused =
        |r: Result<(), Error>, key: &str| assert!(r.unwrap_err().to_string().contains(key), "{key}");
    for (bad, key) in [
        (Walker { height: 0.0, ..walker }, "height"),
        (Walker { speed: -1.0, ..walker }, "speed"),
        (Walker { speed: 9.0, ..walker }, "speed"),
        (Walker { turn: f64::NAN, ..walker }, "turn"),
    ] {
        refused(bad.walk(1.0, 60.0).map(drop), key);
    }
    refused(walker.walk(100.0, 60.0).map(drop), "duration");
    refused(walker.walk(1.0, 0.0).map(drop), "frames_per_second");
    let dress = Dress::default();
    refused(Dress { height: -1.0, ..dress }.mesh().map(drop), "height");
    refused(Dress { skirt: 3.0, ..dress }.mesh().map(drop), "skirt");
    refused(Dress { flare: 0.0, ..dress }.mesh().map(drop), "flare");
}
