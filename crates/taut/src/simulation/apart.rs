//! Edits that are prepared while the simulation goes on.
//!
//! A cut of a large model takes several steps' time to prepare. A copy is cut and prepared instead, on another thread, and
//! then adopted between two steps: the edits are made as if now, on whatever has moved meanwhile, and what the copy
//! has prepared is taken over, because it is what would be prepared now, to the bit. So nothing but the step in which
//! an edit is made depends on how long that took, and a log that knows the step is enough to do it all again.

use super::Simulation;
use crate::linear::Sequence;
use crate::model::Change;
use crate::{Edit, Error, Filter, Model, State, cut, serially};

/// A copy of a simulation, to edit and to prepare on another thread.
///
/// ```
/// use taut::{Blade, DVec3, Edit, Method, Settings, Simulation, shapes};
///
/// # fn main() -> Result<(), taut::Error> {
/// let cloth = shapes::Grid { columns: 11, rows: 11, ..Default::default() }.build()?;
/// let mut simulation = Simulation::new(cloth, Settings::new(Method::default(), 1.0 / 30.0))?;
/// simulation.step()?;
/// let knife = Blade::sweep(&[DVec3::new(0.03, -1.0, -2.0), DVec3::new(0.03, -1.0, 2.0)], 2.0 * DVec3::Y)?;
/// let mut apart = simulation.apart();
/// let thread = std::thread::spawn(move || {
///     apart.edit(Edit::Cut(knife))?;
///     apart.prepare()?;
///     Ok::<_, taut::Error>(apart)
/// });
/// while !thread.is_finished() {
///     simulation.step()?;
/// }
/// simulation.adopt(thread.join().expect("it does not panic")?)?;
/// assert_eq!(simulation.step()?.parted.map(|cut| (cut.copies, cut.pieces)), Some((11, 2)));
/// # Ok(()) }
/// ```
pub struct Apart {
    simulation: Simulation,
    /// The order of elimination there was, until it is used.
    order: Option<Sequence>,
    /// Sizes of the model it was copied from.
    sizes: [usize; 5],
    /// What was asked for, and what that means for this mesh.
    edits: Vec<[Edit; 2]>,
}

impl Apart {
    /// Edit the copy. If it is refused, nothing has changed. What a blade opens is decided by where the copy is.
    pub fn edit(&mut self, edit: Edit) -> Result<(), Error> {
        self.begin();
        let Simulation { model, state, .. } = &self.simulation;
        let meant = match &edit {
            Edit::Cut(blade) => Edit::Open(cut::opening(model, &state.positions, blade)),
            other => other.clone(),
        };
        edit.check(model)?;
        self.simulation.edit(meant.clone())?;
        self.edits.push([edit, meant]);
        Ok(())
    }

    /// Prepare what the next step needs, on this thread alone: those of the pool belong to the steps meanwhile.
    pub fn prepare(&mut self) -> Result<(), Error> {
        self.begin();
        serially(|| self.simulation.follow()).map(drop)
    }

    fn begin(&mut self) {
        if let Some(order) = self.order.take() {
            self.simulation.afresh(Some(order));
        }
    }
}

impl Simulation {
    /// A copy, to be edited and prepared on another thread while this goes on.
    pub fn apart(&self) -> Apart {
        let simulation = Simulation {
            model: self.model.clone(),
            state: self.state.clone(),
            settings: self.settings.clone(),
            script: self.script.clone(),
            obstacles: self.obstacles.clone(),
            integrator: self.settings.integrator(),
            limiter: None,
            layers: None,
            budget: None,
            change: Change::Everything,
            resumed: Default::default(),
            before: self.state.clone(),
            parted: None,
            tears: None,
            undo: None,
            exact: self.exact,
            log: None,
            threads: self.threads.clone(),
            adopted: Change::Nothing,
        };
        let order = self.order().cloned();
        Apart { simulation, order, sizes: sizes(&self.model), edits: Vec::new() }
    }

    /// Make the edits of a copy, all or none, as if they were made now: what has moved since stays where it is, copies of
    /// particles are where their originals are now, and pins and holds stay. If the model has been cut otherwise
    /// since, what a blade opens is decided anew. If nothing has changed that the copy was prepared for, the
    /// next step need not prepare.
    pub fn adopt(&mut self, apart: Apart) -> Result<(), Error> {
        let Apart { simulation: other, sizes: before, edits, .. } = apart;
        let same = sizes(&self.model) == before;
        let copy = self.copy();
        for [asked, meant] in edits {
            let edit = if same { meant } else { asked };
            if let Err(error) = edit.check(&self.model).and_then(|()| self.make(edit)) {
                self.return_copy(copy);
                return Err(error);
            }
        }
        if self.could_use(&other) {
            self.take_over(other);
        }
        Ok(())
    }

    /// Whether what another has prepared is what this would prepare.
    fn could_use(&self, other: &Simulation) -> bool {
        other.change == Change::Nothing
            && self.settings == other.settings
            && self.order().is_none_or(|order| other.order() == Some(order))
            && self.model.links.iter().all(|link| link.closing.is_none())
            && alike(&self.model, &other.model)
    }

    fn take_over(&mut self, other: Simulation) {
        let pinned = |state: &State| state.filters.iter().map(Filter::is_pinned).collect::<Vec<_>>();
        let rows = |state: &State| {
            let mut rows = pinned(state);
            state.memory.held.iter().for_each(|&i| rows[i as usize] = false);
            rows
        };
        let (one, two) = (&self.state, &other.state);
        self.adopted = self.change;
        self.change = match one.memory.held == two.memory.held && pinned(one) == pinned(two) {
            _ if self.exact && !one.memory.held.is_empty() => Change::Rows,
            true => Change::Nothing,
            false if rows(one) == rows(two) => Change::Held,
            false => Change::Rows,
        };
        self.integrator = other.integrator;
        (self.layers, self.limiter, self.budget) = (other.layers, other.limiter, other.budget);
        self.make_room();
    }
}

/// Whether integrators are prepared alike for two models.
fn alike(one: &Model, other: &Model) -> bool {
    one.masses == other.masses
        && one.springs == other.springs
        && one.links == other.links
        && one.membranes == other.membranes
        && one.blocks == other.blocks
        && one.rest == other.rest
        && one.triangles == other.triangles
        && one.gases == other.gases
        && one.tets == other.tets
        && one.copies == other.copies
        && one.body_of == other.body_of
        && one.bodies == other.bodies
        && [one.air.density, one.air.drag, one.air.lift]
            == [other.air.density, other.air.drag, other.air.lift]
}

/// What every cut changes at least one of.
fn sizes(model: &Model) -> [usize; 5] {
    let Model { triangles, tets, springs, links, .. } = model;
    [model.particles(), triangles.len(), tets.len(), springs.len(), links.len()]
}
