//! Laws of the renderer: coverage, order, symmetry, silence on bad input.

use super::*;
use std::f64::consts::PI;

/// A square picture of the plane z = 0, `side` metres wide, without light effects.
fn flat_camera(side: f64) -> Camera {
    let fov = 0.2;
    let distance = 0.5 * side / f64::tan(0.5 * fov);
    Camera { eye: DVec3::Z * distance, target: DVec3::ZERO, up: DVec3::Y, fov }
}

fn plain() -> Style {
    Style { shadows: false, ..Style::default() }
}

fn render(size: [usize; 2], drawing: &Drawing) -> Picture {
    Renderer::new(size[0], size[1]).unwrap().draw(drawing).clone()
}

/// Share of the way from the empty picture to the cloth's colour, summed over all pixels (linear light).
fn covered(picture: &Picture, empty: &Picture, inside: [u8; 3]) -> f64 {
    let red = |c: u8| shade::linear(c);
    let pixels = picture.rgb.chunks(3).zip(empty.rgb.chunks(3));
    pixels.map(|(p, e)| (red(p[0]) - red(e[0])) / (red(inside[0]) - red(e[0]))).sum()
}

fn quad(lo: [f64; 2], hi: [f64; 2], z: f64) -> [DVec3; 4] {
    [(lo[0], lo[1]), (hi[0], lo[1]), (hi[0], hi[1]), (lo[0], hi[1])].map(|(x, y)| DVec3::new(x, y, z))
}

const QUAD: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

#[test]
fn a_triangle_covers_its_area() {
    for turn in 0..7 {
        let angle = turn as f64 * 0.9;
        let corner =
            |k: f64| DVec3::new((angle + k * 2.0 * PI / 3.0).cos(), (angle + k * 2.0 * PI / 3.0).sin(), 0.0);
        let positions = [corner(0.0), corner(1.0), corner(2.0)];
        let base = Drawing { camera: flat_camera(4.0), style: plain(), ..Drawing::default() };
        let picture = render([160, 160], &Drawing { positions: &positions, triangles: &[[0, 1, 2]], ..base });
        let found = covered(&picture, &render([160, 160], &base), picture.pixel(80, 80));
        let exact = 3.0 * 3f64.sqrt() / 4.0 * (160.0 / 4.0) * (160.0 / 4.0);
        assert!((found - exact).abs() < 0.015 * exact, "turn {turn}: {found} pixels, {exact} expected");
    }
}

#[test]
fn a_shared_edge_neither_cracks_nor_counts_twice() {
    let positions = quad([-1.0, -0.7], [1.0, 0.9], 0.0);
    let base = Drawing { camera: flat_camera(4.0), style: plain(), ..Drawing::default() };
    let picture = render([200, 200], &Drawing { positions: &positions, triangles: &QUAD, ..base });
    let middle = picture.pixel(100, 100);
    for (x, y) in (55..145).flat_map(|x| (60..130).map(move |y| (x, y))) {
        let close = picture.pixel(x, y).iter().zip(middle).all(|(a, b)| a.abs_diff(b) <= 6);
        assert!(close, "crack at ({x}, {y}): {:?} among {middle:?}", picture.pixel(x, y));
    }
}

#[test]
fn the_nearer_of_two_quads_is_seen_in_either_order() {
    let (near, far) = (quad([-1.0; 2], [1.0; 2], 0.2), quad([-1.0; 2], [1.0; 2], -0.2));
    let colour_of = |first: [DVec3; 4], second: [DVec3; 4], colours: &[u8]| {
        let positions = [first, second].concat();
        let triangles = [QUAD, QUAD.map(|t| t.map(|v| v + 4))].concat();
        let drawing = Drawing {
            positions: &positions,
            triangles: &triangles,
            colours,
            camera: flat_camera(4.0),
            style: plain(),
            ..Drawing::default()
        };
        render([64, 64], &drawing).pixel(32, 32)
    };
    let red = colour_of(near, far, &[1, 1, 0, 0]);
    assert_eq!(red, colour_of(far, near, &[0, 0, 1, 1]));
    assert!(red[0] > red[2] + 50, "the nearer quad is red, not {red:?}");
    let blue = colour_of(far, near, &[1, 1, 0, 0]);
    assert!(blue[2] > blue[0] + 50, "the nearer quad is blue, not {blue:?}");
}

#[test]
fn front_and_back_of_cloth_differ() {
    let positions = quad([-1.0; 2], [1.0; 2], 0.0);
    let base =
        Drawing { positions: &positions, camera: flat_camera(4.0), style: plain(), ..Drawing::default() };
    let front = render([32, 32], &Drawing { triangles: &QUAD, ..base }).pixel(16, 16);
    let turned = QUAD.map(|[a, b, c]| [a, c, b]);
    let back = render([32, 32], &Drawing { triangles: &turned, ..base }).pixel(16, 16);
    assert!(front[2] > front[0] && back[0] > back[2], "blue in front, sand behind: {front:?} {back:?}");
}

/// A small sheet with folds, hung from two corners.
pub(super) fn folds() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let n = 25;
    let point = |i: usize| {
        let (u, v) = ((i % n) as f64 / 24.0, (i / n) as f64 / 24.0);
        DVec3::new(1.6 * u - 0.8, 1.8 - 1.5 * v, 0.12 * (14.0 * u).sin() * (0.3 + v) + 0.2 * v * u)
    };
    let cells = (0..n - 1).flat_map(|y| (0..n - 1).map(move |x| (y * n + x) as u32));
    let n = n as u32;
    let triangles = cells.flat_map(|a| [[a, a + n, a + 1], [a + 1, a + n, a + n + 1]]).collect();
    ((0..25 * 25).map(point).collect(), triangles)
}

#[test]
fn a_mirrored_scene_gives_the_mirrored_picture() {
    let (positions, triangles) = folds();
    let mirror = |p: DVec3| DVec3::new(-p.x, p.y, p.z);
    let key = DVec3::new(-0.5, 0.8, 0.6);
    let camera = Camera { eye: DVec3::new(0.0, 1.4, 5.0), target: DVec3::Y, up: DVec3::Y, fov: 0.6 };
    let style = Style { shadows: false, key_light: Some(key), ..Style::default() };
    let one = Drawing { positions: &positions, triangles: &triangles, camera, style, ..Drawing::default() };
    let mirrored: Vec<_> = positions.iter().map(|&p| mirror(p)).collect();
    let turned: Vec<_> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let style = Style { key_light: Some(mirror(key)), ..style };
    let two = Drawing { positions: &mirrored, triangles: &turned, style, ..one };
    let (a, b) = (render([120, 90], &one), render([120, 90], &two));
    let (mut sum, mut unequal) = (0, 0);
    for (x, y) in (0..120).flat_map(|x| (0..90).map(move |y| (x, y))) {
        let (p, q) = (a.pixel(x, y), b.pixel(119 - x, y));
        let apart: u32 = p.iter().zip(q).map(|(&p, q)| p.abs_diff(q) as u32).sum();
        sum += apart;
        unequal += usize::from(apart > 12);
    }
    // The rim light and the sample lattice are not symmetric: outlines may differ, surfaces hardly.
    assert!(sum < 3 * 120 * 90, "mean difference {}", sum as f64 / (120.0 * 90.0));
    assert!(unequal < 120 * 90 / 15, "{unequal} pixels differ");
}

#[test]
fn nothing_is_drawn_outside_its_outline_and_shadows_fall_on_the_ground() {
    let (positions, triangles) = folds();
    let [lo, hi] = extent(positions.iter().copied());
    let camera =
        Camera::framing([lo.with_y(0.0), hi].into_iter().chain(positions.iter().copied()), 4.0 / 3.0);
    let empty = Drawing { ground: Some(0.0), extent: Some([lo, hi]), camera, ..Drawing::default() };
    let full = Drawing { positions: &positions, triangles: &triangles, ..empty };
    let view = PixelCamera::new(&camera, 160, 120);
    let points: Vec<_> = positions.iter().map(|&p| view.project(p)).map(|p| [p.x / p.z, p.y / p.z]).collect();
    let least = |k: usize| points.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min);
    assert!(least(0) > 0.0 && least(1) > 0.0, "framing holds the whole sheet");
    let (a, b) = (render([160, 120], &full), render([160, 120], &empty));
    for (x, y) in (0..160).flat_map(|x| (0..least(1) as usize - 1).map(move |y| (x, y))) {
        assert_eq!(a.pixel(x, y), b.pixel(x, y), "above the sheet at ({x}, {y})");
    }
    let foot = view.project(DVec3::new(0.5 * (lo.x + hi.x) + 0.3, 0.0, 0.0));
    let (x, y) = ((foot.x / foot.z) as usize, (foot.y / foot.z) as usize);
    assert!(a.pixel(x, y)[0] + 8 < b.pixel(x, y)[0], "the ground under the sheet is darker");
}

#[test]
fn the_same_drawing_gives_the_same_bytes() {
    let (positions, triangles) = folds();
    let drawing =
        Drawing { positions: &positions, triangles: &triangles, ground: Some(0.0), ..Drawing::default() };
    let mut renderer = Renderer::new(80, 60).unwrap();
    let first = renderer.draw(&drawing).clone();
    renderer.draw(&Drawing { ground: None, ..Drawing::default() });
    assert_eq!(&first, renderer.draw(&drawing));
}

#[test]
fn bad_input_never_panics() {
    let (mut positions, mut triangles) = folds();
    positions[3] = DVec3::NAN;
    positions[40] = DVec3::splat(f64::INFINITY);
    positions[41] = DVec3::splat(1e300);
    positions[60] = positions[61];
    triangles.extend([[0, 0, 0], [5, 6, 90_000], [u32::MAX; 3]]);
    let segments = [[0, 1], [1, 2], [2, 3], [7, 7], [9, u32::MAX], [60, 61], [61, 60]];
    let broken = Mesh { positions: vec![DVec3::NAN; 2], triangles: vec![[0, 1, 2]], colour: 255 };
    let solids = [broken, solids::sphere(DVec3::NAN, 1.0), solids::capsule(DVec3::ONE, DVec3::ONE, -1.0)];
    let nowhere = Camera { eye: DVec3::ONE, target: DVec3::ONE, up: DVec3::ZERO, fov: f64::NAN };
    let inside =
        Camera { eye: DVec3::new(0.0, 1.0, 0.0), target: DVec3::new(0.1, 1.0, 0.0), up: DVec3::Y, fov: 1.0 };
    let lost = Camera { eye: DVec3::NAN, ..inside };
    let above = Camera { eye: 5.0 * DVec3::Y, target: DVec3::ZERO, ..inside };
    for camera in [nowhere, inside, lost, above, Camera::framing([DVec3::NAN, DVec3::ONE], 0.0)] {
        for size in [[0, 0], [0, 5], [1, 1], [33, 21]] {
            let drawing = Drawing {
                positions: &positions,
                triangles: &triangles,
                segments: &segments,
                segment_width: 0.01,
                pinned: &[0, 3, 77_777],
                solids: &solids,
                ground: Some(0.0),
                camera,
                style: Style { wireframe: 0.5, ..Style::default() },
                ..Drawing::default()
            };
            assert_eq!(render(size, &drawing).rgb.len(), 3 * size[0] * size[1]);
            render(
                size,
                &Drawing {
                    ground: Some(f64::NAN),
                    extent: Some([DVec3::NAN; 2]),
                    camera,
                    ..Drawing::default()
                },
            );
        }
    }
    assert!(Renderer::new(1 << 30, 4).is_err());
}

#[test]
fn a_triangle_through_the_eye_is_cut_at_the_near_plane() {
    // A floor reaching from far ahead to far behind fills the lower half of the picture and none of the upper.
    let positions =
        [DVec3::new(-900.0, -1.0, -900.0), DVec3::new(900.0, -1.0, -900.0), DVec3::new(0.0, -1.0, 900.0)];
    let camera = Camera { eye: DVec3::ZERO, target: DVec3::NEG_Z, up: DVec3::Y, fov: 1.0 };
    let base = Drawing { camera, style: plain(), ..Drawing::default() };
    let empty = render([60, 60], &base);
    let floor = render([60, 60], &Drawing { positions: &positions, triangles: &[[0, 2, 1]], ..base });
    for x in 0..60 {
        assert_eq!(floor.pixel(x, 29), empty.pixel(x, 29));
        assert!(
            floor.pixel(x, 31) != empty.pixel(x, 31) && floor.pixel(x, 59) != empty.pixel(x, 59),
            "column {x}"
        );
    }
    // A slanted plane passing closer to the eye than the near plane: only its far part may be seen.
    let (across, down) = (DVec3::new(1.0, -1.0, 0.0).normalize(), DVec3::new(-1.0, -1.0, 0.0).normalize());
    let corner = |a: f64, z: f64| 1e-4 * down + 900.0 * a * across + 900.0 * z * DVec3::Z;
    let positions = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(0.0, 1.0)];
    let slanted = render([60, 60], &Drawing { positions: &positions, triangles: &[[0, 2, 1]], ..base });
    assert_ne!(slanted.pixel(28, 32), empty.pixel(28, 32));
    assert_eq!(slanted.pixel(12, 48), empty.pixel(12, 48));
}

#[test]
fn strands_have_their_width_and_taper() {
    let positions: Vec<_> = (0..21).map(|k| DVec3::new(0.0, 1.0 - 0.1 * k as f64, 0.0)).collect();
    let segments: Vec<_> = (0..20).map(|k| [k, k + 1]).collect();
    let base = Drawing { camera: flat_camera(4.0), style: plain(), ..Drawing::default() };
    let strand =
        Drawing { positions: &positions, segments: &segments, segment_width: 0.2, pinned: &[0], ..base };
    let (picture, empty) = (render([200, 200], &strand), render([200, 200], &base));
    let width = |y: usize| (0..200).filter(|&x| picture.pixel(x, y) != empty.pixel(x, y)).count();
    assert!((9..=12).contains(&width(65)), "0.2 m are 10 pixels at the root, found {}", width(65));
    assert!((2..=6).contains(&width(145)), "thin at the tip: {}", width(145));
}

#[test]
fn solids_are_closed_and_wind_outwards() {
    let volume = |m: &Mesh| {
        let p = |v: u32| m.positions[v as usize];
        m.triangles.iter().map(|&[a, b, c]| p(a).dot(p(b).cross(p(c))) / 6.0).sum::<f64>()
    };
    let (a, b) = (DVec3::new(0.3, 0.1, -0.2), DVec3::new(0.5, 1.4, 0.9));
    let long = a.distance(b);
    let ball = 4.0 / 3.0 * PI * 0.125;
    for (mesh, exact) in [
        (solids::sphere(a, 0.5), ball),
        (solids::capsule(a, b, 0.5), ball + PI * 0.25 * long),
        (solids::cylinder(a, b, 0.5), PI * 0.25 * long),
        (solids::cuboid(a, b), 0.2 * 1.3 * 1.1),
    ] {
        assert!((volume(&mesh) - exact).abs() < 0.015 * exact, "{} instead of {exact}", volume(&mesh));
    }
}

/// Points are held by equal margins, from any side, in any form of picture: no camera that looks the same way could be
/// nearer.
#[test]
fn framing_just_holds_its_points() {
    let mut random = crate::random::Random(7);
    for trial in 0..60 {
        let (azimuth, elevation) = (3.0 * random.signed(), 1.5 * random.signed());
        let stretch = random.vector().abs() + 0.01;
        let points: Vec<_> = (0..40).map(|_| (random.vector() + 100.0) * stretch).collect();
        let (width, height) = [(640, 480), (200, 900), (1600, 300)][trial % 3];
        let camera = Camera::from_direction(azimuth, elevation)
            .holding(points.iter().copied(), width as f64 / height as f64);
        let view = PixelCamera::new(&camera, width, height);
        let mut margins = [f64::INFINITY; 4];
        for p in points.iter().map(|&p| view.project(p)) {
            assert!(p.z > 0.0);
            let (x, y) = (p.x / p.z / width as f64, p.y / p.z / height as f64);
            for (margin, m) in margins.iter_mut().zip([x, 1.0 - x, y, 1.0 - y]) {
                *margin = margin.min(m);
            }
        }
        let least = 0.5 - 0.5 / 1.06;
        assert!(margins.iter().all(|m| *m > least - 1e-9), "cut off: {margins:?}");
        let tight = |a: f64, b: f64| (a - least).abs() < 1e-9 && (b - least).abs() < 1e-9;
        let [left, right, top, bottom] = margins;
        assert!(tight(left, right) || tight(top, bottom), "could be nearer: {margins:?}");
    }
}
