//! Static equilibrium: where a scene comes to rest.
//!
//! First it swings: ordinary steps of local/global whose velocities are set to zero whenever the kinetic energy has
//! passed a peak (dynamic relaxation). Steps are cheap, rotations cost nothing, and solids and bodies are met as in a
//! run, so what touches anything swings until it is at rest.
//!
//! What touches nothing then descends: steps that forget their velocity (`y = q_n`) go each to the minimum of
//! `½‖x − q_n‖²_M + h²E(x)`, the proximal-point method. An error mode of frequency ω shrinks by `1/(1 + ω²h²)` per
//! step, so h is large; E never rises, which a plain Newton method on E could not promise. Newton moves slack cloth
//! by some hundredths of a spring's length at a time, because there its springs turn: that is why swinging comes first.

use crate::report::{Report, Stages};
use crate::{Damping, Error, ImexSettings, Method, NewtonSettings, Settings, Simulation, Stop};
use glam::DVec3;

/// How settling went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// Steps taken.
    pub steps: usize,
    /// Iterations in all steps together.
    pub iterations: usize,
    /// Whether it is at rest.
    pub converged: bool,
    /// Largest displacement in the last step (while swinging: in the last 32), in mean rest lengths (dimensionless).
    pub displacement: f64,
    /// Wall-clock time of each stage.
    pub seconds: Stages,
}

/// Local/global iterations per step while swinging: three of them swing as well as ten, measured in time.
const ITERATIONS: usize = 3;
/// Steps after which swinging is judged.
const WINDOW: usize = 32;
/// Displacement in that many, in mean rest lengths, from which Newton is quicker.
const NEAR: f64 = 0.01;
/// The same where solids are touched and Newton would step through them: friction lets things creep, so this is rest.
const CREEP: f64 = 1e-3;
/// Steps of swinging at least, unless all is at rest: a flat sheet takes its time to buckle.
const LEAST: usize = 256;
/// Steps of swinging without solids, at most: what is then still slow is Newton's.
const SWINGING: usize = 640;
/// Factor on the time step while swinging without solids: slow modes swing in fewer steps, fast ones die at once.
const STRIDE: f64 = 16.0;
/// Newton steps per proximal step: early ones need not be exact, late ones converge in two or three.
const NEWTON_STEPS: usize = 8;
/// First factor on the time step for Newton; it grows fourfold until modes of a second's period shrink a
/// thousandfold per step.
const FIRST: f64 = 256.0;
const LARGEST: f64 = 1024.0;

/// Where settling is, and whether it may go on.
struct Course<'a> {
    settled: Settled,
    tolerance: f64,
    limit: usize,
    /// Whether anything touched a solid, a body or itself in this window of steps.
    touching: bool,
    go_on: &'a mut dyn FnMut(usize, f64) -> bool,
}

impl Course<'_> {
    fn goes_on(&mut self) -> bool {
        let Settled { steps, displacement, converged, .. } = self.settled;
        !converged && steps < self.limit && (self.go_on)(steps, displacement)
    }

    fn count(&mut self, report: &Report) {
        self.settled.steps += 1;
        self.settled.iterations += report.solve.iterations;
        self.settled.seconds += report.seconds;
        self.touching |= report.touching > 0 || report.contact.is_some_and(|contact| contact.contacts > 0);
    }
}

impl Simulation {
    /// Move to static equilibrium: until a step of half a minute moves no particle by more than `tolerance` mean rest
    /// lengths (where solids are touched: 32 ordinary steps by 1e-3, or `tolerance` if that is more), or `limit` steps.
    /// `go_on` sees the number of steps and the largest displacement, and may stop it. Script events act as time
    /// passes; method, damping, time scheme, step and limit are afterwards what they were, velocities zero.
    pub fn settle(
        &mut self,
        tolerance: f64,
        limit: usize,
        mut go_on: impl FnMut(usize, f64) -> bool,
    ) -> Result<Settled, Error> {
        let settings = self.settings().clone();
        let settled = Settled {
            steps: 0,
            iterations: 0,
            converged: false,
            displacement: f64::INFINITY,
            seconds: Stages::default(),
        };
        let mut course = Course { settled, tolerance, limit, touching: false, go_on: &mut go_on };
        let outcome = self.come_to_rest(&mut course, &settings);
        self.configure(settings)?;
        self.halt();
        outcome.map(|()| course.settled)
    }

    fn come_to_rest(&mut self, course: &mut Course, settings: &Settings) -> Result<(), Error> {
        // As the settings have it, but neither damped nor limited, by implicit Euler.
        let Settings { time_step: h, precision, contact, .. } = *settings;
        let plain = |method, time_step| Settings { precision, contact, ..Settings::new(method, time_step) };
        let near = CREEP.max(course.tolerance);
        let alone = self.obstacles().is_empty();
        if alone {
            self.swing(course, &|method| plain(method, STRIDE * h), NEAR, SWINGING)?;
        }
        if !alone || course.touching {
            let still = self.swing(course, &|method| plain(method, h), near, course.limit)?;
            course.settled.converged = still && course.touching;
        }
        self.descend(course, &|method, factor| plain(method, factor * h))?;
        if course.touching {
            // Newton knows nothing of what it came to touch.
            course.settled.converged |= self.swing(course, &|method| plain(method, h), near, course.limit)?;
        }
        Ok(())
    }

    /// Swing until a window of steps moves nothing further than `near`. Returns whether that came about.
    fn swing(
        &mut self,
        course: &mut Course,
        settings: &dyn Fn(Method) -> Settings,
        near: f64,
        most: usize,
    ) -> Result<bool, Error> {
        let constant = Method::LocalGlobal(Stop::iterations(ITERATIONS));
        // Springs that buckle have no constant matrix.
        let buckles = constant.suits(self.model()).is_err();
        let method = if buckles { Method::BaraffWitkin(ImexSettings::default()) } else { constant };
        self.configure(settings(method))?;
        let (mut before, mut last) = (self.positions().to_vec(), 0.0);
        for step in 1..=most {
            if !course.goes_on() {
                return Ok(false);
            }
            if step % WINDOW == 1 {
                course.touching = false;
            }
            course.count(&self.step()?);
            let kinetic = self.energy().kinetic;
            last = if kinetic < last { 0.0 } else { kinetic };
            if last == 0.0 {
                self.halt();
            }
            if step % WINDOW == 0 {
                let near = if step < LEAST { near.min(course.tolerance) } else { near };
                course.settled.displacement = self.moved(&before);
                if course.settled.displacement <= near {
                    return Ok(true);
                }
                before.copy_from_slice(self.positions());
            }
        }
        Ok(false)
    }

    /// Proximal steps by Newton, longer and longer, until something is touched.
    fn descend(
        &mut self,
        course: &mut Course,
        settings: &dyn Fn(Method, f64) -> Settings,
    ) -> Result<(), Error> {
        let stop = Stop::iterations(NEWTON_STEPS);
        let newton = Method::Newton(NewtonSettings { stop, ..Default::default() });
        let mut factor = FIRST;
        course.touching = false;
        while course.goes_on() && !course.touching {
            let damping = Damping { ether: 0.0, ..Damping::default() };
            self.configure(Settings { damping, ..settings(newton.clone(), factor) })?;
            let before = self.positions().to_vec();
            course.count(&self.step()?);
            course.settled.displacement = self.moved(&before);
            course.settled.converged = course.settled.displacement <= course.tolerance;
            factor = (4.0 * factor).min(LARGEST);
        }
        Ok(())
    }

    /// Largest displacement since `before`, in mean rest lengths.
    fn moved(&self, before: &[DVec3]) -> f64 {
        let moved = self.positions().iter().zip(before).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        moved / self.model().mean_rest_length()
    }
}
