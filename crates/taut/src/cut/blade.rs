//! The blade: triangles in space.

use crate::Error;
use glam::DVec3;

/// Coordinates \[m\] whose products, three at a time, are still finite: which side is which is then exact.
const FARTHEST: f64 = 1e100;

/// What cuts: a strip of triangles in space \[m\]. What its triangles meet is cut.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Blade {
    /// The corners of each triangle \[m\].
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub triangles: Vec<[DVec3; 3]>,
}

impl Blade {
    /// The line through some points \[m\], swept along a vector \[m\]: what lies between the points and where the vector
    /// takes them is cut.
    ///
    /// ```
    /// # use taut::{Blade, DVec3};
    /// let knife = Blade::sweep(&[DVec3::ZERO, DVec3::X], DVec3::Y)?;
    /// assert_eq!(knife.triangles.len(), 2);
    /// assert!(Blade::sweep(&[DVec3::ZERO], DVec3::Y).is_err());
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn sweep(line: &[DVec3], along: DVec3) -> Result<Self, Error> {
        if line.len() < 2 {
            let remedy = "a line has two points at least";
            return Err(Error::setting("cut.line", format!("{} points", line.len()), remedy));
        }
        if along == DVec3::ZERO {
            return Err(Error::setting("cut.along", along, "the blade needs a width [m]: give it one"));
        }
        let strips = line.windows(2).filter(|ends| ends[0] != ends[1]);
        let halves = |ends: &[DVec3]| {
            let ([a, b], [c, d]) = ([ends[0], ends[1]], [ends[1] + along, ends[0] + along]);
            [[a, b, c], [a, c, d]]
        };
        let blade = Blade { triangles: strips.flat_map(halves).collect() };
        if blade.triangles.is_empty() {
            return Err(Error::setting("cut.line", line[0], "all its points are one: give it a length [m]"));
        }
        blade.validate()?;
        Ok(blade)
    }

    /// Refuse what is no blade.
    pub fn validate(&self) -> Result<(), Error> {
        let far = |p: &&DVec3| !p.is_finite() || p.abs().max_element() > FARTHEST;
        match self.triangles.as_flattened().iter().find(far) {
            Some(p) if p.is_finite() => {
                let far = format!("{:e}", p.abs().max_element());
                Err(Error::setting("cut", far, "the corners of a blade must be nearer than 1e100 m"))
            }
            Some(p) => Err(Error::setting("cut", *p, "the corners of a blade must be finite")),
            None => Ok(()),
        }
    }
}
