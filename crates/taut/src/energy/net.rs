//! The elastic gradient, laid out for the loops that compute it.
//!
//! A spring pulls its ends with `k (p − d) = w p`, `w = k (1 − r/‖p‖)`, so the local step and the gradient are two
//! passes: the weights w of all springs, four at a time, then for every row the sum `Σ w (x_i − x_j)` over its
//! springs, in their order. The first pass has nothing to add up and the second nothing to share: both can be cut
//! anywhere, and any number of threads gives the same bits. (One pass that pulls at both ends of each spring is
//! as fast on one core, in any order of the springs, and cannot be cut.)
//!
//! Springs without length have no `w p` (their d takes its direction from elsewhere); they, and others beyond the
//! range of plain arithmetic, are listed for the caller.

use super::{Rows, weight};
use crate::linear::{Kernel, Real, Simd, Wide, Work, run};
use crate::threads::in_chunks;
use crate::{Model, Spring, SpringKind};
use glam::DVec3;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

type Row = Wide<[f64; 4]>;

/// Four springs; the last may be filled up with springs without stiffness.
#[derive(Debug, Clone, Copy)]
struct Four {
    ends: [[u32; 4]; 2],
    stiffness: Row,
    rest_length: Row,
}

/// How four springs are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Law {
    /// All push and pull.
    Linear,
    /// All only pull.
    ExtensionOnly,
    /// Each in its own way.
    Own,
}

/// One end of a spring, seen from a row.
#[derive(Debug, Clone, Copy)]
struct Link {
    other: u32,
    spring: u32,
}

/// The springs of a model for the rows of its free particles.
#[derive(Debug, Clone, Default)]
pub(super) struct Net {
    springs: Vec<Four>,
    laws: Vec<Law>,
    /// Four for each of those.
    weights: Vec<f64>,
    first_link: Vec<u32>,
    links: Vec<Link>,
    x: Vec<Row>,
    /// Springs whose force is not w p, in order.
    pub odd: Vec<u32>,
    threads: bool,
}

impl Net {
    pub fn new(model: &Model, rows: &Rows, threads: bool) -> Self {
        let springs: Vec<Four> = model.springs.chunks(4).map(four).collect();
        let both = |(i, spring): (u32, &Spring)| {
            let [a, b] = spring.ends;
            [(rows.of[a as usize], b, i), (rows.of[b as usize], a, i)]
        };
        let ends = || (0u32..).zip(&model.springs).flat_map(both).filter(|&(row, ..)| row != Rows::NONE);
        let mut first_link = vec![0u32; rows.len() + 1];
        ends().for_each(|(row, ..)| first_link[row as usize + 1] += 1);
        (0..rows.len()).for_each(|row| first_link[row + 1] += first_link[row]);
        let mut next = first_link.clone();
        let mut links = vec![Link { other: 0, spring: 0 }; first_link[rows.len()] as usize];
        for (row, other, spring) in ends() {
            let at = &mut next[row as usize];
            links[*at as usize] = Link { other, spring };
            *at += 1;
        }
        Net {
            laws: model.springs.chunks(4).map(law).collect(),
            weights: vec![0.0; 4 * springs.len()],
            odd: Vec::with_capacity(model.springs.len()),
            x: vec![Row::default(); model.particles()],
            springs,
            first_link,
            links,
            threads,
        }
    }

    /// `gradient[row] = m (x_i − ŷ_i) + h² Σ w (x_i − x_j)`.
    pub fn gradient(
        &mut self,
        model: &Model,
        rows: &Rows,
        x: &[DVec3],
        target: &[DVec3],
        h2: f64,
        gradient: &mut [DVec3],
    ) {
        let Net { springs, laws, weights, first_link, links, x: own, odd, threads } = self;
        let kernel = Kernel::detected();
        own.iter_mut().zip(x).for_each(|(own, &x)| *own = f64::lanes(x));
        let (own, some_odd) = (&own[..], AtomicBool::new(false));
        in_chunks(*threads, springs, weights.as_chunks_mut().0, |first, fours, weights| {
            let (springs, laws) = (&model.springs[4 * first..], &laws[first..]);
            if run(kernel, Weigh { springs, laws, fours, x: own, weights }) {
                some_odd.store(true, Relaxed);
            }
        });
        odd.clear();
        if some_odd.into_inner() {
            take_odd(weights, odd);
        }
        let (weights, links) = (&weights[..], &links[..]);
        in_chunks(*threads, &rows.particles, gradient, |first, particles, gradient| {
            let first_link = &first_link[first..];
            run(kernel, Pull { model, particles, first_link, links, weights, x: own, target, h2, gradient });
        });
    }
}

fn four(springs: &[Spring]) -> Four {
    let spring = |i: usize| springs.get(i).unwrap_or(&springs[0]);
    Four {
        ends: [0, 1].map(|end| std::array::from_fn(|i| spring(i).ends[end])),
        stiffness: Wide(std::array::from_fn(|i| springs.get(i).map_or(0.0, |s| s.stiffness))),
        rest_length: Wide(std::array::from_fn(|i| spring(i).rest_length)),
    }
}

fn law(springs: &[Spring]) -> Law {
    let all = |kind| springs.iter().all(|s| s.kind == kind);
    if all(SpringKind::Linear) {
        Law::Linear
    } else if all(SpringKind::ExtensionOnly) {
        Law::ExtensionOnly
    } else {
        Law::Own
    }
}

/// A weight that is not a number marks an odd spring: note it, and give it no weight.
#[cold]
fn take_odd(weights: &mut [f64], odd: &mut Vec<u32>) {
    for (i, w) in (0u32..).zip(weights).filter(|(_, w)| w.is_nan()) {
        odd.push(i);
        *w = 0.0;
    }
}

/// The weights of some springs, not a number where there is none. Returns whether there is such a one.
struct Weigh<'a> {
    springs: &'a [Spring],
    laws: &'a [Law],
    fours: &'a [Four],
    x: &'a [Row],
    weights: &'a mut [[f64; 4]],
}

impl Work<f64> for Weigh<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> bool {
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let mut odd = false;
        let fours = self.fours.iter().zip(self.laws).zip(self.weights);
        for (k, ((four, &law), weights)) in fours.enumerate() {
            let [x, y, z] = V::differences(self.x, &four.ends[0], &four.ends[1]);
            let squared = V::add(V::add(V::multiply(x, x), V::multiply(y, y)), V::multiply(z, z));
            if law == Law::Own || !V::all_normal(squared) {
                odd |= one_by_one(&self.springs[4 * k..], self.x, weights);
                continue;
            }
            let ratio = V::divide(V::load(&four.rest_length), V::sqrt(squared));
            let mut stretch = V::subtract(one, ratio);
            if law == Law::ExtensionOnly {
                stretch = V::max(stretch, zero);
            }
            *weights = V::store(V::multiply(V::load(&four.stiffness), stretch)).0;
        }
        odd
    }
}

/// As above without vectors, for springs that plain arithmetic cannot weigh.
#[cold]
fn one_by_one(springs: &[Spring], x: &[Row], weights: &mut [f64; 4]) -> bool {
    *weights = [0.0; 4];
    for (w, spring) in weights.iter_mut().zip(springs) {
        let (a, b) = spring.ab();
        *w = weight(spring, f64::point(&x[a]) - f64::point(&x[b])).unwrap_or(f64::NAN);
    }
    weights.iter().any(|w| w.is_nan())
}

/// The gradient of some rows.
struct Pull<'a> {
    model: &'a Model,
    particles: &'a [u32],
    first_link: &'a [u32],
    links: &'a [Link],
    weights: &'a [f64],
    x: &'a [Row],
    target: &'a [DVec3],
    h2: f64,
    gradient: &'a mut [DVec3],
}

impl Work<f64> for Pull<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let Pull { model, particles, first_link, links, weights, x, target, h2, gradient } = self;
        for (k, (&i, gradient)) in particles.iter().zip(gradient).enumerate() {
            let i = i as usize;
            let own = V::load(&x[i]);
            // Two sums, each of which waits for itself half as often.
            let mut sums = [V::splat(0.0); 2];
            let (pairs, last) = links[first_link[k] as usize..first_link[k + 1] as usize].as_chunks::<2>();
            for [a, b] in pairs {
                let p = V::subtract(own, V::load(&x[a.other as usize]));
                let q = V::subtract(own, V::load(&x[b.other as usize]));
                sums[0] = V::multiply_add(V::splat(weights[a.spring as usize]), p, sums[0]);
                sums[1] = V::multiply_add(V::splat(weights[b.spring as usize]), q, sums[1]);
            }
            if let Some(a) = last.first() {
                let p = V::subtract(own, V::load(&x[a.other as usize]));
                sums[0] = V::multiply_add(V::splat(weights[a.spring as usize]), p, sums[0]);
            }
            let pull = f64::point(&V::store(V::add(sums[0], sums[1])));
            *gradient = model.masses[i] * (f64::point(&x[i]) - target[i]) + h2 * pull;
        }
    }
}
