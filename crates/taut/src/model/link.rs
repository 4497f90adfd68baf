//! Links: springs between weighted sums of particles.
//!
//! ```text
//! E = ½ k (‖p‖ − r)²,      p = Σ wᵢ xᵢ,      Σ wᵢ = 0
//! ```
//!
//! A spring is the link with w = (1, −1). Bending of a surface is made of links with r = 0, which are linear; with r > 0
//! a curved rest pose can be had too, but p and −p then cost the same: a shell that is dented stays so.

use super::Model;
use crate::Error;
use glam::DVec3;

/// A spring between weighted sums of particles.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Link {
    /// Each particle with its weight w (dimensionless). The weights sum to zero, so that the link feels no shift; what
    /// rounding leaves of the sum counts for the first.
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub weights: Vec<(u32, f64)>,
    /// ‖p‖ without force, r \[m\].
    pub rest_length: f64,
    /// Stiffness k [N/m].
    pub stiffness: f64,
    /// From when until when \[s\] its rest length shrinks to nothing, if it does.
    pub closing: Option<(f64, f64)>,
    /// What it was made from, if it is one of those that bend a surface around its first particle: where that is cut
    /// they are made again.
    pub weave: Option<Weave>,
}

/// How a surface bends around a particle.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Weave {
    /// Direction of the warp there in the rest pose, of any length.
    pub warp: DVec3,
    /// Rigidity along warp and weft \[N·m\].
    pub rigidity: [f64; 2],
}

/// What the sum of weights may be of the sum of their sizes: rounding of whoever computed them.
const ROUNDING: f64 = 1e-9;

impl Link {
    /// A link with a rest length \[m\] and a stiffness [N/m].
    pub fn new(weights: Vec<(u32, f64)>, rest_length: f64, stiffness: f64) -> Self {
        Link { weights, rest_length, stiffness, closing: None, weave: None }
    }

    /// Hold a particle at a point of a segment, triangle or tet: at the sum of these particles with these shares, which
    /// sum to one. The point takes the opposite force, so both momenta are kept.
    pub fn attachment(particle: u32, to: &[(u32, f64)], stiffness: f64) -> Self {
        let weights = std::iter::once((particle, 1.0)).chain(to.iter().map(|&(i, share)| (i, -share)));
        Link::new(weights.collect(), 0.0, stiffness)
    }

    /// p = Σ wᵢ xᵢ \[m\], by differences to the first particle.
    #[inline]
    pub fn vector(&self, x: &[DVec3]) -> DVec3 {
        let Some(&(first, _)) = self.weights.first() else { return DVec3::ZERO };
        let origin = x[first as usize];
        // Begun with a product, so that (1, −1) is a difference to the bit.
        let terms = self.weights[1..].iter().map(|&(i, w)| w * (x[i as usize] - origin));
        terms.reduce(|sum, term| sum + term).unwrap_or_default()
    }

    /// Rest length at a time \[m\].
    pub fn rest_length_at(&self, time: f64) -> f64 {
        match self.closing {
            Some((from, until)) if time > from => {
                self.rest_length * ((until - time) / (until - from)).max(0.0)
            }
            _ => self.rest_length,
        }
    }

    pub(super) fn check(&self, index: usize, particles: usize) -> Result<(), Error> {
        let bad = |problem, remedy| Err(Error::Model { element: "link", index, problem, remedy });
        let corners: Vec<u32> = self.weights.iter().map(|&(i, _)| i).collect();
        if corners.len() < 2 {
            return bad(format!("has {} particles", corners.len()), "join two particles at least");
        }
        super::sound::check_corners("link", index, &corners, particles)?;
        if let Some((i, w)) = self.weights.iter().find(|(_, w)| !w.is_finite()) {
            return bad(format!("the weight of particle {i} is {w}"), "weights must be finite");
        }
        let sum: f64 = self.weights.iter().map(|(_, w)| w).sum();
        if sum.abs() > ROUNDING * self.weights.iter().map(|(_, w)| w.abs()).sum::<f64>() {
            let remedy = "weights must sum to zero: a link must not feel where the whole is";
            return bad(format!("its weights sum to {sum}"), remedy);
        }
        if !(self.stiffness >= 0.0 && self.stiffness.is_finite()) {
            let problem = format!("stiffness is {} N/m", self.stiffness);
            return bad(problem, "stiffness must be zero or more and finite");
        }
        if !(self.rest_length >= 0.0 && self.rest_length.is_finite()) {
            let problem = format!("rest length is {} m", self.rest_length);
            return bad(problem, "rest lengths must be zero or more and finite");
        }
        if let Some(Weave { warp, rigidity }) = self.weave
            && !(warp.is_finite() && rigidity.iter().all(|b| *b >= 0.0 && b.is_finite()))
        {
            let problem = format!("was made with the rigidities {rigidity:?} N·m, the warp along {warp}");
            return bad(problem, "rigidities must be zero or more and finite, directions finite");
        }
        match self.closing {
            Some((from, until)) if !(from < until && from.is_finite() && until.is_finite()) => {
                bad(format!("closes from {from} s until {until} s"), "it must end after it begins")
            }
            _ => Ok(()),
        }
    }
}

impl Model {
    /// Pairs of particles that elements other than springs hold together, enough of them to tell what is connected.
    pub fn bonds(&self) -> impl Iterator<Item = [u32; 2]> + Clone + '_ {
        let links = self.links.iter().filter(|link| link.stiffness > 0.0);
        let links = links.flat_map(|link| link.weights.windows(2).map(|pair| [pair[0].0, pair[1].0]));
        links.chain(self.cell_edges())
    }

    /// Sew pairs of particles together: links that shrink from how far apart they are in the rest pose to nothing, from
    /// a time on, in so many seconds. With `stiffness` [N/m] each.
    pub fn sew(
        &mut self,
        first: &[u32],
        second: &[u32],
        stiffness: f64,
        from: f64,
        seconds: f64,
    ) -> Result<(), Error> {
        if first.len() != second.len() {
            let counts = format!("{} and {} particles", first.len(), second.len());
            return Err(Error::setting("seam", counts, "give as many on one side as on the other"));
        }
        for (&a, &b) in first.iter().zip(second) {
            let weights = vec![(a, 1.0), (b, -1.0)];
            let mut link = Link::new(weights, 0.0, stiffness);
            link.check(self.links.len(), self.particles())?;
            link.rest_length = link.vector(&self.rest).length();
            link.closing = Some((from, from + seconds));
            link.check(self.links.len(), self.particles())?;
            self.links.push(link);
        }
        Ok(())
    }
}
