//! Going back: snapshots taken before edits.

use std::collections::VecDeque;
use taut::{Error, Recorded, Simulation};

/// Snapshots that are kept, at most.
const MOST: usize = 10;
/// Memory they may take [B]: of a large model there are fewer.
const MEMORY: usize = 256 << 20;

/// A simulation as it was, and what had been done to it.
pub struct Before {
    snapshot: Vec<u8>,
    log: Vec<Recorded>,
    /// Factors on the stiffness of families.
    pub stiffness: [f64; 3],
}

/// The last of them.
#[derive(Default)]
pub struct Undo(VecDeque<Before>);

impl Undo {
    /// How often one can go back.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Keep how it is now.
    pub fn keep(&mut self, simulation: &Simulation, log: Vec<Recorded>, stiffness: [f64; 3]) {
        self.0.push_back(Before { snapshot: simulation.snapshot(), log, stiffness });
        let size = |undo: &VecDeque<Before>| undo.iter().map(|before| before.snapshot.len()).sum::<usize>();
        while self.0.len() > MOST || (self.0.len() > 1 && size(&self.0) > MEMORY) {
            self.0.pop_front();
        }
    }

    /// Forget the last: what it was kept for did not happen.
    pub fn forget(&mut self) {
        self.0.pop_back();
    }

    /// The simulation as it was before the last edit, what had been done to it until then, and factors on stiffness.
    pub fn back(&mut self) -> Result<(Simulation, Vec<Recorded>, [f64; 3]), Error> {
        let Some(Before { snapshot, log, stiffness }) = self.0.pop_back() else {
            return Err(Error::setting("undo", "nothing", "there is no edit to take back"));
        };
        Ok((Simulation::restore(&snapshot)?.simulation, log, stiffness))
    }
}
