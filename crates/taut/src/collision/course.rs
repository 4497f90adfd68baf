//! How prescribed particles move: all of them as one rigid body, or each by itself from frame to frame.

use super::Motion;
use crate::Error;
use glam::DVec3;

/// How prescribed particles move.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Course {
    /// As one rigid body.
    Rigid(Box<Motion>),
    /// Each by itself.
    Frames(Box<Frames>),
}

/// Positions of some particles at even times, straight in between, constant after the last.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Frames {
    /// Frames per second [1/s].
    pub rate: f64,
    /// Positions of all particles in the first frame, then in the second, and so on \[m\].
    pub positions: Vec<DVec3>,
}

impl Course {
    /// Where particle `number` of `count` is at a time \[s\], if it was given at `from` \[m\].
    pub(crate) fn at(&self, (number, count): (usize, usize), from: DVec3, time: f64) -> DVec3 {
        match self {
            Course::Rigid(motion) => motion.at(from, time),
            Course::Frames(frames) => frames.at(number, count, time),
        }
    }

    /// Refuse what is not a course of so many particles.
    pub fn validate(&self, particles: usize) -> Result<(), Error> {
        match self {
            Course::Rigid(motion) => motion.validate(),
            Course::Frames(frames) => frames.validate(particles),
        }
    }
}

impl Frames {
    fn at(&self, number: usize, count: usize, time: f64) -> DVec3 {
        let last = self.positions.len() / count - 1;
        let place = (time * self.rate).clamp(0.0, last as f64);
        let frame = (place as usize).min(last.saturating_sub(1));
        let of = |frame: usize| self.positions[frame * count + number];
        let (a, b) = (of(frame), of((frame + 1).min(last)));
        a + (b - a) * (place - frame as f64)
    }

    fn validate(&self, particles: usize) -> Result<(), Error> {
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return Err(Error::setting("frames_per_second", self.rate, "must be positive and finite"));
        }
        let count = self.positions.len();
        if particles == 0 || count == 0 || !count.is_multiple_of(particles) {
            let remedy = format!("every frame needs one for each of the {particles} particles");
            return Err(Error::setting("positions of frames", count, remedy));
        }
        match self.positions.iter().position(|p| !p.is_finite()) {
            Some(at) => {
                let name = format!("position {} of frame {}", at % particles, at / particles);
                Err(Error::setting(name, self.positions[at], "must be finite"))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_met_and_straight_in_between() {
        let positions = [0.0, 1.0, 2.0, 5.0, -1.0, 1.0].map(|x| DVec3::new(x, 0.0, -x)).to_vec();
        let frames = Course::Frames(Box::new(Frames { rate: 2.0, positions }));
        frames.validate(2).unwrap();
        assert!(frames.validate(4).is_err() && frames.validate(0).is_err());
        let at = |number, time| frames.at((number, 2), DVec3::ZERO, time).x;
        assert_eq!(
            [-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 7.0].map(|t| at(0, t)),
            [0.0, 0.0, 1.0, 2.0, 0.5, -1.0, -1.0]
        );
        assert_eq!([0.0, 0.5, 0.75, 1.0].map(|t| at(1, t)), [1.0, 5.0, 3.0, 1.0]);
        let alone = Course::Frames(Box::new(Frames { rate: 1.0, positions: vec![DVec3::X] }));
        assert_eq!(alone.at((0, 1), DVec3::ZERO, 3.0), DVec3::X);
    }
}
