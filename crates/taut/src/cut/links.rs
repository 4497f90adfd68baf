//! Where links go.
//!
//! | link | after a cut |
//! |---|---|
//! | bends a surface, and an edge at its middle has opened | made again from the edges that are left, on every side |
//! | bends a surface otherwise | has the copies that its triangles have |
//! | joins the ends of a thread that is gone (a strand's bending, what is attached to one) | gone |
//! | holds a particle at a triangle or tetrahedron | follows that; the particle it holds is the original |
//! | any other, such as a seam | stays with the originals |

use super::cells::sorted;
use super::springs::Cut;
use crate::shapes::bending_around;
use crate::{Link, Model, Weave};
use std::collections::{BTreeMap, BTreeSet};

impl Cut<'_> {
    /// The links after a cut, given the model with its triangles as they are then and everything else as it was; and how many
    /// are gone.
    pub fn links(&self, model: &Model) -> (Vec<Link>, usize) {
        let gone: BTreeSet<[u32; 2]> =
            self.path.springs.iter().map(|&s| sorted(model.springs[s as usize].ends)).collect();
        let mut anew: BTreeMap<u32, (Weave, f64)> = BTreeMap::new();
        let (mut kept, mut removed) = (Vec::with_capacity(model.links.len()), 0);
        for link in &model.links {
            let middle = link.weights[0].0;
            match link.weave {
                Some(weave) if self.opens_at(middle) => {
                    anew.entry(middle).or_insert((weave, link.stiffness));
                }
                Some(_) => kept.push(self.renamed(link, |p| self.cells.with([middle, p]).next())),
                None if joins(link, &gone) => removed += 1,
                None => {
                    let face: Vec<u32> = link.weights[1..].iter().map(|&(p, _)| p).collect();
                    let cell = self.cells.holding(&face).filter(|_| face.len() > 1);
                    kept.push(self.renamed(link, |p| cell.filter(|_| p != middle)));
                }
            }
        }
        // Copies bend as their originals do.
        let first = self.fans.masses.len() as u32;
        let copies = (first..).zip(&self.fans.copies);
        let sides: Vec<_> = copies.filter_map(|(copy, of)| Some((copy, *anew.get(of)?))).collect();
        anew.extend(sides);
        kept.extend(made_again(model, &anew));
        (kept, removed)
    }

    /// Whether an edge at a particle may have opened.
    fn opens_at(&self, particle: u32) -> bool {
        let near = self.cells.at(particle).iter().flat_map(|&cell| self.cells.of(cell));
        self.on.contains(&particle) && near.copied().any(|p| self.fans.left.contains_key(&p))
    }

    /// A link between what its particles are in some cells.
    fn renamed(&self, link: &Link, cell: impl Fn(u32) -> Option<u32>) -> Link {
        let after = |&(p, w): &(u32, f64)| (cell(p).map_or(p, |cell| self.fans.particle(cell, p)), w);
        Link { weights: link.weights.iter().map(after).collect(), ..link.clone() }
    }
}

/// The links that bend the surface around some particles, each made of a weave and as stiff as it was.
pub(super) fn made_again(model: &Model, anew: &BTreeMap<u32, (Weave, f64)>) -> Vec<Link> {
    let mut around: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
    for triangle in &model.triangles {
        triangle.iter().filter(|p| anew.contains_key(p)).for_each(|&p| {
            around.entry(p).or_default().push(*triangle);
        });
    }
    let links = around.iter().flat_map(|(p, triangles)| {
        let (weave, stiffness) = anew[p];
        let links = bending_around(*p, &model.rest, triangles, weave);
        links.into_iter().map(move |link| Link { stiffness, ..link })
    });
    links.collect()
}

/// Whether some threads join particles of a link.
fn joins(link: &Link, threads: &BTreeSet<[u32; 2]>) -> bool {
    let particles = || link.weights.iter().map(|&(p, _)| p);
    !threads.is_empty() && particles().any(|a| particles().any(|b| threads.contains(&[a, b])))
}
