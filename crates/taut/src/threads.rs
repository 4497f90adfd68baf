//! Passes over long lists on several cores. What is computed does not depend on how a list is cut.

/// Items per task.
const CHUNK: usize = 4096;

/// Springs above which a pass over them is worth waking other cores for (measured: a fork costs about as much
/// as 20,000 springs on the two-core build machine).
pub(crate) const WORTH_THREADS: usize = 50_000;
/// Rows above which a solve may be worth it.
pub(crate) const ROWS_WORTH_THREADS: usize = 10_000;
/// Rows above which it may be worth it to iterate on some of them elsewhere: a fork costs about as much as a hundred
/// iterations on a hundred rows.
pub(crate) const ITERATED_WORTH_THREADS: usize = 1_000;

/// `f(first, items, out)` on chunks of both that begin at `first`, at the same time if asked to. What it returns for the
/// k-th chunk goes to `found[k]`: the same chunks with and without threads, so that sums over them are the same.
pub(crate) fn in_chunks<A: Sync, B: Send, R: Send>(
    _at_once: bool,
    items: &[A],
    out: &mut [B],
    found: &mut [R],
    f: impl Fn(usize, &[A], &mut [B]) -> R + Sync,
) {
    #[cfg(feature = "threads")]
    if may_fork(_at_once) {
        use rayon::prelude::*;
        let chunks = items.par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK)).zip(found);
        return chunks.enumerate().for_each(|(k, ((a, b), found))| *found = f(k * CHUNK, a, b));
    }
    let chunks = items.chunks(CHUNK).zip(out.chunks_mut(CHUNK)).zip(found);
    chunks.enumerate().for_each(|(k, ((a, b), found))| *found = f(k * CHUNK, a, b));
}

/// `f(k, chunk)` on every chunk of `size` items, at the same time if asked to.
pub(crate) fn each_chunk<A: Send>(
    _at_once: bool,
    size: usize,
    items: &mut [A],
    f: impl Fn(usize, &mut [A]) + Sync + Send,
) {
    #[cfg(feature = "threads")]
    if may_fork(_at_once) {
        use rayon::prelude::*;
        return items.par_chunks_mut(size).enumerate().with_max_len(1).for_each(|(k, chunk)| f(k, chunk));
    }
    items.chunks_mut(size).enumerate().for_each(|(k, chunk)| f(k, chunk));
}

/// `f(k, piece)` on pieces of a list that end at `ends[k]`, at the same time. What it returns goes to `found[k]`.
pub(crate) fn in_pieces<B: Send, R: Send>(
    ends: &[usize],
    out: &mut [B],
    found: &mut [R],
    f: &(impl Fn(usize, &mut [B]) -> R + Sync),
) {
    pieces((0, 0), ends, out, found, f);
}

/// The same for the pieces from the `first` on, which begins at `begin`.
fn pieces<B: Send, R: Send>(
    (first, begin): (usize, usize),
    ends: &[usize],
    out: &mut [B],
    found: &mut [R],
    f: &(impl Fn(usize, &mut [B]) -> R + Sync),
) {
    if let ([_], [found]) = (ends, &mut *found) {
        *found = f(first, out);
    } else if let Some(&middle) = ends[..ends.len() / 2].last() {
        let half = ends.len() / 2;
        let (found, others) = found.split_at_mut(half);
        let (out, rest) = out.split_at_mut(middle - begin);
        both(
            true,
            || pieces((first, begin), &ends[..half], out, found, f),
            || pieces((first + half, middle), &ends[half..], rest, others, f),
        );
    }
}

/// Work that forks again and again, if it is worth it, among the threads of the pool: from outside, every fork would wait
/// for one of them to wake up, twice.
pub(crate) fn inside<R: Send>(_worth: bool, work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "threads")]
    if may_fork(_worth) {
        return rayon::scope(|_| work());
    }
    work()
}

/// Two computations, at the same time if asked to; what they return, in this order.
pub(crate) fn both<A: Send, B: Send>(
    _at_once: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "threads")]
    if may_fork(_at_once) {
        return rayon::join(a, b);
    }
    (a(), b())
}

/// Whether more than one thread is there to fork to.
pub(crate) fn several() -> bool {
    #[cfg(feature = "threads")]
    return rayon::current_num_threads() > 1;
    #[cfg(not(feature = "threads"))]
    false
}

std::thread_local! {
    static ALONE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Do some work on this thread alone: no step, preparation or pass within it forks, however large the model. The results
/// are the same bits. To run many simulations at once, one on each thread of a pool, step each of them serially.
pub fn serially<R>(work: impl FnOnce() -> R) -> R {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _before = Before(ALONE.replace(true));
    work()
}

/// Whether work that is worth forking for may fork.
pub(crate) fn may_fork(worth: bool) -> bool {
    cfg!(feature = "threads") && worth && !ALONE.get()
}

/// Chunks that [`in_chunks`] makes of a list of `items`.
pub(crate) fn chunks(items: usize) -> usize {
    items.div_ceil(CHUNK)
}

/// out[i] = f(items[i]).
pub(crate) fn compute<A: Sync, B: Send>(items: &[A], out: &mut [B], f: impl Fn(&A) -> B + Sync) {
    let at_once = items.len() >= WORTH_THREADS;
    // Units take no room: this allocates nothing.
    in_chunks(at_once, items, out, &mut vec![(); chunks(items.len())], |_, items, out| {
        items.iter().zip(out).for_each(|(item, out)| *out = f(item));
    });
}
