//! A person as a surface: round cones blended into one another, each of them belonging to a bone.
//!
//! About as many cones as a mannequin needs: 1.7 m tall, standing on y = 0, facing +X, symmetric about z = 0, arms held
//! away from the sides and legs apart. All shapes are ours. The surface is that of a lattice of tetrahedra, made even:
//! every vertex is drawn towards the mean of its neighbours and back onto the shape, some rounds. How much of a bone's
//! movement a vertex takes part in falls smoothly with how much further away that bone's own cones are than the nearest
//! ones, and only a bone's neighbours count beside it: the other leg has no say.
//! Does not handle: anatomy.

use super::animals::limb;
use super::solid::boundary;
use super::{Field, unique};
use crate::Error;
use glam::DVec3;

/// Height of the person that the numbers here describe \[m\].
pub(super) const TALL: f64 = 1.7;
/// Edge of the lattice's cubes \[m\]: some 2,500 vertices.
const CELL: f64 = 0.024;
/// Width over which cones flow into one another \[m\].
const BLEND: f64 = 0.04;
/// A bone that is so much further away than the nearest one has no share \[m\].
const REACH: f64 = 0.07;
/// Rounds in which the surface is made even.
const ROUNDS: usize = 8;

/// A bone of the skeleton: what it hangs from, where it turns, and the cones around it as `[x, y, z, radius]` \[m\].
pub(super) struct Bone {
    pub parent: usize,
    pub joint: DVec3,
    pub flesh: Vec<Vec<[f64; 4]>>,
}

pub(super) const PELVIS: usize = 0;
pub(super) const CHEST: usize = 1;
pub(super) const HEAD: usize = 2;
/// Bones of the left side, at +Z; those of the right follow [`SIDE`] later.
pub(super) const UPPER_ARM: usize = 3;
pub(super) const FOREARM: usize = 4;
pub(super) const THIGH: usize = 5;
pub(super) const SHIN: usize = 6;
pub(super) const FOOT: usize = 7;
pub(super) const SIDE: usize = 5;

/// Where a foot meets the ground: heel and toes, of the left side \[m\].
pub(super) const SOLES: [DVec3; 2] = [DVec3::new(-0.03, 0.0, 0.13), DVec3::new(0.15, 0.0, 0.15)];

/// The skeleton, parents first.
pub(super) fn bones() -> Vec<Bone> {
    let bone = |parent, joint: [f64; 3], flesh: &[&[[f64; 4]]]| Bone {
        parent,
        joint: DVec3::from_array(joint),
        flesh: flesh.iter().map(|chain| chain.to_vec()).collect(),
    };
    let both = |x: f64, y: f64, z: f64, r: f64| [[x, y, z, r], [x, y, -z, r]];
    let mut all = vec![
        bone(PELVIS, [0.0, 1.02, 0.0], &[&both(-0.01, 0.94, 0.075, 0.1), &both(0.0, 1.04, 0.045, 0.085)]),
        bone(
            PELVIS,
            [0.0, 1.06, 0.0],
            &[
                &both(0.0, 1.10, 0.045, 0.08),
                &both(0.0, 1.2, 0.055, 0.088),
                &both(0.0, 1.29, 0.06, 0.092),
                &both(-0.005, 1.39, 0.13, 0.055),
                &both(0.055, 1.265, 0.06, 0.058),
            ],
        ),
        bone(
            CHEST,
            [0.0, 1.43, 0.0],
            &[
                &[[-0.005, 1.4, 0.0, 0.05], [0.005, 1.49, 0.0, 0.042]],
                &[[0.022, 1.545, 0.0, 0.062], [0.0, 1.605, 0.0, 0.088]],
                &[[-0.11, 1.645, 0.0, 0.038]],
            ],
        ),
    ];
    for side in [1.0, -1.0] {
        let at = |[x, y, z]: [f64; 3]| [x, y, side * z];
        let chain =
            |points: &[[f64; 4]]| points.iter().map(|&[x, y, z, r]| [x, y, side * z, r]).collect::<Vec<_>>();
        let first = if side > 0.0 { 0 } else { SIDE };
        let arm = chain(&[[0.0, 1.385, 0.165, 0.048], [-0.01, 1.18, 0.345, 0.036]]);
        let forearm = chain(&[[-0.01, 1.18, 0.345, 0.036], [0.06, 0.99, 0.47, 0.026]]);
        let hand = chain(&[[0.06, 0.985, 0.475, 0.028], [0.10, 0.90, 0.51, 0.022]]);
        let thigh = chain(&[[0.0, 0.92, 0.09, 0.085], [0.01, 0.5, 0.118, 0.052]]);
        let shin = chain(&[[0.01, 0.5, 0.118, 0.05], [-0.012, 0.36, 0.125, 0.052], [0.0, 0.09, 0.14, 0.034]]);
        let foot = chain(&[[-0.03, 0.04, 0.13, 0.038], [0.15, 0.028, 0.15, 0.026]]);
        all.extend([
            bone(CHEST, at([0.0, 1.385, 0.165]), &[&arm]),
            bone(UPPER_ARM + first, at([-0.01, 1.18, 0.345]), &[&forearm, &hand]),
            bone(PELVIS, at([0.0, 0.92, 0.09]), &[&thigh]),
            bone(THIGH + first, at([0.01, 0.5, 0.118]), &[&shin]),
            bone(SHIN + first, at([0.0, 0.09, 0.14]), &[&foot]),
        ]);
    }
    all
}

/// What is around one bone.
fn flesh(bone: &Bone) -> Field {
    Field::Union { parts: bone.flesh.iter().map(|chain| limb(chain)).collect(), blend: 0.5 * BLEND }
}

/// The whole person. Both sides are one sharp union each, so that neither is blended before the other.
pub(super) fn field() -> Field {
    let bones = bones();
    let mut parts: Vec<Field> = bones[..UPPER_ARM].iter().map(flesh).collect();
    for left in UPPER_ARM..UPPER_ARM + SIDE {
        let both = [left, left + SIDE].map(|i| flesh(&bones[i]));
        parts.push(Field::Union { parts: both.to_vec(), blend: 0.0 });
    }
    Field::Union { parts, blend: BLEND }
}

/// A surface and how its vertices hang on the bones.
pub(super) struct Skin {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// Of each vertex, the bones that move it and their shares, which add up to 1.
    pub shares: Vec<Vec<(usize, f64)>>,
}

/// The surface of the person.
pub(super) fn skin() -> Result<Skin, Error> {
    let field = field();
    let mesh = field.lattice(CELL)?;
    let mut triangles = boundary(&mesh.tets);
    let used = unique(triangles.iter().flatten().copied().collect());
    let renumber = |name| used.partition_point(|&other| other < name) as u32;
    triangles.iter_mut().for_each(|t| *t = t.map(renumber));
    let mut positions: Vec<DVec3> = used.iter().map(|&i| mesh.positions[i as usize]).collect();
    let edges = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a], [b, a], [c, b], [a, c]]);
    let edges = unique(edges.collect());
    for _ in 0..ROUNDS {
        let mean = |around: &[[u32; 2]]| {
            around.iter().map(|e| positions[e[1] as usize]).sum::<DVec3>() / around.len() as f64
        };
        let even: Vec<DVec3> = edges.chunk_by(|a, b| a[0] == b[0]).map(mean).collect();
        for (p, even) in positions.iter_mut().zip(even) {
            *p = onto(&field, p.lerp(even, 0.6), 0.0);
        }
    }
    let bones = bones();
    let fields: Vec<Field> = bones.iter().map(flesh).collect();
    let shares = positions.iter().map(|&p| shares(&bones, &fields, p)).collect();
    Ok(Skin { positions, triangles, shares })
}

/// The point at a distance from the shape \[m\] that a point nearby is drawn to.
pub(super) fn onto(field: &Field, mut point: DVec3, distance: f64) -> DVec3 {
    for _ in 0..6 {
        point += (distance - field.distance(point)) * field.gradient(point, CELL / 16.0);
    }
    point
}

fn shares(bones: &[Bone], fields: &[Field], point: DVec3) -> Vec<(usize, f64)> {
    let distances: Vec<f64> = fields.iter().map(|f| f.distance(point)).collect();
    let nearest = (0..bones.len()).fold(0, |a, b| if distances[b] < distances[a] { b } else { a });
    let near = |&b: &usize| b == nearest || bones[b].parent == nearest || bones[nearest].parent == b;
    let weight = |b: usize| (b, (1.0 - (distances[b] - distances[nearest]) / REACH).max(0.0).powi(2));
    let mut shares: Vec<_> = (0..bones.len()).filter(near).map(weight).filter(|s| s.1 > 0.0).collect();
    let sum: f64 = shares.iter().map(|s| s.1).sum();
    shares.iter_mut().for_each(|s| s.1 /= sum);
    shares
}
