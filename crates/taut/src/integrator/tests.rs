//! A term besides springs: g, its derivatives and its minimisers take it without knowing it.

use super::local_global::LocalGlobal;
use super::newton::{Newton, NewtonSettings};
use super::{Minimiser, Stop};
use crate::energy::{Entries, Objective, Rows, Step, Sum, Term};
use crate::linear::{Block, Symmetric};
use crate::random::Random;
use crate::{Error, Model, Spring, SpringKind, State};
use glam::{DMat3, DVec3};

/// `E = Σ ½ k |x_a + x_b − 2x_c|²` over triples (a, b, c): quadratic, with three particles to an element.
#[derive(Debug)]
struct Straight {
    k: f64,
    triples: Vec<[u32; 3]>,
    weights: [f64; 3],
}

impl Straight {
    fn new(k: f64, triples: Vec<[u32; 3]>) -> Box<Self> {
        Box::new(Straight { k, triples, weights: [1.0, 1.0, -2.0] })
    }

    /// Σ w_i x_i of a triple.
    fn bow(&self, triple: &[u32; 3], at: impl Fn(u32) -> DVec3) -> DVec3 {
        triple.iter().zip(self.weights).map(|(&i, w)| w * at(i)).sum()
    }

    /// −w_i w_j of every pair of an element.
    fn entries<B: Block>(&self, entries: &mut Entries<B>, block: impl Fn(f64) -> B) {
        let w = self.weights;
        for t in &self.triples {
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                entries.difference([t[i], t[j]], block(-w[i] * w[j]));
            }
        }
    }
}

impl Term for Straight {
    fn edges(&self, _: &Model, edges: &mut Vec<[u32; 2]>) {
        self.triples.iter().for_each(|&[a, b, c]| edges.extend([[a, b], [b, c], [c, a]]));
    }
    fn stiffest(&self, _: &Model, slopes: &mut [f64]) {
        for triple in &self.triples {
            triple.iter().zip(self.weights).for_each(|(&i, w)| slopes[i as usize] += self.k * w * w);
        }
    }
    fn constant(&self, step: &Step, entries: &mut Entries<f64>) -> Result<(), Error> {
        self.entries(entries, |ww| step.h2 * self.k * ww);
        Ok(())
    }
    fn is_quadratic(&self, _: &Model) -> bool {
        true
    }
    fn value(&self, step: &Step, x: &[DVec3], sum: &mut Sum) {
        for t in &self.triples {
            sum.add(0.5 * step.h2 * self.k * self.bow(t, |i| x[i as usize]).length_squared());
        }
    }
    fn change(&self, step: &Step, from: &[DVec3], to: &[DVec3], sum: &mut Sum) {
        for t in &self.triples {
            let difference = self.bow(t, |i| to[i as usize] - from[i as usize]);
            let both = self.bow(t, |i| to[i as usize] + from[i as usize]);
            sum.add(0.5 * step.h2 * self.k * difference.dot(both));
        }
    }
    fn gradient(&mut self, step: &Step, x: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        let mut value = 0.0;
        for t in &self.triples {
            let bow = self.bow(t, |i| x[i as usize]);
            for (&i, w) in t.iter().zip(self.weights) {
                if let Some(g) = gradient.get_mut(step.rows.of[i as usize] as usize) {
                    *g += step.h2 * self.k * w * bow;
                }
            }
            value += 0.5 * step.h2 * self.k * bow.length_squared();
        }
        value
    }
    fn curvature(&mut self, step: &Step, d: &[DVec3]) -> f64 {
        let at = |i: u32| d.get(step.rows.of[i as usize] as usize).copied().unwrap_or(DVec3::ZERO);
        self.triples.iter().map(|t| step.h2 * self.k * self.bow(t, at).length_squared()).sum()
    }
    fn hessian(&self, step: &Step, _: &[DVec3], entries: &mut Entries<DMat3>) {
        self.entries(entries, |ww| DMat3::from_diagonal(DVec3::splat(step.h2 * self.k * ww)));
    }
}

/// A net of 6 × 6 particles, crumpled, with two pins and triples along its rows, some with a pinned particle: the model,
/// g with and without the triples, and where the particles are.
fn sample() -> (Model, [Objective; 2], Vec<DVec3>) {
    let rest: Vec<DVec3> =
        (0..36).map(|i| DVec3::new(0.1 * (i % 6) as f64, 0.0, 0.1 * (i / 6) as f64)).collect();
    let mut springs = Vec::new();
    for i in 0..36u32 {
        for (j, inside) in [(i + 1, i % 6 < 5), (i + 6, i < 30), (i + 7, i % 6 < 5 && i < 30)] {
            if inside {
                springs.push(Spring::new(i, j, (rest[i as usize] - rest[j as usize]).length(), 100.0));
            }
        }
    }
    springs.iter_mut().step_by(4).for_each(|s| s.kind = SpringKind::ExtensionOnly);
    let model = Model { masses: vec![0.01; 36], rest, springs, ..Model::default() };
    let mut state = State::at_rest(&model);
    state.pin(0);
    state.pin(5);
    let triples = (0..36).filter(|i| i % 6 < 4).map(|i| [i, i + 2, i + 1]).collect();
    let mut random = Random(5);
    let mut near = |x: &DVec3, size: f64| *x + size * random.vector();
    let x: Vec<DVec3> = model.rest.iter().map(|x| near(x, 0.05)).collect();
    let target: Vec<DVec3> = model.rest.iter().map(|x| near(x, 0.02) - DVec3::Y * 0.03).collect();
    let g = [vec![Straight::new(40.0, triples) as Box<dyn Term>], Vec::new()].map(|terms| {
        let mut g = Objective::with_terms(&model, Rows::new(&state), 1.0 / 30.0, 0.0, terms);
        g.start.copy_from_slice(&model.rest);
        g.target.copy_from_slice(&target);
        g
    });
    (model, g, x)
}

fn slope(g: &mut Objective, model: &Model, x: &[DVec3]) -> Vec<DVec3> {
    let mut gradient = vec![DVec3::ZERO; g.rows.len()];
    g.gradient(model, x, &mut gradient);
    gradient
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

#[test]
fn derivatives_of_springs_and_another_term_agree_with_differences() {
    let (model, [mut g, _], x) = sample();
    let mut gradient = vec![DVec3::ZERO; g.rows.len()];
    let value = g.gradient(&model, &x, &mut gradient);
    assert!((value / g.value(&model, &x) - 1.0).abs() < 1e-13);
    let (pattern, slots) = g.pattern(&model);
    let mut hessian = Symmetric::zeros(pattern);
    g.hessian(&model, &x, &slots, &mut hessian);
    let mut random = Random(6);
    for _ in 0..20 {
        let d: Vec<DVec3> = gradient.iter().map(|_| random.vector()).collect();
        let mut product = d.clone();
        hessian.multiply(&d, &mut product);
        let delta = 1e-6;
        let [mut ahead, mut behind] = [x.clone(), x.clone()];
        g.rows.add(&mut ahead, delta, &d);
        g.rows.add(&mut behind, -delta, &d);
        // Changes keep their digits: their error is that of the central difference, δ²/l².
        let change = g.change(&model, &behind, &ahead) / (2.0 * delta);
        let size = dot(&gradient, &gradient).sqrt();
        assert!((change - dot(&gradient, &d)).abs() < 1e-8 * size, "{change}");
        let direct = g.value(&model, &ahead) - g.value(&model, &behind);
        assert!((direct / (2.0 * delta) - change).abs() < 1e-6 * size, "{direct}");
        let (plus, minus) = (slope(&mut g, &model, &ahead), slope(&mut g, &model, &behind));
        let size = product.iter().map(|p| p.length()).fold(0.0, f64::max);
        for ((p, m), h) in plus.iter().zip(&minus).zip(&product) {
            assert!(((*p - *m) / (2.0 * delta) - *h).length() < 1e-7 * size);
        }
        slope(&mut g, &model, &x);
        let (curvature, exact) = (g.curvature(&model, &d), dot(&d, &product));
        assert!((curvature - exact).abs() < 1e-12 * size, "{curvature} {exact}");
    }
}

#[test]
fn minimisers_find_the_minimum_of_the_sum() {
    let (model, [mut g, mut alone], start) = sample();
    let mut minimum = |minimiser: &mut dyn Minimiser| {
        let mut x = start.clone();
        minimiser.prepare(&model, &g).unwrap();
        minimiser.minimise(&model, &mut g, &mut x);
        let gradient = slope(&mut g, &model, &x);
        let residual = g.residual(&model, &gradient);
        assert!(residual < 100.0 * g.rounding(&x), "{residual:e}");
        x
    };
    let exact = minimum(&mut Newton::new(NewtonSettings::default()));
    let other = minimum(&mut LocalGlobal::new(Stop::iterations(3000)));
    let apart = exact.iter().zip(&other).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    assert!(apart < 1e-11 * g.length, "{apart:e}");
    // The term is felt: without it the minimum is elsewhere.
    let without = slope(&mut alone, &model, &exact);
    assert!(alone.residual(&model, &without) > 1e-3);
}
