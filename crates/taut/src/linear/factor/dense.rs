//! The small dense pieces of a factorization: triangles of at most 32 columns, and tiles of eight rows below them.
//!
//! Everything is inlined into a caller compiled for one instruction set. The number of columns of a triangle is rounded up
//! to a multiple of four, a whole vector; the columns added are those of the identity, which change nothing.
#![expect(clippy::needless_range_loop, reason = "triangles are loops over index ranges")]

use crate::kernel::{Simd, WIDEST, Wide};
use crate::linear::Indefinite;

/// Columns worked on together: one vector.
pub(super) const GROUP: usize = 4;
/// Rows of a tile: two vectors.
pub(super) const BLOCK: usize = 2 * GROUP;

/// One vector, as it is in memory.
type Four = Wide<[f64; GROUP]>;
/// Eight consecutive rows of one column.
pub(super) type Tile = [Four; 2];
/// A row of a triangle or square.
type Row = [Four; WIDEST / GROUP];

/// The tile with these eight numbers.
#[inline(always)]
pub(super) fn tile(numbers: &[f64; BLOCK]) -> Tile {
    let [a, b, c, d, e, f, g, h] = *numbers;
    [Wide([a, b, c, d]), Wide([e, f, g, h])]
}

/// The Cholesky factor L of the square D on the diagonal of a panel. The same memory serves one panel after the other.
#[derive(Default)]
pub(super) struct Diagonal {
    /// L by rows.
    l: [Row; WIDEST],
    /// Reciprocals of the diagonal of L.
    reciprocal: [f64; WIDEST],
    /// R = L⁻¹ and S = RᵀR = D⁻¹ by rows, see [`Diagonal::inverse`].
    r: [Row; WIDEST],
    s: [Row; WIDEST],
    /// Columns, rounded up to a multiple of four.
    c: usize,
}

/// Number j of a row.
#[inline(always)]
pub(super) fn at(row: &Row, j: usize) -> f64 {
    row[j / GROUP].0[j % GROUP]
}

#[inline(always)]
fn at_mut(row: &mut Row, j: usize) -> &mut f64 {
    &mut row[j / GROUP].0[j % GROUP]
}

/// y += a x, for the vectors up to the one that holds number `last`.
#[inline(always)]
fn add_row<V: Simd<f64>>(y: &mut Row, a: f64, x: &Row, last: usize) {
    let a = V::splat(a);
    for (y, x) in y.iter_mut().zip(x).take(last / GROUP + 1) {
        *y = V::store(V::multiply_add(a, V::load(x), V::load(y)));
    }
}

/// Tiles in registers: four columns by eight rows.
type Sums<V> = [[<V as Simd<f64>>::Vector; 2]; GROUP];

/// y_i += a_i x for the tile y_i of each column.
#[inline(always)]
fn add_tile<V: Simd<f64>>(y: &mut Sums<V>, a: [f64; GROUP], x: &Tile) {
    let x = [V::load(&x[0]), V::load(&x[1])];
    for i in 0..GROUP {
        let a = V::splat(a[i]);
        y[i] = [V::multiply_add(a, x[0], y[i][0]), V::multiply_add(a, x[1], y[i][1])];
    }
}

/// y_i += a y_m.
#[inline(always)]
fn add_sum<V: Simd<f64>>(y: &mut Sums<V>, i: usize, a: f64, m: usize) {
    let a = V::splat(a);
    y[i] = [V::multiply_add(a, y[m][0], y[i][0]), V::multiply_add(a, y[m][1], y[i][1])];
}

/// a x.
#[inline(always)]
fn times<V: Simd<f64>>(a: f64, x: [V::Vector; 2]) -> [V::Vector; 2] {
    let (a, zero) = (V::splat(a), V::splat(0.0));
    [V::multiply_add(a, x[0], zero), V::multiply_add(a, x[1], zero)]
}

impl Diagonal {
    /// Factor the square D of c columns, which begin `stride` numbers apart.
    #[inline(always)]
    pub fn factor<V: Simd<f64>>(
        &mut self,
        columns: &[f64],
        stride: usize,
        c: usize,
    ) -> Result<(), Indefinite> {
        self.c = c.next_multiple_of(GROUP);
        let l = &mut self.l;
        for i in 0..self.c {
            l[i][..self.c / GROUP].fill(Wide([0.0; GROUP]));
            *at_mut(&mut l[i], i) = 1.0;
        }
        for j in 0..c {
            let column = &columns[j * stride..][..c];
            (j..c).for_each(|i| *at_mut(&mut l[i], j) = column[i]);
        }
        for j in 0..self.c {
            let pivot = at(&l[j], j);
            // A NaN is not `<= 0`, so it is asked for separately.
            if pivot.is_nan() || pivot <= 0.0 || pivot.is_infinite() {
                return Err(Indefinite);
            }
            let root = pivot.sqrt();
            self.reciprocal[j] = 1.0 / root;
            *at_mut(&mut l[j], j) = root;
            // Column j of L below the diagonal; zeros above, so that whole vectors may be subtracted.
            let mut column = Row::default();
            for i in j + 1..self.c {
                let value = at(&l[i], j) * self.reciprocal[j];
                *at_mut(&mut l[i], j) = value;
                *at_mut(&mut column, i) = value;
            }
            for i in j + 1..self.c {
                add_row::<V>(&mut l[i], -at(&column, i), &column, i);
            }
        }
        Ok(())
    }

    /// Eight rows B, one tile per column, become B L⁻ᵀ.
    #[inline(always)]
    pub fn divide_transposed<V: Simd<f64>>(&self, block: &mut [Tile]) {
        for k in (0..self.c).step_by(GROUP) {
            let (done, rest) = block.split_at_mut(k);
            let l = self.l[k..].first_chunk::<GROUP>().expect("a multiple of four columns");
            let mut sum: Sums<V> = [[V::splat(0.0); 2]; GROUP];
            for i in 0..GROUP {
                sum[i] = [V::load(&rest[i][0]), V::load(&rest[i][1])];
            }
            for (j, tile) in done.iter().enumerate() {
                let [a, b, c, d] = l;
                add_tile::<V>(&mut sum, [-at(a, j), -at(b, j), -at(c, j), -at(d, j)], tile);
            }
            for i in 0..GROUP {
                for m in 0..i {
                    add_sum::<V>(&mut sum, i, -at(&l[i], k + m), m);
                }
                sum[i] = times::<V>(self.reciprocal[k + i], sum[i]);
                rest[i] = [V::store(sum[i][0]), V::store(sum[i][1])];
            }
        }
    }

    /// Eight rows B, one tile per column, become −B L⁻¹.
    #[inline(always)]
    pub fn divide_negated<V: Simd<f64>>(&self, block: &mut [Tile]) {
        for k in (0..self.c).step_by(GROUP).rev() {
            let (rest, done) = block[k..].split_at_mut(GROUP);
            let l = self.l[k..].first_chunk::<GROUP>().expect("a multiple of four columns");
            let mut sum: Sums<V> = [[V::splat(0.0); 2]; GROUP];
            for i in 0..GROUP {
                sum[i] = times::<V>(-1.0, [V::load(&rest[i][0]), V::load(&rest[i][1])]);
            }
            for (row, tile) in self.l[k + GROUP..].iter().zip(done) {
                let [a, b, c, d] = row[k / GROUP].0;
                add_tile::<V>(&mut sum, [-a, -b, -c, -d], tile);
            }
            for i in (0..GROUP).rev() {
                for m in i + 1..GROUP {
                    add_sum::<V>(&mut sum, i, -at(&l[m], k + i), m);
                }
                sum[i] = times::<V>(self.reciprocal[k + i], sum[i]);
                rest[i] = [V::store(sum[i][0]), V::store(sum[i][1])];
            }
        }
    }

    /// S = (L Lᵀ)⁻¹ by rows, exactly symmetric.
    #[inline(always)]
    pub fn inverse<V: Simd<f64>>(&mut self) -> &[Row] {
        // Row k of R = L⁻¹ from the rows before it.
        for k in 0..self.c {
            let mut row = Row::default();
            *at_mut(&mut row, k) = 1.0;
            for i in 0..k {
                add_row::<V>(&mut row, -at(&self.l[k], i), &self.r[i], i);
            }
            self.r[k] = Row::default();
            add_row::<V>(&mut self.r[k], self.reciprocal[k], &row, k);
            self.s[k] = Row::default();
        }
        for (k, row) in self.r[..self.c].iter().enumerate() {
            for i in 0..=k {
                add_row::<V>(&mut self.s[i], at(row, i), row, i);
            }
        }
        for i in 0..self.c {
            for j in 0..i {
                *at_mut(&mut self.s[j], i) = at(&self.s[i], j);
            }
        }
        &self.s
    }
}

/// Eight rows by four columns of L_B L_Bᵀ: the rows of the tiles `left` times the first (`half` = 0) or last (1) four rows
/// of the tiles `right`.
#[inline(always)]
pub(super) fn tile_product<V: Simd<f64>>(left: &[Tile], right: &[Tile], half: usize) -> Sums<V> {
    let mut sum: Sums<V> = [[V::splat(0.0); 2]; GROUP];
    for (a, b) in left.iter().zip(right) {
        add_tile::<V>(&mut sum, b[half].0, a);
    }
    sum
}

/// Subtract a tile from eight rows of a column.
#[inline(always)]
pub(super) fn subtract<V: Simd<f64>>(column: &mut [f64; BLOCK], sum: [V::Vector; 2]) {
    let [a, b] = tile(column);
    let minus = V::splat(-1.0);
    let a = V::store(V::multiply_add(minus, sum[0], V::load(&a))).0;
    let b = V::store(V::multiply_add(minus, sum[1], V::load(&b))).0;
    *column = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]];
}
