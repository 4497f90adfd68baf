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

    /// The same spring with another stiffness [N/m]; of one that buckles all forces are multiplied alike, so it must not
    /// have been zero.
    pub fn with_stiffness(self, stiffness: f64) -> Self {
        match self.kind {
            SpringKind::Bend { .. } if stiffness != self.stiffness => {
                Spring { stiffness, ..self.scaled(stiffness / self.stiffness) }
            }
            _ => Spring { stiffness, ..self },
        }
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

    /// Energy \[J\] at a length \[m\]: ½ k (l − r)² for a linear spring, zero for an extension-only spring that is
    /// slack, that of the arc for a bend spring.
    #[inline]
    pub fn energy(&self, length: f64) -> f64 {
        if let Some(strip) = self.strip() {
            return strip.energy(length);
        }
        let stretch = length - self.rest_length;
        if self.kind == SpringKind::ExtensionOnly && stretch <= 0.0 {
            return 0.0;
        }
        0.5 * self.stiffness * stretch * stretch
    }

    /// Tension over length, w [N/m] at a length \[m\]: a spring with the vector p pulls its ends with w p, for a linear
    /// one `w = k (1 − r/l)`. `None` where there is no such number: without length, or so short that w overflows.
    #[inline]
    pub(crate) fn weight(&self, length: f64) -> Option<f64> {
        let w = match self.kind {
            SpringKind::Bend { .. } => self.tension(length).0 / length,
            SpringKind::ExtensionOnly if length <= self.rest_length => 0.0,
            _ => self.stiffness * (1.0 - self.rest_length / length),
        };
        Some(w).filter(|w| w.is_finite())
    }

    /// How its force grows at a length \[m\]: the slope k of its tension [N/m], and the part t of k by which it holds
    /// against motion across it (dimensionless). With x̂ its direction, the derivative of its force is
    ///
    /// ```text
    /// k [x̂x̂ᵀ + t (I − x̂x̂ᵀ)],      k t = tension/l,      t = 1 − r/l if it is linear
    /// ```
    ///
    /// t is negative where it pushes, −∞ if it is so short that k t overflows, and 1 if r = 0. Slack: (0, 0).
    #[inline]
    pub fn stiffnesses(&self, length: f64) -> (f64, f64) {
        let (tension, along) = self.tension(length);
        (along, self.across(length, tension, along))
    }

    /// The t of [`Spring::stiffnesses`] where tension and slope are known.
    #[inline]
    pub(crate) fn across(&self, length: f64, tension: f64, along: f64) -> f64 {
        let across = match self.kind {
            _ if along == 0.0 => return 0.0,
            SpringKind::Bend { .. } => tension / (along * length),
            _ if self.rest_length == 0.0 => 1.0,
            _ => 1.0 - self.rest_length / length,
        };
        if (along * across).is_finite() { across } else { f64::NEG_INFINITY }
    }

    /// Ends as indices.
    #[inline]
    pub fn ab(&self) -> (usize, usize) {
        (self.ends[0] as usize, self.ends[1] as usize)
    }
}
