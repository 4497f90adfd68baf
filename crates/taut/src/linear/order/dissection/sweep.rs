//! A first separator by distances: the best level set of a few functions on a graph.
//!
//! With a and b two vertices far apart and c and d two more, far from those, the functions are differences and
//! sums of distances \[edges\]: `x = d_a − d_b`, `y = d_c − d_d`, `x + y` and `x − y`. On a sheet these are two
//! diagonals and the two axes, on a body its long directions. Averaged once with the neighbours they have smooth
//! level sets on irregular meshes too. Every threshold of every function is weighed: all it takes is, per vertex,
//! the range of the functions over its neighbours.

use super::graph::Graph;
use super::separator::{CUT, LARGEST};
use crate::kernel::Simd;
use crate::kernel::{self, Kernel, Work};

const WAYS: usize = 4;
type Lanes = [i32; WAYS];

/// Integers per edge of distance, so that averages keep their order.
const FINE: i32 = 8;

/// A distance not yet found, larger than any.
const UNKNOWN: i32 = i32::MAX;

/// Vertices that touch the other side, as differences from one threshold to the next.
#[derive(Clone, Copy, Default)]
struct Step {
    vertices: i32,
    /// Of those before the threshold, and of those after it.
    touching: [i32; 2],
}

/// A level set.
#[derive(Clone, Copy)]
struct Level {
    cut: usize,
    way: usize,
    threshold: i32,
    /// Whether the separator is taken from the vertices after the threshold.
    after: bool,
}

/// Cuts of a graph, best first: a side for every vertex, and of either side a vertex far from the other. `start` is a
/// vertex that is far from something.
pub(super) fn cuts(graph: &Graph, start: u32) -> impl Iterator<Item = (Vec<u8>, [u32; 2])> {
    let values = functions(graph, start);
    let mut levels = kernel::run(Kernel::detected(), Best { graph, values: &values });
    levels.sort_by_key(|level| level.cut);
    // Where no level set is balanced, half of a breadth-first order is.
    let none = levels.is_empty().then(|| (halves(graph, start), [0; 2]));
    let cut = move |level: Level| {
        let value = |v: u32| values[v as usize][level.way];
        let all = || 0..graph.size() as u32;
        let far = [all().min_by_key(|&v| value(v)), all().max_by_key(|&v| value(v))];
        (sides(graph, level.after, |v| value(v) >= level.threshold), far.map(|v| v.unwrap_or(0)))
    };
    levels.into_iter().map(cut).chain(none)
}

fn halves(graph: &Graph, start: u32) -> Vec<u8> {
    let mut queue = Vec::new();
    distances(graph, start, &mut queue);
    let mut after = vec![true; graph.size()];
    queue[..graph.size() / 2].iter().for_each(|&v| after[v as usize] = false);
    sides(graph, false, |v| after[v as usize])
}

fn sides(graph: &Graph, cut_after: bool, after: impl Fn(u32) -> bool) -> Vec<u8> {
    let side = |v: u32| {
        let own = after(v);
        let touches = own == cut_after && graph.neighbours(v).iter().any(|&u| after(u) != own);
        if touches { CUT } else { u8::from(own) }
    };
    (0..graph.size() as u32).map(side).collect()
}

/// The four functions.
fn functions(graph: &Graph, start: u32) -> Vec<Lanes> {
    let n = graph.size();
    let mut queue = Vec::with_capacity(n);
    let mut walk = |from: u32| {
        let distance = distances(graph, from, &mut queue);
        (distance, queue[n - 1])
    };
    let (from_a, b) = walk(start);
    let (from_b, _) = walk(b);
    let nearer = |v: &u32| from_a[*v as usize].min(from_b[*v as usize]);
    let c = (0..n as u32).max_by_key(nearer).expect("a graph that is not empty");
    let (from_c, d) = walk(c);
    let (from_d, _) = walk(d);
    let rough: Vec<Lanes> = (0..n)
        .map(|v| {
            let (x, y) = (FINE * (from_a[v] - from_b[v]), FINE * (from_c[v] - from_d[v]));
            [x, y, x + y, x - y]
        })
        .collect();
    let smooth = |v: usize| {
        let list = graph.neighbours(v as u32);
        let mut sum = rough[v];
        for &u in list {
            let add = &rough[u as usize];
            (0..WAYS).for_each(|k| sum[k] += add[k]);
        }
        // Rounded in any way that keeps the order of sums; a division of integers would take longer than the sum.
        let share = 1.0 / (list.len() + 1) as f32;
        sum.map(|s| (s as f32 * share) as i32)
    };
    (0..n).map(smooth).collect()
}

/// Distances \[edges\] by breadth-first search, in whose order the vertices are left. What is not connected with
/// `from` is put behind everything else, component by component.
fn distances(graph: &Graph, from: u32, queue: &mut Vec<u32>) -> Vec<i32> {
    let n = graph.size();
    let mut distance = vec![UNKNOWN; n];
    queue.clear();
    queue.resize(n + 1, 0);
    let (mut root, mut next, mut head, mut tail) = (from as usize, 0, 0, 0);
    let mut far = 0;
    loop {
        distance[root] = far;
        queue[tail] = root as u32;
        tail += 1;
        while head < tail {
            let v = queue[head];
            head += 1;
            far = distance[v as usize] + 1;
            for &u in graph.neighbours(v) {
                // Written always and kept if new: which it is cannot be predicted.
                let d = &mut distance[u as usize];
                queue[tail] = u;
                tail += usize::from(*d == UNKNOWN);
                *d = far.min(*d);
            }
        }
        if tail == n {
            return distance;
        }
        while distance[next] != UNKNOWN {
            next += 1;
        }
        root = next;
    }
}

/// Of every function the smallest level set that leaves no side too large.
struct Best<'a> {
    graph: &'a Graph,
    values: &'a [Lanes],
}

impl Work<f64> for Best<'_> {
    type Output = Vec<Level>;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> Vec<Level> {
        best(self.graph, self.values)
    }
}

#[inline(always)]
fn best(graph: &Graph, values: &[Lanes]) -> Vec<Level> {
    let (mut low, mut high) = (values[0], values[0]);
    values.iter().for_each(|value| widen(&mut low, &mut high, value));
    let mut steps: [Vec<Step>; WAYS] =
        std::array::from_fn(|k| vec![Step::default(); (high[k] - low[k]) as usize + 2]);
    for (v, own) in (0u32..).zip(values) {
        let (mut least, mut largest) = (*own, *own);
        for &u in graph.neighbours(v) {
            widen(&mut least, &mut largest, &values[u as usize]);
        }
        for k in 0..WAYS {
            // A threshold is the first value after it: a vertex comes before those above its own value.
            let [own, least, largest] = [own, &least, &largest].map(|x| (x[k] - low[k]) as usize + 1);
            let steps = &mut steps[k];
            steps[own].vertices += 1;
            steps[own].touching[0] += 1;
            steps[largest].touching[0] -= 1;
            steps[least].touching[1] += 1;
            steps[own].touching[1] -= 1;
        }
    }
    (0..WAYS).filter_map(|way| smallest(values.len(), way, low[way], &steps[way])).collect()
}

#[inline(always)]
fn widen(low: &mut Lanes, high: &mut Lanes, value: &Lanes) {
    for k in 0..WAYS {
        low[k] = low[k].min(value[k]);
        high[k] = high[k].max(value[k]);
    }
}

fn smallest(n: usize, way: usize, low: i32, steps: &[Step]) -> Option<Level> {
    let most = (LARGEST * n as f64) as usize;
    let mut best: Option<Level> = None;
    let (mut before, mut touching) = (0, [0; 2]);
    for (threshold, step) in (low..).zip(steps) {
        before += step.vertices as usize;
        (0..2).for_each(|k| touching[k] += step.touching[k]);
        let after = touching[1] < touching[0];
        let cut = touching[usize::from(after)] as usize;
        let (a, b) = if after { (before, n - before - cut) } else { (before - cut, n - before) };
        if a.max(b) <= most && best.is_none_or(|best| cut < best.cut) {
            best = Some(Level { cut, way, threshold, after });
        }
    }
    best
}
