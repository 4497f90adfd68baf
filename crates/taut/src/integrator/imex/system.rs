//! The linear system of one step: the springs that are active and implicit, put into rows, blocks and components.
//!
//! Fully constrained particles have no row: what they do is known, and enters the right-hand sides of their
//! neighbours. They are dead ends of the graph too, so the rest falls apart where they stand (\[BA04\] §5). Each
//! connected component gets rows of its own, one after the other; all of this is O(springs) and done anew in every
//! step, because springs go slack and contacts come and go.

use super::ImexSettings;
use crate::energy::Rows;
use crate::linear::{Accuracy, Components, Constrained, Effort, Mpcg, Projection, Symmetric};
use crate::{Filter, Model};
use glam::{DMat3, DVec3};

/// An implicit spring that pulls or pushes now: B of `B (e_a − e_b)(e_a − e_b)ᵀ` in A \[kg\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Coupling {
    pub ends: [u32; 2],
    pub block: DMat3,
}

/// `A δ = b` over the particles that can move.
#[derive(Debug, Clone, Default)]
pub(super) struct System {
    /// The implicit springs; the caller fills it.
    pub couplings: Vec<Coupling>,
    components: Components,
    /// Row of each particle, or [`Rows::NONE`].
    row: Vec<u32>,
    particles: Vec<u32>,
    ends: Vec<u32>,
    matrix: Symmetric<DMat3>,
    slots: Vec<u32>,
    projections: Vec<Projection>,
    right: Vec<DVec3>,
    prescribed: Vec<DVec3>,
    x: Vec<DVec3>,
    mpcg: Mpcg,
}

/// S of a filter.
pub(super) fn projection(filter: &Filter) -> Projection {
    match *filter {
        Filter::Free => Projection::Free,
        Filter::Pinned(_) => Projection::Fixed,
        Filter::Plane { normal, .. } => Projection::Plane(normal.normalize()),
        Filter::Line { direction, .. } => Projection::Line(direction.normalize()),
    }
}

impl System {
    /// Room for the model, so that steps allocate nothing.
    pub fn new(model: &Model) -> Self {
        let (m, s) = (model.particles(), model.springs.len());
        let mut system = System {
            couplings: Vec::with_capacity(s),
            ends: Vec::with_capacity(m),
            particles: Vec::with_capacity(m),
            row: Vec::with_capacity(m),
            projections: Vec::with_capacity(m),
            right: Vec::with_capacity(m),
            prescribed: Vec::with_capacity(m),
            x: Vec::with_capacity(m),
            ..System::default()
        };
        // The largest system there can be: every spring, nothing pinned.
        system.matrix.replace(m, model.springs.iter().map(|s| s.ends), &mut system.slots);
        system.components.find(m, std::iter::empty());
        system
    }

    /// Components of the last system that was put together.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Number the particles that can move, component by component, and put A together.
    pub fn assemble(&mut self, model: &Model, projections: &[Projection], decompose: bool) {
        let fixed = |i: u32| projections[i as usize] == Projection::Fixed;
        let inner = |coupling: &&Coupling| !coupling.ends.iter().any(|&e| fixed(e));
        let m = model.particles();
        if decompose {
            self.components.find(m, self.couplings.iter().filter(inner).map(|coupling| coupling.ends));
        } else {
            // One component: all in the first.
            self.components.of.fill(0);
            self.components.count = 1;
        }
        self.number(m, fixed);
        let row = &self.row;
        let edges =
            self.couplings.iter().filter(inner).map(|coupling| coupling.ends.map(|e| row[e as usize]));
        self.matrix.replace(self.particles.len(), edges, &mut self.slots);
        for (diagonal, &i) in self.matrix.diagonal.iter_mut().zip(&self.particles) {
            *diagonal = DMat3::from_diagonal(DVec3::splat(model.masses[i as usize]));
        }
        let mut slots = self.slots.iter();
        for coupling in &self.couplings {
            let rows = coupling.ends.map(|e| row[e as usize]);
            rows.iter()
                .filter(|&&r| r != Rows::NONE)
                .for_each(|&r| self.matrix.diagonal[r as usize] += coupling.block);
            if !rows.contains(&Rows::NONE) {
                self.matrix.upper[*slots.next().expect("one slot per inner coupling") as usize] -=
                    coupling.block;
            }
        }
    }

    /// Rows by bin sort: components in the order of their first particle, particles in theirs.
    fn number(&mut self, m: usize, fixed: impl Fn(u32) -> bool) {
        let System { components, row, particles, ends, .. } = self;
        ends.clear();
        ends.resize(components.count, 0);
        (0..m as u32).filter(|&i| !fixed(i)).for_each(|i| ends[components.of[i as usize] as usize] += 1);
        let mut start = 0;
        for end in ends.iter_mut() {
            (*end, start) = (start, start + *end);
        }
        row.clear();
        row.resize(m, Rows::NONE);
        particles.clear();
        particles.resize(start as usize, 0);
        for i in (0..m as u32).filter(|&i| !fixed(i)) {
            let next = &mut ends[components.of[i as usize] as usize];
            row[i as usize] = *next;
            particles[*next as usize] = i;
            *next += 1;
        }
        // A fixed particle is alone and has no row: its component is empty.
        ends.dedup();
        if ends.first() == Some(&0) {
            ends.remove(0);
        }
    }

    /// Solve for δ, given by particle: it comes in as the guess (and, where fixed, as the answer). `right` is b by
    /// particle without what fixed neighbours add, `prescribed` z by particle.
    pub fn solve(
        &mut self,
        settings: &ImexSettings,
        projections: &[Projection],
        right: &[DVec3],
        prescribed: &[DVec3],
        delta: &mut [DVec3],
    ) -> Effort {
        let by_row = |from: &[DVec3], to: &mut Vec<DVec3>| {
            to.clear();
            to.extend(self.particles.iter().map(|&i| from[i as usize]));
        };
        by_row(right, &mut self.right);
        by_row(prescribed, &mut self.prescribed);
        by_row(delta, &mut self.x);
        self.projections.clear();
        self.projections.extend(self.particles.iter().map(|&i| projections[i as usize]));
        for coupling in &self.couplings {
            let [a, b] = coupling.ends;
            for (i, other) in [(a, b), (b, a)] {
                let (row, fixed) = (self.row[i as usize], self.row[other as usize] == Rows::NONE);
                if row != Rows::NONE && fixed {
                    self.right[row as usize] += coupling.block * prescribed[other as usize];
                }
            }
        }
        let system = Constrained {
            matrix: &self.matrix,
            right: &self.right,
            projections: &self.projections,
            prescribed: &self.prescribed,
        };
        let accuracy = Accuracy {
            preconditioner: settings.preconditioner,
            tolerance: settings.tolerance,
            limit: (3 * self.particles.len()).clamp(100, 10_000),
        };
        let effort = self.mpcg.solve(system, &self.ends, &mut self.x, accuracy);
        self.particles.iter().zip(&self.x).for_each(|(&i, &x)| delta[i as usize] = x);
        effort
    }

    /// A δ − b by particle \[kg·m/s\], with the rows of fixed particles: the impulses of the constraints where there
    /// are any, what the solver left over elsewhere.
    pub fn residual(&self, model: &Model, right: &[DVec3], delta: &[DVec3], out: &mut [DVec3]) {
        for (((out, &d), &b), &m) in out.iter_mut().zip(delta).zip(right).zip(&model.masses) {
            *out = m * d - b;
        }
        for coupling in &self.couplings {
            let [a, b] = coupling.ends.map(|e| e as usize);
            let force = coupling.block * (delta[a] - delta[b]);
            out[a] += force;
            out[b] -= force;
        }
    }
}
