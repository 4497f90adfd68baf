//! Vectors of 256 bits, for what the processor can do: the alphabet that kernels are written in.
//!
//! A block is one number for each of [`Real::WIDTH`] rows, and fills one vector; x, y and z of those rows are
//! three vectors, so no lane is wasted. In memory a row is `[x, y, z, 0]`. Every instruction set gives the same
//! sums in the same order; only whether products are fused with sums differs, and that is in the name.
#![expect(unsafe_code, reason = "three letters of the alphabet trust their callers with indices")]

mod portable;
#[cfg(target_feature = "simd128")]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use glam::DVec3;
use portable::Portable;

/// Numbers aligned like the vector they fill.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Wide<A>(pub A);

/// Numbers aligned like half a vector.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Half<A>(pub A);

/// A point in f64: x, y, z and 0.
pub(crate) type Row = Wide<[f64; 4]>;

/// A number that vectors are made of.
pub(crate) trait Real: Copy + Default + Send + Sync + 'static {
    /// Rows of a block.
    const WIDTH: usize;
    /// Whether it is as good as f64.
    const EXACT: bool = Self::WIDTH == f64::WIDTH;
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
    #[cfg(target_feature = "simd128")]
    type Simd128: Simd<Self>;
    fn block(numbers: &[f64]) -> Self::Block;
    fn rows(rows: &[u32]) -> Self::Rows;
    fn lanes(v: DVec3) -> Self::Lanes;
    fn point(v: &Self::Lanes) -> DVec3;
    fn sum(a: &Self::Lanes, b: &Self::Lanes) -> Self::Lanes;
    /// A row in f64, and back.
    fn exact(v: &Self::Lanes) -> Row;
    fn rounded(v: &Row) -> Self::Lanes;
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
    /// The first numbers x, y and z, the others 0.
    fn point(xyz: &[T; 3]) -> Self::Vector;
    /// a b + c, fused or not.
    fn multiply_add(a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// a·b of points, x, y and z of each.
    #[inline(always)]
    fn dot(a: [Self::Vector; 3], b: [Self::Vector; 3]) -> Self::Vector {
        Self::multiply_add(a[2], b[2], Self::multiply_add(a[1], b[1], Self::multiply(a[0], b[0])))
    }
    fn subtract(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn multiply(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn add(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn divide(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn sqrt(v: Self::Vector) -> Self::Vector;
    /// The larger of both, neither of which may be NaN.
    fn max(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The smaller of both; the second where one is NaN.
    fn min(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// v where the test is above 0, else 0.
    fn where_positive(test: Self::Vector, v: Self::Vector) -> Self::Vector;
    /// Whether all numbers are positive and neither denormal nor infinite.
    fn all_normal(v: Self::Vector) -> bool;
    /// x, y and z of some rows.
    ///
    /// # Safety
    /// All rows are in x.
    unsafe fn gather(x: &[T::Lanes], rows: &T::Rows) -> [Self::Vector; 3];
    /// x, y and z of the differences of some rows.
    ///
    /// # Safety
    /// All rows are in x.
    unsafe fn differences(x: &[T::Lanes], from: &T::Rows, less: &T::Rows) -> [Self::Vector; 3];
    /// Add x, y and z to some rows, the first of them first.
    ///
    /// # Safety
    /// All rows are in x.
    unsafe fn add_to(v: [Self::Vector; 3], x: &mut [T::Lanes], rows: &T::Rows);
    /// The sum of the numbers in each of three vectors, halves and then halves of halves.
    fn sums(v: [Self::Vector; 3]) -> T::Lanes;
}

/// Four points are three vectors.
#[inline(always)]
pub(crate) fn vectors<V: Simd<f64>>([a, b, c, d]: &[DVec3; 4]) -> [V::Vector; 3] {
    let (first, second) = ([a.x, a.y, a.z, b.x], [b.y, b.z, c.x, c.y]);
    [V::load(&Wide(first)), V::load(&Wide(second)), V::load(&Wide([c.z, d.x, d.y, d.z]))]
}

macro_rules! real {
    ($t:ty, $width:literal, $lanes:ident, $name:ident) => {
        impl Real for $t {
            const WIDTH: usize = $width;
            type Block = Wide<[$t; $width]>;
            type Rows = [u32; $width];
            type Lanes = $lanes<[$t; 4]>;
            type Plain = Portable<false>;
            type Fused = Portable<true>;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = x86::$name;
            #[cfg(target_feature = "simd128")]
            type Simd128 = wasm::$name;
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
            fn exact(v: &Self::Lanes) -> Row {
                Wide(v.0.map(|v| v as f64))
            }
            #[inline(always)]
            fn rounded(v: &Row) -> Self::Lanes {
                $lanes(v.0.map(|v| v as $t))
            }
            #[inline(always)]
            fn xyz(v: &Self::Lanes) -> [$t; 3] {
                [v.0[0], v.0[1], v.0[2]]
            }
        }
    };
}
real!(f64, 4, Wide, Doubles);
real!(f32, 8, Half, Singles);

#[cfg(test)]
mod tests;
