//! Results as files: meshes while the simulation runs, pictures and animations when it has ended.

use crate::args::{Common, Format};
use crate::files;
use crate::signals::Signals;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use taut::export::{Animation, Film, write_glb, write_html};
use taut::render::Gif;
use taut::{DVec3, Error, Scene, mesh_io};

/// Collects frames and writes them.
pub struct Outputs<'a> {
    scene: &'a Scene,
    formats: Vec<Format>,
    folder: PathBuf,
    size: (usize, usize),
    animation: Animation,
    comments: Vec<String>,
    meshes: usize,
    /// Files written, in order.
    pub written: Vec<PathBuf>,
}

impl<'a> Outputs<'a> {
    /// Check that results can be written; `usual` is the format if none was asked for.
    pub fn new(scene: &'a Scene, common: &Common, usual: Format) -> Result<Self, Error> {
        let mut formats = if common.format.is_empty() { vec![usual] } else { common.format.clone() };
        formats.retain(|&f| f != Format::None);
        if formats.contains(&Format::Gif) && !(0.01..=50.0).contains(&scene.frames_per_second) {
            let remedy = "a GIF plays 0.01 to 50 per second: choose another --format, such as glb,html";
            return Err(Error::setting("frames_per_second", scene.frames_per_second, remedy));
        }
        if !formats.is_empty() {
            files::make_folder(&common.out)?;
        }
        let comments = vec![
            format!("taut {}", env!("CARGO_PKG_VERSION")),
            format!("scene {} {:016x}", scene.name, scene.hash),
        ];
        Ok(Outputs {
            scene,
            formats,
            folder: common.out.clone(),
            size: common.size,
            animation: Animation::of_scene(scene),
            comments,
            meshes: 0,
            written: Vec::new(),
        })
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}{ending}", self.scene.name))
    }

    fn has(&self, format: Format) -> bool {
        self.formats.contains(&format)
    }

    /// Take a frame; mesh sequences are written at once.
    pub fn frame(&mut self, positions: &[DVec3]) -> Result<(), Error> {
        if [Format::Gif, Format::Png, Format::Glb, Format::Html].iter().any(|&f| self.has(f)) {
            self.animation.push(positions)?;
        }
        let (number, mesh, comments) = (self.meshes, &self.scene.mesh, &self.comments);
        self.meshes += 1;
        if self.has(Format::Obj) {
            let path = self.path(&format!("_{number:04}.obj"));
            let path = files::write(&path, |out| mesh_io::write_obj(mesh, positions, out, comments))?;
            self.written.push(path);
        }
        if self.has(Format::Ply) {
            let path = self.path(&format!("_{number:04}.ply"));
            let path = files::write(&path, |out| mesh_io::write_ply(mesh, positions, out, comments))?;
            self.written.push(path);
        }
        Ok(())
    }

    /// Write pictures and animations of the frames so far. A further signal leaves out what is not begun.
    pub fn finish(&mut self, bar: &ProgressBar, signals: &Signals, interrupted: bool) -> Result<(), Error> {
        let give_up = || !interrupted && signals.seen().is_some();
        if self.has(Format::Glb) {
            let path = files::write(&self.path(".glb"), |out| write_glb(&self.animation, out))?;
            self.written.push(path);
        }
        if self.has(Format::Html) && !give_up() {
            let path = files::write(&self.path(".html"), |out| write_html(&self.animation, out))?;
            self.written.push(path);
        }
        if (self.has(Format::Gif) || self.has(Format::Png)) && !give_up() {
            self.pictures(bar, &give_up)?;
        }
        Ok(())
    }

    fn pictures(&mut self, bar: &ProgressBar, give_up: &dyn Fn() -> bool) -> Result<(), Error> {
        let (width, height) = self.size;
        let frames = self.animation.frames.len();
        bar.set_length(frames as u64);
        bar.set_position(0);
        bar.set_message("pictures");
        let mut film = Film::new(&self.animation, &self.scene.camera, width, height)?;
        let comment = self.comments.join(", ");
        let target = self.path(".gif");
        let mut gif = match self.has(Format::Gif) {
            true => {
                let draft = files::Draft::new(&target)?;
                Some(Gif::new(draft, width, height, self.animation.frames_per_second)?.comment(&comment))
            }
            false => None,
        };
        for frame in 0..frames {
            // Stopped while drawing: what is drawn becomes the film.
            if frame > 0 && give_up() {
                break;
            }
            let picture = film.picture(frame);
            if let Some(gif) = &mut gif {
                gif.frame(picture).map_err(|e| named(&target, e))?;
            }
            if self.formats.contains(&Format::Png) {
                let path = self.folder.join(format!("{}_{frame:04}.png", self.scene.name));
                self.written.push(files::write(&path, |out| picture.write_png(out, &comment))?);
            }
            bar.inc(1);
        }
        if let Some(gif) = gif {
            self.written.push(gif.finish().map_err(|e| named(&target, e))?.finish()?);
        }
        Ok(())
    }
}

/// Writers do not know where they write to.
fn named(path: &Path, e: Error) -> Error {
    match e {
        Error::File { problem, .. } => {
            Error::file(path.to_string_lossy(), None, problem, "check space and permissions")
        }
        other => other,
    }
}
