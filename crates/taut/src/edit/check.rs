//! What cannot be done to a model.

use super::Edit;
use crate::{Error, Model, SpringKind, keys};
use glam::DVec3;

impl Edit {
    /// Refuse what cannot be done to this model. Keys are named as in a scene.
    pub fn check(&self, model: &Model) -> Result<(), Error> {
        self.check_values().and_then(|()| self.check_fit(model))
    }

    /// Refuse what could be done to no model.
    pub(crate) fn check_values(&self) -> Result<(), Error> {
        match self {
            Edit::Hold { path, .. } => keys::check("path", &path.keys),
            Edit::Follow { particles, course } => course.validate(particles.len()),
            Edit::Place { particles, places: values } => check_vectors("places", particles, values),
            Edit::Forces { particles, forces: values } => check_vectors("forces", particles, values),
            Edit::Positions { particles, positions: values } => check_vectors("positions", particles, values),
            Edit::Velocities { particles, velocities: values } => {
                check_vectors("velocities", particles, values)
            }
            Edit::Cut(blade) => blade.validate(),
            Edit::Wind(v) => check_finite("wind", *v),
            Edit::Gravity(v) => check_finite("gravity", *v),
            Edit::Stiffness { springs, factor } => check_factor(springs, *factor),
            Edit::Stiffnesses { springs, stiffness } => check_stiffnesses(springs, stiffness),
            Edit::Settings(settings) => settings.validate(),
            Edit::Replace(other) => other.0.validate().and_then(|()| other.1.validate(&other.0)),
            Edit::Move { pose, .. } => pose.validate(),
            Edit::Release { .. } | Edit::CutAt { .. } | Edit::Open(_) => Ok(()),
        }
    }

    /// Refuse what a model has no particles or springs for.
    fn check_fit(&self, model: &Model) -> Result<(), Error> {
        match self {
            Edit::Hold { particles, .. }
            | Edit::Follow { particles, .. }
            | Edit::Place { particles, .. }
            | Edit::Forces { particles, .. }
            | Edit::Positions { particles, .. }
            | Edit::Velocities { particles, .. } => check_particles(particles, model),
            Edit::Release { particles } | Edit::CutAt { particles } => {
                check_particles(particles, model).and_then(|()| check_free(particles, model))
            }
            Edit::Stiffness { springs, factor } => check_stiffness(springs, *factor, model),
            Edit::Stiffnesses { springs, stiffness } => check_set(springs, stiffness, model),
            Edit::Open(opening) => opening.validate(model),
            Edit::Settings(settings) => settings.suits(model),
            Edit::Cut(_) | Edit::Wind(_) | Edit::Gravity(_) | Edit::Replace(_) | Edit::Move { .. } => Ok(()),
        }
    }
}

fn check_finite(key: &str, v: DVec3) -> Result<(), Error> {
    if v.is_finite() { Ok(()) } else { Err(Error::setting(key, v, "must be finite")) }
}

fn check_particles(particles: &[usize], model: &Model) -> Result<(), Error> {
    let m = model.particles();
    match particles.iter().find(|&&i| i >= m) {
        Some(i) => {
            let remedy = format!("there are only {m}, counted from 0");
            Err(Error::setting("particles", format!("particle {i}"), remedy))
        }
        None => Ok(()),
    }
}

/// Refuse particles of solids, which nothing but pins holds.
fn check_free(particles: &[usize], model: &Model) -> Result<(), Error> {
    match particles.iter().find(|&&i| model.is_solid(i)) {
        Some(&i) => {
            let remedy =
                format!("is of the solid `{}`, which is never let go nor cut", model.body_name(model.tag(i)));
            Err(Error::setting("particles", format!("particle {i}"), remedy))
        }
        None => Ok(()),
    }
}

/// One finite vector for each of some particles.
fn check_vectors(key: &str, particles: &[usize], values: &[DVec3]) -> Result<(), Error> {
    if values.len() != particles.len() {
        let remedy = format!("one is needed for each of the {} particles", particles.len());
        return Err(Error::setting(key, values.len(), remedy));
    }
    match particles.iter().zip(values).find(|(_, v)| !v.is_finite()) {
        Some((i, v)) => Err(Error::setting(format!("{key} of particle {i}"), v, "must be finite")),
        None => Ok(()),
    }
}

fn check_factor(springs: &[usize], factor: f64) -> Result<(), Error> {
    if !(factor >= 0.0 && factor.is_finite()) {
        return Err(Error::setting("stiffness", factor, "must be zero or more and finite"));
    }
    check_once(springs)
}

fn check_stiffnesses(springs: &[usize], stiffness: &[f64]) -> Result<(), Error> {
    if springs.len() != stiffness.len() {
        let remedy = format!("one is needed for each of the {} springs", springs.len());
        return Err(Error::setting("stiffness", stiffness.len(), remedy));
    }
    match springs.iter().zip(stiffness).find(|(_, k)| !(**k >= 0.0 && k.is_finite())) {
        Some((i, k)) => {
            Err(Error::setting(format!("stiffness of spring {i}"), k, "must be zero or more and finite"))
        }
        None => check_once(springs),
    }
}

fn check_once(springs: &[usize]) -> Result<(), Error> {
    let mut sorted = springs.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(twice) => {
            let remedy = "is named twice: once is enough";
            Err(Error::setting("springs", format!("spring {}", twice[0]), remedy))
        }
        None => Ok(()),
    }
}

fn check_stiffness(springs: &[usize], factor: f64, model: &Model) -> Result<(), Error> {
    if model.springs.is_empty() {
        let remedy = "there are no springs: what is made of elements keeps its stiffness; make it of springs \
                      (`elements = false` in a scene), or replace the model";
        return Err(Error::setting("stiffness", factor, remedy));
    }
    check_springs(springs, model)?;
    let too_stiff = |&&i: &&usize| !model.springs[i].scaled(factor).stiffest().is_finite();
    match springs.iter().find(too_stiff) {
        Some(i) => {
            let k = model.springs[*i].stiffness;
            let remedy = format!("{factor} times the {k} N/m of spring {i} is not a finite stiffness");
            Err(Error::setting("stiffness", factor, remedy))
        }
        None => Ok(()),
    }
}

fn check_set(springs: &[usize], stiffness: &[f64], model: &Model) -> Result<(), Error> {
    check_springs(springs, model)?;
    let impossible = |(i, k): &(&usize, &f64)| {
        let (old, new) = (model.springs[**i], model.springs[**i].with_stiffness(**k));
        let lost = matches!(old.kind, SpringKind::Bend { .. }) && old.stiffness == 0.0 && **k != 0.0;
        lost || !new.stiffest().is_finite()
    };
    match springs.iter().zip(stiffness).find(impossible) {
        Some((i, k)) => {
            let remedy =
                "is not possible: it buckles, so it must stay finite, and has no form left once it was 0";
            Err(Error::setting(format!("stiffness of spring {i}"), k, remedy))
        }
        None => Ok(()),
    }
}

fn check_springs(springs: &[usize], model: &Model) -> Result<(), Error> {
    let count = model.springs.len();
    match springs.iter().find(|&&i| i >= count) {
        Some(spring) => {
            let remedy = format!("there are only {count} springs, counted from 0");
            Err(Error::setting("springs", format!("spring {spring}"), remedy))
        }
        None => Ok(()),
    }
}
