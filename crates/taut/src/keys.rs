//! Key frames: values at given times, straight between them.

use crate::Error;
use glam::DVec3;
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

/// Refuse keys that are not finite or not in order, naming them as those of `key`.
pub(crate) fn check(key: &str, keys: &[(f64, DVec3)]) -> Result<(), Error> {
    let shown = |(t, p): &(f64, DVec3)| format!("[{t}, {}, {}, {}]", p.x, p.y, p.z);
    if let Some(odd) = keys.iter().find(|(t, p)| !t.is_finite() || !p.is_finite()) {
        let remedy = format!("{key} times and positions must be finite");
        return Err(Error::setting(key, shown(odd), remedy));
    }
    match keys.windows(2).find(|k| k[0].0 >= k[1].0) {
        Some(k) => {
            let value = format!("{}, {}", shown(&k[0]), shown(&k[1]));
            Err(Error::setting(key, value, format!("{key} times must increase")))
        }
        None => Ok(()),
    }
}
