//! Static equilibrium: where a scene comes to rest.
//!
//! Steps that forget their velocity (`y = q_n`) descend the potential energy, each to the minimum of
//! `½‖x − q_n‖²_M + h²E(x)`: the proximal-point method. An error mode of frequency ω shrinks by `1/(1 + ω²h²)`
//! per step, so h doubles from step to step; E never rises, which a plain Newton method on E could not promise.

use crate::{Damping, Error, Method, NewtonSettings, Scheme, Simulation, Stop};

/// How settling went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// Steps taken.
    pub steps: usize,
    /// Whether the last step moved every particle by less than the tolerance.
    pub converged: bool,
    /// Largest displacement in the last step, in mean rest lengths (dimensionless).
    pub displacement: f64,
}

/// Newton steps per proximal step: early ones need not be exact, late ones converge in two or three.
const NEWTON_STEPS: usize = 8;
/// Largest factor on the time step: by then modes of a second's period shrink a thousandfold per step.
const LARGEST: f64 = 1024.0;

impl Simulation {
    /// Move to static equilibrium: until a step moves no particle by more than `tolerance` mean rest lengths, or
    /// `limit` steps. `go_on` sees the number of steps and the largest displacement, and may stop it. Script
    /// events act as time passes; method, damping, time scheme, step and limit are afterwards what they were, velocities zero.
    pub fn settle(
        &mut self,
        tolerance: f64,
        limit: usize,
        mut go_on: impl FnMut(usize, f64) -> bool,
    ) -> Result<Settled, Error> {
        let (method, damping, h) = (self.method().clone(), *self.damping(), self.time_step());
        let (scheme, strain) = (self.scheme(), self.limit().copied());
        self.set_limit(None)?;
        let length = self.model().mean_rest_length();
        let solver = NewtonSettings { stop: Stop::iterations(NEWTON_STEPS), ..Default::default() };
        let mut settled = Settled { steps: 0, converged: false, displacement: f64::INFINITY };
        let mut factor = 1.0;
        self.set_scheme(Scheme::ImplicitEuler)?;
        while settled.steps < limit && !settled.converged && go_on(settled.steps, settled.displacement) {
            self.configure(Method::Newton(solver), Damping { ether: 0.0, ..Damping::default() }, factor * h)?;
            let before = self.positions().to_vec();
            self.step()?;
            let moved = self.positions().iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            settled.displacement = moved / length;
            settled.converged = settled.displacement <= tolerance;
            settled.steps += 1;
            factor = (2.0 * factor).min(LARGEST);
        }
        self.configure(method, damping, h)?;
        self.set_scheme(scheme)?;
        self.set_limit(strain)?;
        self.edit(|_, state| {
            state.velocities.fill(glam::DVec3::ZERO);
            Ok(())
        })?;
        Ok(settled)
    }
}
