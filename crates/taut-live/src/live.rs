//! The engine: what an exchange does.

use crate::command::Command;
use crate::reply::Reply;
use crate::report::{self, Taken};
use crate::running::Running;
use serde_json::{Value, json};
use std::path::PathBuf;
use taut::linear::Components;
use taut::scene::BUILTIN;
use taut::{Error, Scene, measure};

/// Wall-clock time of an exchange, unless it says otherwise \[s\].
const BUDGET: f64 = 0.03;

/// Scenes that keep real time in a browser: a second of them takes at most 0.8 s of one core as WebAssembly
/// (docs/benchmarks.md).
const LIVE: [&str; 12] = [
    "curtain",
    "curtain21",
    "brush",
    "brush_contact",
    "knives",
    "funnel",
    "incline",
    "hippo",
    "frog",
    "demo_stretched",
    "demo_limited",
    "demo_chaotic",
];

/// One simulation, asked in JSON and answering in bytes: see [the protocol](crate).
///
/// ```
/// let mut live = taut_live::Live::default();
/// live.exchange(br#"{"commands": [["scene", "curtain21"], ["step", 3]]}"#);
/// let reply = live.exchange(br#"{"until": 0.2, "topology": 1}"#);
/// assert_eq!(&reply[..4], b"RPRT");
/// ```
#[derive(Default)]
pub struct Live {
    running: Option<Running>,
    version: u32,
    /// Where scenes may find mesh files.
    folder: Option<PathBuf>,
    reply: Reply,
    errors: Vec<Value>,
}

impl Live {
    /// An engine whose scenes may read mesh files in a folder and those below it. (Without one they read none.)
    pub fn in_folder(folder: PathBuf) -> Self {
        Live { folder: Some(folder), ..Live::default() }
    }

    /// Go on with a scene.
    pub fn open(&mut self, scene: Scene) -> Result<(), Error> {
        self.running = Some(Running::new(scene)?);
        self.version += 1;
        Ok(())
    }

    /// Answer a request. What cannot be understood is answered with an error; nothing panics.
    pub fn exchange(&mut self, request: &[u8]) -> &[u8] {
        self.reply.clear();
        self.errors.clear();
        let request: Value = serde_json::from_slice(request).unwrap_or_else(|error| {
            let error = Error::setting("request", error, "is an object of JSON");
            self.errors.push(report::refused(None, &error));
            Value::Null
        });
        let (mut steps, mut hash) = (0, false);
        for (number, command) in request["commands"].as_array().into_iter().flatten().enumerate() {
            let made = Command::read(command).and_then(|command| match command {
                Command::Step(n) => {
                    steps = n;
                    Ok(())
                }
                Command::Hash => {
                    hash = true;
                    Ok(())
                }
                command => self.make(command),
            });
            if let Err(error) = made {
                self.errors.push(report::refused(Some(number), &error));
            }
        }
        let wanted = |what: &str| request["want"].as_array().is_some_and(|w| w.iter().any(|w| w == what));
        let taken = match &mut self.running {
            Some(running) => {
                running.simulation.measure_error(wanted("error"));
                let until = request["until"].as_f64().filter(|until| until.is_finite());
                let budget = request["budget"].as_f64().unwrap_or(BUDGET);
                running.take(steps, until, budget)
            }
            None => Taken::default(),
        };
        if let Some(running) = &mut self.running {
            self.version += u32::from(running.was_cut());
            self.errors.extend(running.late.take().map(|error| report::refused(None, &error)));
        }
        self.answer(&taken, request["topology"].as_u64(), hash, &wanted);
        self.reply.bytes()
    }

    fn answer(&mut self, taken: &Taken, known: Option<u64>, hash: bool, wanted: &dyn Fn(&str) -> bool) {
        let version = self.version;
        let Some(running) = &self.running else {
            let nothing = json!({ "version": version, "errors": self.errors });
            self.reply.text(b"RPRT", &nothing.to_string());
            return;
        };
        let state = running.simulation.state();
        let mut object = report::object(running, taken, version, wanted("energy"));
        object["errors"] = json!(self.errors);
        object["hash"] = json!(hash.then(|| format!("{:016x}", measure::hash(state))));
        self.reply.text(b"RPRT", &object.to_string());
        self.reply.places(b"POSI", &state.positions, running.topology.origin);
        let model = running.simulation.model();
        let pinned = |i: &usize| state.filters[*i].is_pinned() && !model.is_solid(*i);
        self.reply.numbers(b"PINS", (0..model.particles()).filter(pinned).map(|i| i as u32));
        if known.is_some_and(|known| known != u64::from(version)) {
            let Running { topology, scene, simulation, .. } = running;
            topology.write(&mut self.reply, scene, simulation, version);
        }
        if wanted("strain") {
            self.reply.floats(b"STRN", measure::strains(model, state).map(|strain| strain as f32));
        }
        if wanted("components") {
            let joined = model.springs.iter().map(|spring| spring.ends).chain(model.bonds());
            let loose = joined.filter(|ends| ends.iter().all(|&i| !state.filters[i as usize].is_pinned()));
            let parts = Components::new(model.particles(), loose);
            let of =
                |i: usize| if state.filters[i].is_pinned() { u16::MAX } else { (parts.of[i] % 65535) as u16 };
            self.reply.shorts(b"COMP", (0..model.particles()).map(of));
        }
    }

    /// Do what a command says.
    fn make(&mut self, command: Command) -> Result<(), Error> {
        match command {
            Command::Scenes => {
                let one = |b: &taut::scene::Builtin| {
                    let live = LIVE.contains(&b.name);
                    json!({ "name": b.name, "title": b.title(), "text": b.text, "live": live })
                };
                self.reply.text(b"SCNS", &Value::from_iter(BUILTIN.iter().map(one)).to_string());
                return Ok(());
            }
            Command::Scene(name) => {
                let Some(builtin) = BUILTIN.iter().find(|b| b.name == name) else {
                    let remedy = "is none of the scenes that come with taut";
                    return Err(Error::setting("scene", format!("{name:?}"), remedy));
                };
                return self.open(Scene::parse(builtin.name, builtin.text, None)?);
            }
            Command::Open(text, name, files) => {
                let folder = self.folder.as_deref().filter(|_| files);
                return self.open(Scene::parse(&name, &text, folder)?);
            }
            _ => {}
        }
        let Some(running) = &mut self.running else {
            return Err(Error::setting("scene", "none", "open one first"));
        };
        match command {
            Command::Restart => {
                let scene = running.scene.clone();
                self.open(scene)
            }
            Command::Undo => {
                running.go_back()?;
                self.version += 1;
                Ok(())
            }
            Command::Save => {
                let text = running.saved()?;
                self.reply.text(b"TOML", &text);
                Ok(())
            }
            command => running.make(command),
        }
    }
}
