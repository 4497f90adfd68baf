//! A person who walks and turns: one surface, and where its vertices are frame by frame.
//!
//! It stands for [`STANDS`], then eases into its walk over [`EASES`], so that what it wears gets no blow. Hips and
//! shoulders swing as sines of the way gone, knees bend while their leg swings forward, arms swing against the legs. A
//! vertex goes where the bones it hangs on would take it, in the mean of their shares. The pelvis is as high as the
//! lower foot needs. The steps are as long as its legs are wide open, so that feet hardly slide.
//! Does not handle: running, stairs, hands.

use super::person::{
    self, CHEST, FOOT, FOREARM, HEAD, PELVIS, SHIN, SIDE, SOLES, Skin, TALL, THIGH, UPPER_ARM,
};
use super::{positive, zero_or_more};
use crate::Error;
use crate::collision::Frames;
use crate::math::{cos, exp, ln, rotation, sin};
use glam::{DAffine3, DMat3, DVec3};
use std::f64::consts::TAU;

/// How long it stands before it goes \[s\].
const STANDS: f64 = 0.5;
/// How long it takes to reach its speed after that \[s\].
const EASES: f64 = 1.5;
/// Most it may walk for \[s\]: every frame is kept, some 60 kB.
const LONGEST: f64 = 60.0;
/// Height of the hips above the ankles \[m\], of a person as tall as [`TALL`].
const LEGS: f64 = 0.83;
/// How far legs swing forward and back.
const SWING: f64 = 0.38;

/// A person who walks and turns, facing +X at first, its feet on y = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Walker {
    /// How tall it is \[m\].
    pub height: f64,
    /// Speed \[m/s\].
    pub speed: f64,
    /// How fast it turns to its left \[rad/s\]: it walks in a circle of radius speed/turn.
    pub turn: f64,
}

/// A surface that moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Walk {
    /// Vertices in the first frame \[m\].
    pub positions: Vec<DVec3>,
    /// Faces, closed and counter-clockwise seen from outside; the same in all frames.
    pub triangles: Vec<[u32; 3]>,
    /// Where the vertices are.
    pub frames: Frames,
}

impl Default for Walker {
    fn default() -> Self {
        Walker { height: TALL, speed: 1.1, turn: 0.6 }
    }
}

impl Walker {
    /// Refuse numbers that nobody can walk with.
    pub fn check(&self) -> Result<(), Error> {
        positive("height", self.height)?;
        let most = 1.5 * self.height;
        if zero_or_more("speed", self.speed)? > most {
            return Err(Error::setting(
                "speed",
                self.speed,
                format!("nobody this tall walks at above {most} m/s"),
            ));
        }
        if self.turn.is_nan() || self.turn.abs() > std::f64::consts::PI {
            let degrees = self.turn.to_degrees();
            return Err(Error::setting("turn", degrees, "must be between -180 and 180 degrees per second"));
        }
        Ok(())
    }

    /// The person and its walk for some time \[s\], so many frames per second \[1/s\].
    pub fn walk(&self, seconds: f64, rate: f64) -> Result<Walk, Error> {
        self.check()?;
        positive("frames_per_second", rate)?;
        if zero_or_more("duration", seconds)? * rate > LONGEST * 60.0 {
            let remedy =
                format!("a walk has at most {} frames, of which {rate} are a second", LONGEST * 60.0);
            return Err(Error::setting("duration", seconds, remedy));
        }
        let Skin { positions: rest, triangles, shares } = person::skin()?;
        let scale = self.height / TALL;
        let mut positions = Vec::new();
        for frame in 0..=(seconds * rate).ceil() as usize {
            let poses = self.poses(frame as f64 / rate);
            let place = |(p, shares): (&DVec3, &Vec<(usize, f64)>)| {
                shares.iter().map(|&(bone, share)| share * poses[bone].transform_point3(*p)).sum::<DVec3>()
                    * scale
            };
            positions.extend(rest.iter().zip(&shares).map(place));
        }
        let first = positions[..rest.len()].to_vec();
        Ok(Walk { positions: first, triangles, frames: Frames { rate, positions } })
    }

    /// Where every bone takes the points around it at a time \[s\], for a person as tall as [`TALL`].
    fn poses(&self, time: f64) -> Vec<DAffine3> {
        let (pace, gone) = ease(time);
        let way = self.speed * gone * TALL / self.height;
        // A step is as long as the legs are open.
        let phase = TAU * way / (4.0 * LEGS * sin(SWING));
        let sway = pace * sin(phase);
        let forward = |angle| DMat3::from_quat(rotation(angle * DVec3::Z));
        let about = |angle| DMat3::from_quat(rotation(angle * DVec3::Y));
        let tilt = |angle| DMat3::from_quat(rotation(angle * DVec3::X));
        let mut turns = vec![DMat3::IDENTITY; UPPER_ARM + 2 * SIDE];
        turns[PELVIS] = about(0.10 * sway) * tilt(0.05 * pace * cos(phase));
        turns[CHEST] = about(-0.20 * sway) * tilt(-0.06 * pace * cos(phase)) * forward(-0.03 * pace);
        turns[HEAD] = about(0.10 * sway) * forward(0.03 * pace);
        for (first, phase) in [(0, phase), (SIDE, phase + TAU / 2.0)] {
            let (swing, lifted) = (sin(phase), 0.5 + 0.5 * cos(phase + 0.3));
            let knee = pace * (0.08 + 0.85 * lifted * lifted);
            turns[UPPER_ARM + first] = forward(-0.35 * pace * swing);
            turns[FOREARM + first] = forward(pace * (0.2 - 0.15 * swing));
            turns[THIGH + first] = forward(pace * (SWING * swing + 0.08));
            turns[SHIN + first] = forward(-knee);
            turns[FOOT + first] = forward(pace * (0.25 * lifted - 0.1 * swing));
        }
        let bones = person::bones();
        let mut poses: Vec<DAffine3> = Vec::with_capacity(bones.len());
        for (number, (bone, turn)) in bones.iter().zip(turns).enumerate() {
            let own = DAffine3::from_mat3_translation(turn, bone.joint - turn * bone.joint);
            poses.push(if number == PELVIS { own } else { poses[bone.parent] * own });
        }
        let angle = self.turn * gone;
        // The chord of the way on its circle.
        let chord = if angle == 0.0 { way } else { way * sin(0.5 * angle) / (0.5 * angle) };
        let there = about(0.5 * angle) * DVec3::X * chord - DVec3::Y * lowest(&poses);
        let root = DAffine3::from_mat3_translation(about(angle), there);
        poses.into_iter().map(|pose| root * pose).collect()
    }
}

/// Share of the full walk at a time \[s\], smooth, and its integral \[s\].
fn ease(time: f64) -> (f64, f64) {
    let u = ((time - STANDS) / EASES).clamp(0.0, 1.0);
    let beyond = (time - STANDS - EASES).max(0.0);
    (u * u * (3.0 - 2.0 * u), EASES * (u * u * u - 0.5 * u.powi(4)) + beyond)
}

/// How high the lower foot is \[m\], passing smoothly from one to the other.
fn lowest(poses: &[DAffine3]) -> f64 {
    let mirror = DVec3::new(1.0, 1.0, -1.0);
    let heights = SOLES.iter().flat_map(|&sole| {
        [poses[FOOT].transform_point3(sole).y, poses[FOOT + SIDE].transform_point3(sole * mirror).y]
    });
    // Smooth: of four equal heights it is their mean.
    let sharp = 60.0;
    -ln(heights.map(|y| exp(-sharp * y)).sum::<f64>() / 4.0) / sharp
}
