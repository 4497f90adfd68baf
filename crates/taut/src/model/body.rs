//! Bodies: names, and a tag per particle that says which of them it belongs to.
//!
//! A tag moves with its particle, so bodies survive edits and need not be contiguous. A model that declares no bodies
//! (`bodies` and `body_of` both empty) counts as one body called "model".

use super::{Block, Gas, Link, Membrane, Model, Spring, Tear};
use crate::Error;

/// A named body of the model; [`Model::body_of`] says which particles are its own.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Body {
    /// Name, unique within a scene.
    pub name: String,
    /// How it meets others and itself.
    pub skin: Skin,
    /// Whether it is a solid: all its particles are pinned and move only as they are told. It has no springs, no weight
    /// and no energy.
    pub solid: bool,
    /// Where it tears, if it does.
    pub tear: Option<Tear>,
}

impl Body {
    /// A body with the usual skin.
    pub fn named(name: impl Into<String>) -> Self {
        Body { name: name.into(), ..Body::default() }
    }
}

/// How a body meets others and itself.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Skin {
    /// How far its surfaces are kept apart \[m\]; if not given a quarter of the mean length of its edges at rest.
    pub thickness: Option<f64>,
    /// Coefficient of friction μ against bodies (dimensionless); that of a pair is the geometric mean.
    pub friction: f64,
    /// Whether it meets anything.
    pub collide: bool,
    /// Whether it meets itself.
    pub self_collide: bool,
}

impl Default for Skin {
    /// Of the usual thickness, friction 0.3, meeting everything.
    fn default() -> Self {
        Skin { thickness: None, friction: 0.3, collide: true, self_collide: true }
    }
}

impl Skin {
    /// Refuse numbers outside their range.
    pub fn validate(&self) -> Result<(), Error> {
        if let Some(thickness) = self.thickness.filter(|t| !(*t >= 0.0 && t.is_finite())) {
            return Err(Error::setting("thickness", thickness, "must be zero or more [m] and finite"));
        }
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(Error::setting("friction", self.friction, "must be zero or more and finite"));
        }
        Ok(())
    }
}

impl Model {
    /// Number of bodies, at least one.
    pub fn body_count(&self) -> usize {
        self.bodies.len().max(1)
    }

    /// Name of a body.
    pub fn body_name(&self, body: usize) -> &str {
        self.bodies.get(body).map_or("model", |b| &b.name)
    }

    /// Whether a particle belongs to a solid.
    pub fn is_solid(&self, particle: usize) -> bool {
        self.bodies.get(self.tag(particle)).is_some_and(|body| body.solid)
    }

    /// How a body meets others and itself.
    pub fn skin(&self, body: usize) -> Skin {
        self.bodies.get(body).map_or_else(Skin::default, |b| b.skin)
    }

    /// Number of the (first) body of that name.
    pub fn body(&self, name: &str) -> Option<usize> {
        (0..self.body_count()).find(|&body| self.body_name(body) == name)
    }

    /// Indices of a body's particles, ascending.
    pub fn particles_of(&self, body: usize) -> impl Iterator<Item = usize> {
        (0..self.particles()).filter(move |&i| self.tag(i) == body)
    }

    /// Indices of a body's springs, ascending: those whose first particle is of that body.
    pub fn springs_of(&self, body: usize) -> impl Iterator<Item = usize> {
        self.elements_of(body, self.springs.iter().map(|s| s.ends[0]))
    }

    /// Indices of a body's triangles, ascending: those whose first particle is of that body.
    pub fn triangles_of(&self, body: usize) -> impl Iterator<Item = usize> {
        self.elements_of(body, self.triangles.iter().map(|t| t[0]))
    }

    /// Indices of a body's tetrahedra, ascending: those whose first particle is of that body.
    pub fn tets_of(&self, body: usize) -> impl Iterator<Item = usize> {
        self.elements_of(body, self.tets.iter().map(|t| t[0]))
    }

    fn elements_of(&self, body: usize, first: impl Iterator<Item = u32>) -> impl Iterator<Item = usize> {
        first.enumerate().filter(move |&(_, p)| self.tag(p as usize) == body).map(|(i, _)| i)
    }

    /// Number of the body of a particle.
    pub(crate) fn tag(&self, particle: usize) -> usize {
        self.body_of.get(particle).map_or(0, |&body| body as usize)
    }

    /// Append another model as further bodies; its gravity and air are ignored. Returns the offset that its
    /// particle indices were shifted by.
    pub fn append(&mut self, other: &Model) -> usize {
        let p = self.particles();
        // An index that is out of range stays so, for `validate` to name.
        let moved = |i: u32| i.saturating_add(p as u32);
        self.append_tags(other);
        self.masses.extend(&other.masses);
        self.rest.extend(&other.rest);
        self.springs.extend(other.springs.iter().map(|s| Spring { ends: s.ends.map(moved), ..*s }));
        self.links.extend(other.links.iter().map(|link| {
            let weights = link.weights.iter().map(|&(i, w)| (moved(i), w)).collect();
            Link { weights, ..link.clone() }
        }));
        self.membranes
            .extend(other.membranes.iter().map(|one| Membrane { corners: one.corners.map(moved), ..*one }));
        self.blocks.extend(other.blocks.iter().map(|one| Block { corners: one.corners.map(moved), ..*one }));
        self.triangles.extend(other.triangles.iter().map(|t| t.map(moved)));
        self.tets.extend(other.tets.iter().map(|t| t.map(moved)));
        self.gases.extend(other.gases.iter().map(|gas| Gas {
            triangles: gas.triangles.iter().map(|t| t.map(moved)).collect(),
            sewn: gas.sewn.iter().map(|pair| pair.map(moved)).collect(),
            ..*gas
        }));
        self.copies.extend(other.copies.iter().map(|pair| pair.map(moved)));
        p
    }

    /// The bodies of `other` after ours. Of two, one that declares none and has particles becomes the body "model".
    fn append_tags(&mut self, other: &Model) {
        let undeclared = |m: &Model| m.bodies.is_empty() && m.body_of.is_empty() && m.particles() > 0;
        if undeclared(self) {
            self.bodies.push(Body::named("model"));
            self.body_of.resize(self.particles(), 0);
        }
        let first = self.bodies.len() as u32;
        if undeclared(other) {
            self.bodies.push(Body::named("model"));
            self.body_of.extend(std::iter::repeat_n(first, other.particles()));
        } else {
            self.bodies.extend_from_slice(&other.bodies);
            self.body_of.extend(other.body_of.iter().map(|&body| body.saturating_add(first)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn append_keeps_tags_right() {
        let plain = Model {
            masses: vec![1.0; 3],
            rest: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            springs: vec![Spring::new(0, 1, 1.0, 1.0), Spring::new(2, 1, 1.0, 1.0)],
            triangles: vec![[0, 1, 2]],
            ..Model::default()
        };
        assert_eq!((plain.body("model"), plain.body("cloth")), (Some(0), None));
        assert!(plain.springs_of(0).eq(0..2) && plain.springs_of(1).eq(0..0));
        let cloth = Model { bodies: vec![Body::named("cloth")], body_of: vec![0; 3], ..plain.clone() };

        let mut all = Model::default();
        all.append(&cloth);
        assert_eq!(all, cloth, "an empty model adds no body");
        all.append(&plain);
        all.append(&cloth);
        all.validate().unwrap();
        assert_eq!([0, 1, 2].map(|b| all.body_name(b)), ["cloth", "model", "cloth"]);
        assert!(all.particles_of(1).eq(3..6) && all.particles_of(2).eq(6..9));
        assert!(all.springs_of(1).eq(2..4) && all.triangles_of(2).eq(2..3));

        let mut undeclared = plain.clone();
        undeclared.append(&cloth);
        undeclared.validate().unwrap();
        assert_eq!((undeclared.body("model"), undeclared.body("cloth")), (Some(0), Some(1)));
        assert_eq!(undeclared.body_of, [0, 0, 0, 1, 1, 1]);
    }
}
