//! Passes over long lists on several cores. What is computed does not depend on how a list is cut.

use crate::Error;

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
    may_fork(true) && current() > 1
}

/// Threads of the pool this thread finds.
fn current() -> usize {
    #[cfg(feature = "threads")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "threads"))]
    1
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

/// The threads that a simulation steps on; results are the same bits on any.
///
/// A process that was forked has none of the threads of its parent. Threads of one's own are started when they are first
/// needed, and started anew in such a process.
#[derive(Debug, Clone, Default)]
pub struct Threads(Kind);

#[derive(Debug, Clone, Default)]
enum Kind {
    #[default]
    Shared,
    Alone,
    #[cfg(feature = "threads")]
    Own(std::sync::Arc<Pool>),
}

impl Threads {
    /// More than any machine we know of has cores; each costs memory.
    pub const MOST: usize = 1024;

    /// Those of the pool that the caller belongs to, usually the one of the whole process.
    pub fn shared() -> Self {
        Threads(Kind::Shared)
    }

    /// The calling thread only.
    pub fn alone() -> Self {
        Threads(Kind::Alone)
    }

    /// So many of one's own; clones share them. One is the calling thread.
    pub fn own(count: usize) -> Result<Self, Error> {
        if !(1..=Threads::MOST).contains(&count) {
            let remedy = format!("must be between 1 and {}; best is one per core", Threads::MOST);
            return Err(Error::setting("threads", count, remedy));
        }
        #[cfg(feature = "threads")]
        if count > 1 {
            return Ok(Threads(Kind::Own(std::sync::Arc::new(Pool { count, made: Default::default() }))));
        }
        Ok(Threads::alone())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match &self.0 {
            Kind::Shared => current(),
            Kind::Alone => 1,
            #[cfg(feature = "threads")]
            Kind::Own(pool) => pool.count,
        }
    }

    /// Do some work on them. It is done on the calling thread if they cannot be started.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Kind::Shared => work(),
            Kind::Alone => serially(work),
            #[cfg(feature = "threads")]
            Kind::Own(pool) => match pool.started() {
                Some(threads) => threads.install(work),
                None => serially(work),
            },
        }
    }

    /// The same, on the calling thread alone if the work is too little to fork in.
    pub(crate) fn run_if<R: Send>(&self, worth: bool, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Kind::Shared => work(),
            _ if worth => self.run(work),
            _ => serially(work),
        }
    }
}

/// Threads, and the process that has started them.
#[cfg(feature = "threads")]
#[derive(Debug)]
struct Pool {
    count: usize,
    made: std::sync::Mutex<Option<(u32, std::sync::Arc<rayon::ThreadPool>)>>,
}

#[cfg(feature = "threads")]
impl Pool {
    fn started(&self) -> Option<std::sync::Arc<rayon::ThreadPool>> {
        let mut made = self.made.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let process = std::process::id();
        if made.as_ref().is_none_or(|(of, _)| *of != process) {
            let threads = rayon::ThreadPoolBuilder::new().num_threads(self.count).build().ok()?;
            // Those of a parent process cannot be told to end: they are not here.
            std::mem::forget(made.replace((process, threads.into())));
        }
        made.as_ref().map(|(_, threads)| threads.clone())
    }
}

#[cfg(feature = "threads")]
impl Drop for Pool {
    fn drop(&mut self) {
        let made = self.made.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        if made.as_ref().is_some_and(|(of, _)| *of != std::process::id()) {
            std::mem::forget(made.take());
        }
    }
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
