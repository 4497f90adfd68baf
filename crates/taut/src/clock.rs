//! The only place that reads a clock: stage timings and time budgets.
//!
//! wasm32-unknown-unknown has no clock of its own; a host page may [`install`] one (`performance.now()`).
//! Without one timings are zero and a time budget is refused.

use std::sync::OnceLock;

static CLOCK: OnceLock<fn() -> f64> = OnceLock::new();

/// Provide a monotonic clock in seconds. The first one installed stays; returns whether this one was.
pub fn install(clock: fn() -> f64) -> bool {
    CLOCK.set(clock).is_ok()
}

/// Whether time can be told.
pub fn available() -> bool {
    cfg!(not(target_arch = "wasm32")) || CLOCK.get().is_some()
}

/// Seconds since some fixed moment; 0 without a clock.
pub fn seconds() -> f64 {
    if let Some(clock) = CLOCK.get() {
        return clock();
    }
    #[cfg(not(target_arch = "wasm32"))]
    {
        static START: OnceLock<std::time::Instant> = OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
    }
    #[cfg(target_arch = "wasm32")]
    0.0
}

/// Do a stage and add its wall-clock time \[s\] to `seconds`.
pub(crate) fn timed<T>(seconds: &mut f64, stage: impl FnOnce() -> T) -> T {
    let started = self::seconds();
    let result = stage();
    *seconds += self::seconds() - started;
    result
}
