//! Vectors as arrays, for any processor: the compiler uses what vector instructions it can. All indices are checked.
#![expect(unsafe_code, reason = "the trait has unsafe methods, because other vectors do not check indices")]

use super::{Half, Simd, Wide};

/// Arrays; a b + c is fused, that is rounded once, or not.
pub(crate) struct Portable<const FUSED: bool>;

macro_rules! portable {
    ($t:ty, $width:literal, $lanes:ident, $sum:expr) => {
        impl<const FUSED: bool> Simd<$t> for Portable<FUSED> {
            type Vector = [$t; $width];
            #[inline(always)]
            fn load(v: &Wide<[$t; $width]>) -> [$t; $width] {
                v.0
            }
            #[inline(always)]
            fn store(v: [$t; $width]) -> Wide<[$t; $width]> {
                Wide(v)
            }
            #[inline(always)]
            fn splat(v: $t) -> [$t; $width] {
                [v; $width]
            }
            #[inline(always)]
            fn point(xyz: &[$t; 3]) -> [$t; $width] {
                std::array::from_fn(|i| if i < 3 { xyz[i] } else { 0.0 })
            }
            #[inline(always)]
            fn multiply_add(a: [$t; $width], b: [$t; $width], c: [$t; $width]) -> [$t; $width] {
                let one = |i: usize| if FUSED { a[i].mul_add(b[i], c[i]) } else { a[i] * b[i] + c[i] };
                std::array::from_fn(one)
            }
            #[inline(always)]
            fn subtract(a: [$t; $width], b: [$t; $width]) -> [$t; $width] {
                std::array::from_fn(|i| a[i] - b[i])
            }
            #[inline(always)]
            fn multiply(a: [$t; $width], b: [$t; $width]) -> [$t; $width] {
                std::array::from_fn(|i| a[i] * b[i])
            }
            #[inline(always)]
            fn add(a: [$t; $width], b: [$t; $width]) -> [$t; $width] {
                std::array::from_fn(|i| a[i] + b[i])
            }
            #[inline(always)]
            fn divide(a: [$t; $width], b: [$t; $width]) -> [$t; $width] {
                std::array::from_fn(|i| a[i] / b[i])
            }
            #[inline(always)]
            fn sqrt(v: [$t; $width]) -> [$t; $width] {
                v.map(<$t>::sqrt)
            }
            #[inline(always)]
            fn max(a: [$t; $width], b: [$t; $width]) -> [$t; $width] {
                std::array::from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
            }
            #[inline(always)]
            fn min(a: [$t; $width], b: [$t; $width]) -> [$t; $width] {
                std::array::from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
            }
            #[inline(always)]
            fn where_positive(test: [$t; $width], v: [$t; $width]) -> [$t; $width] {
                std::array::from_fn(|i| if test[i] > 0.0 { v[i] } else { 0.0 })
            }
            #[inline(always)]
            fn select(test: [$t; $width], yes: [$t; $width], no: [$t; $width]) -> [$t; $width] {
                std::array::from_fn(|i| if test[i] > 0.0 { yes[i] } else { no[i] })
            }
            #[inline(always)]
            fn positive(v: [$t; $width]) -> u32 {
                (0..$width).fold(0, |bits, i| bits | u32::from(v[i] > 0.0) << i)
            }
            #[inline(always)]
            fn all_normal(v: [$t; $width]) -> bool {
                v.iter().all(|v| (<$t>::MIN_POSITIVE..=<$t>::MAX).contains(v))
            }
            #[inline(always)]
            unsafe fn gather(x: &[$lanes<[$t; 4]>], rows: &[u32; $width]) -> [[$t; $width]; 3] {
                std::array::from_fn(|l| std::array::from_fn(|i| x[rows[i] as usize].0[l]))
            }
            #[inline(always)]
            unsafe fn differences(
                x: &[$lanes<[$t; 4]>],
                from: &[u32; $width],
                less: &[u32; $width],
            ) -> [[$t; $width]; 3] {
                let one = |l: usize, i: usize| x[from[i] as usize].0[l] - x[less[i] as usize].0[l];
                std::array::from_fn(|l| std::array::from_fn(|i| one(l, i)))
            }
            #[inline(always)]
            unsafe fn add_to(v: [[$t; $width]; 3], x: &mut [$lanes<[$t; 4]>], rows: &[u32; $width]) {
                for (i, &row) in rows.iter().enumerate() {
                    let x = &mut x[row as usize].0;
                    (0..3).for_each(|l| x[l] += v[l][i]);
                }
            }
            #[inline(always)]
            fn sums(v: [[$t; $width]; 3]) -> $lanes<[$t; 4]> {
                let sum: fn(&[$t; $width]) -> $t = $sum;
                $lanes([sum(&v[0]), sum(&v[1]), sum(&v[2]), 0.0])
            }
        }
    };
}
portable!(f64, 4, Wide, |v| (v[0] + v[1]) + (v[2] + v[3]));
portable!(f32, 8, Half, |v| ((v[0] + v[2]) + (v[1] + v[3])) + ((v[4] + v[6]) + (v[5] + v[7])));
