//! Four lanes, and pairs of them, for what the processor can do: the alphabet the passes are written in.
//!
//! A row is `[x, y, z, 0]`; a pair is the rows k and k + 4 of a block of eight. Every instruction set gives the
//! same sums in the same order; only whether products are fused with sums differs, and that is in the name.
#![expect(
    unsafe_code,
    reason = "vector instructions: each is one call on values or on an array of fixed size"
)]

use std::ops::{Add, Mul};

/// One row of a vector: x, y, z and a lane that stays 0.
pub(super) type Lanes<T> = [T; 4];

/// A number a factor may be stored in, and the vectors made of it.
pub(super) trait Real:
    Copy + Default + Send + Sync + Add<Output = Self> + Mul<Output = Self> + 'static
{
    #[cfg(target_arch = "x86_64")]
    type Avx2: Simd<Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx512: Simd<Self>;
    fn fused(self, b: Self, c: Self) -> Self;
    fn of(v: f64) -> Self;
    fn double(self) -> f64;
}

/// Vectors of four and of two times four numbers.
pub(super) trait Simd<T> {
    type Row: Copy;
    type Pair: Copy;
    /// Have the numbers brought near, up to a few kilobytes of them. A hint.
    #[inline(always)]
    fn prefetch(_: &[T]) {}
    fn load(v: &Lanes<T>) -> Self::Row;
    fn store(v: Self::Row) -> Lanes<T>;
    /// acc + g v, with one g for all lanes.
    fn add(acc: Self::Row, g: T, v: Self::Row) -> Self::Row;
    fn pair(a: &Lanes<T>, b: &Lanes<T>) -> Self::Pair;
    fn unpair(v: Self::Pair) -> [Lanes<T>; 2];
    /// For k = 0..4: acc[k] + (g[k] for the first row, g[k + 4] for the second) v[k].
    fn add_block(acc: [Self::Pair; 4], g: &[T; 8], v: Self::Pair) -> [Self::Pair; 4];
    /// acc + Σ_k (g[k], g[k + 4]) v[k].
    fn sum_block(acc: Self::Pair, g: &[T; 8], v: &[Self::Pair; 4]) -> Self::Pair;
}

/// Arrays; the compiler makes of them what it can.
pub(super) struct Portable<const FUSED: bool>;

impl<T: Real, const FUSED: bool> Simd<T> for Portable<FUSED> {
    type Row = Lanes<T>;
    type Pair = [Lanes<T>; 2];
    #[inline(always)]
    fn load(v: &Lanes<T>) -> Lanes<T> {
        *v
    }
    #[inline(always)]
    fn store(v: Lanes<T>) -> Lanes<T> {
        v
    }
    #[inline(always)]
    fn add(acc: Lanes<T>, g: T, v: Lanes<T>) -> Lanes<T> {
        let sum = |l: usize| if FUSED { g.fused(v[l], acc[l]) } else { acc[l] + g * v[l] };
        [sum(0), sum(1), sum(2), sum(3)]
    }
    #[inline(always)]
    fn pair(a: &Lanes<T>, b: &Lanes<T>) -> [Lanes<T>; 2] {
        [*a, *b]
    }
    #[inline(always)]
    fn unpair(v: [Lanes<T>; 2]) -> [Lanes<T>; 2] {
        v
    }
    #[inline(always)]
    fn add_block(mut acc: [[Lanes<T>; 2]; 4], g: &[T; 8], v: [Lanes<T>; 2]) -> [[Lanes<T>; 2]; 4] {
        for k in 0..4 {
            acc[k] = [Self::add(acc[k][0], g[k], v[0]), Self::add(acc[k][1], g[k + 4], v[1])];
        }
        acc
    }
    #[inline(always)]
    fn sum_block(mut acc: [Lanes<T>; 2], g: &[T; 8], v: &[[Lanes<T>; 2]; 4]) -> [Lanes<T>; 2] {
        for k in 0..4 {
            acc = [Self::add(acc[0], g[k], v[k][0]), Self::add(acc[1], g[k + 4], v[k][1])];
        }
        acc
    }
}

macro_rules! real {
    ($t:ty, $avx2:ty, $avx512:ty) => {
        impl Real for $t {
            #[cfg(target_arch = "x86_64")]
            type Avx2 = $avx2;
            #[cfg(target_arch = "x86_64")]
            type Avx512 = $avx512;
            #[inline(always)]
            fn fused(self, b: $t, c: $t) -> $t {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn of(v: f64) -> $t {
                v as $t
            }
            #[inline(always)]
            fn double(self) -> f64 {
                self as f64
            }
        }
    };
}
real!(f64, x86::Avx2, x86::Avx512);
real!(f32, x86::Avx2, x86::Avx2);

/// The methods below must only run inside functions compiled for their features: `kernel::dispatch` sees to it,
/// and nothing else names these types.
#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::{Lanes, Simd};
    use std::arch::x86_64::*;

    pub(in super::super) struct Avx2;
    pub(in super::super) struct Avx512;

    // SAFETY, for every block in this module: loads and stores are of arrays at least as long as the vector, and
    // the features are those of the calling kernel, which was detected.

    /// Cache lines fetched at most.
    const LINES: usize = 64;

    #[inline(always)]
    fn fetch<T>(v: &[T]) {
        let per_line = 64 / size_of::<T>();
        for line in v.chunks_exact(per_line).take(LINES) {
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
        }
    }

    impl Simd<f64> for Avx2 {
        type Row = __m256d;
        type Pair = [__m256d; 2];
        #[inline(always)]
        fn prefetch(v: &[f64]) {
            fetch(v);
        }
        #[inline(always)]
        fn load(v: &Lanes<f64>) -> __m256d {
            unsafe { _mm256_loadu_pd(v.as_ptr()) }
        }
        #[inline(always)]
        fn store(v: __m256d) -> Lanes<f64> {
            let mut out = [0.0; 4];
            unsafe { _mm256_storeu_pd(out.as_mut_ptr(), v) };
            out
        }
        #[inline(always)]
        fn add(acc: __m256d, g: f64, v: __m256d) -> __m256d {
            unsafe { _mm256_fmadd_pd(_mm256_set1_pd(g), v, acc) }
        }
        #[inline(always)]
        fn pair(a: &Lanes<f64>, b: &Lanes<f64>) -> [__m256d; 2] {
            [Self::load(a), Self::load(b)]
        }
        #[inline(always)]
        fn unpair(v: [__m256d; 2]) -> [Lanes<f64>; 2] {
            [Self::store(v[0]), Self::store(v[1])]
        }
        #[inline(always)]
        fn add_block(mut acc: [[__m256d; 2]; 4], g: &[f64; 8], v: [__m256d; 2]) -> [[__m256d; 2]; 4] {
            for k in 0..4 {
                acc[k] = [Self::add(acc[k][0], g[k], v[0]), Self::add(acc[k][1], g[k + 4], v[1])];
            }
            acc
        }
        #[inline(always)]
        fn sum_block(mut acc: [__m256d; 2], g: &[f64; 8], v: &[[__m256d; 2]; 4]) -> [__m256d; 2] {
            for k in 0..4 {
                acc = [Self::add(acc[0], g[k], v[k][0]), Self::add(acc[1], g[k + 4], v[k][1])];
            }
            acc
        }
    }

    impl Simd<f32> for Avx2 {
        type Row = __m128;
        type Pair = __m256;
        #[inline(always)]
        fn prefetch(v: &[f32]) {
            fetch(v);
        }
        #[inline(always)]
        fn load(v: &Lanes<f32>) -> __m128 {
            unsafe { _mm_loadu_ps(v.as_ptr()) }
        }
        #[inline(always)]
        fn store(v: __m128) -> Lanes<f32> {
            let mut out = [0.0; 4];
            unsafe { _mm_storeu_ps(out.as_mut_ptr(), v) };
            out
        }
        #[inline(always)]
        fn add(acc: __m128, g: f32, v: __m128) -> __m128 {
            unsafe { _mm_fmadd_ps(_mm_set1_ps(g), v, acc) }
        }
        #[inline(always)]
        fn pair(a: &Lanes<f32>, b: &Lanes<f32>) -> __m256 {
            unsafe { _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(Self::load(a)), Self::load(b)) }
        }
        #[inline(always)]
        fn unpair(v: __m256) -> [Lanes<f32>; 2] {
            unsafe { [Self::store(_mm256_castps256_ps128(v)), Self::store(_mm256_extractf128_ps::<1>(v))] }
        }
        #[inline(always)]
        fn add_block(acc: [__m256; 4], g: &[f32; 8], v: __m256) -> [__m256; 4] {
            unsafe {
                let g = _mm256_loadu_ps(g.as_ptr());
                [
                    _mm256_fmadd_ps(_mm256_permute_ps::<0x00>(g), v, acc[0]),
                    _mm256_fmadd_ps(_mm256_permute_ps::<0x55>(g), v, acc[1]),
                    _mm256_fmadd_ps(_mm256_permute_ps::<0xaa>(g), v, acc[2]),
                    _mm256_fmadd_ps(_mm256_permute_ps::<0xff>(g), v, acc[3]),
                ]
            }
        }
        #[inline(always)]
        fn sum_block(acc: __m256, g: &[f32; 8], v: &[__m256; 4]) -> __m256 {
            unsafe {
                let g = _mm256_loadu_ps(g.as_ptr());
                let acc = _mm256_fmadd_ps(_mm256_permute_ps::<0x00>(g), v[0], acc);
                let acc = _mm256_fmadd_ps(_mm256_permute_ps::<0x55>(g), v[1], acc);
                let acc = _mm256_fmadd_ps(_mm256_permute_ps::<0xaa>(g), v[2], acc);
                _mm256_fmadd_ps(_mm256_permute_ps::<0xff>(g), v[3], acc)
            }
        }
    }

    impl Simd<f64> for Avx512 {
        type Row = __m256d;
        type Pair = __m512d;
        #[inline(always)]
        fn prefetch(v: &[f64]) {
            fetch(v);
        }
        #[inline(always)]
        fn load(v: &Lanes<f64>) -> __m256d {
            <Avx2 as Simd<f64>>::load(v)
        }
        #[inline(always)]
        fn store(v: __m256d) -> Lanes<f64> {
            <Avx2 as Simd<f64>>::store(v)
        }
        #[inline(always)]
        fn add(acc: __m256d, g: f64, v: __m256d) -> __m256d {
            <Avx2 as Simd<f64>>::add(acc, g, v)
        }
        #[inline(always)]
        fn pair(a: &Lanes<f64>, b: &Lanes<f64>) -> __m512d {
            unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(Self::load(a)), Self::load(b)) }
        }
        #[inline(always)]
        fn unpair(v: __m512d) -> [Lanes<f64>; 2] {
            unsafe { [Self::store(_mm512_castpd512_pd256(v)), Self::store(_mm512_extractf64x4_pd::<1>(v))] }
        }
        #[inline(always)]
        fn add_block(acc: [__m512d; 4], g: &[f64; 8], v: __m512d) -> [__m512d; 4] {
            unsafe {
                let g = _mm512_loadu_pd(g.as_ptr());
                [
                    _mm512_fmadd_pd(_mm512_permutex_pd::<0x00>(g), v, acc[0]),
                    _mm512_fmadd_pd(_mm512_permutex_pd::<0x55>(g), v, acc[1]),
                    _mm512_fmadd_pd(_mm512_permutex_pd::<0xaa>(g), v, acc[2]),
                    _mm512_fmadd_pd(_mm512_permutex_pd::<0xff>(g), v, acc[3]),
                ]
            }
        }
        #[inline(always)]
        fn sum_block(acc: __m512d, g: &[f64; 8], v: &[__m512d; 4]) -> __m512d {
            unsafe {
                let g = _mm512_loadu_pd(g.as_ptr());
                let acc = _mm512_fmadd_pd(_mm512_permutex_pd::<0x00>(g), v[0], acc);
                let acc = _mm512_fmadd_pd(_mm512_permutex_pd::<0x55>(g), v[1], acc);
                let acc = _mm512_fmadd_pd(_mm512_permutex_pd::<0xaa>(g), v[2], acc);
                _mm512_fmadd_pd(_mm512_permutex_pd::<0xff>(g), v[3], acc)
            }
        }
    }
}
