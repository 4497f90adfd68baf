//! The frames of a run, and files of them.

use super::files;
use crate::export::{Animation, Film, write_glb, write_html};
use crate::mesh_io::Mesh;
use crate::render::Gif;
use crate::{Error, Model, Scene, Simulation};
use glam::DVec3;
use std::path::{Path, PathBuf};

/// The frames of a run, whatever is cut in the course of it.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The frames.
    pub animation: Animation,
    /// All bodies, if they have been cut.
    mesh: Option<Mesh>,
    /// Particles, springs, links and triangles of the last frame: fewer or more after a cut.
    counts: [usize; 4],
}

impl Recording {
    /// No frame yet; the next is number `first` of the scene.
    pub fn new(scene: &Scene, first: usize) -> Self {
        let animation = Animation { first, ..Animation::of_scene(scene) };
        Recording { animation, mesh: None, counts: counts(&scene.model) }
    }

    /// All bodies, cut as they are.
    pub fn mesh<'a>(&'a self, scene: &'a Scene) -> &'a Mesh {
        self.mesh.as_ref().unwrap_or(&scene.mesh)
    }

    /// Go on with a model that may have been cut since the last frame.
    pub fn follow(&mut self, scene: &Scene, model: &Model) {
        if counts(model) != self.counts {
            self.counts = counts(model);
            let mesh = self.mesh.insert(scene.mesh.parted(model));
            self.animation.follow(model, mesh);
        }
    }

    /// Append a frame: where everything is now.
    pub fn push(&mut self, scene: &Scene, simulation: &Simulation) -> Result<(), Error> {
        self.follow(scene, simulation.model());
        self.animation.push(simulation.positions())
    }

    /// Positions of all particles \[m\] in a frame, in the order of the model, as it is after all cuts: a copy that was not
    /// there yet is where its original is.
    pub fn positions(&self, frame: usize) -> Vec<[f32; 3]> {
        let Animation { frames, order, origin, .. } = &self.animation;
        let seen = &frames[frame];
        let placed =
            |p: &[f32; 3]| (*origin + DVec3::from_array(p.map(f64::from))).to_array().map(|c| c as f32);
        let mut positions = vec![[0.0; 3]; seen.len()];
        for (n, place) in seen.iter().enumerate() {
            positions[order.get(n).map_or(n, |&i| i as usize)] = placed(place);
        }
        positions
    }

    /// Write it as its ending says: all frames as .glb, .html or .gif, the last one as .png, .obj or .ply. Pictures have a
    /// `size` in pixels.
    pub fn save(&self, scene: &Scene, path: &Path, size: (usize, usize)) -> Result<PathBuf, Error> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let animation = &self.animation;
        animation.validate()?;
        let comments = comments(scene);
        match ending.as_str() {
            "glb" => files::write(path, |out| write_glb(animation, out)),
            "html" => files::write(path, |out| write_html(animation, out)),
            "gif" => files::write(path, |out| self.write_gif(size, &comments.join(", "), out)),
            "png" => {
                let mut film = Film::new(animation, size.0, size.1)?;
                let picture = film.picture(animation.frames.len() - 1);
                files::write(path, |out| picture.write_png(out, &comments.join(", ")))
            }
            "obj" | "ply" => {
                let last = self.positions(animation.frames.len() - 1);
                let last: Vec<DVec3> = last.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
                files::write(path, |out| files::mesh(self.mesh(scene), &last, &comments, out))
            }
            _ => {
                let remedy = "end the name in .glb, .html, .gif, .png, .obj or .ply";
                Err(Error::file(path.to_string_lossy(), None, "cannot write this format", remedy))
            }
        }
    }

    fn write_gif(
        &self,
        (width, height): (usize, usize),
        comment: &str,
        out: &mut files::Draft,
    ) -> Result<(), Error> {
        let mut film = Film::new(&self.animation, width, height)?;
        let mut gif = Gif::new(out, width, height, self.animation.frames_per_second)?.comment(comment);
        (0..self.animation.frames.len()).try_for_each(|frame| gif.frame(film.picture(frame)))?;
        gif.finish().map(drop)
    }
}

/// What files say about where they come from.
pub fn comments(scene: &Scene) -> Vec<String> {
    vec![format!("taut {}", env!("CARGO_PKG_VERSION")), format!("scene {} {:016x}", scene.name, scene.hash)]
}

/// What tells a model from itself after a cut.
fn counts(model: &Model) -> [usize; 4] {
    [model.particles(), model.springs.len(), model.links.len(), model.triangles.len()]
}
