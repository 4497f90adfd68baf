//! A contact: a point made of particles that touches something, for the coming step and remembered after it.

use super::Filter;
use glam::DVec3;

/// The point `p = Σ wᵢ xᵢ` of at most four particles touches a surface (one particle today; vertex–face and edge–edge
/// need four). Whoever finds it writes where it is and how it may move; a method that can hold it during the step says
/// so and writes the force; what nobody held is put right after the step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Particles; entries without weight are not used.
    pub particles: [u32; 4],
    /// Their weights w (dimensionless).
    pub weights: [f64; 4],
    /// The obstacle it touches, by number.
    pub obstacle: u32,
    /// Outward unit normal of the surface at the end of the step.
    pub normal: DVec3,
    /// Distance of the point from the surface at the start of the step \[m\], negative inside.
    pub gap: f64,
    /// Coefficient of friction μ (dimensionless).
    pub friction: f64,
    /// Where the point of the surface below it will be at the end of the step \[m\].
    pub place: DVec3,
    /// Whether friction has given way: the point slides in the tangent plane. If not it stays at `place`.
    pub slides: bool,
    /// Velocity a sliding point begins the step with, friction taken off [m/s].
    pub velocity: DVec3,
    /// The same relative to the surface [m/s]: next time it tells what other forces add in a step.
    pub sliding: DVec3,
    /// Whether the method held it in the last step.
    pub held: bool,
    /// Force \[N\] with which it did; of a contact that is new, with which it would have had to.
    pub reaction: DVec3,
}

impl Contact {
    /// A particle that has just touched an obstacle: it slides, and nothing has held it yet.
    pub fn of_particle(particle: usize, obstacle: usize) -> Self {
        Contact {
            particles: [particle as u32, 0, 0, 0],
            weights: [1.0, 0.0, 0.0, 0.0],
            obstacle: obstacle as u32,
            slides: true,
            ..Contact::default()
        }
    }

    /// What friction is judged by until something has held it: the force that would have been needed. In the step of
    /// `h` \[s\] in which a particle of this `mass` \[kg\] touched, forces `gained` so much velocity for it [m/s]; now
    /// it moves so `relative` to the surface [m/s].
    pub fn expecting(self, mass: f64, gained: DVec3, relative: DVec3, h: f64) -> Self {
        Contact { reaction: -mass / h * gained, sliding: relative - gained, ..self }
    }

    /// Its particle, if it has only one.
    pub fn single(&self) -> Option<usize> {
        (self.weights == [1.0, 0.0, 0.0, 0.0]).then_some(self.particles[0] as usize)
    }

    /// What a particle held by it may do in the step.
    pub fn filter(&self) -> Filter {
        match self.slides {
            true => Filter::Plane { normal: self.normal, through: self.place },
            false => Filter::Pinned(self.place),
        }
    }
}
