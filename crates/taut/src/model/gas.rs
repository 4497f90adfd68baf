//! Air that bodies hold: a force on the triangles that close it in, as long as nothing opens them.
//!
//! ```text
//! p = p₀ V₀ / V,      f = p ∂V/∂x,      V = ⅙ Σ a·(b × c) over triangles with corners a, b, c
//! ```
//!
//! p is the pressure above that of the air outside, isothermal: halve the volume and it doubles. Particles that seams
//! join count as one point, in the middle, so that a chamber of several sheets is closed and its forces sum to zero.

use super::Model;
use crate::Error;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// Air within closed triangles.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Gas {
    /// The triangles around it, counter-clockwise seen from outside.
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub triangles: Vec<[u32; 3]>,
    /// Pairs of particles that count as one.
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub sewn: Vec<[u32; 2]>,
    /// Pressure p₀ above that outside \[Pa\] when it fills `volume`.
    pub pressure: f64,
    /// That volume, V₀ \[m³\].
    pub volume: f64,
    /// From when until when \[s\] it is pumped in, evenly; if not given it is there from the start.
    pub filling: Option<(f64, f64)>,
}

/// The least part of V₀ that air is taken to be crushed to (dimensionless): p stays finite where nothing is left of V.
const LEAST: f64 = 1e-3;

impl Gas {
    /// For every particle the first of those it is joined to.
    fn points(&self) -> BTreeMap<u32, u32> {
        let mut of: BTreeMap<u32, u32> = self.triangles.iter().flatten().map(|&i| (i, i)).collect();
        let root = |of: &BTreeMap<u32, u32>, mut i: u32| {
            while let Some(&up) = of.get(&i).filter(|&&up| up != i) {
                i = up;
            }
            i
        };
        for &[a, b] in &self.sewn {
            let (a, b) = (root(&of, a), root(&of, b));
            of.entry(a.max(b)).and_modify(|up| *up = a.min(b));
        }
        let all: Vec<u32> = of.keys().copied().collect();
        all.into_iter().map(|i| (i, root(&of, i))).collect()
    }

    /// Where the points are: what [`Chamber`] works on.
    pub(crate) fn chamber(&self) -> Chamber {
        let points = self.points();
        let roots: BTreeSet<u32> = points.values().copied().collect();
        let number: BTreeMap<u32, u32> = roots.into_iter().zip(0..).collect();
        let mut members: Vec<(u32, u32)> = points.iter().map(|(&i, root)| (number[root], i)).collect();
        members.sort_unstable();
        let corners = self.triangles.iter().map(|t| t.map(|i| number[&points[&i]])).collect();
        let none = vec![DVec3::ZERO; number.len()];
        Chamber { corners, members, at: none.clone(), slope: none }
    }

    /// What there is of it at a time, 0 to 1.
    pub(crate) fn filled(&self, time: f64) -> f64 {
        self.filling.map_or(1.0, |(from, until)| ((time - from) / (until - from)).clamp(0.0, 1.0))
    }

    pub(super) fn check(&self, index: usize, particles: usize) -> Result<(), Error> {
        let bad = |problem, remedy| Err(Error::Model { element: "gas", index, problem, remedy });
        let range = super::sound::check_corners;
        self.triangles.iter().try_for_each(|t| range("gas", index, t, particles))?;
        self.sewn.iter().try_for_each(|pair| range("gas", index, pair, particles))?;
        if !(self.pressure >= 0.0 && self.pressure.is_finite()) {
            return bad(
                format!("pressure is {} Pa", self.pressure),
                "pressures must be zero or more and finite",
            );
        }
        if let Some((from, until)) = self.filling.filter(|(a, b)| !(a < b && a.is_finite() && b.is_finite()))
        {
            return bad(format!("is pumped in from {from} s until {until} s"), "it must end after it begins");
        }
        if let Some([a, b]) = self.open_edge() {
            let problem = format!("the edge of particles {a} and {b} is open: air would escape");
            return bad(problem, "close the surface, sew its rims together, or leave the pressure out");
        }
        if !(self.volume > 0.0 && self.volume.is_finite()) {
            let problem = format!("it fills {} m³", self.volume);
            return bad(
                problem,
                "give a volume above zero: that which the bodies have when the air has its pressure",
            );
        }
        Ok(())
    }

    /// An edge that is not one of exactly two triangles, which pass it in opposite directions.
    fn open_edge(&self) -> Option<[u32; 2]> {
        let points = self.points();
        let mut passed: BTreeMap<[u32; 2], (usize, [u32; 2])> = BTreeMap::new();
        for edge in self.triangles.iter().flat_map(sides) {
            let between = edge.map(|i| points[&i]);
            passed.entry(between).or_insert((0, edge)).0 += 1;
        }
        let alone = |(between, (count, _)): &(&[u32; 2], &(usize, [u32; 2]))| {
            *count != 1 || passed.get(&[between[1], between[0]]).is_none_or(|back| back.0 != 1)
        };
        passed.iter().find(alone).map(|(_, (_, edge))| *edge)
    }

    /// Turn triangles so that neighbours pass their edge in opposite directions.
    fn orient(&mut self) {
        let points = self.points();
        let mut beside: BTreeMap<[u32; 2], Vec<(usize, bool)>> = BTreeMap::new();
        for (t, triangle) in self.triangles.iter().enumerate() {
            for [a, b] in sides(triangle).map(|edge| edge.map(|i| points[&i])) {
                beside.entry([a.min(b), a.max(b)]).or_default().push((t, a < b));
            }
        }
        let mut turned: Vec<Option<bool>> = vec![None; self.triangles.len()];
        for first in 0..turned.len() {
            if turned[first].is_some() {
                continue;
            }
            turned[first] = Some(false);
            let mut queue = vec![first];
            while let Some(t) = queue.pop() {
                for [a, b] in sides(&self.triangles[t]).map(|edge| edge.map(|i| points[&i])) {
                    let along = (a < b) != (turned[t] == Some(true));
                    for &(other, other_along) in &beside[&[a.min(b), a.max(b)]] {
                        if turned[other].is_none() {
                            turned[other] = Some(other_along == along);
                            queue.push(other);
                        }
                    }
                }
            }
        }
        let all = self.triangles.iter_mut().zip(turned);
        all.filter(|(_, turned)| *turned == Some(true)).for_each(|(triangle, _)| triangle.swap(1, 2));
    }
}

/// The edges of a triangle, in its direction.
fn sides(&[a, b, c]: &[u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// The points of a gas: particles, those that are sewn together as one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chamber {
    /// Points of each triangle.
    corners: Vec<[u32; 3]>,
    /// Point and particle, ascending.
    members: Vec<(u32, u32)>,
    /// Where the points are \[m\], and ∂V/∂x \[m²\].
    at: Vec<DVec3>,
    slope: Vec<DVec3>,
}

impl Chamber {
    /// V \[m³\] at x; leaves ∂V/∂x in `slope`.
    pub fn volume(&mut self, x: &[DVec3]) -> f64 {
        let Chamber { corners, members, at, slope } = self;
        // From one of them, so that digits do not go to where the whole is.
        let origin = members.first().map_or(DVec3::ZERO, |&(_, i)| x[i as usize]);
        for same in members.chunk_by(|a, b| a.0 == b.0) {
            let sum: DVec3 = same.iter().map(|&(_, i)| x[i as usize] - origin).sum();
            at[same[0].0 as usize] = sum / same.len() as f64;
        }
        slope.fill(DVec3::ZERO);
        let mut volume = 0.0;
        for corners in corners.iter() {
            let [a, b, c] = corners.map(|i| at[i as usize]);
            let normal = (b - a).cross(c - a) / 6.0;
            volume += normal.dot(a);
            corners.iter().for_each(|&i| slope[i as usize] += normal);
        }
        volume
    }

    /// Every particle with ∂V/∂x of it \[m²\]: that of its point, shared with those it is sewn to.
    pub fn slopes(&self) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        let points = self.members.chunk_by(|a, b| a.0 == b.0);
        points.flat_map(|same| {
            let share = self.slope[same[0].0 as usize] / same.len() as f64;
            same.iter().map(move |&(_, i)| (i as usize, share))
        })
    }

    /// The pressure \[Pa\] of a gas in this volume, when it has all its air.
    pub fn pressure(gas: &Gas, volume: f64) -> f64 {
        gas.pressure * gas.volume / volume.max(LEAST * gas.volume)
    }
}

impl Model {
    /// Let bodies hold air: `pressure` \[Pa\] above that outside when it fills `volume` \[m³\], if not given that of the
    /// rest pose; pumped in from one time until another \[s\], or there from the start. Particles joined by the links of
    /// [`Model::sew`] close the bodies together. Refused where they are open.
    pub fn inflate(
        &mut self,
        bodies: &[usize],
        pressure: f64,
        volume: Option<f64>,
        filling: Option<(f64, f64)>,
    ) -> Result<(), Error> {
        let own = |i: u32| bodies.contains(&self.tag(i as usize));
        let triangles: Vec<[u32; 3]> = self.triangles.iter().copied().filter(|t| own(t[0])).collect();
        if triangles.is_empty() {
            let remedy = "only what has a closed surface of triangles holds air";
            return Err(Error::setting("pressure", pressure, remedy));
        }
        let seams = self.links.iter().filter(|link| link.closing.is_some());
        let pairs = seams.filter_map(|link| match link.weights[..] {
            [(a, _), (b, _)] if own(a) && own(b) => Some([a, b]),
            _ => None,
        });
        let mut gas = Gas { triangles, sewn: pairs.collect(), pressure, volume: 1.0, filling };
        gas.orient();
        let mut rest = gas.chamber().volume(&self.rest);
        if rest < 0.0 {
            gas.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
            rest = -rest;
        }
        gas.volume = volume.unwrap_or(rest);
        gas.check(self.gases.len(), self.particles())?;
        self.gases.push(gas);
        Ok(())
    }

    /// Let the air out of what is no longer closed: of whose triangles some are gone. How many lose it.
    pub(crate) fn deflate(&mut self) -> usize {
        let sorted = |t: &[u32; 3]| {
            let mut t = *t;
            t.sort_unstable();
            t
        };
        let before = self.gases.len();
        let there: BTreeSet<[u32; 3]> = self.triangles.iter().map(sorted).collect();
        self.gases.retain(|gas| gas.triangles.iter().all(|t| there.contains(&sorted(t))));
        before - self.gases.len()
    }
}
