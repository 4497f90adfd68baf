//! The numbers of the implicit–explicit methods.

use crate::Error;
use crate::linear::Preconditioner;

/// The numbers of the implicit–explicit methods.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct ImexSettings {
    /// Preconditioner of the conjugate gradients.
    pub preconditioner: Preconditioner,
    /// Whether each connected component of the implicit springs is solved on its own.
    pub decompose: bool,
    /// Relative accuracy ε of the linear solves (dimensionless).
    pub tolerance: f64,
    /// Most Newton iterations per step; 1 is the semi-implicit step of the papers.
    pub newton: usize,
    /// Whether linear solves start from the change of velocity in the last step, not from zero. Saves iterations, but
    /// then a step depends on the one before (within the tolerance), not on the state alone.
    pub guess: bool,
}

impl Default for ImexSettings {
    fn default() -> Self {
        ImexSettings {
            preconditioner: Preconditioner::default(),
            decompose: true,
            tolerance: 1e-6,
            newton: 1,
            guess: false,
        }
    }
}

impl ImexSettings {
    pub(crate) fn validate(&self) -> Result<(), Error> {
        if self.newton == 0 {
            return Err(Error::setting("iterations", 0, "at least one is needed"));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let remedy =
                "must be between 0 and 1, for example 1e-6: the relative accuracy of the linear solves";
            return Err(Error::setting("tolerance", self.tolerance, remedy));
        }
        Ok(())
    }
}
