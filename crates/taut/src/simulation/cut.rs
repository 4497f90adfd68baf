//! Cuts of a running simulation.

use super::Simulation;
use crate::Error;
use crate::cut::{Blade, Parted, Severed};
use crate::model::Change;

impl Simulation {
    /// Cut through everything that a blade meets. Elements stay whole: the path of their edges (in solids faces) next to the
    /// blade opens, particles on it get copies, and springs that would lead across it go. Masses, momentum and the area at
    /// rest stay what they were. Copies belong to what their originals belong to: bodies, paths, releases.
    ///
    /// ```
    /// use taut::{Blade, DVec3, Method, Settings, Simulation, shapes};
    ///
    /// # fn main() -> Result<(), taut::Error> {
    /// let cloth = shapes::Grid { columns: 11, rows: 11, ..Default::default() }.build()?;
    /// let mut simulation = Simulation::new(cloth, Settings::new(Method::default(), 1.0 / 30.0))?;
    /// let knife = Blade::sweep(&[DVec3::new(0.03, -1.0, -2.0), DVec3::new(0.03, -1.0, 2.0)], 2.0 * DVec3::Y)?;
    /// let cut = simulation.cut(&knife)?;
    /// assert_eq!((cut.copies.len(), cut.pieces), (11, 2));
    /// # Ok(()) }
    /// ```
    pub fn cut(&mut self, blade: &Blade) -> Result<Severed, Error> {
        blade.validate()?;
        let (mut model, mut state) = (self.model.clone(), self.state.clone());
        let mut script = self.script.clone();
        let Some(severed) = script.cut(blade, &mut model, &mut state)? else { return Ok(Severed::default()) };
        model.validate()?;
        (self.model, self.state, self.script) = (model, state, script);
        self.follow_cuts(std::slice::from_ref(&severed));
        self.note(Change::Elements);
        Ok(severed)
    }

    /// Copies stay near their originals in the order of elimination, as long as they are few: with every further tenth of
    /// the particles all are ordered afresh.
    pub(super) fn follow_cuts(&mut self, cuts: &[Severed]) {
        let (all, particles) = (self.model.copies.len(), self.model.particles());
        let new: usize = cuts.iter().map(|cut| cut.copies.len()).sum();
        let tenths = |copies: usize| 10 * copies / (particles - all);
        let order = self.integrator.order().filter(|_| tenths(all) == tenths(all - new)).cloned();
        let order = order.map(|order| cuts.iter().fold(order, |order, cut| order.with_copies(&cut.copies)));
        // An order of other particles is that of a model which has been cut since.
        for order in order.into_iter().filter(|order| order.as_slice().len() == particles) {
            self.integrator.adopt(&self.model, order);
        }
        let parted = cuts.iter().fold(self.parted.unwrap_or_default(), Parted::and);
        self.parted = (!cuts.is_empty()).then_some(parted).or(self.parted);
    }
}
