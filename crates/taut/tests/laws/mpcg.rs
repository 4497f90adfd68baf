//! Conjugate gradients under constraints against a dense solve of the projected problem.

use crate::common::Random;
use taut::DVec3;
use taut::linear::{Accuracy, Constrained, Effort, Mpcg, Pattern, Preconditioner, Projection, Symmetric};

const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];
const PRECONDITIONERS: [Preconditioner; 3] =
    [Preconditioner::None, Preconditioner::Block, Preconditioner::Modified];

struct System {
    matrix: Symmetric<glam::DMat3>,
    right: Vec<DVec3>,
    prescribed: Vec<DVec3>,
    projections: Vec<Projection>,
}

impl System {
    /// Springs of random stiffness on a random graph of `n` rows in `blocks` unconnected parts, unequal masses.
    fn random(
        random: &mut Random,
        n: usize,
        blocks: usize,
        projection: impl Fn(&mut Random) -> Projection,
    ) -> Self {
        let part = n / blocks;
        let mut edges = Vec::new();
        for i in (0..n).filter(|i| i % part > 0) {
            let first = i / part * part;
            edges.push([i as u32 - 1, i as u32]);
            edges.push([first as u32 + (random.bits() as usize % (i - first)) as u32, i as u32]);
        }
        let (pattern, slots) = Pattern::new(n, edges.iter().copied());
        let mut matrix = Symmetric::zeros(pattern);
        for d in &mut matrix.diagonal {
            *d = glam::DMat3::from_diagonal(DVec3::splat(random.magnitude(0.1, 10.0)));
        }
        for (edge, slot) in edges.iter().zip(slots) {
            let u = random.vector(1.0).normalize();
            let outer = glam::DMat3::from_cols(u * u.x, u * u.y, u * u.z);
            let block = random.magnitude(1.0, 100.0) * (outer + 0.1 * glam::DMat3::IDENTITY);
            edge.iter().for_each(|&i| matrix.diagonal[i as usize] += block);
            matrix.upper[slot as usize] -= block;
        }
        let mut vectors = || (0..n).map(|_| random.vector(1.0)).collect::<Vec<_>>();
        let (right, prescribed) = (vectors(), vectors());
        let projections = (0..n).map(|_| projection(random)).collect();
        System { matrix, right, prescribed, projections }
    }

    fn solve(&self, ends: &[u32], guess: &[DVec3], preconditioner: Preconditioner) -> (Vec<DVec3>, Effort) {
        let mut x = guess.to_vec();
        let system = Constrained {
            matrix: &self.matrix,
            right: &self.right,
            projections: &self.projections,
            prescribed: &self.prescribed,
        };
        let accuracy = Accuracy { preconditioner, tolerance: 1e-14, limit: 10_000 };
        let effort = Mpcg::default().solve(system, ends, &mut x, accuracy);
        (x, effort)
    }

    /// `(S A S + I − S) u = S (b − A (I − S) z)`, x = u + (I − S) z, by Gaussian elimination.
    fn dense(&self) -> Vec<DVec3> {
        let n = self.right.len();
        let column = |v: &[DVec3]| {
            let mut out = vec![DVec3::ZERO; n];
            self.matrix.multiply(v, &mut out);
            out
        };
        let apply = |v: Vec<DVec3>| -> Vec<DVec3> {
            v.iter().zip(&self.projections).map(|(v, s)| s.apply(*v)).collect()
        };
        let outside: Vec<DVec3> =
            self.prescribed.iter().zip(&self.projections).map(|(z, s)| s.complement(*z)).collect();
        let pushed = column(&outside);
        let right = apply(self.right.iter().zip(&pushed).map(|(b, p)| *b - *p).collect());
        let mut a = vec![vec![0.0; 3 * n + 1]; 3 * n];
        for i in 0..n {
            for (axis, &e) in AXES.iter().enumerate() {
                let mut unit = vec![DVec3::ZERO; n];
                unit[i] = self.projections[i].apply(e);
                let mut inside = apply(column(&unit));
                inside[i] += self.projections[i].complement(e);
                for (j, v) in inside.iter().enumerate() {
                    (0..3).for_each(|k| a[3 * j + k][3 * i + axis] = v[k]);
                }
                a[3 * i + axis][3 * n] = right[i][axis];
            }
        }
        eliminate(&mut a).iter().zip(outside).map(|(u, z)| *u + z).collect()
    }
}

fn eliminate(a: &mut [Vec<f64>]) -> Vec<DVec3> {
    let n = a.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        let row = a[k].clone();
        for other in a[k + 1..].iter_mut() {
            let factor = other[k] / row[k];
            (k..=n).for_each(|j| other[j] -= factor * row[j]);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (a[k][n] - known) / a[k][k];
    }
    x.chunks(3).map(DVec3::from_slice).collect()
}

/// None, one, two or three degrees of freedom, in random directions.
fn oblique(random: &mut Random) -> Projection {
    let unit = random.vector(1.0).normalize();
    match random.bits() % 4 {
        0 => Projection::Free,
        1 => Projection::Plane(unit),
        2 => Projection::Line(unit),
        _ => Projection::Fixed,
    }
}

fn straight(random: &mut Random) -> Projection {
    let axis = AXES[random.bits() as usize % 3] * if random.bits().is_multiple_of(2) { 1.0 } else { -1.0 };
    match random.bits() % 4 {
        0 => Projection::Free,
        1 => Projection::Plane(axis),
        2 => Projection::Line(axis),
        _ => Projection::Fixed,
    }
}

fn error(a: &[DVec3], b: &[DVec3]) -> f64 {
    let size = b.iter().map(|b| b.length()).fold(0.0, f64::max);
    crate::common::distance(a, b) / size
}

#[test]
fn it_equals_a_dense_projected_solve() {
    let mut random = Random(21);
    let mut worst = 0.0f64;
    for case in 0..40 {
        let system = System::random(&mut random, 24, 1, if case % 2 == 0 { oblique } else { straight });
        let dense = system.dense();
        let guess: Vec<DVec3> =
            (0..24).map(|_| random.vector(if case % 3 == 0 { 0.0 } else { 1.0 })).collect();
        for preconditioner in PRECONDITIONERS {
            let (x, effort) = system.solve(&[24], &guess, preconditioner);
            assert_eq!(effort.unfinished, 0);
            worst = worst.max(error(&x, &dense));
            assert!(error(&x, &dense) < 1e-10, "{preconditioner:?}: {:e}", error(&x, &dense));
        }
    }
    println!("worst {worst:e}");
}

#[test]
fn constraints_hold_exactly_along_axes_and_to_eight_ulp_in_any_direction() {
    let mut random = Random(22);
    let mut worst = 0.0f64;
    for _ in 0..40 {
        for (kind, exact) in [(oblique as fn(&mut Random) -> Projection, false), (straight, true)] {
            let system = System::random(&mut random, 24, 1, kind);
            for preconditioner in PRECONDITIONERS {
                let (x, _) = system.solve(&[24], &vec![DVec3::splat(0.3); 24], preconditioner);
                for ((&x, &z), s) in x.iter().zip(&system.prescribed).zip(&system.projections) {
                    let missed = (s.complement(x) - s.complement(z)).abs().max_element();
                    if exact || *s == Projection::Fixed {
                        assert_eq!(missed, 0.0, "{s:?}");
                    }
                    // One ulp of the longer of the two vectors.
                    let ulp = f64::EPSILON * x.length().max(z.length()) / 2.0;
                    worst = worst.max(missed / ulp);
                }
            }
        }
    }
    println!("worst {worst} ulp");
    assert!(worst <= 8.0, "{worst} ulp");
}

#[test]
fn blocks_on_their_own_give_the_same_answer_with_fewer_rows() {
    let mut random = Random(23);
    for _ in 0..10 {
        let system = System::random(&mut random, 60, 4, oblique);
        let zeros = vec![DVec3::ZERO; 60];
        for preconditioner in PRECONDITIONERS {
            let (whole, together) = system.solve(&[60], &zeros, preconditioner);
            let (parts, apart) = system.solve(&[15, 30, 45, 60], &zeros, preconditioner);
            assert!(error(&parts, &whole) < 1e-12, "{:e}", error(&parts, &whole));
            assert!(apart.rows <= together.rows, "{apart:?} {together:?}");
        }
    }
}

/// Where particles have two degrees of freedom P must pay, against nothing and against C.
#[test]
fn the_modified_preconditioner_needs_the_fewest_iterations_under_constraints() {
    let mut random = Random(24);
    let planes = |random: &mut Random| Projection::Plane(random.vector(1.0).normalize());
    let system = System::random(&mut random, 400, 1, planes);
    let zeros = vec![DVec3::ZERO; 400];
    let [none, block, modified] = PRECONDITIONERS.map(|p| system.solve(&[400], &zeros, p).1.iterations);
    println!("none {none}, block {block}, modified {modified}");
    assert!(modified < none && modified < block, "{none} {block} {modified}");
}

#[test]
fn a_good_guess_saves_work_and_a_bad_one_costs_one_product() {
    let mut random = Random(25);
    let system = System::random(&mut random, 60, 1, oblique);
    let (x, cold) = system.solve(&[60], &vec![DVec3::ZERO; 60], Preconditioner::Modified);
    let near: Vec<DVec3> = x.iter().map(|x| *x + random.vector(1e-6)).collect();
    let (_, warm) = system.solve(&[60], &near, Preconditioner::Modified);
    assert!(warm.iterations < cold.iterations, "{warm:?} {cold:?}");
    let far: Vec<DVec3> = x.iter().map(|x| *x + random.vector(1e9)).collect();
    let (_, bad) = system.solve(&[60], &far, Preconditioner::Modified);
    assert!(bad.iterations == cold.iterations && bad.rows == cold.rows + 60, "{bad:?} {cold:?}");
}
