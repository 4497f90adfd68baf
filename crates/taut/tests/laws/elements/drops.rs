//! Solids that fall on the ground at default settings: nothing stays inside out, and rubber keeps its volume. What has thin
//! rims, as a hippo's feet and ears, is crushed there as it hits the ground, and has righted itself a few frames later.
//!
//! Two seconds of coarse solids here; `cargo run --release -p taut --example experiment_drape -- drops` takes five of finer ones.

use taut::{DVec3, Scene};

/// What falls, in the words of a scene, how high it is above the ground \[m\] (its own height), and for how many frames a tet
/// of it may be inside out.
const SOLIDS: [(&str, &str, f64, usize); 3] = [
    (
        "torus",
        "parts = [{ torus = { centre = [0.0, 0.0, 0.0], radius = 0.3, tube = 0.1 } }], particles = 250",
        0.4,
        0,
    ),
    (
        "block",
        "parts = [{ box = { centre = [0.0, 0.0, 0.0], size = [0.4, 0.4, 0.4] } }], particles = 125",
        0.6,
        0,
    ),
    ("hippo", "animal = \"hippo\", particles = 400", 0.5, 8),
];

/// Six times the volume of a tet \[m³\], with its sign.
fn volume(t: &[u32; 4], x: &[DVec3]) -> f64 {
    let [a, b, c, d] = t.map(|i| x[i as usize]);
    (b - a).cross(c - a).dot(d - a)
}

#[test]
fn dropped_solids_stay_right_side_out() {
    for (name, solid, height, frames) in SOLIDS {
        let text = format!(
            "[[body]]\nsolid = {{ {solid} }}\nposition = [0.0, {height:?}, 0.0]\nrotation = [25.0, 10.0, 0.0]\n\
             [[solid]]\nground = {{ height = 0.0 }}\n"
        );
        let scene = Scene::parse(name, &text, None).unwrap();
        let mut simulation = scene.simulation().unwrap();
        let (tets, rest) = (&scene.model.tets, &scene.model.rest);
        let whole = |x: &[DVec3]| tets.iter().map(|t| volume(t, x) * volume(t, rest).signum()).sum::<f64>();
        // For how many frames each has been inside out. One that lies flat on the ground is not: the sign of its volume is
        // that of rounding.
        let mut turned = vec![0; tets.len()];
        let (mut worst, mut limited, mut most) = (0.0, 0, 0);
        for step in 0..2 * scene.frames_per_second as usize * scene.substeps {
            let report = simulation.step().unwrap();
            limited += usize::from(report.solve.ended == taut::Ended::Iterations);
            if (step + 1) % scene.substeps == 0 {
                let x = simulation.positions();
                for (t, turned) in tets.iter().zip(&mut turned) {
                    let inverted = volume(t, x) / volume(t, rest) < -1e-9;
                    *turned = if inverted { *turned + 1 } else { 0 };
                }
                let longest = turned.iter().max().copied().unwrap_or(0);
                assert!(longest <= frames, "{name} after {} s: {longest} frames", report.time);
                most = most.max(longest);
                let off = (whole(x) / whole(rest) - 1.0).abs();
                worst = f64::max(worst, off);
            }
        }
        println!(
            "{name}: {} particles, volume off by {worst:.4}, {limited} steps at the limit, {most} frames inside out",
            scene.model.particles()
        );
        assert!(worst < 0.05, "{name}: {worst}");
        let lowest = simulation.positions().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!(lowest < 0.05 && lowest > -1e-3, "{name} lies on the ground: {lowest}");
    }
}
