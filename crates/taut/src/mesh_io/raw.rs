//! What a reader collects, and the one door through which it becomes a [`Mesh`]: checked, welded, triangulated.
//!
//! Vertices weld where their coordinates are bit-equal (−0 counts as 0), in order of first appearance: seams
//! and soups are exact copies, and a tolerance would have to guess what the modeller kept apart.

use super::{Mesh, NO_MATERIAL, NO_UV, Name, NameKind, Original, triangulate};
use crate::Error;
use glam::DVec3;
use std::collections::{BTreeMap, HashMap};

#[derive(Default)]
pub(super) struct RawMesh {
    /// Positions of the file's vertices \[m\].
    pub positions: Vec<DVec3>,
    /// Everything but `vertices`, which welding fills.
    pub original: Original,
    /// Tets over the file's vertices.
    pub tets: Vec<[u32; 4]>,
    /// Scalars per vertex of the file.
    pub attributes: BTreeMap<String, Vec<f64>>,
    pub notes: Vec<String>,
    /// Faces with fewer than three corners.
    pub slivers: usize,
    /// What is wrong with the first coordinate that is not finite.
    pub odd: Option<Error>,
}

impl RawMesh {
    /// Add a face over the file's vertices.
    pub fn face(&mut self, corners: &[u32]) {
        if corners.len() < 3 {
            self.slivers += 1;
            return;
        }
        self.original.corners.extend_from_slice(corners);
        self.original.face_ends.push(self.original.corners.len());
    }

    /// A coordinate of a vertex, as it is; a complaint is kept of the first that is not finite.
    pub fn coordinate(&mut self, value: f64, complain: impl FnOnce() -> Error) -> f64 {
        if !value.is_finite() {
            self.odd.get_or_insert_with(complain);
        }
        value
    }

    /// Name the faces that follow.
    pub fn name(&mut self, kind: NameKind, name: String) {
        let start = self.original.face_ends.len();
        self.original.names.push(Name { kind, name, faces: start..start });
    }

    /// Check, weld and triangulate.
    pub fn finish(mut self, file: &str) -> Result<Mesh, Error> {
        self.odd.take().map_or(Ok(()), Err)?;
        self.check(file)?;
        self.close_names();
        self.check_uvs();
        self.drop_bad_attributes();
        let (positions, first) = self.weld();
        let welded = &self.original.vertices;
        let mut tets: Vec<_> = self.tets.iter().map(|t| t.map(|i| welded[i as usize])).collect();
        let triangles = self.triangles(&positions, &mut tets);
        let attributes = self.weld_attributes(&first);
        Ok(Mesh { positions, triangles, tets, attributes, original: self.original, notes: self.notes })
    }

    fn check(&self, file: &str) -> Result<(), Error> {
        let n = self.positions.len();
        let fail = |problem: String, remedy: &str| Err(Error::file(file, None, problem, remedy));
        if n == 0 {
            return fail("there are no vertices".into(), "is this the right file?");
        }
        if n.max(self.tets.len()) > u32::MAX as usize / 4 {
            let problem = format!("{n} vertices and {} tets", self.tets.len());
            return fail(problem, "at most 1,073,741,823 are supported");
        }
        if let Some(i) = self.positions.iter().position(|p| !p.is_finite()) {
            let problem = format!("the position of vertex {i} is {}", self.positions[i]);
            return fail(problem, "positions must be finite");
        }
        for (face, range) in self.original.faces().enumerate() {
            if let Some(&i) = self.original.corners[range].iter().find(|&&i| i as usize >= n) {
                let problem = format!("face {face} uses vertex {i}, but there are {n}, counted from 0");
                return fail(problem, "indices must name a vertex of the file");
            }
        }
        if let Some(tet) = self.tets.iter().position(|t| t.iter().any(|&i| i as usize >= n)) {
            let problem = format!("tet {tet} uses vertices {:?}, but there are {n}", self.tets[tet]);
            return fail(problem, "indices count from 0 here");
        }
        Ok(())
    }

    /// A name lasts until the next of its kind.
    fn close_names(&mut self) {
        let mut ends = [self.original.face_ends.len(); 4];
        for name in self.original.names.iter_mut().rev() {
            name.faces.end = std::mem::replace(&mut ends[name.kind as usize], name.faces.start);
        }
    }

    fn check_uvs(&mut self) {
        let original = &mut self.original;
        if original.uvs.iter().flatten().any(|x| !x.is_finite()) {
            self.notes.push("texture coordinates are left out: some are not finite".into());
            (original.uvs, original.corner_uvs) = (Vec::new(), Vec::new());
        }
        if !original.corner_uvs.is_empty() {
            original.corner_uvs.resize(original.corners.len(), NO_UV);
        }
        if original.corner_uvs.iter().all(|&uv| uv == NO_UV) {
            original.corner_uvs = Vec::new();
        }
        if original.face_materials.iter().all(|&material| material == NO_MATERIAL) {
            original.face_materials = Vec::new();
        }
    }

    fn drop_bad_attributes(&mut self) {
        let (n, notes) = (self.positions.len(), &mut self.notes);
        self.attributes.retain(|name, values| {
            let bad = values.iter().position(|v| !v.is_finite());
            if let Some(i) = bad {
                notes.push(format!("attribute \"{name}\" is left out: it is {} at vertex {i}", values[i]));
            } else if values.len() != n {
                let found = values.len();
                notes.push(format!("attribute \"{name}\" is left out: {found} values for {n} vertices"));
            }
            bad.is_none() && values.len() == n
        });
    }

    /// Fill `original.vertices`; returns the welded positions and which of the file's vertices each came from.
    fn weld(&mut self) -> (Vec<DVec3>, Vec<u32>) {
        let (mut positions, mut first) = (Vec::new(), Vec::new());
        let mut known: HashMap<[u64; 3], u32> = HashMap::new();
        let mut weld = |(i, p): (usize, &DVec3)| {
            // Adding +0 turns −0 into +0 and leaves every other number alone.
            let p = *p + DVec3::ZERO;
            *known.entry(p.to_array().map(f64::to_bits)).or_insert_with(|| {
                positions.push(p);
                first.push(i as u32);
                positions.len() as u32 - 1
            })
        };
        self.original.vertices = self.positions.iter().enumerate().map(&mut weld).collect();
        let before = self.positions.len();
        if positions.len() < before {
            self.notes.push(format!("{before} vertices were welded into {}", positions.len()));
        }
        (positions, first)
    }

    fn triangles(&mut self, positions: &[DVec3], tets: &mut Vec<[u32; 4]>) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        let mut polygon = Vec::new();
        let (mut flat, mut first) = (0, None);
        for (face, range) in self.original.faces().enumerate() {
            polygon.clear();
            polygon.extend(self.original.corners[range].iter().map(|&i| self.original.vertices[i as usize]));
            let start = triangles.len();
            triangulate::triangulate(&polygon, positions, &mut triangles);
            let mut end = start;
            for i in start..triangles.len() {
                if all_different(&triangles[i]) {
                    triangles[end] = triangles[i];
                    end += 1;
                }
            }
            if end < triangles.len() {
                flat += triangles.len() - end;
                first.get_or_insert(face);
                triangles.truncate(end);
            }
        }
        let flat = flat + self.slivers;
        if flat > 0 {
            let first =
                first.map_or(String::new(), |face| format!(", the first in face {face}, counted from 0"));
            let what = "faces with fewer than three different corners were dropped";
            self.notes.push(format!("{flat} {what}{first}"));
        }
        let before = tets.len();
        tets.retain(|t| all_different(t));
        if tets.len() < before {
            let dropped = before - tets.len();
            self.notes.push(format!("{dropped} tets with fewer than four different corners were dropped"));
        }
        if triangles.is_empty() && tets.is_empty() {
            self.notes.push("there are no triangles and no tets: vertices only".into());
        }
        if triangles.is_empty() { triangulate::surface(positions, tets) } else { triangles }
    }

    fn weld_attributes(&mut self, first: &[u32]) -> BTreeMap<String, Vec<f64>> {
        let attributes = std::mem::take(&mut self.attributes);
        let mut weld = |(name, values): (String, Vec<f64>)| {
            let kept: Vec<f64> = first.iter().map(|&i| values[i as usize]).collect();
            let welded = self.original.vertices.iter().map(|&w| kept[w as usize]);
            let unequal = welded.zip(&values).filter(|(a, b)| a != *b).count();
            if unequal > 0 {
                let note = format!(
                    "attribute \"{name}\" differs at {unequal} welded vertices; the first value is kept"
                );
                self.notes.push(note);
            }
            (name, kept)
        };
        attributes.into_iter().map(&mut weld).collect()
    }
}

/// The triangles of a strip, wound like the first; those that only join two strips have a corner twice and are left
/// out.
pub(super) fn strip(corners: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    let wound = |(n, t): (usize, &[u32])| if n % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] };
    corners.windows(3).enumerate().map(wound).filter(|t| all_different(t))
}

fn all_different(corners: &[u32]) -> bool {
    corners.iter().enumerate().all(|(n, c)| !corners[..n].contains(c))
}
