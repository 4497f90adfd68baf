//! Scenes: text that builds a Model, a State and everything a run needs.
//!
//! A scene is a TOML file (Y up, metres, kilograms, seconds; `scenes/reference.toml` explains every key). The
//! ones that come with taut are compiled in and found by name.
//!
//! ```
//! # fn main() -> Result<(), taut::Error> {
//! let scene = taut::Scene::parse("flag", r#"
//!     duration = 1.0
//!     [[body]]
//!     grid = { columns = 21, rows = 15, width = 0.9, height = 0.6 }
//!     fabric = "cotton"
//!     [[pin]]
//!     at = ["left"]
//! "#, None)?;
//! let mut simulation = scene.simulation()?;
//! for _ in 0..scene.frames {
//!     simulation.step()?;
//! }
//! # Ok(()) }
//! ```

mod around;
mod body;
mod builtin;
mod configure;
mod elements;
mod event;
mod fabric;
mod generate;
mod join;
mod log;
mod method;
mod odd;
mod place;
mod replace;
mod select;
mod settings;
mod solid;
mod staging;
mod starter;
mod syntax;
mod text;

pub use builtin::{BUILTIN, Builtin};
pub use fabric::{FABRICS, Fabric, SOLIDS, Solid, fabric};
pub use settings::{FORMATS, Output, Viewpoint};
pub use toml::{Table, Value};

use crate::collision::Obstacle;
use crate::doctor::short;
use crate::mesh_io::Mesh;
use crate::script::{Event, Recorded};
use crate::words::suggest;
use crate::{Error, Method, Model, Settings, Simulation, State, input, measure};
use body::Bodies;
use place::{Source, WHOLE};
use std::path::{Path, PathBuf};
use text::SceneText;

/// Largest scene file that is read \[bytes\]: minutes of a hand in every step.
const MOST_TEXT: usize = 1 << 24;
/// Most frames and steps per frame a scene may ask for: beyond, it is a slip of the pen.
const MOST_STEPS: f64 = 1e7;

/// Longest step taken by default where there are solids, the ground too \[s\]: silk draped over a ball stretches by half
/// at 1/30 s and hardly at all at 1/240 s.
const CONTACT_STEP: f64 = 1.0 / 240.0;
/// Distance kept from solids, in mean rest lengths: the sag of an edge over a ball of two edges' radius.
const USUAL_MARGIN: f64 = 0.25;

/// A scene, built and ready to run.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Name: of the file without its ending, or of the built-in scene.
    pub name: String,
    /// One line on what it shows.
    pub title: String,
    /// The text it was built from.
    pub text: String,
    /// 64-bit hash of the text, for outputs to name what they came from.
    pub hash: u64,
    /// What is fixed during a step.
    pub model: Model,
    /// Where it starts.
    pub state: State,
    /// How steps are taken. Their length is that of [`Scene::time_step`].
    pub settings: Settings,
    /// Frames to make.
    pub frames: usize,
    /// Frames per second of simulated time \[1/s\].
    pub frames_per_second: f64,
    /// Steps per frame.
    pub substeps: usize,
    /// Timed events.
    pub events: Vec<Event>,
    /// What was done to it in an earlier run, and is to be done again.
    pub log: Vec<Recorded>,
    /// Rigid obstacles.
    pub obstacles: Vec<Obstacle>,
    /// Where pictures are taken from.
    pub camera: Viewpoint,
    /// What a run writes, and where.
    pub output: Output,
    /// Colour index of each body (see [`render::Style`](crate::render::Style)).
    pub colours: Vec<u8>,
    /// All bodies as one mesh, with the vertices, polygons, texture coordinates and names their files had.
    pub mesh: Mesh,
    /// Remarks of mesh loaders: what was welded or dropped.
    pub notes: Vec<String>,
    /// Where it is from.
    pub origin: Origin,
}

/// Where a scene is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Path of its file, or its name.
    pub file: String,
    /// Where mesh files are looked up.
    pub folder: Option<PathBuf>,
    /// Whether mesh files may lie elsewhere.
    pub trusted: bool,
}

impl Scene {
    /// Load a scene: a path to a TOML file, or the name of a built-in one. Mesh files are looked up in the scene's folder
    /// and those below it.
    pub fn load(name: &str) -> Result<Self, Error> {
        Scene::open(name, false)
    }

    /// The same, with mesh files anywhere: for a scene that you trust with your files.
    pub fn load_trusted(name: &str) -> Result<Self, Error> {
        Scene::open(name, true)
    }

    fn open(name: &str, trusted: bool) -> Result<Self, Error> {
        if let Some(builtin) = BUILTIN.iter().find(|b| b.name == name) {
            return Scene::parse(builtin.name, builtin.text, None);
        }
        if starter::is_mesh(name) {
            return Err(starter::instead_of(name));
        }
        if !name.contains(['/', '\\']) && !name.ends_with(".toml") && !Path::new(name).exists() {
            let names: Vec<&str> = BUILTIN.iter().map(|b| b.name).collect();
            let remedy =
                suggest(name, &names, "a scene file ends in .toml; `taut scenes` describes those built in:");
            return Err(Error::file(name, None, "there is no scene of this name", remedy));
        }
        let path = Path::new(name);
        let bytes = input::read(path, MOST_TEXT as u64)?;
        let text = String::from_utf8(bytes).map_err(|e| {
            let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line = good.iter().filter(|&&b| b == b'\n').count() + 1;
            let byte = e.as_bytes()[good.len()];
            Error::file(
                name,
                Some(line),
                format!("the byte {byte:#x} is not UTF-8"),
                "save the scene as UTF-8 text",
            )
        })?;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Source { file: name, text: &text, folder: Some(folder), trusted, places: &[] }.scene()
    }

    /// Build a scene from its text. Mesh files are looked up in `folder` and nowhere else.
    pub fn parse(name: &str, text: &str, folder: Option<&Path>) -> Result<Self, Error> {
        check_size(name, text.len() as u64)?;
        Source { file: name, text, folder, trusted: false, places: &[] }.scene()
    }

    /// A simulation at the start of the scene.
    pub fn simulation(&self) -> Result<Simulation, Error> {
        let (model, state) = (self.model.clone(), self.state.clone());
        let settings = Settings { time_step: self.time_step(), ..self.settings.clone() };
        let mut simulation = Simulation::with_state(model, state, settings)?;
        simulation.set_script(self.events.clone())?;
        simulation.set_obstacles(self.obstacles.clone())?;
        simulation.replay(self.log.clone())?;
        Ok(simulation)
    }

    /// Time step \[s\].
    pub fn time_step(&self) -> f64 {
        1.0 / (self.frames_per_second * self.substeps as f64)
    }
}

impl Source<'_> {
    fn scene(&self) -> Result<Scene, Error> {
        self.build(toml::from_str(self.text).map_err(|e| self.syntax(&e))?)
    }

    fn build(&self, text: SceneText) -> Result<Scene, Error> {
        let positive = |key: &str, own: Option<f64>, usual| self.positive(0, key, own.unwrap_or(usual));
        let frames_per_second = positive("frames_per_second", text.frames_per_second, 30.0)?;
        let duration = positive("duration", text.duration, 5.0)?;
        // What falls on a solid in long steps is crushed before it is stopped.
        let longest = if text.solid.is_empty() { f64::INFINITY } else { CONTACT_STEP };
        let usual = longest.min(1.0 / frames_per_second);
        let step = positive("time_step", text.time_step, usual)?;
        // A step that does not divide the frame is shortened until it does.
        let substeps = (1.0 / (frames_per_second * step) - 1e-9).ceil().max(1.0);
        let frames = (duration * frames_per_second).round().max(1.0);
        if frames > MOST_STEPS {
            let remedy = format!("asks for {frames:.3e} frames; at most {MOST_STEPS:e} are made");
            return Err(self.bad(0, "duration", duration, &remedy));
        }
        if substeps > MOST_STEPS {
            let remedy = format!("asks for {substeps:.3e} steps per frame; at most {MOST_STEPS:e} are taken");
            return Err(self.bad(0, "time_step", step, &remedy));
        }
        if text.body.is_empty() {
            let remedy = "add a [[body]] with grid, strands, mesh, solid or dress";
            return Err(self.error(WHOLE, "the scene has no body", remedy));
        }

        // Settings before bodies: a mistake in them need not wait for meshes.
        // The usual method needs constant stiffness.
        let choi_ko = text.body.iter().any(|body| body.get_ref().model.as_deref() == Some("choi_ko"));
        let usual = if choi_ko { Method::AdaptiveImex(Default::default()) } else { Method::default() };
        let (own, start) =
            text.method.as_ref().map_or_else(Default::default, |m| (m.get_ref().clone(), m.span().start));
        let (method, scheme, precision) = self.method(&own, usual, start)?;
        let limit = text.limit.as_ref().map(|l| self.limit(l.get_ref(), l.span().start)).transpose()?;
        let contact = text.contact.as_ref().map(|c| self.contact(c.get_ref(), c.span().start)).transpose()?;
        let gravity = self.vector(0, "gravity", text.gravity.unwrap_or([0.0, -9.81, 0.0]))?;
        let air = self.air(text.air.as_ref())?;
        let camera = self.view(text.camera.as_ref())?;
        let output = self.output(text.output.as_ref())?;
        let (damping, conserve) = self.damping(text.damping.as_ref())?;
        let model = Model { gravity, air, ..Model::default() };
        let mut bodies = Bodies::new(model);
        if step > (1.0 + 1e-9) / frames_per_second {
            bodies.notes.push(format!(
                "time_step = {step} s is longer than a frame: steps of a frame, {} s, are taken; lower \
                 frames_per_second for longer ones",
                short(1.0 / frames_per_second)
            ));
        }
        let tear = text.tear.as_ref();
        bodies.tear = self.tear(tear.map(|t| t.get_ref()), tear.map_or(0, |t| t.span().start))?;
        text.body.iter().try_for_each(|body| bodies.add(self, body))?;
        text.seam.iter().try_for_each(|seam| bodies.sew(self, seam))?;
        text.attachment.iter().try_for_each(|one| bodies.attach(self, one))?;
        bodies.inflate(self, &text.body)?;
        let pins = bodies.pins(self, &text.pin)?;

        let margin = USUAL_MARGIN * bodies.model.mean_rest_length();
        let shapes = text.solid.iter().filter(|s| s.get_ref().mesh.is_none());
        let obstacles = shapes.map(|s| self.obstacle(s, margin)).collect::<Result<_, _>>()?;
        let (stepped, timed): (Vec<_>, Vec<_>) = text.event.iter().partition(|e| e.get_ref().step.is_some());
        let log = stepped.into_iter().map(|e| self.recorded(e)).collect::<Result<_, _>>()?;
        let events = timed.into_iter().map(|e| self.event(e, &bodies, &pins));
        let mut events = events.collect::<Result<Vec<_>, _>>()?.concat();
        for solid in &text.solid {
            events.extend(bodies.add_solid(self, solid, margin, [frames_per_second, duration])?);
        }
        let named = Path::new(self.file).file_stem().map(|s| s.to_string_lossy().into_owned());
        let name = named.unwrap_or_else(|| self.file.to_string());
        let scene = Scene {
            title: text.title.or(text.description).unwrap_or_else(|| name.clone()),
            name,
            text: self.text.to_string(),
            hash: measure::fnv(self.text.bytes()),
            model: bodies.model,
            state: bodies.state,
            settings: Settings {
                scheme,
                precision,
                // What the scene does not say is the fabrics' own.
                damping: damping(bodies.damping),
                conserve,
                limit,
                contact: contact.unwrap_or_default(),
                ..Settings::new(method, 1.0 / (frames_per_second * substeps))
            },
            frames: frames as usize,
            frames_per_second,
            substeps: substeps as usize,
            events,
            log,
            obstacles,
            camera,
            output,
            colours: bodies.colours,
            mesh: bodies.mesh,
            notes: bodies.notes,
            origin: Origin {
                file: self.file.to_string(),
                folder: self.folder.map(Path::to_path_buf),
                trusted: self.trusted,
            },
        };
        // Whatever the engine would refuse is refused now, with the file's name.
        scene.simulation().map_err(|e| self.error(WHOLE, e, ""))?;
        Ok(scene)
    }
}

fn check_size(name: &str, bytes: u64) -> Result<(), Error> {
    if bytes <= MOST_TEXT as u64 {
        return Ok(());
    }
    let remedy = format!("at most {MOST_TEXT}: put large data into mesh files");
    Err(Error::file(name, None, format!("the scene has {bytes} bytes"), remedy))
}
