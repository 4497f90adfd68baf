//! Ctrl-C and termination: finish the frame, keep what is done, then stop with the customary exit code.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Remembers the first signal.
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Listen. A second signal of the same kind ends the program at once.
    pub fn listen() -> Self {
        let seen = Arc::new(AtomicUsize::new(0));
        for (signal, code) in [(SIGINT, 130), (SIGTERM, 143)] {
            let again = Arc::new(AtomicBool::new(false));
            // The shutdown is registered first, so the first signal finds `again` still unset. Where a system
            // refuses a handler its default action stays, which is to end the program.
            let _ = signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&again));
            let _ = signal_hook::flag::register(signal, again);
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&seen), code as usize);
        }
        Signals(seen)
    }

    /// The exit code of the signal that came, if any.
    pub fn seen(&self) -> Option<u8> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            code => Some(code as u8),
        }
    }
}

/// Let a file-size limit arrive as an error of the write that meets it, like a full disk.
pub fn survive_limits() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
