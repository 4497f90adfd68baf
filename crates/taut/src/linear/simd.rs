//! Vectors of 256 bits, for what the processor can do: the alphabet that kernels are written in.
//!
//! A block is one number for each of [`Real::WIDTH`] rows, and fills one vector; x, y and z of those rows are
//! three vectors, so no lane is wasted. In memory a row is `[x, y, z, 0]`. Every instruction set gives the same
//! sums in the same order; only whether products are fused with sums differs, and that is in the name.
#![expect(
    unsafe_code,
    reason = "vector instructions: each is one call on values or on an aligned array of its size"
)]

use glam::DVec3;

/// Numbers aligned like the vector they fill.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Wide<A>(pub A);

/// Numbers aligned like half a vector.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Half<A>(pub A);

/// A number that vectors are made of.
pub(crate) trait Real: Copy + Default + Send + Sync + 'static {
    /// Rows of a block.
    const WIDTH: usize;
    /// One number for each row of a block.
    type Block: Copy + Default + Send + Sync;
    /// The rows of a block.
    type Rows: Copy + Send + Sync + AsRef<[u32]>;
    /// A row of a vector of points: x, y, z and a lane that stays 0.
    type Lanes: Copy + Default + Send + Sync;
    type Plain: Simd<Self>;
    type Fused: Simd<Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx2: Simd<Self>;
    fn block(numbers: &[f64]) -> Self::Block;
    fn rows(rows: &[u32]) -> Self::Rows;
    fn lanes(v: DVec3) -> Self::Lanes;
    fn point(v: &Self::Lanes) -> DVec3;
    fn sum(a: &Self::Lanes, b: &Self::Lanes) -> Self::Lanes;
    /// x, y and z of a row.
    fn xyz(v: &Self::Lanes) -> [Self; 3];
}

/// Vectors of [`Real::WIDTH`] numbers.
pub(crate) trait Simd<T: Real> {
    type Vector: Copy;
    /// Have the numbers brought near, up to a few kilobytes of them. A hint.
    #[inline(always)]
    fn prefetch(_: &[T::Block]) {}
    fn load(v: &T::Block) -> Self::Vector;
    fn store(v: Self::Vector) -> T::Block;
    fn splat(v: T) -> Self::Vector;
    /// a b + c, fused or not.
    fn multiply_add(a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    fn subtract(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn multiply(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn add(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn divide(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn sqrt(v: Self::Vector) -> Self::Vector;
    /// The larger of both, neither of which may be NaN.
    fn max(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Whether all numbers are positive and neither denormal nor infinite.
    fn all_normal(v: Self::Vector) -> bool;
    /// x, y and z of some rows.
    fn gather(x: &[T::Lanes], rows: &T::Rows) -> [Self::Vector; 3];
    /// x, y and z of the differences of some rows.
    fn differences(x: &[T::Lanes], from: &T::Rows, less: &T::Rows) -> [Self::Vector; 3];
    /// Put x, y and z of some rows back, the first of them first.
    fn scatter(v: [Self::Vector; 3], x: &mut [T::Lanes], rows: &T::Rows);
    /// The sum of the numbers in each of three vectors, halves and then halves of halves.
    fn sums(v: [Self::Vector; 3]) -> T::Lanes;
}

/// Arrays; the compiler makes of them what it can.
pub(crate) struct Portable<const FUSED: bool>;

macro_rules! real {
    ($t:ty, $width:literal, $lanes:ident, $avx2:ident, $sum:expr) => {
        impl Real for $t {
            const WIDTH: usize = $width;
            type Block = Wide<[$t; $width]>;
            type Rows = [u32; $width];
            type Lanes = $lanes<[$t; 4]>;
            type Plain = Portable<false>;
            type Fused = Portable<true>;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = x86::$avx2;
            #[inline(always)]
            fn block(numbers: &[f64]) -> Self::Block {
                Wide(std::array::from_fn(|i| numbers[i] as $t))
            }
            #[inline(always)]
            fn rows(rows: &[u32]) -> Self::Rows {
                std::array::from_fn(|i| rows[i])
            }
            #[inline(always)]
            fn lanes(v: DVec3) -> Self::Lanes {
                $lanes([v.x as $t, v.y as $t, v.z as $t, 0.0])
            }
            #[inline(always)]
            fn point(v: &Self::Lanes) -> DVec3 {
                DVec3::new(v.0[0] as f64, v.0[1] as f64, v.0[2] as f64)
            }
            #[inline(always)]
            fn sum(a: &Self::Lanes, b: &Self::Lanes) -> Self::Lanes {
                $lanes(std::array::from_fn(|l| a.0[l] + b.0[l]))
            }
            #[inline(always)]
            fn xyz(v: &Self::Lanes) -> [$t; 3] {
                [v.0[0], v.0[1], v.0[2]]
            }
        }

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
            fn all_normal(v: [$t; $width]) -> bool {
                v.iter().all(|v| (<$t>::MIN_POSITIVE..=<$t>::MAX).contains(v))
            }
            #[inline(always)]
            fn gather(x: &[$lanes<[$t; 4]>], rows: &[u32; $width]) -> [[$t; $width]; 3] {
                std::array::from_fn(|l| std::array::from_fn(|i| x[rows[i] as usize].0[l]))
            }
            #[inline(always)]
            fn differences(
                x: &[$lanes<[$t; 4]>],
                from: &[u32; $width],
                less: &[u32; $width],
            ) -> [[$t; $width]; 3] {
                let one = |l: usize, i: usize| x[from[i] as usize].0[l] - x[less[i] as usize].0[l];
                std::array::from_fn(|l| std::array::from_fn(|i| one(l, i)))
            }
            #[inline(always)]
            fn scatter(v: [[$t; $width]; 3], x: &mut [$lanes<[$t; 4]>], rows: &[u32; $width]) {
                for (i, &row) in rows.iter().enumerate() {
                    x[row as usize] = $lanes([v[0][i], v[1][i], v[2][i], 0.0]);
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
real!(f64, 4, Wide, Doubles, |v| (v[0] + v[1]) + (v[2] + v[3]));
real!(f32, 8, Half, Singles, |v| ((v[0] + v[2]) + (v[1] + v[3])) + ((v[4] + v[6]) + (v[5] + v[7])));

/// The methods below must only run inside functions compiled for their features: `kernel::run` sees to it, and
/// nothing else names these types.
#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::{Half, Simd, Wide};
    use std::arch::x86_64::*;

    /// Four doubles.
    pub(crate) struct Doubles;
    /// Eight singles.
    pub(crate) struct Singles;

    // SAFETY, for every block in this module: loads and stores are of arrays as long as the vector and aligned
    // like it, and the features are those of the calling kernel, which was detected.

    /// Cache lines fetched at most.
    const LINES: usize = 64;

    #[inline(always)]
    fn fetch<A>(v: &[Wide<A>]) {
        for line in v.chunks_exact(2).take(LINES) {
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
        }
    }

    /// The first three columns of four rows.
    #[inline(always)]
    fn columns(a: __m256d, b: __m256d, c: __m256d, d: __m256d) -> [__m256d; 3] {
        unsafe {
            let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
            let y = _mm256_permute2f128_pd::<0x20>(_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            [_mm256_permute2f128_pd::<0x20>(ab, cd), y, _mm256_permute2f128_pd::<0x31>(ab, cd)]
        }
    }

    impl Simd<f64> for Doubles {
        type Vector = __m256d;
        #[inline(always)]
        fn prefetch(v: &[Wide<[f64; 4]>]) {
            fetch(v);
        }
        #[inline(always)]
        fn load(v: &Wide<[f64; 4]>) -> __m256d {
            unsafe { _mm256_load_pd(v.0.as_ptr()) }
        }
        #[inline(always)]
        fn store(v: __m256d) -> Wide<[f64; 4]> {
            let mut out = Wide([0.0; 4]);
            unsafe { _mm256_store_pd(out.0.as_mut_ptr(), v) };
            out
        }
        #[inline(always)]
        fn splat(v: f64) -> __m256d {
            unsafe { _mm256_set1_pd(v) }
        }
        #[inline(always)]
        fn multiply_add(a: __m256d, b: __m256d, c: __m256d) -> __m256d {
            unsafe { _mm256_fmadd_pd(a, b, c) }
        }
        #[inline(always)]
        fn subtract(a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_sub_pd(a, b) }
        }
        #[inline(always)]
        fn multiply(a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_mul_pd(a, b) }
        }
        #[inline(always)]
        fn add(a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_add_pd(a, b) }
        }
        #[inline(always)]
        fn divide(a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_div_pd(a, b) }
        }
        #[inline(always)]
        fn sqrt(v: __m256d) -> __m256d {
            unsafe { _mm256_sqrt_pd(v) }
        }
        #[inline(always)]
        fn max(a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_max_pd(a, b) }
        }
        #[inline(always)]
        fn all_normal(v: __m256d) -> bool {
            unsafe {
                let least = _mm256_cmp_pd::<_CMP_GE_OQ>(v, _mm256_set1_pd(f64::MIN_POSITIVE));
                let most = _mm256_cmp_pd::<_CMP_LE_OQ>(v, _mm256_set1_pd(f64::MAX));
                _mm256_movemask_pd(_mm256_and_pd(least, most)) == 0xf
            }
        }
        #[inline(always)]
        fn gather(x: &[Wide<[f64; 4]>], rows: &[u32; 4]) -> [__m256d; 3] {
            let [a, b, c, d] = *rows;
            columns(
                Self::load(&x[a as usize]),
                Self::load(&x[b as usize]),
                Self::load(&x[c as usize]),
                Self::load(&x[d as usize]),
            )
        }
        #[inline(always)]
        fn differences(x: &[Wide<[f64; 4]>], from: &[u32; 4], less: &[u32; 4]) -> [__m256d; 3] {
            let ([a, b, c, d], [e, f, g, h]) = (*from, *less);
            columns(
                Self::subtract(Self::load(&x[a as usize]), Self::load(&x[e as usize])),
                Self::subtract(Self::load(&x[b as usize]), Self::load(&x[f as usize])),
                Self::subtract(Self::load(&x[c as usize]), Self::load(&x[g as usize])),
                Self::subtract(Self::load(&x[d as usize]), Self::load(&x[h as usize])),
            )
        }
        #[inline(always)]
        fn scatter(v: [__m256d; 3], x: &mut [Wide<[f64; 4]>], rows: &[u32; 4]) {
            let [a, b, c, d] = *rows;
            unsafe {
                let zero = _mm256_setzero_pd();
                let (low, high) = (_mm256_unpacklo_pd(v[0], v[1]), _mm256_unpackhi_pd(v[0], v[1]));
                let (z, last) = (_mm256_unpacklo_pd(v[2], zero), _mm256_unpackhi_pd(v[2], zero));
                x[a as usize] = Self::store(_mm256_permute2f128_pd::<0x20>(low, z));
                x[b as usize] = Self::store(_mm256_permute2f128_pd::<0x20>(high, last));
                x[c as usize] = Self::store(_mm256_permute2f128_pd::<0x31>(low, z));
                x[d as usize] = Self::store(_mm256_permute2f128_pd::<0x31>(high, last));
            }
        }
        #[inline(always)]
        fn sums(v: [__m256d; 3]) -> Wide<[f64; 4]> {
            unsafe {
                let xy = _mm256_hadd_pd(v[0], v[1]);
                let z = _mm256_hadd_pd(v[2], _mm256_setzero_pd());
                let low = _mm256_permute2f128_pd::<0x20>(xy, z);
                Self::store(_mm256_add_pd(low, _mm256_permute2f128_pd::<0x31>(xy, z)))
            }
        }
    }

    /// Rows k and k + 4 side by side.
    #[inline(always)]
    fn pair(low: &Half<[f32; 4]>, high: &Half<[f32; 4]>) -> __m256 {
        unsafe {
            let (low, high) = (_mm_load_ps(low.0.as_ptr()), _mm_load_ps(high.0.as_ptr()));
            _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
        }
    }

    #[inline(always)]
    fn lanes(v: __m128) -> Half<[f32; 4]> {
        let mut out = Half([0.0; 4]);
        unsafe { _mm_store_ps(out.0.as_mut_ptr(), v) };
        out
    }

    impl Simd<f32> for Singles {
        type Vector = __m256;
        #[inline(always)]
        fn prefetch(v: &[Wide<[f32; 8]>]) {
            fetch(v);
        }
        #[inline(always)]
        fn load(v: &Wide<[f32; 8]>) -> __m256 {
            unsafe { _mm256_load_ps(v.0.as_ptr()) }
        }
        #[inline(always)]
        fn store(v: __m256) -> Wide<[f32; 8]> {
            let mut out = Wide([0.0; 8]);
            unsafe { _mm256_store_ps(out.0.as_mut_ptr(), v) };
            out
        }
        #[inline(always)]
        fn splat(v: f32) -> __m256 {
            unsafe { _mm256_set1_ps(v) }
        }
        #[inline(always)]
        fn multiply_add(a: __m256, b: __m256, c: __m256) -> __m256 {
            unsafe { _mm256_fmadd_ps(a, b, c) }
        }
        #[inline(always)]
        fn subtract(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_sub_ps(a, b) }
        }
        #[inline(always)]
        fn multiply(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_mul_ps(a, b) }
        }
        #[inline(always)]
        fn add(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_add_ps(a, b) }
        }
        #[inline(always)]
        fn divide(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_div_ps(a, b) }
        }
        #[inline(always)]
        fn sqrt(v: __m256) -> __m256 {
            unsafe { _mm256_sqrt_ps(v) }
        }
        #[inline(always)]
        fn max(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_max_ps(a, b) }
        }
        #[inline(always)]
        fn all_normal(v: __m256) -> bool {
            unsafe {
                let least = _mm256_cmp_ps::<_CMP_GE_OQ>(v, _mm256_set1_ps(f32::MIN_POSITIVE));
                let most = _mm256_cmp_ps::<_CMP_LE_OQ>(v, _mm256_set1_ps(f32::MAX));
                _mm256_movemask_ps(_mm256_and_ps(least, most)) == 0xff
            }
        }
        #[inline(always)]
        fn gather(x: &[Half<[f32; 4]>], rows: &[u32; 8]) -> [__m256; 3] {
            let [a, b, c, d, e, f, g, h] = *rows;
            let (a, b) = (pair(&x[a as usize], &x[e as usize]), pair(&x[b as usize], &x[f as usize]));
            let (c, d) = (pair(&x[c as usize], &x[g as usize]), pair(&x[d as usize], &x[h as usize]));
            unsafe {
                let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
                let z = _mm256_shuffle_ps::<0x44>(_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
                [_mm256_shuffle_ps::<0x44>(ab, cd), _mm256_shuffle_ps::<0xee>(ab, cd), z]
            }
        }
        #[inline(always)]
        fn differences(x: &[Half<[f32; 4]>], from: &[u32; 8], less: &[u32; 8]) -> [__m256; 3] {
            let (a, b) = (Self::gather(x, from), Self::gather(x, less));
            [Self::subtract(a[0], b[0]), Self::subtract(a[1], b[1]), Self::subtract(a[2], b[2])]
        }
        #[inline(always)]
        fn scatter(v: [__m256; 3], x: &mut [Half<[f32; 4]>], rows: &[u32; 8]) {
            let [a, b, c, d, e, f, g, h] = *rows;
            unsafe {
                let zero = _mm256_setzero_ps();
                let (low, high) = (_mm256_unpacklo_ps(v[0], v[1]), _mm256_unpackhi_ps(v[0], v[1]));
                let (z, last) = (_mm256_unpacklo_ps(v[2], zero), _mm256_unpackhi_ps(v[2], zero));
                let (ae, bf) = (_mm256_shuffle_ps::<0x44>(low, z), _mm256_shuffle_ps::<0xee>(low, z));
                let (cg, dh) = (_mm256_shuffle_ps::<0x44>(high, last), _mm256_shuffle_ps::<0xee>(high, last));
                x[a as usize] = lanes(_mm256_castps256_ps128(ae));
                x[b as usize] = lanes(_mm256_castps256_ps128(bf));
                x[c as usize] = lanes(_mm256_castps256_ps128(cg));
                x[d as usize] = lanes(_mm256_castps256_ps128(dh));
                x[e as usize] = lanes(_mm256_extractf128_ps::<1>(ae));
                x[f as usize] = lanes(_mm256_extractf128_ps::<1>(bf));
                x[g as usize] = lanes(_mm256_extractf128_ps::<1>(cg));
                x[h as usize] = lanes(_mm256_extractf128_ps::<1>(dh));
            }
        }
        #[inline(always)]
        fn sums(v: [__m256; 3]) -> Half<[f32; 4]> {
            unsafe {
                let zero = _mm256_setzero_ps();
                let xy = _mm256_add_ps(_mm256_unpacklo_ps(v[0], v[1]), _mm256_unpackhi_ps(v[0], v[1]));
                let z = _mm256_add_ps(_mm256_unpacklo_ps(v[2], zero), _mm256_unpackhi_ps(v[2], zero));
                let all = _mm256_add_ps(_mm256_shuffle_ps::<0x44>(xy, z), _mm256_shuffle_ps::<0xee>(xy, z));
                lanes(_mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps::<1>(all)))
            }
        }
    }
}
