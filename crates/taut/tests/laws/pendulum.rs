//! The period of a pendulum released at 90°, 4√(L/g) K(sin 45°). Implicit Euler takes energy out, which shortens
//! the swing, by O(h); three time steps and Richardson's extrapolation remove that.

use super::bodies::line;
use taut::{DVec3, Method, Settings, Simulation};

/// K(k) = π/(2 agm(1, √(1 − k²))).
fn elliptic(modulus: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - modulus * modulus).sqrt());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::PI / (2.0 * a)
}

/// Time between the first and the third passage through the vertical: one period.
fn period(h: f64) -> f64 {
    let (length, mass) = (0.8, 0.3);
    let model = line(vec![DVec3::ZERO, DVec3::X * length], vec![mass; 2], &[(length, 1e6)]);
    let mut simulation = Simulation::new(model, Settings::without_contact(Method::newton(), h)).unwrap();
    simulation.pin(0).unwrap();
    let (mut passages, mut last, mut n) = (Vec::new(), length, 0.0);
    while passages.len() < 3 {
        simulation.step().unwrap();
        let x = simulation.positions()[1].x;
        if x * last < 0.0 {
            passages.push((n + last / (last - x)) * h);
        }
        (last, n) = (x, n + 1.0);
        assert!(n * h < 100.0, "it does not swing");
    }
    passages[2] - passages[0]
}

#[test]
fn a_pendulum_released_at_a_right_angle_keeps_the_period_of_the_elliptic_integral() {
    let exact = 4.0 * (0.8_f64 / 9.81).sqrt() * elliptic(std::f64::consts::FRAC_1_SQRT_2);
    let h = 1.0 / 500.0;
    let [a, b, c] = [h, h / 2.0, h / 4.0].map(period);
    // Removes the errors of first order, then those of second.
    let (ab, bc) = (2.0 * b - a, 2.0 * c - b);
    let limit = (4.0 * bc - ab) / 3.0;
    let error = (limit - exact).abs() / exact;
    println!("{a} {b} {c} -> {limit}, exact {exact}: {error:e}");
    assert!(error <= 0.005, "{a}, {b}, {c} tend to {limit}, exact {exact}: {error:e}");
    assert!((c - exact).abs() < (b - exact).abs() && (b - exact).abs() < (a - exact).abs());
}
