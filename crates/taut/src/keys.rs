//! Key frames: values at given times, straight between them.

use std::ops::{Add, Mul, Sub};

/// The value at a time of keys (time, value) with increasing times: straight between two keys, constant before the
/// first and after the last, zero without any.
pub(crate) fn value_at<T>(keys: &[(f64, T)], time: f64) -> T
where
    T: Copy + Default + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    let next = keys.partition_point(|&(t, _)| t <= time);
    match (next.checked_sub(1).and_then(|i| keys.get(i)), keys.get(next)) {
        (Some(&(t0, a)), Some(&(t1, b))) => a + (b - a) * ((time - t0) / (t1 - t0)),
        (Some(&(_, a)), None) | (None, Some(&(_, a))) => a,
        (None, None) => T::default(),
    }
}
