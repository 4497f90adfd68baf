//! Solids that turn: a rigid rotation about a fixed axis, by angles over time. Enough for a bending arm; not handled:
//! paths of the axis itself.

use crate::{Error, keys};
use glam::{DQuat, DVec3};

/// A rotation over time.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Motion {
    /// A point of the axis \[m\].
    pub about: DVec3,
    /// Direction of the axis, of any length but zero.
    pub axis: DVec3,
    /// (time \[s\], angle \[rad\]), times increasing; straight between, constant before the first and after the last.
    pub keys: Vec<(f64, f64)>,
}

impl Motion {
    /// Angle \[rad\] at a time \[s\].
    pub fn angle(&self, time: f64) -> f64 {
        keys::value_at(&self.keys, time)
    }

    /// The rotation from the pose at one time to the pose at another \[s\].
    pub fn turn(&self, from: f64, to: f64) -> DQuat {
        DQuat::from_axis_angle(self.axis.normalize(), self.angle(to) - self.angle(from))
    }

    /// The rotation from the pose the solid was given in to the pose at a time \[s\].
    pub fn pose(&self, time: f64) -> DQuat {
        DQuat::from_axis_angle(self.axis.normalize(), self.angle(time))
    }

    /// Refuse what is not a motion.
    pub fn validate(&self) -> Result<(), Error> {
        if !self.about.is_finite() || self.axis.try_normalize().is_none() {
            let value = format!("about {}, axis {}", self.about, self.axis);
            return Err(Error::setting(
                "turn",
                value,
                "the point must be finite and the axis must have a length",
            ));
        }
        let finite = self.keys.iter().all(|(t, a)| t.is_finite() && a.is_finite());
        if self.keys.is_empty() || !finite || self.keys.windows(2).any(|k| k[0].0 >= k[1].0) {
            let remedy = "needs at least one [time, angle]; all finite, times increasing";
            return Err(Error::setting("turn.path", format!("{:?}", self.keys), remedy));
        }
        Ok(())
    }
}
