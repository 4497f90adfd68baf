//! Membranes and blocks as terms of g: elements with N corners that know the map F from their rest shape.
//!
//! With the edges from the first corner F = Σ (xᵢ − x₁) gᵢᵀ, where gᵢ are the rows of the inverse of those edges at rest. So
//! the stress P = ∂E/∂F pulls at corner i with P gᵢ, at the first with minus the sum; a bound K of the second derivative of E
//! adds gᵢ·K gⱼ to the constant matrix, one number for all three coordinates. What an element answers to F is its `law`.

use super::super::{Entries, Origin, Part, Rate, Step, Sum, Term};
use super::fours::{Curve, Found, Pass, Pull, Wanted, numbers};
use super::law::{Aim, Law};
use crate::kernel::{Corners, Four, Kernel, Real, run};
use crate::{Error, Model};
use glam::{DMat3, DVec3};

/// One element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<const N: usize> {
    pub corners: [u32; N],
    /// gᵢ of all corners [1/m]; they sum to zero.
    pub gradients: [DVec3; N],
    pub law: Law,
}

/// All elements with N corners.
#[derive(Debug)]
pub(super) struct Cells<const N: usize> {
    /// β/h (dimensionless).
    ratio: f64,
    cells: Vec<Cell<N>>,
    /// Dampers, one for each.
    aims: Vec<Aim>,
    /// Four at a time: corners, numbers, dampers if there are any, and whether they always go the long way.
    corners: Corners<N>,
    numbers: Vec<Four>,
    wanted: Vec<Wanted>,
    long: Vec<bool>,
    /// What the last gradient found, and where.
    found: Vec<Found>,
    x: Vec<Four>,
    /// By particle, a direction, and forces.
    d: Vec<Four>,
    forces: Vec<Four>,
}

impl Cells<3> {
    /// The membranes of a model, for β/h = `ratio`.
    pub fn membranes(model: &Model, ratio: f64) -> Self {
        let cell = |membrane: &crate::Membrane| {
            let (frame, twice_area) = membrane.frame(&model.rest).expect("checked with the model");
            let area = 0.5 * twice_area;
            let [a, b, c] = membrane.corners.map(|i| model.rest[i as usize]);
            let [p, q] = [b - a, c - a].map(|edge| frame.transpose() * edge);
            // The inverse of the 2×2 matrix of the edges.
            let first = DVec3::new(q.y, -q.x, 0.0) / twice_area;
            let second = DVec3::new(-p.y, p.x, 0.0) / twice_area;
            let thread = |u, stiffness: f64| (u, area * (stiffness - 2.0 * membrane.shear));
            let limit = membrane.limit;
            let law = Law {
                flat: true,
                shape: 2.0 * membrane.shear * area,
                volume: 2.0 * membrane.area * area,
                limit: limit.map_or(0.0, |limit| limit.stiffness * area),
                low: limit.map_or(0.0, |limit| limit.low),
                high: limit.map_or(0.0, |limit| limit.high),
                threads: [thread(DVec3::X, membrane.warp), thread(DVec3::Y, membrane.weft)],
            };
            Cell { corners: membrane.corners, gradients: [-(first + second), first, second], law }
        };
        Cells::new(ratio, model.membranes.iter().map(cell).collect(), model.particles())
    }
}

impl Cells<4> {
    /// The blocks of a model, for β/h = `ratio`.
    pub fn blocks(model: &Model, ratio: f64) -> Self {
        let cell = |block: &crate::Block| {
            let edges = block.edges(&model.rest);
            let volume = edges.determinant().abs() / 6.0;
            let rows = edges.inverse().transpose();
            let [first, second, third] = [rows.x_axis, rows.y_axis, rows.z_axis];
            let law = Law {
                shape: 2.0 * block.shear * volume,
                volume: 3.0 * block.volume * volume,
                ..Law::default()
            };
            let gradients = [-(first + second + third), first, second, third];
            Cell { corners: block.corners, gradients, law }
        };
        Cells::new(ratio, model.blocks.iter().map(cell).collect(), model.particles())
    }
}

impl<const N: usize> Cell<N> {
    /// Σ (vᵢ − v₁) gᵢᵀ.
    #[inline]
    fn map(&self, at: impl Fn(u32) -> DVec3) -> DMat3 {
        let first = at(self.corners[0]);
        let mut f = DMat3::ZERO;
        for (&i, g) in self.corners[1..].iter().zip(&self.gradients[1..]) {
            let edge = at(i) - first;
            f += DMat3::from_cols(edge * g.x, edge * g.y, edge * g.z);
        }
        f
    }

    /// The same of positions.
    #[inline]
    pub fn at(&self, x: &[DVec3]) -> DMat3 {
        self.map(|i| x[i as usize])
    }

    /// Add P gᵢ to every corner, to the first what makes them sum to zero.
    #[inline]
    fn pull(&self, stress: DMat3, mut add: impl FnMut(u32, DVec3)) {
        let mut rest = DVec3::ZERO;
        for (&i, &g) in self.corners[1..].iter().zip(&self.gradients[1..]) {
            let force = stress * g;
            rest -= force;
            add(i, force);
        }
        add(self.corners[0], rest);
    }

    /// Pairs of corners.
    fn pairs() -> impl Iterator<Item = (usize, usize)> {
        (0..N).flat_map(|j| (0..j).map(move |i| (i, j)))
    }

    /// The strain S* from which rates are counted, symmetric.
    fn strain(&self, origin: &Origin) -> DMat3 {
        let of = |f: DMat3, near: DMat3| {
            let strain = self.law.principal(f, near).rotation.transpose() * f;
            even(strain)
        };
        let start = self.at(origin.start);
        match origin.rate {
            Rate::Euler => of(start, start),
            Rate::Midpoint => {
                let y = self.at(origin.inertia);
                even(self.law.principal(y, start).rotation.transpose() * start)
            }
            Rate::Bdf2(before) => {
                let now = of(start, start);
                now + (now - of(self.at(before), start)) * (1.0 / 3.0)
            }
        }
    }
}

/// The symmetric part.
fn even(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

impl<const N: usize> Cells<N> {
    fn new(ratio: f64, cells: Vec<Cell<N>>, particles: usize) -> Self {
        let aims = cells.iter().map(|cell| Aim::at_rest(&cell.law, ratio)).collect();
        let corners: Vec<[u32; N]> = cells.iter().map(|cell| cell.corners).collect();
        let long = |cell: &Cell<N>| {
            let Law { flat, volume, limit, .. } = cell.law;
            limit > 0.0 || (volume > 0.0 && flat)
        };
        let points = vec![Four::default(); particles];
        let mut cells = Cells {
            ratio,
            aims,
            corners: Corners::new(&corners, particles),
            wanted: Vec::new(),
            long: cells.chunks(4).map(|cells| cells.iter().any(long)).collect(),
            found: vec![Found::default(); cells.len().div_ceil(4)],
            numbers: numbers(&cells, ratio),
            x: points.clone(),
            d: points.clone(),
            forces: points,
            cells,
        };
        cells.want();
        cells
    }

    /// Take what dampers want into fours.
    fn want(&mut self) {
        if self.ratio > 0.0 {
            self.wanted.clear();
            let fours = self.aims.chunks(4).zip(self.cells.chunks(4));
            self.wanted.extend(fours.map(|(aims, cells)| Wanted::of(aims, cells)));
        }
    }

    fn pass<'a>(&'a self, start: &'a [DVec3]) -> Pass<'a, N> {
        let Cells { corners, cells, numbers, wanted, aims, long, x, .. } = self;
        Pass { corners, cells, numbers, wanted, aims, long, x, start }
    }

    fn each(&self) -> impl Iterator<Item = (&Cell<N>, &Aim)> {
        self.cells.iter().zip(&self.aims)
    }
}

impl<const N: usize> Term for Cells<N> {
    fn aim(&mut self, _: &Model, origin: &Origin) {
        if self.ratio > 0.0 {
            for (cell, aim) in self.cells.iter().zip(&mut self.aims) {
                *aim = Aim::of(&cell.law, self.ratio, cell.strain(origin));
            }
            self.want();
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
        for (cell, aim) in self.each() {
            let (f, near) = (cell.at(x), cell.at(step.start));
            let none = Aim::at_rest(&cell.law, 0.0);
            let (elastic, mut stress) = cell.law.answer(&none, f, near);
            if part == Part::Dampers {
                stress = cell.law.answer(aim, f, near).1 - stress;
            }
            cell.pull(stress, |i, force| forces[i as usize] -= force);
            energy(cell.corners[0], elastic);
        }
    }

    fn edges(&self, _: &Model, edges: &mut Vec<[u32; 2]>) {
        for cell in &self.cells {
            edges.extend(Cell::<N>::pairs().map(|(i, j)| [cell.corners[i], cell.corners[j]]));
        }
    }

    fn stiffest(&self, _: &Model, slopes: &mut [f64]) {
        for cell in &self.cells {
            let bound = cell.law.bound(self.ratio);
            let own = cell.corners.iter().zip(cell.gradients);
            own.for_each(|(&i, g)| slopes[i as usize] += g.dot(bound * g));
        }
    }

    fn constant(&self, step: &Step, entries: &mut Entries<f64>) -> Result<(), Error> {
        for cell in &self.cells {
            let bound = step.h2 * cell.law.bound(self.ratio);
            for (i, j) in Cell::<N>::pairs() {
                let shared = cell.gradients[i].dot(bound * cell.gradients[j]);
                entries.difference([cell.corners[i], cell.corners[j]], -shared);
            }
        }
        Ok(())
    }

    fn is_quadratic(&self, _: &Model) -> bool {
        self.cells.is_empty()
    }

    fn value(&self, step: &Step, x: &[DVec3], sum: &mut Sum) {
        for (cell, aim) in self.each() {
            sum.add(step.h2 * cell.law.answer(aim, cell.at(x), cell.at(step.start)).0);
        }
    }

    fn change(&self, step: &Step, from: &[DVec3], to: &[DVec3], sum: &mut Sum) {
        for (cell, aim) in self.each() {
            let change = cell.law.change(aim, cell.at(from), cell.at(to), cell.at(step.start));
            sum.add(step.h2 * change);
        }
    }

    fn gradient(&mut self, step: &Step, x: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        self.x.iter_mut().zip(x).for_each(|(own, &x)| *own = f64::lanes(x));
        let (mut found, mut forces) = (std::mem::take(&mut self.found), std::mem::take(&mut self.forces));
        forces.fill(Four::default());
        let pull = Pull { pass: self.pass(step.start), found: &mut found, forces: &mut forces };
        let energy = run(Kernel::detected(), pull);
        for (gradient, &i) in gradient.iter_mut().zip(&step.rows.particles) {
            *gradient += step.h2 * f64::point(&forces[i as usize]);
        }
        (self.found, self.forces) = (found, forces);
        step.h2 * energy
    }

    fn curvature(&mut self, step: &Step, d: &[DVec3]) -> f64 {
        for (own, &row) in self.d.iter_mut().zip(&step.rows.of) {
            *own = f64::lanes(d.get(row as usize).copied().unwrap_or_default());
        }
        let curve = Curve { pass: self.pass(step.start), found: &self.found, d: &self.d };
        step.h2 * run(Kernel::detected(), curve)
    }

    fn hessian(&self, step: &Step, x: &[DVec3], entries: &mut Entries<DMat3>) {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        for (cell, aim) in self.each() {
            let tangent = cell.law.tangent(aim, cell.at(x), cell.at(step.start), step.stiffest);
            // Of the stress for unit motion of corner j along each axis: column by column of the blocks (i, j).
            let moved =
                cell.gradients.map(|g| axes.map(|e| tangent(DMat3::from_cols(e * g.x, e * g.y, e * g.z))));
            for (i, j) in Cell::<N>::pairs() {
                let g = cell.gradients[i];
                let [a, b, c] = moved[j].map(|stress| step.h2 * (stress * g));
                entries.difference([cell.corners[i], cell.corners[j]], -DMat3::from_cols(a, b, c));
            }
        }
    }
}
