//! What can be read off a state: energies, momenta, stretch, and a hash of every bit.

use crate::energy::{Sum, elastic, length};
use crate::{Model, SpringKind, State};
use glam::DVec3;

/// Mechanical energy \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Σ ½ m v².
    pub kinetic: f64,
    /// Of all springs Σ ½ k (l − r)², and of all other elements.
    pub elastic: f64,
    /// −Σ m g·x, zero at the origin.
    pub gravity: f64,
}

impl Energy {
    /// Energy of a state.
    pub fn of(model: &Model, state: &State) -> Self {
        let mut sums = [Sum::default(); 2];
        for (m, v, x) in weights(model, state) {
            sums[0].add(0.5 * m * v.length_squared());
            sums[1].add(-m * model.gravity.dot(x));
        }
        let [kinetic, gravity] = sums.map(|s| s.total());
        Energy { kinetic, elastic: elastic(model, state), gravity }
    }

    /// Kinetic, elastic and gravitational together.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }
}

/// Mass, velocity and position of every particle that is not of a solid.
fn weights<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = (f64, DVec3, DVec3)> + 'a {
    let all = model.masses.iter().zip(&state.velocities).zip(&state.positions).enumerate();
    all.filter(|(i, _)| !model.is_solid(*i)).map(|(_, ((&m, &v), &x))| (m, v, x))
}

/// Linear momentum Σ m v [kg·m/s].
pub fn momentum(model: &Model, state: &State) -> DVec3 {
    weights(model, state).map(|(m, v, _)| m * v).sum()
}

/// Angular momentum Σ x × m v about the origin [kg·m²/s].
pub fn angular_momentum(model: &Model, state: &State) -> DVec3 {
    weights(model, state).map(|(m, v, x)| x.cross(m * v)).sum()
}

/// Length over rest length of every spring, and of every edge of every membrane and block, that has a rest length,
/// ascending (dimensionless).
pub fn stretch_ratios(model: &Model, state: &State) -> Vec<f64> {
    let far = |x: &[DVec3], [a, b]: [u32; 2]| length(x[a as usize] - x[b as usize]);
    let springs = model.springs.iter().map(|s| (s.ends, s.rest_length));
    let all = springs.chain(model.cell_edges().map(|edge| (edge, far(&model.rest, edge))));
    let with_length = all.filter(|(_, r)| *r > 0.0);
    let mut ratios: Vec<f64> = with_length.map(|(ends, r)| far(&state.positions, ends) / r).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

/// Strain of every spring, l/r − 1 (dimensionless); 0 where it is slack, and where r is 0.
pub fn strains<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = f64> + 'a {
    model.springs.iter().map(|spring| {
        let (a, b) = spring.ab();
        let strain = length(state.positions[a] - state.positions[b]) / spring.rest_length - 1.0;
        let slack = spring.kind == SpringKind::ExtensionOnly && strain < 0.0;
        if slack || spring.rest_length == 0.0 { 0.0 } else { strain }
    })
}

/// 64-bit hash (FNV-1a) of the bits of all positions and velocities; −0 counts as 0.
pub fn hash(state: &State) -> u64 {
    let vectors = state.positions.iter().chain(&state.velocities);
    fnv(vectors.flat_map(|v| (*v + DVec3::ZERO).to_array()).flat_map(f64::to_le_bytes))
}

/// FNV-1a, 64 bits.
pub(crate) fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}
