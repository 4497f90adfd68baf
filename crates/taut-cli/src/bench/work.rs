//! What a row of the bench measures, and what is to be reached.

use taut::geometry::Kind;

/// What a row measures.
#[derive(Clone, Copy)]
pub enum Work {
    /// One local/global iteration: local step, right-hand side, solve.
    Iteration(Subject),
    /// One local/global iteration with springs, and with other elements in their place.
    Elements(Subject),
    /// One solve with the constant matrix, three right-hand sides.
    Solve(Subject),
    /// Ordering, analysis and factorization of the constant matrix.
    Prefactor(Subject),
    /// One step of the benchmark frame at this stiffness \[N/m\], until its relative error is this.
    Error(f64, f64),
    /// One local/global iteration on one thread and on two.
    Threads(Subject),
    /// Continuous detection of all near pairs of this kind in the folded Curtain.
    Detection(Kind),
    /// Tree and pairs of the folded Curtain: at rest, or falling.
    Pairs { falling: bool },
    /// What contact adds to a step.
    Contact(Pose),
    /// What an edit of a running simulation costs.
    Edit(Touch, Subject),
    /// How cost grows with size; not a race.
    Scale,
}

/// What is done to a running simulation.
#[derive(Clone, Copy)]
pub enum Touch {
    /// A particle is grabbed.
    Hold,
    /// Steps while it is held.
    Held,
    /// A factor is made again in the order there was.
    Refactor,
    /// A cut from edge to edge, in steps of ten iterations.
    Cut,
    /// A cut in sixty samples, one before each step of 1/30 s.
    Stroke,
    /// A cut prepared on another thread.
    Live,
}

/// A Curtain that may meet itself; the quick one has 21 × 21.
#[derive(Clone, Copy)]
pub enum Pose {
    /// The benchmark frame: it hangs, and nothing is near.
    Hanging,
    /// Folded into 8 layers 3 mm apart, its thickness, and falling.
    Folded,
    /// Not a Curtain but the Dress, in the midst of its walk; the quick one has hardly begun.
    Dress,
}

/// What is simulated.
#[derive(Clone, Copy)]
pub enum Subject {
    /// 81 × 81 cloth; the quick one has 21 × 21.
    Curtain,
    /// The same with its particles numbered at random.
    Shuffled,
    /// A tetrahedral solid of 28,000 particles with thin limbs; the quick one is the Hippo with 2,400.
    Dog,
    /// As many particles in a ball: what is compact fills up far more; the quick one has 2,000.
    Ball,
    /// So many cloths of so many particles a side; quick ones have 110 at most, the least that use threads.
    Cloths(usize, usize),
}

/// One row.
pub struct Row {
    pub name: &'static str,
    pub what: &'static str,
    pub work: Work,
    /// Contestants besides those that every row of its kind has.
    pub contestants: &'static [&'static str],
    pub targets: &'static [Target],
}

/// What must be reached, and what is aimed at, against the fastest of some contestants.
pub struct Target {
    pub against: &'static [&'static str],
    /// Their time over ours, at least.
    pub must: f64,
    pub aim: Aim,
}

pub enum Aim {
    /// Their time over ours.
    Ratio(f64),
    /// Our wall time \[s\].
    Seconds(f64),
}
