//! Sums of four vertices each along a direction, four at a time, and the same the other way.
//!
//! A tie has four vertices i, weights w and a normal n. For points x by vertex it gives
//!
//! ```text
//! of every tie      n·Σ wᵢ xᵢ            Ties::along
//! of every vertex   xᵢ += wᵢ f n, over all ties, in their order, for amounts f by tie      Ties::spread
//! ```
//!
//! Indices are checked when a tie is added, not in every pass. [`points`] is for passes that are made once.
#![expect(unsafe_code, reason = "indices that were checked once are not checked again in every pass")]

use super::simd::{Four, Real, Simd};

/// Some ties between points.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ties {
    fours: Vec<FourTies>,
    count: usize,
    size: usize,
}

/// Four ties, one per lane: their first vertices, their second, …
#[derive(Debug, Clone, Copy, Default)]
struct FourTies {
    vertices: [[u32; 4]; 4],
    weights: [Four; 4],
    normal: [Four; 3],
}

impl Ties {
    /// No ties, for lists of `size` points.
    pub fn clear(&mut self, size: usize) {
        self.fours.clear();
        (self.count, self.size) = (0, size);
    }

    /// Add one. Lanes that are left over have no weight.
    pub fn push(&mut self, vertices: [u32; 4], weights: [f64; 4], normal: [f64; 3]) {
        assert!(vertices.iter().all(|&i| (i as usize) < self.size), "vertices that have points");
        let lane = self.count % 4;
        if lane == 0 {
            self.fours.push(FourTies::default());
        }
        self.count += 1;
        let Some(four) = self.fours.last_mut() else { return };
        for k in 0..4 {
            four.vertices[k][lane] = vertices[k];
            four.weights[k].0[lane] = weights[k];
        }
        for (of_four, coordinate) in four.normal.iter_mut().zip(normal) {
            of_four.0[lane] = coordinate;
        }
    }

    /// n·Σ w x of the k-th four.
    #[inline(always)]
    pub fn along<V: Simd<f64>>(&self, k: usize, x: &[Four]) -> V::Vector {
        assert_eq!(x.len(), self.size, "as many points as these ties were made for");
        let FourTies { vertices, weights, normal } = &self.fours[k];
        let mut sum = [V::splat(0.0); 3];
        for i in 0..4 {
            // SAFETY: `push` has checked the vertices against the size, which x has.
            let point = unsafe { V::gather(x, &vertices[i]) };
            let weight = V::load(&weights[i]);
            for l in 0..3 {
                sum[l] = V::multiply_add(weight, point[l], sum[l]);
            }
        }
        V::dot(sum, [V::load(&normal[0]), V::load(&normal[1]), V::load(&normal[2])])
    }

    /// x += w f n at the vertices of the k-th four, for its amounts f.
    #[inline(always)]
    pub fn spread<V: Simd<f64>>(&self, k: usize, amounts: V::Vector, x: &mut [Four]) {
        assert_eq!(x.len(), self.size, "as many points as these ties were made for");
        let FourTies { vertices, weights, normal } = &self.fours[k];
        let mut along = [amounts; 3];
        for l in 0..3 {
            along[l] = V::multiply(V::load(&normal[l]), amounts);
        }
        for i in 0..4 {
            let weight = V::load(&weights[i]);
            let moves =
                [V::multiply(weight, along[0]), V::multiply(weight, along[1]), V::multiply(weight, along[2])];
            // SAFETY: as above.
            unsafe { V::add_to(moves, x, &vertices[i]) };
        }
    }
}

/// The points of x with these indices: their x, y and z, one point per lane.
#[inline(always)]
pub(crate) fn points<T: Real, V: Simd<T>>(x: &[T::Lanes], indices: &T::Rows) -> [V::Vector; 3] {
    assert!(indices.as_ref().iter().all(|&i| (i as usize) < x.len()), "indices of points");
    // SAFETY: checked just now.
    unsafe { V::gather(x, indices) }
}

#[cfg(test)]
mod tests {
    use super::super::{Kernel, Wide, Work, run};
    use super::*;

    struct Both<'a>(&'a Ties, &'a [Four], &'a mut [Four]);

    impl Work<f64> for Both<'_> {
        type Output = Vec<f64>;
        #[inline(always)]
        fn run<V: Simd<f64>, const FUSED: bool>(self) -> Vec<f64> {
            let Both(ties, x, out) = self;
            let mut found = Vec::new();
            for k in 0..ties.fours.len() {
                let along = ties.along::<V>(k, x);
                ties.spread::<V>(k, along, out);
                found.extend(V::store(along).0);
            }
            found
        }
    }

    #[test]
    fn sums_and_their_transpose_are_those_of_one_tie_after_another() {
        let x: Vec<Four> = (0..9).map(|i| Wide([f64::from(i), 1.0, f64::from(i * i), 0.0])).collect();
        let of = |i: u32| [i % 9, (i * 2 + 1) % 9, (i + 4) % 9, (i * 5 + 3) % 9];
        let weights = [1.0, -0.25, -0.25, -0.5];
        let normal = |i: u32| [0.5, f64::from(i), -2.0];
        for count in [1, 4, 7] {
            let mut ties = Ties::default();
            ties.clear(x.len());
            (0..count).for_each(|i| ties.push(of(i), weights, normal(i)));
            let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            // Small integers and powers of two: nothing is rounded.
            let along = |i: u32| -> f64 {
                (0..4).map(|k| weights[k] * dot(normal(i), f64::xyz(&x[of(i)[k] as usize]))).sum()
            };
            let mut expected = vec![[0.0; 3]; x.len()];
            for i in 0..count {
                for k in 0..4 {
                    let at = &mut expected[of(i)[k] as usize];
                    (0..3).for_each(|l| at[l] += weights[k] * along(i) * normal(i)[l]);
                }
            }
            for kernel in Kernel::available() {
                let mut out = vec![Four::default(); x.len()];
                let found = run(kernel, Both(&ties, &x, &mut out));
                assert!((0..count).all(|i| found[i as usize] == along(i)), "{kernel:?}");
                assert_eq!(out.iter().map(f64::xyz).collect::<Vec<_>>(), expected, "{kernel:?}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "vertices that have points")]
    fn vertices_out_of_range_are_refused() {
        let mut ties = Ties::default();
        ties.clear(3);
        ties.push([0, 1, 2, 3], [0.0; 4], [0.0; 3]);
    }
}
