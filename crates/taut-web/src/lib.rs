//! [`taut_live::Live`] for a browser: three functions and one buffer each way, without wasm-bindgen. JavaScript writes a request
//! into the room it has asked for, calls `exchange`, and reads as many bytes of the reply as that returns.
#![cfg(target_arch = "wasm32")]
#![expect(unsafe_code, reason = "symbols that JavaScript can find by name, and one that it gives")]

use std::cell::RefCell;
use taut_live::Live;

unsafe extern "C" {
    /// Seconds since some moment: `performance.now() / 1000`.
    safe fn now() -> f64;
}

#[derive(Default)]
struct Engine {
    live: Live,
    request: Vec<u8>,
    reply: Vec<u8>,
}

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::default();
}

/// Room for a request of so many bytes: where it is.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: u32) -> *mut u8 {
    ENGINE.with_borrow_mut(|engine| {
        engine.request.clear();
        engine.request.resize(length as usize, 0);
        engine.request.as_mut_ptr()
    })
}

/// Answer the request in the room. Returns the length of the reply in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn exchange() -> u32 {
    taut::clock::install(|| now());
    ENGINE.with_borrow_mut(|Engine { live, request, reply }| {
        let answer = live.exchange(request);
        reply.clear();
        reply.extend(answer);
        reply.len() as u32
    })
}

/// Where the reply is, until the next exchange.
#[unsafe(no_mangle)]
pub extern "C" fn reply() -> *const u8 {
    ENGINE.with_borrow(|engine| engine.reply.as_ptr())
}
