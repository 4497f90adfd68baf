//! The inner loops of a supernodal solve with three right-hand sides, for what the processor can do.
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
//! number of W, took 1.8 times as long in f32 and 1.6 in f64.) One source is compiled several times, plain, for
//! AVX2 + FMA, and that again with the 32 registers of AVX-512, and chosen when the program runs. With FMA every
//! product is fused: the bits depend on [`Kernel::fused`] and on nothing else (AVX2, AVX-512 and ARM agree; plain
//! and WebAssembly agree). WebAssembly cannot ask when it runs: there the build decides.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "calling a function compiled for a processor feature that was detected first"
    )
)]

use super::simd::{Real, Simd};

/// Widest panel.
pub(super) const WIDEST: usize = 32;
/// How many panels ahead the backward pass has numbers fetched. Forward the processor sees one array and looks ahead
/// itself (asking for it cost 10 %); backward it meets short panels from the end (300×300 cloth: 30 % of a solve
/// in f32).
const AHEAD: usize = 2;
/// Columns of a panel that the backward pass sums at once: with x, y, z of each, twelve of sixteen registers.
const GROUP: usize = 4;

/// A dense piece of the factor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panel {
    pub first: u32,
    pub columns: u32,
    /// Where its blocks of rows begin and end in the list of them: its own columns, then the rows below.
    pub rows: (u32, u32),
    /// Where its numbers begin.
    pub values: usize,
}

/// A set of panels, children before parents, with the numbers and row lists they refer to.
#[derive(Debug, Clone, Default)]
pub(super) struct Panels<T: Real> {
    pub list: Vec<Panel>,
    pub rows: Vec<T::Rows>,
    pub values: Vec<T::Block>,
}

/// A way of computing, by the features it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// No particular feature; vectors as far as the target has them.
    Plain,
    /// 256-bit vectors and fused multiply-add.
    Avx2,
    /// The same vectors with the registers and the operands broadcast from memory of AVX-512.
    Avx512,
    /// ARM, where fused multiply-add is always there.
    Neon,
    /// The 128-bit vectors of WebAssembly, in builds with `-C target-feature=+simd128`. It has no fused
    /// multiply-add, so the bits are those of the plain kernel.
    Simd128,
}

impl Kernel {
    /// All kernels, from the plainest on.
    const ALL: [Kernel; 5] = [Kernel::Plain, Kernel::Avx2, Kernel::Avx512, Kernel::Neon, Kernel::Simd128];

    /// All kernels this processor can run, the best last.
    pub fn available() -> Vec<Kernel> {
        Kernel::ALL.into_iter().filter(|k| k.usable() == *k).collect()
    }

    /// The best kernel for this processor.
    pub fn detected() -> Kernel {
        Kernel::ALL.into_iter().rfind(|k| k.usable() == *k).expect("plain is always there")
    }

    /// Whether products are fused with sums. Two kernels that agree in this agree in every bit.
    pub fn fused(self) -> bool {
        !matches!(self, Kernel::Plain | Kernel::Simd128)
    }

    /// This kernel, or the plain one where it cannot run.
    fn usable(self) -> Kernel {
        #[cfg(target_arch = "x86_64")]
        let avx2 = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
        #[cfg(target_arch = "x86_64")]
        let avx512 = std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512vl");
        #[cfg(not(target_arch = "x86_64"))]
        let (avx2, avx512) = (false, false);
        let present = match self {
            Kernel::Plain => true,
            Kernel::Avx2 => avx2,
            Kernel::Avx512 => avx2 && avx512,
            Kernel::Neon => cfg!(target_arch = "aarch64"),
            Kernel::Simd128 => cfg!(target_feature = "simd128"),
        };
        if present && !cfg!(feature = "plain") { self } else { Kernel::Plain }
    }

    /// One word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Plain => "plain",
            Kernel::Avx2 => "avx2",
            Kernel::Avx512 => "avx512",
            Kernel::Neon => "neon",
            Kernel::Simd128 => "simd128",
        }
    }
}

/// Work that is written once, in terms of vectors, and compiled for every instruction set.
pub(crate) trait Work<T: Real> {
    type Output;
    /// To be marked `#[inline(always)]`: only then is it compiled for the features of its caller.
    fn run<V: Simd<T>, const FUSED: bool>(self) -> Self::Output;
}

/// Do the work with a kernel's instructions.
pub(crate) fn run<T: Real, W: Work<T>>(kernel: Kernel, work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn avx2<T: Real, W: Work<T>>(work: W) -> W::Output {
            work.run::<T::Avx2, true>()
        }
        #[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
        fn avx512<T: Real, W: Work<T>>(work: W) -> W::Output {
            work.run::<T::Avx2, true>()
        }
        match kernel.usable() {
            // SAFETY: `usable` has just seen these features on this processor.
            Kernel::Avx2 => return unsafe { avx2(work) },
            // SAFETY: as above.
            Kernel::Avx512 => return unsafe { avx512(work) },
            _ => {}
        }
    }
    #[cfg(target_feature = "simd128")]
    if kernel.usable() == Kernel::Simd128 {
        return work.run::<T::Simd128, false>();
    }
    if kernel.fused() { work.run::<T::Fused, true>() } else { work.run::<T::Plain, false>() }
}

/// The forward pass over all panels.
pub(super) struct Forward<'a, T: Real>(pub &'a Panels<T>, pub &'a mut [T::Lanes]);

impl<T: Real> Work<T> for Forward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<T>, const FUSED: bool>(self) {
        let Forward(panels, x) = self;
        let mut own = [T::Lanes::default(); WIDEST];
        for panel in &panels.list {
            let (first, c) = (panel.first as usize, panel.columns as usize);
            let own = &mut own[..c];
            own.copy_from_slice(&x[first..first + c]);
            // Blocks that hold nothing but S have no part in this pass.
            let rows = &panels.rows[panel.rows.0 as usize + c / T::WIDTH..panel.rows.1 as usize];
            let values = &panels.values[panel.values + c / T::WIDTH * c..][..rows.len() * c];
            let (pairs, last) = rows.as_chunks::<2>();
            let (values, last_values) = values.split_at(2 * pairs.len() * c);
            for ([r, s], values) in pairs.iter().zip(values.chunks_exact(2 * c)) {
                let (mut a, mut b) = (V::gather(x, r), V::gather(x, s));
                let (near, far) = values.split_at(c);
                for ((near, far), v) in near.iter().zip(far).zip(&*own) {
                    let (n, f, [p, q, r]) = (V::load(near), V::load(far), T::xyz(v));
                    let (p, q, r) = (V::splat(p), V::splat(q), V::splat(r));
                    a = [
                        V::multiply_add(n, p, a[0]),
                        V::multiply_add(n, q, a[1]),
                        V::multiply_add(n, r, a[2]),
                    ];
                    b = [
                        V::multiply_add(f, p, b[0]),
                        V::multiply_add(f, q, b[1]),
                        V::multiply_add(f, r, b[2]),
                    ];
                }
                V::scatter(a, x, r);
                V::scatter(b, x, s);
            }
            if let Some(r) = last.first() {
                let mut a = V::gather(x, r);
                for (n, v) in last_values.iter().zip(&*own) {
                    let (n, [p, q, r]) = (V::load(n), T::xyz(v));
                    let (p, q, r) = (V::splat(p), V::splat(q), V::splat(r));
                    a = [
                        V::multiply_add(n, p, a[0]),
                        V::multiply_add(n, q, a[1]),
                        V::multiply_add(n, r, a[2]),
                    ];
                }
                V::scatter(a, x, r);
            }
            // The first block may have begun with rows of S.
            let whole = c / T::WIDTH * T::WIDTH;
            x[first + whole..first + c].copy_from_slice(&own[whole..]);
        }
    }
}

/// The backward pass over all panels; the last argument is room for the points of as many blocks as a panel has.
pub(super) struct Backward<'a, T: Real>(
    pub &'a Panels<T>,
    pub &'a mut [T::Lanes],
    pub &'a mut [[T::Block; 3]],
);

impl<T: Real> Work<T> for Backward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<T>, const FUSED: bool>(self) {
        let Backward(panels, x, points) = self;
        for (k, panel) in panels.list.iter().enumerate().rev() {
            let (first, c) = (panel.first as usize, panel.columns as usize);
            if k >= AHEAD {
                let from = &panels.list[k - AHEAD..];
                V::prefetch(&panels.values[from[0].values..from[1].values]);
            }
            let rows = &panels.rows[panel.rows.0 as usize..panel.rows.1 as usize];
            let values = &panels.values[panel.values..][..rows.len() * c];
            let points = &mut points[..rows.len()];
            for (points, rows) in points.iter_mut().zip(rows) {
                let [a, b, c] = V::gather(x, rows);
                *points = [V::store(a), V::store(b), V::store(c)];
            }
            let (groups, rest) = x[first..first + c].as_chunks_mut::<GROUP>();
            for (j, group) in groups.iter_mut().enumerate() {
                transposed::<T, V, GROUP>(&values[j * GROUP..], c, points, group);
            }
            let values = &values[groups.len() * GROUP..];
            match rest {
                [a] => transposed::<T, V, 1>(values, c, points, std::array::from_mut(a)),
                [_, _] => transposed::<T, V, 2>(values, c, points, rest.as_mut_array().expect("two")),
                [_, _, _] => transposed::<T, V, 3>(values, c, points, rest.as_mut_array().expect("three")),
                _ => {}
            }
        }
    }
}

/// Products of the points with N neighbouring columns of W, which begin every `c` blocks.
#[inline(always)]
fn transposed<T: Real, V: Simd<T>, const N: usize>(
    values: &[T::Block],
    c: usize,
    points: &[[T::Block; 3]],
    out: &mut [T::Lanes; N],
) {
    let zero = V::splat(T::default());
    let mut sums = [[zero; 3]; N];
    for (k, [x, y, z]) in points.iter().enumerate() {
        let (x, y, z) = (V::load(x), V::load(y), V::load(z));
        let columns = values[k * c..].first_chunk::<N>().expect("every block has all columns");
        for (sum, w) in sums.iter_mut().zip(columns) {
            let w = V::load(w);
            *sum =
                [V::multiply_add(w, x, sum[0]), V::multiply_add(w, y, sum[1]), V::multiply_add(w, z, sum[2])];
        }
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = V::sums(sum);
    }
}
