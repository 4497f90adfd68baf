//! Orders are permutations, separators separate, and the fill is what the theory promises.

use super::*;
use crate::linear::Elimination;
use crate::random::Random;

pub(crate) fn star(n: u32) -> Pattern {
    Pattern::new(n as usize, (1..n).map(|i| [0, i])).0
}

/// Grid with neighbours, one diagonal per cell like a chequerboard, and two-apart edges: the graph of the Curtain.
pub(crate) fn cloth(side: u32) -> Pattern {
    let at = move |r: u32, c: u32| r * side + c;
    let cells = (0..side * side).map(move |v| (v / side, v % side));
    let edges = cells.flat_map(move |(r, c)| {
        let odd = (r + c) % 2;
        let steps = [[0, 0, 0, 1], [0, 0, 1, 0], [0, odd, 1, 1 - odd], [0, 0, 0, 2], [0, 0, 2, 0]];
        let ends = steps.map(|[r1, c1, r2, c2]| [(r + r1, c + c1), (r + r2, c + c2)]);
        let inside = ends.into_iter().filter(move |ends| ends.iter().all(|&(r, c)| r < side && c < side));
        inside.map(move |[a, b]| [at(a.0, a.1), at(b.0, b.1)])
    });
    Pattern::new((side * side) as usize, edges).0
}

/// A cube of points, each joined to the seven others of its cell: the edges of a lattice cut into tetrahedra.
pub(crate) fn cube(side: u32) -> Pattern {
    let at = move |[x, y, z]: [u32; 3]| (x * side + y) * side + z;
    let steps = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1]];
    let points = (0..side.pow(3)).map(move |v| [v / side / side, v / side % side, v % side]);
    let edges = points.flat_map(move |p| {
        let ends = steps.into_iter().map(move |s| [p[0] + s[0], p[1] + s[1], p[2] + s[2]]);
        ends.filter(move |q| q.iter().all(|&c| c < side)).map(move |q| [at(p), at(q)])
    });
    Pattern::new(side.pow(3) as usize, edges).0
}

pub(crate) fn random_graph(n: u32, edges: usize, seed: u64) -> Pattern {
    let mut random = Random(seed);
    let edges: Vec<[u32; 2]> = (0..edges)
        .map(|_| [0; 2].map(|_: u32| ((0.5 + 0.5 * random.signed()) * f64::from(n)) as u32))
        .filter(|[a, b]| a != b)
        .collect();
    Pattern::new(n as usize, edges.into_iter()).0
}

/// Graphs of every awkward kind, by name.
pub(crate) fn graphs() -> Vec<(&'static str, Pattern)> {
    let path = |n: u32| Pattern::new(n as usize, (1..n).map(|i| [i - 1, i])).0;
    let clique = |n: u32| Pattern::new(n as usize, (0..n).flat_map(move |i| (0..i).map(move |j| [j, i]))).0;
    vec![
        ("nothing", Pattern::new(0, std::iter::empty()).0),
        ("one", Pattern::new(1, std::iter::empty()).0),
        ("two", path(2)),
        ("parallel edges", Pattern::new(2, [[0, 1], [1, 0], [0, 1]].into_iter()).0),
        ("isolated", Pattern::new(300, std::iter::empty()).0),
        ("path", path(1000)),
        ("star", star(700)),
        ("clique", clique(150)),
        ("cloth", cloth(31)),
        ("cube", cube(9)),
        ("sparse random", random_graph(600, 500, 1)),
        ("random", random_graph(400, 1600, 2)),
    ]
}

#[test]
fn every_order_is_a_permutation() {
    for (name, pattern) in graphs() {
        let mut order = nested_dissection(&pattern);
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..pattern.size() as u32), "{name}");
    }
}

#[test]
fn threads_do_not_change_the_order() {
    let solid = cube(20);
    let order = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| nested_dissection(&solid))
    };
    let alone = order(1);
    (0..5).for_each(|_| assert!(order(4) == alone));
}

#[test]
fn separators_separate_and_are_balanced() {
    for (name, pattern) in graphs().into_iter().filter(|(_, p)| p.size() > 2) {
        let graph = Graph::new(&pattern);
        for (k, (sides, _)) in sweep::cuts(&graph, 0).enumerate() {
            let mut separator = Separator::new(&graph, sides);
            separator.refine(PASSES);
            let side = separator.side;
            for v in 0..graph.size() as u32 {
                for &u in graph.neighbours(v) {
                    let sides = [side[v as usize], side[u as usize]];
                    assert!(sides != [0, 1] && sides != [1, 0], "{name}: {v} touches {u}");
                }
            }
            let counts = [0, 1, 2].map(|s| side.iter().filter(|&&x| x == s).count());
            if !["clique"].contains(&name) {
                assert!(counts[0].max(counts[1]) * 10 <= graph.size() * 7 + 10, "{name}: {counts:?}");
            }
            if name == "cloth" && k == 0 {
                assert!(counts[2] <= 2 * 31, "{name}: {counts:?}");
            }
        }
    }
}

#[test]
fn refinement_only_improves_and_keeps_its_books() {
    let pattern = cloth(25);
    let graph = Graph::new(&pattern);
    for level in 0..10 {
        // Two columns thick; straight first, then ever more oblique. No edge reaches further.
        let side = |v: u32| match v % 25 + level * (v / 25) / 10 {
            ..12 => 0,
            12..14 => CUT,
            _ => 1,
        };
        let mut separator = Separator::new(&graph, (0..625).map(side).collect());
        let before = separator.cost();
        separator.refine(8);
        assert!(separator.cost() <= before);
        let recounted = Separator::new(&graph, separator.side.clone());
        assert_eq!(separator.count, recounted.count);
    }
}

/// The separator travels over a bulge, where it is half as large again, to the neck behind it.
#[test]
fn refinement_passes_a_bulge() {
    const HEIGHTS: [u32; 5] = [9, 6, 9, 3, 15];
    let points: Vec<[u32; 2]> =
        (0..40).flat_map(|c| (0..HEIGHTS[c as usize / 8]).map(move |r| [c, r])).collect();
    let at = |p: [u32; 2]| Some(points.binary_search(&p).ok()? as u32);
    let joined = |&[c, r]: &[u32; 2]| [[c + 1, r], [c, r + 1]].map(|q| Some([at([c, r])?, at(q)?]));
    let graph = Graph::new(&Pattern::new(points.len(), points.iter().flat_map(joined).flatten()).0);
    // From the second column the smaller side lies the wrong way.
    for (column, height) in [(12, 6), (22, 9)] {
        let side = |p: &[u32; 2]| if p[0] == column { CUT } else { u8::from(p[0] > column) };
        let mut separator = Separator::new(&graph, points.iter().map(side).collect());
        assert_eq!(separator.count[2], height);
        separator.refine(PASSES);
        assert_eq!(separator.count[2], 3, "from {column}: {:?}", separator.count);
    }
}

/// A plane of points separates a cube: what is found from any start is no larger.
#[test]
fn separators_of_a_cube_are_planes() {
    for side in [8, 13, 18] {
        let graph = Graph::new(&cube(side));
        for start in [0, 1, 5] {
            let [a, b, cut] = separator(&graph, start * graph.size() as u32 / 6).0.count;
            assert!(cut <= side.pow(2) as usize, "{side}: {cut}");
            assert!(a.min(b) * 4 > graph.size(), "{side}: {a} and {b}");
        }
    }
}

#[test]
fn fill_is_below_minimum_degree() {
    let fill = |pattern: &Pattern, order: &[u32]| Elimination::new(pattern, order);
    for (name, pattern, ratio) in [("cloth", cloth(81), 1.0), ("cube", cube(20), 0.9)] {
        let dissected = fill(&pattern, &nested_dissection(&pattern));
        let by_degree = fill(&pattern, &crate::linear::minimum_degree(&pattern).unwrap());
        let (ours, theirs) = (dissected.fill() as f64, by_degree.fill() as f64);
        println!("{name}: fill {ours} / {theirs}, work {:e} / {:e}", dissected.work(), by_degree.work());
        assert!(ours < ratio * theirs, "{name}: {ours} against {theirs}");
    }
}
