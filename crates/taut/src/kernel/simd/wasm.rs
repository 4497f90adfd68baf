//! Vectors of WebAssembly's simd128: two of 128 bits for one block.
//!
//! Left to itself the compiler uses no vector instruction at all in the passes over a factor: it does not see that the
//! points it gathers could be transposed. Nothing is fused, so the sums are those of `portable`, bit for bit.
#![expect(unsafe_code, reason = "loads and stores of vectors: each of an aligned array of their size")]
// SAFETY, for every block in this file: the array is 32 bytes long, or 16 where only its first half is touched.

use super::{Half, Simd, Wide};
use std::arch::wasm32::*;

/// Four doubles.
pub(crate) struct Doubles;
/// Eight singles.
pub(crate) struct Singles;

/// Both halves of a block.
type Two = [v128; 2];

#[inline(always)]
fn both<A>(v: &Wide<A>) -> Two {
    const { assert!(size_of::<A>() == 32) };
    let halves = (&raw const v.0).cast::<v128>();
    unsafe { [v128_load(halves), v128_load(halves.add(1))] }
}

#[inline(always)]
fn row(v: &Half<[f32; 4]>) -> v128 {
    unsafe { v128_load(v.0.as_ptr().cast()) }
}

#[inline(always)]
fn lanes(v: v128) -> Half<[f32; 4]> {
    let mut out = Half([0.0; 4]);
    unsafe { v128_store(out.0.as_mut_ptr().cast(), v) };
    out
}

/// The operations that differ between f64 and f32 only in the names of their instructions.
macro_rules! common {
    ($t:ty, $width:literal, splat $splat:ident, compare $gt:ident $ge:ident $le:ident $all:ident $bits:ident,
     maximum $maximum:ident, minimum $minimum:ident, sqrt $sqrt:ident, $($method:ident $instruction:ident),+) => {
        type Vector = Two;
        #[inline(always)]
        fn load(v: &Wide<[$t; $width]>) -> Two {
            both(v)
        }
        #[inline(always)]
        fn store(v: Two) -> Wide<[$t; $width]> {
            let mut out = Wide([0.0; $width]);
            let halves = out.0.as_mut_ptr().cast::<v128>();
            unsafe {
                v128_store(halves, v[0]);
                v128_store(halves.add(1), v[1]);
            }
            out
        }
        #[inline(always)]
        fn splat(v: $t) -> Two {
            [$splat(v); 2]
        }
        #[inline(always)]
        fn multiply_add(a: Two, b: Two, c: Two) -> Two {
            Self::add(Self::multiply(a, b), c)
        }
        #[inline(always)]
        fn sqrt(v: Two) -> Two {
            [$sqrt(v[0]), $sqrt(v[1])]
        }
        #[inline(always)]
        fn max(a: Two, b: Two) -> Two {
            // `pmax(b, a)` is `if b < a { a } else { b }`.
            [$maximum(b[0], a[0]), $maximum(b[1], a[1])]
        }
        #[inline(always)]
        fn min(a: Two, b: Two) -> Two {
            [$minimum(b[0], a[0]), $minimum(b[1], a[1])]
        }
        #[inline(always)]
        fn where_positive(test: Two, v: Two) -> Two {
            let one = |i: usize| v128_and($gt(test[i], $splat(0.0)), v[i]);
            [one(0), one(1)]
        }
        #[inline(always)]
        fn select(test: Two, yes: Two, no: Two) -> Two {
            let one = |i: usize| v128_bitselect(yes[i], no[i], $gt(test[i], $splat(0.0)));
            [one(0), one(1)]
        }
        #[inline(always)]
        fn positive(v: Two) -> u32 {
            let one = |v| u32::from($bits($gt(v, $splat(0.0))));
            one(v[0]) | one(v[1]) << ($width / 2)
        }
        #[inline(always)]
        fn all_normal(v: Two) -> bool {
            let one = |v| v128_and($ge(v, $splat(<$t>::MIN_POSITIVE)), $le(v, $splat(<$t>::MAX)));
            $all(v128_and(one(v[0]), one(v[1])))
        }
        $(#[inline(always)]
        fn $method(a: Two, b: Two) -> Two {
            [$instruction(a[0], b[0]), $instruction(a[1], b[1])]
        })+
    };
}

/// From four points `[x y z 0]` to their x, their y and their z.
#[inline(always)]
fn columns([a, b, c, d]: [Two; 4]) -> [Two; 3] {
    let x = [i64x2_shuffle::<0, 2>(a[0], b[0]), i64x2_shuffle::<0, 2>(c[0], d[0])];
    let y = [i64x2_shuffle::<1, 3>(a[0], b[0]), i64x2_shuffle::<1, 3>(c[0], d[0])];
    [x, y, [i64x2_shuffle::<0, 2>(a[1], b[1]), i64x2_shuffle::<0, 2>(c[1], d[1])]]
}

impl Simd<f64> for Doubles {
    common!(
        f64, 4, splat f64x2_splat, compare f64x2_gt f64x2_ge f64x2_le i64x2_all_true i64x2_bitmask,
        maximum f64x2_pmax, minimum f64x2_pmin, sqrt f64x2_sqrt,
        subtract f64x2_sub, multiply f64x2_mul, add f64x2_add, divide f64x2_div
    );
    #[inline(always)]
    fn point(&[x, y, z]: &[f64; 3]) -> Two {
        [f64x2(x, y), f64x2(z, 0.0)]
    }
    #[inline(always)]
    unsafe fn gather(x: &[Wide<[f64; 4]>], rows: &[u32; 4]) -> [Two; 3] {
        columns(rows.map(|row| both(&x[row as usize])))
    }
    #[inline(always)]
    unsafe fn differences(x: &[Wide<[f64; 4]>], from: &[u32; 4], less: &[u32; 4]) -> [Two; 3] {
        let one = |i: usize| Self::subtract(both(&x[from[i] as usize]), both(&x[less[i] as usize]));
        columns([one(0), one(1), one(2), one(3)])
    }
    #[inline(always)]
    unsafe fn add_to([x, y, z]: [Two; 3], out: &mut [Wide<[f64; 4]>], rows: &[u32; 4]) {
        let zero = f64x2_splat(0.0);
        for (half, rows) in rows.as_chunks::<2>().0.iter().enumerate() {
            let (x, y, z) = (x[half], y[half], z[half]);
            let even = [i64x2_shuffle::<0, 2>(x, y), i64x2_shuffle::<0, 2>(z, zero)];
            let odd = [i64x2_shuffle::<1, 3>(x, y), i64x2_shuffle::<1, 3>(z, zero)];
            for (&row, v) in rows.iter().zip([even, odd]) {
                let out = &mut out[row as usize];
                *out = Self::store(Self::add(both(out), v));
            }
        }
    }
    #[inline(always)]
    fn sums([x, y, z]: [Two; 3]) -> Wide<[f64; 4]> {
        let pair = |a, b| f64x2_add(i64x2_shuffle::<0, 2>(a, b), i64x2_shuffle::<1, 3>(a, b));
        let zero = f64x2_splat(0.0);
        Self::store([
            f64x2_add(pair(x[0], y[0]), pair(x[1], y[1])),
            f64x2_add(pair(z[0], zero), pair(z[1], zero)),
        ])
    }
}

/// The first halves of two vectors alternating, and the second halves.
#[inline(always)]
fn interleaved(a: v128, b: v128) -> [v128; 2] {
    [i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b)]
}

/// The first halves of two vectors side by side, and the second halves.
#[inline(always)]
fn halves(a: v128, b: v128) -> [v128; 2] {
    [i64x2_shuffle::<0, 2>(a, b), i64x2_shuffle::<1, 3>(a, b)]
}

impl Simd<f32> for Singles {
    common!(
        f32, 8, splat f32x4_splat, compare f32x4_gt f32x4_ge f32x4_le i32x4_all_true i32x4_bitmask,
        maximum f32x4_pmax, minimum f32x4_pmin, sqrt f32x4_sqrt,
        subtract f32x4_sub, multiply f32x4_mul, add f32x4_add, divide f32x4_div
    );
    #[inline(always)]
    fn point(&[x, y, z]: &[f32; 3]) -> Two {
        [f32x4(x, y, z, 0.0), f32x4_splat(0.0)]
    }
    #[inline(always)]
    unsafe fn gather(x: &[Half<[f32; 4]>], rows: &[u32; 8]) -> [Two; 3] {
        let [a, b, c, d, e, f, g, h] = rows.map(|i| row(&x[i as usize]));
        let four = |[a, b, c, d]: [v128; 4]| {
            let ([ab, ab_z], [cd, cd_z]) = (interleaved(a, b), interleaved(c, d));
            let ([x, y], [z, _]) = (halves(ab, cd), halves(ab_z, cd_z));
            [x, y, z]
        };
        let ([x, y, z], [u, v, w]) = (four([a, b, c, d]), four([e, f, g, h]));
        [[x, u], [y, v], [z, w]]
    }
    #[inline(always)]
    unsafe fn differences(x: &[Half<[f32; 4]>], from: &[u32; 8], less: &[u32; 8]) -> [Two; 3] {
        let (a, b) = unsafe { (Self::gather(x, from), Self::gather(x, less)) };
        [Self::subtract(a[0], b[0]), Self::subtract(a[1], b[1]), Self::subtract(a[2], b[2])]
    }
    #[inline(always)]
    unsafe fn add_to([x, y, z]: [Two; 3], out: &mut [Half<[f32; 4]>], rows: &[u32; 8]) {
        for (half, rows) in rows.as_chunks::<4>().0.iter().enumerate() {
            let xy = interleaved(x[half], y[half]);
            let z = interleaved(z[half], f32x4_splat(0.0));
            let ([a, b], [c, d]) = (halves(xy[0], z[0]), halves(xy[1], z[1]));
            for (&i, v) in rows.iter().zip([a, b, c, d]) {
                let out = &mut out[i as usize];
                *out = lanes(f32x4_add(row(out), v));
            }
        }
    }
    #[inline(always)]
    fn sums([x, y, z]: [Two; 3]) -> Half<[f32; 4]> {
        let sum = |[a, b]: [v128; 2]| f32x4_add(a, b);
        let half = |i: usize| {
            let (xy, z) = (sum(interleaved(x[i], y[i])), sum(interleaved(z[i], f32x4_splat(0.0))));
            sum(halves(xy, z))
        };
        lanes(f32x4_add(half(0), half(1)))
    }
}
