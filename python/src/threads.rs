//! Which threads a simulation steps on. Those of rayon's pool do not survive a fork, so they are never used.

use crate::error::Raise;
use crate::input::whole;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use taut::Threads;

/// As many as there are cores, shared by all simulations that ask for none of their own.
pub fn usual() -> Threads {
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    known(cores.min(Threads::MOST))
}

/// Those that were asked for; simulations that ask for as many share them.
pub fn asked(given: Option<&Bound<'_, PyAny>>) -> PyResult<Threads> {
    match given.filter(|given| !given.is_none()) {
        Some(given) => so_many(whole("threads", given, 1)? as usize).raise(),
        None => Ok(usual()),
    }
}

/// So many, which was asked for before.
pub fn known(count: usize) -> Threads {
    so_many(count).unwrap_or_else(|_| Threads::alone())
}

fn so_many(count: usize) -> Result<Threads, taut::Error> {
    static KNOWN: Mutex<BTreeMap<usize, Threads>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(threads) = known.get(&count) {
        return Ok(threads.clone());
    }
    let threads = Threads::own(count)?;
    known.insert(count, threads.clone());
    Ok(threads)
}
