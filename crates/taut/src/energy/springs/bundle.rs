//! The springs that begin in one section of the particles and run in fours.

use super::{
    FourSprings, Law, Weighed, curved, curved_alone, found, four, law, take_odd, total, weighed,
    weighed_alone,
};
use crate::Spring;
use crate::kernel::{EachFour, Four, Kernel, PerFour, Planes, Section, Simd, Sums, Wide, run};

/// The springs of a section, four by four, with their sums.
#[derive(Debug, Clone, Default)]
pub(super) struct Bundle {
    pub section: Section,
    fours: Vec<FourSprings>,
    /// The law of each four.
    laws: Vec<Law>,
    /// Whether all springs are linear.
    linear: bool,
    /// Whether plain arithmetic could do all springs at the x of the last gradient.
    plain: bool,
    /// 1/l at the x of the last gradient, from the first curvature on; zero for fours that plain arithmetic cannot do.
    inverses: Vec<Four>,
    /// Σ w p by particle.
    pub sums: Sums,
    /// Twice their energy, Σ k (l − r)² \[J\].
    pub energy: f64,
    /// The springs without a weight.
    pub odd: Vec<u32>,
    /// Along the last direction \[N·m\].
    pub curvature: f64,
}

impl Bundle {
    pub fn new(section: Section, springs: &[Spring]) -> Self {
        let fours = || section.edges.iter().map(|numbers| found(springs, numbers));
        let laws: Vec<Law> = fours().map(law).collect();
        Bundle {
            fours: fours().map(four).collect(),
            odd: Vec::with_capacity(4 * section.edges.len()),
            linear: laws.iter().all(|law| *law == Law::Linear),
            laws,
            sums: section.sums(),
            section,
            ..Bundle::default()
        }
    }

    /// Take stiffnesses and rest lengths anew.
    pub fn aim(&mut self, springs: &[Spring]) {
        let Bundle { section, fours, .. } = self;
        fours.iter_mut().zip(&section.edges).for_each(|(own, numbers)| *own = four(found(springs, numbers)));
    }

    /// Whether there are no springs.
    pub fn is_empty(&self) -> bool {
        self.fours.is_empty()
    }

    /// Add up the forces of its springs at x. Linear springs are tried in plain arithmetic first; if that cannot do all
    /// of them, the pass is done again with care.
    pub fn pull(&mut self, kernel: Kernel, springs: &[Spring], x: &Planes) {
        if self.is_empty() {
            return;
        }
        let Bundle { section, fours, laws, linear, plain, inverses, sums, energy, odd, .. } = self;
        odd.clear();
        sums.clear();
        *plain = false;
        if *linear {
            let each = Tug { least: Wide([f64::MAX; 4]), sum: Four::default(), inverses };
            let Tug { least, sum, .. } =
                run(kernel, EachFour { section, points: [x], data: fours, sums: Some(&mut *sums), each });
            *energy = total(sum);
            *plain = least.0.iter().all(|l| *l >= f64::MIN_POSITIVE) && energy.is_finite();
            if *plain {
                return;
            }
            sums.clear();
        }
        let numbers = &section.edges;
        let each = CarefulTug { springs, numbers, laws, sum: Four::default(), alone: 0.0, odd, inverses };
        let CarefulTug { sum, alone, .. } =
            run(kernel, EachFour { section, points: [x], data: fours, sums: Some(sums), each });
        *energy = total(sum) + alone;
    }

    /// The curvature of its springs at x along d.
    pub fn curve(&mut self, kernel: Kernel, springs: &[Spring], x: &Planes, d: &Planes) {
        if self.inverses.len() < self.fours.len() {
            // Asked for the first time: from now on gradients keep 1/l.
            self.inverses = vec![Four::default(); self.fours.len()];
            self.pull(kernel, springs, x);
        }
        let Bundle { section, fours, laws, plain, inverses, curvature, .. } = self;
        if *plain {
            let each = Curve { inverses, sum: Four::default() };
            let Curve { sum, .. } =
                run(kernel, EachFour { section, points: [x, d], data: fours, sums: None, each });
            *curvature = total(sum);
            return;
        }
        let numbers = &section.edges;
        let each = CarefulCurve { springs, numbers, laws, inverses, sum: Four::default(), alone: 0.0 };
        let CarefulCurve { sum, alone, .. } =
            run(kernel, EachFour { section, points: [x, d], data: fours, sums: None, each });
        *curvature = total(sum) + alone;
    }
}

/// The weights of linear springs in plain arithmetic. Afterwards the least p·p tells whether that could do all of them.
struct Tug<'a> {
    /// Per lane.
    least: Four,
    /// Twice their energy, per lane.
    sum: Four,
    /// Where 1/l is kept, unless this is empty.
    inverses: &'a mut [Four],
}

impl PerFour<1> for Tug<'_> {
    type Data = FourSprings;
    const SUMS: bool = true;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &FourSprings, [p]: [[V::Vector; 3]; 1]) -> V::Vector {
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

/// The weights of springs of any law and any length. An odd spring gets the weight zero and is listed.
struct CarefulTug<'a> {
    springs: &'a [Spring],
    numbers: &'a [[u32; 4]],
    laws: &'a [Law],
    /// Twice the energy of fours in plain arithmetic, per lane, and of springs computed one after another.
    sum: Four,
    alone: f64,
    odd: &'a mut Vec<u32>,
    inverses: &'a mut [Four],
}

impl PerFour<1> for CarefulTug<'_> {
    type Data = FourSprings;
    const SUMS: bool = true;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &FourSprings, [p]: [[V::Vector; 3]; 1]) -> V::Vector {
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
            *kept = Four::default();
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

/// The curvature of linear springs along a direction, where plain arithmetic can do all of them.
struct Curve<'a> {
    inverses: &'a [Four],
    sum: Four,
}

impl PerFour<2> for Curve<'_> {
    type Data = FourSprings;
    const SUMS: bool = false;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &FourSprings, [p, q]: [[V::Vector; 3]; 2]) -> V::Vector {
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
    inverses: &'a [Four],
    sum: Four,
    alone: f64,
}

impl PerFour<2> for CarefulCurve<'_> {
    type Data = FourSprings;
    const SUMS: bool = false;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &FourSprings, [p, q]: [[V::Vector; 3]; 2]) -> V::Vector {
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
