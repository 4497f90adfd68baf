//! The Model: everything that does not change during a step.
//!
//! Particles with their masses and rest pose, springs between them, and the triangles and tetrahedra that
//! give wind something to push and renderers something to draw. Pins are not here: they are filters of the
//! [`State`](crate::State), because they move.

pub(crate) mod bending;
mod body;
mod cell;
mod change;
mod gas;
mod link;
mod sound;
mod spring;
mod tear;

pub use body::{Body, Skin};
pub use cell::{Block, Limit, Membrane};
pub use change::Change;
pub(crate) use gas::Chamber;
pub use gas::Gas;
pub use link::{Link, Weave};
pub use spring::{Family, Spring, SpringKind};
pub use tear::Tear;

use crate::{Error, bounds};
use glam::DVec3;

/// Air moving past the triangles of the model.
///
/// Each triangle of area A and unit normal n, passed by air at relative velocity u (wind minus the triangle's
/// own), feels `½ ρ A |u|² (n·û) [C_D û + C_L (n − (n·û) û)]` with n on the lee side: drag along the flow
/// and lift across it, both in proportion to the area the flow sees, so zero edge-on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Air {
    /// Wind velocity [m/s].
    pub wind: DVec3,
    /// Air density ρ [kg/m³]; 0 switches all aerodynamics off.
    pub density: f64,
    /// Drag coefficient C_D, along the wind (dimensionless).
    pub drag: f64,
    /// Lift coefficient C_L, across the wind (dimensionless).
    pub lift: f64,
}

impl Air {
    /// Refuse what air cannot be.
    pub fn validate(&self) -> Result<(), Error> {
        if !self.wind.is_finite() {
            return Err(Error::setting("wind", self.wind, "must be finite"));
        }
        for (name, v) in [("air.density", self.density), ("air.drag", self.drag), ("air.lift", self.lift)] {
            if !(v >= 0.0 && v.is_finite()) {
                return Err(Error::setting(name, v, "must be zero or more and finite"));
            }
        }
        Ok(())
    }
}

impl Default for Air {
    /// No air at all; the coefficients are those of a flat plate (chosen), ready for a density.
    fn default() -> Self {
        Air { wind: DVec3::ZERO, density: 0.0, drag: 1.2, lift: 0.4 }
    }
}

/// What is fixed during a step.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Model {
    /// Mass of each particle \[kg\], all positive.
    pub masses: Vec<f64>,
    /// Rest pose \[m\]: where rest lengths and fallback directions come from; not where the motion starts.
    pub rest: Vec<DVec3>,
    /// Springs.
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub springs: Vec<Spring>,
    /// Links: springs between weighted sums of particles.
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub links: Vec<Link>,
    /// Elastic triangles.
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub membranes: Vec<Membrane>,
    /// Elastic tetrahedra.
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub blocks: Vec<Block>,
    /// Surface triangles (for wind and pictures), counter-clockwise seen from outside.
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra (for solids; their edges are among the springs).
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub tets: Vec<[u32; 4]>,
    /// Air that closed surfaces hold.
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub gases: Vec<Gas>,
    /// The bodies the model was put together from, in order; none: all of it is one body called "model".
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub bodies: Vec<Body>,
    /// For each particle the index of its body; empty if `bodies` is. A spring, triangle or tet belongs to the body of
    /// its first particle.
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub body_of: Vec<u32>,
    /// Particles that cuts have made, ascending, each with the one it is a copy of.
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub copies: Vec<[u32; 2]>,
    /// Acceleration of gravity [m/s²].
    pub gravity: DVec3,
    /// Air and wind.
    pub air: Air,
}

impl Default for Model {
    /// Nothing, in a vacuum, under gravity 9.81 m/s² down (Y is up).
    fn default() -> Self {
        Model {
            masses: Vec::new(),
            rest: Vec::new(),
            springs: Vec::new(),
            links: Vec::new(),
            membranes: Vec::new(),
            blocks: Vec::new(),
            triangles: Vec::new(),
            tets: Vec::new(),
            gases: Vec::new(),
            bodies: Vec::new(),
            body_of: Vec::new(),
            copies: Vec::new(),
            gravity: DVec3::new(0.0, -9.81, 0.0),
            air: Air::default(),
        }
    }
}

impl Model {
    /// Number of particles m.
    pub fn particles(&self) -> usize {
        self.masses.len()
    }

    /// The particle that was there before all cuts and that this one is, or is a copy of.
    pub fn original(&self, particle: u32) -> u32 {
        match self.copies.binary_search_by_key(&particle, |[copy, _]| *copy) {
            Ok(place) => self.original(self.copies[place][1]),
            Err(_) => particle,
        }
    }

    /// Mean rest length ℓ \[m\] over all springs: the length residuals are measured against.
    ///
    /// Where no spring has a length it is that of the edges of membranes and blocks, without those the size of the rest
    /// pose, and 1 for a single point.
    pub fn mean_rest_length(&self) -> f64 {
        let sum: f64 = self.springs.iter().map(|s| s.rest_length).sum();
        if sum > 0.0 {
            return sum / self.springs.len() as f64;
        }
        let (sum, count) = self.cell_edges().fold((0.0, 0), |(sum, count), [a, b]| {
            (sum + self.rest[a as usize].distance(self.rest[b as usize]), count + 1)
        });
        if sum > 0.0 {
            return sum / f64::from(count);
        }
        let size = self.size();
        if size > 0.0 { size } else { 1.0 }
    }

    /// Diagonal of the rest pose's bounding box, solids left out \[m\].
    pub fn size(&self) -> f64 {
        let own = self.rest.iter().enumerate().filter(|(i, _)| !self.is_solid(*i));
        let [low, high] = bounds::extent(own.map(|(_, &p)| p));
        (high - low).length()
    }
}
