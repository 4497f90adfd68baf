//! One dense front: its columns are eliminated and become panels, what remains is passed on.
//!
//! Per panel of at most 32 columns with the block `D = L_D L_Dᵀ` on the diagonal and B below it:
//!
//! ```text
//! L_B = B L_D⁻ᵀ      N = −L_B L_D⁻¹      S = D⁻¹      remaining columns −= L_B L_Bᵀ
//! ```
//!
//! Both triangular systems are solved row by row (backward stable); everything is in f64, N and S are rounded to
//! the stored precision at the end.

use super::Unfactored;
use super::dense::{self, BLOCK, Diagonal, GROUP, Tile, tile, tile_product};
use super::frontal::reserve;
use crate::kernel::Work;
use crate::kernel::{Panel, Panels, WIDEST, place};
use crate::kernel::{Real, Simd, Wide};
use crate::linear::Indefinite;
use std::ops::Range;

/// A lower triangle, column by column in a full square; what is above the diagonal means nothing. Memory to be
/// used by one front after the other.
#[derive(Default)]
pub(super) struct Front {
    width: usize,
    height: usize,
    /// From column to column. There is room for a whole tile in the last row, and zeros in it.
    stride: usize,
    values: Vec<f64>,
    diagonal: Box<Diagonal>,
    /// L_B and N by blocks of eight rows, `[block][column]`, columns filled up to whole groups.
    blocks: Vec<Tile>,
    negative: Vec<Tile>,
    column: Vec<f64>,
}

impl Front {
    /// Numbers a front of this height takes.
    fn room(height: usize) -> usize {
        height * (height + BLOCK - 1)
    }

    /// Make room for fronts up to this height.
    pub fn reserve(&mut self, height: usize) -> Result<(), Unfactored> {
        reserve(&mut self.values, Front::room(height))
    }

    /// Begin with zeros: `width` columns to eliminate, of `height` rows.
    pub fn begin(&mut self, width: usize, height: usize) {
        (self.width, self.height, self.stride) = (width, height, height + BLOCK - 1);
        if self.values.len() < Front::room(height) {
            self.values.resize(Front::room(height), 0.0);
        }
        for (j, column) in self.values.chunks_exact_mut(self.stride).enumerate().take(height) {
            column[j..].fill(0.0);
        }
    }

    /// A column by rows, of which those on and below the diagonal mean something.
    #[inline]
    pub fn column(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.stride..][..self.height]
    }

    /// Columns of what remains, each from the diagonal down.
    pub fn remainder(&self) -> impl Iterator<Item = &[f64]> {
        (self.width..self.height).map(|j| &self.values[j * self.stride + j..j * self.stride + self.height])
    }

    #[inline(always)]
    fn eliminate<T: Real, V: Simd<f64>>(
        &mut self,
        first: u32,
        rows: &[u32],
        panels: &mut Panels<T>,
    ) -> Result<(), Indefinite> {
        for range in widths(self.width) {
            let (begin, end, c) = (range.start, range.end, range.len());
            self.diagonal.factor::<V>(&self.values[begin * self.stride + begin..], self.stride, c)?;
            let wide = c.next_multiple_of(GROUP);
            self.blocks.clear();
            self.negative.clear();
            for top in (end..self.height).step_by(BLOCK) {
                let at = self.blocks.len();
                for j in begin..end {
                    let numbers = self.values[j * self.stride + top..].first_chunk();
                    self.blocks.push(tile(numbers.expect("room for a whole tile")));
                }
                self.blocks.resize(at + wide, Tile::default());
                self.diagonal.divide_transposed::<V>(&mut self.blocks[at..]);
                self.negative.extend_from_slice(&self.blocks[at..]);
                self.diagonal.divide_negated::<V>(&mut self.negative[at..]);
            }
            let s = &self.diagonal.inverse::<V>()[..c];
            let height = self.height - begin;
            put(s, &self.negative, first + begin as u32, &rows[begin..], height, &mut self.column, panels);
            self.subtract::<V>(end, c, wide);
        }
        Ok(())
    }

    /// Subtract L_B L_Bᵀ from everything after column `end`, on and below the diagonal.
    #[inline(always)]
    fn subtract<V: Simd<f64>>(&mut self, end: usize, c: usize, wide: usize) {
        for (q, right) in self.blocks.chunks_exact(wide).enumerate() {
            for half in [0, 1] {
                let column = end + q * BLOCK + half * GROUP;
                if column >= self.height {
                    break;
                }
                let columns = (self.height - column).min(GROUP);
                for (p, left) in self.blocks.chunks_exact(wide).enumerate().skip(q) {
                    let sum = tile_product::<V>(&left[..c], &right[..c], half);
                    let top = end + p * BLOCK;
                    for (k, &sum) in sum.iter().enumerate().take(columns) {
                        let target = self.values[(column + k) * self.stride + top..].first_chunk_mut();
                        dense::subtract::<V>(target.expect("room for a whole tile"), sum);
                    }
                }
            }
        }
    }
}

/// Eliminate the columns of a front, the first of which is the row `first`, and append its panels. Its rows are
/// numbered by `rows`, with some to fill up.
pub(super) struct Eliminate<'a, T: Real> {
    pub front: &'a mut Front,
    pub first: u32,
    pub rows: &'a [u32],
    pub panels: &'a mut Panels<T>,
}

impl<T: Real> Work<f64> for Eliminate<'_, T> {
    type Output = Result<(), Indefinite>;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> Result<(), Indefinite> {
        self.front.eliminate::<T, V>(self.first, self.rows, self.panels)
    }
}

/// A supernode of `c` columns in panels of equal width, up to one.
pub(super) fn widths(c: usize) -> impl Iterator<Item = Range<usize>> {
    let count = c.div_ceil(WIDEST);
    (0..count).map(move |k| k * c / count..(k + 1) * c / count)
}

/// Append the panel `W = [S; N]` of some height, S by rows and N by blocks of rows, both filled up to whole vectors
/// of columns.
#[inline(always)]
fn put<T: Real>(
    s: &[[Wide<[f64; GROUP]>; WIDEST / GROUP]],
    n: &[Tile],
    first: u32,
    rows: &[u32],
    height: usize,
    column: &mut Vec<f64>,
    panels: &mut Panels<T>,
) {
    let c = s.len();
    let (list, values) = (panels.rows.len(), panels.values.len());
    let blocks = height.div_ceil(T::WIDTH);
    panels.rows.extend(rows.chunks_exact(T::WIDTH).take(blocks).map(T::rows));
    panels.values.resize(values + blocks * c, T::Block::default());
    for j in 0..c {
        column.clear();
        column.extend(s.iter().map(|row| row[j / GROUP].0[j % GROUP]));
        let tiles = n.iter().skip(j).step_by(c.next_multiple_of(GROUP));
        tiles.flatten().for_each(|four| column.extend_from_slice(&four.0));
        column.resize(blocks * T::WIDTH, 0.0);
        for (block, from) in column.chunks_exact(T::WIDTH).enumerate() {
            panels.values[values + place::<T>(block, j, blocks, c)] = T::block(from);
        }
    }
    let rows = (list as u32, panels.rows.len() as u32);
    panels.list.push(Panel { first, columns: c as u32, rows, values });
}
