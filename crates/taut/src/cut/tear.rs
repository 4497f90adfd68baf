//! Tearing: where the edges of a surface or the links of a strand are too long, something opens.
//!
//! An edge beyond its limit gives way at one of its ends, the one whose edges are strained more in the mean; if nothing can
//! open there, at the other. With θ the angle from the edge around the particle, laid out flat, a side of the edge opens
//! along the spoke that is nearest to the plane across it:
//!
//! ```text
//!            edge                    inside: both sides, θ nearest to Θ/4 and to 3Θ/4, Θ the angle all around
//!             |  /                   at the rim: on each side the spoke of θ nearest to π/2. The rim itself is open
//!         ====p====  opens           already: what opens are those of the spokes chosen that lie inside
//!           / | \\
//! ```
//!
//! So a particle inside becomes the middle of a slit of two edges, and at the end of a slit it grows by one. What opens in a
//! step opens together, as one cut.

use super::cells::{Cells, sorted};
use super::path::Opening;
use super::{MOST_COPIES, Path};
use crate::math::atan2;
use crate::shapes::{Fan, beside, fans};
use crate::{Model, Tear};
use glam::DVec3;
use std::collections::BTreeSet;
use std::f64::consts::FRAC_PI_2;

/// What can tear in a model.
#[derive(Debug, Default)]
pub(crate) struct Tears {
    /// Edges of surfaces and threads of bodies that tear, each once.
    edges: Vec<Edge>,
    /// The fans of triangles around each particle.
    fans: Vec<Vec<Fan>>,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    ends: [u32; 2],
    /// Length at rest \[m\].
    length: f64,
    /// The strain it bears.
    limit: f64,
    /// The spring that it is, if it is a thread.
    thread: Option<u32>,
    body: u32,
}

/// What opens: a thread, or spokes of a particle.
enum Rip {
    Thread(u32),
    Spokes(u32, [Option<u32>; 2]),
}

impl Tears {
    pub fn new(model: &Model) -> Self {
        let tear = |p: u32| model.bodies.get(model.tag(p as usize)).and_then(|body| body.tear);
        if model.bodies.iter().all(|body| body.tear.is_none()) {
            return Tears::default();
        }
        let cells = Cells::new(model);
        let mut around = vec![Vec::new(); model.particles()];
        let mut sides = BTreeSet::new();
        for (number, (&triangle, &cell)) in model.triangles.iter().zip(cells.of_triangles()).enumerate() {
            if tear(triangle[0]).is_none() || cells.of(cell).len() != 3 {
                continue;
            }
            for corner in triangle {
                let [a, b] = beside(triangle, corner);
                around[corner as usize].push((number, [a, b]));
                sides.insert(sorted([a, b]));
            }
        }
        let edge = |ends: [u32; 2], length: f64, thread: Option<u32>| {
            let limit = tear(ends[0])?.limit(ends.map(|p| model.original(p)));
            let body = model.tag(ends[0] as usize) as u32;
            (length > 0.0).then_some(Edge { ends, length, limit, thread, body })
        };
        let at_rest = |[a, b]: [u32; 2]| model.rest[a as usize].distance(model.rest[b as usize]);
        let mut edges: Vec<Edge> =
            sides.into_iter().filter_map(|ends| edge(ends, at_rest(ends), None)).collect();
        for (number, spring) in (0..).zip(&model.springs) {
            if tear(spring.ends[0]).is_some() && !cells.accompany(spring.ends) {
                edges.extend(edge(sorted(spring.ends), spring.rest_length, Some(number)));
            }
        }
        Tears { edges, fans: around.iter().map(|around| fans(around)).collect() }
    }

    /// Whether anything gives way at these positions \[m\].
    pub fn due(&self, model: &Model, x: &[DVec3]) -> bool {
        room_for_copies(model)
            && self.edges.iter().any(|edge| edge.load(x) > 1.0 && self.rip(edge, model, x).is_some())
    }

    /// What opens at these positions: of each body the edges furthest beyond their limits, of equals those of lower number.
    pub fn opening(&self, model: &Model, x: &[DVec3]) -> Opening {
        let mut loaded: Vec<(f64, &Edge)> =
            self.edges.iter().map(|edge| (edge.load(x), edge)).filter(|(load, _)| *load > 1.0).collect();
        loaded.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut left: Vec<u32> =
            model.bodies.iter().map(|body| body.tear.map_or(0, |tear: Tear| tear.most)).collect();
        let (mut path, mut open) = (Path::default(), BTreeSet::new());
        for (_, edge) in loaded {
            let left = &mut left[edge.body as usize];
            // What is beside an opening of this step is relieved first.
            if *left == 0 || edge.ends.iter().any(|p| open.contains(p)) {
                continue;
            }
            match self.rip(edge, model, x) {
                Some(Rip::Thread(spring)) => _ = path.springs.insert(spring),
                Some(Rip::Spokes(p, spokes)) => {
                    open.insert(p);
                    path.edges.extend(spokes.into_iter().flatten().map(|spoke| sorted([p, spoke])));
                }
                None => continue,
            }
            *left -= 1;
        }
        path.into()
    }

    /// What opens where an edge gives way, if anything can.
    fn rip(&self, edge: &Edge, model: &Model, x: &[DVec3]) -> Option<Rip> {
        if let Some(spring) = edge.thread {
            return Some(Rip::Thread(spring));
        }
        let [a, b] = edge.ends;
        let order = if self.strain(b, model, x) > self.strain(a, model, x) { [b, a] } else { [a, b] };
        let [near, far] = [[order[0], order[1]], [order[1], order[0]]];
        [near, far].into_iter().find_map(|[p, end]| Some(Rip::Spokes(p, self.across(p, end, x)?)))
    }

    /// The mean strain of the edges around a particle.
    fn strain(&self, p: u32, model: &Model, x: &[DVec3]) -> f64 {
        let spokes = || self.fans[p as usize].iter().flat_map(|fan| &fan.spokes);
        let of = |&q: &u32| {
            let [at, rest] = [x, &model.rest].map(|x| x[p as usize].distance(x[q as usize]));
            if rest > 0.0 { at / rest - 1.0 } else { 0.0 }
        };
        spokes().map(of).sum::<f64>() / spokes().count().max(1) as f64
    }

    /// The spokes of a particle that are nearest to the plane across the edge to `end`: those that can open.
    fn across(&self, p: u32, end: u32, x: &[DVec3]) -> Option<[Option<u32>; 2]> {
        let fan = self.fans[p as usize].iter().find(|fan| fan.spokes.contains(&end))?;
        let (count, sides) = (fan.spokes.len(), fan.triangles.len());
        let start = fan.spokes.iter().position(|&spoke| spoke == end)?;
        let arm = |k: usize| x[fan.spokes[k % count] as usize] - x[p as usize];
        let angle = |k: usize| atan2(arm(k).cross(arm(k + 1)).length(), arm(k).dot(arm(k + 1)));
        // Of the next spokes on one side, at growing angles, the one nearest to a right one.
        let nearest = |spokes: &mut dyn Iterator<Item = (usize, f64)>, right: f64| {
            let (mut sum, mut best) = (0.0, None);
            for (spoke, more) in spokes {
                sum += more;
                let miss = (sum - right).abs();
                if best.is_none_or(|(_, least)| miss < least) {
                    best = Some((spoke, miss));
                }
            }
            best.map(|(spoke, _)| spoke)
        };
        if fan.is_closed() {
            let right = (0..sides).map(angle).sum::<f64>() / 4.0;
            let one = nearest(&mut (1..count - 1).map(|k| (k, angle(start + k - 1))), right)?;
            let other = nearest(&mut (one + 1..count).rev().map(|k| (k, angle(start + k))), right)?;
            return Some([one, other].map(|k| Some(fan.spokes[(start + k) % count])));
        }
        let after = nearest(&mut (start + 1..count).map(|k| (k, angle(k - 1))), FRAC_PI_2);
        let before = nearest(&mut (0..start).rev().map(|k| (k, angle(k))), FRAC_PI_2);
        let inside = |k: Option<usize>| k.filter(|&k| k > 0 && k < count - 1).map(|k| fan.spokes[k]);
        let chosen = [inside(after), inside(before)];
        chosen.iter().any(Option::is_some).then_some(chosen)
    }
}

impl Edge {
    /// Its strain, in those it bears.
    fn load(&self, x: &[DVec3]) -> f64 {
        let [a, b] = self.ends.map(|p| x[p as usize]);
        (a.distance(b) / self.length - 1.0) / self.limit
    }
}

/// Whether another copy may be made. What would need more stays as it is, however long.
fn room_for_copies(model: &Model) -> bool {
    model.copies.len() < MOST_COPIES * (model.particles() - model.copies.len())
}
