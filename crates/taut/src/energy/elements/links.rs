//! Links as a term of g: `E = Σ ½ k (‖p‖ − r)²` with p a weighted sum of any number of particles ([`crate::Link`]).
//!
//! All that springs do with x_a − x_b links do with p: the local step `d = r p̂`, the force k (1 − r/‖p‖) wᵢ on particle
//! i along p, the constant matrix k w wᵀ. Without rest length they have no local step. Links over the same particles
//! that follow each other, as those that bend a vertex do, are a *group*: its particles are looked up once.
//!
//! Weights count differences to the first particle: `p = Σ wᵢ (xᵢ − x₁)`. So forces sum to zero to the last bit, and
//! the link w = (1, −1) is a spring: its energy, its matrix and its Hessian have the same bits, its force those of
//! [`Spring::weight`], added up in the order of the list.

use super::super::{
    Entries, Origin, Part, Step, Sum, Term, Visit, jacobian, length, project, spring_change, with_damper,
};
use super::pulls::{Curve, Pull};
use crate::kernel::{Four, Kernel, Real, run};
use crate::{Error, Model, Spring};
use glam::{DMat3, DVec3};
use std::ops::Range;

/// Links in a group, at most.
pub(super) const LARGEST: usize = 4;

/// Links over the same particles.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// In the list of particles.
    particles: Range<u32>,
    /// In the lists of links.
    pub links: Range<u32>,
    /// Where the weights of the first begin; the others follow.
    weights: u32,
}

#[derive(Debug)]
pub(super) struct Links {
    /// β/h (dimensionless).
    ratio: f64,
    /// When rest lengths are those in use \[s\].
    time: f64,
    pub groups: Vec<Group>,
    particles: Vec<u32>,
    weights: Vec<f64>,
    /// The same, particle by particle of each group.
    woven: Vec<f64>,
    /// k and r of each link with its damper. Its ends are the first two particles and mean nothing.
    laws: Vec<Spring>,
    /// p of each at the x of the last gradient.
    pub vectors: Vec<Four>,
    /// By particle: positions, a direction, forces.
    pub x: Vec<Four>,
    pub d: Vec<Four>,
    forces: Vec<Four>,
}

/// A group with its particles, and its links one by one.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub particles: &'a [u32],
    pub weights: &'a [f64],
    pub woven: &'a [f64],
    pub laws: &'a [Spring],
}

impl<'a> Seen<'a> {
    /// Each link with its number in the group and its weights.
    pub fn links(self) -> impl Iterator<Item = (&'a Spring, &'a [f64])> {
        self.laws.iter().zip(self.weights.chunks_exact(self.particles.len()))
    }

    /// Σ wᵢ (vᵢ − v₁).
    #[inline]
    fn vector(self, weights: &[f64], at: impl Fn(u32) -> DVec3) -> DVec3 {
        let first = at(self.particles[0]);
        let terms = self.particles[1..].iter().zip(&weights[1..]).map(|(&i, &w)| w * (at(i) - first));
        // Begun with a product, so that (1, −1) is a difference to the bit.
        terms.reduce(|sum, term| sum + term).unwrap_or_default()
    }

    /// Add a force f wᵢ to every particle, and to the first what makes them sum to zero.
    #[inline]
    fn pull(self, weights: &[f64], force: DVec3, mut add: impl FnMut(u32, DVec3)) {
        let mut rest = DVec3::ZERO;
        for (&i, &w) in self.particles[1..].iter().zip(&weights[1..]) {
            let share = w * force;
            rest -= share;
            add(i, share);
        }
        add(self.particles[0], rest);
    }

    /// Where p points if it has no length: as at the start of the step, else as in the rest pose.
    pub fn fallback(self, weights: &[f64], step: &Step) -> DVec3 {
        let start = self.vector(weights, |i| step.start[i as usize]);
        if start == DVec3::ZERO { self.vector(weights, |i| step.model.rest[i as usize]) } else { start }
    }

    /// Pairs of its particles, by their places.
    fn pairs(self) -> impl Iterator<Item = (usize, usize)> {
        let n = self.particles.len();
        (0..n).flat_map(move |j| (0..j).map(move |i| (i, j)))
    }
}

impl Links {
    /// At the rest lengths of a time \[s\], for β/h = `ratio`.
    pub fn new(model: &Model, ratio: f64, time: f64) -> Self {
        let mut links = Links {
            ratio,
            time,
            groups: Vec::new(),
            particles: Vec::new(),
            weights: Vec::new(),
            woven: Vec::new(),
            laws: Vec::with_capacity(model.links.len()),
            vectors: vec![Four::default(); model.links.len()],
            x: vec![Four::default(); model.particles()],
            d: vec![Four::default(); model.particles()],
            forces: vec![Four::default(); model.particles()],
        };
        for link in &model.links {
            links.push(&link.weights);
            let &[(a, _), (b, _), ..] = &link.weights[..] else { unreachable!("a link has two particles") };
            links.laws.push(Spring::new(a, b, link.rest_length_at(time), link.stiffness));
        }
        for group in &links.groups {
            let (n, own) = (group.particles.len(), group.weights as usize);
            for k in 0..n {
                links.woven.extend((0..group.links.len()).map(|l| links.weights[own + l * n + k]));
            }
        }
        // As stiff as they are with dampers.
        let fill = |law: &mut Spring| {
            (law.stiffness, _) = with_damper((law.stiffness, law.rest_length), ratio, 0.0);
        };
        links.laws.iter_mut().for_each(fill);
        links
    }

    /// Append the particles and weights of a link, to the last group if it has the same particles.
    fn push(&mut self, link: &[(u32, f64)]) {
        let number = self.laws.len() as u32;
        let particles = || link.iter().map(|&(i, _)| i);
        let same = |group: &Group| {
            group.links.len() < LARGEST
                && self.particles[bounds(&group.particles)].iter().copied().eq(particles())
        };
        match self.groups.last().is_some_and(same) {
            true => self.groups.last_mut().expect("it was looked at").links.end += 1,
            false => {
                let from = self.particles.len() as u32;
                self.particles.extend(particles());
                self.groups.push(Group {
                    particles: from..self.particles.len() as u32,
                    links: number..number + 1,
                    weights: self.weights.len() as u32,
                });
            }
        }
        // The first counts for what the others lack.
        let rest: f64 = link[1..].iter().map(|(_, w)| w).sum();
        self.weights.push(-rest);
        self.weights.extend(link[1..].iter().map(|(_, w)| w));
    }

    pub fn seen(&self, group: &Group) -> Seen<'_> {
        let (particles, laws) = (&self.particles[bounds(&group.particles)], &self.laws[bounds(&group.links)]);
        let from = group.weights as usize;
        let own = from..from + particles.len() * laws.len();
        Seen { particles, laws, weights: &self.weights[own.clone()], woven: &self.woven[own] }
    }

    fn groups(&self) -> impl Iterator<Item = Seen<'_>> {
        self.groups.iter().map(|group| self.seen(group))
    }

    /// Every link with the group it is in.
    fn each(&self) -> impl Iterator<Item = (Seen<'_>, &Spring, &[f64])> {
        self.groups().flat_map(|seen| seen.links().map(move |(law, weights)| (seen, law, weights)))
    }
}

pub(super) fn bounds(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// k (p − d) \[N\]: what a link pulls with along p.
#[inline]
pub(super) fn tension(law: &Spring, p: DVec3, fallback: impl FnOnce() -> DVec3) -> DVec3 {
    if law.rest_length == 0.0 {
        return law.stiffness * p;
    }
    match law.weight(length(p)) {
        Some(w) => w * p,
        None => law.stiffness * (p - project(law, p, fallback)),
    }
}

impl Term for Links {
    fn aim(&mut self, model: &Model, origin: &Origin) {
        self.time = origin.time;
        let Links { ratio, groups, particles, weights, laws, .. } = self;
        let closes = |link: &crate::Link| link.closing.is_some();
        if *ratio == 0.0 && !model.links.iter().any(closes) {
            return;
        }
        for group in groups {
            let particles = &particles[bounds(&group.particles)];
            let n = particles.len();
            for (k, i) in bounds(&group.links).enumerate() {
                let seen = Seen { particles, weights: &[], woven: &[], laws: &[] };
                let own = &weights[group.weights as usize + k * n..][..n];
                let link = &model.links[i];
                let before = origin.length(|x| seen.vector(own, |i| x[i as usize])).max(0.0);
                let law = (link.stiffness, link.rest_length_at(origin.time));
                (laws[i].stiffness, laws[i].rest_length) = with_damper(law, *ratio, before);
            }
        }
    }

    fn account(
        &self,
        step: &Step,
        part: Part,
        x: &[DVec3],
        forces: &mut [DVec3],
        energy: &mut dyn FnMut(u32, f64),
    ) {
        if part == Part::Dampers && self.ratio == 0.0 {
            return;
        }
        let share = self.ratio / (1.0 + self.ratio);
        for ((seen, law, weights), link) in self.each().zip(&step.model.links) {
            let (k, r) = (link.stiffness, link.rest_length_at(self.time));
            let law = match part {
                Part::Elastic => Spring { stiffness: k, rest_length: r, ..*law },
                // The l* that r′ was made of.
                Part::Dampers => {
                    let before = r + (law.rest_length - r) / share;
                    Spring { stiffness: self.ratio * k, rest_length: before, ..*law }
                }
            };
            let p = seen.vector(weights, |i| x[i as usize]);
            let force = tension(&law, p, || seen.fallback(weights, step));
            seen.pull(weights, force, |i, share| forces[i as usize] -= share);
            energy(seen.particles[0], law.energy(length(p)));
        }
    }

    fn edges(&self, _: &Model, edges: &mut Vec<[u32; 2]>) {
        for seen in self.groups() {
            edges.extend(seen.pairs().map(|(i, j)| [seen.particles[i], seen.particles[j]]));
        }
    }

    fn stiffest(&self, _: &Model, slopes: &mut [f64]) {
        for (seen, law, weights) in self.each() {
            let own = seen.particles.iter().zip(weights);
            own.for_each(|(&i, w)| slopes[i as usize] += law.stiffness * w * w);
        }
    }

    fn visit(
        &self,
        step: &Step,
        inverse: &[f64],
        impulses: &mut [DVec3],
        x: &mut [DVec3],
        change: &dyn Fn(Visit) -> DVec3,
    ) {
        for ((seen, law, weights), impulse) in self.each().zip(impulses) {
            let shares = seen.particles.iter().zip(weights);
            let weight: f64 = shares.map(|(&i, w)| w * w * inverse[i as usize]).sum();
            if weight == 0.0 || law.stiffness == 0.0 {
                continue;
            }
            let p = seen.vector(weights, |i| x[i as usize]);
            let fallback = Some(seen.fallback(weights, step));
            let delta = change(Visit { spring: law, p, weight, impulse: *impulse, fallback });
            seen.pull(weights, delta, |i, share| x[i as usize] -= inverse[i as usize] * share);
            *impulse += delta;
        }
    }

    fn constant(&self, step: &Step, entries: &mut Entries<f64>) -> Result<(), Error> {
        for seen in self.groups() {
            for (i, j) in seen.pairs() {
                let product = |(law, w): (&Spring, &[f64])| law.stiffness * (-w[i] * w[j]);
                let sum: f64 = seen.links().map(product).sum();
                entries.difference([seen.particles[i], seen.particles[j]], step.h2 * sum);
            }
        }
        Ok(())
    }

    fn is_quadratic(&self, model: &Model) -> bool {
        self.ratio == 0.0 && model.links.iter().all(|link| link.rest_length == 0.0)
    }

    fn value(&self, step: &Step, x: &[DVec3], sum: &mut Sum) {
        for (seen, law, weights) in self.each() {
            sum.add(step.h2 * law.energy(length(seen.vector(weights, |i| x[i as usize]))));
        }
    }

    fn change(&self, step: &Step, from: &[DVec3], to: &[DVec3], sum: &mut Sum) {
        for (seen, law, weights) in self.each() {
            let (p, q) =
                (seen.vector(weights, |i| from[i as usize]), seen.vector(weights, |i| to[i as usize]));
            // Σ w (to − from) keeps digits that the difference of two sums has lost.
            let moved = seen.vector(weights, |i| to[i as usize] - from[i as usize]);
            sum.add(match law.rest_length == 0.0 {
                true => 0.5 * step.h2 * law.stiffness * moved.dot(q + p),
                false => spring_change(law, step.h2, p, q),
            });
        }
    }

    fn gradient(&mut self, step: &Step, x: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        self.x.iter_mut().zip(x).for_each(|(own, &x)| *own = f64::lanes(x));
        let (mut vectors, mut forces) = (std::mem::take(&mut self.vectors), std::mem::take(&mut self.forces));
        forces.fill(Four::default());
        let pull = Pull { links: self, step, vectors: &mut vectors, forces: &mut forces };
        let energy = run(Kernel::detected(), pull);
        for (gradient, &i) in gradient.iter_mut().zip(&step.rows.particles) {
            *gradient += step.h2 * f64::point(&forces[i as usize]);
        }
        (self.vectors, self.forces) = (vectors, forces);
        step.h2 * energy
    }

    fn curvature(&mut self, step: &Step, d: &[DVec3]) -> f64 {
        for (own, &row) in self.d.iter_mut().zip(&step.rows.of) {
            *own = f64::lanes(d.get(row as usize).copied().unwrap_or_default());
        }
        step.h2 * run(Kernel::detected(), Curve { links: self })
    }

    fn hessian(&self, step: &Step, x: &[DVec3], entries: &mut Entries<DMat3>) {
        for seen in self.groups() {
            let mut blocks = [DMat3::ZERO; LARGEST];
            for ((law, weights), block) in seen.links().zip(&mut blocks) {
                let p = seen.vector(weights, |i| x[i as usize]);
                *block = step.h2 * jacobian(law, p, step.stiffest, || seen.fallback(weights, step));
            }
            for (i, j) in seen.pairs() {
                let each = seen.links().zip(&blocks);
                let sum = each.map(|((_, w), block)| (-w[i] * w[j]) * *block).fold(DMat3::ZERO, |a, b| a + b);
                entries.difference([seen.particles[i], seen.particles[j]], sum);
            }
        }
    }
}
