//! The passes over membranes and blocks that a minimiser repeats, four elements at a time: gradient and curvature.
//!
//! A four goes the long way, one element after another by its `law`, where something in it needs that: limits, a damper of
//! volume, threads without length, a flat or inverted block that shall keep its volume, a shape without a unique rotation.

use super::cells::Cell;
use super::lanes::{dot, less, load, plus, scaled, store, times, turns};
use super::law::Aim;
use super::volume::Volume;
use crate::kernel::{Corners, Four, Simd, Wide, Work};
use crate::linear::nearest::{Matrices, Points, cross, membranes, rotations};
use glam::{DMat3, DVec3};

/// Where the numbers of four elements are in a list: gᵢ of all corners but the first, w′, and v of blocks, k′ of warp and
/// weft of membranes.
const fn shape<const N: usize>() -> usize {
    (N - 1) * (N - 1)
}

/// How many there are.
const fn stride<const N: usize>() -> usize {
    shape::<N>() + if N == 3 { 3 } else { 2 }
}

/// The numbers of elements, four at a time, one per lane; lanes that are left over weigh nothing.
pub(super) fn numbers<const N: usize>(cells: &[Cell<N>], ratio: f64) -> Vec<Four> {
    let mut all = vec![Four::default(); stride::<N>() * cells.len().div_ceil(4)];
    for (cells, own) in cells.chunks(4).zip(all.chunks_mut(stride::<N>())) {
        for lane in 0..4 {
            // An empty lane has the shape of the first.
            let (cell, weight) = cells.get(lane).map_or((&cells[0], 0.0), |cell| (cell, 1.0));
            let gradients = cell.gradients[1..].iter().flat_map(|g| g.to_array().into_iter().take(N - 1));
            own.iter_mut().zip(gradients).for_each(|(four, g)| four.0[lane] = g);
            let stiff = weight * (1.0 + ratio);
            let [warp, weft] = cell.law.threads.map(|(_, k)| stiff * k);
            let others = if N == 3 { [warp, weft] } else { [weight * cell.law.volume, 0.0] };
            let weights = std::iter::once(stiff * cell.law.shape).chain(others);
            own[shape::<N>()..].iter_mut().zip(weights).for_each(|(four, k)| four.0[lane] = k);
        }
    }
    all
}

/// What dampers want of four elements: T and r′, the size d of which volumes have the cube, and how much that weighs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    shape: [[Four; 3]; 3],
    threads: [Four; 2],
    size: Four,
    damper: Four,
}

/// What the last gradient found of four elements: R, and where volume counts the rotation nearest to F itself if that is
/// another, and the numbers of the nearest matrices of the volume at rest and of the damper's. What is not needed is not
/// touched.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// Whether the curvature must go the long way.
    long: bool,
    rotation: [[Four; 3]; 3],
    kept: [[Four; 2]; 2],
    own: [[Four; 3]; 3],
}

impl Wanted {
    pub fn of<const N: usize>(aims: &[Aim], cells: &[Cell<N>]) -> Self {
        let mut wanted = Wanted { size: Wide([1.0; 4]), ..Wanted::default() };
        for lane in 0..4 {
            let aim = aims.get(lane).unwrap_or(&aims[0]);
            if let Some(cell) = cells.get(lane).filter(|_| aim.size > 0.0) {
                wanted.size.0[lane] = aim.size;
                wanted.damper.0[lane] = cell.law.volume * aim.ratio;
            }
            for c in 0..3 {
                (0..3).for_each(|l| wanted.shape[c][l].0[lane] = aim.shape.col(c)[l]);
            }
            (0..2).for_each(|n| wanted.threads[n].0[lane] = aim.threads[n]);
        }
        wanted
    }
}

/// F = Σ (xᵢ − x₁) gᵢᵀ.
#[inline(always)]
fn map<V: Simd<f64>, const N: usize>(points: &[Points<V>; N], gradients: &[Four]) -> Matrices<V> {
    let mut f = [[V::splat(0.0); 3]; 3];
    for i in 1..N {
        let edge = less::<V>(points[i], points[0]);
        for c in 0..N - 1 {
            f[c] = plus::<V>(V::load(&gradients[(i - 1) * (N - 1) + c]), edge, f[c]);
        }
    }
    f
}

/// P gᵢ.
#[inline(always)]
fn pull<V: Simd<f64>, const N: usize>(stress: &Matrices<V>, gradients: &[Four], i: usize) -> Points<V> {
    let own = &gradients[(i - 1) * (N - 1)..][..N - 1];
    let mut sum = scaled::<V>(V::load(&own[0]), stress[0]);
    for c in 1..N - 1 {
        sum = plus::<V>(V::load(&own[c]), stress[c], sum);
    }
    sum
}

/// A weight and a size.
type Part<V> = (<V as Simd<f64>>::Vector, <V as Simd<f64>>::Vector);

/// What does not change in a pass.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a, const N: usize> {
    pub corners: &'a Corners<N>,
    pub cells: &'a [Cell<N>],
    pub numbers: &'a [Four],
    /// None where nothing is damped.
    pub wanted: &'a [Wanted],
    pub aims: &'a [Aim],
    /// Fours that always go the long way.
    pub long: &'a [bool],
    /// By particle.
    pub x: &'a [Four],
    pub start: &'a [DVec3],
}

/// The gradient: forces by particle are added up. Gives the energy.
pub(super) struct Pull<'a, const N: usize> {
    pub pass: Pass<'a, N>,
    pub found: &'a mut [Found],
    pub forces: &'a mut [Four],
}

/// The curvature along directions by particle.
pub(super) struct Curve<'a, const N: usize> {
    pub pass: Pass<'a, N>,
    pub found: &'a [Found],
    pub d: &'a [Four],
}

impl<const N: usize> Pass<'_, N> {
    /// The numbers of a four.
    #[inline(always)]
    fn own(&self, k: usize) -> &[Four] {
        &self.numbers[k * stride::<N>()..][..stride::<N>()]
    }

    /// Where a lane was at the start of the step.
    fn near(&self, k: usize, lane: usize) -> DMat3 {
        self.cells.get(4 * k + lane).map_or(DMat3::IDENTITY, |cell| cell.at(self.start))
    }

    fn aim(&self, k: usize, lane: usize) -> &Aim {
        self.aims.get(4 * k + lane).unwrap_or(&self.aims[0])
    }

    /// The cells of a four with their dampers, and with F from lanes.
    fn alone<'s>(
        &'s self,
        k: usize,
        f: &'s [[Four; 3]; 3],
    ) -> impl Iterator<Item = (usize, &'s Cell<N>, &'s Aim, DMat3)> + 's {
        let cells = self.cells[4 * k..].iter().take(4).zip(&self.aims[4 * k..]).enumerate();
        cells.map(move |(lane, (cell, aim))| (lane, cell, aim, lane_of(f, lane)))
    }

    /// Energy and stress of a four, one after another.
    #[cold]
    #[inline(never)]
    fn answer_alone(&self, k: usize, f: &[[Four; 3]; 3]) -> (f64, [[Four; 3]; 3]) {
        let (mut energy, mut stress) = (0.0, [[Four::default(); 3]; 3]);
        for (lane, cell, aim, f) in self.alone(k, f) {
            let (own, of_lane) = cell.law.answer(aim, f, self.near(k, lane));
            energy += own;
            for (c, column) in stress.iter_mut().enumerate() {
                column.iter_mut().zip(of_lane.col(c).to_array()).for_each(|(four, own)| four.0[lane] = own);
            }
        }
        (energy, stress)
    }

    /// The curvature of a four, one after another.
    #[cold]
    #[inline(never)]
    fn curved_alone(&self, k: usize, f: &[[Four; 3]; 3], df: &[[Four; 3]; 3]) -> f64 {
        let one = |(lane, cell, aim, f): (usize, &Cell<N>, &Aim, DMat3)| {
            let df = lane_of(df, lane);
            let change = cell.law.tangent(aim, f, self.near(k, lane), false)(df);
            (0..3).map(|c| change.col(c).dot(df.col(c))).sum::<f64>()
        };
        self.alone(k, f).map(one).sum()
    }

    /// Twice the energy of a four, its stress, and whether all of it is certain.
    #[inline(always)]
    fn answer<V: Simd<f64>>(
        &self,
        k: usize,
        f: &Matrices<V>,
        found: &mut Found,
    ) -> (V::Vector, Matrices<V>, bool) {
        let own = self.own(k);
        let (mut target, mut sure) = (*f, true);
        if let Some(wanted) = self.wanted.get(k) {
            target = times::<V>(f, &load::<V>(&wanted.shape));
        }
        let near = |lane: usize| self.near(k, lane) * self.aim(k, lane).shape;
        let rotation = if N == 3 { membranes::<V>(target, near) } else { rotations::<V>(target, near) };
        let turned = store::<V>(&rotation);
        found.rotation[..N - 1].copy_from_slice(&turned[..N - 1]);
        target = rotation;
        if let Some(wanted) = self.wanted.get(k) {
            target = times::<V>(&rotation, &load::<V>(&wanted.shape));
        }
        let weight = V::load(&own[shape::<N>()]);
        let mut stress = [[V::splat(0.0); 3]; 3];
        let mut away = stress;
        for c in 0..N - 1 {
            away[c] = less::<V>(f[c], target[c]);
            stress[c] = scaled::<V>(weight, away[c]);
        }
        let mut twice = dot::<V>(&stress, &away);
        if N == 4 {
            let volume = V::load(&own[shape::<N>() + 1]);
            if V::positive(volume) != 0 {
                let mut rotation = rotation;
                if self.wanted.get(k).is_some() {
                    // With dampers R is that of F T.
                    rotation = rotations::<V>(*f, |lane| self.near(k, lane));
                    found.own = store::<V>(&rotation);
                }
                // The nearest of determinant d³ to F is d times the nearest of determinant 1 to F/d.
                let (parts, count) = self.parts::<V>(k, volume);
                for (n, &(weight, size)) in parts[..count].iter().enumerate() {
                    let (swollen, settled) = Volume::<V>::of(f, &rotation, size);
                    let (away, squared, nearest) = swollen.away();
                    found.kept[n] = [V::store(swollen.numbers[0]), V::store(swollen.numbers[1])];
                    sure &= (settled & nearest) == 0b1111;
                    let weight = V::multiply(weight, size);
                    twice = V::multiply_add(V::multiply(weight, size), squared, twice);
                    for c in 0..3 {
                        stress[c] = plus::<V>(weight, away[c], stress[c]);
                    }
                }
            }
        }
        if N == 3 {
            for n in 0..2 {
                let stiffness = V::load(&own[shape::<N>() + 1 + n]);
                let squared = V::dot(f[n], f[n]);
                sure &= V::positive(stiffness) == 0 || V::all_normal(squared);
                let l = V::sqrt(squared);
                let stretch = V::subtract(l, self.lengths::<V>(k, n));
                let tension = V::multiply(stiffness, stretch);
                twice = V::multiply_add(tension, stretch, twice);
                let along = V::divide(tension, V::max(l, V::splat(f64::MIN_POSITIVE)));
                stress[n] = plus::<V>(along, f[n], stress[n]);
            }
        }
        (twice, stress, sure)
    }

    /// Weight and size of the volume at rest, and of its damper's if there is one: how many.
    #[inline(always)]
    fn parts<V: Simd<f64>>(&self, k: usize, volume: V::Vector) -> ([Part<V>; 2], usize) {
        let own = (volume, V::splat(1.0));
        match self.wanted.get(k) {
            Some(wanted) => ([own, (V::load(&wanted.damper), V::load(&wanted.size))], 2),
            None => ([own; 2], 1),
        }
    }

    /// r′ of warp or weft.
    #[inline(always)]
    fn lengths<V: Simd<f64>>(&self, k: usize, n: usize) -> V::Vector {
        match self.wanted.get(k) {
            Some(wanted) => V::load(&wanted.threads[n]),
            None => V::splat(1.0),
        }
    }

    /// The curvature of a four along dF, and whether all of it is certain.
    #[inline(always)]
    fn curved<V: Simd<f64>>(
        &self,
        k: usize,
        f: &Matrices<V>,
        df: &Matrices<V>,
        found: &Found,
    ) -> (V::Vector, bool) {
        let own = self.own(k);
        let (mut rotation, weight) = (load::<V>(&found.rotation), V::load(&own[shape::<N>()]));
        if N == 3 {
            rotation[2] = cross::<V>(rotation[0], rotation[1]);
        }
        let mut sum = V::multiply(weight, dot::<V>(df, df));
        let (mut shape_of, mut change) = (*f, *df);
        if let Some(wanted) = self.wanted.get(k) {
            let turn = load::<V>(&wanted.shape);
            (shape_of, change) = (times::<V>(f, &turn), times::<V>(df, &turn));
        }
        let (turning, mut sure) = turns::<V>(&rotation, &shape_of, &change);
        sum = V::subtract(sum, V::multiply(weight, turning));
        if N == 4 {
            let volume = V::load(&own[shape::<N>() + 1]);
            if V::positive(volume) != 0 {
                let (mut rotation, mut turning) = (rotation, turning);
                if self.wanted.get(k).is_some() {
                    rotation = load::<V>(&found.own);
                    let (own, certain) = turns::<V>(&rotation, f, df);
                    turning = own;
                    sure &= certain;
                }
                let (parts, count) = self.parts::<V>(k, volume);
                for (n, &(weight, size)) in parts[..count].iter().enumerate() {
                    let numbers = [V::load(&found.kept[n][0]), V::load(&found.kept[n][1])];
                    let swollen = Volume::<V>::with(f, &rotation, size, numbers);
                    sum = V::multiply_add(weight, swollen.curved(df, size, turning), sum);
                }
            }
        }
        if N == 3 {
            for n in 0..2 {
                let stiffness = V::load(&own[shape::<N>() + 1 + n]);
                let squared = V::max(V::dot(f[n], f[n]), V::splat(f64::MIN_POSITIVE));
                let inverse = V::divide(V::splat(1.0), V::sqrt(squared));
                let pushed = V::multiply(stiffness, V::multiply(self.lengths::<V>(k, n), inverse));
                let along = V::multiply(V::dot(f[n], df[n]), inverse);
                let across = V::multiply(V::subtract(stiffness, pushed), V::dot(df[n], df[n]));
                sum = V::add(sum, V::multiply_add(V::multiply(pushed, along), along, across));
            }
        }
        (sum, sure)
    }
}

/// Of four matrices in memory, one.
fn lane_of(m: &[[Four; 3]; 3], lane: usize) -> DMat3 {
    let [a, b, c] = m.map(|column| DVec3::from_array(column.map(|v| v.0[lane])));
    DMat3::from_cols(a, b, c)
}

impl<const N: usize> Work<f64> for Pull<'_, N> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let Pull { pass, found, forces } = self;
        let (mut sum, mut alone) = (V::splat(0.0), 0.0);
        for (k, found) in found.iter_mut().enumerate() {
            let gradients = pass.own(k);
            let f = map::<V, N>(&pass.corners.at::<V>(k, pass.x), gradients);
            let mut stress = f;
            found.long = pass.long[k];
            if !found.long {
                let (twice, of_four, sure) = pass.answer::<V>(k, &f, found);
                stress = of_four;
                found.long = !sure;
                if sure {
                    sum = V::add(sum, twice);
                }
            }
            if found.long {
                let (energy, of_four) = pass.answer_alone(k, &store::<V>(&f));
                alone += energy;
                stress = load::<V>(&of_four);
            }
            let mut pulls = [[V::splat(0.0); 3]; N];
            for i in 1..N {
                pulls[i] = pull::<V, N>(&stress, gradients, i);
                pulls[0] = less::<V>(pulls[0], pulls[i]);
            }
            pass.corners.add::<V>(k, &pulls, forces);
        }
        let Wide([a, b, c, d]) = V::store(sum);
        0.5 * ((a + b) + (c + d)) + alone
    }
}

impl<const N: usize> Work<f64> for Curve<'_, N> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let Curve { pass, found, d } = self;
        let (mut sum, mut alone) = (V::splat(0.0), 0.0);
        for (k, found) in found.iter().enumerate() {
            let gradients = pass.own(k);
            let f = map::<V, N>(&pass.corners.at::<V>(k, pass.x), gradients);
            let df = map::<V, N>(&pass.corners.at::<V>(k, d), gradients);
            let (of_four, sure) = pass.curved::<V>(k, &f, &df, found);
            if sure && !found.long {
                sum = V::add(sum, of_four);
            } else {
                alone += pass.curved_alone(k, &store::<V>(&f), &store::<V>(&df));
            }
        }
        let Wide([a, b, c, d]) = V::store(sum);
        ((a + b) + (c + d)) + alone
    }
}
