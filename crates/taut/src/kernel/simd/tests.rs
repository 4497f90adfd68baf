//! Every operation on vectors, for every instruction set, against arrays. Inputs are no longer than what is read, so that
//! a memory checker notices reading too far.

#![expect(unsafe_code, reason = "calling what is tested")]

use super::super::dispatch::{Kernel, Work, run};
use super::{Real, Simd};
use glam::DVec3;
use std::fmt::Debug;

/// Numbers of all kinds and signs but NaN.
const NUMBERS: [f64; 8] = [-3.0, 0.1, -0.0, 0.0, 1e30, 7.0, -1e-30, 2.5];

struct Operations<T: Real> {
    a: Box<[T::Block]>,
    x: Box<[T::Lanes]>,
    from: T::Rows,
    less: T::Rows,
}

impl<T: Real> Operations<T> {
    fn new() -> Self {
        let last = 2 * T::WIDTH as u32 - 1;
        let up: Vec<u32> = (0..=last).step_by(2).collect();
        let down: Vec<u32> = (0..=last).rev().step_by(2).collect();
        let lanes = |i| T::lanes(DVec3::new(0.1, -0.7, 1.3) * f64::from(i) + DVec3::new(1.0, 0.0, -2.0));
        let turned = |by: usize| -> Vec<f64> { (0..8).map(|i| NUMBERS[(i + by) % 8]).collect() };
        Operations {
            a: (0..8).map(|by| T::block(&turned(by))).collect(),
            x: (0..=last).map(lanes).collect(),
            from: T::rows(&down),
            less: T::rows(&up),
        }
    }
}

impl<T: Real> Work<T> for Operations<T>
where
    T::Block: Debug,
    T::Lanes: Debug,
{
    /// Every result, as text: equal numbers may differ in the sign of zero, their texts may not.
    type Output = String;
    #[inline(always)]
    fn run<V: Simd<T>, const FUSED: bool>(mut self) -> String {
        V::prefetch(&self.a);
        let mut out = Vec::new();
        for pair in self.a.windows(2) {
            let (a, b) = (V::load(&pair[0]), V::load(&pair[1]));
            let (square, one) = (V::multiply(a, a), V::splat(T::xyz(&self.x[0])[0]));
            let results = [
                V::multiply_add(a, b, V::splat(T::xyz(&self.x[1])[0])),
                V::subtract(a, b),
                V::multiply(a, b),
                V::add(a, b),
                V::sqrt(square),
                V::divide(a, V::add(square, one)),
                V::max(a, b),
                V::min(a, b),
                V::select(a, b, one),
                // The square root of a negative number is NaN, and `min` then gives b.
                V::min(V::sqrt(V::subtract(V::splat(T::default()), V::add(square, one))), b),
                V::where_positive(a, b),
            ];
            let tests = (V::all_normal(V::sqrt(square)), V::positive(a));
            out.push(format!("{:?} {tests:?}", results.map(V::store)));
        }
        let one = V::splat(T::xyz(&self.x[0])[0]);
        // SAFETY: here and below, the rows are those of x.
        let gathered = unsafe { V::gather(&self.x, &self.from) };
        let differences = unsafe { V::differences(&self.x, &self.from, &self.less) };
        out.push(format!("{:?} {:?}", gathered.map(V::store), differences.map(V::store)));
        out.push(format!("{:?} {}", V::sums(differences), V::all_normal(one)));
        let point = Box::new(T::xyz(&self.x[1]));
        out.push(format!("{:?}", V::store(V::point(&point))));
        unsafe { V::add_to(differences, &mut self.x, &self.less) };
        out.push(format!("{:?}", self.x));
        out.join("\n")
    }
}

fn agrees<T: Real>()
where
    T::Block: Debug,
    T::Lanes: Debug,
{
    for kernel in Kernel::available() {
        let arrays = if kernel.fused() {
            Operations::<T>::new().run::<T::Fused, true>()
        } else {
            Operations::<T>::new().run::<T::Plain, false>()
        };
        assert_eq!(run(kernel, Operations::<T>::new()), arrays, "{kernel:?}");
    }
}

#[test]
fn every_instruction_set_does_what_arrays_do() {
    agrees::<f64>();
    agrees::<f32>();
}
