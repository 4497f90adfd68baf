//! What rooms remember from one step to the next: with the rest of the State, all that a restart needs.
//!
//! Each owner has one slot of plain vectors and counters. The State copies, compares and stores them and does not know
//! what they mean; an owner knows its own slot and no other.

use super::Contact;
use crate::model::Change;
use glam::DVec3;

/// The slots. Cloning into an existing one allocates nothing if it is no smaller: a step keeps its backup so.
#[derive(Debug, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Memory {
    /// Of the simulation: time is counted from here, `origin + n·h`, so that events fall into the step they name.
    pub origin: Origin,
    /// Of the integrator: what its time scheme looks back at.
    pub integrator: Slot,
    /// Of the script: how far it has got.
    pub script: Cursor,
    /// Of the integrator: particles that were pinned while it went on and have kept their rows, ascending.
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub held: Vec<u32>,
    /// Of collision: what touched in the last step, by particle.
    pub contacts: Vec<Contact>,
    /// Of collision: whether it is known which edges and faces meet, and those, by their numbers in the surface.
    pub inspected: bool,
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub crossed: Vec<[u32; 2]>,
    /// Of collision: what pressed in the last step, ascending by place.
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub loads: Vec<Load>,
}

/// What was carried at a place where two things touch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Load {
    pub place: [u32; 3],
    /// In the last step, and in each of the last two \[N\].
    pub last: f64,
    pub lasting: f64,
}

/// A time \[s\] and the number of the step that began then.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Origin {
    pub time: f64,
    pub step: u64,
}

/// Vectors by particle, and counters.
#[derive(Debug, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Slot {
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub vectors: Vec<Vec<DVec3>>,
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub counters: Vec<u64>,
}

/// Events that have begun, and the particles they carry along their paths.
#[derive(Debug, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Cursor {
    pub begun: u64,
    pub carried: Vec<Carried>,
}

/// A particle on the path of an event.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Carried {
    pub particle: u32,
    /// Number of the event, and of the particle among those it carries.
    pub event: u32,
    pub number: u32,
    /// Where the particle was when the event began \[m\].
    pub from: DVec3,
}

impl Memory {
    /// Forget particles beyond this number: they are gone.
    pub fn keep_particles(&mut self, particles: usize) {
        let there = |i: u32| (i as usize) < particles;
        self.script.carried.retain(|carried| there(carried.particle));
        self.contacts.retain(|contact| contact.particles.into_iter().all(there));
        self.held.retain(|&i| there(i));
    }

    /// A particle that had a row is pinned from now on. It keeps its row once there were steps: before the first nothing
    /// has been prepared that a new pin could spoil.
    pub fn hold(&mut self, particle: usize, step: u64) -> Change {
        let place = self.held.partition_point(|&i| (i as usize) < particle);
        if step == self.origin.step || self.held.get(place) == Some(&(particle as u32)) {
            return Change::Rows;
        }
        self.held.insert(place, particle as u32);
        Change::Held
    }

    /// A particle that was pinned is let go.
    pub fn let_go(&mut self, particle: usize) -> Change {
        match self.held.binary_search(&(particle as u32)) {
            Ok(place) => {
                self.held.remove(place);
                Change::Held
            }
            Err(_) => Change::Rows,
        }
    }
}

impl Slot {
    /// Make it `vectors` vectors of `particles` zeros and `counters` zeros, unless it is that large already. What a slot
    /// of that size holds is kept.
    pub fn shape(&mut self, vectors: usize, particles: usize, counters: usize) {
        let fits = self.vectors.len() == vectors && self.vectors.iter().all(|v| v.len() == particles);
        if !fits || self.counters.len() != counters {
            self.vectors = vec![vec![DVec3::ZERO; particles]; vectors];
            self.counters = vec![0; counters];
        }
    }

    /// Forget everything, keeping the room.
    pub fn clear(&mut self) {
        self.vectors.iter_mut().for_each(|v| v.fill(DVec3::ZERO));
        self.counters.fill(0);
    }
}

impl Cursor {
    /// Leave particles to others: their paths end here.
    pub fn leave(&mut self, particles: &[usize]) {
        if self.carried.is_empty() {
            return;
        }
        let mut sorted = particles.to_vec();
        sorted.sort_unstable();
        self.carried.retain(|carried| sorted.binary_search(&(carried.particle as usize)).is_err());
    }
}

// Derived, `clone_from` would allocate.

impl Clone for Memory {
    fn clone(&self) -> Self {
        let mut memory = Memory::default();
        memory.clone_from(self);
        memory
    }

    fn clone_from(&mut self, other: &Self) {
        self.origin = other.origin;
        self.integrator.clone_from(&other.integrator);
        self.script.clone_from(&other.script);
        self.held.clone_from(&other.held);
        self.contacts.clone_from(&other.contacts);
        self.inspected = other.inspected;
        self.crossed.clone_from(&other.crossed);
        self.loads.clone_from(&other.loads);
    }
}

impl Clone for Slot {
    fn clone(&self) -> Self {
        Slot { vectors: self.vectors.clone(), counters: self.counters.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.vectors.clone_from(&other.vectors);
        self.counters.clone_from(&other.counters);
    }
}

impl Clone for Cursor {
    fn clone(&self) -> Self {
        Cursor { begun: self.begun, carried: self.carried.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.begun = other.begun;
        self.carried.clone_from(&other.carried);
    }
}
