//! The small dense pieces of a factorization: triangles of at most 32 columns and tiles of eight rows.
//!
//! Everything is inlined into a caller compiled for one instruction set, and loops have fixed trip counts where it
//! matters, so that plain arrays become vector registers.
#![expect(clippy::needless_range_loop, reason = "triangles are loops over index ranges")]

use super::Indefinite;
use super::kernel::WIDEST;

/// Rows of a tile.
pub(super) const BLOCK: usize = 8;

/// Eight rows of one column.
pub(super) type Tile = [f64; BLOCK];

/// A small dense Cholesky factor, row by row, with the reciprocals of its diagonal.
pub(super) struct Diagonal {
    l: [[f64; WIDEST]; WIDEST],
    reciprocal: [f64; WIDEST],
    c: usize,
}

#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// y += a x over a block of rows.
#[inline(always)]
pub(super) fn add_tile<const FUSED: bool>(y: &mut Tile, a: f64, x: &Tile) {
    for t in 0..BLOCK {
        y[t] = multiply_add::<FUSED>(a, x[t], y[t]);
    }
}

impl Diagonal {
    /// Factor the block whose columns begin `height` apart.
    #[inline(always)]
    pub fn new<const FUSED: bool>(columns: &[f64], height: usize, c: usize) -> Result<Self, Indefinite> {
        let mut d = Diagonal { l: [[0.0; WIDEST]; WIDEST], reciprocal: [0.0; WIDEST], c };
        for j in 0..c {
            for i in j..c {
                d.l[i][j] = columns[j * height + i];
            }
        }
        for j in 0..c {
            let pivot = d.l[j][j];
            // Not a number is no pivot either.
            if pivot.is_nan() || pivot <= 0.0 || pivot.is_infinite() {
                return Err(Indefinite);
            }
            let root = pivot.sqrt();
            d.reciprocal[j] = 1.0 / root;
            d.l[j][j] = root;
            let mut column = [0.0; WIDEST];
            for i in j + 1..c {
                d.l[i][j] *= d.reciprocal[j];
                column[i] = d.l[i][j];
            }
            for i in j + 1..c {
                let factor = -column[i];
                for k in j + 1..=i {
                    d.l[i][k] = multiply_add::<FUSED>(factor, column[k], d.l[i][k]);
                }
            }
        }
        Ok(d)
    }

    /// Rows B become B L⁻ᵀ.
    #[inline(always)]
    pub fn divide_transposed<const FUSED: bool>(&self, block: &mut [Tile]) {
        for j in 0..self.c {
            let (done, rest) = block.split_at_mut(j + 1);
            let tile = &mut done[j];
            tile.iter_mut().for_each(|v| *v *= self.reciprocal[j]);
            for (k, next) in (j + 1..).zip(rest) {
                add_tile::<FUSED>(next, -self.l[k][j], tile);
            }
        }
    }

    /// Rows B become −B L⁻¹.
    #[inline(always)]
    pub fn divide_negated<const FUSED: bool>(&self, block: &mut [Tile]) {
        block.iter_mut().for_each(|tile| *tile = tile.map(|v| -v));
        for k in (0..self.c).rev() {
            let (rest, done) = block.split_at_mut(k);
            let tile = &mut done[0];
            tile.iter_mut().for_each(|v| *v *= self.reciprocal[k]);
            for (j, next) in rest.iter_mut().enumerate() {
                add_tile::<FUSED>(next, -self.l[k][j], tile);
            }
        }
    }

    /// (L Lᵀ)⁻¹, exactly symmetric.
    #[inline(always)]
    pub fn inverse(&self) -> [[f64; WIDEST]; WIDEST] {
        // Row k of W = L⁻¹ from the rows before it.
        let mut w = [[0.0; WIDEST]; WIDEST];
        for k in 0..self.c {
            let mut row = [0.0; WIDEST];
            row[k] = 1.0;
            for i in 0..k {
                let factor = self.l[k][i];
                for j in 0..=i {
                    row[j] -= factor * w[i][j];
                }
            }
            w[k] = row.map(|v| v * self.reciprocal[k]);
        }
        let mut s = [[0.0; WIDEST]; WIDEST];
        for row in &w[..self.c] {
            for (i, &a) in row[..self.c].iter().enumerate() {
                for j in 0..=i {
                    s[i][j] += a * row[j];
                }
            }
        }
        for i in 0..self.c {
            for j in 0..i {
                s[j][i] = s[i][j];
            }
        }
        s
    }
}

/// Eight rows by four columns of L_B L_Bᵀ.
#[inline(always)]
pub(super) fn tile_product<const FUSED: bool>(left: &[Tile], right: &[Tile], half: usize) -> [Tile; 4] {
    let mut sum = [[0.0; BLOCK]; 4];
    for (a, b) in left.iter().zip(right) {
        for k in 0..4 {
            add_tile::<FUSED>(&mut sum[k], b[half + k], a);
        }
    }
    sum
}
