//! Air that bodies hold: whether steps are short enough for it.
//!
//! Its pressure acts with the volume it has when the step begins, so what vibrates against it must not go far in a step.
//! Swelling and shrinking as the pressure pushes, `f = p₀ V₀ / V ∂V/∂x`, is a spring of `p₀ V₀ / V² |∂V/∂x|²`:
//!
//! ```text
//! ω² = p₀ / V₀ Σ |∂V/∂xᵢ|² / mᵢ      when the air has its volume V₀,      h < 2 / ω
//! ```

use super::{Finding, Severity, short};
use crate::model::Chamber;
use crate::{Model, State};

pub(super) fn examine(model: &Model, state: &State, h: f64, out: &mut Vec<Finding>) {
    for (number, gas) in model.gases.iter().enumerate() {
        let mut chamber = gas.chamber();
        let volume = chamber.volume(&state.positions);
        let free = |i: usize| !state.filters[i].is_pinned();
        let slopes = chamber.slopes().filter(|(i, _)| free(*i));
        let inertia: f64 = slopes.map(|(i, slope)| slope.length_squared() / model.masses[i]).sum();
        let omega = (gas.pressure / gas.volume * inertia).sqrt();
        let body = model.body_name(model.tag(gas.triangles[0][0] as usize));
        let pressure = short(Chamber::pressure(gas, volume) * gas.filled(state.time));
        if h * omega > 2.0 {
            let what = format!(
                "the air of body `{body}` (gas {number}, {pressure} Pa at the start) pushes it to and fro at {} rad/s: at \
                 {} s that grows from step to step",
                short(omega),
                short(h)
            );
            let remedy = format!("take steps below {} s, or lower the pressure", short(2.0 / omega));
            out.push(Finding::new(Severity::Warning, what, remedy));
        }
    }
}
