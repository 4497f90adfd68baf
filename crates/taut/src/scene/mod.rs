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

mod body;
mod builtin;
mod fabric;
mod generate;
mod method;
mod place;
mod select;
mod text;

pub use builtin::{BUILTIN, Builtin};
pub use fabric::{FABRICS, Fabric, fabric};

use crate::collision::Solid;
use crate::mesh_io::Mesh;
use crate::script::{Action, Event, Path as Track};
use crate::{Air, Damping, Error, Method, Model, Scheme, Simulation, State, StrainLimit, measure};
use body::Bodies;
use glam::DVec3;
use place::{Source, WHOLE};
use std::path::Path;
use text::{CameraText, EventText, MethodText, SceneText};

/// Largest scene file that is read \[bytes\].
const MOST_TEXT: usize = 1 << 20;
/// Most frames and steps per frame a scene may ask for: beyond, it is a slip of the pen.
const MOST_STEPS: f64 = 1e7;

/// Longest step taken by default where there are solids other than the ground \[s\]: silk draped over a ball stretches
/// by half at 1/30 s and hardly at all at 1/240 s.
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
    /// 64-bit hash of the text, for outputs to name what they came from.
    pub hash: u64,
    /// What is fixed during a step.
    pub model: Model,
    /// Where it starts.
    pub state: State,
    /// How steps are taken.
    pub method: Method,
    /// Time scheme of methods that minimise g.
    pub scheme: Scheme,
    /// Damping.
    pub damping: Damping,
    /// Strain limit, if any.
    pub limit: Option<StrainLimit>,
    /// Frames to make.
    pub frames: usize,
    /// Frames per second of simulated time \[1/s\].
    pub frames_per_second: f64,
    /// Steps per frame.
    pub substeps: usize,
    /// Timed events.
    pub events: Vec<Event>,
    /// Rigid obstacles.
    pub solids: Vec<Solid>,
    /// Where pictures are taken from.
    pub camera: View,
    /// Colour index of each body (see [`render::Style`](crate::render::Style)).
    pub colours: Vec<u8>,
    /// All bodies as one mesh, with the vertices, polygons, texture coordinates and names their files had.
    pub mesh: Mesh,
    /// Remarks of mesh loaders: what was welded or dropped.
    pub notes: Vec<String>,
}

/// Where pictures are taken from; what is not given is chosen to hold the whole animation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct View {
    /// Position of the eye \[m\].
    pub eye: Option<DVec3>,
    /// Point in the middle of the picture \[m\].
    pub target: Option<DVec3>,
    /// Direction of the eye, from +Z towards +X \[rad\].
    pub azimuth: Option<f64>,
    /// Height of the eye above the horizon \[rad\].
    pub elevation: Option<f64>,
    /// Vertical angle of view \[rad\].
    pub field_of_view: Option<f64>,
}

impl Scene {
    /// Load a scene: a path to a TOML file, or the name of a built-in one.
    pub fn load(name: &str) -> Result<Self, Error> {
        if let Some(builtin) = BUILTIN.iter().find(|b| b.name == name) {
            return Scene::parse(builtin.name, builtin.text, None);
        }
        if !name.contains(['/', '\\']) && !name.ends_with(".toml") && !Path::new(name).exists() {
            let names: Vec<&str> = BUILTIN.iter().map(|b| b.name).collect();
            let remedy = place::suggest(name, &names, "`taut scenes` lists them, a path ends in .toml");
            return Err(Error::file(name, None, "there is no scene of this name", remedy));
        }
        let path = Path::new(name);
        let too_large = |bytes: u64| {
            let remedy = format!("at most {MOST_TEXT}: put large data into mesh files");
            Error::file(name, None, format!("the scene has {bytes} bytes"), remedy)
        };
        let unread = |e: std::io::Error| Error::file(name, None, e, "check the path");
        let size = std::fs::metadata(path).map_err(unread)?.len();
        if size > MOST_TEXT as u64 {
            return Err(too_large(size));
        }
        let text = std::fs::read_to_string(path).map_err(unread)?;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Scene::parse(name, &text, Some(folder))
    }

    /// Build a scene from its text. Mesh files are looked up in `folder` and nowhere else.
    pub fn parse(name: &str, text: &str, folder: Option<&Path>) -> Result<Self, Error> {
        let source = Source { file: name, text, folder };
        if text.len() > MOST_TEXT {
            let remedy = format!("at most {MOST_TEXT}: put large data into mesh files");
            return Err(Error::file(name, None, format!("the scene has {} bytes", text.len()), remedy));
        }
        let scene: SceneText = toml::from_str(text).map_err(|e| source.syntax(&e))?;
        source.build(scene)
    }

    /// A simulation at the start of the scene.
    pub fn simulation(&self) -> Result<Simulation, Error> {
        let (model, state) = (self.model.clone(), self.state.clone());
        let mut simulation = Simulation::with_state(model, state, self.method.clone(), self.time_step())?;
        simulation.configure(self.method.clone(), self.damping, self.time_step())?;
        simulation.set_scheme(self.scheme)?;
        simulation.set_script(self.events.clone())?;
        simulation.set_limit(self.limit)?;
        simulation.set_solids(self.solids.clone())?;
        Ok(simulation)
    }

    /// Time step \[s\].
    pub fn time_step(&self) -> f64 {
        1.0 / (self.frames_per_second * self.substeps as f64)
    }
}

impl Source<'_> {
    fn build(&self, text: SceneText) -> Result<Scene, Error> {
        let positive = |key: &str, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(value),
            false => Err(self.bad(0, key, value, "must be positive and finite")),
        };
        let frames_per_second = positive("frames_per_second", text.frames_per_second.unwrap_or(30.0))?;
        let duration = positive("duration", text.duration.unwrap_or(5.0))?;
        // Solids push particles out after each step: long steps would carry cloth deep into them first.
        let touching = text.solid.iter().any(|s| s.get_ref().ground.is_none());
        let usual =
            if touching { CONTACT_STEP.min(1.0 / frames_per_second) } else { 1.0 / frames_per_second };
        let step = positive("time_step", text.time_step.unwrap_or(usual))?;
        // A step that does not divide the frame is shortened until it does.
        let substeps = (1.0 / (frames_per_second * step) - 1e-9).ceil().max(1.0);
        let frames = (duration * frames_per_second).round().max(1.0);
        if substeps > MOST_STEPS || frames > MOST_STEPS {
            let remedy =
                format!("asks for {frames} frames of {substeps} steps; at most {MOST_STEPS} of each");
            return Err(self.bad(0, "time_step", step, &remedy));
        }
        if text.body.is_empty() {
            let remedy = "add a [[body]] with grid, strands, mesh or solid";
            return Err(self.error(WHOLE, "the scene has no body", remedy));
        }

        // Settings before bodies: a mistake in them need not wait for meshes.
        let method = text
            .method
            .as_ref()
            .map_or(Ok(Method::default()), |m| self.method(m.get_ref(), m.span().start))?;
        let scheme = |m: &toml::Spanned<MethodText>| self.scheme(m.get_ref(), &method, m.span().start);
        let scheme = text.method.as_ref().map_or(Ok(Scheme::default()), scheme)?;
        let limit = text.limit.as_ref().map(|l| self.limit(l.get_ref(), l.span().start)).transpose()?;
        let gravity = self.vector("gravity", text.gravity.unwrap_or([0.0, -9.81, 0.0]))?;
        let mut model = Model { gravity, ..Model::default() };
        if let Some(air) = &text.air {
            let usual = Air { density: 1.2, ..Air::default() };
            model.air = Air {
                wind: self.vector("wind", air.wind.unwrap_or_default())?,
                density: air.density.unwrap_or(usual.density),
                drag: air.drag.unwrap_or(usual.drag),
                lift: air.lift.unwrap_or(usual.lift),
            };
        }
        let mut bodies = Bodies::new(model);
        text.body.iter().try_for_each(|body| bodies.add(self, body))?;
        let pins = bodies.pins(self, &text.pin)?;

        let margin = USUAL_MARGIN * bodies.model.mean_rest_length();
        let solids = text.solid.iter().map(|s| self.obstacle(s, margin)).collect::<Result<_, _>>()?;
        let event = |e: &toml::Spanned<EventText>| {
            let start = e.span().start;
            self.event(e.get_ref(), start, &bodies, &pins)
        };
        let events = text.event.iter().map(event).collect::<Result<Vec<_>, _>>()?.concat();
        let own = text.damping.unwrap_or_default();
        let damping = Damping {
            ether: own.ether.unwrap_or(1.0),
            rigid: own.rigid.unwrap_or(0.0),
            drag: own.drag.unwrap_or(0.0),
            material: own.material.unwrap_or(bodies.damping),
        };
        let camera = text.camera.map_or(Ok(View::default()), |c| self.view(&c))?;
        let named = Path::new(self.file).file_stem().map(|s| s.to_string_lossy().into_owned());
        let name = named.unwrap_or_else(|| self.file.to_string());
        let scene = Scene {
            title: text.title.or(text.description).unwrap_or_else(|| name.clone()),
            name,
            hash: measure::fnv(self.text.bytes()),
            model: bodies.model,
            state: bodies.state,
            method,
            scheme,
            damping,
            limit,
            frames: frames as usize,
            frames_per_second,
            substeps: substeps as usize,
            events,
            solids,
            camera,
            colours: bodies.colours,
            mesh: bodies.mesh,
            notes: bodies.notes,
        };
        // Whatever the engine would refuse is refused now, with the file's name.
        scene.simulation().map_err(|e| self.error(WHOLE, e, ""))?;
        Ok(scene)
    }

    fn view(&self, text: &CameraText) -> Result<View, Error> {
        let point = |key, v: Option<[f64; 3]>| v.map(|v| self.vector(key, v)).transpose();
        let angle = |key: &str, v: Option<f64>, low: f64, high: f64| match v {
            Some(v) if !(low..=high).contains(&v) => {
                Err(self.bad(0, key, v, &format!("must be between {low} and {high} degrees")))
            }
            _ => Ok(v.map(f64::to_radians)),
        };
        let (eye, target) = (point("eye", text.eye)?, point("target", text.target)?);
        if eye.is_some() && eye == target {
            return Err(self.bad(0, "eye", format!("{:?}", text.eye), "must not be where the target is"));
        }
        Ok(View {
            eye,
            target,
            azimuth: angle("azimuth", text.azimuth, -360.0, 360.0)?,
            elevation: angle("elevation", text.elevation, -89.0, 89.0)?,
            field_of_view: angle("field_of_view", text.field_of_view, 1.0, 150.0)?,
        })
    }

    fn event(
        &self,
        text: &EventText,
        start: usize,
        bodies: &Bodies,
        pins: &[select::Pin],
    ) -> Result<Vec<Event>, Error> {
        let named = |key: &str, name: &str| {
            let names: Vec<&str> = pins.iter().map(|p| p.name.as_str()).collect();
            let found = pins.iter().find(|p| p.name == name).map(|p| p.particles.clone());
            let remedy = place::suggest(name, &names, "give the [[pin]] this `name`");
            found.ok_or_else(|| self.bad(start, key, format!("{name:?}"), &remedy))
        };
        let mut actions = Vec::new();
        if let Some(name) = &text.movement {
            let keys = text.path.as_deref().unwrap_or_default();
            if keys.is_empty() {
                return Err(self.error(start, "a move needs a path", "path = [[time, x, y, z], ...]"));
            }
            let keys = keys.iter().map(|&[t, x, y, z]| (t, DVec3::new(x, y, z))).collect();
            actions.push(Action::Move { particles: named("move", name)?, path: Track { keys } });
        }
        if let Some(name) = &text.release {
            actions.push(Action::Release { particles: named("release", name)? });
        }
        if let Some(wind) = text.wind {
            actions.push(Action::Wind(self.vector("wind", wind)?));
        }
        if let Some(factor) = text.stiffness {
            let springs = match &text.body {
                Some(name) => bodies.find(self, name, start)?.springs.clone(),
                None => 0..bodies.model.springs.len(),
            };
            actions.push(Action::Stiffness { springs, factor });
        }
        if actions.is_empty() {
            return Err(self.error(
                start,
                "an event without an action",
                "add move, release, wind or stiffness",
            ));
        }
        Ok(actions.into_iter().map(|action| Event { time: text.time, action }).collect())
    }
}
