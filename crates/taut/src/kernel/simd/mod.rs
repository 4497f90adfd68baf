//! Vectors of 256 bits: the operations that kernels are written in, for every instruction set.
//!
//! A vector has [`Real::WIDTH`] lanes with one number each: four in f64, eight in f32. Points are held in two ways:
//!
//! ```text
//! in memory, one point               [x y z 0]                                     Real::Lanes
//! in registers, one point per lane   [x₀ x₁ x₂ x₃]  [y₀ y₁ y₂ y₃]  [z₀ z₁ z₂ z₃]   three vectors, no lane wasted
//! ```
//!
//! [`Simd::gather`] goes from the first to the second, [`Simd::add_to`] back. Every instruction set adds the same numbers
//! in the same order. Only fused ones, which round `a b + c` once, differ from the others, which round it twice.
#![expect(unsafe_code, reason = "three operations trust their callers with indices")]

mod portable;
#[cfg(target_feature = "simd128")]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use glam::DVec3;
use portable::Portable;

/// An array that fills a vector, aligned like one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Wide<A>(pub A);

/// An array that fills half a vector, aligned like that.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Half<A>(pub A);

/// Four numbers, one per lane of a vector: those of four edges, for example, or x, y, z and 0 of a point.
pub(crate) type Four = Wide<[f64; 4]>;

/// A number that vectors are made of.
pub(crate) trait Real: Copy + Default + Send + Sync + 'static {
    /// Lanes of a vector.
    const WIDTH: usize;
    /// Whether it is f64.
    const EXACT: bool = Self::WIDTH == f64::WIDTH;
    /// The numbers of one vector in memory, one per lane.
    type Block: Copy + Default + Send + Sync;
    /// Indices of points, one per lane.
    type Rows: Copy + Send + Sync + AsRef<[u32]>;
    /// One point in memory: x, y, z and 0.
    type Lanes: Copy + Default + Send + Sync;
    /// The vectors of each instruction set.
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
    /// A point in f64, and back.
    fn exact(v: &Self::Lanes) -> Four;
    fn rounded(v: &Four) -> Self::Lanes;
    /// x, y and z of a point.
    fn xyz(v: &Self::Lanes) -> [Self; 3];
}

/// Vectors of [`Real::WIDTH`] numbers. All operations act lane by lane unless they say otherwise.
pub(crate) trait Simd<T: Real> {
    type Vector: Copy;
    /// Ask for numbers to be fetched into the cache, a few kilobytes at most. A hint, without effect on results.
    #[inline(always)]
    fn prefetch(_: &[T::Block]) {}
    fn load(v: &T::Block) -> Self::Vector;
    fn store(v: Self::Vector) -> T::Block;
    fn splat(v: T) -> Self::Vector;
    /// x, y and z in the first three lanes, 0 in the others.
    fn point(xyz: &[T; 3]) -> Self::Vector;
    /// a b + c, fused or not.
    fn multiply_add(a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// a·b of points, one per lane: x, y and z of each.
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
    /// `yes` where the test is above 0, else `no`.
    fn select(test: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector;
    /// Which numbers are above 0: bit i of lane i.
    fn positive(v: Self::Vector) -> u32;
    /// Whether all numbers are positive and neither denormal nor infinite.
    fn all_normal(v: Self::Vector) -> bool;
    /// The points of x with these indices: their x, y and z, one point per lane.
    ///
    /// # Safety
    /// The indices are below the length of x.
    unsafe fn gather(x: &[T::Lanes], rows: &T::Rows) -> [Self::Vector; 3];
    /// The same for differences of two points, x\[from\] − x\[less\].
    ///
    /// # Safety
    /// The indices are below the length of x.
    unsafe fn differences(x: &[T::Lanes], from: &T::Rows, less: &T::Rows) -> [Self::Vector; 3];
    /// Add the x, y and z of each lane to the point of x with its index, lane by lane: indices may repeat.
    ///
    /// # Safety
    /// The indices are below the length of x.
    unsafe fn add_to(v: [Self::Vector; 3], x: &mut [T::Lanes], rows: &T::Rows);
    /// The sums over the lanes of three vectors, as one point: first pairs of lanes, then pairs of these sums, …
    fn sums(v: [Self::Vector; 3]) -> T::Lanes;
}

/// The twelve numbers of four points, in the order of memory, in three vectors.
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
            fn exact(v: &Self::Lanes) -> Four {
                Wide(v.0.map(|v| v as f64))
            }
            #[inline(always)]
            fn rounded(v: &Four) -> Self::Lanes {
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
