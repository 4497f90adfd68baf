//! Order, analysis and numbers made one by one: an order restricted to some rows is as good as a fresh one, new values
//! in an old factor give what a new factor gives, and no number of threads changes a bit.

use super::*;
use crate::random::Random;
use glam::DMat3;

const NONE: u32 = u32::MAX;

/// Which vertices are pinned.
type Pinned = fn(usize) -> bool;

/// The graph without some vertices: its pattern, and the row of each vertex.
fn without(pattern: &Pattern, pinned: impl Fn(usize) -> bool) -> (Pattern, Vec<u32>) {
    let mut count = 0;
    let mut number = |v: usize| {
        count += u32::from(!pinned(v));
        if pinned(v) { NONE } else { count - 1 }
    };
    let row_of: Vec<u32> = (0..pattern.size()).map(&mut number).collect();
    let edges =
        (0..pattern.size()).flat_map(|j| pattern.rows[pattern.column(j)].iter().map(move |&i| [i, j as u32]));
    let kept = edges.map(|edge| edge.map(|v| row_of[v as usize])).filter(|edge| !edge.contains(&NONE));
    let kept: Vec<[u32; 2]> = kept.collect();
    (Pattern::new(count as usize, kept.into_iter()).0, row_of)
}

#[test]
fn restricted_orders_solve_as_exactly_as_fresh_ones() {
    for (name, whole) in graphs() {
        let sequence = Sequence::new(&whole);
        let pinned: [(&str, Pinned); 4] =
            [("none", |_| false), ("some", |v| v % 7 == 3), ("many", |v| v % 5 != 1), ("all", |_| true)];
        for (pins, pinned) in pinned {
            let (pattern, row_of) = without(&whole, pinned);
            let a = matrix(&pattern, 100.0);
            let b = right_hand_side(pattern.size());
            let exact = dense_solve(&a, &b);
            let error = |x: &[DVec3]| difference(x, &exact) / largest(&exact).max(1e-300);
            for order in [sequence.restricted(&row_of), Sequence::new(&pattern)] {
                let symbolic = Symbolic::new(&pattern, &order);
                for (precision, tolerance) in [(Precision::Double, 1e-12), (Precision::Single, 1e-5)] {
                    let mut factor = Factor::new(&symbolic, &a, precision).unwrap();
                    let error = error(&solved(&mut factor, &b));
                    assert!(error < tolerance, "{name}, {pins} pinned, {precision:?}: {error:e}");
                }
                let mut x = b.clone();
                let mut cholesky = Cholesky::new::<f64>(&pattern, &order).unwrap();
                cholesky.factor(&a, 0.0, &[]).unwrap();
                cholesky.solve(&mut x);
                assert!(error(&x) < 1e-12, "{name}, {pins} pinned: {:e}", error(&x));
                let mut blocks = Symmetric::<DMat3>::zeros(pattern.clone());
                let isotropic = |s: &f64| DMat3::from_diagonal(DVec3::splat(*s));
                blocks.diagonal = a.diagonal.iter().map(isotropic).collect();
                blocks.upper = a.upper.iter().map(isotropic).collect();
                x.copy_from_slice(&b);
                let mut cholesky = Cholesky::new::<DMat3>(&pattern, &order).unwrap();
                cholesky.factor(&blocks, 0.0, &[]).unwrap();
                cholesky.solve(&mut x);
                assert!(error(&x) < 1e-12, "{name}, {pins} pinned, blocks: {:e}", error(&x));
            }
        }
    }
}

#[test]
fn a_restricted_order_has_hardly_more_fill() {
    let whole = cloth(81);
    let (pattern, row_of) = without(&whole, |v| v == 0 || v == 80);
    let fill = |order: Sequence| Elimination::new(&pattern, order.as_slice()).fill() as f64;
    let (fresh, restricted) =
        (fill(Sequence::new(&pattern)), fill(Sequence::new(&whole).restricted(&row_of)));
    println!("fill {restricted} / {fresh}");
    assert!(restricted <= 1.05 * fresh, "{restricted} against {fresh}");
}

#[test]
fn new_values_in_an_old_factor_give_the_bits_of_a_new_one() {
    for side in [1, 40, 90] {
        let first = matrix(&cloth(side), 1e3);
        let mut second = first.clone();
        let mut random = Random(9);
        second.diagonal.iter_mut().for_each(|d| *d *= 3.0 + random.signed());
        let mut indefinite = first.clone();
        *indefinite.diagonal.last_mut().unwrap() = -1.0;
        let (symbolic, b) = (analysed(&first), right_hand_side(first.diagonal.len()));
        for precision in [Precision::Double, Precision::Single] {
            let expected = solved(&mut Factor::new(&symbolic, &second, precision).unwrap(), &b);
            let mut factor = Factor::new(&symbolic, &first, precision).unwrap();
            assert!(solved(&mut factor, &b) != expected);
            assert_eq!(factor.refactor(&second), Ok(()));
            assert!(solved(&mut factor, &b) == expected, "{side} {precision:?}");
            assert_eq!(factor.refactor(&indefinite), Err(Unfactored::Indefinite));
            assert!(solved(&mut factor, &b).iter().all(|x| x.is_nan()), "{side} {precision:?}");
            assert_eq!(factor.refactor(&second), Ok(()));
            assert!(solved(&mut factor, &b) == expected, "{side} {precision:?}");
        }
    }
}

#[test]
#[should_panic = "pattern that was analysed"]
fn another_pattern_is_refused() {
    // As many rows and as many edges, one of them elsewhere.
    let [path, star] = [[[0, 1], [1, 2]], [[0, 1], [0, 2]]].map(|edges| Pattern::new(3, edges.into_iter()).0);
    let symbolic = analysed(&matrix(&path, 10.0));
    let _ = Factor::new(&symbolic, &matrix(&star, 10.0), Precision::Double);
}

/// Large enough to be cut into parts as users get them: orders, factors and solutions are the same bits for any number
/// of threads, and without any fork.
#[cfg(feature = "threads")]
#[test]
fn as_shipped_no_number_of_threads_changes_a_bit() {
    let a = matrix(&cloth(110), 1e3);
    let b = right_hand_side(a.diagonal.len());
    for precision in [Precision::Double, Precision::Single] {
        let solve = || {
            let symbolic = Symbolic::new(&a.pattern, &Sequence::new(&a.pattern));
            assert!(symbolic.parts() > 4, "{} parts", symbolic.parts());
            solved(&mut Factor::new(&symbolic, &a, precision).unwrap(), &b)
        };
        let serial = crate::threads::serially(solve);
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(solve) == serial, "{threads} threads, {precision:?}");
        }
    }
}
