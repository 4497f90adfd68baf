//! Cuts: a blade opens a path of mesh edges (in solids: of faces), and what is joined only across it comes apart.
//!
//! No triangle or tetrahedron is removed or divided. Mesh edges that the blade crosses are snapped to their nearer end;
//! the ends within one triangle are joined by an edge, and that edge opens. Around a particle on the path the elements
//! still joined to one another form *fans*, and each fan beyond the first gets a *copy* of the particle:
//!
//! ```text
//!        blade                         opened                        fans of b
//!     +----|----+                   a---------+                    a---------a'
//!     |    | /  |                   ||      / |                    |  1   /  |
//!     |    |/   |         ->        ||    /   |        ->          |    b'   |   b: the triangles left of the path
//!     |   /|    |                   b||-/     |                    b   /  2  |   b': those right of it
//!     +----|----+                   +---------+                    +---------+
//! ```
//!
//! | file | what |
//! |---|---|
//! | `blade` | the blade |
//! | `cells` | triangles and tetrahedra as one kind of element, and which of them are joined |
//! | `path` | which edges and faces a blade opens |
//! | `fans` | copies, and the particles of every element after the cut |
//! | `skin` | the surface of a solid where it was opened |
//! | `springs` | which springs go on, and between whom |
//! | `links` | the same of links; bending made again |
//! | `hole` | what is left around particles that lose everything |
//! | `tear` | what opens by itself, because it is stretched too far |

mod blade;
mod cells;
mod fans;
mod hole;
mod links;
mod path;
mod skin;
mod springs;
mod tear;

pub use blade::Blade;
pub(crate) use hole::punch;
pub use path::Opening;
pub(crate) use tear::Tears;

use crate::linear::Components;
use crate::state::Memory;
use crate::{Error, Filter, Model, State};
use cells::Cells;
use fans::Fans;
use glam::DVec3;
use path::Path;
use springs::Cut;

/// What a cut has done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Severed {
    /// The particle that each new one is a copy of; the new ones follow those there were.
    pub copies: Vec<u32>,
    /// For each spring of the new model the one it was.
    pub springs: Vec<u32>,
    /// Springs and links that are gone, of those there were.
    pub removed: usize,
    /// Pieces that springs and elements hold together, after the cut.
    pub pieces: usize,
    /// Bodies of air that were opened: they have lost their pressure.
    pub deflated: usize,
}

/// What cuts have done, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parted {
    /// Copies of particles that were made.
    pub copies: usize,
    /// Springs and links that are gone.
    pub removed: usize,
    /// Pieces that are held together by springs, links and elements, after the last of them.
    pub pieces: usize,
    /// Bodies of air that were opened: they have lost their pressure.
    pub deflated: usize,
}

impl Parted {
    /// What was done before, and this cut.
    pub(crate) fn and(self, cut: &Severed) -> Parted {
        let (copies, removed) = (self.copies + cut.copies.len(), self.removed + cut.removed);
        Parted { copies, removed, pieces: cut.pieces, deflated: self.deflated + cut.deflated }
    }
}

/// Copies of particles that all cuts may make, in particles there were before the first.
const MOST_COPIES: usize = 4;

/// What a blade opens of a model at positions \[m\].
pub(crate) fn opening(model: &Model, positions: &[DVec3], blade: &Blade) -> Opening {
    Path::new(&Cells::new(model), model, positions, blade).into()
}

/// Cut a model and its state with a blade. `None` if that opens nothing: then no bit has changed.
pub(crate) fn sever(model: &mut Model, state: &mut State, blade: &Blade) -> Result<Option<Severed>, Error> {
    let cells = Cells::new(model);
    let path = Path::new(&cells, model, &state.positions, blade);
    part(model, state, &cells, path)
}

/// The same where it is known what opens.
pub(crate) fn open(
    model: &mut Model,
    state: &mut State,
    opening: &Opening,
) -> Result<Option<Severed>, Error> {
    part(model, state, &Cells::new(model), opening.into())
}

/// Open what gives way by itself. Where that would need too many copies everything stays whole.
pub(crate) fn tear(model: &mut Model, state: &mut State, tears: &Tears) -> Result<Option<Severed>, Error> {
    let opening = tears.opening(model, &state.positions);
    open(model, state, &opening).or(Ok(None))
}

fn part(
    model: &mut Model,
    state: &mut State,
    cells: &Cells,
    mut path: Path,
) -> Result<Option<Severed>, Error> {
    let mut fans = Fans::new(cells, &path, model);
    while skin::close(cells, &mut path, &fans, model) {
        fans = Fans::new(cells, &path, model);
    }
    let cut = Cut { cells, path: &path, fans: &fans, on: path.particles() };
    let kept = cut.springs(model);
    if fans.copies.is_empty() && kept.removed == 0 {
        return Ok(None);
    }
    let first = model.particles() - model.copies.len();
    let copies = model.copies.len() + fans.copies.len();
    if copies > MOST_COPIES * first {
        let remedy = format!("of {first} particles at most {} copies are made", MOST_COPIES * first);
        return Err(Error::setting("cut", format!("{copies} copies"), remedy));
    }
    fans.copy(model, state);
    skin::rename(cells, &path, &fans, model);
    let deflated = model.deflate();
    let (links, gone) = cut.links(model);
    (model.springs, model.links) = (kept.springs, links);
    let springs = model.springs.iter().map(|s| s.ends);
    let joined = Components::new(model.particles(), springs.chain(model.bonds()));
    let (removed, springs) = (kept.removed + gone, kept.of);
    Ok(Some(Severed { copies: fans.copies, springs, removed, pieces: joined.count, deflated }))
}

impl Fans {
    /// Append the copies: where their originals are, as fast, with the mass and the force of their fans.
    fn copy(&self, model: &mut Model, state: &mut State) {
        let memory = &mut state.memory;
        for (&parent, &share) in self.copies.iter().zip(&self.shares) {
            let p = parent as usize;
            model.masses.push(share * self.masses[p]);
            model.rest.push(model.rest[p]);
            if !model.body_of.is_empty() {
                model.body_of.push(model.body_of[p]);
            }
            model.copies.push([model.rest.len() as u32 - 1, parent]);
            state.positions.push(state.positions[p]);
            state.velocities.push(state.velocities[p]);
            state.forces.push(share * state.forces[p]);
            // A hand stays with what it has taken; a path takes copies along.
            let held = memory.held.binary_search(&parent).is_ok()
                && memory.script.carried.iter().all(|carried| carried.particle != parent);
            state.filters.push(if held { Filter::Free } else { state.filters[p] });
            memory.integrator.vectors.iter_mut().for_each(|v| v.extend(v.get(p).copied()));
        }
        for (&p, &left) in &self.left {
            model.masses[p as usize] *= left;
            state.forces[p as usize] *= left;
        }
        forget_contacts(memory);
    }
}

/// Surfaces are not what they were: somebody must look again what touches and crosses what.
fn forget_contacts(memory: &mut Memory) {
    memory.contacts.clear();
    memory.loads.clear();
    memory.crossed.clear();
    memory.inspected = false;
}
