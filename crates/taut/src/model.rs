//! The Model: everything that does not change during a step.
//!
//! Particles with their masses and rest pose, springs between them, and the triangles and tetrahedra that
//! give wind something to push and renderers something to draw. Pins are not here: they are filters of the
//! [`State`](crate::State), because they move.

use crate::Error;
use glam::DVec3;

/// How a spring answers to its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpringKind {
    /// Hooke's law in both directions: energy ½ k (l − r)².
    #[default]
    Linear,
    /// Hooke's law when longer than its rest length, no force at all when shorter.
    ExtensionOnly,
}

/// A spring between two particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// The particles at its ends.
    pub ends: [u32; 2],
    /// Length without force, r \[m\].
    pub rest_length: f64,
    /// Stiffness k [N/m].
    pub stiffness: f64,
    /// Force law.
    pub kind: SpringKind,
}

impl Spring {
    /// A linear spring.
    pub fn new(a: u32, b: u32, rest_length: f64, stiffness: f64) -> Self {
        Spring { ends: [a, b], rest_length, stiffness, kind: SpringKind::Linear }
    }

    /// Ends as indices.
    #[inline]
    pub fn ab(&self) -> (usize, usize) {
        (self.ends[0] as usize, self.ends[1] as usize)
    }
}

/// Air moving past the triangles of the model.
///
/// Each triangle of area A and unit normal n, passed by air at relative velocity u (wind minus the triangle's
/// own), feels `½ ρ A |u|² (n·û) [C_D û + C_L (n − (n·û) û)]` with n on the lee side: drag along the flow
/// and lift across it, both in proportion to the area the flow sees, so zero edge-on.
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// One named part of the model: a range of particles, springs, triangles and tets.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Name, unique within a scene.
    pub name: String,
    /// Its particles.
    pub particles: std::ops::Range<usize>,
    /// Its springs.
    pub springs: std::ops::Range<usize>,
    /// Its triangles.
    pub triangles: std::ops::Range<usize>,
    /// Its tetrahedra.
    pub tets: std::ops::Range<usize>,
}

/// What is fixed during a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Mass of each particle \[kg\], all positive.
    pub masses: Vec<f64>,
    /// Rest pose \[m\]: where rest lengths and fallback directions come from; not where the motion starts.
    pub rest: Vec<DVec3>,
    /// Springs.
    pub springs: Vec<Spring>,
    /// Surface triangles (for wind and pictures), counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra (for solids; their edges are among the springs).
    pub tets: Vec<[u32; 4]>,
    /// The bodies the model was put together from, in order.
    pub bodies: Vec<Body>,
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
            triangles: Vec::new(),
            tets: Vec::new(),
            bodies: Vec::new(),
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

    /// Append another model as further bodies; its gravity and air are ignored. Returns the offset that its
    /// particle indices were shifted by.
    pub fn append(&mut self, other: &Model) -> usize {
        let (p, s) = (self.particles(), self.springs.len());
        let (t, e) = (self.triangles.len(), self.tets.len());
        // An index that is out of range stays so, for `validate` to name.
        let moved = |i: u32| i.saturating_add(p as u32);
        self.masses.extend(&other.masses);
        self.rest.extend(&other.rest);
        self.springs.extend(other.springs.iter().map(|s| Spring { ends: s.ends.map(moved), ..*s }));
        self.triangles.extend(other.triangles.iter().map(|t| t.map(moved)));
        self.tets.extend(other.tets.iter().map(|t| t.map(moved)));
        let shift = |r: &std::ops::Range<usize>, by| r.start + by..r.end + by;
        self.bodies.extend(other.bodies.iter().map(|b| Body {
            name: b.name.clone(),
            particles: shift(&b.particles, p),
            springs: shift(&b.springs, s),
            triangles: shift(&b.triangles, t),
            tets: shift(&b.tets, e),
        }));
        p
    }

    /// Mean rest length ℓ \[m\] over all springs: the length residuals are measured against.
    ///
    /// Where no spring has a length it is the size of the rest pose, and 1 for a single point.
    pub fn mean_rest_length(&self) -> f64 {
        let sum: f64 = self.springs.iter().map(|s| s.rest_length).sum();
        if sum > 0.0 {
            return sum / self.springs.len() as f64;
        }
        let size = self.size();
        if size > 0.0 { size } else { 1.0 }
    }

    /// Diagonal of the rest pose's bounding box \[m\].
    pub fn size(&self) -> f64 {
        let Some(&first) = self.rest.first() else { return 0.0 };
        let (lo, hi) = self.rest.iter().fold((first, first), |(lo, hi), &p| (lo.min(p), hi.max(p)));
        (hi - lo).length()
    }

    /// Refuse what cannot be simulated, naming the element, the value and the remedy.
    ///
    /// | input | outcome |
    /// |---|---|
    /// | zero, negative or non-finite mass | error |
    /// | negative or non-finite stiffness or rest length, non-finite rest pose, gravity or air | error |
    /// | index out of range; a spring, triangle or tet that uses a particle twice | error |
    /// | rest length 0 | a spring that pulls its ends together: linear, exact in one iteration |
    /// | two springs between the same particles | both act (reported by [`Model::warnings`]) |
    /// | triangle or tet without area or volume | no wind force there (reported by [`Model::warnings`]) |
    /// | particle without a spring | moves freely (reported by [`Model::warnings`]) |
    /// | several connected components | simulated together, each keeping its own momentum |
    /// | no particles, or every particle pinned | nothing to solve; time and pins still advance |
    pub fn validate(&self) -> Result<(), Error> {
        let m = self.particles();
        let bad = |element, index, problem, remedy| Err(Error::Model { element, index, problem, remedy });
        if self.rest.len() != m {
            let problem = format!("{m} masses but {} rest positions", self.rest.len());
            return bad("particle", m.min(self.rest.len()), problem, "give one of each per particle");
        }
        if m > u32::MAX as usize / 4 {
            return bad("particle", m, format!("{m} particles"), "at most 1,073,741,823 are supported");
        }
        for (i, (&mass, rest)) in self.masses.iter().zip(&self.rest).enumerate() {
            if !(mass > 0.0 && mass.is_finite()) {
                return bad(
                    "particle",
                    i,
                    format!("mass is {mass} kg"),
                    "masses must be positive and finite",
                );
            }
            if !rest.is_finite() {
                return bad("particle", i, format!("rest position is {rest}"), "positions must be finite");
            }
        }
        for (i, s) in self.springs.iter().enumerate() {
            if !(s.stiffness >= 0.0 && s.stiffness.is_finite()) {
                let problem = format!("stiffness is {} N/m", s.stiffness);
                return bad("spring", i, problem, "stiffness must be zero or more and finite");
            }
            if !(s.rest_length >= 0.0 && s.rest_length.is_finite()) {
                let problem = format!("rest length is {} m", s.rest_length);
                return bad("spring", i, problem, "rest lengths must be zero or more and finite");
            }
            check_corners("spring", i, &s.ends, m)?;
        }
        for (i, t) in self.triangles.iter().enumerate() {
            check_corners("triangle", i, t, m)?;
        }
        for (i, t) in self.tets.iter().enumerate() {
            check_corners("tet", i, t, m)?;
        }
        if !self.gravity.is_finite() {
            return Err(Error::setting("gravity", self.gravity, "must be finite"));
        }
        self.air.validate()?;
        Ok(())
    }

    /// Legal but suspicious: duplicate springs, isolated particles, elements without size. One sentence each,
    /// naming the first index and the count; of a model that is refused, the reason. [`doctor`](crate::doctor)
    /// says more.
    pub fn warnings(&self) -> Vec<String> {
        if let Err(refused) = self.validate() {
            return vec![refused.to_string()];
        }
        self.oddities().iter().map(|o| format!("{}, the first is number {}", o.what, o.first)).collect()
    }

    /// What [`Model::warnings`] reports of a valid model, with what to do about it.
    pub(crate) fn oddities(&self) -> Vec<Oddity> {
        let mut found = Vec::new();
        let mut note = |what: &str, remedy, hits: Vec<usize>| {
            if let Some(&first) = hits.first() {
                found.push(Oddity { what: format!("{} {what}", hits.len()), first, remedy });
            }
        };
        let mut seen = std::collections::HashSet::new();
        let repeats = |s: &Spring| !seen.insert([s.ends[0].min(s.ends[1]), s.ends[0].max(s.ends[1])]);
        note(
            "springs repeat an earlier pair of particles (both act)",
            "remove the repeats, or keep one with the sum of the stiffnesses",
            indices(&self.springs, repeats),
        );
        let mut used = vec![false; self.particles()];
        self.springs.iter().for_each(|s| s.ends.iter().for_each(|&e| used[e as usize] = true));
        note(
            "particles have no spring (they move freely)",
            "join them to the rest with a spring, or remove them",
            indices(&used, |&u| !u),
        );
        let flat = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| self.rest[i as usize]);
            (b - a).cross(c - a).length_squared() == 0.0
        };
        note(
            "triangles have no area (no wind acts on them)",
            "remove them, or weld corners that coincide",
            indices(&self.triangles, flat),
        );
        let mut seen = std::collections::HashSet::new();
        let mut again = |t: &[u32; 3]| {
            let mut corners = *t;
            corners.sort_unstable();
            !seen.insert(corners)
        };
        note(
            "triangles repeat the corners of an earlier one (air and mass count twice)",
            "remove the repeats",
            indices(&self.triangles, &mut again),
        );
        let thin = |t: &[u32; 4]| {
            let [a, b, c, d] = t.map(|i| self.rest[i as usize]);
            (b - a).cross(c - a).dot(d - a) == 0.0
        };
        note("tets have no volume", "remove them, or mesh the solid again", indices(&self.tets, thin));
        found
    }
}

/// Legal but suspicious elements of one kind.
pub(crate) struct Oddity {
    /// How many and what is odd about them.
    pub what: String,
    /// Index of the first.
    pub first: usize,
    /// What to change.
    pub remedy: &'static str,
}

fn indices<T>(items: &[T], mut hit: impl FnMut(&T) -> bool) -> Vec<usize> {
    items.iter().enumerate().filter(|(_, item)| hit(item)).map(|(i, _)| i).collect()
}

fn check_corners(element: &'static str, index: usize, corners: &[u32], m: usize) -> Result<(), Error> {
    for (n, &c) in corners.iter().enumerate() {
        if c as usize >= m {
            let problem = format!("uses particle {c}, but there are only {m}");
            return Err(Error::Model { element, index, problem, remedy: "indices count from 0" });
        }
        if corners[..n].contains(&c) {
            let problem = format!("uses particle {c} twice");
            return Err(Error::Model {
                element,
                index,
                problem,
                remedy: "corners must be different particles",
            });
        }
    }
    Ok(())
}
