//! Every way taut can refuse or fail, each naming the place, the value and the remedy.

use std::fmt;

/// Why a model was refused or a step not taken.
///
/// The display text is one sentence a user can act on: where, what was found, what would be right.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// An element of the model cannot be simulated.
    Model {
        /// Kind of element: `"particle"`, `"spring"`, `"link"`, `"triangle"`, `"tet"`.
        element: &'static str,
        /// Its index in the model.
        index: usize,
        /// What was found, with the offending value.
        problem: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// A setting (time step, method number, ...) is impossible.
    Setting {
        /// Name of the setting as the user wrote it.
        name: String,
        /// The value that was given.
        value: String,
        /// What would be right.
        remedy: String,
    },
    /// A position, force or pin became infinite or not a number. The state before the step is kept.
    NonFinite {
        /// Which quantity: `"position"`, `"velocity"`, `"force"`, `"pin target"`.
        quantity: &'static str,
        /// The first particle affected.
        particle: usize,
        /// Simulated time at the start of the step \[s\].
        time: f64,
    },
    /// A method or scheme that is not stable at any step has blown up, though every number is still finite. The state
    /// before the step is kept.
    Diverged {
        /// The longest spring.
        spring: usize,
        /// The particle at its end that is farther from its place at rest.
        particle: usize,
        /// Its length in rest lengths (dimensionless).
        stretch: f64,
        /// Simulated time at the start of the step \[s\].
        time: f64,
    },
    /// Cloth is caught between prescribed things that cross; no motion of it would keep it from passing through one of
    /// them. The state before the step is kept.
    Pinched {
        /// The particles of two primitives that meet: a point and a face, two edges, or those of one that meets a solid.
        particles: Vec<u32>,
        /// The bodies they belong to, or the solid.
        bodies: [String; 2],
        /// Simulated time at the start of the step \[s\].
        time: f64,
    },
    /// A file could not be read, understood or written.
    File {
        /// Path as the user gave it.
        path: String,
        /// Line (1-based) where the trouble is, if the format has lines.
        line: Option<usize>,
        /// What was found, with the offending value.
        problem: String,
        /// What would be right (may be empty).
        remedy: String,
    },
}

impl Error {
    /// A [`Error::Setting`] from anything printable.
    pub fn setting(name: impl Into<String>, value: impl fmt::Display, remedy: impl Into<String>) -> Self {
        Error::Setting { name: name.into(), value: value.to_string(), remedy: remedy.into() }
    }

    /// What blew up, and the time \[s\] at the start of that step; `None` of other errors.
    pub fn divergence(&self) -> Option<(String, f64)> {
        match *self {
            Error::NonFinite { quantity, particle, time } => {
                Some((format!("the {quantity} of particle {particle} is not finite"), time))
            }
            Error::Diverged { spring, particle, stretch, time } => {
                let many = if stretch < 1e6 { format!("{stretch:.0}") } else { format!("{stretch:.0e}") };
                Some((
                    format!("spring {spring} at particle {particle} is {many} times its rest length"),
                    time,
                ))
            }
            _ => None,
        }
    }

    /// A [`Error::File`] from anything printable.
    pub fn file(
        path: impl Into<String>,
        line: Option<usize>,
        problem: impl fmt::Display,
        remedy: impl Into<String>,
    ) -> Self {
        Error::File { path: path.into(), line, problem: problem.to_string(), remedy: remedy.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Model { element, index, problem, remedy } => {
                write!(f, "{element} {index}: {problem}; {remedy}")
            }
            Error::Setting { name, value, remedy } => write!(f, "{name} = {value}: {remedy}"),
            Error::NonFinite { .. } | Error::Diverged { .. } => {
                let (what, time) = self.divergence().expect("both are");
                let advice = match self {
                    Error::NonFinite { .. } => "reduce the time step, the stiffness or the force",
                    _ => {
                        "reduce the time step, or use what is stable at any step: the method conjugate_gradient or \
                          hybrid with the scheme implicit_euler"
                    }
                };
                write!(f, "{what} in the step from t = {time:.4} s; the last good state is kept ({advice})")
            }
            Error::Pinched { particles, bodies: [first, second], time } => {
                let particles: Vec<String> = particles.iter().map(u32::to_string).collect();
                write!(
                    f,
                    "{first} and {second} are forced through each other at particles {} in the step from t = {time:.4} \
                     s; the last good state is kept (move the pins or solids that hold them apart more slowly or not \
                     through each other, or set `contact.pinch = \"pass\"`)",
                    particles.join(", ")
                )
            }
            Error::File { path, line, problem, remedy } => {
                write!(f, "{path}")?;
                if let Some(line) = line {
                    write!(f, ":{line}")?;
                }
                write!(f, ": {problem}")?;
                if remedy.is_empty() { Ok(()) } else { write!(f, "; {remedy}") }
            }
        }
    }
}

impl std::error::Error for Error {}
