//! Multifrontal Cholesky factorization into solve-ready panels.
//!
//! Each supernode gathers its columns of A and what its children left over (their update matrices) in a dense
//! front, eliminates its columns and passes the Schur complement on (Duff and Reid, "The multifrontal solution of
//! indefinite sparse symmetric linear equations", 1983). Per panel of at most 32 columns with the block
//! `D = L_D L_Dᵀ` on the diagonal and B below it:
//!
//! ```text
//! L_B = B L_D⁻ᵀ      N = −L_B L_D⁻¹      S = D⁻¹      remaining columns −= L_B L_Bᵀ
//! ```
//!
//! Both triangular systems are solved row by row (backward stable); everything is in f64, N and S are rounded to
//! the stored precision at the end. Memory beyond the factor: the update matrices not yet used.

use super::Indefinite;
use super::dense::{BLOCK, Diagonal, Tile, tile_product};
use super::elimination::ROOT;
use super::kernel::{self, Kernel, Panel, Panels, WIDEST, Work};
use super::pages::prefer_large;
use super::simd::{Real, Simd};
use super::supernodal::Supernodes;

/// Rows and values below the diagonal of the permuted matrix by columns, and its diagonal.
pub(super) struct Columns {
    pub start: Vec<u32>,
    pub rows: Vec<u32>,
    pub values: Vec<f64>,
    pub diagonal: Vec<f64>,
}

/// What a supernode passes on: a lower triangle, column by column in a full square, over its rows.
#[derive(Default)]
pub(super) struct Update(Vec<f64>);

/// The panels of a part, and what its supernodes (by number) leave for those of later parts.
pub(super) type Factored<T> = (Panels<T>, Vec<(u32, Update)>);

/// Factor the supernodes of one part. `children` is what earlier parts left for it; rows in the result are numbered within the part: its columns first, then its `boundary`.
pub(super) fn factor<T: Real>(
    kernel: Kernel,
    a: &Columns,
    nodes: &Supernodes,
    part: std::ops::Range<usize>,
    mut children: Vec<(u32, Update)>,
    boundary: &[u32],
) -> Result<Factored<T>, Indefinite> {
    let first_column = nodes.first[part.start];
    let columns = nodes.first[part.end] - first_column;
    let mut panels = reserved(nodes, part.clone()).ok_or(Indefinite)?;
    let mut place = vec![0u32; nodes.order.len()];
    let (mut front, mut list) = (Vec::new(), Vec::new());
    let mut waiting: Vec<Vec<(u32, Update)>> = part.clone().map(|_| Vec::new()).collect();
    for (child, update) in children.drain(..) {
        waiting[nodes.parent[child as usize] as usize - part.start].push((child, update));
    }
    let mut rest = Vec::new();
    for s in part.clone() {
        let (own, rows) = (nodes.columns(s), nodes.rows(s));
        (0u32..).zip(own.clone()).for_each(|(k, j)| place[j] = k);
        (own.len() as u32..).zip(rows).for_each(|(k, &i)| place[i as usize] = k);
        let mut update = Update(vec![0.0; rows.len() * rows.len()]);
        let height = own.len() + rows.len();
        front.clear();
        front.resize(height * own.len(), 0.0);
        for (column, j) in front.chunks_exact_mut(height).zip(own.clone()) {
            column[place[j] as usize] = a.diagonal[j];
            for slot in a.start[j] as usize..a.start[j + 1] as usize {
                column[place[a.rows[slot] as usize] as usize] = a.values[slot];
            }
        }
        for (child, below) in waiting[s - part.start].drain(..) {
            extend_add(
                &below,
                nodes.rows(child as usize),
                &place,
                own.len(),
                height,
                &mut front,
                &mut update,
            );
        }
        let local = |&i: &u32| match i - first_column {
            own if own < columns => own,
            _ => columns + boundary.binary_search(&i).expect("rows of later parts are listed") as u32,
        };
        list.clear();
        list.extend(own.clone().map(|j| j as u32 - first_column));
        list.extend(rows.iter().map(local));
        // Lists are filled up with a row that nobody reads, the one after all others.
        list.extend([columns + boundary.len() as u32; BLOCK]);
        let mut node = Front { width: own.len(), height, columns: &mut front, update: &mut update.0 };
        let first = own.start as u32 - first_column;
        kernel::run(kernel, Eliminate { front: &mut node, first, rows: &list, panels: &mut panels })?;
        if nodes.parent[s] == ROOT {
            continue;
        }
        match waiting.get_mut(nodes.parent[s] as usize - part.start) {
            Some(list) => list.push((s as u32, update)),
            None => rest.push((s as u32, update)),
        }
    }
    Ok((panels, rest))
}

/// Room for the panels of a part; `None` if memory does not suffice.
fn reserved<T: Real>(nodes: &Supernodes, part: std::ops::Range<usize>) -> Option<Panels<T>> {
    let (mut values, mut rows) = (0, 0);
    for s in part {
        let (c, r) = (nodes.columns(s).len(), nodes.rows(s).len());
        for range in widths(c) {
            let blocks = (c + r - range.start).div_ceil(T::WIDTH);
            rows += blocks;
            values += range.len() * blocks;
        }
    }
    let mut panels = Panels { list: Vec::new(), rows: Vec::new(), values: Vec::new() };
    panels.values.try_reserve_exact(values).ok()?;
    panels.rows.try_reserve_exact(rows).ok()?;
    prefer_large(&panels.values);
    Some(panels)
}

/// A supernode of `c` columns in panels of equal width, up to one.
fn widths(c: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let count = c.div_ceil(WIDEST);
    (0..count).map(move |k| k * c / count..(k + 1) * c / count)
}

fn extend_add(
    below: &Update,
    rows: &[u32],
    place: &[u32],
    width: usize,
    height: usize,
    front: &mut [f64],
    update: &mut Update,
) {
    let r = rows.len();
    let places: Vec<u32> = rows.iter().map(|&i| place[i as usize]).collect();
    for (j, column) in below.0.chunks_exact(r.max(1)).enumerate() {
        let to = places[j] as usize;
        let (target, shift) = if to < width {
            (&mut front[to * height..][..height], 0)
        } else {
            let side = height - width;
            (&mut update.0[(to - width) * side..][..side], width)
        };
        for (&i, &v) in places[j..].iter().zip(&column[j..]) {
            target[i as usize - shift] += v;
        }
    }
}

/// A dense front: the columns to eliminate, full height, and the square that remains.
pub(super) struct Front<'a> {
    width: usize,
    height: usize,
    columns: &'a mut [f64],
    update: &'a mut [f64],
}

/// Eliminate the columns of a front and append its panels. Its rows are numbered by `rows`, with some to fill up.
struct Eliminate<'a, 'f, T: Real> {
    front: &'a mut Front<'f>,
    first: u32,
    rows: &'a [u32],
    panels: &'a mut Panels<T>,
}

impl<T: Real> Work<T> for Eliminate<'_, '_, T> {
    type Output = Result<(), Indefinite>;
    #[inline(always)]
    fn run<V: Simd<T>, const FUSED: bool>(self) -> Result<(), Indefinite> {
        eliminate::<T, FUSED>(self.front, self.first, self.rows, self.panels)
    }
}

#[inline(always)]
fn eliminate<T: Real, const FUSED: bool>(
    front: &mut Front<'_>,
    first: u32,
    rows: &[u32],
    panels: &mut Panels<T>,
) -> Result<(), Indefinite> {
    let (width, height) = (front.width, front.height);
    let mut blocks: Vec<Tile> = Vec::new();
    let mut negative: Vec<Tile> = Vec::new();
    let mut column = Vec::new();
    for range in widths(width) {
        let (begin, end, c) = (range.start, range.end, range.len());
        let d = Diagonal::new::<FUSED>(&front.columns[begin * height + begin..], height, c)?;
        // L_B by blocks of eight rows, `[block][column]`; the last block is filled up with zeros.
        blocks.clear();
        for top in (end..height).step_by(BLOCK) {
            let rows = (height - top).min(BLOCK);
            for j in begin..end {
                let mut tile = [0.0; BLOCK];
                tile[..rows].copy_from_slice(&front.columns[j * height + top..][..rows]);
                blocks.push(tile);
            }
        }
        negative.clear();
        for block in blocks.chunks_exact_mut(c) {
            d.divide_transposed::<FUSED>(block);
            negative.extend_from_slice(block);
            let at = negative.len() - c;
            d.divide_negated::<FUSED>(&mut negative[at..]);
        }
        put(
            &d.inverse()[..c],
            &negative,
            first + begin as u32,
            &rows[begin..],
            height - begin,
            &mut column,
            panels,
        );
        subtract::<FUSED>(front, end, c, &blocks);
    }
    Ok(())
}

/// Append the panel `W = [S; N]` of some height, S by rows and N by blocks of rows.
fn put<T: Real>(
    s: &[[f64; WIDEST]],
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
        column.extend(s.iter().map(|row| row[j]));
        n.iter().skip(j).step_by(c).for_each(|tile| column.extend_from_slice(tile));
        column.resize(blocks * T::WIDTH, 0.0);
        let to = panels.values[values + j..].iter_mut().step_by(c);
        to.zip(column.chunks_exact(T::WIDTH)).for_each(|(to, from)| *to = T::block(from));
    }
    let rows = (list as u32, panels.rows.len() as u32);
    panels.list.push(Panel { first, columns: c as u32, rows, values });
}

/// Subtract L_B L_Bᵀ from everything after column `end`, on and below the diagonal.
#[inline(always)]
fn subtract<const FUSED: bool>(front: &mut Front<'_>, end: usize, c: usize, blocks: &[Tile]) {
    let (width, height) = (front.width, front.height);
    for (q, right) in blocks.chunks_exact(c).enumerate() {
        for half in [0, 4] {
            let column = end + q * BLOCK + half;
            if column >= height {
                break;
            }
            for (p, left) in blocks.chunks_exact(c).enumerate().skip(q) {
                let sum = tile_product::<FUSED>(left, right, half);
                let top = end + p * BLOCK;
                for (k, sum) in sum.iter().enumerate().take(height - column) {
                    let j = column + k;
                    let bottom = (top + BLOCK).min(height);
                    let (target, shift) = if j < width {
                        (&mut front.columns[j * height..][..height], 0)
                    } else {
                        let side = height - width;
                        (&mut front.update[(j - width) * side..][..side], width)
                    };
                    if top >= j && bottom == top + BLOCK {
                        let target: &mut [f64] = &mut target[top - shift..][..BLOCK];
                        target.iter_mut().zip(sum).for_each(|(t, s)| *t -= s);
                    } else {
                        let from = top.max(j);
                        (from..bottom).for_each(|i| target[i - shift] -= sum[i - top]);
                    }
                }
            }
        }
    }
}
