//! What cannot be simulated, and what can but is odd.

use super::Model;
use super::bending;
use crate::{Error, Spring, SpringKind};

impl Model {
    /// Refuse what cannot be simulated, naming the element, the value and the remedy.
    ///
    /// | input | outcome |
    /// |---|---|
    /// | zero, negative or non-finite mass | error |
    /// | negative or non-finite stiffness or rest length, non-finite rest pose, gravity or air | error |
    /// | a wrong number of body tags, a tag without a body | error |
    /// | index out of range; a spring, triangle or tet that uses a particle twice | error |
    /// | rest length 0 | a spring that pulls its ends together: linear, exact in one iteration |
    /// | a link whose weights do not sum to zero, of fewer than two particles, or that closes before it begins | error |
    /// | a membrane without area or a block without volume at rest, with a negative stiffness or a spring that would need one | error |
    /// | a gas whose triangles leave an edge open, with a negative pressure, or that fills no volume | error |
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
        let (tags, bodies) = (self.body_of.len(), self.bodies.len());
        if tags != m && (tags > 0 || bodies > 0) {
            let problem = format!("{m} particles but {tags} entries in `body_of`");
            let remedy = "give one per particle, or leave `body_of` and `bodies` empty";
            return bad("particle", m.min(tags), problem, remedy);
        }
        if let Some(i) = self.body_of.iter().position(|&body| body as usize >= bodies) {
            let problem = format!("`body_of` says body {}, but `bodies` has {bodies}", self.body_of[i]);
            return bad("particle", i, problem, "bodies count from 0: correct the tag, or add the body");
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
        self.links.iter().enumerate().try_for_each(|(i, link)| link.check(i, m))?;
        self.membranes.iter().enumerate().try_for_each(|(i, one)| one.check(i, &self.rest))?;
        self.blocks.iter().enumerate().try_for_each(|(i, one)| one.check(i, &self.rest))?;
        self.gases.iter().enumerate().try_for_each(|(i, gas)| gas.check(i, m))?;
        for (i, pair @ [copy, original]) in self.copies.iter().enumerate() {
            check_corners("copy", i, pair, m)?;
            if original > copy || i > 0 && self.copies[i - 1][0] >= *copy {
                let remedy = "copies ascend, and come after their originals";
                return bad("copy", i, format!("is particle {copy}, of particle {original}"), remedy);
            }
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
        self.bodies.iter().try_for_each(|body| body.skin.validate())?;
        self.bodies.iter().filter_map(|body| body.tear).try_for_each(|tear| tear.validate())?;
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
        let mut used: Vec<bool> = (0..self.particles()).map(|i| self.is_solid(i)).collect();
        self.springs.iter().for_each(|s| s.ends.iter().for_each(|&e| used[e as usize] = true));
        self.bonds().flatten().for_each(|e| used[e as usize] = true);
        note(
            "particles have no spring (they move freely)",
            "join them to the rest with a spring, or remove them",
            indices(&used, |&u| !u),
        );
        let flat = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| self.rest[i as usize]);
            (b - a).cross(c - a).length_squared() == 0.0 && !self.is_solid(t[0] as usize)
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
            !seen.insert(corners) && !self.is_solid(t[0] as usize)
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

pub(super) fn check_corners(
    element: &'static str,
    index: usize,
    corners: &[u32],
    m: usize,
) -> Result<(), Error> {
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
