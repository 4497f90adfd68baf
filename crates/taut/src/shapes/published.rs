//! The models of \[Liu13\] Table 1, from their counts of particles m and springs s.
//!
//! | model | m | s | here |
//! |---|---|---|---|
//! | Curtain | 6561 | 32158 | exact: `curtain(81)` |
//! | Hippo | 2387 | 13135 | stand-in, m within 2 %, s within 10 % |
//! | Frog | 6834 | 35261 | stand-in, likewise |
//! | Dog | 28390 | 148047 | stand-in, likewise |
//! | Brush | 1995 | 6405 | exact counts; the arrangement is a guess |
//!
//! The paper gives no constants; masses, sizes and stiffnesses are ours (REFERENCES.md lists them). Pins belong to the
//! state: the Curtain hangs from particles 0 and `side − 1`, the Brush from each 19th particle.
//! Does not handle: the Dress, whose 6811 cannot be the edges of its mesh; load one as a
//! [`Surface`](super::Surface).

use super::{Field, Grid, Mass, Solid, Strands, animals};
use crate::{Error, Model};
use glam::DVec3;

/// The Curtain: `side` x `side` particles, 1 m x 1 m, 1 kg, 1000 N/m. Table 1 has side 81, Figure 3 has 21.
pub fn curtain(side: usize) -> Result<Model, Error> {
    Grid { name: "curtain".into(), columns: side, rows: side, ..Grid::default() }.build()
}

/// A stand-in for the Hippo.
pub fn hippo() -> Result<Model, Error> {
    animal("hippo", &animals::hippo(), 2387)
}

/// A stand-in for the Frog.
pub fn frog() -> Result<Model, Error> {
    animal("frog", &animals::frog(), 6834)
}

/// A stand-in for the Dog.
pub fn dog() -> Result<Model, Error> {
    animal("dog", &animals::dog(), 28390)
}

/// The Brush: 105 bristles of 19 particles and 61 springs, hanging from a 15 x 7 pattern centred at the
/// origin.
pub fn brush() -> Result<Model, Error> {
    let (pitch, across, along) = (0.02, 7, 15);
    let centred = |i: usize, n: usize| pitch * (i as f64 - (n - 1) as f64 / 2.0);
    let root = |i| DVec3::new(centred(i % along, along), 0.0, centred(i / along, across));
    let bristles = Strands {
        name: "brush".into(),
        roots: (0..along * across).map(root).collect(),
        two_apart: 1.0,
        three_apart: 1.0,
        four_apart: 1.0,
        four_apart_count: 10,
        ..Strands::default()
    };
    bristles.build()
}

/// A light rubber toy of 1 kg: 1 kg and 1000 N/m are those of the Curtain (chosen).
fn animal(name: &str, field: &Field, particles: usize) -> Result<Model, Error> {
    let mesh = field.with_particles(particles)?;
    let material = Solid { name: name.into(), mass: Mass::Total(1.0), stiffness: 1000.0 };
    material.build(&mesh.positions, &mesh.tets)
}

#[cfg(test)]
mod tests {
    use super::super::solid::tests::sound_solid;
    use super::super::tests::sound;
    use super::*;

    #[test]
    fn the_curtain_and_the_brush_are_exact() {
        let curtain = curtain(81).unwrap();
        sound(&curtain);
        assert_eq!((curtain.particles(), curtain.springs.len()), (6561, 32158));
        let brush = brush().unwrap();
        sound(&brush);
        assert_eq!((brush.particles(), brush.springs.len()), (1995, 6405));
    }

    #[test]
    fn the_animals_come_near_the_published_counts() {
        let published = [(hippo(), 2387, 13135), (frog(), 6834, 35261), (dog(), 28390, 148047)];
        for (model, m, s) in published {
            let model = model.unwrap();
            sound_solid(&model);
            let near =
                |count: usize, wanted: usize, percent| 100 * count.abs_diff(wanted) <= percent * wanted;
            let counts = (model.particles(), model.springs.len());
            assert!(near(counts.0, m, 2) && near(counts.1, s, 10), "{counts:?} for {:?}", (m, s));
            println!(
                "{}: {counts:?} for {:?}, {} triangles",
                model.bodies[0].name,
                (m, s),
                model.triangles.len()
            );
        }
    }
}
