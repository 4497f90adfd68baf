//! Sparse Cholesky factorization behind one small type: analyse once, factor often, solve very often.
//!
//! `A = L Lᵀ` of a [`Symmetric`] matrix of scalars or 3×3 blocks, eliminated in an order of its *blocks*. Factorization
//! and triangular solves are faer's; all memory is taken in `new`, none in `factor` or `solve`.

use super::{Block, Pattern, Sequence, Symmetric};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::{ldlt::factor::LdltRegularization, llt::factor::LltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};
use glam::DVec3;

/// The matrix has a pivot that is zero, negative or not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indefinite;

/// A factored symmetric matrix of `n` blocks.
pub struct Cholesky {
    block: usize,
    symbolic: SymbolicCholesky<u32>,
    // The scalar upper triangle in compressed columns, refilled by every factorization.
    column_start: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
    factor: Vec<f64>,
    signed: bool,
    workspace: MemBuffer,
    right_hand_side: Vec<f64>,
}

impl Cholesky {
    /// Analyse the pattern for matrices of blocks `B`, to be eliminated in the given order of its rows. `None` if memory
    /// does not suffice.
    pub fn new<B: Block>(pattern: &Pattern, sequence: &Sequence) -> Option<Self> {
        let n = pattern.size() * B::SIZE;
        let (column_start, rows) = scalar_pattern(pattern, B::SIZE);
        let (order, inverse) = expanded(sequence, B::SIZE);
        let a = SymbolicSparseColMatRef::new_checked(n, n, &column_start, None, &rows);
        let order = SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, n));
        let symbolic =
            factorize_symbolic_cholesky(a, Side::Upper, order, CholeskySymbolicParams::default()).ok()?;
        let columns = if B::SIZE == 1 { 3 } else { 1 };
        let workspace = MemBuffer::try_new(StackReq::any_of(&[
            symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default()),
            symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Spec::default()),
            symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq),
        ]))
        .ok()?;
        Some(Cholesky {
            block: B::SIZE,
            values: vec![0.0; rows.len()],
            factor: vec![0.0; symbolic.len_val()],
            right_hand_side: vec![0.0; 3 * pattern.size()],
            column_start,
            rows,
            symbolic,
            signed: false,
            workspace,
        })
    }

    /// Entries of the factor: what one triangular solve reads.
    pub fn fill(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Factor `A + shift·diag(weights)`; fails where that is not positive definite.
    pub fn factor<B: Block>(
        &mut self,
        a: &Symmetric<B>,
        shift: f64,
        weights: &[f64],
    ) -> Result<(), Indefinite> {
        self.signed = false;
        self.load(a, shift, weights);
        let stack = MemStack::new(&mut self.workspace);
        let a = matrix(&self.column_start, &self.rows, &self.values);
        let (regularization, params) = (LltRegularization::default(), Spec::default());
        self.symbolic
            .factorize_numeric_llt(&mut self.factor, a, Side::Upper, regularization, Par::Seq, stack, params)
            .map_err(|_| Indefinite)?;
        // A pivot that is not a number passes the comparison `pivot <= 0`.
        if self.factor.iter().all(|v| v.is_finite()) { Ok(()) } else { Err(Indefinite) }
    }

    /// Factor `A = L D Lᵀ` whatever the signs of D: for methods that take the indefinite step as it is.
    pub fn factor_signed<B: Block>(&mut self, a: &Symmetric<B>) -> Result<(), Indefinite> {
        self.signed = true;
        self.load(a, 0.0, &[]);
        let stack = MemStack::new(&mut self.workspace);
        let a = matrix(&self.column_start, &self.rows, &self.values);
        let (regularization, params) = (LdltRegularization::default(), Spec::default());
        self.symbolic
            .factorize_numeric_ldlt(&mut self.factor, a, Side::Upper, regularization, Par::Seq, stack, params)
            .map(|_| ())
            .map_err(|_| Indefinite)
    }

    /// Solve in place: on entry the right-hand side, on return the solution.
    pub fn solve(&mut self, b: &mut [DVec3]) {
        let n = b.len();
        let by_coordinate = self.block == 1;
        let at = |i: usize, c: usize| if by_coordinate { c * n + i } else { 3 * i + c };
        for (i, v) in b.iter().enumerate() {
            (0..3).for_each(|c| self.right_hand_side[at(i, c)] = v[c]);
        }
        let (height, width) = if by_coordinate { (n, 3) } else { (3 * n, 1) };
        let x = MatMut::from_column_major_slice_mut(&mut self.right_hand_side, height, width);
        let stack = MemStack::new(&mut self.workspace);
        if self.signed {
            LdltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(Conj::No, x, Par::Seq, stack);
        } else {
            LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(Conj::No, x, Par::Seq, stack);
        }
        for (i, v) in b.iter_mut().enumerate() {
            *v = DVec3::from_array([0, 1, 2].map(|c| self.right_hand_side[at(i, c)]));
        }
    }

    fn load<B: Block>(&mut self, a: &Symmetric<B>, shift: f64, weights: &[f64]) {
        assert_eq!(B::SIZE, self.block, "analysed for another kind of block");
        let mut values = self.values.iter_mut();
        let mut put = |v| *values.next().expect("pattern was analysed") = v;
        for (j, &diagonal) in a.diagonal.iter().enumerate() {
            let diagonal = if shift == 0.0 { diagonal } else { diagonal.shifted(shift * weights[j]) };
            for c in 0..B::SIZE {
                for slot in a.pattern.column(j) {
                    (0..B::SIZE).for_each(|r| put(a.upper[slot].at(r, c)));
                }
                (0..=c).for_each(|r| put(diagonal.at(r, c)));
            }
        }
    }
}

fn matrix<'a>(column_start: &'a [u32], rows: &'a [u32], values: &'a [f64]) -> SparseColMatRef<'a, u32, f64> {
    let n = column_start.len() - 1;
    SparseColMatRef::new(SymbolicSparseColMatRef::new_checked(n, n, column_start, None, rows), values)
}

/// Upper triangle, diagonal included, of the pattern with a block of `size`×`size` scalars for every entry.
fn scalar_pattern(pattern: &Pattern, size: usize) -> (Vec<u32>, Vec<u32>) {
    let (mut column_start, mut rows) = (vec![0], Vec::new());
    for j in 0..pattern.size() {
        for c in 0..size {
            for &i in &pattern.rows[pattern.column(j)] {
                rows.extend((0..size).map(|r| i * size as u32 + r as u32));
            }
            rows.extend((0..=c).map(|r| (j * size + r) as u32));
            column_start.push(rows.len() as u32);
        }
    }
    (column_start, rows)
}

/// The order of scalar rows, each row of the sequence standing for `size` consecutive ones; and its inverse.
fn expanded(sequence: &Sequence, size: usize) -> (Vec<u32>, Vec<u32>) {
    let scalars = |&i: &u32| (0..size as u32).map(move |c| i * size as u32 + c);
    let expanded: Vec<u32> = sequence.as_slice().iter().flat_map(scalars).collect();
    let mut inverse = vec![0; expanded.len()];
    expanded.iter().enumerate().for_each(|(new, &old)| inverse[old as usize] = new as u32);
    (expanded, inverse)
}

/// An order of the vertices by approximate minimum degree: `order[k]` is the vertex eliminated k-th. `None` if
/// memory does not suffice.
pub fn minimum_degree(pattern: &Pattern) -> Option<Vec<u32>> {
    let n = pattern.size();
    let (column_start, rows) = scalar_pattern(pattern, 1);
    let (mut order, mut inverse) = (vec![0u32; n], vec![0u32; n]);
    let mut memory = MemBuffer::try_new(amd::order_scratch::<u32>(n, rows.len())).ok()?;
    let a = SymbolicSparseColMatRef::new_checked(n, n, &column_start, None, &rows);
    let control = amd::Control::default();
    amd::order(&mut order, &mut inverse, a, control, MemStack::new(&mut memory)).ok()?;
    Some(order)
}
