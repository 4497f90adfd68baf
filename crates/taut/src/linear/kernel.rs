//! The inner loops of a supernodal solve with three right-hand sides, for what the processor can do.
//!
//! A vector is four lanes `[x, y, z, 0]`; a panel of c columns over r rows holds `S` (c×c) and `N = −G` (r×c):
//!
//! ```text
//! forward   x_rows += N x_c            backward   x_c = S x_c + Nᵀ x_rows
//! ```
//!
//! Both matrices are stored by blocks of eight rows, `[column][row]` inside a block, so that one copy of N serves
//! both passes; the last block is as high as there are rows left. One source is compiled several times, plain
//! and for AVX2 + FMA and for AVX-512, and chosen when the program runs. With FMA every product is fused: the
//! bits depend on [`Kernel::fused`] and on nothing else (AVX2, AVX-512 and ARM agree; plain and WebAssembly agree).
#![expect(
    unsafe_code,
    reason = "calling a function compiled for a processor feature that was detected first"
)]

use super::simd::{Lanes, Portable, Real, Simd};

/// Widest panel.
pub(super) const WIDEST: usize = 32;
/// How many panels ahead the backward pass has numbers fetched. Forward the processor sees one array and looks ahead
/// itself (asking for it cost 10 %); backward it meets short panels from the end (300×300 cloth: 30 % of a solve
/// in f32).
const AHEAD: usize = 2;
/// Rows of a block.
pub(super) const BLOCK: usize = 8;

/// Rows a list of `r` rows takes in storage: whole blocks of eight, or four for the last one if that is enough.
pub(super) fn padded(r: usize) -> usize {
    r.next_multiple_of(BLOCK / 2)
}

/// A dense piece of the factor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panel {
    pub first: u32,
    pub columns: u32,
    /// Where its rows begin and end in the list of rows.
    pub rows: (u32, u32),
    /// Where its numbers begin: S, then N.
    pub values: usize,
}

/// A set of panels, children before parents, with the numbers and row lists they refer to.
#[derive(Debug, Clone, Default)]
pub(super) struct Panels<T> {
    pub list: Vec<Panel>,
    pub rows: Vec<u32>,
    pub values: Vec<T>,
}

/// A way of computing, by the features it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// No particular feature; vectors as far as the target has them.
    Plain,
    /// 256-bit vectors and fused multiply-add.
    Avx2,
    /// 512-bit registers with operands broadcast from memory.
    Avx512,
    /// ARM, where fused multiply-add is always there.
    Neon,
}

impl Kernel {
    /// All kernels this processor can run, the best last.
    pub fn available() -> Vec<Kernel> {
        #[allow(unused_mut)]
        let mut kernels = vec![Kernel::Plain];
        kernels.extend([Kernel::Avx2, Kernel::Avx512].into_iter().filter(|k| k.usable() == *k));
        #[cfg(target_arch = "aarch64")]
        kernels.push(Kernel::Neon);
        kernels
    }

    /// The best kernel for this processor.
    pub fn detected() -> Kernel {
        Kernel::available().pop().expect("plain is always there")
    }

    /// Whether products are fused with sums. Two kernels that agree in this agree in every bit.
    pub fn fused(self) -> bool {
        self != Kernel::Plain
    }

    /// This kernel, or the plain one where the processor cannot run it.
    fn usable(self) -> Kernel {
        #[cfg(target_arch = "x86_64")]
        {
            use std::is_x86_feature_detected as has;
            let avx2 = has!("avx2") && has!("fma");
            match self {
                Kernel::Avx2 if avx2 => self,
                Kernel::Avx512 if avx2 && has!("avx512f") && has!("avx512vl") => self,
                _ => Kernel::Plain,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Kernel::Plain
    }

    /// One word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Plain => "plain",
            Kernel::Avx2 => "avx2",
            Kernel::Avx512 => "avx512",
            Kernel::Neon => "neon",
        }
    }
}

/// Work that is written once, in terms of vectors, and compiled for every instruction set.
pub(super) trait Work<T: Real> {
    type Output;
    /// To be marked `#[inline(always)]`: only then is it compiled for the features of its caller.
    fn run<V: Simd<T>, const FUSED: bool>(self) -> Self::Output;
}

/// Do the work with a kernel's instructions.
pub(super) fn run<T: Real, W: Work<T>>(kernel: Kernel, work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn avx2<T: Real, W: Work<T>>(work: W) -> W::Output {
            work.run::<T::Avx2, true>()
        }
        #[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
        fn avx512<T: Real, W: Work<T>>(work: W) -> W::Output {
            work.run::<T::Avx512, true>()
        }
        match kernel.usable() {
            // SAFETY: `usable` has just seen these features on this processor.
            Kernel::Avx2 => return unsafe { avx2(work) },
            // SAFETY: as above.
            Kernel::Avx512 => return unsafe { avx512(work) },
            _ => {}
        }
    }
    if kernel.fused() { work.run::<Portable<true>, true>() } else { work.run::<Portable<false>, false>() }
}

/// The forward pass over all panels.
pub(super) struct Forward<'a, T>(pub &'a Panels<T>, pub &'a mut [Lanes<T>]);

impl<T: Real> Work<T> for Forward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<T>, const FUSED: bool>(self) {
        forward::<T, V>(self.0, self.1);
    }
}

/// The backward pass over all panels.
pub(super) struct Backward<'a, T>(pub &'a Panels<T>, pub &'a mut [Lanes<T>]);

impl<T: Real> Work<T> for Backward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<T>, const FUSED: bool>(self) {
        backward::<T, V>(self.0, self.1);
    }
}

#[inline(always)]
fn forward<T: Real, V: Simd<T>>(panels: &Panels<T>, x: &mut [Lanes<T>]) {
    for panel in &panels.list {
        let (first, c) = (panel.first as usize, panel.columns as usize);
        let rows = &panels.rows[panel.rows.0 as usize..panel.rows.1 as usize];
        let values = &panels.values[panel.values + c * padded(c)..][..c * rows.len()];
        let (x, later) = x.split_at_mut(first + c);
        let x_c = &x[first..];
        let at = |i: u32| i as usize - (first + c);
        let (blocks, half) = rows.as_chunks::<BLOCK>();
        let (values, half_values) = values.split_at(blocks.len() * BLOCK * c);
        for (rows, values) in blocks.iter().zip(values.chunks_exact(BLOCK * c)) {
            // No closures around vectors: one that is not inlined loses the instruction set.
            let [a, b, c, d, e, f, g, h] = rows.map(at);
            let mut acc = [
                V::pair(&later[a], &later[e]),
                V::pair(&later[b], &later[f]),
                V::pair(&later[c], &later[g]),
                V::pair(&later[d], &later[h]),
            ];
            for (g, v) in values.as_chunks().0.iter().zip(x_c) {
                acc = V::add_block(acc, g, V::pair(v, v));
            }
            [later[a], later[e]] = V::unpair(acc[0]);
            [later[b], later[f]] = V::unpair(acc[1]);
            [later[c], later[g]] = V::unpair(acc[2]);
            [later[d], later[h]] = V::unpair(acc[3]);
        }
        if let Some(rows) = half.first_chunk::<4>() {
            let rows = rows.map(at);
            let mut acc = load4::<T, V>(later, rows);
            for (g, v) in half_values.as_chunks::<4>().0.iter().zip(x_c) {
                acc = add4::<T, V>(acc, g, V::load(v));
            }
            for k in 0..4 {
                later[rows[k]] = V::store(acc[k]);
            }
        }
    }
}

#[inline(always)]
fn backward<T: Real, V: Simd<T>>(panels: &Panels<T>, x: &mut [Lanes<T>]) {
    let mut sums = [V::pair(&[T::default(); 4], &[T::default(); 4]); WIDEST];
    for (k, panel) in panels.list.iter().enumerate().rev() {
        let (first, c) = (panel.first as usize, panel.columns as usize);
        if k >= AHEAD {
            let from = &panels.list[k - AHEAD..];
            V::prefetch(&panels.values[from[0].values..from[1].values]);
        }
        let rows = &panels.rows[panel.rows.0 as usize..panel.rows.1 as usize];
        let (s, values) = panels.values[panel.values..].split_at(c * padded(c));
        let sums = &mut sums[..padded(c)];
        diagonal::<T, V>(s, &x[first..first + c], sums);
        let sums = &mut sums[..c];
        let (blocks, half) = rows.as_chunks::<BLOCK>();
        let (values, half_values) = values[..c * rows.len()].split_at(blocks.len() * BLOCK * c);
        for (rows, values) in blocks.iter().zip(values.chunks_exact(BLOCK * c)) {
            let [a, b, c, d, e, f, g, h] = rows.map(|i| i as usize);
            let v =
                [V::pair(&x[a], &x[e]), V::pair(&x[b], &x[f]), V::pair(&x[c], &x[g]), V::pair(&x[d], &x[h])];
            for (g, sum) in values.as_chunks().0.iter().zip(&mut *sums) {
                *sum = V::sum_block(*sum, g, &v);
            }
        }
        let mut v = [V::load(&[T::default(); 4]); 4];
        let half = half.first_chunk::<4>();
        if let Some(rows) = half {
            v = load4::<T, V>(x, rows.map(|i| i as usize));
        }
        let half_values = half_values.as_chunks::<4>().0;
        for (j, &sum) in sums.iter().enumerate() {
            let [a, b] = V::unpair(sum);
            let mut total = V::add(V::load(&a), T::of(1.0), V::load(&b));
            if half.is_some() {
                let g = &half_values[j];
                for k in 0..4 {
                    total = V::add(total, g[k], v[k]);
                }
            }
            x[first + j] = V::store(total);
        }
    }
}

/// sums = S x, each in the first half of a pair; the second half is 0.
#[inline(always)]
fn diagonal<T: Real, V: Simd<T>>(s: &[T], x: &[Lanes<T>], sums: &mut [V::Pair]) {
    let zero = [T::default(); 4];
    let c = x.len();
    let (blocks, half) = sums.as_chunks_mut::<BLOCK>();
    let (values, half_values) = s.split_at(blocks.len() * BLOCK * c);
    for (sums, values) in blocks.iter_mut().zip(values.chunks_exact(BLOCK * c)) {
        let mut acc = [V::pair(&zero, &zero); 4];
        for (g, v) in values.as_chunks().0.iter().zip(x) {
            acc = V::add_block(acc, g, V::pair(v, v));
        }
        for (k, acc) in acc.into_iter().enumerate() {
            let [a, b] = V::unpair(acc);
            (sums[k], sums[k + 4]) = (V::pair(&a, &zero), V::pair(&b, &zero));
        }
    }
    if let Some(sums) = half.first_chunk_mut::<4>() {
        let mut acc = [V::load(&zero); 4];
        for (g, v) in half_values.as_chunks::<4>().0.iter().zip(x) {
            acc = add4::<T, V>(acc, g, V::load(v));
        }
        for k in 0..4 {
            sums[k] = V::pair(&V::store(acc[k]), &zero);
        }
    }
}

#[inline(always)]
fn load4<T: Real, V: Simd<T>>(x: &[Lanes<T>], [a, b, c, d]: [usize; 4]) -> [V::Row; 4] {
    [V::load(&x[a]), V::load(&x[b]), V::load(&x[c]), V::load(&x[d])]
}

#[inline(always)]
fn add4<T: Real, V: Simd<T>>(acc: [V::Row; 4], g: &[T; 4], v: V::Row) -> [V::Row; 4] {
    [V::add(acc[0], g[0], v), V::add(acc[1], g[1], v), V::add(acc[2], g[2], v), V::add(acc[3], g[3], v)]
}
