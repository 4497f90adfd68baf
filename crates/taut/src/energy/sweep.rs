//! Gauss–Seidel passes over springs: each visit gives a spring's ends opposite impulses, `x_a −= w_a Δ`,
//! `x_b += w_b Δ` with w the inverse mass (0 if pinned), so Σ m x stays where it is. Shared by strain limits and
//! position-based dynamics.
//!
//! Springs sorted by colour may be visited a colour at a time by several threads, with the same bits as one by one.

use super::Rows;
use crate::Spring;
use crate::linear::Colouring;
use crate::threads::{WORTH_THREADS, compute, may_fork};
use glam::DVec3;

/// Springs in the order of a pass.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sweep {
    links: Vec<Link>,
    /// Where each colour ends; empty if springs are visited one by one.
    colours: Vec<usize>,
    /// Inverse masses [1/kg], 0 for pinned particles.
    weights: Vec<f64>,
    changes: Vec<DVec3>,
}

/// A spring with a free end, and the sum of its impulses since the last [`Sweep::reset`] \[kg·m\].
#[derive(Debug, Clone, Copy)]
struct Link {
    spring: u32,
    impulse: DVec3,
}

/// A spring as a visit finds it.
pub(crate) struct Visit<'a> {
    /// The spring.
    pub spring: &'a Spring,
    /// Its vector x_a − x_b \[m\].
    pub p: DVec3,
    /// w_a + w_b [1/kg].
    pub weight: f64,
    /// Sum of its impulses so far \[kg·m\].
    pub impulse: DVec3,
    /// Where it points without length, if that is not the direction of its ends.
    pub fallback: Option<DVec3>,
}

impl Sweep {
    /// Over those of all springs that `keep` wants, in their own order or sorted by colour. The same list, perhaps with
    /// other stiffnesses and rest lengths, is given to every pass.
    pub fn new(
        all: &[Spring],
        masses: &[f64],
        rows: &Rows,
        coloured: bool,
        keep: impl Fn(&Spring) -> bool,
    ) -> Self {
        let free = |s: &Spring| s.ends.iter().any(|&e| rows.of[e as usize] != Rows::NONE);
        let wanted = |&i: &u32| free(&all[i as usize]) && keep(&all[i as usize]);
        let mut springs: Vec<u32> = (0..all.len() as u32).filter(wanted).collect();
        let mut colours = Vec::new();
        if coloured {
            let ends = springs.iter().map(|&i| all[i as usize].ends);
            let colouring = Colouring::new(masses.len(), ends);
            springs = colouring.edges.iter().map(|&e| springs[e as usize]).collect();
            if may_fork(all.len() >= WORTH_THREADS) {
                colours = colouring.ends;
            }
        }
        let mut weights = vec![0.0; masses.len()];
        rows.particles.iter().for_each(|&i| weights[i as usize] = 1.0 / masses[i as usize]);
        let changes = vec![DVec3::ZERO; if colours.is_empty() { 0 } else { springs.len() }];
        let links = springs.into_iter().map(|spring| Link { spring, impulse: DVec3::ZERO }).collect();
        Sweep { links, colours, weights, changes }
    }

    /// Inverse masses [1/kg], 0 for pinned particles.
    pub fn inverse_masses(&self) -> &[f64] {
        &self.weights
    }

    /// Forget the impulses.
    pub fn reset(&mut self) {
        self.links.iter_mut().for_each(|link| link.impulse = DVec3::ZERO);
    }

    /// The springs with the sum of their impulses.
    pub fn links<'a>(&'a self, springs: &'a [Spring]) -> impl Iterator<Item = (&'a Spring, DVec3)> {
        self.links.iter().map(|link| (&springs[link.spring as usize], link.impulse))
    }

    /// Visit every spring once; `change` is the impulse Δ that a visit adds. Returns whether any was not zero.
    pub fn pass(
        &mut self,
        springs: &[Spring],
        x: &mut [DVec3],
        backwards: bool,
        change: impl Fn(Visit) -> DVec3 + Sync,
    ) -> bool {
        let Sweep { links, colours, weights, changes } = self;
        let weights: &[f64] = weights;
        let look = |x: &[DVec3], link: &Link| {
            let spring = &springs[link.spring as usize];
            let (a, b) = spring.ab();
            let (p, weight) = (x[a] - x[b], weights[a] + weights[b]);
            change(Visit { spring, p, weight, impulse: link.impulse, fallback: None })
        };
        let mut moved = false;
        let mut pull = |x: &mut [DVec3], link: &mut Link, delta: DVec3| {
            let (a, b) = springs[link.spring as usize].ab();
            x[a] -= weights[a] * delta;
            x[b] += weights[b] * delta;
            link.impulse += delta;
            moved |= delta != DVec3::ZERO;
        };
        if colours.is_empty() {
            let mut visit = |link: &mut Link| {
                let delta = look(x, link);
                pull(x, link, delta);
            };
            match backwards {
                false => links.iter_mut().for_each(&mut visit),
                true => links.iter_mut().rev().for_each(&mut visit),
            }
            return moved;
        }
        let mut from = 0;
        for &to in &*colours {
            let (links, changes, frozen) = (&mut links[from..to], &mut changes[from..to], &*x);
            compute(links, changes, |link| look(frozen, link));
            links.iter_mut().zip(changes).for_each(|(link, delta)| pull(x, link, *delta));
            from = to;
        }
        moved
    }
}
