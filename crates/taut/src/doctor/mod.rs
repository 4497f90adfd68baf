//! The doctor looks at a model before it runs and says what will go wrong, why, and what to change.
//!
//! | file | what |
//! |---|---|
//! | `frequency` | ω_max by Lanczos; the step limits of the explicit schemes |
//! | `elements` | springs, triangles, tets and connections that look broken, by index |
//! | `units` | sizes, densities, gravity and steps that suggest centimetres, grams or milliseconds |
//! | `contact` | what crosses at the start, and bodies thicker than their meshes have room for |
//! | `convergence` | ratios that make implicit methods slow |
//!
//! What only a scene shows (bodies inside obstacles, events outside the time simulated) is
//! [`Scene::examine`](crate::Scene::examine).
//!
//! Nothing here is refused: what cannot be simulated at all is the business of [`Model::validate`]. Bounds on human
//! quantities (a cloth of 50 m, a step of half a second) are the only absolute numbers.
//! Does not handle: what only motion shows (collisions, tangling).

mod air;
mod contact;
mod convergence;
mod elements;
mod frequency;
mod units;

pub use contact::examine_contact;
pub use frequency::Frequency;

use crate::integrator::Explicit;
use crate::{Model, State};
use std::fmt;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Probably not what was meant.
    Warning,
    /// Will not work.
    Error,
}

impl Severity {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Something the doctor found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What was found, with index and value.
    pub what: String,
    /// What to change.
    pub remedy: String,
}

impl Finding {
    pub(crate) fn new(severity: Severity, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding { severity, what: what.into(), remedy: remedy.into() }
    }
}

/// How an explicit scheme would fare; under drag where a scene has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The scheme.
    pub scheme: Explicit,
    /// The fastest mode, ω [rad/s].
    pub omega: f64,
    /// Drag c [1/s].
    pub drag: f64,
    /// Steps below this stay bounded \[s\]; 0 if none does.
    pub step: f64,
    /// Factor on the amplitude of the fastest mode per step asked for (dimensionless); 1 is bounded.
    pub growth: f64,
}

/// What [`examine`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// Time step asked for, h \[s\].
    pub time_step: f64,
    /// Largest frequency ω_max [rad/s] in the given pose, on the safe side.
    pub omega_max: f64,
    /// The bracket it comes from.
    pub frequency: Frequency,
    /// One per explicit scheme.
    pub limits: Vec<Limit>,
    /// What is suspicious, worst first.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// The worst severity found.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.first().map(|f| f.severity)
    }
}

/// Examine a model in a given pose with its pins, for steps of `h` \[s\].
///
/// ```
/// use taut::{State, doctor, shapes::Grid};
///
/// # fn main() -> Result<(), taut::Error> {
/// let cloth = Grid::default().build()?;
/// let diagnosis = doctor::examine(&cloth, &State::at_rest(&cloth), 1.0 / 30.0);
/// assert!(diagnosis.findings.is_empty());
/// // Far too long a step for an explicit method: it wants less than this.
/// assert!(diagnosis.limits[0].step < 0.001);
///
/// let in_centimetres = Grid { width: 100.0, height: 100.0, ..Grid::default() }.build()?;
/// let diagnosis = doctor::examine(&in_centimetres, &State::at_rest(&in_centimetres), 1.0 / 30.0);
/// assert!(diagnosis.findings[0].remedy.contains("scale = 0.01"));
/// # Ok(()) }
/// ```
pub fn examine(model: &Model, state: &State, h: f64) -> Diagnosis {
    let mut findings = Vec::new();
    let mut frequency = Frequency { upper: f64::NAN, lower: f64::NAN, any_pose: f64::NAN, steps: 0 };
    if let Err(error) = model.validate().and_then(|()| state.validate(model)) {
        let remedy = "nothing else was examined; correct this first";
        findings.push(Finding::new(Severity::Error, error.to_string(), remedy));
    } else {
        frequency = Frequency::of(model, state);
        elements::examine(model, state, &mut findings);
        units::examine(model, h, &mut findings);
        convergence::examine(model, state, h, frequency.upper, &mut findings);
        air::examine(model, state, h, &mut findings);
    }
    findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    let omega = frequency.upper;
    let limit = |scheme| Limit::new(scheme, omega, 0.0, h);
    Diagnosis {
        time_step: h,
        omega_max: omega,
        frequency,
        limits: Explicit::NAMES.map(|(_, scheme)| limit(scheme)).to_vec(),
        findings,
    }
}

/// A number with four digits, in whichever notation is shorter to read.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) {
        let digits = if value == 0.0 { 0 } else { (3 - value.abs().log10().floor() as i32).max(0) };
        let text = format!("{value:.*}", digits as usize);
        let trimmed =
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        return trimmed.to_string();
    }
    let text = format!("{value:.3e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            format!("{digits}e{exponent}")
        }
        None => text, // infinite or not a number
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (omega, any) = (short(self.omega_max), short(self.frequency.any_pose));
        writeln!(f, "fastest mode      {omega} rad/s as posed, at most {any} rad/s in any pose")?;
        writeln!(f, "step asked for    {} s", short(self.time_step))?;
        writeln!(f, "explicit methods  for comparison; implicit methods have no such limit:")?;
        for limit in &self.limits {
            writeln!(f, "{:<17} {}", limit.scheme.name(), limit.verdict(self.time_step))?;
        }
        for finding in &self.findings {
            writeln!(f, "{}: {}", finding.severity.name(), finding.what)?;
            writeln!(f, "    {}", finding.remedy)?;
        }
        if self.findings.is_empty() { writeln!(f, "nothing suspicious found") } else { Ok(()) }
    }
}

impl Limit {
    /// Of a scheme whose fastest mode has `omega` [rad/s], under `drag` [1/s], at a step of `h` \[s\].
    pub fn new(scheme: Explicit, omega: f64, drag: f64, h: f64) -> Self {
        let (step, growth) = (scheme.limit(omega, drag), scheme.growth(omega, drag, h));
        Limit { scheme, omega, drag, step, growth }
    }

    /// One line: whether a step `h` \[s\] is stable, and what would be.
    pub fn verdict(&self, h: f64) -> String {
        let (fate, remedy) = self.fate(h);
        if remedy.is_empty() { fate } else { format!("{fate}; {remedy}") }
    }

    /// How a step `h` \[s\] fares, and what would be right if it does not.
    pub(crate) fn fate(&self, h: f64) -> (String, String) {
        let (limit, growth) = (short(self.step), short(self.growth));
        if self.step.is_nan() {
            ("not known".into(), String::new())
        } else if self.step == f64::INFINITY {
            ("stable at any step: nothing vibrates".into(), String::new())
        } else if self.step == 0.0 {
            let other = short(Explicit::SymplecticEuler.limit(self.omega, self.drag));
            let remedy = format!("use symplectic_euler below {other} s or an implicit method");
            (format!("unstable at any step without drag, here × {growth} per step"), remedy)
        } else if h < self.step {
            (format!("stable: the limit is {limit} s"), String::new())
        } else {
            // A tenth in reserve: the pose, and with it the limit, changes as things move.
            let pieces = (h / (0.9 * self.step)).ceil();
            let remedy =
                format!("the limit is {limit} s: divide the step by {pieces} or use an implicit method");
            (format!("unstable: grows × {growth} per step"), remedy)
        }
    }
}
