//! The inner loops of a solve with a sparse Cholesky factor and three right-hand sides: a forward and a backward pass.
//!
//! A **panel** is a dense piece of the factor: c neighbouring columns that have their entries in the same rows. These
//! are the c rows of the panel, in which the columns have their diagonal, and r later rows.
//!
//! ```text
//!                c columns
//!              ┌ L_D       ┐  c rows of the panel, a lower triangle          D = L_D L_Dᵀ
//!   the factor │ L_D L_D   │
//!              │───────────│
//!              └ L_B   L_B ┘  r later rows, anywhere below, listed in `rows`
//! ```
//!
//! It is stored as one matrix `W = [S; N]` of c + r rows, `S = D⁻¹` and `N = −L_B L_D⁻¹`, with which the passes are
//!
//! ```text
//! forward   x_later += N x_panel            backward   x_panel = Wᵀ [x_panel; x_later]
//! ```
//!
//! x has a point per row: the three right-hand sides are its x, y and z.
//!
//! The rows of W are cut into blocks that fill one vector (four rows in f64, eight in f32), stored as
//! `[block][column][row]`: both passes read the same copy, and neither moves a number within a vector. (One point
//! `[x, y, z, 0]` at a time, with a broadcast of each number of W, took 1.8 times as long in f32 and 1.6 in f64.) The
//! forward pass takes two blocks at a time, whose columns are stored alternately ([`place`]), so that it reads
//! everything in order; this saves 5 %. Panels are small: checking every index would take a tenth of the time, so all are
//! checked once, in [`Passes::new`].
#![expect(unsafe_code, reason = "indices that were checked once are not checked again in every solve")]

use super::dispatch::{self, Kernel, Work};
use super::simd::{Real, Simd};

/// Widest panel.
pub(crate) const WIDEST: usize = 32;
/// The backward pass asks the processor to fetch the numbers of the panel this many panels ahead, which saves 30 % of a
/// solve in f32 with 90,000 rows. (The forward pass reads one array from its beginning to its end; the processor fetches
/// ahead without being asked, and asking cost 10 %.)
const AHEAD: usize = 2;
/// Columns of a panel that the backward pass sums at once: with x, y, z of each, twelve of sixteen registers.
const GROUP: usize = 4;

/// Where the numbers of one block and one column stand in a panel, given how many blocks and columns it has. First come
/// the blocks of which all rows belong to S. Then come pairs of blocks: column by column, that of the first block and that
/// of the second. If one block is left, it is the last.
pub(crate) fn place<T: Real>(block: usize, column: usize, blocks: usize, columns: usize) -> usize {
    let whole = columns / T::WIDTH;
    let in_pairs = whole + (blocks - whole) / 2 * 2;
    if (whole..in_pairs).contains(&block) {
        let second = (block - whole) % 2;
        (block - second) * columns + 2 * column + second
    } else {
        block * columns + column
    }
}

/// A dense piece of the factor, by where it stands in the lists of [`Panels`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panel {
    /// Number of its first column, and so of the row with that column's diagonal.
    pub first: u32,
    pub columns: u32,
    /// Begin and end of its blocks in the list of row numbers: the rows of the panel, then the later ones.
    pub rows: (u32, u32),
    /// Where its numbers begin.
    pub values: usize,
}

/// Panels in the order of the forward pass, with the row numbers that they refer to, by blocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Panels<T: Real> {
    pub list: Vec<Panel>,
    pub rows: Vec<T::Rows>,
}

/// Panels whose indices were all checked. Their numbers are kept elsewhere, in a store that several of these may share.
pub(crate) struct Passes<T: Real> {
    list: Vec<Panel>,
    rows: Vec<T::Rows>,
    /// How many blocks of numbers the store has at least.
    stored: usize,
    /// How many rows x has.
    size: usize,
    /// Room for the points x of all rows of one panel, by blocks.
    points: Vec<[T::Block; 3]>,
}

impl<T: Real> Passes<T> {
    /// For an x of `size` rows and a store of at least `stored` blocks.
    pub fn new(panels: Panels<T>, size: usize, stored: usize) -> Self {
        let Panels { list, rows } = panels;
        let mut longest = 0;
        for panel in &list {
            let (first, c) = (panel.first as usize, panel.columns as usize);
            let (begin, end) = (panel.rows.0 as usize, panel.rows.1 as usize);
            assert!((1..=WIDEST).contains(&c) && first + c <= size, "columns of {panel:?}");
            assert!(begin + c.div_ceil(T::WIDTH) <= end && end <= rows.len(), "rows of {panel:?}");
            assert!(panel.values + (end - begin) * c <= stored, "numbers of {panel:?}");
            longest = longest.max(end - begin);
        }
        let inside = |rows: &T::Rows| rows.as_ref().iter().all(|&i| (i as usize) < size);
        assert!(rows.iter().all(inside), "rows of x");
        Passes { list, rows, stored, size, points: vec![[T::Block::default(); 3]; longest] }
    }

    /// `x_later += N x_panel`, panel by panel.
    pub fn forward(&self, kernel: Kernel, store: &[T::Block], x: &mut [T::Lanes]) {
        let Passes { list, rows, stored, size, .. } = self;
        assert!(store.len() >= *stored && x.len() == *size, "what these panels were made for");
        dispatch::run(kernel, Forward(Checked::<T> { list, rows, values: store }, x));
    }

    /// `x_panel = Wᵀ [x_panel; x_later]`, panel by panel from the last on.
    pub fn backward(&mut self, kernel: Kernel, store: &[T::Block], x: &mut [T::Lanes]) {
        let Passes { list, rows, stored, size, points } = self;
        assert!(store.len() >= *stored && x.len() == *size, "what these panels were made for");
        dispatch::run(kernel, Backward(Checked::<T> { list, rows, values: store }, x, points));
    }
}

/// The panels of a [`Passes`] with the store of their numbers.
struct Checked<'a, T: Real> {
    list: &'a [Panel],
    rows: &'a [T::Rows],
    values: &'a [T::Block],
}

// SAFETY, for every `unsafe` below: the panels are those of a `Passes`, whose `new` has checked every index in them
// against the size of x and the length of the store; `forward` and `backward` have checked that x and the store have
// them.

impl Panel {
    /// Its row numbers and its numbers of W, from its k-th block on.
    #[inline(always)]
    unsafe fn from<'a, T: Real>(&self, k: usize, of: &Checked<'a, T>) -> (&'a [T::Rows], &'a [T::Block]) {
        let (begin, end) = (self.rows.0 as usize + k, self.rows.1 as usize);
        let (c, values) = (self.columns as usize, self.values + k * self.columns as usize);
        unsafe {
            (of.rows.get_unchecked(begin..end), of.values.get_unchecked(values..values + (end - begin) * c))
        }
    }
}

/// The work of [`Passes::forward`] on x.
struct Forward<'a, T: Real>(Checked<'a, T>, &'a mut [T::Lanes]);

impl<T: Real> Work<T> for Forward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<T>, const FUSED: bool>(self) {
        let Forward(panels, x) = self;
        let mut own = [T::Lanes::default(); WIDEST];
        for panel in panels.list {
            let (first, c) = (panel.first as usize, panel.columns as usize);
            // This pass needs N only: it passes over blocks of which all rows belong to S.
            let whole = c / T::WIDTH;
            unsafe {
                let own = own.get_unchecked_mut(..c);
                own.copy_from_slice(x.get_unchecked(first..first + c));
                let (rows, values) = panel.from(whole, &panels);
                let (pairs, last) = rows.as_chunks::<2>();
                let mut values = values.as_ptr();
                for rows in pairs {
                    below::<T, V, 2>(values, own, rows, x);
                    values = values.add(2 * c);
                }
                if let Some(&rows) = last.first() {
                    below::<T, V, 1>(values, own, &[rows], x);
                }
                // The first block may have begun with rows of S, and what was added to those rows of x is wrong.
                let changed = whole * T::WIDTH;
                let rows = x.get_unchecked_mut(first + changed..first + c);
                rows.copy_from_slice(own.get_unchecked(changed..));
            }
        }
    }
}

/// For N blocks of W, add their products with the points `own` of the panel to their rows of x. The sums begin at zero,
/// not at x: the panel before may just have written those rows of x, and until that is done a load of them would wait.
#[inline(always)]
unsafe fn below<T: Real, V: Simd<T>, const N: usize>(
    values: *const T::Block,
    own: &[T::Lanes],
    rows: &[T::Rows; N],
    x: &mut [T::Lanes],
) {
    let mut sums = [[V::splat(T::default()); 3]; N];
    for (j, own) in own.iter().enumerate() {
        let [p, q, r] = T::xyz(own).map(V::splat);
        for (k, sum) in sums.iter_mut().enumerate() {
            let w = V::load(unsafe { &*values.add(N * j + k) });
            *sum =
                [V::multiply_add(w, p, sum[0]), V::multiply_add(w, q, sum[1]), V::multiply_add(w, r, sum[2])];
        }
    }
    for (sum, rows) in sums.iter().zip(rows) {
        unsafe { V::add_to(*sum, x, rows) };
    }
}

/// The work of [`Passes::backward`] on x, with room for the points of all rows of one panel.
struct Backward<'a, T: Real>(Checked<'a, T>, &'a mut [T::Lanes], &'a mut [[T::Block; 3]]);

impl<T: Real> Work<T> for Backward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<T>, const FUSED: bool>(self) {
        let Backward(panels, x, points) = self;
        for (k, panel) in panels.list.iter().enumerate().rev() {
            let (first, c) = (panel.first as usize, panel.columns as usize);
            unsafe {
                if k >= AHEAD {
                    V::prefetch(panels.list.get_unchecked(k - AHEAD).from(0, &panels).1);
                }
                let (rows, values) = panel.from(0, &panels);
                let points = points.get_unchecked_mut(..rows.len());
                for (points, rows) in points.iter_mut().zip(rows) {
                    let [a, b, c] = V::gather(x, rows);
                    *points = [V::store(a), V::store(b), V::store(c)];
                }
                let (groups, rest) = x.get_unchecked_mut(first..first + c).as_chunks_mut::<GROUP>();
                let values = values.as_ptr();
                let mut j = 0;
                for group in groups {
                    transposed::<T, V, GROUP>(values, j, c, points, group);
                    j += GROUP;
                }
                match rest {
                    [a] => transposed::<T, V, 1>(values, j, c, points, std::array::from_mut(a)),
                    [_, _] => transposed::<T, V, 2>(values, j, c, points, rest.as_mut_array().expect("two")),
                    [_, _, _] => {
                        transposed::<T, V, 3>(values, j, c, points, rest.as_mut_array().expect("three"))
                    }
                    _ => {}
                }
            }
        }
    }
}

/// `Wᵀ points` for N of the c columns of W, from the j-th on.
#[inline(always)]
unsafe fn transposed<T: Real, V: Simd<T>, const N: usize>(
    values: *const T::Block,
    j: usize,
    c: usize,
    points: &[[T::Block; 3]],
    out: &mut [T::Lanes; N],
) {
    let mut sums = [[V::splat(T::default()); 3]; N];
    unsafe {
        let (single, others) = points.split_at_unchecked(c / T::WIDTH);
        let mut at = values;
        for point in single {
            times::<T, V, N, 1>(at.add(j), point, &mut sums);
            at = at.add(c);
        }
        let (pairs, last) = others.as_chunks::<2>();
        for [one, two] in pairs {
            times::<T, V, N, 2>(at.add(2 * j), one, &mut sums);
            times::<T, V, N, 2>(at.add(2 * j + 1), two, &mut sums);
            at = at.add(2 * c);
        }
        if let Some(point) = last.first() {
            times::<T, V, N, 1>(at.add(j), point, &mut sums);
        }
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = V::sums(sum);
    }
}

/// Add the products of one block of points with N columns of W. From one column to the next it is STRIDE blocks.
#[inline(always)]
unsafe fn times<T: Real, V: Simd<T>, const N: usize, const STRIDE: usize>(
    values: *const T::Block,
    [x, y, z]: &[T::Block; 3],
    sums: &mut [[V::Vector; 3]; N],
) {
    let (x, y, z) = (V::load(x), V::load(y), V::load(z));
    for (j, sum) in sums.iter_mut().enumerate() {
        let w = V::load(unsafe { &*values.add(STRIDE * j) });
        *sum = [V::multiply_add(w, x, sum[0]), V::multiply_add(w, y, sum[1]), V::multiply_add(w, z, sum[2])];
    }
}
