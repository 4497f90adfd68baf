//! Snapshots: a simulation as bytes, from which it goes on bit for bit.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `TAUTSNAP` |
//! | 4 | version of this format |
//! | 1 | rounding class of the kernels: 1 if they fuse products and sums, 0 if not |
//! | 1, n | version of taut, as text: its length, and it |
//! | 8 | hash of the model |
//! | 8, n | the payload: its length, and it |
//! | 8 | hash of all bytes before |
//!
//! Numbers are little-endian. The payload is model, settings, state with all that rooms remember, events, obstacles,
//! the order of elimination and recorded edits to be made again, in the format of the crate `postcard`. Factorizations are not in it: preparing again in the
//! same order gives the same bits.

use super::Simulation;
use crate::collision::Obstacle;
use crate::kernel::Kernel;
use crate::linear::Sequence;
use crate::measure::fnv;
use crate::packed::{self, Bounded};
use crate::script::{Event, Recorded, Script};
use crate::state::Contact;
use crate::{Error, Model, Settings, State};
use serde::{Deserialize, Serialize};

const MAGIC: [u8; 8] = *b"TAUTSNAP";
/// Raised whenever older readers would misread the payload.
const FORMAT: u32 = 6;
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Memory that bounded lists may take, however short the payload \[B\].
const MEMORY: usize = 8 << 20;
/// And for each byte of it. Obstacles take most, 128 bytes for at least 26. Together with what the other lists take, at
/// most three for each byte while they grow, that is 8 MiB + 8 times the payload.
const MEMORY_PER_BYTE: usize = 5;

#[derive(Serialize)]
struct Written<'a> {
    settings: &'a Settings,
    state: &'a State,
    events: &'a [Event],
    obstacles: &'a [Obstacle],
    order: Option<&'a [u32]>,
    recorded: &'a [Recorded],
}

#[derive(Deserialize)]
struct Read {
    settings: Settings,
    state: State,
    #[serde(deserialize_with = "packed::bounded")]
    events: Vec<Event>,
    #[serde(deserialize_with = "packed::bounded")]
    obstacles: Vec<Obstacle>,
    order: Option<Bounded<u32>>,
    #[serde(deserialize_with = "packed::bounded")]
    recorded: Vec<Recorded>,
}

/// A simulation made from a snapshot.
pub struct Restored {
    /// It stands where the snapshot was taken.
    pub simulation: Simulation,
    /// Why its next steps may differ from the original's in the last bits; empty if they do not.
    pub notes: Vec<String>,
}

impl Simulation {
    /// Everything as bytes: model, settings, state with what integrator, contact and script remember, events, obstacles.
    ///
    /// ```
    /// use taut::{Method, Settings, Simulation, shapes};
    ///
    /// # fn main() -> Result<(), taut::Error> {
    /// let cloth = shapes::Grid { columns: 5, rows: 5, ..Default::default() }.build()?;
    /// let mut one = Simulation::new(cloth, Settings::new(Method::default(), 1.0 / 30.0))?;
    /// one.step()?;
    /// let mut other = Simulation::restore(&one.snapshot())?.simulation;
    /// one.step()?;
    /// other.step()?;
    /// assert_eq!(one.state(), other.state());
    /// # Ok(()) }
    /// ```
    pub fn snapshot(&self) -> Vec<u8> {
        let Simulation { settings, state, obstacles, .. } = self;
        let (events, order) = (self.script.events(), self.order().map(Sequence::as_slice));
        let model = encoded(&self.model);
        let recorded = self.script.recorded();
        let rest = encoded(&Written { settings, state, events, obstacles, order, recorded });
        let mut bytes = Vec::with_capacity(model.len() + rest.len() + 64);
        bytes.extend(MAGIC);
        bytes.extend(FORMAT.to_le_bytes());
        bytes.push(u8::from(Kernel::detected().fused()));
        bytes.push(VERSION.len() as u8);
        bytes.extend(VERSION.as_bytes());
        bytes.extend(fnv(model.iter().copied()).to_le_bytes());
        bytes.extend(((model.len() + rest.len()) as u64).to_le_bytes());
        bytes.extend(model);
        bytes.extend(rest);
        let hash = fnv(bytes.iter().copied());
        bytes.extend(hash.to_le_bytes());
        bytes
    }

    /// The simulation of a snapshot. Bytes that are no snapshot, or a damaged one, are refused.
    pub fn restore(bytes: &[u8]) -> Result<Restored, Error> {
        let Some(rest) = bytes.strip_prefix(&MAGIC) else {
            return Err(damaged(0, "this is no state that taut saved: it does not begin with TAUTSNAP"));
        };
        let mut reader = Reader { rest, read: MAGIC.len() };
        let format = u32::from_le_bytes(reader.array("its format")?);
        if format != FORMAT {
            let remedy = format!("this version of taut, {VERSION}, reads format {FORMAT}");
            return Err(Error::setting("snapshot format", format, remedy));
        }
        let fused = reader.array::<1>("its rounding class")?[0];
        let length = reader.array::<1>("its version")?[0];
        let version = String::from_utf8_lossy(reader.take(length.into(), "its version")?).into_owned();
        let model_hash = u64::from_le_bytes(reader.array("the hash of its model")?);
        let length = u64::from_le_bytes(reader.array("its length")?);
        let payload = reader.take(usize::try_from(length).unwrap_or(usize::MAX), "its payload")?;
        let hashed = reader.read;
        let hash = u64::from_le_bytes(reader.array("its hash")?);
        if !reader.rest.is_empty() {
            return Err(damaged(reader.read, "it has more bytes than it says"));
        }
        if fnv(bytes[..hashed].iter().copied()) != hash || fused > 1 {
            return Err(damaged(hashed, "it has bytes that were changed since it was made"));
        }
        let most = MEMORY.saturating_add(MEMORY_PER_BYTE.saturating_mul(payload.len()));
        let found = packed::within(most, || contents(payload, model_hash));
        let (model, read) = found.map_err(|what| damaged(hashed - payload.len(), what))?;
        let mut notes = Vec::new();
        if (fused == 1) != Kernel::detected().fused() {
            notes.push("made on a processor that rounds sums of products in another way".to_string());
        }
        if version != VERSION {
            notes.push(format!("made by taut {version}, this is {VERSION}"));
        }
        Ok(Restored { simulation: read.simulation(model)?, notes })
    }
}

/// What is in a payload, or why it cannot be read.
fn contents(payload: &[u8], model_hash: u64) -> Result<(Model, Read), &'static str> {
    let unreadable = |_| "it cannot be read";
    let (model, rest): (Model, _) = postcard::take_from_bytes(payload).map_err(unreadable)?;
    if fnv(payload[..payload.len() - rest.len()].iter().copied()) != model_hash {
        return Err("it names another model than it holds");
    }
    let (read, rest): (Read, _) = postcard::take_from_bytes(rest).map_err(unreadable)?;
    if rest.is_empty() { Ok((model, read)) } else { Err("it has bytes that mean nothing") }
}

impl Read {
    /// Build it, checking everything a reader of the state relies on.
    fn simulation(self, model: Model) -> Result<Simulation, Error> {
        self.state.validate(&model)?;
        check_memory(&self.state)?;
        let mut script = Script::in_order(self.events, &model)?;
        script.replay(self.recorded)?;
        self.obstacles.iter().try_for_each(Obstacle::validate)?;
        // A model may have been replaced by one whose time is before what has begun, so times say nothing here.
        if !script.knows(&self.state) {
            return Err(Error::setting("snapshot", "its events", "they are not those its state is in"));
        }
        let order = self.order.map(|order| Sequence::from_vertices(order.0).ok_or("its order")).transpose();
        let order = order.map_err(|what| Error::setting("snapshot", what, "it is no order of particles"))?;
        let inspected = self.state.memory.inspected;
        let mut simulation = Simulation::with_state(model, self.state, self.settings)?;
        simulation.state.memory.inspected = inspected;
        simulation.state.memory.script = std::mem::take(&mut simulation.resumed);
        if let Some(order) = order {
            if order.as_slice().len() != simulation.model.particles() {
                return Err(Error::setting("snapshot", "its order", "it is no order of these particles"));
            }
            simulation.integrator.adopt(&simulation.model, order);
        }
        Ok(Simulation { script, obstacles: self.obstacles, ..simulation })
    }
}

/// Refuse what no simulation remembers.
fn check_memory(state: &State) -> Result<(), Error> {
    let refuse = |what: &str| Err(Error::setting("snapshot", what, "it is damaged: save it again"));
    let m = state.positions.len();
    let memory = &state.memory;
    if !memory.origin.time.is_finite() || memory.origin.step > state.step {
        return refuse("its clock");
    }
    let pinned = |&i: &u32| state.filters.get(i as usize).is_some_and(crate::Filter::is_pinned);
    if !memory.held.iter().all(pinned) || !memory.held.is_sorted_by(|a, b| a < b) {
        return refuse("what is held");
    }
    let vectors = &memory.integrator.vectors;
    let sound = |v: &Vec<glam::DVec3>| v.len() == m && v.iter().all(|v| v.is_finite());
    if !vectors.iter().all(sound) {
        return refuse("what its integrator remembers");
    }
    if memory.script.carried.iter().any(|c| !c.from.is_finite()) {
        return refuse("where its paths began");
    }
    let contacts = &memory.contacts;
    let finite = |c: &Contact| {
        let vectors = [c.normal, c.place, c.velocity, c.sliding, c.reaction];
        vectors.iter().all(|v| v.is_finite()) && (c.gap + c.friction).is_finite()
    };
    let sound = contacts.iter().all(|c| c.single().is_some_and(|i| i < m) && finite(c));
    if !sound || contacts.windows(2).any(|pair| pair[0].particles[0] >= pair[1].particles[0]) {
        return refuse("its contacts");
    }
    Ok(())
}

fn encoded(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("plain data can always be written")
}

fn damaged(at: usize, what: &str) -> Error {
    Error::file("snapshot", None, format!("{what} (byte {at})"), "save it again")
}

struct Reader<'a> {
    rest: &'a [u8],
    read: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], Error> {
        let Some((own, rest)) = self.rest.split_at_checked(count) else {
            return Err(damaged(self.read + self.rest.len(), &format!("it ends within {what}, too early")));
        };
        (self.rest, self.read) = (rest, self.read + count);
        Ok(own)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Error> {
        Ok(self.take(N, what)?.try_into().expect("as many as were asked for"))
    }
}
