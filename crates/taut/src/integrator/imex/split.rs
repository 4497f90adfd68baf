//! Which springs a step takes implicitly: \[BA04\] §3.4 and §3.5.
//!
//! The adaptive rule, eq. (7): a spring may be explicit where `σ = (h/m)(k_s h + 2k_d) ≤ 0.2`, m the smaller mass of
//! its free ends. The limit of a scalar five-point Laplacian is ½; of vector forces with many springs per particle
//! it is as low as 0.18, so a second rule, safe on any mesh, guards the first: σ (with a particle's own mass) summed
//! over the explicit springs of a particle may not exceed 2. A particle beyond that keeps its springs implicit.
//!
//! The paper never asks about bend springs. Here they are asked like the others, with the steepest slope their force
//! can have: a cap near the stretch stiffness would be unstable otherwise.

use crate::energy::length;
use crate::{Damping, Family, Filter, Model, Spring, SpringKind, State};

/// Which springs are implicit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// All of them: the semi-implicit step of Baraff & Witkin 1998.
    #[default]
    Full,
    /// Stretch springs; shear and bend are explicit.
    Static,
    /// Those whose stability at this time step demands it.
    Adaptive,
}

/// Largest σ of an explicit spring, "in practice" (\[BA04\] §3.5).
const LARGEST: f64 = 0.2;
/// Largest sum of σ over the explicit springs of a particle: symplectic Euler is stable while h²ω² + 2hc ≤ 4, and by
/// Gershgorin that is at most twice this sum.
const LARGEST_SUM: f64 = 2.0;

/// Decides which springs are explicit.
#[derive(Debug, Clone, Default)]
pub(super) struct Splitter {
    split: Split,
    sums: Vec<f64>,
    explicit: Vec<bool>,
}

impl Splitter {
    pub fn of(split: Split) -> Self {
        Splitter { split, ..Splitter::default() }
    }

    /// Room for a model.
    pub fn prepare(&mut self, model: &Model) {
        self.sums = vec![0.0; model.particles()];
        let explicit = |s: &Spring| self.split == Split::Static && s.family != Family::Stretch;
        self.explicit = model.springs.iter().map(explicit).collect();
    }

    /// How many springs are explicit, slack ones included.
    pub fn count(&self) -> usize {
        self.explicit.iter().filter(|&&e| e).count()
    }

    pub fn explicit_of<'a>(&'a self, springs: &'a [Spring]) -> impl Iterator<Item = &'a Spring> {
        springs.iter().zip(&self.explicit).filter(|(_, explicit)| **explicit).map(|(s, _)| s)
    }

    pub fn implicit_of<'a>(&'a self, springs: &'a [Spring]) -> impl Iterator<Item = &'a Spring> {
        springs.iter().zip(&self.explicit).filter(|(_, explicit)| !**explicit).map(|(s, _)| s)
    }

    /// Decide for the coming step. Springs that are slack have no part in the sums.
    pub fn decide(&mut self, model: &Model, state: &State, filters: &[Filter], damping: &Damping, h: f64) {
        if self.split != Split::Adaptive {
            return;
        }
        let strength = |s: &Spring| h * (s.stiffest() * h + 2.0 * damping.material * s.stiffness);
        self.sums.fill(0.0);
        for (s, explicit) in model.springs.iter().zip(&mut self.explicit) {
            let strength = strength(s);
            let free = s.ends.iter().filter(|&&e| !filters[e as usize].is_pinned());
            let lightest = free.map(|&e| model.masses[e as usize]).fold(f64::INFINITY, f64::min);
            *explicit = strength <= LARGEST * lightest;
            if *explicit && !slack(s, state) {
                s.ends.iter().for_each(|&e| self.sums[e as usize] += strength / model.masses[e as usize]);
            }
        }
        for (s, explicit) in model.springs.iter().zip(&mut self.explicit) {
            let crowded = |&e: &u32| self.sums[e as usize] > LARGEST_SUM && !filters[e as usize].is_pinned();
            *explicit &= !s.ends.iter().any(crowded);
        }
    }
}

/// Whether a spring has no force now.
fn slack(s: &Spring, state: &State) -> bool {
    let (a, b) = s.ab();
    let longer = length(state.positions[a] - state.positions[b]) > s.rest_length;
    match s.kind {
        SpringKind::Linear => false,
        SpringKind::ExtensionOnly => !longer,
        SpringKind::Bend { .. } => longer,
    }
}
