//! Solids that fall on the ground at default settings: nothing stays inside out, and rubber keeps its volume.
//!
//! Two seconds of coarse solids here; `cargo run --release -p taut --example experiment_drape -- drops` takes five of finer ones.

use taut::Scene;

/// What falls, in the words of a scene, and how high it is above the ground \[m\]: its own height.
const SOLIDS: [(&str, &str, f64); 3] = [
    (
        "torus",
        "parts = [{ torus = { centre = [0.0, 0.0, 0.0], radius = 0.3, tube = 0.1 } }], particles = 250",
        0.4,
    ),
    (
        "block",
        "parts = [{ box = { centre = [0.0, 0.0, 0.0], size = [0.4, 0.4, 0.4] } }], particles = 125",
        0.6,
    ),
    ("hippo", "animal = \"hippo\", particles = 400", 0.5),
];

fn volume(tets: &[[u32; 4]], x: &[taut::DVec3]) -> f64 {
    let six = |t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|i| x[i as usize]);
        (b - a).cross(c - a).dot(d - a).abs()
    };
    tets.iter().map(six).sum::<f64>() / 6.0
}

#[test]
fn dropped_solids_stay_right_side_out() {
    for (name, solid, height) in SOLIDS {
        let text = format!(
            "[[body]]\nsolid = {{ {solid} }}\nposition = [0.0, {height:?}, 0.0]\nrotation = [25.0, 10.0, 0.0]\n\
             [[solid]]\nground = {{ height = 0.0 }}\n"
        );
        let scene = Scene::parse(name, &text, None).unwrap();
        let mut simulation = scene.simulation().unwrap();
        let (tets, whole) = (&scene.model.tets, volume(&scene.model.tets, &scene.model.rest));
        let (mut worst, mut limited) = (0.0, 0);
        for step in 0..2 * scene.frames_per_second as usize * scene.substeps {
            let report = simulation.step().unwrap();
            limited += usize::from(report.solve.ended == taut::Ended::Iterations);
            if (step + 1) % scene.substeps == 0 {
                assert_eq!(report.inverted, 0, "{name} after {} s", report.time);
                let off = (volume(tets, simulation.positions()) / whole - 1.0).abs();
                worst = f64::max(worst, off);
            }
        }
        println!(
            "{name}: {} particles, volume off by {worst:.4}, {limited} steps at the limit",
            scene.model.particles()
        );
        assert!(worst < 0.05, "{name}: {worst}");
        let lowest = simulation.positions().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!(lowest < 0.05 && lowest > -1e-3, "{name} lies on the ground: {lowest}");
    }
}
