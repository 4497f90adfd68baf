//! The step written down a second time, straight from the equations and without a thought for speed: what the
//! library's numbers are compared with. Dense matrices, Gaussian elimination, one loop over springs.

use taut::{DVec3, Filter, Model, SpringKind, State};

/// A square matrix, by rows.
pub type Dense = Vec<Vec<f64>>;

/// One step: ½‖x − ŷ‖²_M + h² Σ ½ k (l − r)² over the free particles.
pub struct Step {
    pub h: f64,
    pub target: Vec<DVec3>,
    pub free: Vec<usize>,
}

impl Step {
    /// ŷ = q + h α v + h² (gravity + f/m); no wind, no other damping.
    pub fn new(model: &Model, state: &State, h: f64, alpha: f64) -> Self {
        let target = |i: usize| match state.filters[i] {
            Filter::Pinned(z) => z,
            Filter::Plane { .. } | Filter::Line { .. } => unreachable!("g knows pins only"),
            Filter::Free => {
                let inertia = state.positions[i] + h * alpha * state.velocities[i];
                inertia + h * h * (model.gravity + state.forces[i] / model.masses[i])
            }
        };
        let m = model.particles();
        Step {
            h,
            target: (0..m).map(target).collect(),
            free: (0..m).filter(|&i| state.filters[i] == Filter::Free).collect(),
        }
    }

    /// ∇g, one entry per free particle.
    pub fn gradient(&self, model: &Model, x: &[DVec3]) -> Vec<DVec3> {
        let mut all: Vec<DVec3> =
            x.iter().zip(&self.target).zip(&model.masses).map(|((x, y), &m)| m * (*x - *y)).collect();
        for s in &model.springs {
            let (a, b) = (s.ends[0] as usize, s.ends[1] as usize);
            let p = x[a] - x[b];
            let l = p.length();
            if s.kind == SpringKind::ExtensionOnly && l <= s.rest_length {
                continue;
            }
            let force = self.h * self.h * s.stiffness * (l - s.rest_length) * (p / l);
            all[a] += force;
            all[b] -= force;
        }
        self.free.iter().map(|&i| all[i]).collect()
    }

    /// max ‖∇g_i‖/(m_i ℓ).
    pub fn residual(&self, model: &Model, x: &[DVec3]) -> f64 {
        let mean = model.springs.iter().map(|s| s.rest_length).sum::<f64>() / model.springs.len() as f64;
        let scaled = self.gradient(model, x).into_iter().zip(&self.free);
        scaled.map(|(g, &i)| g.length() / (model.masses[i] * mean)).fold(0.0, f64::max)
    }

    /// What rounding of the positions alone does to the residual: one ε of the largest coordinate, through
    /// the stiffest particle, `ε (X/ℓ) max(1 + h² Σk/m)`.
    pub fn rounding(&self, model: &Model, x: &[DVec3]) -> f64 {
        let mut stiffness = vec![0.0; model.particles()];
        model.springs.iter().for_each(|s| s.ends.iter().for_each(|&e| stiffness[e as usize] += s.stiffness));
        let share = |&i: &usize| 1.0 + self.h * self.h * stiffness[i] / model.masses[i];
        let worst = self.free.iter().map(share).fold(0.0, f64::max);
        let size = x.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        f64::EPSILON * worst * size / model.mean_rest_length()
    }

    /// ∇²g over the coordinates of the free particles.
    pub fn hessian(&self, model: &Model, x: &[DVec3]) -> Dense {
        let n = 3 * self.free.len();
        let mut row = vec![None; model.particles()];
        self.free.iter().enumerate().for_each(|(r, &i)| row[i] = Some(3 * r));
        let mut a = vec![vec![0.0; n]; n];
        for (r, &i) in self.free.iter().enumerate() {
            (0..3).for_each(|c| a[3 * r + c][3 * r + c] = model.masses[i]);
        }
        for s in &model.springs {
            let ends = [s.ends[0] as usize, s.ends[1] as usize];
            let p = x[ends[0]] - x[ends[1]];
            let (l, r) = (p.length(), s.rest_length);
            if s.kind == SpringKind::ExtensionOnly && l <= r {
                continue;
            }
            let u = (p / l).to_array();
            for (c, e) in (0..9).map(|i| (i / 3, i % 3)) {
                let identity = f64::from(u8::from(c == e));
                let along = u[c] * u[e];
                let k = self.h * self.h * s.stiffness * (along + (1.0 - r / l) * (identity - along));
                for (i, j) in (0..4).map(|i| (i / 2, i % 2)) {
                    if let (Some(i0), Some(j0)) = (row[ends[i]], row[ends[j]]) {
                        a[i0 + c][j0 + e] += if i == j { k } else { -k };
                    }
                }
            }
        }
        a
    }
}

/// Coordinates one after the other.
pub fn flat(v: &[DVec3]) -> Vec<f64> {
    v.iter().flat_map(|v| v.to_array()).collect()
}

/// Solve A x = b by Gaussian elimination with partial pivoting.
pub fn solve(a: &Dense, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut a: Dense = a.iter().zip(b).map(|(row, &b)| row.iter().copied().chain([b]).collect()).collect();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| a[i][c].abs().total_cmp(&a[j][c].abs())).expect("a row is left");
        a.swap(c, pivot);
        let (above, below) = a.split_at_mut(c + 1);
        let pivot = &above[c];
        for row in below {
            let factor = row[c] / pivot[c];
            row[c..].iter_mut().zip(&pivot[c..]).for_each(|(r, p)| *r -= factor * p);
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| a[i][j] * x[j]).sum();
        x[i] = (a[i][n] - known) / a[i][i];
    }
    x
}

/// Whether every pivot of elimination without exchanges is positive: A is positive definite.
pub fn is_definite(a: &Dense) -> bool {
    let mut a = a.clone();
    for c in 0..a.len() {
        let (above, below) = a.split_at_mut(c + 1);
        let pivot = &above[c];
        if pivot[c].is_nan() || pivot[c] <= 0.0 {
            return false;
        }
        for row in below {
            let factor = row[c] / pivot[c];
            row[c..].iter_mut().zip(&pivot[c..]).for_each(|(r, p)| *r -= factor * p);
        }
    }
    true
}
