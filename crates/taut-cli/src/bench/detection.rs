//! Continuous detection: pairs of a Curtain that is folded into layers and does not touch itself, by taut and by the
//! methods of ipc-toolkit (benches/peers/detect.py, which also says what a problem file holds).

use super::Session;
use super::case::{Case, flat, put, store};
use super::measure::{Burst, Contestant, timed};
use super::ours::threads;
use super::peer::Peer;
use super::race::{absent, facts};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use taut::geometry::{Kind, Tolerance, first_touch};
use taut::{DVec3, Error, Model};

const LAYERS: usize = 8;
/// Distance of the layers, and within which pairs are looked for \[m\].
pub const APART: f64 = 0.003;

/// A step of the folded Curtain in which nothing touches, and every pair that is near: indices of a vertex and a face,
/// of two edges.
pub struct Fold {
    /// Before it was folded.
    pub rest: Vec<DVec3>,
    pub start: Vec<DVec3>,
    pub end: Vec<DVec3>,
    edges: Vec<[u32; 2]>,
    pub faces: Vec<[u32; 3]>,
    vertex_face: Vec<[u32; 2]>,
    edge_edge: Vec<[u32; 2]>,
}

impl Fold {
    pub fn new(side: usize) -> Result<Fold, Error> {
        let Model { rest, triangles: faces, .. } = Case::curtain(side, 1000.0)?.model;
        let sides = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let edges: BTreeSet<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let edges: Vec<[u32; 2]> = edges.into_iter().collect();
        let [start, end] = folded(side);
        let space = |points: &[u32]| Space::of(points, &start, &end);
        let spaces_of_points: Vec<Space> = (0..start.len() as u32).map(|i| space(&[i])).collect();
        let spaces_of_edges: Vec<Space> = edges.iter().map(|e| space(e)).collect();
        let spaces_of_faces: Vec<Space> = faces.iter().map(|f| space(f)).collect();
        let vertex_face = near(&spaces_of_points, &spaces_of_faces, |v, f| !faces[f].contains(&(v as u32)));
        let edge_edge = near(&spaces_of_edges, &spaces_of_edges, |a, b| {
            a < b && !edges[a].iter().any(|v| edges[b].contains(v))
        });
        Ok(Fold { rest, start, end, edges, faces, vertex_face, edge_edge })
    }

    /// The same where it stays as it is.
    pub fn at_rest(mut self) -> Self {
        self.end.clone_from(&self.start);
        self
    }

    pub fn particles(&self) -> usize {
        self.start.len()
    }

    /// The four particles of every query of a kind.
    pub fn queries(&self, kind: Kind) -> Vec<[u32; 4]> {
        let face = |&[v, f]: &[u32; 2]| {
            let [a, b, c] = self.faces[f as usize];
            [v, a, b, c]
        };
        let edge = |&[e, f]: &[u32; 2]| {
            let ([a, b], [c, d]) = (self.edges[e as usize], self.edges[f as usize]);
            [a, b, c, d]
        };
        match kind {
            Kind::VertexFace => self.vertex_face.iter().map(face).collect(),
            Kind::EdgeEdge => self.edge_edge.iter().map(edge).collect(),
        }
    }

    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let Fold { start, end, edges, faces, vertex_face, edge_edge, .. } = self;
        let mut out = Vec::new();
        for count in [start.len(), edges.len(), faces.len(), vertex_face.len(), edge_edge.len()] {
            out.extend((count as u64).to_le_bytes());
        }
        put(&mut out, flat(start).chain(flat(end)));
        let tables = [
            edges.as_flattened(),
            faces.as_flattened(),
            vertex_face.as_flattened(),
            edge_edge.as_flattened(),
        ];
        tables.concat().iter().for_each(|i| out.extend(i.to_le_bytes()));
        store(path, &out)
    }
}

/// Where the particles of a folded Curtain are before and after the step.
pub fn folded(side: usize) -> [Vec<DVec3>; 2] {
    let (start, end) = (0..side * side).map(|i| step(i / side, i % side, side)).unzip();
    [start, end]
}

/// Where the particle in a row and column is before and after the step: layer upon layer, forth and back, not quite
/// flat; falling, and rippling by half a millimetre.
fn step(row: usize, column: usize, side: usize) -> (DVec3, DVec3) {
    let spacing = 1.0 / (side - 1) as f64;
    let columns = (side - 1) / LAYERS;
    let layer = (column / columns).min(LAYERS - 1);
    let along = (column - layer * columns) as f64;
    let along = if layer.is_multiple_of(2) { along } else { (columns - 1) as f64 - along };
    let wave = |frequency: f64, i: usize| (frequency * i as f64).sin();
    let i = row * side + column;
    let uneven = 1e-4 * DVec3::new(wave(12.9898, i), wave(78.233, i), wave(37.719, i));
    let start = DVec3::new(along * spacing, APART * layer as f64, row as f64 * spacing) + uneven;
    let ripple = DVec3::new(wave(0.7, column), wave(0.3, row) * wave(0.2, column), wave(0.11, row + column));
    (start, start + DVec3::new(0.01, -0.16, 0.02) + 5e-4 * ripple)
}

/// Boxes around a primitive at the start and at the end, grown by half the distance of the layers.
struct Space([[DVec3; 2]; 2]);

impl Space {
    fn of(points: &[u32], start: &[DVec3], end: &[DVec3]) -> Space {
        Space([start, end].map(|at| {
            let [low, high] = taut::bounds::extent(points.iter().map(|&i| at[i as usize]));
            [low - 0.5 * APART, high + 0.5 * APART]
        }))
    }

    /// On one side of each other along an axis, at both ends: then at all times between.
    fn is_apart(&self, other: &Space) -> bool {
        let below = |a: &Space, b: &Space| {
            let [start, end] = [0, 1].map(|i| a.0[i][1].cmplt(b.0[i][0]));
            (start & end).any()
        };
        below(self, other) || below(other, self)
    }
}

/// Every pair that is not apart and wanted. All are tried: this is not what is timed.
fn near(first: &[Space], second: &[Space], wanted: impl Fn(usize, usize) -> bool) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    for (i, a) in first.iter().enumerate() {
        let pairs = second.iter().enumerate().filter(|(j, b)| !a.is_apart(b) && wanted(i, *j));
        found.extend(pairs.map(|(j, _)| [i as u32, j as u32]));
    }
    found
}

/// taut and the peers on all queries of a kind. Who finds a contact is out: there is none.
pub fn contestants<'a>(
    kind: Kind,
    names: &[&str],
    fold: &'a Fold,
    session: &Session,
) -> Result<Vec<Contestant<'a>>, Error> {
    let problem = session.place.scratch(&format!("fold{}.problem", fold.particles()))?;
    fold.write(&problem)?;
    let make = |name: &&str| {
        (session.tell)(format!("preparing {name}"));
        let made = match *name {
            "taut" => ours(kind, fold),
            _ => session.detector.clone().and_then(|program| peer(kind, name, &program, &problem)),
        };
        made.unwrap_or_else(|reason| absent(name, reason))
    };
    Ok(names.iter().map(make).collect())
}

const FOUND: &str = "finds a contact where there is none";

fn ours(kind: Kind, fold: &Fold) -> Result<Contestant<'_>, String> {
    let (queries, pool) = (fold.queries(kind), threads(1));
    let detect = move || {
        let at = |points: &[DVec3], query: &[u32; 4]| query.map(|i| points[i as usize]);
        let touch = |q: &&[u32; 4]| {
            first_touch(kind, &at(&fold.start, q), &at(&fold.end, q), 0.0, Tolerance::default()).is_some()
        };
        queries.iter().filter(touch).count()
    };
    if detect() > 0 {
        return Err(FOUND.into());
    }
    let burst: Burst = Box::new(move |count| {
        Ok(timed(&pool, || (0..count).for_each(|_| _ = std::hint::black_box(detect()))))
    });
    Ok(Contestant { name: "taut".into(), ours: true, facts: facts(&[]), burst })
}

fn peer(kind: Kind, name: &str, program: &Path, problem: &Path) -> Result<Contestant<'static>, String> {
    let mut peer = Peer::start(program, name, problem)?;
    let word = match kind {
        Kind::VertexFace => "vertex_face",
        Kind::EdgeEdge => "edge_edge",
    };
    if peer.ask(&format!("{word} 1"))?.text("contacts") != "0" {
        return Err(FOUND.into());
    }
    let about = facts(&[("versions", json!(peer.versions))]);
    let burst: Burst = Box::new(move |count| Ok(peer.ask(&format!("{word} {count}"))?.seconds("")));
    Ok(Contestant { name: name.into(), ours: false, facts: about, burst })
}
