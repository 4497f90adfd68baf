//! A first separator by distances: the smallest level set of a few functions on a graph.
//!
//! A function and a threshold split the vertices into those below it and the others; the vertices of one side that have
//! neighbours on the other are a separator. With a and b two vertices far apart and c and d two more, far from those,
//! the functions are differences and sums of distances \[edges\]: `x = d_a − d_b`, `y = d_c − d_d`, `x + y` and `x − y`. On
//! a sheet these are two diagonals and the two axes, on a body its long directions. Each value is averaged once with
//! those of the neighbours, which makes the level sets smooth on irregular meshes too. The separators of all thresholds
//! are counted in one pass: a vertex is in those between its value and the least or largest value of its neighbours.

use super::graph::Graph;
use super::separator::{CUT, LARGEST};
use crate::kernel::Simd;
use crate::kernel::{self, Kernel, Work};

/// Number of functions.
const WAYS: usize = 4;
/// Their values at one vertex.
type Lanes = [i32; WAYS];

/// Values are distances \[edges\] times this, so that averages can be rounded to integers.
const FINE: i32 = 8;

/// In place of a distance that is not known yet; larger than any.
const UNKNOWN: i32 = i32::MAX;

/// How counts change from the threshold before to this one. Vertices with smaller values are *before* the threshold, the
/// others *after* it.
#[derive(Clone, Copy, Default)]
struct Step {
    /// Vertices before the threshold.
    vertices: i32,
    /// Vertices before it with neighbours after it, and vertices after it with neighbours before it.
    touching: [i32; 2],
}

/// A level set.
#[derive(Clone, Copy)]
struct Level {
    /// Vertices of the separator.
    cut: usize,
    /// Number of the function.
    way: usize,
    threshold: i32,
    /// Whether the separator is taken from the vertices after the threshold.
    after: bool,
}

/// Separators of a graph, the best first: a side for every vertex, and on each side a vertex far from the other side. The
/// functions are made from `start`, a vertex near the edge of the graph.
pub(super) fn cuts(graph: &Graph, start: u32) -> impl Iterator<Item = (Vec<u8>, [u32; 2])> {
    let values = functions(graph, start);
    let mut levels = kernel::run(Kernel::detected(), Best { graph, values: &values });
    levels.sort_by_key(|level| level.cut);
    // If no level set is balanced: two halves of a breadth-first order, which are.
    let none = levels.is_empty().then(|| (halves(graph, start), [0; 2]));
    let cut = move |level: Level| {
        let value = |v: u32| values[v as usize][level.way];
        let all = || 0..graph.size() as u32;
        let far = [all().min_by_key(|&v| value(v)), all().max_by_key(|&v| value(v))];
        (sides(graph, level.after, |v| value(v) >= level.threshold), far.map(|v| v.unwrap_or(0)))
    };
    levels.into_iter().map(cut).chain(none)
}

/// Sides by a breadth-first order: its first half and the rest.
fn halves(graph: &Graph, start: u32) -> Vec<u8> {
    let mut queue = Vec::new();
    distances(graph, start, &mut queue);
    let mut after = vec![true; graph.size()];
    queue[..graph.size() / 2].iter().for_each(|&v| after[v as usize] = false);
    sides(graph, false, |v| after[v as usize])
}

/// The side of every vertex, given which are after the threshold. The separator is taken from that side if `cut_after`, else
/// from the other.
fn sides(graph: &Graph, cut_after: bool, after: impl Fn(u32) -> bool) -> Vec<u8> {
    let side = |v: u32| {
        let own = after(v);
        let touches = own == cut_after && graph.neighbours(v).iter().any(|&u| after(u) != own);
        if touches { CUT } else { u8::from(own) }
    };
    (0..graph.size() as u32).map(side).collect()
}

/// The four functions at every vertex.
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
        // In f32, because a division of integers would take longer than the sum; how it rounds does not matter.
        let share = 1.0 / (list.len() + 1) as f32;
        sum.map(|s| (s as f32 * share) as i32)
    };
    (0..n).map(smooth).collect()
}

/// Distances \[edges\] from a vertex by breadth-first search; `queue` is left with the vertices in that order. Other
/// components follow, each as if it began one edge beyond the last.
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
                // Written always, kept only if new: a branch could not be predicted.
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

/// Finds for every function the smallest level set that leaves no side too large. (It is a `Work` so that the compiler may
/// use the vector instructions of this processor.)
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
            // Index t of `steps` is the threshold low + t, and a vertex is before all thresholds above its value.
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

/// Extend the ranges from `low` to `high` to contain a value.
#[inline(always)]
fn widen(low: &mut Lanes, high: &mut Lanes, value: &Lanes) {
    for k in 0..WAYS {
        low[k] = low[k].min(value[k]);
        high[k] = high[k].max(value[k]);
    }
}

/// The smallest level set of one function that leaves at most the share [`LARGEST`] of n vertices on either side.
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
