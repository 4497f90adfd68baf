//! Solids that move: a rigid motion over time.
//!
//! What was given at p is at a time t at
//!
//! ```text
//! c + R(θ(t)) (p − c) + d(t)
//! ```
//!
//! turned about a point c, which is shifted by d. θ is a rotation vector: its direction is the axis, its length the angle.
//! Both are straight between keys, constant before the first and after the last. So turns about one axis are even and may
//! be as many as one likes; between keys of different axes the rotation goes an even, not the shortest, way.

use crate::{Error, keys, math};
use glam::{DQuat, DVec3};

/// Where something rigid is: what was given at p is at `turn p + shift`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// How it is turned about the origin.
    pub turn: DQuat,
    /// How far it is shifted after that \[m\].
    pub shift: DVec3,
}

impl Pose {
    /// Turned about a point \[m\], then shifted \[m\].
    pub fn about(point: DVec3, turn: DQuat, shift: DVec3) -> Self {
        Pose { turn, shift: point - turn * point + shift }
    }

    /// Where what was given at `p` is \[m\].
    pub fn at(&self, p: DVec3) -> DVec3 {
        self.turn * p + self.shift
    }

    /// Refuse what is not a pose.
    pub fn validate(&self) -> Result<(), Error> {
        if self.shift.is_finite() && (self.turn.length_squared() - 1.0).abs() <= 1e-6 {
            return Ok(());
        }
        let value = format!("turn {}, shift {}", self.turn, self.shift);
        Err(Error::setting("pose", value, "needs a unit quaternion and a finite shift [m]"))
    }
}

/// A rigid motion over time.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Motion {
    /// The point c that it turns about \[m\].
    pub about: DVec3,
    /// (time \[s\], rotation vector θ \[rad\]), times increasing; none: it does not turn.
    pub turns: Vec<(f64, DVec3)>,
    /// (time \[s\], shift d \[m\]), times increasing; none: it is not shifted.
    pub shifts: Vec<(f64, DVec3)>,
}

impl Motion {
    /// A turn about an axis through a point \[m\] by angles over time: (time \[s\], angle \[rad\]).
    pub fn turning(about: DVec3, axis: DVec3, angles: Vec<(f64, f64)>) -> Self {
        let axis = axis.normalize();
        let turns = angles.into_iter().map(|(time, angle)| (time, angle * axis)).collect();
        Motion { about, turns, shifts: Vec::new() }
    }

    /// A shift over time: (time \[s\], displacement \[m\]).
    pub fn shifting(shifts: Vec<(f64, DVec3)>) -> Self {
        Motion { shifts, ..Motion::default() }
    }

    /// θ at a time \[s\].
    fn angles(&self, time: f64) -> DVec3 {
        keys::value_at(&self.turns, time)
    }

    /// How it is turned about [`Motion::about`] at a time \[s\].
    pub fn turn(&self, time: f64) -> DQuat {
        math::rotation(self.angles(time))
    }

    /// How far it is shifted at a time \[s\], in metres.
    pub fn shift(&self, time: f64) -> DVec3 {
        keys::value_at(&self.shifts, time)
    }

    /// Where it is at a time \[s\].
    pub fn pose(&self, time: f64) -> Pose {
        Pose::about(self.about, self.turn(time), self.shift(time))
    }

    /// Where what was given at `p` \[m\] is at a time \[s\].
    pub fn at(&self, p: DVec3, time: f64) -> DVec3 {
        let shift = self.shift(time);
        match self.turns.is_empty() {
            true => p + shift,
            false => self.about + self.turn(time) * (p - self.about) + shift,
        }
    }

    /// Where what is at `p` \[m\] at a time \[s\] was given.
    pub fn given(&self, p: DVec3, time: f64) -> DVec3 {
        let from = p - self.shift(time);
        match self.turns.is_empty() {
            true => from,
            false => self.about + self.turn(time).inverse() * (from - self.about),
        }
    }

    /// Where a point \[m\] and a direction fixed to it go from one time to another \[s\].
    pub fn carry(&self, p: DVec3, direction: DVec3, from: f64, to: f64) -> (DVec3, DVec3) {
        let [before, after] = [from, to].map(|time| self.shift(time));
        if self.turns.is_empty() {
            return (p + (after - before), direction);
        }
        let [a, b] = [from, to].map(|time| self.angles(time));
        // About one axis angles differ exactly; what does not turn is not touched by rounding.
        let turn = match a.cross(b) == DVec3::ZERO {
            true => math::rotation(b - a),
            false => math::rotation(b) * math::rotation(a).inverse(),
        };
        (self.about + turn * (p - self.about - before) + after, turn * direction)
    }

    /// Forget the keys and go from where it is `now` to a pose at `then` \[s\], by the shorter way round, and stay there.
    pub fn reach(&mut self, pose: Pose, now: f64, then: f64) {
        let (start, began) = (self.angles(now), self.shift(now));
        let turn = nearest(math::rotation_vector(pose.turn.normalize()), start);
        let shift = pose.at(self.about) - self.about;
        self.turns.clear();
        if (start, turn) != (DVec3::ZERO, DVec3::ZERO) {
            self.turns.extend([(now, start), (then, turn)]);
        }
        self.shifts.clear();
        self.shifts.extend([(now, began), (then, shift)]);
    }

    /// Add the pose at a time \[s\] after all keys: how a motion that nobody knew before is written down.
    pub fn record(&mut self, pose: Pose, time: f64) {
        let last = self.turns.last().map_or(DVec3::ZERO, |key| key.1);
        self.turns.push((time, nearest(math::rotation_vector(pose.turn.normalize()), last)));
        self.shifts.push((time, pose.at(self.about) - self.about));
    }

    /// Refuse what is not a motion. Keys are named as in a scene.
    pub fn validate(&self) -> Result<(), Error> {
        if !self.about.is_finite() {
            return Err(Error::setting("about", self.about, "must be finite"));
        }
        keys::check("turn", &self.turns)?;
        keys::check("path", &self.shifts)
    }
}

/// Of the rotation vectors of one rotation, which differ by whole turns, the one nearest to another.
fn nearest(turn: DVec3, to: DVec3) -> DVec3 {
    // What is not turned at all has every axis: it takes the other's.
    let Some(axis) = turn.try_normalize().or(to.try_normalize()) else { return turn };
    let whole = std::f64::consts::TAU;
    turn + whole * ((to - turn).dot(axis) / whole).round() * axis
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::f64::consts::PI;

    fn some(random: &mut Random) -> Motion {
        let mut keys = || (0..4).map(|k| (f64::from(k), 2.0 * random.vector())).collect();
        Motion { turns: keys(), shifts: keys(), about: random.vector() }
    }

    /// Going there, back and from one time to another agree, and distances stay.
    #[test]
    fn a_motion_is_rigid_and_goes_back() {
        let mut random = Random(3);
        for _ in 0..100 {
            let motion = some(&mut random);
            let (p, q, direction) = (random.vector(), random.vector(), random.vector());
            let (from, to) = (1.5 + random.vector().x, 1.5 + random.vector().y);
            let [a, b] = [p, q].map(|p| motion.at(p, from));
            assert!((a.distance(b) - p.distance(q)).abs() < 1e-14);
            assert!(motion.given(a, from).distance(p) < 1e-14);
            assert!(motion.pose(from).at(p).distance(a) < 1e-14);
            let (carried, turned) = motion.carry(a, direction, from, to);
            assert!(carried.distance(motion.at(p, to)) < 1e-14);
            let back = motion.carry(a + direction, direction, from, to).0 - carried;
            assert!(back.distance(turned) < 1e-14);
        }
    }

    /// About one axis a turn is even, however many times it goes round.
    #[test]
    fn three_turns_are_three_turns() {
        let axis = DVec3::new(1.0, 2.0, -0.5);
        let motion = Motion::turning(DVec3::X, axis, vec![(0.0, 0.0), (1.0, 6.0 * PI)]);
        for n in 0..=12 {
            let time = f64::from(n) / 12.0;
            let right = DQuat::from_axis_angle(axis.normalize(), 6.0 * PI * time);
            let p = DVec3::new(0.3, -0.2, 0.7);
            assert!(motion.at(p, time).distance(DVec3::X + right * (p - DVec3::X)) < 1e-14);
        }
    }

    /// What is told to go to a pose starts where it is, is there in time, and takes the shorter way round.
    #[test]
    fn a_pose_is_reached_by_the_shorter_way() {
        let mut random = Random(5);
        for _ in 0..100 {
            let mut motion = some(&mut random);
            let (before, point) = (motion.pose(1.3), random.vector());
            let turn = DQuat::from_scaled_axis(4.0 * random.vector());
            let pose = Pose { turn, shift: random.vector() };
            motion.reach(pose, 1.3, 1.4);
            motion.validate().unwrap();
            assert!(motion.at(point, 1.3).distance(before.at(point)) < 1e-14);
            assert!(motion.at(point, 1.4).distance(pose.at(point)) < 1e-14);
            assert!(motion.at(point, 9.0).distance(pose.at(point)) < 1e-14);
        }
        let mut motion = Motion::turning(DVec3::ZERO, DVec3::Z, vec![(0.0, 3.1)]);
        motion.reach(Pose { turn: DQuat::from_rotation_z(-3.1), shift: DVec3::ZERO }, 0.0, 1.0);
        assert!((motion.turns[1].1.z - (std::f64::consts::TAU - 3.1)).abs() < 1e-14);
    }
}
