//! What an edit changed about a model, as far as integrators must know.

/// The kinds of change, each including those before it: two edits together are the larger of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Change {
    /// Nothing that anybody prepares for: positions, velocities, forces, wind, gravity.
    #[default]
    Nothing,
    /// Which particles are held although they have rows.
    Held,
    /// Numbers of elements that stay where they are: stiffness.
    Values,
    /// Which particles are pinned.
    Rows,
    /// Particles or elements were added or taken away; the others kept their numbers.
    Elements,
    /// Anything: prepare afresh.
    Everything,
}
