//! The Lemma of [Liu13]: `(‖p‖ − r)² = min ‖p − d‖²` over ‖d‖ = r, and where the minimum is.
//!
//! The figure: 10⁶ random p and r over 1e-6…1e6, error at most 1e-14·max(‖p‖, r)²; p = 0 is finite.

use crate::common::Random;
use taut::energy::{length, project};
use taut::{DVec3, Spring, SpringKind};

fn spring(rest_length: f64, kind: SpringKind) -> Spring {
    Spring { kind, ..Spring::new(0, 1, rest_length, 1.0) }
}

fn unit(random: &mut Random) -> DVec3 {
    let v = random.vector(1.0);
    v / v.length()
}

/// Everything in units of the larger of ‖p‖ and r, so that nothing over- or underflows here. Returns the
/// error of the Lemma and of ‖d‖ = r.
fn errors(p: DVec3, r: f64, d: DVec3) -> [f64; 2] {
    // A power of two: dividing by it is exact, for denormal numbers in two halves.
    let largest = p.abs().max_element().max(r);
    let half = 2f64.powi(largest.log2() as i32 / 2);
    let rest = 2f64.powi(largest.log2() as i32 - largest.log2() as i32 / 2);
    let [p, d] = [p, d].map(|v| v / half / rest);
    let r = r / half / rest;
    let size = p.length().max(r).powi(2);
    [((p - d).length_squared() - (p.length() - r).powi(2)).abs() / size, (d.length() - r).abs() / size.sqrt()]
}

#[test]
fn a_million_random_springs() {
    let mut random = Random(1);
    let none = || unreachable!("these springs have a direction");
    for _ in 0..1_000_000 {
        let p = unit(&mut random) * random.magnitude(1e-6, 1e6);
        let r = random.magnitude(1e-6, 1e6);
        let d = project(&spring(r, SpringKind::Linear), p, none);
        let size = p.length().max(r).powi(2);
        let error = ((p - d).length_squared() - (p.length() - r).powi(2)).abs();
        assert!(error <= 1e-14 * size, "p {p} r {r}: {}", error / size);
        assert!((d.length() - r).abs() <= 1e-15 * r, "p {p} r {r}: ‖d‖ = {}", d.length());
        // No other vector of that length is nearer.
        let other = unit(&mut random) * r;
        assert!((p - other).length_squared() >= (p - d).length_squared() - 1e-14 * size);
        let slack = project(&spring(r, SpringKind::ExtensionOnly), p, none);
        assert_eq!(slack, if length(p) <= r { p } else { d });
    }
}

#[test]
fn lengths_that_would_overflow_or_vanish_when_squared() {
    let mut random = Random(2);
    for exponent in [-323, -320, -315, -308, -300, -200, -160, -155, -150, 150, 154, 160, 200, 300] {
        for rest in [1e-300, 1e-200, 1e-6, 0.05, 1.0, 1e6, 1e150, 1e200] {
            for _ in 0..100 {
                // Powers of ten this small exist only as strings.
                let scale: f64 = format!("1e{exponent}").parse().expect("a number");
                let p = random.vector(8.0) * scale;
                if p == DVec3::ZERO {
                    continue;
                }
                let d = project(&spring(rest, SpringKind::Linear), p, || DVec3::X);
                let [lemma, norm] = errors(p, rest, d);
                assert!(lemma <= 1e-14 && norm <= 1e-15, "p {p:?} r {rest:e} d {d:?}: {lemma:e} {norm:e}");
            }
        }
    }
}

#[test]
fn no_length_is_finite_and_takes_the_direction_it_is_offered() {
    let mut random = Random(3);
    for kind in [SpringKind::Linear, SpringKind::ExtensionOnly] {
        for _ in 0..1000 {
            let (r, q) = (random.magnitude(1e-6, 1e6), unit(&mut random) * random.magnitude(1e-320, 1e300));
            let d = project(&spring(r, kind), DVec3::ZERO, || q);
            match kind {
                SpringKind::Linear => {
                    assert!((d.length() - r).abs() <= 1e-15 * r, "r {r:e} q {q:?} d {d:?}");
                    assert!(d.dot(q / q.abs().max_element()) > 0.0);
                }
                _ => assert_eq!(d, DVec3::ZERO),
            }
        }
        assert_eq!(project(&spring(1.0, kind), DVec3::ZERO, || DVec3::ZERO), DVec3::ZERO);
        assert_eq!(project(&spring(0.0, kind), DVec3::ZERO, || DVec3::X), DVec3::ZERO);
    }
}
