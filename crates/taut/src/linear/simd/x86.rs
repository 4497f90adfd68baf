//! Vectors of AVX2 with fused multiply-add.
//!
//! The methods here must only run inside functions compiled for those features: `kernel::run` sees to it, and
//! nothing else names these types.
#![expect(
    unsafe_code,
    reason = "vector instructions: each is one call on values or on an aligned array of its size"
)]
// SAFETY, for every block in this file: loads and stores are of arrays as long as the vector and aligned like it,
// and the features are those of the calling kernel, which was detected.

use super::{Half, Simd, Wide};
use std::arch::x86_64::*;

/// Four doubles.
pub(crate) struct Doubles;
/// Eight singles.
pub(crate) struct Singles;

/// Cache lines fetched at most.
const LINES: usize = 64;

/// What is the same for both but for the names of the instructions.
macro_rules! common {
    ($t:ty, $width:literal, $v:ty,
     load $load:ident, store $store:ident, splat $splat:ident,
     compare $compare:ident $and:ident $mask:ident,
     $($method:ident($($a:ident),+) $instruction:ident),+ $(,)?) => {
        type Vector = $v;
        #[inline(always)]
        fn prefetch(v: &[Wide<[$t; $width]>]) {
            for line in v.chunks_exact(2).take(LINES) {
                unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
            }
        }
        #[inline(always)]
        fn load(v: &Wide<[$t; $width]>) -> $v {
            unsafe { $load(v.0.as_ptr()) }
        }
        #[inline(always)]
        fn store(v: $v) -> Wide<[$t; $width]> {
            let mut out = Wide([0.0; $width]);
            unsafe { $store(out.0.as_mut_ptr(), v) };
            out
        }
        #[inline(always)]
        fn splat(v: $t) -> $v {
            unsafe { $splat(v) }
        }
        #[inline(always)]
        fn where_positive(test: $v, v: $v) -> $v {
            unsafe { $and($compare::<_CMP_GT_OQ>(test, $splat(0.0)), v) }
        }
        #[inline(always)]
        fn all_normal(v: $v) -> bool {
            unsafe {
                let least = $compare::<_CMP_GE_OQ>(v, $splat(<$t>::MIN_POSITIVE));
                let most = $compare::<_CMP_LE_OQ>(v, $splat(<$t>::MAX));
                $mask($and(least, most)) == (1 << $width) - 1
            }
        }
        $(#[inline(always)]
        fn $method($($a: $v),+) -> $v {
            unsafe { $instruction($($a),+) }
        })+
    };
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
    common!(
        f64, 4, __m256d,
        load _mm256_load_pd, store _mm256_store_pd, splat _mm256_set1_pd,
        compare _mm256_cmp_pd _mm256_and_pd _mm256_movemask_pd,
        multiply_add(a, b, c) _mm256_fmadd_pd,
        subtract(a, b) _mm256_sub_pd,
        multiply(a, b) _mm256_mul_pd,
        add(a, b) _mm256_add_pd,
        divide(a, b) _mm256_div_pd,
        max(a, b) _mm256_max_pd,
        sqrt(v) _mm256_sqrt_pd,
    );
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
    common!(
        f32, 8, __m256,
        load _mm256_load_ps, store _mm256_store_ps, splat _mm256_set1_ps,
        compare _mm256_cmp_ps _mm256_and_ps _mm256_movemask_ps,
        multiply_add(a, b, c) _mm256_fmadd_ps,
        subtract(a, b) _mm256_sub_ps,
        multiply(a, b) _mm256_mul_ps,
        add(a, b) _mm256_add_ps,
        divide(a, b) _mm256_div_ps,
        max(a, b) _mm256_max_ps,
        sqrt(v) _mm256_sqrt_ps,
    );
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
