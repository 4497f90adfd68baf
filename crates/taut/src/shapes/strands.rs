//! Strands: straight chains of particles, for hair, bristles and ropes.
//!
//! Strand `s` has particles `s * particles ..`, the root first; all have the same mass. A spring of rest
//! length r has stiffness `k = f EA / r`: along the edges (f = 1) a strand then stretches by F L / EA under
//! a force F whatever the number of particles. Springs two, three and four particles apart keep it straight;
//! their factors f are the caller's. A straight strand answers sideways bending only to second order (its
//! energy goes as the fourth power of the angle), so bending, unlike stretch, depends on the resolution.
//! Springs come strand by strand: edges, two apart, three apart, four apart.
//! Does not handle: curls, twist. Roots are not pinned: pins belong to the state.

use super::{at_least, finite, one_body, particle_count, positive, zero_or_more};
use crate::{Error, Family, Model, Spring, SpringKind};
use glam::DVec3;

/// A bunch of equal, parallel strands.
#[derive(Debug, Clone, PartialEq)]
pub struct Strands {
    /// Name of the body.
    pub name: String,
    /// Where each strand begins \[m\].
    pub roots: Vec<DVec3>,
    /// Which way the strands grow (any length but zero).
    pub direction: DVec3,
    /// Particles in each strand, at least 2.
    pub particles: usize,
    /// Length of a strand \[m\].
    pub length: f64,
    /// Mass of a strand \[kg\].
    pub mass: f64,
    /// Stretch stiffness EA \[N\]: the force that would double the length.
    pub stiffness: f64,
    /// Factor f of springs two apart (dimensionless); 0 for none.
    pub two_apart: f64,
    /// Factor f of springs three apart (dimensionless); 0 for none.
    pub three_apart: f64,
    /// Factor f of springs four apart (dimensionless); 0 for none.
    pub four_apart: f64,
    /// How many springs four apart each strand has, counted from the root; more than fit means all that fit.
    pub four_apart_count: usize,
    /// Force law of the springs along edges; the others are linear.
    pub kind: SpringKind,
}

impl Default for Strands {
    /// One hanging strand of 19 particles at the origin with two-apart springs (values chosen).
    fn default() -> Self {
        Strands {
            name: "body".into(),
            roots: vec![DVec3::ZERO],
            direction: DVec3::NEG_Y,
            particles: 19,
            length: 0.2,
            mass: 0.001,
            stiffness: 10.0,
            two_apart: 1.0,
            three_apart: 0.0,
            four_apart: 0.0,
            four_apart_count: 0,
            kind: SpringKind::Linear,
        }
    }
}

impl Strands {
    /// Make the strands.
    pub fn build(&self) -> Result<Model, Error> {
        at_least("number of roots", self.roots.len(), 1)?;
        let particles = at_least("particles", self.particles, 2)?;
        let count = particle_count("strands x particles", self.roots.len(), particles)?;
        let step = positive("length", self.length)? / (particles - 1) as f64;
        let Some(direction) = self.direction.try_normalize() else {
            return Err(Error::setting("direction", self.direction, "must be finite and not zero"));
        };
        for (i, &root) in self.roots.iter().enumerate() {
            finite(&format!("root {i}"), root)?;
        }
        let strand = self.springs(step)?;
        let shift = |s: &Spring, by: u32| Spring { ends: s.ends.map(|i| i + by), ..*s };
        let starts = (0..count as u32).step_by(particles);
        let rest = self
            .roots
            .iter()
            .flat_map(|&root| (0..particles).map(move |i| root + direction * (step * i as f64)));
        let model = Model {
            masses: vec![positive("mass", self.mass)? / particles as f64; count],
            rest: rest.collect(),
            springs: starts.flat_map(|start| strand.iter().map(move |s| shift(s, start))).collect(),
            ..Model::default()
        };
        one_body(&self.name, model)
    }

    /// The springs of the first strand.
    fn springs(&self, step: f64) -> Result<Vec<Spring>, Error> {
        let stiffness = positive("stiffness", self.stiffness)?;
        let families = [
            ("stiffness", 1.0, usize::MAX),
            ("two_apart", self.two_apart, usize::MAX),
            ("three_apart", self.three_apart, usize::MAX),
            ("four_apart", self.four_apart, self.four_apart_count),
        ];
        let mut springs = Vec::new();
        for (apart, (name, factor, most)) in (1..).zip(families) {
            if zero_or_more(name, factor)? > 0.0 {
                let fit = self.particles.saturating_sub(apart).min(most);
                let rest_length = step * apart as f64;
                let stiffness = factor * stiffness / rest_length;
                let (family, kind) = match apart {
                    1 => (Family::Stretch, self.kind),
                    _ => (Family::Bend, SpringKind::Linear),
                };
                let join = |i: usize| Spring {
                    family,
                    kind,
                    ..Spring::new(i as u32, (i + apart) as u32, rest_length, stiffness)
                };
                springs.extend((0..fit).map(join));
            }
        }
        Ok(springs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{refused, sound};
    use super::*;

    #[test]
    fn springs_join_what_is_the_stated_number_apart() {
        let roots = vec![DVec3::ZERO, DVec3::X, DVec3::Z];
        let all =
            Strands { roots, three_apart: 0.5, four_apart: 0.1, four_apart_count: 2, ..Strands::default() };
        for particles in 2..9 {
            let model = Strands { particles, ..all.clone() }.build().unwrap();
            sound(&model);
            let count = |apart| model.springs.iter().filter(|s| s.ends[1] - s.ends[0] == apart).count();
            for apart in 1..5 {
                let fit = (particles as u32).saturating_sub(apart) as usize;
                assert_eq!(count(apart), 3 * if apart == 4 { fit.min(2) } else { fit });
            }
            let p = particles as u32;
            assert!(
                model.springs.iter().all(|s| s.ends[0] / p == s.ends[1] / p),
                "a spring joins two strands"
            );
        }
    }

    #[test]
    fn stretch_does_not_depend_on_the_number_of_particles() {
        for particles in [2, 5, 50] {
            let model = Strands { particles, two_apart: 0.0, ..Strands::default() }.build().unwrap();
            let compliance: f64 = model.springs.iter().map(|s| 1.0 / s.stiffness).sum();
            assert!((compliance * 10.0 / 0.2 - 1.0).abs() < 1e-12);
            assert!((model.masses.iter().sum::<f64>() - 0.001).abs() < 1e-15);
            assert!((model.rest[particles - 1] - DVec3::new(0.0, -0.2, 0.0)).length() < 1e-15);
        }
    }

    #[test]
    fn impossible_strands_are_refused_by_name() {
        let good = Strands::default;
        refused(Strands { roots: vec![], ..good() }.build(), "roots");
        refused(Strands { roots: vec![DVec3::NAN], ..good() }.build(), "root 0");
        refused(Strands { direction: DVec3::ZERO, ..good() }.build(), "direction");
        refused(Strands { particles: 1, ..good() }.build(), "particles");
        refused(Strands { particles: usize::MAX, ..good() }.build(), "strands x particles");
        refused(Strands { length: 0.0, ..good() }.build(), "length");
        refused(Strands { mass: f64::NAN, ..good() }.build(), "mass");
        refused(Strands { stiffness: -1.0, ..good() }.build(), "stiffness");
        refused(Strands { two_apart: -1.0, ..good() }.build(), "two_apart");
        refused(Strands { four_apart: f64::NAN, ..good() }.build(), "four_apart");
    }
}
