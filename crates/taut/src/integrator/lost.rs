//! When a method that is not stable at any step has blown up, though every number is still finite.

use crate::energy::length;
use crate::{Error, Model};
use glam::DVec3;
use std::cell::LazyCell;

/// Length of a spring, in rest lengths (its own or the mean, whichever is longer), at which a run has diverged. The
/// worst that still looked like cloth, \[Demo\]'s second state, has 2.3; past a hundred everything overflows soon.
const LOST: f64 = 100.0;

/// Name the longest spring if it is lost, and the end of it that is farther from where it began: the other may be a pin.
pub(crate) fn check_springs(model: &Model, x: &[DVec3], time: f64) -> Result<(), Error> {
    // Asked for only once a spring is long for its own length: this is done after every step.
    let mean = LazyCell::new(|| model.mean_rest_length());
    let mut worst = (LOST, None);
    for (i, s) in model.springs.iter().enumerate() {
        let l = length(x[s.ab().0] - x[s.ab().1]);
        if l > worst.0 * s.rest_length && l > worst.0 * *mean {
            worst = (l / s.rest_length.max(*mean), Some(i));
        }
    }
    let (stretch, Some(spring)) = worst else { return Ok(()) };
    let (a, b) = model.springs[spring].ab();
    let way = |i: usize| length(x[i] - model.rest[i]);
    let particle = if way(b) > way(a) { b } else { a };
    Err(Error::Diverged { spring, particle, stretch, time })
}
