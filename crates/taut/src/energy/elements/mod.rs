//! Elements other than springs: each kind is a [`Term`].
//!
//! | file | what |
//! |---|---|
//! | `links` | springs between weighted sums of particles |
//! | `pulls` | their gradient and curvature |
//! | `cells` | membranes and blocks, elements that know their shape |
//! | `fours`, `lanes` | their gradient and curvature four at a time |
//! | `volume` | the nearest matrices of determinant 1, four at a time |
//! | `law` | what such an element answers to a strain |

mod cells;
mod fours;
mod lanes;
mod law;
mod links;
mod pulls;
mod volume;

use super::{Entries, Rows, Step, Sum, Term, spring_energy};
use crate::linear::{Block, Symmetric};
use crate::{Model, State};
use cells::Cells;
use glam::DMat3;
use links::Links;

/// The terms of a model besides its springs, for β/h = `ratio` and a time \[s\].
pub(crate) fn terms(model: &Model, ratio: f64, time: f64) -> Vec<Box<dyn Term>> {
    let mut terms: Vec<Box<dyn Term>> = Vec::new();
    if !model.links.is_empty() {
        terms.push(Box::new(Links::new(model, ratio, time)));
    }
    if !model.membranes.is_empty() {
        terms.push(Box::new(Cells::membranes(model, ratio)));
    }
    if !model.blocks.is_empty() {
        terms.push(Box::new(Cells::blocks(model, ratio)));
    }
    terms
}

/// The pairs of particles that meet in a spring or in another element: the graph of a model's matrices.
pub(crate) fn edges(model: &Model) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = model.springs.iter().map(|s| s.ends).collect();
    terms(model, 0.0, 0.0).iter().for_each(|term| term.edges(model, &mut edges));
    edges
}

/// The elastic energy \[J\] of a state, element by element.
pub fn elastic(model: &Model, state: &State) -> f64 {
    let (x, mut sum) = (&state.positions, Sum::default());
    model.springs.iter().for_each(|s| sum.add(spring_energy(s, x)));
    let step = Step { model, rows: &Rows::default(), start: x, h2: 1.0, stiffest: false };
    terms(model, 0.0, state.time).iter().for_each(|term| term.value(&step, x, &mut sum));
    sum.total()
}

/// Stiffness matrices [N/m] of the elements other than springs, over the free rows: the constant one, which bounds that of
/// every pose, and that of a pose, nothing in it softer than it may become. `None` without such elements.
pub(crate) fn stiffness(
    model: &Model,
    state: &State,
    rows: &Rows,
) -> Option<(Symmetric<f64>, Symmetric<DMat3>)> {
    fn filled<B: Block>(
        model: &Model,
        rows: &Rows,
        edges: &[[u32; 2]],
        mut fill: impl FnMut(&mut Entries<B>),
    ) -> Symmetric<B> {
        let (pattern, slots) = rows.pattern(edges);
        let mut matrix = Symmetric::zeros(pattern);
        fill(&mut Entries::new(&vec![0.0; model.particles()], rows, &slots, &mut matrix));
        matrix
    }
    let terms = terms(model, 0.0, state.time);
    let mut edges = Vec::new();
    terms.iter().for_each(|term| term.edges(model, &mut edges));
    let x = &state.positions;
    let step = Step { model, rows, start: x, h2: 1.0, stiffest: true };
    let constant = filled(model, rows, &edges, |entries| {
        terms.iter().for_each(|term| term.constant(&step, entries).expect("elements have a constant matrix"));
    });
    let posed = filled(model, rows, &edges, |entries| {
        terms.iter().for_each(|term| term.hessian(&step, x, entries));
    });
    (!terms.is_empty()).then_some((constant, posed))
}
