//! The Model: everything that does not change during a step.
//!
//! Particles with their masses and rest pose, springs between them, and the triangles and tetrahedra that
//! give wind something to push and renderers something to draw. Pins are not here: they are filters of the
//! [`State`](crate::State), because they move.

use crate::Error;
use crate::bending::{self, Strip};
use glam::DVec3;

/// How a spring answers to its length.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
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
            check_bend(i, s)?;
            check_corners("spring", i, &s.ends, m)?;
        }
        for (i, t) in self.triangles.iter().enumerate() {
            check_corners("triangle", i, t, m)?;
        }
        for (i, t) in self.tets.iter().enumerate() {
            check_corners("tet", i, t, m)?;
        }
        for (name, v) in [("gravity", self.gravity), ("wind", self.air.wind)] {
            if !v.is_finite() {
                return Err(Error::setting(name, v, "must be finite"));
            }
        }
        let air = [("air density", self.air.density), ("drag", self.air.drag), ("lift", self.air.lift)];
        for (name, v) in air {
            if !(v >= 0.0 && v.is_finite()) {
                return Err(Error::setting(name, v, "must be zero or more and finite"));
            }
        }
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

fn check_bend(index: usize, s: &Spring) -> Result<(), Error> {
    let SpringKind::Bend { bending, crossing } = s.kind else { return Ok(()) };
    let bad = |problem, remedy| Err(Error::Model { element: "spring", index, problem, remedy });
    if !(bending >= 0.0 && bending.is_finite() && s.rest_length > 0.0) {
        let problem = format!("bending stiffness is {bending} N·m² at a length of {} m", s.rest_length);
        return bad(problem, "bend springs need a length, and a bending stiffness of zero or more");
    }
    let least = bending::least_cap(s.rest_length, bending);
    // Two ways to round the same quotient.
    if s.stiffness < least * (1.0 - 4.0 * f64::EPSILON) {
        let problem = format!("the cap c_b is {} N/m, below 4π²k_b/L³ = {least} N/m", s.stiffness);
        return bad(problem, "raise the cap (`bend`) or lower the bending stiffness (`bending`)");
    }
    if !(0.0..=s.rest_length).contains(&crossing) {
        return bad(format!("the crossing is at {crossing} m"), "make bend springs with Spring::bend");
    }
    Ok(())
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
