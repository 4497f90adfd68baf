//! One dense front: its columns are eliminated and become panels, and the update matrix remains.
//!
//! Panel by panel, each with the square D on the diagonal and B below it:
//!
//! ```text
//! D = L_D L_Dᵀ      L_B = B L_D⁻ᵀ      S = D⁻¹      N = −L_B L_D⁻¹      remaining columns −= L_B L_Bᵀ
//! ```
//!
//! Both triangular systems are solved row by row (backward stable). Everything is computed in f64; N and S are rounded
//! to the stored precision at the end.

use super::Unfactored;
use super::dense::{self, BLOCK, Diagonal, GROUP, Tile, tile, tile_product};
use super::frontal::reserve;
use crate::kernel::{Real, Simd, WIDEST, Wide, Work, place};
use crate::linear::Indefinite;
use std::ops::Range;

/// A lower triangle, stored column by column in a full square whose numbers above the diagonal are never used. The same
/// memory serves one front after the other.
#[derive(Default)]
pub(super) struct Front {
    /// Columns to eliminate, and rows.
    width: usize,
    height: usize,
    /// Numbers from one column to the next: enough for a whole tile to begin at the last row, with zeros below it.
    stride: usize,
    values: Vec<f64>,
    diagonal: Box<Diagonal>,
    /// L_B and N of a panel by tiles of eight rows, `[tile][column]`, with zero columns up to a multiple of four.
    blocks: Vec<Tile>,
    negative: Vec<Tile>,
    /// One column of a panel.
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

    /// Begin a front of zeros with `height` rows and `width` columns to eliminate.
    pub fn begin(&mut self, width: usize, height: usize) {
        (self.width, self.height, self.stride) = (width, height, height + BLOCK - 1);
        if self.values.len() < Front::room(height) {
            self.values.resize(Front::room(height), 0.0);
        }
        for (j, column) in self.values.chunks_exact_mut(self.stride).enumerate().take(height) {
            column[j..].fill(0.0);
        }
    }

    /// A column, all rows; those above the diagonal are not used.
    #[inline]
    pub fn column(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.stride..][..self.height]
    }

    /// The columns of the update matrix, each from the diagonal down.
    pub fn remainder(&self) -> impl Iterator<Item = &[f64]> {
        (self.width..self.height).map(|j| &self.values[j * self.stride + j..j * self.stride + self.height])
    }

    /// Eliminate the columns and write the panels to `panels`.
    #[inline(always)]
    fn eliminate<T: Real, V: Simd<f64>>(&mut self, panels: &mut [T::Block]) -> Result<(), Indefinite> {
        let mut panels = panels;
        for (range, blocks) in shapes::<T>(self.width, self.height) {
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
            let (panel, rest) = std::mem::take(&mut panels).split_at_mut(blocks * c);
            put::<T>(s, &self.negative, &mut self.column, panel, blocks);
            panels = rest;
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

/// Eliminate the columns of a front and write its panels, one after the other.
pub(super) struct Eliminate<'a, T: Real> {
    pub front: &'a mut Front,
    /// As many as [`stored`] says.
    pub panels: &'a mut [T::Block],
}

impl<T: Real> Work<f64> for Eliminate<'_, T> {
    type Output = Result<(), Indefinite>;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> Result<(), Indefinite> {
        self.front.eliminate::<T, V>(self.panels)
    }
}

/// The panels of a supernode with `width` columns and `height` rows, columns included: the columns of each, and how many
/// blocks of rows it has. As few panels as possible, whose widths differ by at most one column.
pub(super) fn shapes<T: Real>(width: usize, height: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
    let count = width.div_ceil(WIDEST);
    (0..count).map(move |k| {
        let columns = k * width / count..(k + 1) * width / count;
        let blocks = (height - columns.start).div_ceil(T::WIDTH);
        (columns, blocks)
    })
}

/// Blocks of numbers in those panels.
pub(super) fn stored<T: Real>(width: usize, height: usize) -> usize {
    shapes::<T>(width, height).map(|(columns, blocks)| columns.len() * blocks).sum()
}

/// Write the panel `W = [S; N]`, which has `blocks` blocks of rows. S is given by rows and N by tiles, both with
/// unused columns up to a multiple of four.
#[inline(always)]
fn put<T: Real>(
    s: &[[Wide<[f64; GROUP]>; WIDEST / GROUP]],
    n: &[Tile],
    column: &mut Vec<f64>,
    panel: &mut [T::Block],
    blocks: usize,
) {
    let c = s.len();
    for j in 0..c {
        column.clear();
        column.extend(s.iter().map(|row| row[j / GROUP].0[j % GROUP]));
        let tiles = n.iter().skip(j).step_by(c.next_multiple_of(GROUP));
        tiles.flatten().for_each(|four| column.extend_from_slice(&four.0));
        column.resize(blocks * T::WIDTH, 0.0);
        for (block, from) in column.chunks_exact(T::WIDTH).enumerate() {
            panel[place::<T>(block, j, blocks, c)] = T::block(from);
        }
    }
}
