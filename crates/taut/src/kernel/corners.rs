//! Groups of N vertices, as the corners of triangles and tetrahedra, four groups at a time.
//!
//! Indices are checked when the groups are listed, not in every pass.
#![expect(unsafe_code, reason = "indices that were checked once are not checked again in every pass")]

use super::simd::{Four, Simd};

/// Some groups of vertices.
#[derive(Debug, Clone, Default)]
pub(crate) struct Corners<const N: usize> {
    /// Of four groups each: their first vertices, their second, …
    fours: Vec<[[u32; 4]; N]>,
    size: usize,
}

impl<const N: usize> Corners<N> {
    /// For lists of `size` points. If the last four has fewer than four groups, its first fills it up.
    pub fn new(groups: &[[u32; N]], size: usize) -> Self {
        assert!(groups.iter().flatten().all(|&i| (i as usize) < size), "vertices that have points");
        let four = |groups: &[[u32; N]]| {
            std::array::from_fn(|k| std::array::from_fn(|lane| groups.get(lane).unwrap_or(&groups[0])[k]))
        };
        Corners { fours: groups.chunks(4).map(four).collect(), size }
    }

    /// The points of the k-th four.
    #[inline(always)]
    pub fn at<V: Simd<f64>>(&self, k: usize, x: &[Four]) -> [[V::Vector; 3]; N] {
        assert_eq!(x.len(), self.size, "as many points as these groups were made for");
        let mut points = [[V::splat(0.0); 3]; N];
        for (point, rows) in points.iter_mut().zip(&self.fours[k]) {
            // SAFETY: `new` has checked the vertices against the size, which x has.
            *point = unsafe { V::gather(x, rows) };
        }
        points
    }

    /// Add a vector to every vertex of the k-th four, lane by lane.
    #[inline(always)]
    pub fn add<V: Simd<f64>>(&self, k: usize, vectors: &[[V::Vector; 3]; N], x: &mut [Four]) {
        assert_eq!(x.len(), self.size, "as many points as these groups were made for");
        for (rows, vector) in self.fours[k].iter().zip(vectors) {
            // SAFETY: as above.
            unsafe { V::add_to(*vector, x, rows) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kernel, Real, Wide, Work, run};
    use super::*;

    /// Adds the sum of each group to its first vertex, and takes it from its last.
    struct Sums<'a>(&'a Corners<3>, &'a [Four], &'a mut [Four]);

    impl Work<f64> for Sums<'_> {
        type Output = ();
        #[inline(always)]
        fn run<V: Simd<f64>, const FUSED: bool>(self) {
            let Sums(corners, x, out) = self;
            for k in 0..corners.fours.len() {
                let [a, b, c] = corners.at::<V>(k, x);
                let sum = [0, 1, 2].map(|l| V::add(a[l], V::add(b[l], c[l])));
                let none = [V::splat(0.0); 3];
                corners.add::<V>(k, &[sum, none, [0, 1, 2].map(|l| V::subtract(none[l], sum[l]))], out);
            }
        }
    }

    #[test]
    fn groups_find_their_points_and_add_to_them() {
        let x: Vec<Four> = (0..9).map(|i| Wide([f64::from(i), 1.0, f64::from(i * i), 0.0])).collect();
        let groups: Vec<[u32; 3]> = (0..8).map(|i| [i, (2 * i + 1) % 9, (i + 4) % 9]).collect();
        let mut expected = vec![[0.0; 3]; 9];
        for &[a, b, c] in &groups {
            let [p, q, r] = [a, b, c].map(|i| f64::xyz(&x[i as usize]));
            for l in 0..3 {
                expected[a as usize][l] += p[l] + q[l] + r[l];
                expected[c as usize][l] -= p[l] + q[l] + r[l];
            }
        }
        let corners = Corners::new(&groups, x.len());
        for kernel in Kernel::available() {
            let mut out = vec![Four::default(); x.len()];
            run(kernel, Sums(&corners, &x, &mut out));
            assert_eq!(out.iter().map(f64::xyz).collect::<Vec<_>>(), expected, "{kernel:?}");
        }
    }

    #[test]
    #[should_panic(expected = "vertices that have points")]
    fn vertices_out_of_range_are_refused() {
        Corners::new(&[[0, 1, 3]], 3);
    }
}
