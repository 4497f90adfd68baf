//! A vertical chain at rest: spring j is stretched by (mass below it) g/k_j.

use super::bodies::{line, settle};
use super::common::Random;
use taut::{DVec3, Method, Settings, Simulation, Stop};

/// Largest relative error of the stretches.
fn error(method: Method, h: f64, steps: usize) -> f64 {
    let n = 20;
    let mut random = Random(5);
    let masses: Vec<f64> = (0..=n).map(|_| random.magnitude(0.005, 0.2)).collect();
    let springs: Vec<(f64, f64)> =
        (0..n).map(|_| (random.range(0.02, 0.1), random.magnitude(2e3, 2e4))).collect();
    let mut places = vec![DVec3::new(0.3, 1.0, -0.2)];
    for (rest_length, _) in &springs {
        places.push(*places.last().unwrap() - DVec3::Y * *rest_length);
    }
    let model = line(places, masses.clone(), &springs);
    let g = -model.gravity.y;
    let mut simulation = Simulation::new(model, Settings::without_contact(method, h)).unwrap();
    simulation.pin(0).unwrap();
    settle(&mut simulation, h, steps);
    let x = simulation.positions();
    (0..n).fold(0.0, |worst, j| {
        let below: f64 = masses[j + 1..].iter().sum();
        let expected = below * g / springs[j].1;
        let stretch = x[j].distance(x[j + 1]) - springs[j].0;
        worst.max((stretch - expected).abs() / expected)
    })
}

#[test]
fn each_spring_carries_the_mass_below_it() {
    let one = Method::LocalGlobal(Stop::iterations(1));
    let runs = [(Method::newton(), 1.0, 12), (Method::hybrid(), 1.0, 12), (one, 1.0 / 30.0, 400)];
    for (method, h, steps) in runs {
        let error = error(method.clone(), h, steps);
        println!("{}: {error:e}", method.name());
        assert!(error <= 1e-9, "{method:?}: {error:e}");
    }
}
