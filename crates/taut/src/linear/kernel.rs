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
#![expect(unsafe_code, reason = "calling a function compiled for a processor feature that was detected first")]

use std::ops::{Add, Mul};

/// Widest panel.
pub(super) const WIDEST: usize = 32;
/// Rows of a block.
pub(super) const BLOCK: usize = 8;

/// One row of a vector: x, y, z and a lane that stays 0.
pub(super) type Lanes<T> = [T; 4];

/// A number a factor may be stored in.
pub(super) trait Real:
    Copy + Default + Send + Sync + Add<Output = Self> + Mul<Output = Self> + 'static
{
    fn fused(self, b: Self, c: Self) -> Self;
    fn of(v: f64) -> Self;
    fn double(self) -> f64;
}

impl Real for f64 {
    #[inline(always)]
    fn fused(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
    #[inline(always)]
    fn of(v: f64) -> f64 {
        v
    }
    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
}

impl Real for f32 {
    #[inline(always)]
    fn fused(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }
    #[inline(always)]
    fn of(v: f64) -> f32 {
        v as f32
    }
    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(self)
    }
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
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            kernels.push(Kernel::Avx2);
            if std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512vl") {
                kernels.push(Kernel::Avx512);
            }
        }
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

/// Define `$name(kernel, arguments…)` that runs the inlined `$body` compiled for that kernel.
macro_rules! dispatch {
    ($(#[$doc:meta])* $name:ident<$t:ident: $bound:path>, $body:ident, ($($arg:ident: $type:ty),*) $(-> $out:ty)?) => {
        $(#[$doc])*
        pub(super) fn $name<$t: $bound>(kernel: Kernel, $($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn avx2<$t: $bound>($($arg: $type),*) $(-> $out)? {
                    $body::<$t, true>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
                fn avx512<$t: $bound>($($arg: $type),*) $(-> $out)? {
                    $body::<$t, true>($($arg),*)
                }
                match kernel {
                    // SAFETY: `Kernel::available` saw these features on this processor; the check is repeated here
                    // (one load) because any caller may name a kernel.
                    Kernel::Avx2 if std::is_x86_feature_detected!("fma") && std::is_x86_feature_detected!("avx2") => {
                        return unsafe { avx2::<$t>($($arg),*) };
                    }
                    // SAFETY: as above.
                    Kernel::Avx512 if std::is_x86_feature_detected!("avx512vl") && std::is_x86_feature_detected!("fma") => {
                        return unsafe { avx512::<$t>($($arg),*) };
                    }
                    _ => {}
                }
            }
            if kernel.fused() { $body::<$t, true>($($arg),*) } else { $body::<$t, false>($($arg),*) }
        }
    };
}
pub(super) use dispatch;

dispatch!(
    /// The forward pass over all panels.
    forward<T: Real>, forward_body, (panels: &Panels<T>, x: &mut [Lanes<T>]));
dispatch!(
    /// The backward pass over all panels.
    backward<T: Real>, backward_body, (panels: &Panels<T>, x: &mut [Lanes<T>]));

/// acc += g v, lane by lane.
#[inline(always)]
fn add<T: Real, const FUSED: bool>(acc: &mut Lanes<T>, g: T, v: &Lanes<T>) {
    for l in 0..4 {
        acc[l] = if FUSED { g.fused(v[l], acc[l]) } else { acc[l] + g * v[l] };
    }
}

#[inline(always)]
fn forward_body<T: Real, const FUSED: bool>(panels: &Panels<T>, x: &mut [Lanes<T>]) {
    for panel in &panels.list {
        let c = panel.columns as usize;
        let rows = &panels.rows[panel.rows.0 as usize..panel.rows.1 as usize];
        let values = &panels.values[panel.values + c * c..][..c * rows.len()];
        let (head, tail) = x.split_at_mut(panel.first as usize + c);
        let x_c = &head[panel.first as usize..];
        let base = panel.first + c as u32;
        let (full, rest) = rows.as_chunks::<BLOCK>();
        let (block_values, rest_values) = values.split_at(full.len() * BLOCK * c);
        for (rows, values) in full.iter().zip(block_values.chunks_exact(BLOCK * c)) {
            scatter::<T, BLOCK, FUSED>(rows, values, x_c, tail, base);
        }
        macro_rules! tails { ($($r:literal)*) => { match rest.len() {
            $($r => scatter::<T, $r, FUSED>(rest.first_chunk().expect("length"), rest_values, x_c, tail, base),)*
            _ => {}
        } } }
        tails!(1 2 3 4 5 6 7);
    }
}

/// x_rows += N x_c for one block of R rows.
#[inline(always)]
fn scatter<T: Real, const R: usize, const FUSED: bool>(
    rows: &[u32; R],
    values: &[T],
    x_c: &[Lanes<T>],
    x: &mut [Lanes<T>],
    base: u32,
) {
    let mut acc = rows.map(|i| x[(i - base) as usize]);
    for (g, v) in values.as_chunks::<R>().0.iter().zip(x_c) {
        for t in 0..R {
            add::<T, FUSED>(&mut acc[t], g[t], v);
        }
    }
    for t in 0..R {
        x[(rows[t] - base) as usize] = acc[t];
    }
}

#[inline(always)]
fn backward_body<T: Real, const FUSED: bool>(panels: &Panels<T>, x: &mut [Lanes<T>]) {
    let mut acc = [[T::default(); 4]; WIDEST];
    for panel in panels.list.iter().rev() {
        let (first, c) = (panel.first as usize, panel.columns as usize);
        let rows = &panels.rows[panel.rows.0 as usize..panel.rows.1 as usize];
        let (s, values) = panels.values[panel.values..][..c * (c + rows.len())].split_at(c * c);
        let acc = &mut acc[..c];
        diagonal::<T, FUSED>(s, &x[first..first + c], acc);
        let (full, rest) = rows.as_chunks::<BLOCK>();
        let (block_values, rest_values) = values.split_at(full.len() * BLOCK * c);
        for (rows, values) in full.iter().zip(block_values.chunks_exact(BLOCK * c)) {
            gather::<T, BLOCK, FUSED>(rows, values, x, acc);
        }
        macro_rules! tails { ($($r:literal)*) => { match rest.len() {
            $($r => gather::<T, $r, FUSED>(rest.first_chunk().expect("length"), rest_values, x, acc),)*
            _ => {}
        } } }
        tails!(1 2 3 4 5 6 7);
        x[first..first + c].copy_from_slice(acc);
    }
}

/// acc = S x.
#[inline(always)]
fn diagonal<T: Real, const FUSED: bool>(s: &[T], x: &[Lanes<T>], acc: &mut [Lanes<T>]) {
    let c = x.len();
    let (blocks, rest) = acc.as_chunks_mut::<BLOCK>();
    let (block_values, rest_values) = s.split_at(blocks.len() * BLOCK * c);
    for (acc, values) in blocks.iter_mut().zip(block_values.chunks_exact(BLOCK * c)) {
        *acc = product::<T, BLOCK, FUSED>(values, x);
    }
    macro_rules! tails { ($($r:literal)*) => { match rest.len() {
        $($r => rest.copy_from_slice(&product::<T, $r, FUSED>(rest_values, x)),)*
        _ => {}
    } } }
    tails!(1 2 3 4 5 6 7);
}

#[inline(always)]
fn product<T: Real, const R: usize, const FUSED: bool>(values: &[T], x: &[Lanes<T>]) -> [Lanes<T>; R] {
    let mut acc = [[T::default(); 4]; R];
    for (g, v) in values.as_chunks::<R>().0.iter().zip(x) {
        for t in 0..R {
            add::<T, FUSED>(&mut acc[t], g[t], v);
        }
    }
    acc
}

/// acc += Nᵀ x_rows for one block of R rows.
#[inline(always)]
fn gather<T: Real, const R: usize, const FUSED: bool>(
    rows: &[u32; R],
    values: &[T],
    x: &[Lanes<T>],
    acc: &mut [Lanes<T>],
) {
    let v = rows.map(|i| x[i as usize]);
    for (g, acc) in values.as_chunks::<R>().0.iter().zip(acc) {
        let mut sum = *acc;
        for t in 0..R {
            add::<T, FUSED>(&mut sum, g[t], &v[t]);
        }
        *acc = sum;
    }
}
