//! Large memory pages for large arrays, on systems that give them on request (Linux).
//!
//! A factor of tens of megabytes is read from beginning to end in every solve. With pages of 4 KiB the processor spends
//! a good part of that time translating addresses. This is a hint: it changes no result, and on other systems it does
//! nothing.
#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "one system call that takes a range of addresses")
)]

/// Below this many bytes [B] the hint is not worth a system call.
const WORTH: usize = 1 << 20;

/// Ask for large pages under the whole capacity of `v`. To be called before it is filled.
pub(crate) fn prefer_large<T>(v: &Vec<T>) {
    let bytes = v.capacity() * size_of::<T>();
    if bytes >= WORTH {
        advise(v.as_ptr() as usize, bytes);
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
fn advise(start: usize, bytes: usize) {
    use std::ffi::{c_int, c_void};
    const PAGE: usize = 4096;
    const MADV_HUGEPAGE: c_int = 14;
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    let first = start.next_multiple_of(PAGE);
    let length = (start + bytes).saturating_sub(first) / PAGE * PAGE;
    // SAFETY: this advice changes how memory is mapped, never what is in it; the range lies inside one live
    // allocation. A refusal (the result) changes nothing, so it is ignored.
    unsafe { madvise(first as *mut c_void, length, MADV_HUGEPAGE) };
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn advise(_: usize, _: usize) {}
