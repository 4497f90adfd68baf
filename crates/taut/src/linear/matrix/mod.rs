//! Symmetric sparse matrices over a graph: one block per vertex on the diagonal, one per edge above it.
//!
//! The same [`Pattern`] carries scalars (`M + h²L`, one m×m matrix for all three coordinates) and 3×3 blocks
//! (Hessians). Only the upper triangle is stored; below it stand the same blocks turned.

mod colouring;
mod components;

pub use colouring::Colouring;
pub use components::Components;

use glam::{DMat3, DVec3};

/// What may stand in a matrix: a scalar acting on all three coordinates alike, or a 3×3 block.
pub trait Block: Copy + std::ops::AddAssign + std::ops::SubAssign {
    /// Scalar rows per block: 1 or 3.
    const SIZE: usize;
    /// The block of zeros.
    const ZERO: Self;
    /// Block times 3-vector.
    fn apply(self, v: DVec3) -> DVec3;
    /// The transposed block.
    fn turned(self) -> Self;
    /// Element (row, column), each below [`Block::SIZE`].
    fn at(self, row: usize, column: usize) -> f64;
    /// Add `s` times the identity.
    fn shifted(self, s: f64) -> Self;
}

impl Block for f64 {
    const SIZE: usize = 1;
    const ZERO: Self = 0.0;
    #[inline]
    fn apply(self, v: DVec3) -> DVec3 {
        self * v
    }
    #[inline]
    fn turned(self) -> Self {
        self
    }
    #[inline]
    fn at(self, _: usize, _: usize) -> f64 {
        self
    }
    #[inline]
    fn shifted(self, s: f64) -> Self {
        self + s
    }
}

impl Block for DMat3 {
    const SIZE: usize = 3;
    const ZERO: Self = DMat3::ZERO;
    #[inline]
    fn apply(self, v: DVec3) -> DVec3 {
        self * v
    }
    #[inline]
    fn turned(self) -> Self {
        self.transpose()
    }
    #[inline]
    fn at(self, row: usize, column: usize) -> f64 {
        self.col(column)[row]
    }
    #[inline]
    fn shifted(self, s: f64) -> Self {
        self + DMat3::from_diagonal(DVec3::splat(s))
    }
}

/// Where a symmetric matrix has entries off the diagonal, by columns of the upper triangle (row < column). The place of an
/// entry in this list is its *slot*.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pattern {
    pub(super) column_start: Vec<u32>,
    pub(super) rows: Vec<u32>,
}

impl Pattern {
    /// The pattern of a graph with `n` vertices, and for each given edge the slot it was stored in. Parallel
    /// edges share a slot; edges may be given in either direction.
    pub fn new(n: usize, edges: impl Iterator<Item = [u32; 2]> + Clone) -> (Self, Vec<u32>) {
        let upper = |[a, b]: [u32; 2]| (a.max(b) as usize, a.min(b));
        // Every edge in its column, parallel ones too.
        let mut start = vec![0u32; n + 1];
        edges.clone().map(upper).for_each(|(column, _)| start[column + 1] += 1);
        (0..n).for_each(|j| start[j + 1] += start[j]);
        let (mut next, mut all) = (start.clone(), vec![0; start[n] as usize]);
        for (column, row) in edges.clone().map(upper) {
            all[next[column] as usize] = row;
            next[column] += 1;
        }
        let mut pattern = Pattern { column_start: vec![0], rows: Vec::with_capacity(all.len()) };
        for ends in start.windows(2) {
            let column = &mut all[ends[0] as usize..ends[1] as usize];
            column.sort_unstable();
            pattern.rows.extend(column.chunk_by(|a, b| a == b).map(|same| same[0]));
            pattern.column_start.push(pattern.rows.len() as u32);
        }
        let slot = |(column, row): (usize, u32)| {
            let rows = pattern.column(column);
            (rows.start + pattern.rows[rows].binary_search(&row).expect("edge was inserted above")) as u32
        };
        let slots = edges.map(upper).map(slot).collect();
        (pattern, slots)
    }

    /// Replace this pattern by that of another graph, without allocating if that is no larger. Quicker than
    /// [`Pattern::new`], because rows within a column are not sorted and parallel edges keep a slot each: fit for products,
    /// not for factorizations.
    pub fn replace(&mut self, n: usize, edges: impl Iterator<Item = [u32; 2]> + Clone, slots: &mut Vec<u32>) {
        let start = &mut self.column_start;
        start.clear();
        start.resize(n + 1, 0);
        edges.clone().for_each(|[a, b]| start[a.max(b) as usize] += 1);
        let mut sum = 0;
        for count in start.iter_mut() {
            sum += *count;
            *count = sum;
        }
        // Each column is filled from its end, and its end becomes its start.
        self.rows.clear();
        self.rows.resize(sum as usize, 0);
        slots.clear();
        for [a, b] in edges {
            let slot = &mut start[a.max(b) as usize];
            *slot -= 1;
            self.rows[*slot as usize] = a.min(b);
            slots.push(*slot);
        }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.column_start.len().saturating_sub(1)
    }

    /// Slots of a column.
    #[inline]
    pub(super) fn column(&self, j: usize) -> std::ops::Range<usize> {
        self.column_start[j] as usize..self.column_start[j + 1] as usize
    }
}

/// A symmetric matrix: a pattern and its blocks.
#[derive(Debug, Clone, Default)]
pub struct Symmetric<B> {
    /// Where the entries are.
    pub pattern: Pattern,
    /// Diagonal blocks, one per row.
    pub diagonal: Vec<B>,
    /// Blocks above the diagonal, one per slot of the pattern.
    pub upper: Vec<B>,
}

impl<B: Block> Symmetric<B> {
    /// All zeros.
    pub fn zeros(pattern: Pattern) -> Self {
        let (n, slots) = (pattern.size(), pattern.rows.len());
        Symmetric { pattern, diagonal: vec![B::ZERO; n], upper: vec![B::ZERO; slots] }
    }

    /// Set every entry to zero, keeping the pattern.
    pub fn clear(&mut self) {
        self.diagonal.fill(B::ZERO);
        self.upper.fill(B::ZERO);
    }

    /// Replace the pattern and set every entry to zero, without allocating if the pattern is no larger.
    pub fn replace(&mut self, n: usize, edges: impl Iterator<Item = [u32; 2]> + Clone, slots: &mut Vec<u32>) {
        self.pattern.replace(n, edges, slots);
        self.diagonal.clear();
        self.diagonal.resize(n, B::ZERO);
        self.upper.clear();
        self.upper.resize(self.pattern.rows.len(), B::ZERO);
    }

    /// Of each row the sum of `size` over its entries.
    pub fn row_sums(&self, size: impl Fn(B) -> f64) -> Vec<f64> {
        let mut sums: Vec<f64> = self.diagonal.iter().map(|&d| size(d)).collect();
        for j in 0..sums.len() {
            for slot in self.pattern.column(j) {
                sums[j] += size(self.upper[slot]);
                sums[self.pattern.rows[slot] as usize] += size(self.upper[slot]);
            }
        }
        sums
    }

    /// y = A x, in a fixed order of summation.
    pub fn multiply(&self, x: &[DVec3], y: &mut [DVec3]) {
        self.multiply_part(0, x, y);
    }

    /// The same for some consecutive rows of A that no entry connects to the others: as many as `x` has, from `first` on.
    pub fn multiply_part(&self, first: usize, x: &[DVec3], y: &mut [DVec3]) {
        for (y, (d, &x)) in y.iter_mut().zip(self.diagonal[first..].iter().zip(x)) {
            *y = d.apply(x);
        }
        for j in 0..x.len() {
            let mut sum = DVec3::ZERO;
            for slot in self.pattern.column(first + j) {
                let i = self.pattern.rows[slot] as usize - first;
                sum += self.upper[slot].turned().apply(x[i]);
                y[i] += self.upper[slot].apply(x[j]);
            }
            y[j] += sum;
        }
    }
}
