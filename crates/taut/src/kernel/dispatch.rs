//! One source, compiled for several instruction sets; the processor's best is chosen when the program runs.
//!
//! On x86-64 these are plain code, AVX2 with FMA (fused multiply-add), and the same with the 32 registers of AVX-512.
//! The bits of a result depend only on whether products are fused ([`Kernel::fused`]): AVX2, AVX-512 and ARM agree,
//! and so do plain code and WebAssembly. A WebAssembly program cannot ask what it runs on: there the build decides.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "calling a function compiled for a processor feature that was detected first"
    )
)]

use super::simd::{Real, Simd};
use std::sync::OnceLock;

/// A way of computing, by the features it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// No particular feature; vectors as far as the target has them.
    Plain,
    /// 256-bit vectors and fused multiply-add.
    Avx2,
    /// The same vectors with two things of AVX-512: 32 registers, and operands that are broadcast from memory.
    Avx512,
    /// ARM, where fused multiply-add is always there.
    Neon,
    /// The 128-bit vectors of WebAssembly, in builds with `-C target-feature=+simd128`. It has no fused
    /// multiply-add, so the bits are those of the plain kernel.
    Simd128,
}

static CHOSEN: OnceLock<Kernel> = OnceLock::new();

impl Kernel {
    /// All kernels, from the plainest on.
    const ALL: [Kernel; 5] = [Kernel::Plain, Kernel::Avx2, Kernel::Avx512, Kernel::Neon, Kernel::Simd128];

    /// All kernels this processor can run, the best last.
    pub fn available() -> Vec<Kernel> {
        Kernel::ALL.into_iter().filter(|k| k.usable() == *k).collect()
    }

    /// The kernel that is used: the best for this processor, unless another was chosen.
    pub fn detected() -> Kernel {
        let best = || Kernel::ALL.into_iter().rfind(|k| k.usable() == *k).expect("plain is always there");
        CHOSEN.get().copied().unwrap_or_else(best)
    }

    /// Use this kernel from now on, wherever none is named: to have the bits that others compute. The first choice stays;
    /// returns whether it is this one. One this processor cannot run is not chosen.
    pub fn choose(self) -> bool {
        self.usable() == self && *CHOSEN.get_or_init(|| self) == self
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
    /// Do it in vectors V, which fuse products with sums if FUSED. To be marked `#[inline(always)]`: only then is it compiled
    /// for the features of its caller.
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
    // There the plain kernel has the same bits: its code would only make the module larger.
    #[cfg(target_feature = "simd128")]
    return (kernel, work.run::<T::Simd128, false>()).1;
    #[cfg(not(target_feature = "simd128"))]
    if kernel.fused() { work.run::<T::Fused, true>() } else { work.run::<T::Plain, false>() }
}
