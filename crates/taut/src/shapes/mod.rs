//! Generators: plain option structs whose `build` returns a [`Model`] with one body.
//!
//! | to make | use | springs |
//! |---|---|---|
//! | a rectangular cloth | [`Grid`] | structural, shear, bend |
//! | hair, bristles, ropes | [`Strands`] | edges and longer ones along each strand |
//! | any triangle mesh | [`Surface`] | edges, and bend springs across them |
//! | any tetrahedral mesh | [`Solid`] | tet edges |
//! | tetrahedra from a formula | [`Field`], then [`Solid`] | tet edges |
//! | a triangle mesh that moves as it is told | [`prescribed`] | none |
//! | a surface of revolution, for that | [`lathe`] | none |
//! | a person who walks, and a dress for it | [`Walker`], [`Dress`] | none; as of a mesh |
//! | bending of any of them, true to a rigidity | [`bending`], [`strand_bending`] | none: links |
//! | the models of \[Liu13\] Table 1 | [`published`] | as published |
//!
//! Several bodies in one system: [`Model::append`] one to another.
//! Positions are rest poses; where a body starts is the business of the [`State`](crate::State).

pub mod animals;
mod bending;
mod dress;
mod fan;
mod field;
mod grid;
mod lathe;
mod lattice;
mod person;
mod prescribed;
pub mod published;
mod snap;
mod solid;
mod strands;
mod surface;
mod walker;

pub(crate) use bending::bending_around;
pub use bending::{bending, strand_bending};
pub use dress::Dress;
pub(crate) use fan::{Fan, beside, fans};
pub use field::Field;
pub use grid::{Diagonals, Grid};
pub use lathe::lathe;
pub use lattice::Tetrahedra;
pub use prescribed::prescribed;
pub use solid::Solid;
pub use strands::Strands;
pub use surface::Surface;
pub use walker::{Walk, Walker};

use crate::{Body, Error, Model};

/// How heavy a mesh is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mass {
    /// The whole body \[kg\], shared out in proportion to area or volume.
    Total(f64),
    /// Per area [kg/m²] for a surface, per volume [kg/m³] for a solid.
    Density(f64),
}

impl Mass {
    /// Turn each particle's share of the area or volume, given in `shares`, into its mass \[kg\].
    ///
    /// A particle without a share has no mass and cannot be simulated: an error that names it.
    fn weigh(self, shares: &mut [f64], remedy: &'static str) -> Result<(), Error> {
        if let Some(index) = shares.iter().position(|&share| share <= 0.0) {
            let problem = "belongs to no element with a size, so it has no mass".to_string();
            return Err(Error::Model { element: "particle", index, problem, remedy });
        }
        let density = match self {
            Mass::Total(mass) => positive("mass", mass)? / shares.iter().sum::<f64>(),
            Mass::Density(density) => positive("density", density)?,
        };
        shares.iter_mut().for_each(|share| *share *= density);
        Ok(())
    }
}

/// Largest number of particles in a generated body: a typing error should be answered, not fill the memory.
const MOST_PARTICLES: usize = 1 << 24;

/// Declare all of `model` to be one body and refuse what cannot be simulated.
fn one_body(name: &str, mut model: Model) -> Result<Model, Error> {
    model.bodies = vec![Body::named(name)];
    model.body_of = vec![0; model.particles()];
    model.validate()?;
    Ok(model)
}

fn positive(name: &str, value: f64) -> Result<f64, Error> {
    let good = value > 0.0 && value.is_finite();
    if good { Ok(value) } else { Err(Error::setting(name, value, "must be positive and finite")) }
}

fn zero_or_more(name: &str, value: f64) -> Result<f64, Error> {
    let good = value >= 0.0 && value.is_finite();
    if good { Ok(value) } else { Err(Error::setting(name, value, "must be zero or more and finite")) }
}

fn finite(name: &str, value: glam::DVec3) -> Result<glam::DVec3, Error> {
    if value.is_finite() { Ok(value) } else { Err(Error::setting(name, value, "must be finite")) }
}

fn at_least(name: &str, value: usize, least: usize) -> Result<usize, Error> {
    if value >= least {
        Ok(value)
    } else {
        Err(Error::setting(name, value, format!("must be at least {least}")))
    }
}

/// The product of two counts if a body may have that many particles.
fn particle_count(name: &str, a: usize, b: usize) -> Result<usize, Error> {
    let allowed = format!("a generated body has at most {MOST_PARTICLES} particles");
    match a.checked_mul(b) {
        Some(count) if count <= MOST_PARTICLES => Ok(count),
        _ if b == 1 => Err(Error::setting(name, a, allowed)),
        _ => Err(Error::setting(name, format!("{a} x {b}"), allowed)),
    }
}

/// The pair in ascending order: the name of an undirected edge.
fn edge(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Sorted, each element once.
fn unique<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// What every generated model must satisfy.
    pub(super) fn sound(model: &Model) {
        model.validate().unwrap();
        assert_eq!(model.warnings(), Vec::<String>::new());
        assert_eq!(model.bodies.len(), 1);
        assert_eq!(model.body_of, vec![0; model.particles()]);
        let size = model.size();
        for s in &model.springs {
            let (a, b) = s.ab();
            let length = model.rest[a].distance(model.rest[b]);
            assert!((length - s.rest_length).abs() <= 1e-12 * size, "{s:?} is {length} long");
        }
    }

    /// The message of a refusal, which must name the setting.
    pub(super) fn refused<T: std::fmt::Debug>(result: Result<T, Error>, naming: &str) {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(naming), "`{message}` does not name {naming}");
    }

    #[test]
    fn several_bodies_live_in_one_system() {
        let mut all = Grid { name: "cloth".into(), columns: 3, rows: 4, ..Grid::default() }.build().unwrap();
        let hair =
            Strands { name: "hair".into(), roots: vec![DVec3::Y], ..Strands::default() }.build().unwrap();
        let ball = Field::ball(DVec3::ZERO, 0.5).lattice(0.25).unwrap();
        let ball =
            Solid { name: "ball".into(), ..Solid::default() }.build(&ball.positions, &ball.tets).unwrap();
        let springs = all.springs.len() + hair.springs.len() + ball.springs.len();
        assert_eq!(all.append(&hair), 12);
        all.append(&ball);
        all.validate().unwrap();
        assert_eq!(all.warnings(), Vec::<String>::new());
        assert_eq!(all.springs.len(), springs);
        let names: Vec<_> = all.bodies.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["cloth", "hair", "ball"]);
        assert!(all.tets_of(2).eq(0..all.tets.len()));
    }
}
