//! What is left out because it cannot touch does not touch.

use super::super::flat::{Ball, Room, simple, view};
use super::super::patches::Patch;
use super::*;
use crate::geometry::{Kind, Tolerance, first_touch};
use crate::kernel::{Four, Real, Wide};
use glam::{DMat3, DQuat};
use std::collections::BTreeSet;

/// A cloth of n by n cells in all shapes, many of which meet themselves: u and v run from 0 to 1.
fn shape(random: &mut Random, which: usize, rest: &[DVec3]) -> Vec<DVec3> {
    let size = [0.03, 0.3, 1.0, 3.0][pick(random, 4)];
    let turns = size * std::f64::consts::TAU;
    let place = |p: &DVec3| {
        let (u, v) = (p.x, p.z);
        match which {
            // Flat, rolled up, a ramp that winds above itself or in one plane, a wave, a fold.
            0 => *p,
            1 => {
                DVec3::new((turns * u).cos() * (1.0 + 0.1 * u), (turns * u).sin() * (1.0 + 0.1 * u), 6.0 * v)
            }
            2 | 3 => {
                let (sin, cos) = (turns * u).sin_cos();
                let rise = if which == 2 { 0.03 * u } else { 0.0 };
                DVec3::new((0.2 + v) * cos, rise, -(0.2 + v) * sin)
            }
            4 => DVec3::new(u, 0.1 * size * (7.0 * u + 3.0 * v).sin(), v),
            _ => DVec3::new((u - 0.5).abs(), 0.2 * size * (u - 0.5), v),
        }
    };
    rest.iter().map(place).collect()
}

/// Where a shape goes in a step: not at all, a little each particle, as a whole (even to its mirror image), or to another.
fn moved(random: &mut Random, start: &[DVec3], rest: &[DVec3]) -> Vec<DVec3> {
    let turn = DMat3::from_quat(DQuat::from_scaled_axis(match pick(random, 3) {
        0 => DVec3::Y * random.signed() * 3.2,
        1 => random.vector() * 2.0,
        _ => random.vector() * 0.1,
    }));
    let (shift, stretch) = (random.vector(), [1.0, 0.5, 2.0, -1.0][pick(random, 4)]);
    match pick(random, 4) {
        0 => start.to_vec(),
        1 => start.iter().map(|&p| p + random.vector() * 0.02).collect(),
        2 => start.iter().map(|&p| turn * p * stretch + shift).collect(),
        _ => {
            let which = pick(random, 6);
            shape(random, which, rest).iter().map(|&p| turn * p).collect()
        }
    }
}

fn pairs(tree: &mut Tree, surface: &Surface, start: &[DVec3], end: &[DVec3]) -> BTreeSet<(Kind, [u32; 4])> {
    let mut found = Candidates::default();
    tree.refit(start, end);
    tree.pairs(&[], Distances { vertex_face: 0.05, edge_edge: 0.05 }, &mut found);
    found.sort();
    let faces = found.vertex_face.iter().map(|&[p, f]| {
        let [a, b, c] = surface.faces[f as usize];
        (Kind::VertexFace, [p, a, b, c])
    });
    let edges = found.edge_edge.iter().map(|&[e, f]| {
        let ([a, b], [c, d]) = (surface.edges[e as usize], surface.edges[f as usize]);
        (Kind::EdgeEdge, [a, b, c, d])
    });
    faces.chain(edges).collect()
}

/// The lists with and without culling differ by pairs that do not touch in the step, on cloth that often meets itself.
#[test]
fn what_is_dropped_does_not_touch() {
    let (mut dropped, mut touching) = ([0; 6], 0);
    for seed in 0..300 {
        let random = &mut Random(1000 + seed);
        let n = [3, 5, 9][pick(random, 3)];
        let (surface, rest) = cloth(n);
        let which = pick(random, 6);
        let mut start = shape(random, which, &rest);
        if pick(random, 2) == 0 {
            start.iter_mut().for_each(|p| *p += random.vector() * 0.2 / n as f64);
        }
        let mut end = moved(random, &start, &rest);
        let scale = [1.0, 2f64.powi(30), 2f64.powi(-30)][pick(random, 3)];
        let offset = random.vector() * [0.0, 1e6][pick(random, 2)];
        start.iter_mut().chain(&mut end).for_each(|p| *p = (*p + offset) * scale);
        let mut tree = Tree::new(&surface, &rest);
        let few = pairs(&mut tree, &surface, &start, &end);
        tree.flat = None;
        let all = pairs(&mut tree, &surface, &start, &end);
        assert!(few.is_subset(&all));
        let touch = |&(kind, particles): &(Kind, [u32; 4])| {
            let [start, end] = [&start, &end].map(|at| particles.map(|p| at[p as usize]));
            first_touch(kind, &start, &end, 0.0, Tolerance { relative: 1e-13, rounds: 200 })
        };
        for pair in all.difference(&few) {
            assert_eq!(touch(pair), None, "seed {seed}, shape {which}, {pair:?}");
            dropped[which] += 1;
        }
        touching += few.iter().filter(|pair| touch(pair).is_some()).count();
    }
    assert!(dropped[..5].iter().all(|&count| count > 1000) && touching > 10_000, "{dropped:?} {touching}");
}

/// Of a flat cloth nearly nothing is left, of a cloth that waves gently little; nothing is dropped where sheets are near
/// that are not joined.
#[test]
fn flat_cloth_has_hardly_any_candidates() {
    let (surface, rest) = cloth(40);
    let count = |positions: &[DVec3], culled: bool| {
        let mut tree = Tree::new(&surface, &rest);
        tree.flat = tree.flat.filter(|_| culled);
        let mut found = Candidates::default();
        tree.refit(positions, positions);
        tree.pairs(&[], Distances { vertex_face: 0.006, edge_edge: 0.006 }, &mut found);
        found.vertex_face.len() + found.edge_edge.len()
    };
    let waving: Vec<DVec3> =
        rest.iter().map(|p| *p + DVec3::Y * 0.05 * (9.0 * p.x + 4.0 * p.z).sin()).collect();
    for (positions, share) in [(&rest, 0.03), (&waving, 0.1)] {
        let (few, all) = (count(positions, true) as f64, count(positions, false) as f64);
        assert!(few < share * all && all > 8000.0, "{few} {all}");
    }
}

/// Patches of a surface that is not a sheet: a strand, a fan of three faces around an edge, faces turned over. They find
/// no contour and drop nothing wrong.
#[test]
fn odd_surfaces_are_tested_in_full() {
    let random = &mut Random(7);
    let at: Vec<DVec3> = (0..12).map(|_| random.vector()).collect();
    for triangles in [
        vec![[0, 1, 2], [0, 1, 3], [1, 0, 4], [2, 3, 5]],
        vec![[0, 1, 2], [1, 2, 3], [2, 3, 4], [5, 6, 7]],
        vec![[0, 1, 2], [0, 3, 4], [0, 5, 6]],
        vec![[0, 1, 2], [0, 2, 1], [3, 4, 5]],
        vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    ] {
        let surface = Surface::new(12, &triangles, &[[7, 8], [8, 9], [0, 10]]).unwrap();
        let mut tree = Tree::new(&surface, &at);
        let few = pairs(&mut tree, &surface, &at, &at);
        tree.flat = None;
        let all = pairs(&mut tree, &surface, &at, &at);
        assert_eq!(few, all, "{triangles:?}");
    }
}

type Plain = <f32 as Real>::Plain;

fn fours(points: &[DVec3]) -> Vec<Four> {
    points.iter().map(|p| Wide([p.x, p.y, p.z, 0.0])).collect()
}

/// Whether a contour of these corners about the origin passes, seen from above.
fn contour_passes(start: &[DVec3], end: &[DVec3]) -> bool {
    let with_middle = |corners: &[DVec3]| [&[DVec3::ZERO], corners].concat();
    let (start, end) = (fours(&with_middle(start)), fours(&with_middle(end)));
    let patch = Patch { contour: (1..start.len() as u32).collect(), middle: 0, cover: vec![] };
    let from_above = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
    let step = Step { start: &start, end: &end, scale: 1.0 };
    simple::<Plain>(&patch, from_above, step, &mut Room::default())
}

/// Corners at these angles [rad], counterclockwise as seen from above.
fn circle(angles: impl Iterator<Item = f64>) -> Vec<DVec3> {
    angles.map(|angle| DVec3::new(angle.cos(), 0.3 * (5.0 * angle).sin(), -angle.sin())).collect()
}

#[test]
fn contours_pass_if_they_run_around_once_at_all_times() {
    let turn = std::f64::consts::TAU;
    for count in [3, 7, 8, 9, 63, 64] {
        let at = |by: f64, times: f64| {
            circle((0..count).map(move |i| by + times * turn * i as f64 / count as f64))
        };
        let round = at(0.0, 1.0);
        assert!(contour_passes(&round, &round), "{count}");
        assert!(contour_passes(&round, &at(1.0, 1.0)));
        // In between all corners pass the middle, though both ends are the same polygon.
        assert!(!contour_passes(&round, &at(0.5 * turn, 1.0)));
        assert!(!contour_passes(&round, &at(0.3 * turn, 1.0)));
        assert!(!contour_passes(&at(0.0, -1.0), &at(0.0, -1.0)), "the other way around");
        if count > 4 {
            assert!(!contour_passes(&at(0.0, 2.0), &at(0.0, 2.0)), "twice around, {count}");
        }
        // One corner goes to the other side, or back behind the one before it.
        let mut other = round.clone();
        other[1] = -other[1];
        assert!(!contour_passes(&round, &other) && !contour_passes(&other, &round), "{count}");
        if count > 4 {
            let mut back = round.clone();
            back[1] = 0.9 * round[0] + 0.1 * round[count - 1];
            assert!(!contour_passes(&back, &back));
        }
    }
}

/// Whether two faces, folded up by an angle each and then turned about the vertical, are seen from one side.
fn faces_pass(folds: [f64; 2], turns: [f64; 2], flat: f64) -> bool {
    let surface = Surface::new(4, &[[0, 1, 2], [0, 2, 3]], &[]).unwrap();
    let at = |fold: f64, turn: f64| {
        let (sin, cos) = fold.sin_cos();
        let corners = [DVec3::ZERO, DVec3::new(cos, sin, 0.0), -DVec3::Z, DVec3::new(-cos, sin, flat)];
        corners.map(|p| DMat3::from_rotation_y(turn) * p)
    };
    let [start, end] = [0, 1].map(|k| at(folds[k], turns[k]));
    let leaves = Leaves::new(&surface, &start);
    let step = Step { start: &fours(&start), end: &fours(&end), scale: 1.0 };
    let patch = Patch { contour: vec![], middle: 0, cover: vec![0] };
    view(&patch, &[Ball::around::<Plain>(&leaves, 0, step)]).is_some()
}

#[test]
fn faces_pass_if_they_lean_by_less_than_sixty_degrees_at_all_times() {
    let degrees = f64::to_radians;
    assert!(faces_pass([0.0; 2], [0.0; 2], 0.0));
    assert!(faces_pass([degrees(20.0); 2], [0.0; 2], 0.0));
    assert!(faces_pass([0.0, degrees(20.0)], [0.0; 2], 0.0));
    assert!(!faces_pass([degrees(65.0); 2], [0.0; 2], 0.0));
    assert!(!faces_pass([0.0, degrees(65.0)], [0.0; 2], 0.0));
    // Turned by 120° their normals are the same at both ends, but halfway all corners meet nearly.
    assert!(faces_pass([0.0; 2], [0.0, degrees(30.0)], 0.0));
    assert!(!faces_pass([0.0; 2], [0.0, degrees(120.0)], 0.0));
    // A face without area, and nearly so.
    assert!(!faces_pass([degrees(90.0), 0.0], [0.0; 2], 0.0));
    assert!(!faces_pass([std::f64::consts::FRAC_PI_2 - 1e-9; 2], [0.0; 2], 1e-9));
}
