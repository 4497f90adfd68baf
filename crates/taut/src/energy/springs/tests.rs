//! The kernels that take four springs at a time against the scalar law, [`Spring::tension`] and
//! [`Spring::stiffnesses`].

use super::{FourSprings, Law, curved, curved_alone, four, law, weighed};
use crate::Spring;
use crate::SpringKind::{ExtensionOnly, Linear};
use crate::kernel::{Four, Kernel, Simd, Wide, Work, run};
use crate::random::Random;

/// Weights, twice the energies and the sum of curvatures of four springs with vectors p along q.
struct Both<'a> {
    four: &'a FourSprings,
    law: Law,
    p: [Four; 3],
    q: [Four; 3],
}

impl Work<f64> for Both<'_> {
    type Output = [Four; 3];
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> [Four; 3] {
        let Both { four, law, p, q } = self;
        let (p, q) = (p.each_ref().map(|p| V::load(p)), q.each_ref().map(|q| V::load(q)));
        let [w, inverse, energy] = weighed::<V>(four, law, V::dot(p, p));
        [V::store(w), V::store(energy), V::store(curved::<V>(four, law, inverse, p, q))]
    }
}

#[test]
fn four_at_a_time_agree_with_one_after_another() {
    let mut random = Random(3);
    for case in 0..400 {
        let kind = [Linear, ExtensionOnly][case % 2];
        let springs: [Spring; 4] = std::array::from_fn(|i| {
            // Compressed, slack, stretched, and without rest length.
            let r = if i == 3 && case % 3 == 0 { 0.0 } else { 1.0 + random.signed() };
            Spring { kind, ..Spring::new(0, 1, r, 100.0 * (2.0 + random.signed())) }
        });
        let [p, q] = [0, 1].map(|_| [0, 1, 2].map(|_| Wide([0; 4].map(|_| random.signed()))));
        let alone = springs.each_ref().map(Some);
        assert_eq!(law(alone), if kind == Linear { Law::Linear } else { Law::ExtensionOnly });
        let lane = |p: &[Four; 3], i: usize| super::point(p, i);
        for kernel in Kernel::available() {
            let [w, energy, curvature] = run(kernel, Both { four: &four(alone), law: law(alone), p, q });
            for (i, s) in springs.iter().enumerate() {
                let (l, k) = (lane(&p, i).length(), s.stiffness);
                let size = k * (1.0 + s.rest_length / l);
                let (tension, _) = s.tension(l);
                assert!((w.0[i] * l - tension).abs() <= 1e-15 * 4.0 * size * l, "{kernel:?} {s:?} at {l}");
                assert!(
                    (energy.0[i] - 2.0 * s.energy(l)).abs() <= 1e-15 * 8.0 * size * l * l.max(s.rest_length)
                );
                let (along, across) = s.stiffnesses(l);
                let (x, q) = (lane(&p, i) / l, lane(&q, i));
                // qᵀ k [x̂x̂ᵀ + t (I − x̂x̂ᵀ)] q
                let one = along * (x.dot(q) * x.dot(q) + across * (q - x.dot(q) * x).length_squared());
                let error = (curvature.0[i] - one).abs();
                assert!(
                    error <= 1e-15 * 16.0 * size * q.length_squared(),
                    "{kernel:?} {s:?} at {l}: {error:e}"
                );
            }
            let together: f64 = curvature.0.iter().sum();
            let error = (together - curved_alone(alone, p, q)).abs();
            let size: f64 = curvature.0.iter().map(|c| c.abs()).sum();
            assert!(error <= 1e-13 * size, "{kernel:?}: {error:e} of {size:e}");
        }
    }
}

/// The scalar law by differences of the tension, for every kind; bend springs are never taken four at a time.
#[test]
fn stiffnesses_are_the_derivatives_of_the_force() {
    let mut random = Random(4);
    for case in 0..300 {
        let r = 1.0 + 0.5 * random.signed();
        let spring = match case % 3 {
            0 => Spring::new(0, 1, if case % 2 == 0 { r } else { 0.0 }, 50.0),
            1 => Spring { kind: ExtensionOnly, ..Spring::new(0, 1, r, 50.0) },
            _ => Spring::bend(0, 1, r, 0.1, 50.0),
        };
        let force = |p: glam::DVec3| spring.tension(p.length()).0 / p.length() * p;
        let p = random.vector();
        let (l, delta) = (p.length(), 1e-5);
        let kink = |at: f64| (l - at).abs() < 2.0 * delta;
        if kink(r) || matches!(spring.kind, crate::SpringKind::Bend { crossing, .. } if kink(crossing)) {
            continue;
        }
        let (along, across) = spring.stiffnesses(l);
        let (unit, q) = (p / l, random.vector());
        let expected = along * (unit.dot(q) * unit + across * (q - unit.dot(q) * unit));
        let found = (force(p + delta * q) - force(p - delta * q)) / (2.0 * delta);
        // Differences err by δ²/l² of k r/l.
        let size = spring.stiffest() * (1.0 + r / l) * (1.0 + (delta / l).powi(2) / 1e-9);
        assert!((found - expected).length() <= 1e-7 * size, "{spring:?} at {l}: {found} {expected}");
    }
}

/// Where a formula has no value the law says which case it is.
#[test]
fn stiffnesses_at_the_ends_of_the_range() {
    let spring = Spring::new(0, 1, 0.1, 100.0);
    let (slack, none) = (Spring { kind: ExtensionOnly, ..spring }, Spring { rest_length: 0.0, ..spring });
    for l in [0.0, 5e-324, 1e-310] {
        assert_eq!(spring.stiffnesses(l), (100.0, f64::NEG_INFINITY));
        assert_eq!(slack.stiffnesses(l), (0.0, 0.0));
        assert_eq!(none.stiffnesses(l), (100.0, 1.0));
        assert_eq!(Spring::bend(0, 1, 0.1, 1e-5, 10.0).stiffnesses(l).1, f64::NEG_INFINITY);
    }
    assert_eq!(Spring::bend(0, 1, 0.1, 1e-5, 10.0).stiffnesses(0.1), (0.0, 0.0));
}
