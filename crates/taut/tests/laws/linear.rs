//! The linear room against dense brute force, on random graphs: empty, single, disconnected, with parallel edges.

use crate::common::Random;
use crate::definition::{Dense, flat, is_definite, solve};
use taut::DVec3;
use taut::linear::{Block, Cholesky, Components, Indefinite, Pattern, Pcg, PcgOutcome, Sequence, Symmetric};

use glam::DMat3;

/// n vertices and edges in either direction, some twice; sparse enough to fall apart now and then.
fn graph(random: &mut Random, n: usize) -> Vec<[u32; 2]> {
    let mut edges = Vec::new();
    for _ in 0..random.bits() as usize % (2 * n + 1) {
        let [a, b] = [random.bits(), random.bits()].map(|v| (v % n as u64) as u32);
        if a != b {
            edges.push([a, b]);
            if random.bits().is_multiple_of(4) {
                edges.push([b, a]);
            }
        }
    }
    edges
}

fn graphs(random: &mut Random) -> Vec<(usize, Vec<[u32; 2]>)> {
    let mut all = vec![(0, vec![]), (1, vec![]), (2, vec![]), (2, vec![[1, 0], [0, 1], [1, 0]])];
    for i in 0..60 {
        let n = 1 + i % 20;
        all.push((n, graph(random, n)));
    }
    all
}

/// A matrix and, built on its own from the same edge weights, its dense twin of 3n rows.
fn matrix<B: Block>(
    n: usize,
    edges: &[[u32; 2]],
    mut weight: impl FnMut() -> B,
    diagonal: impl Fn(usize) -> f64,
) -> (Symmetric<B>, Dense) {
    let (pattern, slots) = Pattern::new(n, edges.iter().copied());
    assert_eq!((pattern.size(), slots.len()), (n, edges.len()));
    let mut a = Symmetric::<B>::zeros(pattern);
    let mut dense = vec![vec![0.0; 3 * n]; 3 * n];
    let at = |b: B, r: usize, c: usize| match B::SIZE {
        1 => f64::from(u8::from(r == c)) * b.at(0, 0),
        _ => b.at(r, c),
    };
    for i in 0..n {
        a.diagonal[i] = B::ZERO.shifted(diagonal(i));
        (0..3).for_each(|c| dense[3 * i + c][3 * i + c] = diagonal(i));
    }
    for (&[i, j], &slot) in edges.iter().zip(&slots) {
        let w = weight();
        let (i, j) = (i as usize, j as usize);
        a.diagonal[i] += w;
        a.diagonal[j] += w;
        a.upper[slot as usize] -= w;
        for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
            dense[3 * i + r][3 * i + c] += at(w, r, c);
            dense[3 * j + r][3 * j + c] += at(w, r, c);
            dense[3 * i + r][3 * j + c] -= at(w, r, c);
            dense[3 * j + r][3 * i + c] -= at(w, r, c);
        }
    }
    (a, dense)
}

fn vectors(random: &mut Random, n: usize) -> Vec<DVec3> {
    (0..n).map(|_| random.vector(1.0)).collect()
}

fn apart(a: &[DVec3], b: &[f64]) -> f64 {
    assert_eq!(3 * a.len(), b.len());
    flat(a).iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// A random symmetric 3×3 matrix: `definite` or not.
fn block(random: &mut Random, definite: bool) -> DMat3 {
    let m = DMat3::from_cols(random.vector(1.0), random.vector(1.0), random.vector(1.0));
    if definite { m.transpose() * m } else { m + m.transpose() }
}

/// Multiply and Cholesky solves, for scalars or blocks.
fn definite<B: Block>(random: &mut Random, mut weight: impl FnMut(&mut Random) -> B) {
    for (n, edges) in graphs(random) {
        let masses: Vec<f64> = (0..n).map(|_| random.magnitude(0.1, 1.0)).collect();
        let (a, dense) = matrix(n, &edges, || weight(random), |i| masses[i]);
        let x = vectors(random, n);
        let mut y = vectors(random, n);
        a.multiply(&x, &mut y);
        let expected: Vec<f64> =
            dense.iter().map(|row| row.iter().zip(flat(&x)).map(|(a, x)| a * x).sum()).collect();
        assert!(apart(&y, &expected) < 1e-12, "n {n}: product");

        let mut factor =
            Cholesky::new::<B>(&a.pattern, &Sequence::new(&a.pattern)).expect("memory for a small matrix");
        for shift in [0.0, 2.5] {
            let mut shifted = dense.clone();
            (0..3 * n).for_each(|i| shifted[i][i] += shift * masses[i / 3]);
            assert_eq!(factor.factor(&a, shift, &masses), Ok(()));
            y.copy_from_slice(&x);
            factor.solve(&mut y);
            let error = apart(&y, &solve(&shifted, &flat(&x)));
            assert!(error < 1e-11, "n {n}, shift {shift}: Cholesky {error:e}");
        }
        assert!(factor.fill() >= n * B::SIZE);
        assert_eq!(factor.factor_signed(&a), Ok(()));
        y.copy_from_slice(&x);
        factor.solve(&mut y);
        assert!(apart(&y, &solve(&dense, &flat(&x))) < 1e-11, "n {n}: signed factor");
    }
}

#[test]
fn scalar_matrices() {
    definite(&mut Random(41), |random| random.magnitude(0.1, 10.0));
}

#[test]
fn block_matrices() {
    definite(&mut Random(42), |random| block(random, true));
}

/// Cholesky refuses exactly what is not definite; the signed factor solves it all the same.
#[test]
fn indefinite_matrices() {
    let mut random = Random(43);
    let (mut refused, mut accepted) = (0, 0);
    for (n, edges) in graphs(&mut random).into_iter().chain(graphs(&mut random)) {
        let size = random.range(0.5, 8.0);
        let (a, dense) = matrix(n, &edges, || block(&mut random, false), |_| size);
        let mut factor = Cholesky::new::<DMat3>(&a.pattern, &Sequence::new(&a.pattern))
            .expect("memory for a small matrix");
        let expected = if is_definite(&dense) { Ok(()) } else { Err(Indefinite) };
        assert_eq!(factor.factor(&a, 0.0, &[]), expected);
        refused += usize::from(expected.is_err());
        accepted += usize::from(expected.is_ok());
        assert_eq!(factor.factor_signed(&a), Ok(()));
        let b = vectors(&mut random, n);
        let mut x = b.clone();
        factor.solve(&mut x);
        // No pivoting: judged by the residual of the system, allowing for growth.
        let mut product = x.clone();
        a.multiply(&x, &mut product);
        let scale = x.iter().map(|x| x.length()).fold(1.0, f64::max);
        assert!(apart(&product, &flat(&b)) < 1e-8 * scale, "n {n}");
        // After a refusal the factor can be used again.
        assert_eq!(factor.factor(&a, 1e3, &vec![1.0; n]), Ok(()));
    }
    assert!(refused > 20 && accepted > 20, "{refused} {accepted}");
}

#[test]
fn not_a_number_is_refused() {
    let (mut a, _) = matrix(3, &[[0, 1], [1, 2]], || 1.0, |_| 1.0);
    let mut factor =
        Cholesky::new::<f64>(&a.pattern, &Sequence::new(&a.pattern)).expect("memory for a small matrix");
    for bad in [f64::NAN, f64::INFINITY] {
        a.upper[0] = bad;
        assert_eq!(factor.factor(&a, 0.0, &[]), Err(Indefinite));
    }
}

#[test]
fn conjugate_gradients() {
    let mut random = Random(44);
    let mut negative = 0;
    for (n, edges) in graphs(&mut random) {
        let (a, dense) = matrix(n, &edges, || block(&mut random, true), |_| 1.0);
        let b = vectors(&mut random, n);
        let (mut pcg, mut x) = (Pcg::new(n), vectors(&mut random, n));
        let jacobi = |r: &[DVec3], z: &mut [DVec3]| {
            z.iter_mut().zip(r).zip(&a.diagonal).for_each(|((z, &r), d)| *z = d.inverse() * r);
        };
        let (outcome, products) = pcg.solve(|x, y| a.multiply(x, y), jacobi, &b, &mut x, 1e-13, 6 * n + 1);
        assert_eq!(outcome, PcgOutcome::Converged, "n {n}");
        assert!(products <= 6 * n && (products > 0) == (n > 0));
        assert!(apart(&x, &solve(&dense, &flat(&b))) < 1e-10, "n {n}");
        let zeros = vec![DVec3::ZERO; n];
        assert_eq!(
            pcg.solve(|x, y| a.multiply(x, y), jacobi, &zeros, &mut x, 1e-13, 9),
            (PcgOutcome::Converged, 0)
        );
        assert!(x.iter().all(|&x| x == DVec3::ZERO));

        // Whatever reports negative curvature is indefinite.
        let (a, dense) = matrix(n, &edges, || block(&mut random, false), |_| 2.0);
        let plain = |r: &[DVec3], z: &mut [DVec3]| z.copy_from_slice(r);
        let (outcome, _) = pcg.solve(|x, y| a.multiply(x, y), plain, &b, &mut x, 1e-12, 100 * n + 1);
        if outcome == PcgOutcome::NegativeCurvature {
            negative += 1;
            assert!(!is_definite(&dense), "n {n}");
        }
    }
    assert!(negative > 10, "{negative}");
}

/// Components by brute force: spread labels until nothing changes.
#[test]
fn components() {
    let mut random = Random(45);
    for (n, edges) in graphs(&mut random) {
        let mut label: Vec<usize> = (0..n).collect();
        for _ in 0..n {
            for [a, b] in edges.iter().map(|e| e.map(|v| v as usize)) {
                let least = label[a].min(label[b]);
                (label[a], label[b]) = (least, least);
            }
        }
        let mut first = label.clone();
        first.sort_unstable();
        first.dedup();
        let parts = Components::new(n, edges.iter().copied());
        assert_eq!(parts.count, first.len());
        for (&part, l) in parts.of.iter().zip(&label) {
            assert_eq!(part as usize, first.binary_search(l).expect("a label in use"));
        }
        let backwards = Components::new(n, edges.iter().rev().map(|&[a, b]| [b, a]));
        assert_eq!(parts, backwards, "numbering does not depend on the order of edges");
    }
}
