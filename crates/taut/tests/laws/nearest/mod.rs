//! Nearest matrices: rotations against an oracle of 32 digits, the others against searches by brute force, derivatives
//! against differences, and what each must not depend on.

mod double;
mod judge;

use crate::common::Random;
use glam::{DMat3, DVec3};
use judge::{FAMILIES, Worst, generate, judge, matrix, turn};
use taut::linear::nearest::{Principal, Projection, clamped, rotation, rotation_membrane, unimodular};

#[test]
fn rotations_are_the_nearest() {
    for family in 0..FAMILIES.len() as u64 {
        let (mut worst, random) = (Worst::default(), &mut Random(family));
        for index in (0..2000).map(|n| n * FAMILIES.len() as u64 + family) {
            worst.add(&judge(generate(index), turn(random)));
        }
        assert!(worst.is_sound(), "{}: {worst:?}", FAMILIES[family as usize]);
    }
}

fn inner(a: DMat3, b: DMat3) -> f64 {
    a.to_cols_array().iter().zip(b.to_cols_array()).map(|(a, b)| a * b).sum()
}

/// Rank one: all that turn about the one direction are equally near to F. Minus a rotation: all half turns before it.
/// Zero: all rotations.
#[test]
fn of_equally_near_rotations_the_one_near_another_is_taken() {
    let random = &mut Random(3);
    for _ in 0..200 {
        let near = turn(random);
        assert!((rotation(DMat3::ZERO, near) - near).to_cols_array().iter().all(|e| e.abs() < 1e-15));
        let (to, from) = (random.vector(1.0), random.vector(1.0));
        let f = DMat3::from_cols(to * from.x, to * from.y, to * from.z);
        let r = rotation(f, near);
        let other = turn(random);
        let (r2, r3) = (rotation(-other, near), rotation(f, DMat3::ZERO));
        for _ in 0..50 {
            let about = DMat3::from_axis_angle(from.normalize(), random.range(-3.2, 3.2));
            assert!((inner(r * about, f) - inner(r, f)).abs() < 1e-14);
            assert!(inner(r * about, near) < inner(r, near) + 1e-12, "{f} {near}");
            assert!(inner(r3 * about, DMat3::IDENTITY) < inner(r3, DMat3::IDENTITY) + 1e-12, "{f}");
            let half = DMat3::from_axis_angle(random.vector(1.0).normalize(), std::f64::consts::PI);
            assert!((inner(half * other, -other) - inner(r2, -other)).abs() < 1e-14);
            assert!(inner(half * other, near) < inner(r2, near) + 1e-12, "{other} {near}");
        }
    }
    // With a `near` that says nothing: the one nearest to 1.
    assert_eq!(rotation(DMat3::ZERO, DMat3::ZERO), DMat3::IDENTITY);
    let along = DMat3::from_cols(DVec3::ZERO, DVec3::Z, DVec3::ZERO);
    let quarter = DMat3::from_axis_angle(DVec3::X, std::f64::consts::FRAC_PI_2);
    assert!((rotation(along, DMat3::ZERO) - quarter).to_cols_array().iter().all(|e| e.abs() < 1e-15));
}

/// Powers of two and mirrors, bit for bit; what is not a number stays so.
#[test]
fn neither_unit_nor_handedness_changes_a_bit() {
    let random = &mut Random(4);
    for index in 0..2000 {
        let (f, near) = (generate(index), turn(random));
        let (r, p) = (rotation(f, near), unimodular(f, near));
        for power in [-40, -3, 1, 40] {
            assert_eq!(rotation(f * 2f64.powi(power), near), r, "{index} {f} 2^{power}");
        }
        for axis in [DVec3::new(-1.0, 1.0, 1.0), DVec3::new(1.0, -1.0, 1.0), DVec3::new(1.0, 1.0, -1.0)] {
            let s = DMat3::from_diagonal(axis);
            assert_eq!(rotation(s * f * s, s * near * s), s * r * s, "{index} {f}");
            assert_eq!(unimodular(s * f * s, s * near * s), s * p * s, "{index} {f}");
        }
        let [a, b] = [f.x_axis, f.y_axis];
        let [c, d] = [near.x_axis, near.y_axis];
        let [u, v] = rotation_membrane([a, b], [c, d]);
        for power in [-600, -3, 1, 40] {
            let (a, b) = (a * 2f64.powi(power), b * 2f64.powi(power));
            if a.abs().max_element() > 1e-290 && b.abs().max_element() > 1e-290 {
                assert_eq!(rotation_membrane([a, b], [c, d]), [u, v], "{index} {a} {b} 2^{power}");
            }
        }
        for axis in [DVec3::new(-1.0, 1.0, 1.0), DVec3::new(1.0, -1.0, 1.0), DVec3::new(1.0, 1.0, -1.0)] {
            assert_eq!(rotation_membrane([a * axis, b * axis], [c * axis, d * axis]), [u * axis, v * axis]);
            assert_eq!(rotation_membrane([-a, b], [-c, d]), [-u, v], "{index}");
        }
    }
    assert!(rotation(DMat3::NAN, DMat3::IDENTITY).is_nan());
    assert!(rotation(DMat3::IDENTITY * f64::INFINITY, DMat3::IDENTITY).is_nan());
}

/// A membrane's is that of its matrix with a third column of zeros.
#[test]
fn membranes_turn_as_solids_do() {
    let random = &mut Random(5);
    for index in 0..4000 {
        let f = generate(index);
        let f = DMat3 { z_axis: DVec3::ZERO, ..f };
        let near = turn(random);
        let [a, b] = rotation_membrane([f.x_axis, f.y_axis], [near.x_axis, near.y_axis]);
        let r = DMat3::from_cols(a, b, a.cross(b));
        assert!((r.transpose() * r - DMat3::IDENTITY).to_cols_array().iter().all(|e| e.abs() < 1e-14));
        let most = inner(rotation(f, near), f);
        assert!((inner(r, f) - most).abs() <= 1e-14 * most, "{index} {f}");
        let line = rotation_membrane([a, a], [near.x_axis, near.y_axis]);
        assert!((line[0].dot(line[1])).abs() < 1e-14 && (line[0] + line[1]).normalize().dot(a) > 1.0 - 1e-14);
    }
}

/// The least distance of σ to numbers with product 1 that a search on grids finds, each finer around the best of the one
/// before.
fn searched(sigma: [f64; 3]) -> f64 {
    let at = |a: f64, b: f64| {
        let x = [a.exp(), b.exp(), (-a - b).exp()];
        x.iter().zip(sigma).map(|(x, s)| (x - s) * (x - s)).sum::<f64>()
    };
    let mut least = f64::INFINITY;
    // Several places to begin with, so that no minimum is missed.
    for start in 0..16 {
        let (mut a, mut b) = (f64::from(start % 4) - 1.5, f64::from(start / 4) - 1.5);
        let mut size = 0.5;
        while size > 1e-9 {
            let around = (-3..=3).flat_map(|i| (-3..=3).map(move |j| (i, j)));
            let point = |(i, j): (i32, i32)| (a + size * f64::from(i), b + size * f64::from(j));
            let best = around.map(point).min_by(|p, q| at(p.0, p.1).total_cmp(&at(q.0, q.1))).unwrap();
            size *= if best == (a, b) { 0.4 } else { 1.0 };
            (a, b) = best;
        }
        least = least.min(at(a, b));
    }
    least
}

#[test]
fn the_nearest_of_determinant_one_is_nearest_globally() {
    let random = &mut Random(6);
    for case in 0..600 {
        let size = [0.3, 1.0, 1.93, 2.5][case % 4];
        let mut values = match case / 4 % 3 {
            0 => [0; 3].map(|_| random.range(-size, size)),
            1 => [0; 3].map(|_| size * random.range(0.9, 1.1)),
            _ => [0; 3].map(|_| size * random.range(0.999, 1.001)),
        };
        let (u, v) = (turn(random), turn(random));
        let f = u * DMat3::from_diagonal(DVec3::from_array(values)) * v;
        let p = unimodular(f, DMat3::IDENTITY);
        assert!((p.determinant() - 1.0).abs() < 1e-13, "{values:?}");
        // As positive numbers but perhaps the smallest, which the distance is a function of.
        values.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
        let sign = values.iter().product::<f64>().signum();
        let values = [values[0].abs(), values[1].abs(), values[2].abs() * sign];
        let (ours, least) = (inner(p - f, p - f), searched(values));
        assert!((ours - least).abs() < 1e-9 * (1.0 + least), "{values:?}: {ours} {least}");
        for _ in 0..50 {
            // No other matrix of determinant 1 nearby is nearer.
            let other = p * (DMat3::IDENTITY + matrix(random, 0.1));
            let other = other * other.determinant().cbrt().recip();
            assert!(inner(other - f, other - f) > ours * (1.0 - 1e-12), "{values:?}");
        }
    }
}

#[test]
fn any_matrix_has_a_nearest_of_determinant_one() {
    for index in 0..4000 {
        let (f, near) = (generate(index), turn(&mut Random(index)));
        let p = unimodular(f, near);
        assert!(p.is_finite(), "{index} {f}");
        let size = f.to_cols_array().iter().fold(0.0, |m: f64, e| m.max(e.abs()));
        if size < 1e100 {
            let condition = p.to_cols_array().iter().fold(0.0, |m: f64, e| m.max(e.abs())).powi(3);
            assert!((p.determinant() - 1.0).abs() < 1e-13 * condition, "{index} {f}: {p}");
        }
    }
    let near = turn(&mut Random(1));
    assert!((unimodular(DMat3::ZERO, near) - near).to_cols_array().iter().all(|e| e.abs() < 1e-14));
    // A cube is shrunk, a large one flattened.
    for (scale, flattened) in [(1.0, false), (1.9, false), (1.95, true), (10.0, true)] {
        let values = Principal::of(unimodular(near * scale, near), near).values;
        assert_eq!(values[2] < 0.9 * values[0], flattened, "{values:?}");
    }
}

#[test]
fn singular_values_are_clamped() {
    let random = &mut Random(7);
    for _ in 0..500 {
        let near = turn(random);
        let near = [near.x_axis, near.y_axis];
        let f = [random.vector(1.5), random.vector(1.5)];
        let before = Principal::of_membrane(f, near);
        let p = clamped(f, near, 0.8, 1.2);
        let after = Principal::of_membrane(p, near);
        for n in 0..2 {
            assert!((after.values[n] - before.values[n].clamp(0.8, 1.2)).abs() < 1e-14);
            assert!((before.rotation.col(n) - after.rotation.col(n)).length() < 1e-11);
        }
        assert!((p[0].dot(p[1])).abs() < 1.0);
        let same = clamped(f, near, 0.0, 10.0);
        assert!((same[0] - f[0]).length() + (same[1] - f[1]).length() < 1e-14);
    }
}

/// dP along dF by differences of the projections themselves.
fn agrees(f: DMat3, df: DMat3, take: impl Fn(DMat3) -> Projection, name: &str) {
    let h = 1e-6;
    let difference = (take(f + df * h).nearest - take(f - df * h).nearest) * (0.5 / h);
    let ours = take(f).change(df);
    let error = inner(ours - difference, ours - difference).sqrt();
    assert!(error < 1e-6 * (1.0 + inner(ours, ours).sqrt()), "{name} {f}: {ours} {difference}");
}

#[test]
fn derivatives_are_those_of_differences() {
    let random = &mut Random(8);
    for case in 0..300 {
        let near = turn(random);
        // The last singular values of both signs, none near the places where a projection jumps.
        let sign = if case % 3 == 0 { -0.3 } else { 1.0 };
        let values =
            DVec3::new(random.range(1.2, 1.6), random.range(0.8, 1.1), sign * random.range(0.3, 0.7));
        let f = turn(random) * DMat3::from_diagonal(values) * turn(random);
        let df = matrix(random, 1.0);
        agrees(f, df, |f| Principal::of(f, near).rotated(), "rotated");
        agrees(f, df, |f| Principal::of(f, near).unimodular(), "unimodular");
        agrees(f * 2.5, df, |f| Principal::of(f, near).unimodular(), "flattened");
        let [f, df] = [f, df].map(|m| DMat3 { z_axis: DVec3::ZERO, ..m });
        let of = |f: DMat3| Principal::of_membrane([f.x_axis, f.y_axis], [near.x_axis, near.y_axis]);
        agrees(f, df, |f| of(f).rotated(), "membrane");
        agrees(f, df, |f| of(f).unimodular(), "area");
        agrees(f * 3.0, df, |f| of(f).unimodular(), "area, flattened");
        let [high, low, _] = of(f).values;
        for (from, to) in
            [(0.0, 9.0), (0.0, 0.5 * (high + low)), (0.5 * (high + low), 9.0), (1.1 * high, 9.0)]
        {
            agrees(f, df, |f| of(f).clamped(from, to), "clamped");
        }
    }
}
