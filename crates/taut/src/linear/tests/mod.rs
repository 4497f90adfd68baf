//! The factor against dense elimination, its kernels against each other, and its precision.

mod steps;

use super::factor::Split;
use super::order::graphs::{cloth, graphs};
use super::*;
use crate::kernel::Kernel;
use glam::DVec3;
use std::sync::Arc;

/// A positive definite matrix on a graph: weights of very different size on the edges, small ones on the diagonal.
fn matrix(pattern: &Pattern, stiffest: f64) -> Symmetric<f64> {
    let mut a = Symmetric::zeros(pattern.clone());
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    a.diagonal.iter_mut().for_each(|d| *d = 0.5 + random());
    for j in 0..pattern.size() {
        for slot in pattern.column(j) {
            let weight = stiffest.powf(random());
            a.upper[slot] = -weight;
            a.diagonal[j] += weight;
            a.diagonal[pattern.rows[slot] as usize] += weight;
        }
    }
    a
}

fn right_hand_side(n: usize) -> Vec<DVec3> {
    let wave = |i: usize| DVec3::new((1.3 * i as f64).sin(), (0.7 * i as f64).cos(), (2.1 * i as f64).sin());
    (0..n).map(wave).collect()
}

/// Gaussian elimination on the full matrix.
fn dense_solve(a: &Symmetric<f64>, b: &[DVec3]) -> Vec<DVec3> {
    let n = b.len();
    let mut full = vec![vec![0.0; n]; n];
    for (j, &d) in a.diagonal.iter().enumerate() {
        full[j][j] = d;
        for slot in a.pattern.column(j) {
            let i = a.pattern.rows[slot] as usize;
            (full[i][j], full[j][i]) = (a.upper[slot], a.upper[slot]);
        }
    }
    let mut x = b.to_vec();
    for k in 0..n {
        for i in k + 1..n {
            let factor = full[i][k] / full[k][k];
            if factor != 0.0 {
                (k..n).for_each(|j| full[i][j] -= factor * full[k][j]);
                x[i] = x[i] - factor * x[k];
            }
        }
    }
    for k in (0..n).rev() {
        let later = (k + 1..n).fold(DVec3::ZERO, |sum, j| sum + full[k][j] * x[j]);
        x[k] = (x[k] - later) / full[k][k];
    }
    x
}

fn largest(v: &[DVec3]) -> f64 {
    v.iter().map(|v| v.length()).fold(0.0, f64::max)
}

fn difference(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
}

/// The order and analysis of a matrix, in parts from 5,000 rows on: tests want parts in small matrices.
fn analysed(a: &Symmetric<f64>) -> Arc<Symbolic> {
    Symbolic::split_from(&a.pattern, &Sequence::new(&a.pattern), Split { rows: 5_000, entries: 5e4 })
}

fn factored(a: &Symmetric<f64>, precision: Precision) -> Result<Factor, Unfactored> {
    Factor::new(&analysed(a), a, precision)
}

fn solved(factor: &mut Factor, b: &[DVec3]) -> Vec<DVec3> {
    let mut x = b.to_vec();
    factor.solve(&mut x);
    x
}

#[test]
fn solutions_are_those_of_dense_elimination() {
    for (name, pattern) in graphs() {
        let a = matrix(&pattern, 100.0);
        let symbolic = analysed(&a);
        let b = right_hand_side(pattern.size());
        let exact = dense_solve(&a, &b);
        for kernel in Kernel::available() {
            for (precision, tolerance) in [(Precision::Double, 1e-12), (Precision::Single, 1e-5)] {
                let mut factor = Factor::with_kernel(&symbolic, &a, precision, kernel).expect(name);
                let error = difference(&solved(&mut factor, &b), &exact) / largest(&exact).max(1e-300);
                assert!(error < tolerance, "{name} {precision:?} {kernel:?}: {error:e}");
            }
        }
    }
}

#[test]
fn the_residual_is_at_rounding_level_for_stiff_matrices() {
    let pattern = cloth(41);
    for stiffest in [1.0, 1e4, 1e8] {
        let a = matrix(&pattern, stiffest);
        let b = right_hand_side(pattern.size());
        let x = solved(&mut factored(&a, Precision::Double).unwrap(), &b);
        let mut product = vec![DVec3::ZERO; b.len()];
        a.multiply(&x, &mut product);
        let entries = a.diagonal.iter().fold(0.0, |m: f64, d| m.max(*d));
        let error = difference(&product, &b) / (entries * largest(&x) + largest(&b));
        assert!(error < 1e-14, "{stiffest}: {error:e}");
    }
}

#[test]
fn fused_kernels_agree_in_every_bit() {
    for (name, pattern) in graphs() {
        let a = matrix(&pattern, 100.0);
        let symbolic = analysed(&a);
        let b = right_hand_side(pattern.size());
        for precision in [Precision::Double, Precision::Single] {
            // Neon stands for the portable source with fused products wherever the processor is not ARM.
            let fused = Kernel::available().into_iter().filter(|k| k.fused());
            let mut reference = Factor::with_kernel(&symbolic, &a, precision, Kernel::Neon).unwrap();
            let expected = solved(&mut reference, &b);
            for kernel in fused {
                let mut factor = Factor::with_kernel(&symbolic, &a, precision, kernel).unwrap();
                assert!(solved(&mut factor, &b) == expected, "{name} {precision:?} {kernel:?}");
            }
        }
    }
}

#[test]
fn single_precision_converges_in_correction_form() {
    let a = matrix(&cloth(31), 1e3);
    let b = right_hand_side(31 * 31);
    let exact = solved(&mut factored(&a, Precision::Double).unwrap(), &b);
    let mut single = factored(&a, Precision::Single).unwrap();
    let (mut x, mut residual) = (vec![DVec3::ZERO; b.len()], b.clone());
    for _ in 0..5 {
        let correction = solved(&mut single, &residual);
        x.iter_mut().zip(&correction).for_each(|(x, d)| *x += *d);
        a.multiply(&x, &mut residual);
        residual.iter_mut().zip(&b).for_each(|(r, b)| *r = *b - *r);
    }
    assert!(difference(&x, &exact) < 1e-13 * largest(&exact));
}

/// A free chain of springs: the lighter it is for its stiffness, the less f32 knows of its softest modes.
#[test]
fn single_precision_is_used_where_it_is_enough() {
    let links = 300;
    for (mass, enough) in [(1e-6, true), (1e-12, false)] {
        let mut random = crate::random::Random(5);
        let (pattern, slots) = Pattern::new(links, (1..links as u32).map(|i| [i - 1, i]));
        let mut a = Symmetric::<f64>::zeros(pattern);
        a.diagonal.fill(mass);
        for (i, slot) in slots.into_iter().enumerate() {
            let k = 1.0 + 0.5 * random.signed();
            a.diagonal[i] += k;
            a.diagonal[i + 1] += k;
            a.upper[slot as usize] -= k;
        }
        let probe: Vec<DVec3> = (0..links).map(|i| DVec3::Y * i as f64).collect();
        let mut factor = Factor::rounded(&analysed(&a), &a, &probe).unwrap();
        assert_eq!(factor.precision() == Precision::Single, enough, "{mass}");
        let mut b = probe.clone();
        a.multiply(&probe, &mut b);
        let error = difference(&solved(&mut factor, &b), &probe) / largest(&probe);
        assert!(error <= 1e-4, "{mass}: {error:e}");
        let mut single = factored(&a, Precision::Single).unwrap();
        let error = difference(&solved(&mut single, &b), &probe) / largest(&probe);
        assert_eq!(error <= 1e-4, enough, "{mass}: {error:e}");
    }
}

#[test]
fn single_precision_keeps_the_mean_of_stiff_free_bodies() {
    // Two cloths side by side, rows mixed, 1e8 times stiffer than heavy: the mean is Σ b/Σ m exactly.
    let one = cloth(15);
    let n = one.size();
    let pairs = (0..n).flat_map(|j| one.rows[one.column(j)].iter().map(move |&i| [i, j as u32]));
    let edges: Vec<[u32; 2]> = pairs.flat_map(|[i, j]| [[2 * i, 2 * j], [2 * i + 1, 2 * j + 1]]).collect();
    let (pattern, slots) = Pattern::new(2 * n, edges.iter().copied());
    let mut a = Symmetric::<f64>::zeros(pattern);
    a.diagonal.fill(1.0);
    for (edge, slot) in edges.iter().zip(slots) {
        edge.iter().for_each(|&i| a.diagonal[i as usize] += 1e8);
        a.upper[slot as usize] -= 1e8;
    }
    let b = right_hand_side(2 * n);
    let x = solved(&mut factored(&a, Precision::Single).unwrap(), &b);
    for odd in [0, 1] {
        let sum = |v: &[DVec3]| v.iter().skip(odd).step_by(2).fold(DVec3::ZERO, |s, v| s + *v);
        let error = (sum(&x) - sum(&b)).length() / sum(&b).length();
        // 7e-7 without the shift, 6e-15 with it.
        assert!(error < 1e-12, "{error:e}");
    }
}

#[test]
fn scaling_and_mirroring_change_no_mantissa() {
    let a = matrix(&cloth(31), 1e3);
    let symbolic = analysed(&a);
    let b = right_hand_side(31 * 31);
    for kernel in Kernel::available() {
        for precision in [Precision::Double, Precision::Single] {
            let mut factor = Factor::with_kernel(&symbolic, &a, precision, kernel).unwrap();
            let x = solved(&mut factor, &b);
            for scale in [-1.0, 2f64.powi(-180), 2f64.powi(200)] {
                let scaled: Vec<DVec3> = b.iter().map(|b| scale * *b).collect();
                let expected: Vec<DVec3> = x.iter().map(|x| scale * *x).collect();
                assert!(solved(&mut factor, &scaled) == expected, "{scale:e} {precision:?} {kernel:?}");
            }
        }
    }
}

#[test]
fn a_large_matrix_in_parts_has_one_answer_for_any_number_of_threads() {
    // One cloth; forty small ones; a large one and small ones.
    for sides in [vec![90], vec![12; 40], vec![60, 12, 50, 3, 1]] {
        in_parts(&matrix(&side_by_side(&sides), 1e3));
    }
}

/// Cloths of these sides that nothing connects.
fn side_by_side(sides: &[u32]) -> Pattern {
    let (mut edges, mut rows) = (Vec::new(), 0);
    for &side in sides {
        let one = cloth(side);
        let pairs = (0..one.size()).flat_map(|j| one.rows[one.column(j)].iter().map(move |&i| [i, j as u32]));
        edges.extend(pairs.map(|edge| edge.map(|i| i + rows)));
        rows += one.size() as u32;
    }
    Pattern::new(rows as usize, edges.into_iter()).0
}

fn in_parts(a: &Symmetric<f64>) {
    assert!(analysed(a).parts() > 1);
    let b = right_hand_side(a.pattern.size());
    for precision in [Precision::Double, Precision::Single] {
        let solve = || solved(&mut factored(a, precision).unwrap(), &b);
        let x = solve();
        let mut product = vec![DVec3::ZERO; b.len()];
        a.multiply(&x, &mut product);
        let tolerance = if precision == Precision::Double { 1e-12 } else { 1e-4 };
        assert!(difference(&product, &b) < tolerance * 1e3 * largest(&x));
        #[cfg(feature = "threads")]
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(solve) == x, "{threads} threads");
        }
    }
}

#[test]
fn matrices_that_are_not_positive_definite_are_refused() {
    let pattern = cloth(12);
    for bad in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
        let mut a = matrix(&pattern, 10.0);
        a.diagonal[77] = bad;
        assert!(factored(&a, Precision::Double).is_err(), "{bad}");
        assert!(factored(&a, Precision::Single).is_err(), "{bad}");
    }
}

#[test]
fn memory_that_cannot_be_had_is_reported_with_its_size() {
    // No machine has half its address space as memory, so nothing is taken.
    let count = usize::MAX / 32;
    let refused = super::factor::frontal::reserve(&mut Vec::<f64>::new(), count);
    assert_eq!(refused, Err(Unfactored::Memory { bytes: 8 * count }));
}
