//! Springs: what every bond between particles is, cloth thread, bend, shear, tet edge or hair link.
//!
//! A length l against a rest length r and a stiffness k make a tension k (l − r), or none when shorter, or the tension
//! of a strip that buckles (see `bending`).

use super::bending::{self, Strip};

/// How a spring answers to its length.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum SpringKind {
    /// Hooke's law in both directions: energy ½ k (l − r)².
    #[default]
    Linear,
    /// Hooke's law when longer than its rest length, no force at all when shorter.
    ExtensionOnly,
    /// A thin strip as long as the rest length that buckles when shorter (Choi & Ko 2002), no force when longer. Its
    /// stiffness c_b caps the buckling load. Make it with [`Spring::bend`].
    Bend {
        /// Bending stiffness k_b [N·m²].
        bending: f64,
        /// Length x_c \[m\] below which it is an arc, above which it is linear: where the two forces are equal.
        crossing: f64,
    },
}

/// What a spring is there for. Forces do not ask; strain limits, and methods that treat families apart, do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Family {
    /// Along edges, between neighbours.
    #[default]
    Stretch,
    /// Across quads.
    Shear,
    /// Between particles two or more apart, or across an edge.
    Bend,
}

/// A spring between two particles.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Spring {
    /// The particles at its ends.
    pub ends: [u32; 2],
    /// Length without force, r \[m\].
    pub rest_length: f64,
    /// Stiffness k [N/m].
    pub stiffness: f64,
    /// Force law.
    pub kind: SpringKind,
    /// What it is there for.
    pub family: Family,
}

impl Spring {
    /// A linear spring of the stretch family.
    pub fn new(a: u32, b: u32, rest_length: f64, stiffness: f64) -> Self {
        Spring { ends: [a, b], rest_length, stiffness, kind: SpringKind::Linear, family: Family::Stretch }
    }

    /// A Choi–Ko bend spring: a strip of length L \[m\] and bending stiffness k_b [N·m²] whose force is capped by
    /// c_b (L − l), c_b [N/m] at least 4π²k_b/L³.
    pub fn bend(a: u32, b: u32, length: f64, bending: f64, cap: f64) -> Self {
        let kappa = cap * (length * length * length) / (4.0 * bending);
        let kind = SpringKind::Bend { bending, crossing: length * bending::crossing(kappa) };
        Spring { kind, family: Family::Bend, ..Spring::new(a, b, length, cap) }
    }

    /// The same spring with all its forces multiplied.
    pub fn scaled(self, factor: f64) -> Self {
        let kind = match self.kind {
            SpringKind::Bend { bending, crossing } => {
                SpringKind::Bend { bending: bending * factor, crossing }
            }
            other => other,
        };
        Spring { stiffness: self.stiffness * factor, kind, ..self }
    }

    /// The same spring at another rest length \[m\].
    pub fn with_length(self, rest_length: f64) -> Self {
        let [a, b] = self.ends;
        match self.kind {
            SpringKind::Bend { bending, .. } => {
                Spring { family: self.family, ..Spring::bend(a, b, rest_length, bending, self.stiffness) }
            }
            _ => Spring { rest_length, ..self },
        }
    }

    /// The steepest slope of its force at any length [N/m].
    pub fn stiffest(&self) -> f64 {
        match self.kind {
            SpringKind::Bend { bending, .. } => bending::stiffest(self.rest_length, bending, self.stiffness),
            _ => self.stiffness,
        }
    }

    /// The strip that a bend spring is.
    #[inline]
    pub(crate) fn strip(&self) -> Option<Strip> {
        let SpringKind::Bend { bending, crossing } = self.kind else { return None };
        Some(Strip { length: self.rest_length, bending, cap: self.stiffness, crossing })
    }

    /// Tension \[N\] at a length \[m\], positive where it pulls, and its slope [N/m].
    #[inline]
    pub fn tension(&self, length: f64) -> (f64, f64) {
        let stretch = length - self.rest_length;
        match self.kind {
            SpringKind::ExtensionOnly if stretch <= 0.0 => (0.0, 0.0),
            SpringKind::Bend { .. } => {
                let (push, slope) = self.strip().expect("a bend spring").push(length);
                (-push, slope)
            }
            _ => (self.stiffness * stretch, self.stiffness),
        }
    }

    /// Ends as indices.
    #[inline]
    pub fn ab(&self) -> (usize, usize) {
        (self.ends[0] as usize, self.ends[1] as usize)
    }
}
