//! The Report of a step: what it cost and how exact it was.

use crate::after::Limited;
use crate::collision::{ContactSeconds, Response};
use crate::cut::Parted;
use crate::integrator::Solve;
use crate::model::Change;

/// What one step cost and how exact it was.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// Steps taken so far.
    pub step: u64,
    /// Simulated time after the step \[s\].
    pub time: f64,
    /// What the solver did.
    pub solve: Solve,
    /// What the energy after the step lacks of its budget \[J\], if there is one
    /// ([`Settings::conserve`](crate::Settings::conserve)); negative if it has more.
    pub missing_energy: Option<f64>,
    /// What the strain limit did, if there is one.
    pub limited: Option<Limited>,
    /// What the integrator had to follow before the step: edits and events since the last.
    pub followed: Change,
    /// In which way it followed; that took [`Stages::prepare`].
    pub way: Way,
    /// What was cut since the last step, if anything.
    pub parted: Option<Parted>,
    /// Tetrahedra that are inside out or flat after the step, and the first of them: see
    /// [`Model::inverted`](crate::Model::inverted).
    pub inverted: usize,
    /// Index of the first.
    pub first_inverted: Option<usize>,
    /// Particles touching an obstacle.
    pub touching: usize,
    /// What contact of bodies with themselves and each other did, if it is on.
    pub contact: Option<Response>,
    /// Relative error of the step, eq. (15), if [`Simulation::measure_error`](crate::Simulation::measure_error) is on.
    pub relative_error: Option<f64>,
    /// Wall-clock time of each stage.
    pub seconds: Stages,
}

/// How an integrator followed an edit, from the cheapest to the dearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Way {
    /// There was nothing to follow.
    #[default]
    Nothing,
    /// Particles are held or let go by a column of the inverse each, without a new factor.
    Held,
    /// What is needed was prepared on another thread: see [`Apart`](crate::Apart).
    Apart,
    /// The order of elimination was there; the factor was made again.
    KeptOrder,
    /// Everything was prepared afresh, the order of elimination too if the method has one.
    Fresh,
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Way::Nothing => "nothing to follow",
            Way::Held => "held without a new factor",
            Way::Apart => "prepared on another thread",
            Way::KeptOrder => "factored again in the order there was",
            Way::Fresh => "prepared afresh",
        })
    }
}

/// Wall-clock time \[s\] of the stages of a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stages {
    /// Script: events and moving pins.
    pub script: f64,
    /// Preparing the integrator (orderings, factorizations); 0 unless pins, springs or h changed.
    pub prepare: f64,
    /// The integrator.
    pub integrate: f64,
    /// The strain limit and the energy budget.
    pub limit: f64,
    /// Collisions.
    pub collide: f64,
    /// What contact of bodies took of these, the search for what a method minimises together with the springs included.
    pub contact: ContactSeconds,
}

impl std::ops::AddAssign for Stages {
    fn add_assign(&mut self, more: Stages) {
        self.script += more.script;
        self.prepare += more.prepare;
        self.integrate += more.integrate;
        self.limit += more.limit;
        self.collide += more.collide;
        self.contact += more.contact;
    }
}
