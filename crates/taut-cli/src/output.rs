//! Results as files: meshes while the simulation runs, pictures and animations when it has ended.

use crate::args::{Common, Format};
use crate::inspect::count;
use crate::signals::Signals;
use clap::ValueEnum;
use indicatif::ProgressBar;
use std::ops::Range;
use std::path::{Path, PathBuf};
use taut::export::{Film, write_glb, write_html};
use taut::render::Gif;
use taut::run::{Recording, comments, files};
use taut::{Error, Scene, Simulation};

/// What a command writes.
pub enum Kind {
    /// Numbered frames, and films of them.
    Film,
    /// One picture or mesh of how things hang at rest, without a number.
    Still,
}

/// Collects frames and writes them.
pub struct Outputs<'a> {
    scene: &'a Scene,
    kind: Kind,
    formats: Vec<Format>,
    folder: PathBuf,
    size: (usize, usize),
    recording: Recording,
    comments: Vec<String>,
    meshes: usize,
    claims: Vec<files::Claim>,
    /// Pictures drawn, where a signal kept the others from it.
    pub drawn: Option<usize>,
    /// Name of the files, without numbers and endings.
    pub name: String,
    /// Files written, in order.
    pub written: Vec<PathBuf>,
}

impl<'a> Outputs<'a> {
    /// Check that results can be written: frames from number `first` of the scene on. The command line counts before the
    /// scene, the scene before what is usual.
    pub fn new(scene: &'a Scene, common: &Common, kind: Kind, first: usize) -> Result<Self, Error> {
        let still = matches!(kind, Kind::Still);
        let (usual, wishes) = (if still { Format::Png } else { Format::Gif }, &scene.output);
        let mut formats = common.format.clone();
        if formats.is_empty() {
            let word = |w: &String| Format::from_str(w, false).expect("the scene was checked");
            // One picture is no film.
            let word = |w| if still && word(w) == Format::Gif { Format::Png } else { word(w) };
            formats = wishes.formats.iter().map(word).collect();
        }
        if formats.is_empty() {
            formats.push(usual);
        }
        formats.retain(|&f| f != Format::None);
        if formats.contains(&Format::Gif) && !(0.01..=50.0).contains(&scene.frames_per_second) {
            let remedy =
                "a GIF plays 0.01 to 50 frames per second: choose another --format, such as glb,html";
            return Err(Error::setting("frames_per_second", scene.frames_per_second, remedy));
        }
        let folder = common.out.clone().or_else(|| wishes.folder.clone()).unwrap_or_else(|| "out".into());
        if !formats.is_empty() {
            files::make_folder(&folder)?;
        }
        let comments = comments(scene);
        let mut outputs = Outputs {
            scene,
            kind,
            formats,
            folder,
            size: common.size.or(wishes.size).unwrap_or((640, 480)),
            recording: Recording::new(scene, first),
            comments,
            meshes: 0,
            claims: Vec::new(),
            drawn: None,
            name: if still { format!("{}_rest", scene.name) } else { scene.name.clone() },
            written: Vec::new(),
        };
        outputs.claim()?;
        Ok(outputs)
    }

    /// Frames of two runs would mix under one name. A still is one file, so it is whole whoever comes last; all it needs
    /// is a name for a file.
    fn claim(&mut self) -> Result<(), Error> {
        let first = |format: &Format| match format {
            Format::Gif => self.film_path("gif"),
            Format::Glb => self.film_path("glb"),
            Format::Html => self.film_path("html"),
            Format::Png => self.frame_path(0, "png"),
            Format::Obj => self.frame_path(0, "obj"),
            Format::Ply => self.frame_path(0, "ply"),
            Format::None => unreachable!("left out above"),
        };
        let mut targets = self.formats.iter().map(first);
        match self.kind {
            Kind::Film => {
                self.claims = targets.map(|target| files::Claim::new(&target)).collect::<Result<_, _>>()?
            }
            Kind::Still => targets.try_for_each(|target| files::check(&target))?,
        }
        Ok(())
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.name))
    }

    /// The file of all frames. That of a resumed run is named after its first frame: it is another part of the film.
    fn film_path(&self, ending: &str) -> PathBuf {
        match self.recording.animation.first {
            0 => self.path(ending),
            first => self.folder.join(format!("{}_from_{first:04}.{ending}", self.name)),
        }
    }

    /// The file of one frame, by its number in the scene.
    fn frame_path(&self, number: usize, ending: &str) -> PathBuf {
        match self.kind {
            Kind::Film => self.folder.join(format!("{}_{number:04}.{ending}", self.name)),
            Kind::Still => self.path(ending),
        }
    }

    fn has(&self, format: Format) -> bool {
        self.formats.contains(&format)
    }

    /// Numbers of the frames taken so far.
    pub fn numbers(&self) -> Range<usize> {
        self.recording.animation.first..self.recording.animation.first + self.meshes
    }

    /// Take a frame; mesh sequences are written at once.
    pub fn frame(&mut self, simulation: &Simulation) -> Result<(), Error> {
        let positions = simulation.positions();
        self.recording.follow(self.scene, simulation.model());
        if [Format::Gif, Format::Png, Format::Glb, Format::Html].iter().any(|&f| self.has(f)) {
            self.recording.animation.push(positions)?;
        }
        for (format, ending) in [(Format::Obj, "obj"), (Format::Ply, "ply")] {
            if self.has(format) {
                let path = self.frame_path(self.numbers().end, ending);
                let (mesh, comments) = (self.recording.mesh(self.scene), &self.comments);
                self.written.push(files::write(&path, |out| files::mesh(mesh, positions, comments, out))?);
            }
        }
        self.meshes += 1;
        Ok(())
    }

    /// Write pictures and animations of the frames so far. A further signal leaves out what is not begun; what cannot
    /// be written does not keep the others from being tried.
    pub fn finish(&mut self, bar: &ProgressBar, signals: &Signals, interrupted: bool) -> Result<(), Error> {
        let give_up = || !interrupted && signals.seen().is_some();
        let mut outcome = Ok(());
        // Nothing was made: a resumed run that ended in its first frame.
        if self.recording.animation.frames.is_empty() {
            return outcome;
        }
        if self.has(Format::Glb) {
            let written =
                files::write(&self.film_path("glb"), |out| write_glb(&self.recording.animation, out));
            outcome = outcome.and(written.map(|path| self.written.push(path)));
        }
        if self.has(Format::Html) && !give_up() {
            let written =
                files::write(&self.film_path("html"), |out| write_html(&self.recording.animation, out));
            outcome = outcome.and(written.map(|path| self.written.push(path)));
        }
        if self.has(Format::Gif) || self.has(Format::Png) {
            outcome = outcome.and(self.pictures(bar, &give_up));
        }
        outcome
    }

    fn pictures(&mut self, bar: &ProgressBar, give_up: &dyn Fn() -> bool) -> Result<(), Error> {
        if give_up() {
            self.drawn = Some(0);
            return Ok(());
        }
        let (width, height) = self.size;
        let frames = self.recording.animation.frames.len();
        bar.set_length(frames as u64);
        bar.set_position(0);
        bar.set_message("pictures");
        let mut film = Film::new(&self.recording.animation, width, height)?;
        let comment = self.comments.join(", ");
        let target = self.film_path("gif");
        let mut gif = match self.has(Format::Gif) {
            true => {
                let draft = files::Draft::new(&target)?;
                Some(
                    Gif::new(draft, width, height, self.recording.animation.frames_per_second)?
                        .comment(&comment),
                )
            }
            false => None,
        };
        for frame in 0..frames {
            // Stopped while drawing: what is drawn becomes the film.
            if frame > 0 && give_up() {
                self.drawn = Some(frame);
                break;
            }
            let picture = film.picture(frame);
            if let Some(gif) = &mut gif {
                gif.frame(picture).map_err(|e| files::named(&target, e))?;
            }
            if self.formats.contains(&Format::Png) {
                let path = self.frame_path(self.recording.animation.first + frame, "png");
                self.written.push(files::write(&path, |out| picture.write_png(out, &comment))?);
            }
            bar.inc(1);
        }
        if let Some(gif) = gif {
            self.written.push(gif.finish().map_err(|e| files::named(&target, e))?.finish()?);
        }
        Ok(())
    }
}

impl Outputs<'_> {
    /// Numbered frames that an earlier, longer run left behind: they would be the end of this one's film.
    fn leftovers(&self) -> Vec<PathBuf> {
        let stale = |path: &PathBuf| self.number(path).is_some_and(|number| number >= self.numbers().end);
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = entries.map(|e| e.path()).filter(stale).collect();
        found.sort();
        found
    }

    /// The number of a frame that this run may write, by the name of its file.
    fn number(&self, file: &Path) -> Option<usize> {
        let sequences = [(Format::Obj, "obj"), (Format::Ply, "ply"), (Format::Png, "png")];
        let (stem, ending) = file.file_name()?.to_str()?.rsplit_once('.')?;
        sequences.iter().find(|(format, e)| self.has(*format) && *e == ending)?;
        let digits = stem.strip_prefix(self.name.as_str())?.strip_prefix('_')?;
        digits.parse().ok().filter(|n| format!("{n:04}") == digits)
    }

    /// Refuse another file that the results would replace, or that would replace one of them.
    pub fn refuse(&self, option: &str, file: &Path) -> Result<(), Error> {
        let films = [(Format::Gif, "gif"), (Format::Glb, "glb"), (Format::Html, "html")];
        let mut films = films.iter().filter(|(format, _)| self.has(*format)).map(|(_, e)| self.film_path(e));
        let result = films.any(|film| film.file_name() == file.file_name()) || self.number(file).is_some();
        let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let same = |path: &Path| std::fs::canonicalize(path).ok();
        if result && same(folder).is_some() && same(folder) == same(&self.folder) {
            let remedy = "a result of this run has that name: choose another";
            return Err(Error::setting(option, file.display(), remedy));
        }
        Ok(())
    }

    /// Remove those frames if this run is `complete`, else leave them; say so either way.
    pub fn sweep(&self, complete: bool, tell: bool) {
        let found = self.leftovers();
        let [first, ..] = found.as_slice() else { return };
        let first = first.display();
        if complete {
            let removed = found.iter().filter(|path| std::fs::remove_file(path).is_ok()).count();
            if tell {
                let removed = count(removed, "frame", "frames");
                say!("note: removed {removed} of an earlier, longer run, from {first} on");
            }
        } else if tell {
            let (count, are) =
                (count(found.len(), "frame", "frames"), if found.len() == 1 { "is" } else { "are" });
            say!("note: {count} of an earlier, longer run {are} still there, from {first} on");
        }
    }
}
