//! Passes over long lists on several cores. What is computed does not depend on how a list is cut.

/// Items per task where there are threads.
#[cfg(feature = "threads")]
const CHUNK: usize = 4096;

/// Springs above which a pass over them is worth waking other cores for (measured: a fork costs about as much
/// as 20,000 springs on the two-core build machine).
pub(crate) const WORTH_THREADS: usize = 50_000;

/// `f(first, items, out)` on chunks of both that begin at `first`, at the same time if asked to.
pub(crate) fn in_chunks<A: Sync, B: Send>(
    _at_once: bool,
    items: &[A],
    out: &mut [B],
    f: impl Fn(usize, &[A], &mut [B]) + Sync,
) {
    #[cfg(feature = "threads")]
    if _at_once {
        use rayon::prelude::*;
        let chunks = items.par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK)).enumerate();
        return chunks.for_each(|(k, (items, out))| f(k * CHUNK, items, out));
    }
    f(0, items, out);
}

/// out[i] = f(items[i]).
pub(crate) fn compute<A: Sync, B: Send>(items: &[A], out: &mut [B], f: impl Fn(&A) -> B + Sync) {
    let at_once = items.len() >= WORTH_THREADS;
    in_chunks(at_once, items, out, |_, items, out| {
        items.iter().zip(out).for_each(|(item, out)| *out = f(item));
    });
}
