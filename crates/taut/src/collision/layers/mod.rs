//! Bodies that meet themselves and each other: nothing passes through.
//!
//! After every integrator, and last of all that moves a particle in a step, the motion from x0, where nothing crosses,
//! to x1 is put right (\[Bridson02\], \[Harmon08\], guarded by certificates):
//!
//! ```text
//! near      pairs that come within a thickness: constraints at the nearest points of x0       near
//! solids    particles and faces that come near an obstacle: constraints at their deepest points   solids
//! sweep     Gauss–Seidel on their multipliers, friction with them                             near
//! impacts   pairs that are not certified to stay apart join them; sweep again, some rounds    impacts
//! zones     what still crosses moves as one rigid body, which cannot cross itself             zones
//! velocities  only what was moved gets impulses at the same contacts; all others keep their bits
//! ```
//!
//! What is certified in every step cannot change sides, so nothing must be remembered from step to step. Loads are, because
//! cloth at rest then stays at rest.
//!
//! | file | what |
//! |---|---|
//! | `outside` | what of a model can touch: faces and strands |
//! | `skin`, `seams` | thickness and friction of every pair, and which are neighbours because they are sewn |
//! | `impacts` | which pairs are not certified |
//! | `tangles` | what crosses already |
//! | `loads` | what presses from step to step |
//! | `solids`, `view` | obstacles as a source of constraints, and what is seen from one |
//! | `zones` | rigid zones |
//! | `guard` | the response as the list above |
//! | `path` | the same piece by piece, where cloth is pinched |

mod guard;
mod impacts;
mod loads;
mod outside;
mod path;
mod response;
mod seams;
mod skin;
mod solids;
mod tangles;
mod view;
mod zones;

pub use response::{ContactSeconds, Response};
pub(crate) use skin::Capped;
pub(crate) use solids::Ground;

use crate::clock::timed;
use crate::collision::ContactSettings;
use crate::energy::{Near, Sweeps};
use crate::geometry::{Approaches, Candidates, Rims, SortRoom, Surface, Tree};
use crate::state::Load;
use crate::{Error, Filter, Model, State};
use glam::DVec3;
use impacts::Impact;
use loads::Places;
use outside::Outside;
use skin::Skins;
use solids::Solids;
use tangles::Tangles;
use zones::Zones;

/// Crossings that an error names, at most.
const NAMED: usize = 10;

/// Everything that may meet, and room for what happens in a step.
#[derive(Debug)]
pub(crate) struct Layers {
    settings: ContactSettings,
    surface: Surface,
    /// Whether it has edges that belong to no face.
    strands: bool,
    skins: Skins,
    tree: Tree,
    candidates: Candidates,
    approaches: Approaches,
    rims: Rims,
    /// What each particle was before all cuts.
    originals: Vec<u32>,
    /// 1/m \[1/kg\], 0 where prescribed; and whether it is.
    inverse: Vec<f64>,
    prescribed: Vec<bool>,
    /// Δ: how far each particle moves in the step \[m\], and whether that has changed since it was last certified.
    moves: Vec<DVec3>,
    changed: Vec<bool>,
    pool: Vec<Near>,
    places: Places,
    /// Room to sort candidates.
    room: SortRoom,
    sweeps: Sweeps,
    /// What pressed in the step before, and in this.
    before: Vec<Load>,
    loads: Vec<Load>,
    impacts: Vec<Impact>,
    zones: Zones,
    tangles: Tangles,
    /// Where it was last looked what crosses \[m\], and what was found.
    seen: (Vec<DVec3>, Vec<[u32; 2]>),
    /// How many edges and faces cross as the step begins.
    pub tangled: usize,
    solids: Solids,
    /// Whether the constraints of the coming step have been found.
    found: bool,
    /// Positions and velocities as the integrator left them, and where the path has got to.
    wanted: (Vec<DVec3>, Vec<DVec3>),
    here: Vec<DVec3>,
    /// Whether zones that turn far end the attempt: a path that is halved turns less at once.
    gently: bool,
    response: Response,
    /// What the step has taken so far.
    pub seconds: ContactSeconds,
}

/// A pair that cannot be kept apart, because prescribed particles force it together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pinched {
    /// Those of both, or those of one if the other is an obstacle.
    pub particles: Vec<u32>,
    /// Which of them is the first of the other primitive.
    pub pair: usize,
    pub obstacle: Option<u32>,
}

impl Layers {
    /// For a model, its pins as they are in a state.
    pub fn new(settings: ContactSettings, model: &Model, state: &State) -> Result<Self, Error> {
        let collides = |i: u32| model.skin(model.tag(i as usize)).collide;
        let Outside { mut faces, mut strands } = Outside::of(model);
        faces.retain(|face| collides(face[0]));
        strands.retain(|strand| collides(strand[0]));
        let surface = Surface::new(model.particles(), &faces, &strands)?;
        let inverse = model.masses.iter().zip(&state.filters);
        let inverse: Vec<f64> = inverse.map(|(m, f)| if f.is_pinned() { 0.0 } else { 1.0 / m }).collect();
        Ok(Layers {
            settings,
            skins: Skins::new(model, &surface),
            tree: Tree::new(&surface, &model.rest),
            tangles: Tangles::new(&surface),
            seen: Default::default(),
            tangled: 0,
            rims: Rims::new(&surface),
            approaches: Approaches::default(),
            strands: surface.edge_faces.contains(&0),
            surface,
            candidates: Candidates::default(),
            prescribed: inverse.iter().map(|&w| w == 0.0).collect(),
            originals: (0..model.particles() as u32).map(|i| model.original(i)).collect(),
            moves: vec![DVec3::ZERO; inverse.len()],
            changed: vec![false; inverse.len()],
            inverse,
            pool: Vec::new(),
            places: Places::default(),
            room: SortRoom::default(),
            sweeps: Sweeps::default(),
            before: Vec::new(),
            loads: Vec::new(),
            impacts: Vec::new(),
            zones: Zones::default(),
            solids: Solids::new(model),
            found: false,
            wanted: Default::default(),
            here: Vec::new(),
            gently: false,
            response: Response::default(),
            seconds: ContactSeconds::default(),
        })
    }

    /// Take another choice of pins.
    pub fn pin(&mut self, model: &Model, state: &State) {
        self.seen = Default::default();
        for (i, (&m, filter)) in model.masses.iter().zip(&state.filters).enumerate() {
            self.prescribed[i] = filter.is_pinned();
            self.inverse[i] = if filter.is_pinned() { 0.0 } else { 1.0 / m };
        }
    }

    /// Begin a step with the edges and faces that met at the end of the last. If that is not known, because the simulation
    /// begins or somebody else has moved particles, it is found out, and `exact` refuses any.
    pub fn begin(&mut self, state: &mut State) -> Result<(), Error> {
        self.seconds = ContactSeconds::default();
        let State { positions, memory, .. } = state;
        let (edges, faces) = (self.surface.edges.len(), self.surface.faces.len());
        let there = |&[edge, face]: &[u32; 2]| (edge as usize) < edges && (face as usize) < faces;
        if !memory.inspected || !memory.crossed.iter().all(there) {
            self.look(positions, &mut memory.crossed);
            memory.inspected = true;
            let crossed: Vec<[u32; 2]> =
                memory.crossed.iter().filter(|pair| !self.is_cut(pair)).copied().collect();
            if !crossed.is_empty() && self.refuses() {
                return Err(self.refuse(&crossed));
            }
        }
        self.tangles.begin(&self.surface, &memory.crossed);
        self.tangled = memory.crossed.len();
        self.before.clone_from(&memory.loads);
        Ok(())
    }

    /// What [`Layers::inspect`] finds; where it was looked last time is not looked at again.
    fn look(&mut self, positions: &[DVec3], crossed: &mut Vec<[u32; 2]>) {
        if self.seen.0 != positions {
            self.inspect(positions, crossed);
            self.seen.0.clear();
            self.seen.0.extend_from_slice(positions);
            self.seen.1.clone_from(crossed);
        }
        crossed.clone_from(&self.seen.1);
    }

    /// Find the edges and faces that cross at positions \[m\], but for those that may.
    fn inspect(&mut self, positions: &[DVec3], crossed: &mut Vec<[u32; 2]>) {
        Tangles::all(&self.surface, &mut self.tree, &self.prescribed, positions, crossed);
        crossed.retain(|&[edge, face]| {
            self.skins.meet(self.surface.edges[edge as usize], self.surface.faces[face as usize])
        });
    }

    /// Whether an edge and a face meet because a cut has just parted them.
    fn is_cut(&self, &[edge, face]: &[u32; 2]) -> bool {
        let original = |&i: &u32| self.originals[i as usize];
        let edge = self.surface.edges[edge as usize].each_ref().map(original);
        self.surface.faces[face as usize].iter().any(|i| edge.contains(&original(i)))
    }

    /// The error for a start that crosses itself.
    fn refuse(&self, crossed: &[[u32; 2]]) -> Error {
        let remedy = format!(
            "{}: move them apart, or use \"fast\", which leaves them alone until they are apart",
            self.tell(crossed)
        );
        Error::setting("contact.level", self.settings.level, remedy)
    }

    /// How many edges and faces cross, and the first of them by their particles.
    fn tell(&self, crossed: &[[u32; 2]]) -> String {
        let name = |&[edge, face]: &[u32; 2]| {
            let ([a, b], [c, d, e]) = (self.surface.edges[edge as usize], self.surface.faces[face as usize]);
            format!("edge {a}-{b} and triangle {c}-{d}-{e}")
        };
        let first: Vec<String> = crossed.iter().take(NAMED).map(name).collect();
        let more = if crossed.len() > NAMED { ", ..." } else { "" };
        let count = crossed.len();
        format!(
            "{count} pairs of an edge and a triangle cross at the start (by particles: {}{more})",
            first.join(", ")
        )
    }

    /// Whether a start that crosses itself is refused.
    pub fn refuses(&self) -> bool {
        !self.settings.passes()
    }

    /// What is odd about a start: what crosses, if anything does; of every body that is given a thickness beyond what its
    /// mesh has room for, its number, and the pairs.
    pub fn examine(&mut self, state: &State) -> (Option<String>, Vec<(usize, Capped)>) {
        let mut crossed = Vec::new();
        self.inspect(&state.positions, &mut crossed);
        let told = (!crossed.is_empty()).then(|| self.tell(&crossed));
        (told, self.skins.capped_bodies())
    }

    /// End a step that began with [`Layers::begin`].
    pub fn end(&mut self, state: &mut State) {
        let State { positions, memory, .. } = state;
        self.tangles.end(&self.surface, positions, &mut memory.crossed);
        memory.loads.clone_from(&self.loads);
    }

    /// Find what may touch in the coming step before it is taken, for an integrator that can use it: pairs that would come
    /// within their thickness, and what would come near an obstacle, if no spring pulled.
    pub fn foresee(
        &mut self,
        model: &Model,
        state: &State,
        ground: Ground,
        h: f64,
    ) -> Result<&mut Vec<Near>, Error> {
        let mut end = std::mem::take(&mut self.moves);
        let State { positions, velocities, forces, filters, .. } = state;
        for (i, end) in end.iter_mut().enumerate() {
            let fall = h * h * (model.gravity + forces[i] / model.masses[i]);
            *end = match filters[i] {
                Filter::Pinned(z) => z,
                _ => positions[i] + h * velocities[i] + fall,
            };
        }
        if let Err(error) = state.check_places(&end) {
            self.moves = end;
            return Err(error);
        }
        self.find_near(positions, &end);
        let Layers { solids, inverse, pool, seconds, .. } = self;
        timed(&mut seconds.solids, || solids.find(ground, (positions, &end), inverse, true, pool));
        loads::recall(&self.before, &mut self.pool, h);
        (self.moves, self.found) = (end, true);
        Ok(&mut self.pool)
    }
}
