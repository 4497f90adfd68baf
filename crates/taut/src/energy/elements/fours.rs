//! The passes over membranes and blocks that a minimiser repeats, four elements at a time: gradient and curvature.
//!
//! A four goes the long way, one element after another by its `law`, where something in it needs that: limits, a damper of
//! volume, threads without length, a flat or inverted block that shall keep its volume, a shape without a unique rotation.

use super::cells::Cell;
use super::lanes::{
    along, dot, less, load, load_points, plus, principal, product_one, scaled, store, store_points, swelled,
    times, transposed_times, turned,
};
use super::law::Aim;
use crate::kernel::{Corners, Four, Simd, Wide, Work};
use crate::linear::nearest::{Matrices, Points, membranes, rotations};
use glam::{DMat3, DVec3};

/// Numbers of four elements, one per lane; lanes that are left over weigh nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stuff<const N: usize> {
    /// gᵢ.
    gradients: [[Four; 3]; N],
    /// w′, v, and k′ of warp and weft.
    shape: Four,
    volume: Four,
    threads: [Four; 2],
}

/// What dampers want of four elements: T and r′, the size d of which volumes have the cube, and how much that weighs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    shape: [[Four; 3]; 3],
    threads: [Four; 2],
    size: Four,
    damper: Four,
}

/// What the last gradient found of four elements: R, and where volume counts R₀ V and V of F = R₀ V diag(σ) Vᵀ, and x and
/// μ of the volume at rest and of the damper's.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// Whether the curvature must go the long way.
    long: bool,
    rotation: [[Four; 3]; 3],
    left: [[Four; 3]; 3],
    axes: [[Four; 3]; 3],
    kept: [[Four; 3]; 2],
    mu: [Four; 2],
}

impl<const N: usize> Stuff<N> {
    pub fn of(cells: &[Cell<N>], ratio: f64) -> Self {
        let none = Four::default();
        let mut stuff = Stuff { gradients: [[none; 3]; N], shape: none, volume: none, threads: [none; 2] };
        for lane in 0..4 {
            // An empty lane has the shape of the first.
            let (cell, weight) = cells.get(lane).map_or((&cells[0], 0.0), |cell| (cell, 1.0));
            for (of_four, g) in stuff.gradients.iter_mut().zip(cell.gradients) {
                (0..3).for_each(|l| of_four[l].0[lane] = g[l]);
            }
            stuff.shape.0[lane] = weight * cell.law.shape * (1.0 + ratio);
            stuff.volume.0[lane] = weight * cell.law.volume;
            let threads = stuff.threads.iter_mut().zip(cell.law.threads);
            threads.for_each(|(of_four, (_, k))| of_four.0[lane] = weight * k * (1.0 + ratio));
        }
        stuff
    }
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
fn map<V: Simd<f64>, const N: usize>(points: &[Points<V>; N], gradients: &[[Four; 3]; N]) -> Matrices<V> {
    let mut f = [[V::splat(0.0); 3]; 3];
    for i in 1..N {
        let edge = less::<V>(points[i], points[0]);
        for c in 0..3 {
            f[c] = plus::<V>(V::load(&gradients[i][c]), edge, f[c]);
        }
    }
    f
}

/// What does not change in a pass.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a, const N: usize> {
    pub corners: &'a Corners<N>,
    pub cells: &'a [Cell<N>],
    pub stuff: &'a [Stuff<N>],
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
        let stuff = &self.stuff[k];
        let (mut target, mut sure) = (*f, true);
        if let Some(wanted) = self.wanted.get(k) {
            target = times::<V>(f, &load::<V>(&wanted.shape));
        }
        let near = |lane: usize| self.near(k, lane) * self.aim(k, lane).shape;
        let rotation = if N == 3 { membranes::<V>(target, near) } else { rotations::<V>(target, near) };
        found.rotation = store::<V>(&rotation);
        target = rotation;
        if let Some(wanted) = self.wanted.get(k) {
            target = times::<V>(&rotation, &load::<V>(&wanted.shape));
        }
        if N == 3 {
            target[2] = [V::splat(0.0); 3];
        }
        let weight = V::load(&stuff.shape);
        let mut away = target;
        let mut stress = target;
        for c in 0..3 {
            away[c] = less::<V>(f[c], target[c]);
            stress[c] = scaled::<V>(weight, away[c]);
        }
        let mut twice = dot::<V>(&stress, &away);
        let volume = V::load(&stuff.volume);
        if V::positive(volume) != 0 {
            // With dampers R is that of F T.
            let own = match self.wanted.get(k) {
                Some(_) => rotations::<V>(*f, |lane| self.near(k, lane)),
                None => rotation,
            };
            let (sigma, axes, settled) = principal::<V>(&transposed_times::<V>(&own, f));
            let (kept, mu, nearest) = product_one::<V>(sigma);
            sure = (settled & nearest) == 0b1111;
            let apart = less::<V>(sigma, kept);
            let mut pull = scaled::<V>(volume, apart);
            twice = V::add(twice, V::dot(pull, apart));
            (found.kept[0], found.mu[0]) = (store_points::<V>(kept), V::store(mu));
            if let Some(wanted) = self.wanted.get(k) {
                // The nearest of determinant d³ to F is d times the nearest of determinant 1 to F/d.
                let (size, damper) = (V::load(&wanted.size), V::load(&wanted.damper));
                let smaller = scaled::<V>(V::divide(V::splat(1.0), size), sigma);
                let (kept, mu, nearest) = product_one::<V>(smaller);
                sure &= nearest == 0b1111;
                let kept = scaled::<V>(size, kept);
                let apart = less::<V>(sigma, kept);
                twice = V::multiply_add(damper, V::dot(apart, apart), twice);
                pull = plus::<V>(damper, apart, pull);
                let mu = V::multiply(V::multiply(size, size), mu);
                (found.kept[1], found.mu[1]) = (store_points::<V>(kept), V::store(mu));
            }
            let left = times::<V>(&own, &axes);
            for i in 0..3 {
                for c in 0..3 {
                    stress[c] = plus::<V>(V::multiply(pull[i], axes[i][c]), left[i], stress[c]);
                }
            }
            (found.left, found.axes) = (store::<V>(&left), store::<V>(&axes));
        }
        if N == 3 {
            for n in 0..2 {
                let stiffness = V::load(&stuff.threads[n]);
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
        let stuff = &self.stuff[k];
        let (rotation, weight) = (load::<V>(&found.rotation), V::load(&stuff.shape));
        let mut sum = V::multiply(weight, dot::<V>(df, df));
        let (mut shape, mut change) = (*f, *df);
        if let Some(wanted) = self.wanted.get(k) {
            let turn = load::<V>(&wanted.shape);
            (shape, change) = (times::<V>(f, &turn), times::<V>(df, &turn));
        }
        // dR = R [ω] with (tr S 1 − S) ω = a, the odd part of Rᵀ dF.
        let stretch = transposed_times::<V>(&rotation, &shape);
        let moved = transposed_times::<V>(&rotation, &change);
        let odd = [
            V::subtract(moved[1][2], moved[2][1]),
            V::subtract(moved[2][0], moved[0][2]),
            V::subtract(moved[0][1], moved[1][0]),
        ];
        let (turned, sure) = turned::<V>(&stretch, odd);
        sum = V::subtract(sum, V::multiply(weight, turned));
        let volume = V::load(&stuff.volume);
        if V::positive(volume) != 0 {
            let (left, axes) = (load::<V>(&found.left), load::<V>(&found.axes));
            let inner = transposed_times::<V>(&left, &times::<V>(df, &axes));
            let swell =
                |n: usize| swelled::<V>(load_points::<V>(&found.kept[n]), V::load(&found.mu[n]), &inner);
            sum = V::multiply_add(volume, swell(0), sum);
            if let Some(wanted) = self.wanted.get(k) {
                sum = V::multiply_add(V::load(&wanted.damper), swell(1), sum);
            }
        }
        if N == 3 {
            for n in 0..2 {
                let stiffness = V::load(&stuff.threads[n]);
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
            let gradients = &pass.stuff[k].gradients;
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
                pulls[i] = along::<V>(&stress, load_points::<V>(&gradients[i]));
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
            let gradients = &pass.stuff[k].gradients;
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
