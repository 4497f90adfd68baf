//! Settings: how steps are taken, as one value that is checked once and set once.

use crate::collision::{ContactSettings, Level};
use crate::integrator::Integrator;
use crate::{Damping, Error, Method, Model, Precision, Scheme, StrainLimit};

/// How steps are taken.
///
/// ```
/// use taut::{Damping, Method, Scheme, Settings};
///
/// # fn main() -> Result<(), taut::Error> {
/// let settings = Settings {
///     scheme: Scheme::Bdf2,
///     damping: Damping { drag: 0.1, ..Damping::default() },
///     ..Settings::new("newton".parse()?, 1.0 / 60.0)
/// };
/// settings.validate()?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Time step h \[s\].
    pub time_step: f64,
    /// How a step is solved.
    pub method: Method,
    /// How the motion is followed in time, by methods that solve for a step.
    pub scheme: Scheme,
    /// Of the constant matrix of methods that have one: single where a trial shows that this is enough, or always
    /// double. Forces and positions are in double either way, and a method that iterates to convergence ends in the
    /// same place. Single is faster; double keeps an unconverged answer the same to 1e-12, not only 1e-8, when a scene
    /// is turned or renumbered.
    pub precision: Precision,
    /// What is taken out of the velocity.
    pub damping: Damping,
    /// The energy budget: share c ∈ [0, 1] of the energy a step loses or gains by itself that is put right after it; 0 is
    /// none. At 1 only two losses are left: what damping takes, and what cannot be given back because velocities grow at
    /// most twofold in a step. A body that is released stretched loses most of its energy so in the first steps, one
    /// that swings a little where its motion turns. [`Report::missing_energy`](crate::Report::missing_energy) says how
    /// much; it is not given back later, where it would appear as swinging.
    pub conserve: f64,
    /// How far springs may stretch after a step, if there is a limit.
    pub limit: Option<StrainLimit>,
    /// What is done about bodies that meet themselves and each other.
    pub contact: ContactSettings,
}

impl Settings {
    /// A method at a time step \[s\]; implicit Euler in time, single precision where it suffices, nothing damped,
    /// conserved or limited; bodies do not pass through themselves and each other.
    pub fn new(method: Method, time_step: f64) -> Self {
        Settings {
            time_step,
            method,
            scheme: Scheme::default(),
            precision: Precision::default(),
            damping: Damping::default(),
            conserve: 0.0,
            limit: None,
            contact: ContactSettings::default(),
        }
    }

    /// The same, but bodies pass through themselves and each other: to measure a method by itself, or where nothing can
    /// meet.
    pub fn without_contact(method: Method, time_step: f64) -> Self {
        Settings { contact: ContactSettings::new(Level::Off), ..Settings::new(method, time_step) }
    }

    /// Refuse numbers outside their range, and choices that do not go together.
    pub fn validate(&self) -> Result<(), Error> {
        if !(self.time_step > 0.0 && self.time_step.is_finite()) {
            let remedy = "must be a positive number of seconds, for example 0.0333";
            return Err(Error::setting("time step", self.time_step, remedy));
        }
        self.method.validate()?;
        self.method.check_scheme(self.scheme)?;
        self.damping.validate()?;
        self.contact.validate()?;
        self.limit.iter().try_for_each(StrainLimit::validate)?;
        if !(0.0..=1.0).contains(&self.conserve) {
            return Err(Error::setting("damping.conserve", self.conserve, "must be between 0 and 1"));
        }
        if self.conserve > 0.0 && self.scheme == Scheme::Bdf2 {
            let remedy = "bdf2 does not allow it, because it needs the velocities of earlier steps: use \
                          implicit_euler or midpoint";
            return Err(Error::setting("damping.conserve", self.conserve, remedy));
        }
        Ok(())
    }

    /// Refuse a model that the method cannot handle.
    pub fn suits(&self, model: &Model) -> Result<(), Error> {
        self.method.suits(model)?;
        let explicit = matches!(self.method, Method::Explicit(_));
        let elements = model.links.len() + model.membranes.len() + model.blocks.len();
        if explicit && self.damping.material > 0.0 && elements > 0 {
            let remedy = format!(
                "{} damps springs only, and the model has other elements: use drag in its place (a fabric or \
                 material brings damping along: material = 0.0 in [damping] is none), or a method that minimises g",
                self.method.name()
            );
            return Err(Error::setting("damping.material", self.damping.material, remedy));
        }
        if let Some(limit) = self.limit.filter(|_| elements > 0 && model.springs.is_empty()) {
            let remedy = "it limits springs, and there are none: triangles of elements have limits of their own (`limit` \
                          of a body in a scene, `Membrane::limit`)";
            return Err(Error::setting("limit", format!("{} of stretch", limit.stretch), remedy));
        }
        Ok(())
    }

    /// The integrator that takes such steps.
    pub fn integrator(&self) -> Box<dyn Integrator> {
        self.method.integrator(self.damping, self.scheme, self.precision)
    }
}
