//! Fours against one edge after the other.

use super::super::dispatch::{Kernel, run};
use super::super::simd::Real;
use super::*;
use crate::random::Random;
use glam::DVec3;

/// Pull with the weights given.
struct Given;

impl PerFour<1> for Given {
    type Own = Row;
    const PULLS: bool = true;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, _: usize, own: &Row, _: [[V::Vector; 3]; 1]) -> V::Vector {
        V::load(own)
    }
}

/// A cloth of so many columns and rows with alternating diagonals, as it is numbered row by row.
fn cloth(columns: u32, rows: u32) -> Vec<[u32; 2]> {
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

/// Every edge is in one lane of one four or left over, fours and what is left add up to what single edges do, on every
/// instruction set. Returns how many are left.
fn check(particles: usize, edges: &[([u32; 2], Option<u32>)]) -> usize {
    let runs = Runs::new(particles, edges);
    let mut planes = runs.planes();
    let Runs { parts, left, .. } = runs;
    let mut random = Random(7);
    let x: Vec<DVec3> = (0..particles).map(|_| random.vector()).collect();
    let weights: Vec<f64> = edges.iter().map(|_| random.signed()).collect();

    let lanes = parts.iter().flat_map(|part| part.edges.as_flattened()).filter(|&&edge| edge != Part::NONE);
    let mut all: Vec<u32> = lanes.chain(&left).copied().collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..edges.len() as u32), "each edge once");
    for four in parts.iter().flat_map(|part| &part.edges) {
        let class = |&edge: &u32| edges.get(edge as usize).map(|edge| edge.1);
        let mut classes = four.iter().filter_map(class);
        let first = classes.next().expect("no four without an edge");
        assert!(first.is_some() && classes.all(|class| class == first), "of one class: {four:?}");
    }

    let (mut sums, mut size) = (vec![DVec3::ZERO; particles], vec![0.0; particles]);
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
        let pulled: Vec<Sums> = parts.iter().map(|part| pulled(kernel, part, &planes, &weights)).collect();
        let mut found = vec![DVec3::ZERO; particles];
        for (k, part) in parts.iter().enumerate() {
            let summed = Summed::new(&pulled[k], k.checked_sub(1).map(|k| &pulled[k]));
            let rows = (0..summed.eights()).flat_map(|k| run(kernel, Eight(summed, k)));
            found[part.begin..].iter_mut().zip(rows).for_each(|(found, row)| *found = f64::point(&row));
        }
        for &number in &left {
            let ([a, b], w) = (edges[number as usize].0.map(|e| e as usize), weights[number as usize]);
            found[a] += w * (x[a] - x[b]);
            found[b] -= w * (x[a] - x[b]);
        }
        for (i, (found, sum)) in found.iter().zip(&sums).enumerate() {
            assert!(
                (*found - *sum).length() <= 1e-15 * size[i],
                "{kernel:?}, particle {i}: {found} for {sum}"
            );
        }
    }
    left.len()
}

/// The k-th eight rows.
struct Eight<'a>(Summed<'a>, usize);

impl Work<f64> for Eight<'_> {
    type Output = [Row; 8];
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> [Row; 8] {
        self.0.rows::<V>(self.1)
    }
}

fn pulled(kernel: Kernel, part: &Part, planes: &Planes, weights: &[f64]) -> Sums {
    let weight = |edge: u32| weights.get(edge as usize).copied().unwrap_or(0.0);
    let own: Vec<Row> = part.edges.iter().map(|edges| Wide(edges.map(weight))).collect();
    let mut sums = part.sums();
    // Twice: what was there before must not matter.
    for _ in 0..2 {
        sums.clear();
        run(kernel, Over { part, points: [planes], own: &own, sums: Some(&mut sums), each: Given });
    }
    sums
}

#[test]
fn cloth_runs_in_fours() {
    // Less than a block, several blocks, and rows longer than a block.
    for (columns, rows) in [(1, 1), (2, 1), (7, 5), (81, 81), (80, 60), (2500, 3)] {
        let edges: Vec<_> = cloth(columns, rows).into_iter().map(|ends| (ends, Some(0))).collect();
        let left = check((columns * rows) as usize, &edges);
        assert!(left == 0 || rows == 1, "{columns} x {rows}: {left} edges are in no four");
    }
    let edges: Vec<_> = cloth(81, 81).into_iter().map(|ends| (ends, Some(0))).collect();
    let fours: usize = Runs::new(81 * 81, &edges).parts.iter().map(|part| part.edges.len()).sum();
    assert!(100 * edges.len() > 95 * 4 * fours, "{fours} fours of {} edges are nearly all full", edges.len());
}

#[test]
fn classes_doubles_and_long_edges_keep_apart() {
    let mut edges: Vec<_> = cloth(70, 70).into_iter().map(|ends| (ends, Some(0))).collect();
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
    for particles in [2, 9, 300, 5000] {
        let mut end = || (random.signed().abs() * f64::from(particles)) as u32;
        let edges: Vec<_> = (0..4 * particles).map(|_| ([end(), end()], Some(0))).collect();
        check(particles as usize, &edges.into_iter().filter(|([a, b], _)| a != b).collect::<Vec<_>>());
    }
}
