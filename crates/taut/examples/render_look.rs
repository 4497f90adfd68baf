//! Draws made-up cloth, hair and a ball to /tmp, to judge the renderer by eye and by clock.

use std::time::Instant;
use taut::DVec3;
use taut::render::{Camera, Drawing, Gif, Renderer, Style, extent, solids};

const N: usize = 81;

/// A sheet hung from two corners, waving: catenary sag, folds running down from the pins.
fn cloth(t: f64) -> Vec<DVec3> {
    (0..N * N)
        .map(|i| {
            let (u, v) = ((i % N) as f64 / (N - 1) as f64, (i / N) as f64 / (N - 1) as f64);
            let swing = (t * 2.0).sin() * v * v;
            let sag = 0.25 * (1.0 - (2.0 * u - 1.0).powi(2)) * (1.0 - 0.6 * v);
            let fold = 0.07
                * (0.25 + v)
                * (u * 26.0 + 1.5 * (t + 2.0 * v).sin()).sin()
                * (4.0 * u * (1.0 - u)).sqrt();
            let x = (u - 0.5) * (1.7 - 0.35 * v);
            DVec3::new(x, 2.1 - sag - 1.75 * v, fold + 0.45 * swing + 0.25 * v * (3.0 * u + t).sin())
        })
        .collect()
}

fn grid() -> Vec<[u32; 3]> {
    let at = |x: usize, y: usize| (y * N + x) as u32;
    let cell =
        |(x, y)| [[at(x, y), at(x, y + 1), at(x + 1, y)], [at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)]];
    (0..N - 1).flat_map(|y| (0..N - 1).map(move |x| (x, y))).flat_map(cell).collect()
}

/// Hair hanging from a small disc.
fn hair(points: &mut Vec<DVec3>, segments: &mut Vec<[u32; 2]>, pinned: &mut Vec<u32>, t: f64, root: DVec3) {
    for k in 0..500 {
        let (a, r) = (k as f64 * 2.399963, 0.12 * (k as f64 / 500.0).sqrt());
        let base = root + DVec3::new(r * a.cos(), 0.0, r * a.sin());
        for j in 0..40 {
            let s = j as f64 / 39.0;
            let curl =
                0.035 * s * DVec3::new((9.0 * s + k as f64).sin(), 0.0, (8.0 * s + 1.7 * k as f64).cos());
            let out = DVec3::new(a.cos(), 0.0, a.sin()) * 0.25 * r / 0.12 * s * (1.0 - 0.5 * s);
            let wind = DVec3::X * 0.2 * s * s * (t + 0.3).sin();
            if j > 0 {
                segments.push([points.len() as u32 - 1, points.len() as u32]);
            } else {
                pinned.push(points.len() as u32);
            }
            points.push(base + out + curl + wind - DVec3::Y * 1.0 * s * (1.0 - 0.12 * r / 0.12));
        }
    }
}

fn save(name: &str, bytes: &[u8]) {
    std::fs::write(format!("/tmp/render_{name}"), bytes).expect("write");
}

fn main() {
    let triangles = grid();
    let sheets: Vec<_> = (0..150).map(|k| cloth(k as f64 / 30.0)).collect();
    let [mut lo, hi] = extent(sheets.iter().flatten().copied());
    lo.y = 0.0;
    let camera = Camera::framing(lo, hi, 4.0 / 3.0);
    let pinned = [0, N as u32 - 1];
    let mut renderer = Renderer::new(640, 480).expect("size");
    let base = Drawing {
        triangles: &triangles,
        pinned: &pinned,
        ground: Some(0.0),
        extent: Some([lo, hi]),
        camera,
        ..Drawing::default()
    };

    let clock = Instant::now();
    for k in 0..10 {
        renderer.draw(&Drawing { positions: &sheets[k * 10], ..base });
    }
    println!("curtain: {:.1} ms a frame", clock.elapsed().as_secs_f64() * 100.0);
    let turned = Camera::framing_from(lo, hi, 4.0 / 3.0, 2.4, 0.35);
    let picture = renderer.draw(&Drawing { positions: &sheets[70], camera: turned, ..base });
    save("back.png", &picture.to_png("taut").expect("png"));
    for k in [0, 40, 90] {
        let picture = renderer.draw(&Drawing { positions: &sheets[k], ..base });
        save(&format!("curtain_{k}.png"), &picture.to_png("taut").expect("png"));
    }
    let style = Style { wireframe: 0.35, ..Style::default() };
    let picture = renderer.draw(&Drawing { positions: &sheets[20], style, ..base });
    save("wire.png", &picture.to_png("taut").expect("png"));

    let (mut points, mut segments, mut roots) = (Vec::new(), Vec::new(), Vec::new());
    hair(&mut points, &mut segments, &mut roots, 0.4, DVec3::new(0.9, 1.25, 0.2));
    let first = points.len() as u32;
    let radius = 0.42;
    points.extend((0..N * N).map(|i| {
        let (u, v) = ((i % N) as f64 / 80.0 * 2.0 - 1.0, (i / N) as f64 / 80.0 * 2.0 - 1.0);
        let r = (u * u + v * v).sqrt() * 0.85;
        let a = v.atan2(u);
        let over = (r / radius).min(1.45);
        let drop = (r - 1.45 * radius).max(0.0);
        let out = radius * over.sin() * 1.02 + 0.22 * drop + 0.2 * drop * (8.0 * a).sin();
        DVec3::new(-0.4 + out * a.cos(), (0.45 + radius * over.cos() * 1.02 - drop).max(0.004), out * a.sin())
    }));
    let drape: Vec<_> = triangles.iter().map(|t| t.map(|v| v + first)).collect();
    let props = [
        solids::sphere(DVec3::new(-0.4, 0.45, 0.0), radius),
        solids::cylinder(DVec3::new(0.9, 1.25, 0.2), DVec3::new(0.9, 1.29, 0.2), 0.13),
        solids::cuboid(DVec3::new(0.35, 0.0, -0.75), DVec3::new(0.75, 0.4, -0.35)),
        solids::capsule(DVec3::new(-0.9, 0.1, 1.0), DVec3::new(-0.4, 0.1, 1.15), 0.1),
    ];
    let [lo, hi] = extent(points.iter().copied().chain(props.iter().flat_map(|m| m.positions.clone())));
    let colours = vec![1; drape.len()];
    let brown = vec![5; segments.len()];
    let still = Drawing {
        positions: &points,
        triangles: &drape,
        colours: &colours,
        segments: &segments,
        segment_colours: &brown,
        segment_width: 0.003,
        solids: &props,
        ground: Some(0.0),
        camera: Camera::framing(lo, hi, 4.0 / 3.0),
        ..Drawing::default()
    };
    let clock = Instant::now();
    let picture = renderer.draw(&still);
    println!("still: {:.1} ms", clock.elapsed().as_secs_f64() * 1000.0);
    save("still.png", &picture.to_png("taut").expect("png"));

    let clock = Instant::now();
    let mut gif = Gif::new(Vec::new(), 640, 480, 30.0).expect("gif").comment("taut");
    for sheet in &sheets {
        gif.frame(renderer.draw(&Drawing { positions: sheet, ..base })).expect("frame");
    }
    let bytes = gif.finish().expect("end");
    println!("gif: {:.2} MB in {:.1} s", bytes.len() as f64 / 1e6, clock.elapsed().as_secs_f64());
    save("curtain.gif", &bytes);
}
