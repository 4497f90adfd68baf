//! Edits of large models, prepared on another thread while steps go on. In a browser there is no other thread: there
//! every edit is made at once.

use taut::{Edit, Error, Simulation};

/// From so many particles on a step has no time to prepare an edit.
const LARGE: usize = 20_000;

/// The edit that is being prepared, if one is.
#[derive(Default)]
pub struct Pending {
    #[cfg(feature = "threads")]
    thread: Option<std::thread::JoinHandle<Result<taut::Apart, Error>>>,
}

impl Pending {
    /// Whether one is.
    pub fn is_some(&self) -> bool {
        #[cfg(feature = "threads")]
        return self.thread.is_some();
        #[cfg(not(feature = "threads"))]
        false
    }

    /// Make an edit, now or as soon as it is prepared.
    pub fn make(&mut self, simulation: &mut Simulation, edit: Edit) -> Result<(), Error> {
        #[cfg(feature = "threads")]
        if simulation.model().particles() > LARGE {
            // Another may be under way: its turn comes first.
            self.adopt(simulation, true)?;
            edit.check(simulation.model())?;
            let mut apart = simulation.apart();
            self.thread = Some(std::thread::spawn(move || {
                apart.edit(edit)?;
                apart.prepare()?;
                Ok(apart)
            }));
            return Ok(());
        }
        let _ = LARGE;
        simulation.edit(edit)
    }

    /// Take over what has been prepared, if that is done or must be waited for. Returns whether something was.
    pub fn adopt(&mut self, simulation: &mut Simulation, wait: bool) -> Result<bool, Error> {
        #[cfg(feature = "threads")]
        if let Some(thread) = self.thread.take_if(|thread| wait || thread.is_finished()) {
            let apart = thread.join().map_err(|_| {
                Error::setting("edit", "a panic", "this is a mistake in taut: the edit was not made")
            })??;
            return simulation.adopt(apart).map(|()| true);
        }
        let _ = (simulation, wait);
        Ok(false)
    }

    /// Forget it.
    pub fn forget(&mut self) {
        *self = Pending::default();
    }
}
