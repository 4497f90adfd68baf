//! Sums by fours against one edge after another.

use super::super::dispatch::{Kernel, run};
use super::super::simd::Real;
use super::*;
use crate::random::Random;
use glam::DVec3;

/// Weights that are given.
struct Given;

impl PerFour<1> for Given {
    type Data = Four;
    const SUMS: bool = true;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, _: usize, data: &Four, _: [[V::Vector; 3]; 1]) -> V::Vector {
        V::load(data)
    }
}

/// A grid with alternating diagonals, numbered row by row.
fn grid(columns: u32, rows: u32) -> Vec<[u32; 2]> {
    let at = |c: u32, r: u32| r * columns + c;
    let mut edges = Vec::new();
    for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
        let (right, down) = (c + 1 < columns, r + 1 < rows);
        edges.extend(right.then(|| [at(c, r), at(c + 1, r)]));
        edges.extend(down.then(|| [at(c, r + 1), at(c, r)]));
        if right && down {
            let turned = (r + c) % 2 == 1;
            edges.push(if turned { [at(c + 1, r), at(c, r + 1)] } else { [at(c, r), at(c + 1, r + 1)] });
        }
    }
    edges
}

/// Every edge is in one lane of one four or left over. Sums by fours and over the edges left are those of single edges,
/// on every instruction set. Returns how many edges are left.
fn check(vertices: usize, edges: &[([u32; 2], Option<u32>)]) -> usize {
    let runs = Runs::new(vertices, edges);
    let mut planes = runs.planes();
    let Runs { sections, left, .. } = runs;
    let mut random = Random(7);
    let x: Vec<DVec3> = (0..vertices).map(|_| random.vector()).collect();
    let weights: Vec<f64> = edges.iter().map(|_| random.signed()).collect();

    let lanes = sections
        .iter()
        .flat_map(|section| section.edges.as_flattened())
        .filter(|&&edge| edge != Section::NONE);
    let mut all: Vec<u32> = lanes.chain(&left).copied().collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..edges.len() as u32), "each edge once");
    for four in sections.iter().flat_map(|section| &section.edges) {
        let class = |&edge: &u32| edges.get(edge as usize).map(|edge| edge.1);
        let mut classes = four.iter().filter_map(class);
        let first = classes.next().expect("no four without an edge");
        assert!(first.is_some() && classes.all(|class| class == first), "of one class: {four:?}");
    }

    let (mut sums, mut size) = (vec![DVec3::ZERO; vertices], vec![0.0; vertices]);
    for (&([a, b], _), w) in edges.iter().zip(&weights) {
        let (a, b) = (a as usize, b as usize);
        let pull = *w * (x[a] - x[b]);
        sums[a] += pull;
        sums[b] -= pull;
        size[a] += pull.length();
        size[b] += pull.length();
    }
    for kernel in Kernel::available() {
        planes.fill(kernel, |i| &x[i]);
        let pulled: Vec<Sums> =
            sections.iter().map(|section| pulled(kernel, section, &planes, &weights)).collect();
        let mut found = vec![DVec3::ZERO; vertices];
        for (k, section) in sections.iter().enumerate() {
            let summed = Summed::new(&pulled[k], k.checked_sub(1).map(|k| &pulled[k]));
            let rows = (0..summed.eights()).flat_map(|k| run(kernel, Eight(summed, k)));
            found[section.begin..].iter_mut().zip(rows).for_each(|(found, row)| *found = f64::point(&row));
        }
        for &number in &left {
            let ([a, b], w) = (edges[number as usize].0.map(|e| e as usize), weights[number as usize]);
            found[a] += w * (x[a] - x[b]);
            found[b] -= w * (x[a] - x[b]);
        }
        for (i, (found, sum)) in found.iter().zip(&sums).enumerate() {
            assert!((*found - *sum).length() <= 1e-15 * size[i], "{kernel:?}, vertex {i}: {found} for {sum}");
        }
    }
    left.len()
}

/// The sums of the k-th eight vertices.
struct Eight<'a>(Summed<'a>, usize);

impl Work<f64> for Eight<'_> {
    type Output = [Four; 8];
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> [Four; 8] {
        self.0.eight::<V>(self.1)
    }
}

fn pulled(kernel: Kernel, section: &Section, planes: &Planes, weights: &[f64]) -> Sums {
    let weight = |edge: u32| weights.get(edge as usize).copied().unwrap_or(0.0);
    let data: Vec<Four> = section.edges.iter().map(|edges| Wide(edges.map(weight))).collect();
    let mut sums = section.sums();
    // Twice: what was there before must not matter.
    for _ in 0..2 {
        sums.clear();
        run(kernel, EachFour { section, points: [planes], data: &data, sums: Some(&mut sums), each: Given });
    }
    sums
}

#[test]
fn grids_run_in_fours() {
    // Less than a section, several sections, and rows longer than a section.
    for (columns, rows) in [(1, 1), (2, 1), (7, 5), (81, 81), (80, 60), (2500, 3)] {
        let edges: Vec<_> = grid(columns, rows).into_iter().map(|ends| (ends, Some(0))).collect();
        let left = check((columns * rows) as usize, &edges);
        assert!(left == 0 || rows == 1, "{columns} x {rows}: {left} edges are in no four");
    }
    let edges: Vec<_> = grid(81, 81).into_iter().map(|ends| (ends, Some(0))).collect();
    let fours: usize = Runs::new(81 * 81, &edges).sections.iter().map(|section| section.edges.len()).sum();
    assert!(100 * edges.len() > 95 * 4 * fours, "{fours} fours of {} edges are nearly all full", edges.len());
}

#[test]
fn classes_doubles_and_long_edges_keep_apart() {
    let mut edges: Vec<_> = grid(70, 70).into_iter().map(|ends| (ends, Some(0))).collect();
    // Every second edge is of another class, every fifth of none, and a row stands there twice.
    edges.iter_mut().step_by(2).for_each(|edge| edge.1 = Some(1));
    edges.iter_mut().step_by(5).for_each(|edge| edge.1 = None);
    let without = edges.len().div_ceil(5);
    edges.extend((0..69).map(|i| ([i, i + 1], Some(0))));
    edges.extend((0..20).map(|i| ([i, 4899 - i], Some(0))));
    let left = check(4900, &edges);
    assert!(left > without + 20, "{left} left, of them {without} without a class and 20 too long");
}

#[test]
fn any_graph_at_all() {
    check(0, &[]);
    check(5, &[]);
    let mut random = Random(3);
    for vertices in [2, 9, 300, 5000] {
        let mut end = || (random.signed().abs() * f64::from(vertices)) as u32;
        let edges: Vec<_> = (0..4 * vertices).map(|_| ([end(), end()], Some(0))).collect();
        check(vertices as usize, &edges.into_iter().filter(|([a, b], _)| a != b).collect::<Vec<_>>());
    }
}
