//! A hanging rod of n masses M/n at the lower ends of its springs, k = EA n/L: the tip comes down by
//! MgL/(2EA)·(1 + 1/n).

use super::bodies::{line, settle};
use taut::{DVec3, Method, Settings, Simulation};

#[test]
fn the_tip_of_a_hanging_rod() {
    let (mass, length, rigidity) = (2.0, 1.5, 2000.0);
    for n in [8, 16, 32, 64, 128, 256, 512] {
        let r = length / n as f64;
        let places = (0..=n).map(|i| DVec3::new(0.0, -(i as f64) * r, 0.0)).collect();
        let springs = vec![(r, rigidity / r); n];
        let model = line(places, vec![mass / n as f64; n + 1], &springs);
        let g = -model.gravity.y;
        let mut simulation =
            Simulation::new(model, Settings::without_contact(Method::newton(), 1.0)).unwrap();
        simulation.pin(0).unwrap();
        settle(&mut simulation, 1.0, 8);
        let expected = mass * g * length / (2.0 * rigidity) * (1.0 + 1.0 / n as f64);
        let tip = -simulation.positions()[n].y - length;
        let error = (tip - expected).abs() / expected;
        println!("n {n}: tip {tip:.12}, error {error:e}");
        assert!(error <= 1e-8, "n {n}: tip {tip}, expected {expected}, error {error:e}");
    }
}
