//! Bending of sheets and strands: ½ B ∫ κ² dA as squares of linear forms in the positions, on any triangulation.
//!
//! To converge, forms must be exact on quadratic functions and balance constant moments. Single hinges and quadratic fits
//! fail one or the other: on general meshes they are 0.75 to 3 times as stiff as they should be, by direction. Here every
//! vertex has at most three forms, from the edges e between two triangles that meet at it. In the plane, with warp a,
//! weft b and the unit normal n of an edge:
//!
//! ```text
//! Kₑ   the cotangent form of an edge and its two triangles: |e| times the jump of the slope across it
//! n̂ₑ = (n_a², n_b², √2 n_a n_b)                 qₑ = Kₑ applied to (a²/2, b²/2, ab/√2)
//! G = ½ Σ sym(qₑ n̂ₑᵀ),   g = tr G/3             inside, g is a third of the area of the triangles around
//! U: an orthonormal basis of the n̂ₑ            Ĝ = UᵀGU/g, eigenvalues raised to at least 0.4
//! C = diag(B_warp, B_weft, √(B_warp B_weft))
//! links: the rows of g^(−½) (UᵀCU)^½ Ĝ^(−½) Uᵀ ½ Σ n̂ₑ Kₑ,   k = 1 N/m,  r = 0
//! ```
//!
//! The triangles around a vertex are laid out in a plane one after the other, so that a curved mesh is bent by its rest
//! pose: this cloth wants to be flat. What is missing of a full turn, or left over, falls to one edge. Edges of three and more
//! triangles do not resist, and neither do tips where triangles share a vertex alone.

use super::fan::{Fan, beside, fans};
use super::zero_or_more;
use crate::linear::nearest::{Square, eigen};
use crate::model::Weave;
use crate::{Error, Link};
use glam::{DVec2, DVec3};

/// Least eigenvalue of Ĝ: at corners it can be zero.
const LEAST: f64 = 0.4;
/// Largest size of a cotangent form: slivers count less.
const SLIVER: f64 = 30.0;
/// Weights this much smaller than others of a link are zeros.
const ROUNDING: f64 = 1e-13;
/// What is left of a unit vector that lies in the span of others.
const DEPENDENT: f64 = 1e-8;

/// Links that make a triangle mesh resist bending, with rigidities along warp and weft \[N·m\], in the rest pose \[m\].
/// `warp` has the direction of the warp for every triangle; what it has along the normal does not count.
pub fn bending(
    rest: &[DVec3],
    triangles: &[[u32; 3]],
    warp: &[DVec3],
    rigidity: [f64; 2],
) -> Result<Vec<Link>, Error> {
    zero_or_more("rigidity", rigidity[0])?;
    zero_or_more("rigidity", rigidity[1])?;
    let sheet = Sheet { rest, triangles, warp, rigidity };
    sheet.check()?;
    let mut around = vec![Vec::new(); rest.len()];
    for (t, &triangle) in triangles.iter().enumerate() {
        for v in triangle {
            around[v as usize].push((t, beside(triangle, v)));
        }
    }
    let mut links = Vec::new();
    for (v, around) in around.iter().enumerate() {
        fans(around).iter().for_each(|fan| sheet.links(v as u32, fan, &mut links));
    }
    Ok(links)
}

/// The same around one particle, of which these are all triangles.
pub(crate) fn bending_around(v: u32, rest: &[DVec3], triangles: &[[u32; 3]], weave: Weave) -> Vec<Link> {
    let (warp, rigidity) = (vec![weave.warp; triangles.len()], weave.rigidity);
    let sheet = Sheet { rest, triangles, warp: &warp, rigidity };
    let around: Vec<_> = triangles.iter().map(|&t| beside(t, v)).enumerate().collect();
    let mut links = Vec::new();
    fans(&around).iter().for_each(|fan| sheet.links(v, fan, &mut links));
    links
}

/// Links that make a strand of particles resist bending, with a rigidity \[N·m²\]. At every inner particle, between
/// steps of lengths l and m: ½ B κ² over half of both, with κ the change of direction over this length. A strand that is
/// curved at rest wants to be straight.
pub fn strand_bending(rest: &[DVec3], strand: &[u32], rigidity: f64) -> Result<Vec<Link>, Error> {
    zero_or_more("rigidity", rigidity)?;
    let mut links = Vec::new();
    for ends in strand.windows(3) {
        let [a, b, c] = [ends[0], ends[1], ends[2]].map(|i| rest[i as usize]);
        let (l, m) = (b.distance(a), c.distance(b));
        if l == 0.0 || m == 0.0 {
            let (index, problem) = (ends[1] as usize, "is where its neighbour on the strand is".to_string());
            let remedy = "move one of them, or leave it out";
            return Err(Error::Model { element: "particle", index, problem, remedy });
        }
        let size = (2.0 * rigidity / (l + m)).sqrt();
        let weights = [size / l, -(size / l + size / m), size / m];
        // The middle first: from there the others are counted.
        let order = [1, 0, 2].map(|n: usize| (ends[n], weights[n]));
        links.push(Link::new(order.to_vec(), 0.0, 1.0));
    }
    Ok(links)
}

/// A triangle at a vertex, laid out in a plane.
#[derive(Debug, Clone, Copy)]
struct Corner {
    /// Lengths of the spokes before and after it \[m\].
    lengths: [f64; 2],
    /// The rotation from the one to the other, a complex number.
    turn: DVec2,
    /// Cotangents at the vertex and at the ends of the spokes.
    cotangents: [f64; 3],
    /// Warp direction relative to the spoke before it.
    warp: DVec2,
}

/// The product of complex numbers.
fn product(a: DVec2, b: DVec2) -> DVec2 {
    DVec2::new(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
}

fn conjugate(a: DVec2) -> DVec2 {
    DVec2::new(a.x, -a.y)
}

struct Sheet<'a> {
    rest: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    warp: &'a [DVec3],
    rigidity: [f64; 2],
}

impl Sheet<'_> {
    fn check(&self) -> Result<(), Error> {
        let bad = |index, problem: String, remedy| {
            Err(Error::Model { element: "triangle", index, problem, remedy })
        };
        if self.warp.len() != self.triangles.len() {
            let (index, count) = (self.warp.len().min(self.triangles.len()), self.warp.len());
            return bad(index, format!("there are {count} warp directions"), "give one for every triangle");
        }
        for (index, (t, warp)) in self.triangles.iter().zip(self.warp).enumerate() {
            let [a, b, c] = t.map(|i| self.rest[i as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            if normal == DVec3::ZERO {
                return bad(
                    index,
                    "has no area in the rest pose".into(),
                    "remove it, or move its corners apart",
                );
            }
            if (*warp - normal * normal.dot(*warp)).length() <= DEPENDENT * warp.length() {
                let problem = format!("its warp direction {warp} is zero or along its normal");
                return bad(index, problem, "give a direction in its plane");
            }
        }
        Ok(())
    }

    /// The k-th triangle of a fan.
    fn corner(&self, v: u32, fan: &Fan, k: usize) -> Corner {
        let at = |i: u32| self.rest[i as usize];
        let spokes = [k, (k + 1) % fan.spokes.len()].map(|k| at(fan.spokes[k]) - at(v));
        let ([p, q], lengths) = (spokes, spokes.map(DVec3::length));
        let (area, dot) = (p.cross(q).length(), p.dot(q));
        let along = p / lengths[0];
        let across = (q - along * along.dot(q)).normalize();
        let warp = self.warp[fan.triangles[k]];
        Corner {
            lengths,
            turn: DVec2::new(dot, area).normalize(),
            cotangents: [dot / area, p.dot(p - q) / area, q.dot(q - p) / area],
            warp: DVec2::new(along.dot(warp), across.dot(warp)).normalize_or_zero(),
        }
    }

    /// The links of the edges between the triangles of a fan.
    fn links(&self, v: u32, fan: &Fan, links: &mut Vec<Link>) {
        let (sides, count) = (fan.triangles.len(), fan.spokes.len());
        let corners: Vec<Corner> = (0..sides).map(|k| self.corner(v, fan, k)).collect();
        // Directions of the spokes, and of the warp in the mean.
        let (mut spokes, mut warp) = (vec![DVec2::X], DVec2::ZERO);
        for corner in &corners {
            let spoke = spokes[spokes.len() - 1];
            warp += product(corner.warp, spoke);
            spokes.push(product(spoke, corner.turn));
        }
        let warp = conjugate(warp.normalize_or(DVec2::X));
        let mut ring = Ring { weights: vec![[0.0; 3]; count + 1], gram: [[0.0; 3]; 3], normals: Vec::new() };
        let first = usize::from(count > sides);
        for k in first..sides {
            let before = (k + sides - 1) % sides;
            let places = [0, 1 + k, 1 + (k + 1) % count, 1 + (k + count - 1) % count];
            ring.add(places, product(spokes[k], warp), &corners[before], &corners[k]);
        }
        let particles: Vec<u32> = std::iter::once(v).chain(fan.spokes.iter().copied()).collect();
        let weave = Some(Weave { warp: self.mean_warp(fan), rigidity: self.rigidity });
        for row in ring.rows(self.rigidity) {
            let weights = ring.weights.iter().map(|w| (0..3).map(|n| row[n] * w[n]).sum::<f64>());
            let mut weights: Vec<(u32, f64)> = particles.iter().copied().zip(weights).collect();
            let largest = weights.iter().fold(0.0, |m: f64, (_, w)| m.max(w.abs()));
            weights.retain(|(_, w)| w.abs() > ROUNDING * largest);
            links.push(Link { weave, ..Link::new(weights, 0.0, 1.0) });
        }
    }

    /// Direction of the warp in the triangles of a fan.
    fn mean_warp(&self, fan: &Fan) -> DVec3 {
        let in_plane = |&t: &usize| {
            let [a, b, c] = self.triangles[t].map(|i| self.rest[i as usize]);
            let normal = (b - a).cross(c - a).normalize();
            (self.warp[t] - normal * normal.dot(self.warp[t])).normalize_or_zero()
        };
        fan.triangles.iter().map(in_plane).sum()
    }
}

/// The sums over the edges around a vertex.
struct Ring {
    /// ½ Σ n̂ₑ Kₑ for the vertex and the ends of its spokes.
    weights: Vec<[f64; 3]>,
    /// G.
    gram: Square<3>,
    normals: Vec<DVec3>,
}

impl Ring {
    /// Add the edge in direction `spoke` from the vertex, between two triangles. `places` has the vertex, the end
    /// of the edge, the corner after it and the one before.
    fn add(&mut self, places: [usize; 4], spoke: DVec2, before: &Corner, after: &Corner) {
        let form = [
            -(before.cotangents[2] + after.cotangents[1]),
            -(before.cotangents[0] + after.cotangents[0]),
            after.cotangents[0] + after.cotangents[1],
            before.cotangents[0] + before.cotangents[2],
        ];
        let size = form.iter().map(|w| w * w).sum::<f64>().sqrt();
        let form = form.map(|w| w * (SLIVER / size).min(1.0));
        let points = [
            DVec2::ZERO,
            spoke * after.lengths[0],
            product(spoke, after.turn) * after.lengths[1],
            product(spoke, conjugate(before.turn)) * before.lengths[0],
        ];
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let mut q = DVec3::ZERO;
        for (w, p) in form.iter().zip(points) {
            q += *w * DVec3::new(0.5 * p.x * p.x, 0.5 * p.y * p.y, half * p.x * p.y);
        }
        let n = DVec2::new(-spoke.y, spoke.x);
        let normal = DVec3::new(n.x * n.x, n.y * n.y, 2.0 * half * n.x * n.y);
        for (i, row) in self.gram.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += 0.25 * (q[i] * normal[j] + q[j] * normal[i]);
            }
        }
        for (place, w) in places.into_iter().zip(form) {
            (0..3).for_each(|n| self.weights[place][n] += 0.5 * w * normal[n]);
        }
        self.normals.push(normal);
    }

    /// The rows of g^(−½) (UᵀCU)^½ Ĝ^(−½) Uᵀ.
    fn rows(&self, [warp, weft]: [f64; 2]) -> Vec<[f64; 3]> {
        let basis = basis(&self.normals);
        let g = (self.gram[0][0] + self.gram[1][1] + self.gram[2][2]) / 3.0;
        let c = [[warp, 0.0, 0.0], [0.0, weft, 0.0], [0.0, 0.0, (warp * weft).sqrt()]];
        let stiff = function(inside(&basis, &c), |value| value.max(0.0).sqrt());
        let even = function(inside(&basis, &self.gram), |value| (value / g).max(LEAST).sqrt().recip());
        let rows = (0..basis.len()).map(|i| {
            let factor =
                |k: usize| (0..basis.len()).map(|j| stiff[i][j] * even[j][k]).sum::<f64>() / g.sqrt();
            let row = (0..basis.len()).fold(DVec3::ZERO, |sum, k| sum + factor(k) * basis[k]);
            row.to_array()
        });
        rows.filter(|row| row.iter().any(|w| *w != 0.0)).collect()
    }
}

/// An orthonormal basis of the span of some unit vectors: the one that sticks out most, time after time.
fn basis(vectors: &[DVec3]) -> Vec<DVec3> {
    let (mut left, mut found) = (vectors.to_vec(), Vec::new());
    while found.len() < 3 {
        let longest = left.iter().copied().reduce(|a, b| if b.length() > a.length() { b } else { a });
        let Some(u) = longest.filter(|u| u.length() > DEPENDENT).map(DVec3::normalize) else { break };
        left.iter_mut().for_each(|v| *v -= u * u.dot(*v));
        found.push(u);
    }
    found
}

/// UᵀMU, in as many rows and columns as the basis has.
fn inside(basis: &[DVec3], m: &Square<3>) -> Square<3> {
    let entry = |u: &DVec3, v: &DVec3| {
        (0..3).map(|i| (0..3).map(|j| u[i] * m[i][j] * v[j]).sum::<f64>()).sum::<f64>()
    };
    let mut out = [[0.0; 3]; 3];
    for (i, u) in basis.iter().enumerate() {
        for (j, v) in basis.iter().enumerate() {
            out[i][j] = 0.5 * (entry(u, v) + entry(v, u));
        }
    }
    out
}

/// A function of a symmetric matrix.
fn function(m: Square<3>, of: impl Fn(f64) -> f64) -> Square<3> {
    let (values, vectors) = eigen(m);
    let values = values.map(of);
    let entry = |i: usize, j: usize| (0..3).map(|n| vectors[n][i] * values[n] * vectors[n][j]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}
