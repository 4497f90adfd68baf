//! When a method that is not stable at any step has blown up, though every number is still finite.

use crate::energy::length;
use crate::{Error, Model, Spring};
use glam::DVec3;

/// Length of a spring, in rest lengths (its own or the mean, whichever is longer), at which a run has diverged. The
/// worst that still looked like cloth, \[Demo\]'s second state, has 2.3; past a hundred everything overflows soon.
const LOST: f64 = 100.0;

/// Name the first spring that is lost.
pub(super) fn check_springs(model: &Model, x: &[DVec3], mean: f64, time: f64) -> Result<(), Error> {
    let ratio = |s: &Spring| length(x[s.ab().0] - x[s.ab().1]) / s.rest_length.max(mean);
    match model.springs.iter().position(|s| ratio(s) > LOST) {
        None => Ok(()),
        Some(i) => {
            let spring = &model.springs[i];
            Err(Error::Diverged { spring: i, particle: spring.ab().0, stretch: ratio(spring), time })
        }
    }
}
