//! One mesh at many times: numbered OBJ or PLY files, or a point cache with the mesh that it moves.
//!
//! Vertices are welded as in the mesh that gives the faces; in other frames each welded vertex is where the first of its
//! vertices is. So what touches by chance in one frame is not joined there.

use super::pc2::Cache;
use super::{Mesh, ending, plain, raw, read, siblings};
use crate::Error;
use crate::input::{self, MOST_BYTES};
use glam::DVec3;
use std::path::{Path, PathBuf};

/// A mesh and its positions, frame by frame.
#[derive(Debug, Clone)]
pub struct Sequence {
    /// The mesh that gives faces and welding: the one given, or that of the first frame.
    pub mesh: Mesh,
    /// For each welded vertex the first vertex of the file that became it.
    first: Vec<u32>,
    frames: Frames,
}

#[derive(Debug, Clone)]
enum Frames {
    Files(Vec<PathBuf>),
    Cache(String, Cache),
}

impl Sequence {
    /// The sequence in one `.pc2` file, which needs a mesh, or in OBJ or PLY files, one per frame, in this order.
    pub fn open(files: Vec<PathBuf>, mesh: Option<Mesh>) -> Result<Self, Error> {
        let Some(start) = files.first() else {
            return Err(Error::file("frames", None, "there are none", "name OBJ, PLY or PC2 files"));
        };
        let name = start.to_string_lossy().into_owned();
        let (mesh, frames) = if ending(&name) == "pc2" {
            if files.len() > 1 {
                let problem = "is one of several files, but holds a whole sequence";
                return Err(Error::file(name, None, problem, "name one PC2 file"));
            }
            let Some(mesh) = mesh else {
                let problem = "holds points without faces";
                return Err(Error::file(name, None, problem, "name the mesh that they belong to as well"));
            };
            let cache = Cache::read(&name, input::read(start, MOST_BYTES)?)?;
            (mesh, Frames::Cache(name, cache))
        } else {
            let mesh = mesh.map_or_else(|| read(start), Ok)?;
            (mesh, Frames::Files(files))
        };
        let mut first = vec![u32::MAX; mesh.positions.len()];
        for (own, &welded) in mesh.original.vertices.iter().enumerate().rev() {
            first[welded as usize] = own as u32;
        }
        let sequence = Sequence { mesh, first, frames };
        sequence.check_cache()?;
        Ok(sequence)
    }

    fn check_cache(&self) -> Result<(), Error> {
        let vertices = self.mesh.original.vertices.len();
        match &self.frames {
            Frames::Cache(name, cache) if cache.points != vertices => {
                let problem = format!("has {} points, but the mesh has {vertices} vertices", cache.points);
                Err(Error::file(name, None, problem, "name the mesh that was exported with it"))
            }
            _ => Ok(()),
        }
    }

    /// How many frames there are.
    pub fn len(&self) -> usize {
        match &self.frames {
            Frames::Files(files) => files.len(),
            Frames::Cache(_, cache) => cache.samples,
        }
    }

    /// Whether there is no frame; there always is one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a frame is called in messages: its file, or its number in the file.
    pub fn name(&self, frame: usize) -> String {
        match &self.frames {
            Frames::Files(files) => files[frame].to_string_lossy().into_owned(),
            Frames::Cache(name, _) => format!("{name}, sample {frame}"),
        }
    }

    /// The number in the files, counted from 0, of a welded vertex: that of the first vertex that became it.
    pub fn vertex(&self, welded: u32) -> u32 {
        self.first[welded as usize]
    }

    /// The positions of the welded vertices in a frame \[m\]; they may be infinite or not a number.
    pub fn positions(&self, frame: usize) -> Result<Vec<DVec3>, Error> {
        let all = match &self.frames {
            Frames::Files(files) => self.read(&files[frame])?,
            Frames::Cache(_, cache) => cache.sample(frame),
        };
        Ok(self.first.iter().map(|&own| all[own as usize]).collect())
    }

    /// The vertices of a file with the faces of the mesh.
    fn read(&self, file: &Path) -> Result<Vec<DVec3>, Error> {
        let name = file.to_string_lossy();
        let bytes = input::read(file, MOST_BYTES)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let frame = raw(&name, &plain(&bytes), &|other| siblings::read_inside(folder, other))?;
        let (own, found) = (&self.mesh.original, &frame.original);
        let differs = |what: &str, expected: usize, found: usize| {
            let problem = format!("has {found} {what}, but the mesh has {expected}");
            Err(Error::file(&*name, None, problem, "all frames must be of one mesh"))
        };
        if own.vertices.len() != frame.positions.len() {
            return differs("vertices", own.vertices.len(), frame.positions.len());
        }
        if own.face_ends.len() != found.face_ends.len() {
            return differs("faces", own.face_ends.len(), found.face_ends.len());
        }
        let faces = own.faces().zip(found.faces());
        let mut same = faces.map(|(a, b)| own.corners[a] == found.corners[b]);
        if let Some(face) = same.position(|same| !same) {
            let problem = format!("face {face} joins other vertices than in the mesh");
            return Err(Error::file(&*name, None, problem, "all frames must be of one mesh"));
        }
        Ok(frame.positions)
    }
}
