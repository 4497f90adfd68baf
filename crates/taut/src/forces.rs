//! External forces, constant during a step: gravity, wind on triangles, pressure of air that bodies hold, forces of the
//! user's own.

use crate::model::Chamber;
use crate::{Air, Model, State};
use glam::DVec3;

/// External forces on a model.
#[derive(Debug, Clone, Default)]
pub struct External {
    /// Mass of each particle divided by the number of its triangles \[kg\].
    share: Vec<f64>,
    /// For each gas of the model.
    chambers: Vec<Chamber>,
}

impl External {
    /// For this model.
    pub fn new(model: &Model) -> Self {
        let mut count = vec![0.0; model.particles()];
        model.triangles.iter().flatten().for_each(|&i| count[i as usize] += 1.0);
        External {
            share: model.masses.iter().zip(count).map(|(m, n)| m / f64::max(n, 1.0)).collect(),
            chambers: model.gases.iter().map(|gas| gas.chamber()).collect(),
        }
    }

    /// Write the external force on every particle \[N\].
    ///
    /// Wind is quadratic in the relative velocity u, so taken explicitly it would throw light cloth about at
    /// large steps. Each triangle's force is therefore limited to m|u|/h, m its share of the mass: in one step
    /// the air can bring cloth to its own velocity, never past it. A smooth limit such as 1/(1 + h|f|/(m|u|))
    /// would act below that too, where it need not: sheets would fall 10 % too fast at h = 1/30 s.
    pub fn write(&mut self, model: &Model, state: &State, h: f64, out: &mut [DVec3]) {
        for (i, f) in out.iter_mut().enumerate() {
            *f = model.masses[i] * model.gravity + state.forces[i];
        }
        for (gas, chamber) in model.gases.iter().zip(&mut self.chambers) {
            let volume = chamber.volume(&state.positions);
            let pressure = gas.filled(state.time) * Chamber::pressure(gas, volume);
            chamber.slopes().for_each(|(i, slope)| out[i] += pressure * slope);
        }
        if model.air.density == 0.0 {
            return;
        }
        for t in &model.triangles {
            let corners = t.map(|i| i as usize);
            let [a, b, c] = corners.map(|i| state.positions[i]);
            let [va, vb, vc] = corners.map(|i| state.velocities[i]);
            let u = model.air.wind - (va + vb + vc) / 3.0;
            let mass: f64 = corners.iter().map(|&i| self.share[i]).sum();
            let force = on_triangle(&model.air, (b - a).cross(c - a), u, h / mass);
            corners.iter().for_each(|&i| out[i] += force / 3.0);
        }
    }
}

/// Force \[N\] of air at relative velocity `u` [m/s] on a triangle with twice-area vector `normal` \[m²\], limited
/// for a step of `mobility` = h/m [s/kg].
fn on_triangle(air: &Air, normal: DVec3, u: DVec3, mobility: f64) -> DVec3 {
    let (twice_area, speed) = (normal.length(), u.length());
    if twice_area == 0.0 || speed == 0.0 {
        return DVec3::ZERO;
    }
    let (n, along) = (normal / twice_area, u / speed);
    let facing = n.dot(along);
    // |n·u| for drag; lift turns with the side of n that the flow meets.
    let direction = air.drag * facing.abs() * along + air.lift * facing * (n - facing * along);
    let force = 0.25 * air.density * twice_area * speed * speed * direction;
    force / f64::max(1.0, mobility * force.length() / speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(air: Air, mass: f64) -> (Model, State) {
        let rest = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let model = Model {
            masses: vec![mass; 3],
            rest,
            triangles: vec![[0, 1, 2]],
            gravity: DVec3::ZERO,
            air,
            ..Model::default()
        };
        let state = State::at_rest(&model);
        (model, state)
    }

    fn total(model: &Model, state: &State, h: f64) -> DVec3 {
        let mut out = vec![DVec3::ZERO; 3];
        External::new(model).write(model, state, h, &mut out);
        out.iter().sum()
    }

    #[test]
    fn head_on_wind_gives_the_textbook_drag_and_edge_on_wind_nothing() {
        let air = Air { wind: DVec3::Z * 3.0, density: 1.2, drag: 1.1, lift: 0.5 };
        let (model, state) = triangle(air, 1e6);
        let expected = 0.5 * 1.2 * 0.5 * 9.0 * 1.1;
        assert!((total(&model, &state, 1e-3) - DVec3::Z * expected).length() < 1e-8);
        let (model, state) = triangle(Air { wind: DVec3::X * 3.0, ..air }, 1e6);
        assert_eq!(total(&model, &state, 1e-3), DVec3::ZERO);
    }

    #[test]
    fn lift_is_across_the_wind_towards_the_lee_side_and_indifferent_to_winding() {
        let air = Air { wind: DVec3::new(2.0, 0.0, 2.0), density: 1.2, drag: 0.0, lift: 1.0 };
        let (mut model, state) = triangle(air, 1e6);
        let f = total(&model, &state, 1e-3);
        assert!(f.dot(air.wind).abs() < 1e-12 * f.length() * air.wind.length());
        assert!(f.z > 0.0 && f.x < 0.0, "{f}");
        model.triangles[0] = [0, 2, 1];
        assert!((total(&model, &state, 1e-3) - f).length() < 1e-14 * f.length());
    }

    #[test]
    fn air_never_overtakes_cloth_however_light_and_however_long_the_step() {
        let air = Air { wind: DVec3::Z * 30.0, density: 1000.0, drag: 2.0, lift: 0.0 };
        let (model, state) = triangle(air, 1e-6);
        let gained = total(&model, &state, 1.0) / 3e-6;
        assert!(gained.z < 30.0 * (1.0 + 1e-12) && gained.z > 29.0, "{gained}");
    }
}
