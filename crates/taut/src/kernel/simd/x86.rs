//! Vectors of AVX2 with fused multiply-add.
//!
//! The methods here must only run inside functions compiled for those features: `kernel::run` sees to it, and
//! nothing else names these types.
#![expect(
    unsafe_code,
    reason = "vector instructions: each is one call on values or on an aligned array of its size"
)]
// SAFETY, for every block in this file: loads and stores are of arrays as long as the vector and aligned like it, the
// features are those of the calling kernel, which was detected, and the caller promises that indices are in range.

use super::{Half, Simd, Wide};
use std::arch::x86_64::*;

/// Four doubles.
pub(crate) struct Doubles;
/// Eight singles.
pub(crate) struct Singles;

/// Lines of cache that are fetched at most.
const LINES: usize = 64;

/// The operations that differ between f64 and f32 only in the names of their instructions.
macro_rules! common {
    ($t:ty, $width:literal, $v:ty,
     load $load:ident, store $store:ident, splat $splat:ident,
     compare $compare:ident $and:ident $mask:ident $blend:ident,
     $($method:ident($($a:ident),+) $instruction:ident),+ $(,)?) => {
        type Vector = $v;
        #[inline(always)]
        fn prefetch(v: &[Wide<[$t; $width]>]) {
            // Four lines of cache at a time, two blocks each. The last may lie beyond the numbers, which is harmless.
            for lines in v.chunks(8).take(LINES / 4) {
                let first = lines.as_ptr();
                for line in [first, first.wrapping_add(2), first.wrapping_add(4), first.wrapping_add(6)] {
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
                }
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
        fn select(test: $v, yes: $v, no: $v) -> $v {
            unsafe { $blend(no, yes, $compare::<_CMP_GT_OQ>(test, $splat(0.0))) }
        }
        #[inline(always)]
        fn positive(v: $v) -> u32 {
            unsafe { $mask($compare::<_CMP_GT_OQ>(v, $splat(0.0))) as u32 }
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

/// From four points `[x y z 0]` to their x, their y and their z.
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
        compare _mm256_cmp_pd _mm256_and_pd _mm256_movemask_pd _mm256_blendv_pd,
        multiply_add(a, b, c) _mm256_fmadd_pd,
        subtract(a, b) _mm256_sub_pd,
        multiply(a, b) _mm256_mul_pd,
        add(a, b) _mm256_add_pd,
        divide(a, b) _mm256_div_pd,
        max(a, b) _mm256_max_pd,
        min(a, b) _mm256_min_pd,
        sqrt(v) _mm256_sqrt_pd,
    );
    #[inline(always)]
    fn point(xyz: &[f64; 3]) -> __m256d {
        // The fourth lane is masked: its memory is not read.
        unsafe { _mm256_maskload_pd(xyz.as_ptr(), _mm256_setr_epi64x(-1, -1, -1, 0)) }
    }
    #[inline(always)]
    unsafe fn gather(x: &[Wide<[f64; 4]>], rows: &[u32; 4]) -> [__m256d; 3] {
        let [a, b, c, d] = *rows;
        let x = |row: u32| Self::load(unsafe { x.get_unchecked(row as usize) });
        columns(x(a), x(b), x(c), x(d))
    }
    #[inline(always)]
    unsafe fn differences(x: &[Wide<[f64; 4]>], from: &[u32; 4], less: &[u32; 4]) -> [__m256d; 3] {
        let ([a, b, c, d], [e, f, g, h]) = (*from, *less);
        let x = |row: u32| Self::load(unsafe { x.get_unchecked(row as usize) });
        columns(
            Self::subtract(x(a), x(e)),
            Self::subtract(x(b), x(f)),
            Self::subtract(x(c), x(g)),
            Self::subtract(x(d), x(h)),
        )
    }
    #[inline(always)]
    unsafe fn add_to(v: [__m256d; 3], x: &mut [Wide<[f64; 4]>], rows: &[u32; 4]) {
        let [a, b, c, d] = *rows;
        let mut add = |row: u32, v| {
            let x = unsafe { x.get_unchecked_mut(row as usize) };
            *x = Self::store(Self::add(Self::load(x), v));
        };
        unsafe {
            let zero = _mm256_setzero_pd();
            let (low, high) = (_mm256_unpacklo_pd(v[0], v[1]), _mm256_unpackhi_pd(v[0], v[1]));
            let (z, last) = (_mm256_unpacklo_pd(v[2], zero), _mm256_unpackhi_pd(v[2], zero));
            add(a, _mm256_permute2f128_pd::<0x20>(low, z));
            add(b, _mm256_permute2f128_pd::<0x20>(high, last));
            add(c, _mm256_permute2f128_pd::<0x31>(low, z));
            add(d, _mm256_permute2f128_pd::<0x31>(high, last));
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

/// Two points, one in each half of a vector.
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
        compare _mm256_cmp_ps _mm256_and_ps _mm256_movemask_ps _mm256_blendv_ps,
        multiply_add(a, b, c) _mm256_fmadd_ps,
        subtract(a, b) _mm256_sub_ps,
        multiply(a, b) _mm256_mul_ps,
        add(a, b) _mm256_add_ps,
        divide(a, b) _mm256_div_ps,
        max(a, b) _mm256_max_ps,
        min(a, b) _mm256_min_ps,
        sqrt(v) _mm256_sqrt_ps,
    );
    #[inline(always)]
    fn point(xyz: &[f32; 3]) -> __m256 {
        unsafe { _mm256_maskload_ps(xyz.as_ptr(), _mm256_setr_epi32(-1, -1, -1, 0, 0, 0, 0, 0)) }
    }
    #[inline(always)]
    unsafe fn gather(x: &[Half<[f32; 4]>], rows: &[u32; 8]) -> [__m256; 3] {
        let [a, b, c, d, e, f, g, h] = *rows;
        let x = |i: u32| unsafe { x.get_unchecked(i as usize) };
        let (a, b) = (pair(x(a), x(e)), pair(x(b), x(f)));
        let (c, d) = (pair(x(c), x(g)), pair(x(d), x(h)));
        unsafe {
            let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
            let z = _mm256_shuffle_ps::<0x44>(_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
            [_mm256_shuffle_ps::<0x44>(ab, cd), _mm256_shuffle_ps::<0xee>(ab, cd), z]
        }
    }
    #[inline(always)]
    unsafe fn differences(x: &[Half<[f32; 4]>], from: &[u32; 8], less: &[u32; 8]) -> [__m256; 3] {
        let (a, b) = unsafe { (Self::gather(x, from), Self::gather(x, less)) };
        [Self::subtract(a[0], b[0]), Self::subtract(a[1], b[1]), Self::subtract(a[2], b[2])]
    }
    #[inline(always)]
    unsafe fn add_to(v: [__m256; 3], x: &mut [Half<[f32; 4]>], rows: &[u32; 8]) {
        let [a, b, c, d, e, f, g, h] = *rows;
        let mut add = |row: u32, v| {
            let x = unsafe { x.get_unchecked_mut(row as usize) };
            *x = lanes(unsafe { _mm_add_ps(_mm_load_ps(x.0.as_ptr()), v) });
        };
        unsafe {
            let zero = _mm256_setzero_ps();
            let (low, high) = (_mm256_unpacklo_ps(v[0], v[1]), _mm256_unpackhi_ps(v[0], v[1]));
            let (z, last) = (_mm256_unpacklo_ps(v[2], zero), _mm256_unpackhi_ps(v[2], zero));
            let (ae, bf) = (_mm256_shuffle_ps::<0x44>(low, z), _mm256_shuffle_ps::<0xee>(low, z));
            let (cg, dh) = (_mm256_shuffle_ps::<0x44>(high, last), _mm256_shuffle_ps::<0xee>(high, last));
            add(a, _mm256_castps256_ps128(ae));
            add(b, _mm256_castps256_ps128(bf));
            add(c, _mm256_castps256_ps128(cg));
            add(d, _mm256_castps256_ps128(dh));
            add(e, _mm256_extractf128_ps::<1>(ae));
            add(f, _mm256_extractf128_ps::<1>(bf));
            add(g, _mm256_extractf128_ps::<1>(cg));
            add(h, _mm256_extractf128_ps::<1>(dh));
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
