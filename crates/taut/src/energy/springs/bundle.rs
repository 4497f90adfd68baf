//! The springs of one part of the runs.

use super::{
    Four, Law, Weighed, curved, curved_alone, found, four, law, take_odd, total, weighed, weighed_alone,
};
use crate::kernel::{Kernel, Over, Part, PerFour, Planes, Row, Simd, Sums, Wide, run};
use crate::{Model, Spring};

/// Springs that run in fours, with what they pull with and add up to.
#[derive(Debug, Clone, Default)]
pub(super) struct Bundle {
    pub part: Part,
    fours: Vec<Four>,
    laws: Vec<Law>,
    /// Whether all of them push and pull.
    linear: bool,
    /// Whether at the x of the last gradient plain arithmetic was enough for all of them.
    plain: bool,
    /// 1/l at the x of the last gradient, if a curvature was ever asked for; zero for fours beyond plain arithmetic.
    inverses: Vec<Row>,
    pub sums: Sums,
    /// Twice their energy, Σ k (l − r)² \[J\].
    pub energy: f64,
    pub odd: Vec<u32>,
    pub curvature: f64,
}

impl Bundle {
    pub fn new(part: Part, model: &Model) -> Self {
        let fours = || part.edges.iter().map(|numbers| found(&model.springs, numbers));
        let laws: Vec<Law> = fours().map(law).collect();
        Bundle {
            fours: fours().map(four).collect(),
            odd: Vec::with_capacity(4 * part.edges.len()),
            linear: laws.iter().all(|law| *law == Law::Linear),
            laws,
            sums: part.sums(),
            part,
            ..Bundle::default()
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fours.is_empty()
    }

    /// What its springs pull with at x.
    pub fn pull(&mut self, kernel: Kernel, model: &Model, x: &Planes) {
        if self.is_empty() {
            return;
        }
        let Bundle { part, fours, laws, linear, plain, inverses, sums, energy, odd, .. } = self;
        odd.clear();
        sums.clear();
        *plain = false;
        if *linear {
            let each = Tug { least: Wide([f64::MAX; 4]), sum: Row::default(), inverses };
            let Tug { least, sum, .. } =
                run(kernel, Over { part, points: [x], own: fours, sums: Some(&mut *sums), each });
            *energy = total(sum);
            *plain = least.0.iter().all(|l| *l >= f64::MIN_POSITIVE) && energy.is_finite();
            if *plain {
                return;
            }
            sums.clear();
        }
        let (springs, numbers) = (&model.springs[..], &part.edges);
        let each = CarefulTug { springs, numbers, laws, sum: Row::default(), alone: 0.0, odd, inverses };
        let CarefulTug { sum, alone, .. } =
            run(kernel, Over { part, points: [x], own: fours, sums: Some(sums), each });
        *energy = total(sum) + alone;
    }

    /// The curvature of its springs at x along d.
    pub fn curve(&mut self, kernel: Kernel, model: &Model, x: &Planes, d: &Planes) {
        if self.inverses.len() < self.fours.len() {
            // Asked for the first time: from now on gradients keep them.
            self.inverses = vec![Row::default(); self.fours.len()];
            self.pull(kernel, model, x);
        }
        let Bundle { part, fours, laws, plain, inverses, curvature, .. } = self;
        if *plain {
            let each = Curve { inverses, sum: Row::default() };
            let Curve { sum, .. } = run(kernel, Over { part, points: [x, d], own: fours, sums: None, each });
            *curvature = total(sum);
            return;
        }
        let (springs, numbers) = (&model.springs[..], &part.edges);
        let each = CarefulCurve { springs, numbers, laws, inverses, sum: Row::default(), alone: 0.0 };
        let CarefulCurve { sum, alone, .. } =
            run(kernel, Over { part, points: [x, d], own: fours, sums: None, each });
        *curvature = total(sum) + alone;
    }
}

/// The weights of linear springs in runs; the least squared length tells whether plain arithmetic was enough.
struct Tug<'a> {
    least: Row,
    /// Twice their energy.
    sum: Row,
    /// To be kept, if there is room.
    inverses: &'a mut [Row],
}

impl PerFour<1> for Tug<'_> {
    type Own = Four;
    const PULLS: bool = true;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &Four, [p]: [[V::Vector; 3]; 1]) -> V::Vector {
        let squared = V::dot(p, p);
        self.least = V::store(V::min(squared, V::load(&self.least)));
        let [w, inverse, energy] = weighed::<V>(four, Law::Linear, squared);
        self.sum = V::store(V::add(V::load(&self.sum), energy));
        if let Some(kept) = self.inverses.get_mut(k) {
            *kept = V::store(inverse);
        }
        w
    }
}

/// The weights of springs of any law and any length. An odd spring does not pull, and is noted.
struct CarefulTug<'a> {
    springs: &'a [Spring],
    numbers: &'a [[u32; 4]],
    laws: &'a [Law],
    /// Twice the energy of whole fours, and of springs alone.
    sum: Row,
    alone: f64,
    odd: &'a mut Vec<u32>,
    inverses: &'a mut [Row],
}

impl PerFour<1> for CarefulTug<'_> {
    type Own = Four;
    const PULLS: bool = true;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &Four, [p]: [[V::Vector; 3]; 1]) -> V::Vector {
        let squared = V::dot(p, p);
        if V::all_normal(squared) {
            let [w, inverse, energy] = weighed::<V>(four, self.laws[k], squared);
            self.sum = V::store(V::add(V::load(&self.sum), energy));
            if let Some(kept) = self.inverses.get_mut(k) {
                *kept = V::store(inverse);
            }
            return w;
        }
        if let Some(kept) = self.inverses.get_mut(k) {
            *kept = Row::default();
        }
        let numbers = &self.numbers[k];
        let (mut weights, Weighed { energy, odd }) =
            weighed_alone(found(self.springs, numbers), p.map(V::store));
        self.alone += energy;
        if odd {
            take_odd(&mut weights, numbers, self.odd);
        }
        V::load(&Wide(weights))
    }
}

/// The curvature of linear springs in runs along a direction, where plain arithmetic is enough.
struct Curve<'a> {
    inverses: &'a [Row],
    sum: Row,
}

impl PerFour<2> for Curve<'_> {
    type Own = Four;
    const PULLS: bool = false;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &Four, [p, q]: [[V::Vector; 3]; 2]) -> V::Vector {
        let curved = curved::<V>(four, Law::Linear, V::load(&self.inverses[k]), p, q);
        self.sum = V::store(V::add(V::load(&self.sum), curved));
        V::splat(0.0)
    }
}

/// The curvature of springs of any law and any length.
struct CarefulCurve<'a> {
    springs: &'a [Spring],
    numbers: &'a [[u32; 4]],
    laws: &'a [Law],
    inverses: &'a [Row],
    sum: Row,
    alone: f64,
}

impl PerFour<2> for CarefulCurve<'_> {
    type Own = Four;
    const PULLS: bool = false;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &Four, [p, q]: [[V::Vector; 3]; 2]) -> V::Vector {
        let inverse = V::load(&self.inverses[k]);
        if V::all_normal(inverse) {
            let curved = curved::<V>(four, self.laws[k], inverse, p, q);
            self.sum = V::store(V::add(V::load(&self.sum), curved));
        } else {
            self.alone +=
                curved_alone(found(self.springs, &self.numbers[k]), p.map(V::store), q.map(V::store));
        }
        V::splat(0.0)
    }
}
