//! Elements that know their shape: triangles that resist stretch, tetrahedra that resist any strain.
//!
//! Both know the linear map F from their rest shape to where they are, 3×2 or 3×3, and its singular values σ.

use super::Model;
use crate::Error;
use glam::{DMat3, DVec3};

/// A triangle of cloth or skin. Per area of the rest shape its energy is
///
/// ```text
/// G ‖F − R‖² + ½ (E_a − 2G) (‖F a‖ − 1)² + ½ (E_b − 2G) (‖F b‖ − 1)² + λ ‖F − A‖² + ½ k ‖F − C‖²
/// ```
///
/// with a the warp and b the weft, and the nearest matrices R with σ = 1, A with σ₁σ₂ = 1, C with σ within limits. For
/// small strains ε it is `G‖ε‖² + …`: in tension along warp or weft E is what resists, in shear G, and λ the change of area.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Membrane {
    /// Its particles.
    pub corners: [u32; 3],
    /// Direction of the warp in the rest pose, of any length: what of it lies in the triangle counts.
    pub direction: DVec3,
    /// Stiffness along the warp, E_a [N/m], at least twice that in shear.
    pub warp: f64,
    /// Stiffness along the weft, E_b [N/m], at least twice that in shear.
    pub weft: f64,
    /// Stiffness in shear, G [N/m].
    pub shear: f64,
    /// Resistance to a change of area, λ [N/m]; 0 is none.
    pub area: f64,
    /// Strains beyond which it becomes stiffer, if there are any.
    pub limit: Option<Limit>,
}

/// Limits of the singular values of F.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Limit {
    /// The least σ without resistance (dimensionless).
    pub low: f64,
    /// The greatest σ without resistance (dimensionless).
    pub high: f64,
    /// Stiffness against what is beyond, k [N/m].
    pub stiffness: f64,
}

/// A tetrahedron of a solid. Per volume of the rest shape its energy is
///
/// ```text
/// μ ‖F − R‖² + ³⁄₂ λ ‖F − U‖²
/// ```
///
/// with R the nearest rotation and U the nearest matrix of determinant 1: for small strains `μ‖ε‖² + ½λ (tr ε)²`. R is
/// never a reflection: an element that is inside out is driven back.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Block {
    /// Its particles, in any order.
    pub corners: [u32; 4],
    /// Resistance to shear, Lamé's μ \[Pa\].
    pub shear: f64,
    /// Resistance to a change of volume, Lamé's λ \[Pa\]; 0 is none.
    pub volume: f64,
}

impl Membrane {
    /// Equally stiff in all directions, E [N/m] in tension, without resistance to change of area.
    pub fn isotropic(corners: [u32; 3], stiffness: f64) -> Self {
        let shear = 0.5 * stiffness;
        let (direction, limit) = (DVec3::ZERO, None);
        Membrane { corners, direction, warp: stiffness, weft: stiffness, shear, area: 0.0, limit }
    }

    /// Warp, weft and normal at rest, unit vectors, and twice the area \[m²\]; `None` if there is no such frame. Without a
    /// direction the warp is along the first edge.
    pub(crate) fn frame(&self, rest: &[DVec3]) -> Option<(DMat3, f64)> {
        let [a, b, c] = self.corners.map(|i| rest[i as usize]);
        let normal = (b - a).cross(c - a);
        let twice_area = normal.length();
        let normal = normal / twice_area;
        let direction = if self.direction == DVec3::ZERO { b - a } else { self.direction };
        // A power of two changes no bit of it; squares of its entries must be numbers.
        let direction = direction / direction.abs().max_element();
        let warp = direction - normal * normal.dot(direction);
        let length = warp.length();
        let sound = twice_area > 0.0 && twice_area.is_finite() && length > ACROSS;
        let warp = warp / length;
        sound.then(|| (DMat3::from_cols(warp, normal.cross(warp), normal), twice_area))
    }
}

/// Part of a direction that must lie in the triangle (dimensionless).
const ACROSS: f64 = 1e-6;

impl Block {
    /// Of Young's modulus \[Pa\] and Poisson's ratio (dimensionless), 0 or more and below ½.
    pub fn isotropic(corners: [u32; 4], young: f64, poisson: f64) -> Result<Self, Error> {
        if !(young > 0.0 && young.is_finite()) {
            return Err(Error::setting("young", young, "must be a positive number of pascals"));
        }
        if !(0.0..0.5).contains(&poisson) {
            let remedy = "must be 0 or more and below 0.5: nothing here swells sideways when pulled, and what keeps its \
                          volume exactly has no finite stiffness (try 0.45)";
            return Err(Error::setting("poisson", poisson, remedy));
        }
        let shear = young / (2.0 * (1.0 + poisson));
        let volume = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Ok(Block { corners, shear, volume })
    }

    /// The edges from the first corner at rest, as columns \[m\].
    pub(crate) fn edges(&self, x: &[DVec3]) -> DMat3 {
        let [a, b, c, d] = self.corners.map(|i| x[i as usize]);
        DMat3::from_cols(b - a, c - a, d - a)
    }
}

/// Every two of some corners.
fn edges<const N: usize>(corners: [u32; N]) -> impl Iterator<Item = [u32; 2]> + Clone {
    (0..N).flat_map(move |j| (0..j).map(move |i| [corners[i], corners[j]]))
}

fn zero_or_more(element: &'static str, index: usize, values: &[(&str, f64, &str)]) -> Result<(), Error> {
    match values.iter().find(|(_, v, _)| !(*v >= 0.0 && v.is_finite())) {
        None => Ok(()),
        Some((name, value, unit)) => {
            let problem = format!("{name} is {value} {unit}");
            Err(Error::Model { element, index, problem, remedy: "it must be zero or more and finite" })
        }
    }
}

impl Membrane {
    pub(super) fn check(&self, index: usize, rest: &[DVec3]) -> Result<(), Error> {
        let bad = |problem, remedy| Err(Error::Model { element: "membrane", index, problem, remedy });
        super::sound::check_corners("membrane", index, &self.corners, rest.len())?;
        let Membrane { warp, weft, shear, area, .. } = *self;
        let values = [("warp", warp), ("weft", weft), ("shear", shear), ("area", area)];
        zero_or_more("membrane", index, &values.map(|(name, value)| (name, value, "N/m")))?;
        for (name, stiffness) in [("warp", warp), ("weft", weft)] {
            if stiffness < 2.0 * shear {
                let problem =
                    format!("{name} is {stiffness} N/m, below twice the shear stiffness of {shear} N/m");
                return bad(
                    problem,
                    "raise it, or lower the shear stiffness: a spring would need a negative stiffness",
                );
            }
        }
        if let Some(Limit { low, high, stiffness }) = self.limit {
            zero_or_more("membrane", index, &[("the stiffness of its limit", stiffness, "N/m")])?;
            if !((0.0..=1.0).contains(&low) && (1.0..f64::INFINITY).contains(&high)) {
                let problem = format!("stretch is limited to {low} to {high}");
                return bad(problem, "1 must be between the limits, and the lower one 0 or more");
            }
        }
        if !self.direction.is_finite() {
            return bad(format!("the warp is along {}", self.direction), "directions must be finite");
        }
        if (Membrane { direction: DVec3::ZERO, ..*self }).frame(rest).is_none() {
            let problem = "has no area in the rest pose".to_string();
            return bad(problem, "remove it, or weld corners that coincide");
        }
        if self.frame(rest).is_none() {
            let problem = format!("the warp along {} is normal to it", self.direction);
            return bad(problem, "give a direction that lies in the surface");
        }
        Ok(())
    }
}

impl Block {
    pub(super) fn check(&self, index: usize, rest: &[DVec3]) -> Result<(), Error> {
        super::sound::check_corners("block", index, &self.corners, rest.len())?;
        let values = [("shear", self.shear, "Pa"), ("volume", self.volume, "Pa")];
        zero_or_more("block", index, &values)?;
        let inverse = self.edges(rest).inverse();
        if !inverse.is_finite() || inverse == DMat3::ZERO {
            let problem = "has no volume in the rest pose".to_string();
            let remedy = "remove it, or mesh the solid again";
            return Err(Error::Model { element: "block", index, problem, remedy });
        }
        Ok(())
    }
}

impl Model {
    /// The edges of membranes and blocks, each as often as it has elements.
    pub(crate) fn cell_edges(&self) -> impl Iterator<Item = [u32; 2]> + Clone + '_ {
        let membranes = self.membranes.iter().flat_map(|m| edges(m.corners));
        membranes.chain(self.blocks.iter().flat_map(|b| edges(b.corners)))
    }

    /// Tetrahedra whose volume at x has another sign than at rest, or none: how many, and the first. Those of the mesh, if
    /// the model has them, else its blocks.
    pub fn inverted(&self, x: &[DVec3]) -> (usize, Option<usize>) {
        let volume = |x: &[DVec3], corners: &[u32; 4]| {
            let [a, b, c, d] = corners.map(|i| x[i as usize]);
            (b - a).cross(c - a).dot(d - a)
        };
        let turned = |corners: &[u32; 4]| {
            let rest = volume(&self.rest, corners);
            // What is flat at rest cannot be turned.
            rest != 0.0 && rest.signum() * volume(x, corners) <= 0.0
        };
        let (mut count, mut first) = (0, None);
        let mut look = |(index, corners): (usize, &[u32; 4])| {
            if turned(corners) {
                first = first.or(Some(index));
                count += 1;
            }
        };
        match self.tets.is_empty() {
            false => self.tets.iter().enumerate().for_each(&mut look),
            true => self.blocks.iter().map(|block| &block.corners).enumerate().for_each(&mut look),
        }
        (count, first)
    }
}
