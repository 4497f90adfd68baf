//! The tree finds what a test of all pairs finds; boxes at both ends lose nothing and gain little.

mod flat;

use super::*;
use crate::random::Random;

/// A scene: a surface at the start and the end of a step.
struct Scene {
    surface: Surface,
    start: Vec<DVec3>,
    end: Vec<DVec3>,
    prescribed: Vec<bool>,
    distances: Distances,
}

fn pick(random: &mut Random, below: usize) -> usize {
    ((random.signed() + 1.0) * 0.5 * below as f64) as usize
}

/// Triangles and strands in a cube, some of whose points coincide, of any size and anywhere.
fn random_scene(seed: u64) -> Scene {
    let random = &mut Random(seed);
    let n = 4 + pick(random, 60);
    let mut start: Vec<DVec3> = (0..n).map(|_| random.vector()).collect();
    // Motion from none to farther than the scene is wide, in common and of each.
    let (common, own) = (random.vector() * 5.0, [0.0, 0.1, 1.0][pick(random, 3)]);
    let mut end: Vec<DVec3> = start.iter().map(|&p| p + common + random.vector() * own).collect();
    for positions in [&mut start, &mut end] {
        match pick(random, 6) {
            0 => (0..n / 2).for_each(|i| positions[i] = positions[n - 1 - i]),
            1 => positions.iter_mut().for_each(|p| p.y = 0.25),
            2 => positions.iter_mut().for_each(|p| *p = (*p * 4.0).round() / 4.0),
            3 => positions[..3].iter_mut().for_each(|p| *p *= 1e4),
            4 => positions.fill(DVec3::ONE),
            _ => {}
        }
    }
    let scale = 2f64.powi([0, -20, 20, -1000, 1000][pick(random, 5)]);
    let offset = random.vector() * [0.0, 1.0, 1e6][pick(random, 3)];
    start.iter_mut().chain(&mut end).for_each(|p| *p = (*p + offset) * scale);
    let particles = [0; 3].map(|_| random.vector());
    let size = 0.1 + 0.9 * particles[0].x.abs();
    // Triangles between particles of similar number, as in a mesh, or of any.
    let near = [4, n][pick(random, 2)];
    let mut corners = |count: usize| {
        let first = pick(random, n);
        let mut chosen = Vec::new();
        while chosen.len() < count {
            let next = (first + pick(random, near.max(count))) % n;
            if !chosen.contains(&(next as u32)) {
                chosen.push(next as u32);
            }
        }
        chosen
    };
    let mut triangles: Vec<[u32; 3]> = (0..2 * n).map(|_| corners(3).try_into().unwrap()).collect();
    triangles.truncate((2.0 * size * n as f64) as usize);
    let segments: Vec<[u32; 2]> = (0..n / 2).map(|_| corners(2).try_into().unwrap()).collect();
    let share = [2.0, 0.0, -0.5][pick(random, 3)];
    let prescribed = (0..n).map(|_| random.signed() > share).collect();
    let mut distance = || scale * [0.0, 0.03, 0.3][pick(random, 3)];
    Scene {
        surface: Surface::new(n, &triangles, &segments).unwrap(),
        start,
        end,
        prescribed,
        distances: Distances { vertex_face: distance(), edge_edge: distance() },
    }
}

/// All pairs that share no particle, are not prescribed altogether, and are `near`.
fn brute_force_between<const M: usize, const N: usize>(
    scene: &Scene,
    first: &[[u32; M]],
    second: &[[u32; N]],
    near: impl Fn(&[u32], &[u32]) -> bool,
) -> Vec<[u32; 2]> {
    let wanted = |a: &[u32], b: &[u32]| {
        let held = a.iter().chain(b).all(|&p| scene.prescribed[p as usize]);
        !held && !a.iter().any(|p| b.contains(p)) && near(a, b)
    };
    let all = (0..first.len()).flat_map(|i| (0..second.len()).map(move |j| (i, j)));
    all.filter(|&(i, j)| wanted(&first[i], &second[j])).map(|(i, j)| [i as u32, j as u32]).collect()
}

/// The candidates among all pairs; `near` is told whether they are edges.
fn brute_force(scene: &Scene, near: impl Fn(&[u32], &[u32], bool) -> bool) -> Candidates {
    let Surface { points, edges, faces, .. } = &scene.surface;
    let alone: Vec<[u32; 1]> = points.iter().map(|&p| [p]).collect();
    let mut vertex_face = brute_force_between(scene, &alone, faces, |a, b| near(a, b, false));
    vertex_face.iter_mut().for_each(|pair| pair[0] = points[pair[0] as usize]);
    let mut edge_edge = brute_force_between(scene, edges, edges, |a, b| near(a, b, true));
    edge_edge.retain(|[a, b]| a < b);
    Candidates { vertex_face, edge_edge }
}

/// Whether boxes around these coordinates at either end are within a distance: axis by axis, end by end, for both sides.
fn within<T: Copy + PartialOrd + std::ops::Sub<Output = T>>(
    a: &[u32],
    b: &[u32],
    at: impl Fn(u32, usize, usize) -> T,
    far: impl Fn(T) -> bool,
) -> bool {
    let all_far = |a: &[u32], b: &[u32], axis: usize| {
        [0, 1]
            .iter()
            .all(|&end| a.iter().all(|&p| b.iter().all(|&q| far(at(p, axis, end) - at(q, axis, end)))))
    };
    !(0..3).any(|axis| all_far(a, b, axis) || all_far(b, a, axis))
}

#[test]
fn pairs_are_those_of_all_pairs() {
    let (mut candidates, mut lost) = (0, 0);
    let (mut found, mut crossing) = (Candidates::default(), Vec::new());
    for seed in 0..1000 {
        let scene = random_scene(seed);
        let mut tree = Tree { flat: None, ..Tree::new(&scene.surface, &scene.start) };
        tree.refit(&scene.start, &scene.end);
        tree.pairs(&scene.prescribed, scene.distances, &mut found);
        found.sort();
        let distance = |of_edges: bool| {
            if of_edges { scene.distances.edge_edge } else { scene.distances.vertex_face }
        };
        let same = brute_force(&scene, |a, b, of_edges| {
            let reach = tree.frame.reach(distance(of_edges));
            within(a, b, |p, axis, end| tree.particles[p as usize].0[axis + 3 * end], |d| d > reach)
        });
        assert_eq!(found, same, "{seed}");
        tree.edges_and_faces(&scene.prescribed, &mut crossing);
        crossing.sort_unstable();
        let reach = tree.frame.reach(0.0);
        let all = brute_force_between(&scene, &scene.surface.edges, &scene.surface.faces, |a, b| {
            within(a, b, |p, axis, end| tree.particles[p as usize].0[axis + 3 * end], |d| d > reach)
        });
        assert_eq!(crossing, all, "{seed}");
        // In double precision a few are lost, but none is found that was not there.
        let exact = brute_force(&scene, |a, b, of_edges| {
            let ends = [&scene.start, &scene.end];
            within(a, b, |p, axis, end| ends[end][p as usize][axis], |d| d > distance(of_edges))
        });
        for (all, few) in [(&found.vertex_face, &exact.vertex_face), (&found.edge_edge, &exact.edge_edge)] {
            assert!(few.iter().all(|pair| all.binary_search(pair).is_ok()), "{seed}");
            (candidates, lost) = (candidates + all.len(), lost + all.len() - few.len());
        }
    }
    assert!(candidates > 500_000 && lost * 100 < candidates, "{candidates} {lost}");
}

/// A square cloth of n by n cells, its triangles and its particles at rest.
fn cloth(n: usize) -> (Surface, Vec<DVec3>) {
    let at = |row: usize, column: usize| (row * (n + 1) + column) as u32;
    let cells = (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
    let triangles: Vec<[u32; 3]> = cells
        .flat_map(|(r, c)| {
            [[at(r, c), at(r + 1, c), at(r + 1, c + 1)], [at(r, c), at(r + 1, c + 1), at(r, c + 1)]]
        })
        .collect();
    let place = |i: usize| DVec3::new((i % (n + 1)) as f64, 0.0, (i / (n + 1)) as f64) / n as f64;
    let rest = (0..(n + 1) * (n + 1)).map(place).collect();
    (Surface::new((n + 1) * (n + 1), &triangles, &[]).unwrap(), rest)
}

/// The same cloth in eight layers 3 mm apart.
fn folded(rest: &[DVec3]) -> Vec<DVec3> {
    let fold = |p: &DVec3| {
        let layer = (p.z * 8.0).floor().min(7.0);
        let along = p.z * 8.0 - layer;
        DVec3::new(p.x, 0.003 * layer, if layer % 2.0 == 0.0 { along } else { 1.0 - along } / 8.0)
    };
    rest.iter().map(fold).collect()
}

/// What moves as a whole has the candidates that it has at rest.
#[test]
fn common_motion_drops_out() {
    let (surface, rest) = cloth(80);
    let random = &mut Random(1);
    let start = folded(&rest);
    let end: Vec<DVec3> = start.iter().map(|&p| p + random.vector() * 2e-4).collect();
    let mut tree = Tree::new(&surface, &rest);
    let mut count = |flight: DVec3| {
        let mut found = Candidates::default();
        tree.refit(&start, &end.iter().map(|&p| p + flight).collect::<Vec<_>>());
        tree.pairs(&[], Distances { vertex_face: 0.0035, edge_edge: 0.0035 }, &mut found);
        (found.vertex_face.len() + found.edge_edge.len()) as f64
    };
    // 100 m/s for 1/30 s.
    let (still, flying) = (count(DVec3::ZERO), count(DVec3::new(2.0, -2.5, 1.0)));
    assert!(still > 50_000.0 && (flying / still - 1.0).abs() < 0.01, "{still} {flying}");
}

/// Leaves that have parted get another order, which finds the same with fewer box tests.
#[test]
fn a_worn_tree_is_put_in_order() {
    let random = &mut Random(2);
    let triangles: Vec<[u32; 3]> = (0..2000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let surface = Surface::new(6000, &triangles, &[]).unwrap();
    let mut scattered = || -> Vec<DVec3> {
        let places = triangles.iter().map(|_| random.vector()).collect::<Vec<_>>();
        (0..6000).map(|i| places[i / 3] + random.vector() * 0.03).collect()
    };
    let (first, then) = (scattered(), scattered());
    let mut tree = Tree::new(&surface, &first);
    let mut search = |positions: &[DVec3]| {
        let mut found = Candidates::default();
        tree.refit(positions, positions);
        tree.pairs(&[], Distances::default(), &mut found);
        found.sort();
        (tree.tests, found)
    };
    let [fresh, again, worn, renewed] = [&first, &first, &then, &then].map(|positions| search(positions));
    assert_eq!(fresh, again);
    assert_eq!(worn.1, renewed.1);
    assert!(worn.0 * 2 > fresh.0 * 3 && renewed.0 * 4 < fresh.0 * 5, "{} {} {}", fresh.0, worn.0, renewed.0);
    assert!(!worn.1.edge_edge.is_empty());
}

/// Every instruction set finds the same pairs in the same order.
#[test]
fn every_kernel_finds_the_same() {
    for seed in (0..1000).step_by(50) {
        let scene = random_scene(seed);
        let found = Kernel::available().into_iter().map(|kernel| {
            let mut tree = Tree { kernel, ..Tree::new(&scene.surface, &scene.start) };
            let mut found = Candidates::default();
            tree.refit(&scene.start, &scene.end);
            tree.pairs(&scene.prescribed, scene.distances, &mut found);
            found
        });
        let found: Vec<_> = found.collect();
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{seed}");
    }
}

#[test]
fn nothing_is_near_nothing() {
    let mut tree = Tree::new(&Surface::default(), &[]);
    let mut found = Candidates { vertex_face: vec![[1, 2]], edge_edge: vec![[3, 4]] };
    tree.refit(&[], &[]);
    tree.pairs(&[], Distances::default(), &mut found);
    assert_eq!(found, Candidates::default());
}
