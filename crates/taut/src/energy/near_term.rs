//! The constraints of a step as a part of g: see `near`.
//!
//! Gradient and line search pass over all constraints again and again. They do so four at a time (`kernel::Ties`), over
//! what they read and nothing else: normals, weights, and of each constraint λ, k and the n·Σ w Δ at which s = 0.

use super::Rows;
use super::near::{Near, Sweeps};
use crate::kernel::{Four, Kernel, Simd, Ties, Wide, Work, run};
use glam::DVec3;

/// The constraints of a step as a part of g.
#[derive(Debug)]
pub(crate) struct NearTerm {
    pub list: Vec<Near>,
    ties: Ties,
    numbers: Vec<Numbers>,
    /// Of all particles, pinned ones too: how far each has moved since the start, or would in a search \[m\].
    moves: Vec<Four>,
    /// What is added to the gradient \[kg·m\].
    pushes: Vec<Four>,
    /// Room for sweeps.
    displacements: Vec<DVec3>,
    sweeps: Sweeps,
    kernel: Kernel,
}

/// Of four constraints, one per lane.
#[derive(Debug, Clone, Copy, Default)]
struct Numbers {
    /// n·Σ w Δ at s = 0 \[m\].
    need: Four,
    /// λ \[kg·m\], k \[kg\].
    pressed: Four,
    stiffness: Four,
    /// s at the last gradient \[m\], and its rate along the direction of a search.
    gap: Four,
    rate: Four,
}

impl Default for NearTerm {
    fn default() -> Self {
        NearTerm {
            list: Vec::new(),
            ties: Ties::default(),
            numbers: Vec::new(),
            moves: Vec::new(),
            pushes: Vec::new(),
            displacements: Vec::new(),
            sweeps: Sweeps::default(),
            kernel: Kernel::detected(),
        }
    }
}

impl NearTerm {
    /// Take constraints for the step, with the multipliers that are expected or keep ŷ apart. `inverse` are inverse masses \[1/kg\],
    /// 0 where pinned.
    pub fn begin(&mut self, near: &mut Vec<Near>, inverse: &[f64], start: &[DVec3], target: &[DVec3]) {
        std::mem::swap(&mut self.list, near);
        let NearTerm { list, displacements, sweeps, .. } = self;
        displacements.clear();
        displacements.extend(target.iter().zip(start).map(|(y, x)| *y - *x));
        sweeps.expect(list, inverse, displacements);
        self.gather(start.len());
    }

    /// Put what the passes read into fours.
    fn gather(&mut self, particles: usize) {
        let NearTerm { list, ties, numbers, moves, pushes, .. } = self;
        ties.clear(particles);
        numbers.clear();
        for (i, near) in list.iter().enumerate() {
            ties.push(near.particles, near.weights, near.normal.to_array());
            if i % 4 == 0 {
                // Lanes that are left over never press.
                let [never, one] = [-1.0, 1.0].map(|number| Wide([number; 4]));
                numbers.push(Numbers { need: never, stiffness: one, ..Numbers::default() });
            }
            let (four, lane) = (&mut numbers[i / 4], i % 4);
            four.need.0[lane] = near.need + near.normal.dot(near.ground);
            four.pressed.0[lane] = near.multiplier();
            four.stiffness.0[lane] = near.stiffness();
        }
        moves.resize(particles, Four::default());
        pushes.resize(particles, Four::default());
    }

    /// Give them back at the answer x: what each presses with inside g is known, and sweeps after the step begin anew.
    pub fn end(&mut self, near: &mut Vec<Near>, start: &[DVec3], x: &[DVec3]) {
        for near in &mut self.list {
            near.within = near.force(near.gap(start, x));
            near.pressed = 0.0;
        }
        std::mem::swap(&mut self.list, near);
        self.list.clear();
    }

    /// Add the gradient at x. Returns the value \[kg·m²\].
    pub fn gradient(&mut self, rows: &Rows, start: &[DVec3], x: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        if self.list.is_empty() {
            return 0.0;
        }
        let moves = self.moves.iter_mut().zip(x.iter().zip(start));
        moves.for_each(|(four, (x, start))| *four = four_of(*x - *start));
        self.pushes.fill(Four::default());
        let value = run(self.kernel, Gradient(self));
        for (g, &i) in gradient.iter_mut().zip(&rows.particles) {
            let [x, y, z, _] = self.pushes[i as usize].0;
            *g -= DVec3::new(x, y, z);
        }
        value
    }

    /// The value \[kg·m²\] at `to` less that at `from`, each square as a difference.
    pub fn change(&self, start: &[DVec3], from: &[DVec3], to: &[DVec3]) -> f64 {
        let change = |near: &Near| {
            let (a, b) = (near.force(near.gap(start, from)), near.force(near.gap(start, to)));
            0.5 * (b - a) * (b + a) / near.stiffness()
        };
        self.list.iter().map(change).sum()
    }

    /// The t at which g along x + t d is lowest, if the rest of g is a parabola with `slope` (contacts included) and
    /// `curvature` (without them) at t = 0: Newton's method on a slope that is piecewise linear in t.
    pub fn search(&mut self, rows: &Rows, slope: f64, curvature: f64, d: &[DVec3]) -> f64 {
        for (&row, four) in rows.of.iter().zip(&mut self.moves) {
            *four = d.get(row as usize).map_or(Four::default(), |d| four_of(*d));
        }
        run(self.kernel, Search { term: self, slope, curvature })
    }
}

fn four_of(v: DVec3) -> Four {
    Wide([v.x, v.y, v.z, 0.0])
}

/// max(0, λ − k s).
#[inline(always)]
fn force<V: Simd<f64>>(pressed: V::Vector, stiffness: V::Vector, gap: V::Vector) -> V::Vector {
    let force = V::subtract(pressed, V::multiply(stiffness, gap));
    V::where_positive(force, force)
}

/// The sum over the lanes.
#[inline(always)]
fn total<V: Simd<f64>>(v: V::Vector) -> f64 {
    let [a, b, c, d] = V::store(v).0;
    (a + b) + (c + d)
}

struct Gradient<'a>(&'a mut NearTerm);

impl Work<f64> for Gradient<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let NearTerm { ties, numbers, moves, pushes, .. } = self.0;
        let mut value = V::splat(0.0);
        for (k, four) in numbers.iter_mut().enumerate() {
            let gap = V::subtract(ties.along::<V>(k, moves), V::load(&four.need));
            let (pressed, stiffness) = (V::load(&four.pressed), V::load(&four.stiffness));
            let force = force::<V>(pressed, stiffness, gap);
            let squares = V::subtract(V::multiply(force, force), V::multiply(pressed, pressed));
            value = V::add(value, V::divide(squares, stiffness));
            four.gap = V::store(gap);
            if V::positive(force) != 0 {
                ties.spread::<V>(k, force, pushes);
            }
        }
        0.5 * total::<V>(value)
    }
}

struct Search<'a> {
    term: &'a mut NearTerm,
    slope: f64,
    curvature: f64,
}

impl Work<f64> for Search<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let Search { term: NearTerm { ties, numbers, moves, .. }, slope, curvature } = self;
        let mut pressing = V::splat(0.0);
        for (k, four) in numbers.iter_mut().enumerate() {
            let rate = ties.along::<V>(k, moves);
            let (pressed, stiffness) = (V::load(&four.pressed), V::load(&four.stiffness));
            let force = force::<V>(pressed, stiffness, V::load(&four.gap));
            pressing = V::multiply_add(force, rate, pressing);
            four.rate = V::store(rate);
        }
        let elastic = slope + total::<V>(pressing);
        let mut t = 0.0;
        for _ in 0..NEWTON_STEPS {
            let (at, mut slope, mut bend) = (V::splat(t), V::splat(0.0), V::splat(0.0));
            for four in &*numbers {
                let (gap, rate) = (V::load(&four.gap), V::load(&four.rate));
                let (pressed, stiffness) = (V::load(&four.pressed), V::load(&four.stiffness));
                let force = force::<V>(pressed, stiffness, V::multiply_add(at, rate, gap));
                slope = V::multiply_add(force, rate, slope);
                let curved = V::multiply(V::multiply(stiffness, rate), rate);
                bend = V::add(bend, V::where_positive(force, curved));
            }
            let slope = elastic + t * curvature - total::<V>(slope);
            let bend = curvature + total::<V>(bend);
            let next = if bend > 0.0 { (t - slope / bend).max(0.0) } else { return t };
            if (next - t).abs() <= ALIKE * next {
                return t;
            }
            t = next;
        }
        t
    }
}

/// Two t that differ by no more than this part of themselves are one.
const ALIKE: f64 = 1e-9;
/// Steps on the slope: it has few kinks near its zero.
const NEWTON_STEPS: usize = 8;
