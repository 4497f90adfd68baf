//! Bending of sheets: a periodic cell is as stiff as the continuum in every direction, a free plate has no spurious
//! modes, and nothing resists what is not bending.

mod dense;
pub mod meshes;

use crate::common::Random;
use dense::{Dense, add, below, decompose, solve};
use meshes::{Cell, Mesh, STRUCTURED, structured};
use taut::shapes::{bending, strand_bending};
use taut::{DVec3, Link};

fn links(mesh: &Mesh, rigidity: [f64; 2]) -> Vec<Link> {
    bending(&mesh.points, &mesh.triangles, &vec![DVec3::X; mesh.triangles.len()], rigidity).unwrap()
}

/// The rigidity of a cell that repeats, bent to a quadratic function plus what repeats: the 3 × 3 matrix D for which
/// the energy per area is ½ κᵀDκ with κ = (w_xx, w_yy, √2 w_xy).
fn rigidity(cell: &Cell, moduli: [f64; 2]) -> [[f64; 3]; 3] {
    let (mesh, of) = cell.repeated();
    let count = cell.points.len();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let bent = |p: DVec3| [0.5 * p.x * p.x, 0.5 * p.y * p.y, half * p.x * p.y];
    let mut matrix = vec![vec![0.0; count]; count];
    let mut sides = vec![vec![0.0; count]; 3];
    let mut stiffness = [[0.0; 3]; 3];
    for link in links(&mesh, moduli).iter().filter(|link| (link.weights[0].0 as usize) < count) {
        let mut row = vec![0.0; count];
        let mut imposed = [0.0; 3];
        for &(i, w) in &link.weights {
            row[of[i as usize]] += w;
            let bent = bent(mesh.points[i as usize]);
            (0..3).for_each(|n| imposed[n] += w * bent[n]);
        }
        let row: Vec<(usize, f64)> = row.into_iter().enumerate().filter(|(_, w)| *w != 0.0).collect();
        add(&mut matrix, &row);
        for n in 0..3 {
            row.iter().for_each(|&(i, w)| sides[n][i] -= w * imposed[n]);
            (0..3).for_each(|m| stiffness[n][m] += imposed[n] * imposed[m]);
        }
    }
    // One vertex is held: what repeats has no other rigid motion.
    let mut matrix: Dense = matrix[1..].iter().map(|row| row[1..].to_vec()).collect();
    decompose(&mut matrix);
    let area = cell.size.x * cell.size.y;
    let relaxed = sides.iter().map(|side| solve(&matrix, &side[1..])).collect::<Vec<_>>();
    let gain = |n: usize, m: usize| sides[n][1..].iter().zip(&relaxed[m]).map(|(b, x)| b * x).sum::<f64>();
    [0, 1, 2].map(|n| [0, 1, 2].map(|m| (stiffness[n][m] - gain(n, m)) / area))
}

/// Least and greatest of the rigidity over that of the continuum, every 7.5°.
fn range(cell: &Cell, moduli: [f64; 2]) -> [f64; 2] {
    let d = rigidity(cell, moduli);
    let c = [moduli[0], moduli[1], (moduli[0] * moduli[1]).sqrt()];
    let ratios = (0..24).map(|k| {
        let angle = f64::from(k) * 7.5f64.to_radians();
        let (s, c2) = angle.sin_cos();
        let n = [c2 * c2, s * s, std::f64::consts::SQRT_2 * s * c2];
        let ours: f64 = (0..3).map(|i| (0..3).map(|j| n[i] * d[i][j] * n[j]).sum::<f64>()).sum();
        ours / (0..3).map(|i| n[i] * c[i] * n[i]).sum::<f64>()
    });
    ratios.fold([f64::INFINITY, 0.0], |[low, high], r| [f64::min(low, r), f64::max(high, r)])
}

fn within(name: &str, [low, high]: [f64; 2], share: f64) {
    println!("{name}: {low:.7} to {high:.7}");
    assert!(low > 1.0 - share && high < 1.0 + share, "{name}: {low} to {high}");
}

#[test]
fn a_cell_is_as_stiff_as_the_continuum_in_every_direction() {
    let random = &mut Random(1);
    for name in STRUCTURED {
        within(name, range(&Cell::new(name, 6, random), [1.0, 1.0]), 1e-6);
    }
    for seed in 2..5 {
        let random = &mut Random(seed);
        within("jitter", range(&Cell::new("diagonal", 8, random).jittered(0.25, random), [1.0, 1.0]), 0.03);
        within("random", range(&Cell::random(12, random), [1.0, 1.0]), 0.03);
        let chequer = Cell::new("chequer", 8, random).jittered(0.25, random);
        within("jittered chequer", range(&chequer, [1.0, 1.0]), 0.05);
    }
}

/// One triangle in twenty is cut into three, the flattest of them a fiftieth of an edge high.
#[test]
fn slivers_do_little_harm() {
    for seed in 13..16 {
        let random = &mut Random(seed);
        let mut cell = Cell::new("diagonal", 10, random);
        for k in (0..cell.triangles.len()).step_by(20) {
            let [a, b, c] = cell.triangles[k];
            let places = [a, b, c].map(|corner| cell.place(corner));
            let height = 0.02 * (places[1] - places[0]).length()
                / (places[1] - places[0]).cross(places[2] - places[0]).length();
            let share = random.range(0.3, 0.7);
            cell.points
                .push((places[0] * share + places[1] * (1.0 - share)) * (1.0 - height) + places[2] * height);
            let middle = (cell.points.len() - 1, [0, 0]);
            cell.triangles[k] = [a, b, middle];
            cell.triangles.extend([[b, c, middle], [c, a, middle]]);
        }
        within("slivers", range(&cell, [1.0, 1.0]), 0.08);
    }
}

/// How far the end of a strip cut at 45° to the rows of its mesh sinks by its weight, over what a beam does.
fn trimmed(name: &str, elements: u32) -> f64 {
    // Vertices (x, y) are at x + y along the strip, in steps of √½, and at y − x across it.
    let (held, half, end) = (2.0, f64::from(elements / 6), f64::from(elements));
    let (start, size) = (f64::from(elements / 3), elements);
    let mesh = structured(name, size, size, &mut Random(0));
    let inside =
        |p: DVec3| (p.y - p.x).abs() <= half && p.x + p.y >= start - held && p.x + p.y <= start + end;
    let kept = |t: &&[u32; 3]| t.iter().all(|&i| inside(mesh.points[i as usize]));
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().filter(kept).copied().collect();
    let mut loads = vec![0.0; mesh.points.len()];
    triangles.iter().flatten().for_each(|&i| loads[i as usize] += 1.0 / 6.0);
    let along = |i: usize| (mesh.points[i].x + mesh.points[i].y - start) * 0.5f64.sqrt();
    let free: Vec<usize> = (0..loads.len()).filter(|&i| loads[i] > 0.0 && along(i) > 1e-6).collect();
    let mut number = vec![usize::MAX; loads.len()];
    free.iter().enumerate().for_each(|(n, &i)| number[i] = n);
    let mut matrix = vec![vec![0.0; free.len()]; free.len()];
    for link in links(&Mesh { triangles, points: mesh.points.clone() }, [1.0, 1.0]) {
        let row =
            link.weights.iter().map(|&(i, w)| (number[i as usize], w)).filter(|(n, _)| *n != usize::MAX);
        add(&mut matrix, &row.collect::<Vec<_>>());
    }
    decompose(&mut matrix);
    let sunk = solve(&matrix, &free.iter().map(|&i| loads[i]).collect::<Vec<_>>());
    // The beam begins half an element behind the last row that is held: f s² (3 l − s)/6B at l for a load at s.
    let width = loads.iter().sum::<f64>() / ((end + held) * 0.5f64.sqrt());
    let from = 0.5 * 0.5f64.sqrt();
    let length = end * 0.5f64.sqrt() + from;
    let beam: f64 = free
        .iter()
        .map(|&i| (loads[i], along(i) + from))
        .map(|(f, s)| f * s * s * (3.0 * length - s) / (6.0 * width))
        .sum();
    let tip: Vec<f64> = free
        .iter()
        .enumerate()
        .filter(|(_, i)| along(**i) > length - from - 1e-6)
        .map(|(n, _)| sunk[n])
        .collect();
    tip.iter().sum::<f64>() / tip.len() as f64 / beam
}

/// Rims across the rows of a mesh are stiffer than they should be, less so the finer it is.
#[test]
fn strips_cut_askew_sink_nearly_as_far() {
    for (name, share) in [("diagonal", 0.07), ("chequer", 0.02)] {
        let [coarse, fine] = [24, 48].map(|elements| 1.0 - trimmed(name, elements));
        println!("{name} at 45°: {coarse:.4}, {fine:.4} short");
        assert!(fine > 0.0 && fine < share && fine < 0.6 * coarse, "{name}: {coarse} {fine}");
    }
}

#[test]
fn warp_and_weft_differ() {
    for seed in 5..8 {
        let random = &mut Random(seed);
        for moduli in [[10.0, 1.0], [1.0, 10.0]] {
            within(
                "jitter, 10:1",
                range(&Cell::new("diagonal", 8, random).jittered(0.25, random), moduli),
                0.08,
            );
            within("random, 10:1", range(&Cell::random(12, random), moduli), 0.08);
        }
    }
    let random = &mut Random(8);
    for name in STRUCTURED {
        println!("{name}, 10:1: {:?}", range(&Cell::new(name, 6, random), [10.0, 1.0]));
    }
}

#[test]
fn a_free_plate_has_three_modes_without_bending() {
    let random = &mut Random(9);
    for name in STRUCTURED {
        for jitter in [0.0, 0.2] {
            let mut mesh = structured(name, 12, 12, random);
            mesh.points.iter_mut().for_each(|p| *p += random.vector(jitter) * DVec3::new(1.0, 1.0, 0.0));
            let count = mesh.points.len();
            let mut matrix = vec![vec![0.0; count]; count];
            for link in links(&mesh, [1.0, 1.0]) {
                let row: Vec<(usize, f64)> = link.weights.iter().map(|&(i, w)| (i as usize, w)).collect();
                add(&mut matrix, &row);
            }
            // The lowest true mode of a square of side L is about (13.5)² B/(ρL⁴).
            let lowest = 13.5f64.powi(2) / 12f64.powi(4);
            assert_eq!(below(&matrix, 1e-6 * lowest), 3, "{name}");
            assert_eq!(below(&matrix, 0.4 * lowest), 3, "{name}");
            assert!(below(&matrix, 3.0 * lowest) > 3, "{name}");
        }
    }
}

/// Plane motions, stretch and shear cost nothing; each row has weights whose sum is zero.
#[test]
fn affine_maps_bend_nothing() {
    let random = &mut Random(10);
    let mut mesh = structured("flipped", 6, 5, random);
    mesh.points.iter_mut().for_each(|p| *p += random.vector(0.2) * DVec3::new(1.0, 1.0, 0.0));
    let all = links(&mesh, [2.0, 0.5]);
    assert!(all.len() > mesh.points.len());
    let [a, b, c] = [0; 3].map(|_| random.vector(1.0));
    let moved: Vec<DVec3> = mesh.points.iter().map(|p| a + b * p.x + c * p.y).collect();
    for link in &all {
        let size: f64 = link.weights.iter().map(|(_, w)| w.abs()).sum();
        assert!(link.weights.iter().map(|(_, w)| w).sum::<f64>().abs() < 1e-14 * size);
        let p: DVec3 = link.weights.iter().map(|&(i, w)| w * moved[i as usize]).sum();
        assert!(p.length() < 1e-13 * size, "{p}");
        assert_eq!((link.rest_length, link.stiffness), (0.0, 1.0));
    }
}

/// Neither place, nor rotation, nor the order of corners matters; a mirrored mesh has the same weights, bit for bit.
#[test]
fn only_the_shape_of_the_mesh_counts() {
    let random = &mut Random(11);
    let mut mesh = structured("chequer", 5, 4, random);
    mesh.points.iter_mut().for_each(|p| *p += random.vector(0.2) * DVec3::new(1.0, 1.0, 0.0));
    let warp = DVec3::new(0.3, 1.0, 0.0);
    let of = |points: &[DVec3], warp| {
        bending(points, &mesh.triangles, &vec![warp; mesh.triangles.len()], [2.0, 0.5]).unwrap()
    };
    let ours = of(&mesh.points, warp);
    for mirror in [DVec3::new(-1.0, 1.0, 1.0), DVec3::new(1.0, -1.0, 1.0)] {
        let mirrored: Vec<DVec3> = mesh.points.iter().map(|p| *p * mirror).collect();
        let weights = |links: Vec<Link>| links.into_iter().map(|link| link.weights).collect::<Vec<_>>();
        assert_eq!(weights(of(&mirrored, warp * mirror)), weights(ours.clone()));
    }
    // Lengths twice as large: weights half as large.
    let scaled: Vec<DVec3> = mesh.points.iter().map(|p| *p * 2.0).collect();
    for (a, b) in of(&scaled, warp).iter().zip(&ours) {
        assert!(a.weights.iter().zip(&b.weights).all(|(a, b)| a.0 == b.0 && 2.0 * a.1 == b.1));
    }
    let energy =
        |links: &[Link], x: &[DVec3]| links.iter().map(|link| link.vector(x).length_squared()).sum::<f64>();
    let x: Vec<DVec3> = mesh.points.iter().map(|_| random.vector(1.0)).collect();
    let turn = glam::DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.0);
    let turned: Vec<DVec3> = mesh.points.iter().map(|p| turn * *p + DVec3::ONE).collect();
    let elsewhere = of(&turned, turn * warp);
    assert!((energy(&elsewhere, &x) / energy(&ours, &x) - 1.0).abs() < 1e-10);
    let winding: Vec<[u32; 3]> = mesh.triangles.iter().map(|&[a, b, c]| [b, a, c]).collect();
    let warps = vec![warp; winding.len()];
    let wound = bending(&mesh.points, &winding, &warps, [2.0, 0.5]).unwrap();
    assert!((energy(&wound, &x) / energy(&ours, &x) - 1.0).abs() < 1e-10);
    // Folded along its columns it is the same sheet: the triangles around a vertex are laid out flat.
    let flat = structured("chequer", 5, 4, random);
    let fold = |p: &DVec3| {
        let steps =
            (0..p.x as u32).map(|k| DVec3::new((0.3 * f64::from(k)).cos(), 0.0, (0.3 * f64::from(k)).sin()));
        steps.sum::<DVec3>() + DVec3::Y * p.y
    };
    let folded: Vec<DVec3> = flat.points.iter().map(fold).collect();
    let folded = energy(&of(&folded, DVec3::Y), &x);
    assert!((folded / energy(&of(&flat.points, DVec3::Y), &x) - 1.0).abs() < 1e-12);
}

/// Along a circle of radius R, with unequal steps, a strand stores ½ B/R² per length.
#[test]
fn strands_bend_as_rods_do() {
    let (random, rigidity, radius) = (&mut Random(12), 0.7, 2.0);
    let mut lengths = vec![0.0];
    (0..400).for_each(|n| lengths.push(lengths[n] + random.range(0.005, 0.01)));
    let straight: Vec<DVec3> = lengths.iter().map(|s| DVec3::new(0.6, 0.8, 0.0) * *s).collect();
    let strand: Vec<u32> = (0..=400).collect();
    let links = strand_bending(&straight, &strand, rigidity).unwrap();
    let energy = |x: &[DVec3]| links.iter().map(|link| 0.5 * link.vector(x).length_squared()).sum::<f64>();
    let bent: Vec<DVec3> =
        lengths.iter().map(|s| radius * DVec3::new((s / radius).sin(), (s / radius).cos(), 0.0)).collect();
    let inner = lengths[400] - 0.5 * (lengths[1] + lengths[400] - lengths[399]);
    let exact = 0.5 * rigidity / (radius * radius) * inner;
    assert!(energy(&straight) < 1e-18 * exact);
    assert!((energy(&bent) / exact - 1.0).abs() < 1e-4, "{} {exact}", energy(&bent));
    let refused = strand_bending(&[DVec3::ZERO; 3], &[0, 1, 2], 1.0).unwrap_err().to_string();
    assert!(refused.contains("particle 1"), "{refused}");
}

#[test]
fn what_cannot_bend_is_refused_by_name() {
    let mesh = structured("diagonal", 2, 2, &mut Random(0));
    let of = |points: &[DVec3], warp: DVec3, moduli| {
        bending(points, &mesh.triangles, &vec![warp; mesh.triangles.len()], moduli).unwrap_err().to_string()
    };
    assert!(of(&mesh.points, DVec3::X, [-1.0, 1.0]).contains("rigidity"));
    assert!(of(&mesh.points, DVec3::Z, [1.0, 1.0]).contains("triangle 0"));
    let mut flat = mesh.points.clone();
    flat[1] = 0.5 * (flat[0] + flat[4]);
    let refused = of(&flat, DVec3::X, [1.0, 1.0]);
    assert!(refused.contains("triangle 0") && refused.contains("area"), "{refused}");
    let few = bending(&mesh.points, &mesh.triangles, &[DVec3::X], [1.0, 1.0]).unwrap_err().to_string();
    assert!(few.contains("triangle 1"), "{few}");
}
