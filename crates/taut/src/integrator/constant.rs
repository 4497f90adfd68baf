//! The constant matrix `A = M + h²L` over the rows, factored, and particles that are held without a new factor.
//!
//! A particle that is grabbed must not move in a solve. To take its row p out of A would change the factor. But the
//! force that holds it acts on row p alone, so the answer is that of `A δ = b + f e_p` with the f that makes δ_p zero:
//!
//! ```text
//! z = A⁻¹ e_p,  once;      δ = A⁻¹ b,   δ ← δ − z δ_p / z_p     in every solve.
//! ```
//!
//! With k held rows Z has k columns, and `Z_P c = δ_P`, a k × k system, gives `δ ← δ − Z c`. A is never softer than the
//! Hessian with or without the row, so whoever lowers g by such steps still does.
//!
//! What nothing else holds may move far in `A⁻¹ b`, and in single precision little would be left of the answer's digits
//! once most of that is subtracted. But `δ_P = Zᵀ b` is known before: the solve is that for `b − e_P c`, and only what
//! rounding leaves of δ_P is subtracted after it. Where even that is not enough (many particles held in a piece that is
//! loose), the answer is refined once.

use crate::energy::Objective;
use crate::linear::{Factor, Precision, Symbolic, Symmetric, Unfactored};
use crate::{Error, Model};
use glam::DVec3;

/// `A⁻¹`, with some rows held.
pub(super) struct ConstantMatrix {
    factor: Factor,
    /// A, if the factor is rounded.
    exact: Option<Symmetric<f64>>,
    /// Rows.
    size: usize,
    columns: Vec<Column>,
    /// `Z_P = L U` by rows, the diagonal of L being 1.
    small: Vec<f64>,
    /// c.
    pull: Vec<DVec3>,
    /// A right-hand side, and what an answer misses of one.
    asked: Vec<DVec3>,
    missing: Vec<DVec3>,
}

/// How many times as far as anything moves what is held may have moved, before digits are lost to it.
const FAR: f64 = 8.0;

/// A held row and its z.
struct Column {
    row: u32,
    z: Vec<f64>,
}

impl ConstantMatrix {
    /// Factored in single precision where that is asked for and enough; never where one solve is the whole answer
    /// because g is quadratic. Where only numbers have changed since `old`, its analysis is used again.
    pub fn new(
        model: &Model,
        objective: &Objective,
        old: Option<&ConstantMatrix>,
    ) -> Result<ConstantMatrix, Error> {
        let (a, rows) = (objective.constant(model)?, &objective.rows);
        let sequence = objective.sequence(model).restricted(&rows.of);
        let known = old.map(|old| old.factor.symbolic());
        let known = known.filter(|symbolic| symbolic.is_of(&a.pattern, &sequence));
        let symbolic = known.cloned().unwrap_or_else(|| Symbolic::new(&a.pattern, &sequence));
        let probe: Vec<DVec3> = rows.particles.iter().map(|&i| model.rest[i as usize]).collect();
        let factor = match objective.precision {
            Precision::Single if !objective.is_quadratic(model) => Factor::rounded(&symbolic, &a, &probe),
            _ => Factor::new(&symbolic, &a, Precision::Double),
        };
        let factor = factor.map_err(|why| match why {
            Unfactored::Memory { bytes } => too_large(model, Some(bytes)),
            Unfactored::Indefinite => too_unlike(model),
        })?;
        let rounded = factor.precision() == Precision::Single;
        let mut matrix = ConstantMatrix {
            factor,
            exact: rounded.then_some(a),
            size: rows.len(),
            columns: Vec::new(),
            small: Vec::new(),
            pull: Vec::new(),
            asked: Vec::new(),
            missing: Vec::new(),
        };
        matrix.hold(&rows.held);
        Ok(matrix)
    }

    /// Hold these rows, ascending, and no others. Columns that are known stay; each new one costs a solve.
    pub fn hold(&mut self, rows: &[u32]) {
        self.columns.retain(|column| rows.binary_search(&column.row).is_ok());
        for (place, &row) in rows.iter().enumerate() {
            if self.columns.get(place).is_none_or(|column| column.row != row) {
                let z = self.column(row);
                self.columns.insert(place, Column { row, z });
            }
        }
        let (k, columns) = (rows.len(), &self.columns);
        let entry = |i: usize| columns[i % k].z[columns[i / k].row as usize];
        self.small = (0..k * k).map(entry).collect();
        self.pull = vec![DVec3::ZERO; k];
        if k > 0 {
            self.asked.reserve(self.size);
            self.missing.resize(self.size, DVec3::ZERO);
        }
        eliminate(&mut self.small, k);
    }

    /// `A⁻¹ e_row`. Each is solved for on its own, so that it has the same bits whatever else is held.
    fn column(&mut self, row: u32) -> Vec<f64> {
        let mut column = vec![DVec3::ZERO; self.size];
        column[row as usize].x = 1.0;
        self.factor.solve(&mut column);
        column.iter().map(|z| z.x).collect()
    }

    /// Solve in place.
    pub fn solve(&mut self, b: &mut [DVec3]) {
        if self.columns.is_empty() {
            return self.factor.solve(b);
        }
        let mut asked = std::mem::take(&mut self.asked);
        asked.clear();
        asked.extend_from_slice(b);
        self.solve_into(&asked, b);
        self.asked = asked;
    }

    /// Solve for the right-hand side b into x.
    pub fn solve_into(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        if self.columns.is_empty() {
            return self.factor.solve_into(b, x);
        }
        x.copy_from_slice(b);
        let far = self.solve_held(x);
        let Some(exact) = self.exact.as_ref().filter(|_| far > FAR * largest(x)) else { return };
        let mut missing = std::mem::take(&mut self.missing);
        missing.resize(self.size, DVec3::ZERO);
        exact.multiply(x, &mut missing);
        missing.iter_mut().zip(b).for_each(|(missing, &b)| *missing = b - *missing);
        self.columns.iter().for_each(|column| missing[column.row as usize] = DVec3::ZERO);
        self.solve_held(&mut missing);
        x.iter_mut().zip(&missing).for_each(|(x, &missing)| *x += missing);
        self.missing = missing;
    }

    /// Solve in place. Returns how far a held particle would have moved.
    fn solve_held(&mut self, b: &mut [DVec3]) -> f64 {
        let far = self.pull_back(b);
        self.factor.solve(b);
        self.leave(b);
        far
    }

    /// `b ← b − e_P c` with `Z_P c = Zᵀ b`. Returns the largest of `Zᵀ b`.
    fn pull_back(&mut self, b: &mut [DVec3]) -> f64 {
        let ConstantMatrix { columns, pull, .. } = self;
        for (pull, column) in pull.iter_mut().zip(columns) {
            *pull = b.iter().zip(&column.z).map(|(&b, &z)| z * b).sum();
        }
        let far = largest(pull);
        self.divide();
        self.columns.iter().zip(&self.pull).for_each(|(column, &c)| b[column.row as usize] -= c);
        far
    }

    /// `δ ← δ − Z c` with `Z_P c = δ_P`.
    fn leave(&mut self, x: &mut [DVec3]) {
        let ConstantMatrix { columns, pull, .. } = self;
        for (pull, column) in pull.iter_mut().zip(columns) {
            *pull = x[column.row as usize];
        }
        self.divide();
        for (column, &c) in self.columns.iter().zip(&self.pull) {
            x.iter_mut().zip(&column.z).for_each(|(x, &z)| *x -= z * c);
        }
        self.columns.iter().for_each(|column| x[column.row as usize] = DVec3::ZERO);
    }

    /// `pull ← Z_P⁻¹ pull`.
    fn divide(&mut self) {
        let ConstantMatrix { small, pull, .. } = self;
        let k = pull.len();
        for i in 0..k {
            let known: DVec3 = (0..i).map(|j| small[i * k + j] * pull[j]).sum();
            pull[i] -= known;
        }
        for i in (0..k).rev() {
            let known: DVec3 = (i + 1..k).map(|j| small[i * k + j] * pull[j]).sum();
            pull[i] = (pull[i] - known) / small[i * k + i];
        }
    }
}

/// The largest coordinate.
fn largest(x: &[DVec3]) -> f64 {
    x.iter().fold(0.0, |most, x| x.abs().max_element().max(most))
}

/// Gaussian elimination in place without pivoting: the matrix is a block of the inverse of a definite one.
fn eliminate(a: &mut [f64], k: usize) {
    for p in 0..k {
        for i in p + 1..k {
            a[i * k + p] /= a[p * k + p];
            for j in p + 1..k {
                a[i * k + j] -= a[i * k + p] * a[p * k + j];
            }
        }
    }
}

/// The error for a factorization that cannot be stored, and how much was missing \[B\] if that is known.
pub(super) fn too_large(model: &Model, missing: Option<usize>) -> Error {
    let size = format!("{} particles, {} springs", model.particles(), model.springs.len());
    let more = missing.map_or(String::new(), |b| format!(": it needs {} MiB more", b.div_ceil(1 << 20)));
    Error::setting(
        "model",
        size,
        format!(
            "the factorization does not fit into memory{more}; use newton with pcg_jacobi, which factors nothing"
        ),
    )
}

fn too_unlike(model: &Model) -> Error {
    let largest = model.springs.iter().map(|s| s.stiffness).fold(0.0, f64::max);
    let remedy = "masses and stiffnesses differ too much for double precision: make them more alike, or shorten the step";
    Error::setting("stiffness", format!("{largest} N/m"), remedy)
}
