//! Both passes of a supernodal solve with three right-hand sides: its inner loops.
//!
//! A panel of c columns touches its own c rows and r later ones. With the block `D` on its diagonal and `L_B`,
//! `L_D` its parts of the factor, it holds one matrix `W = [S; N]` of c + r rows, `S = D⁻¹` and `N = −L_B L_D⁻¹`:
//!
//! ```text
//! forward   x_later += N x_own            backward   x_own = Wᵀ [x_own; x_later]
//! ```
//!
//! W is stored by blocks of rows that fill one vector, `[block][column][row]`, so that one copy serves both passes
//! and neither moves a number within a vector. (Four lanes `[x, y, z, 0]` at a time, with a broadcast of each
//! number of W, took 1.8 times as long in f32 and 1.6 in f64.) The forward pass takes two blocks at a time, and those
//! are stored as one of twice the rows ([`place`]): it reads everything in order (which saves 5 %). Panels are small:
//! a tenth of the time would go into asking of each index whether it is in range, so that is asked once, of all of
//! them, when the panels are put together.
#![expect(unsafe_code, reason = "indices that were checked once are not checked again in every solve")]

use super::dispatch::{self, Kernel, Work};
use super::simd::{Real, Simd};

/// Widest panel.
pub(crate) const WIDEST: usize = 32;
/// How many panels ahead the backward pass has numbers fetched. Forward the processor sees one array and looks ahead
/// itself (asking for it cost 10 %); backward it meets short panels from the end (300×300 cloth: 30 % of a solve
/// in f32).
const AHEAD: usize = 2;
/// Columns of a panel that the backward pass sums at once: with x, y, z of each, twelve of sixteen registers.
const GROUP: usize = 4;

/// Where a panel of so many blocks and columns has the numbers of one block and one column: blocks that hold nothing
/// but S, then pairs of blocks, then perhaps one more.
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

/// A dense piece of the factor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panel {
    pub first: u32,
    pub columns: u32,
    /// Where its blocks of rows begin and end in the list of them: its own columns, then the rows below.
    pub rows: (u32, u32),
    /// Where its numbers begin.
    pub values: usize,
}

/// A set of panels, children before parents, with the row lists they refer to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Panels<T: Real> {
    pub list: Vec<Panel>,
    pub rows: Vec<T::Rows>,
}

/// Panels that refer to nothing outside their lists, a store of numbers and a vector of some size.
pub(crate) struct Passes<T: Real> {
    list: Vec<Panel>,
    rows: Vec<T::Rows>,
    /// How many numbers the store has at least, and how many rows the vector.
    stored: usize,
    size: usize,
    /// Room for the points of the panel with most blocks.
    points: Vec<[T::Block; 3]>,
}

impl<T: Real> Passes<T> {
    /// For vectors of `size` rows and a store of at least `stored` numbers.
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
        assert!(rows.iter().all(inside), "rows within the vector");
        Passes { list, rows, stored, size, points: vec![[T::Block::default(); 3]; longest] }
    }

    pub fn forward(&self, kernel: Kernel, store: &[T::Block], x: &mut [T::Lanes]) {
        let Passes { list, rows, stored, size, .. } = self;
        assert!(store.len() >= *stored && x.len() == *size, "what these panels were made for");
        dispatch::run(kernel, Forward(View::<T> { list, rows, values: store }, x));
    }

    pub fn backward(&mut self, kernel: Kernel, store: &[T::Block], x: &mut [T::Lanes]) {
        let Passes { list, rows, stored, size, points } = self;
        assert!(store.len() >= *stored && x.len() == *size, "what these panels were made for");
        dispatch::run(kernel, Backward(View::<T> { list, rows, values: store }, x, points));
    }
}

/// Panels to be read.
struct View<'a, T: Real> {
    list: &'a [Panel],
    rows: &'a [T::Rows],
    values: &'a [T::Block],
}

// SAFETY, for every block below: the panels are those of a `Passes`, whose `new` has checked every index in them;
// there are at least as many numbers as they were checked for, and x has the size.

impl Panel {
    /// Its blocks of rows and their numbers, from the k-th block on.
    #[inline(always)]
    unsafe fn from<'a, T: Real>(&self, k: usize, of: &View<'a, T>) -> (&'a [T::Rows], &'a [T::Block]) {
        let (begin, end) = (self.rows.0 as usize + k, self.rows.1 as usize);
        let (c, values) = (self.columns as usize, self.values + k * self.columns as usize);
        unsafe {
            (of.rows.get_unchecked(begin..end), of.values.get_unchecked(values..values + (end - begin) * c))
        }
    }
}

/// The forward pass over all panels.
struct Forward<'a, T: Real>(View<'a, T>, &'a mut [T::Lanes]);

impl<T: Real> Work<T> for Forward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<T>, const FUSED: bool>(self) {
        let Forward(panels, x) = self;
        let mut own = [T::Lanes::default(); WIDEST];
        for panel in panels.list {
            let (first, c) = (panel.first as usize, panel.columns as usize);
            // Blocks that hold nothing but S have no part in this pass.
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
                // The first block may have begun with rows of S.
                let changed = whole * T::WIDTH;
                let rows = x.get_unchecked_mut(first + changed..first + c);
                rows.copy_from_slice(own.get_unchecked(changed..));
            }
        }
    }
}

/// Add the products of N blocks of rows of W with the panel's own points to those rows. Sums begin at zero, not at the
/// rows they are added to: those may still be on their way from the panel before.
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

/// The backward pass over all panels; the last argument is room for the points of as many blocks as a panel has.
struct Backward<'a, T: Real>(View<'a, T>, &'a mut [T::Lanes], &'a mut [[T::Block; 3]]);

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

/// Products of the points with N neighbouring columns of W, from the j-th of c on.
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

/// Add the products of a block of points with N columns, which are EVERY blocks apart.
#[inline(always)]
unsafe fn times<T: Real, V: Simd<T>, const N: usize, const EVERY: usize>(
    values: *const T::Block,
    [x, y, z]: &[T::Block; 3],
    sums: &mut [[V::Vector; 3]; N],
) {
    let (x, y, z) = (V::load(x), V::load(y), V::load(z));
    for (j, sum) in sums.iter_mut().enumerate() {
        let w = V::load(unsafe { &*values.add(EVERY * j) });
        *sum = [V::multiply_add(w, x, sum[0]), V::multiply_add(w, y, sum[1]), V::multiply_add(w, z, sum[2])];
    }
}
