//! Ctrl-C and termination: finish the frame, keep what is done, then stop with the customary exit code.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use taut::run::parts;

/// How often a further signal is looked for.
const WATCH: Duration = Duration::from_millis(20);

/// Remembers the first signal.
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Listen. A second signal ends the program as soon as no half file is left.
    pub fn listen() -> Self {
        let seen = Arc::new(AtomicUsize::new(0));
        let again = Arc::new(AtomicBool::new(false));
        for (signal, code) in [(SIGINT, 130), (SIGTERM, 143)] {
            // Where a system refuses a handler its default action stays, which is to end the program.
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&seen), code);
            let _ = signal_hook::flag::register(signal, Arc::clone(&again));
        }
        let watched = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut signals = 0;
            while signals < 2 {
                std::thread::sleep(WATCH);
                signals += usize::from(again.swap(false, Ordering::Relaxed));
            }
            parts::abandon(watched.load(Ordering::Relaxed) as i32)
        });
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
