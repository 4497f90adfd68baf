//! Polygons cut into triangles, and the surface of tetrahedra.
//!
//! A convex polygon becomes a fan from its first corner, so quads of a grid all split the same way. A concave
//! one loses its ears one by one (Meisters 1975), seen along its Newell normal. Not handled: polygons that
//! cross themselves (they still give n − 2 triangles).

use glam::DVec3;

/// Larger polygons are fanned without looking: ears cost n³, and no modeller writes such concave polygons.
const EAR_LIMIT: usize = 64;

/// Append the triangles of one polygon (indices into `positions`).
pub(super) fn triangulate(polygon: &[u32], positions: &[DVec3], out: &mut Vec<[u32; 3]>) {
    let n = polygon.len();
    if n > 3 && n <= EAR_LIMIT {
        let points: Vec<DVec3> = polygon.iter().map(|&i| positions[i as usize]).collect();
        let normal = newell(&points);
        let convex = |i: usize| turn(points[i], points[(i + 1) % n], points[(i + 2) % n], normal) >= 0.0;
        if !(0..n).all(convex) {
            return clip_ears(polygon, &points, normal, out);
        }
    }
    out.extend((2..n).map(|i| [polygon[0], polygon[i - 1], polygon[i]]));
}

/// Twice the area vector of a polygon, relative to its first point so that far-away meshes keep their digits.
fn newell(points: &[DVec3]) -> DVec3 {
    points.windows(2).map(|w| (w[0] - points[0]).cross(w[1] - points[0])).sum()
}

/// Positive where the path a, b, c turns left seen against the normal.
fn turn(a: DVec3, b: DVec3, c: DVec3, normal: DVec3) -> f64 {
    (b - a).cross(c - b).dot(normal)
}

fn clip_ears(polygon: &[u32], points: &[DVec3], normal: DVec3, out: &mut Vec<[u32; 3]>) {
    let mut left: Vec<usize> = (0..polygon.len()).collect();
    while left.len() > 3 {
        let n = left.len();
        let corner = |i: usize| [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
        let is_ear = |&i: &usize| {
            let ear = corner(i);
            let [a, b, c] = ear.map(|k| points[k]);
            let within = |p| [(a, b), (b, c), (c, a)].iter().all(|&(s, t)| turn(s, t, p, normal) >= 0.0);
            turn(a, b, c, normal) > 0.0 && !left.iter().any(|&k| !ear.contains(&k) && within(points[k]))
        };
        let cut = (0..n).find(is_ear).unwrap_or(0);
        out.push(corner(cut).map(|k| polygon[k]));
        left.remove(cut);
    }
    out.push([polygon[left[0]], polygon[left[1]], polygon[left[2]]]);
}

/// The outer triangles of tetrahedra, counter-clockwise seen from outside: faces that belong to one tet only.
pub fn surface(positions: &[DVec3], tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * tets.len());
    for (number, tet) in tets.iter().enumerate() {
        for side in 0..4 {
            let mut key = corners(tet, side);
            key.sort_unstable();
            faces.push((key, (4 * number + side) as u32));
        }
    }
    faces.sort_unstable();
    let alone = |group: &&[([u32; 3], u32)]| group.len() == 1;
    let mut sides: Vec<u32> = faces.chunk_by(|a, b| a.0 == b.0).filter(alone).map(|g| g[0].1).collect();
    sides.sort_unstable();
    let outward = |side: u32| {
        let tet = &tets[side as usize / 4];
        let [a, b, c] = corners(tet, side as usize % 4);
        let [p, q, r, s] = tet.map(|i| positions[i as usize]);
        if (q - p).cross(r - p).dot(s - p) < 0.0 { [a, c, b] } else { [a, b, c] }
    };
    sides.into_iter().map(outward).collect()
}

/// The face opposite corner `side`, outward for a tet of positive volume.
fn corners(tet: &[u32; 4], side: usize) -> [u32; 3] {
    let [a, b, c, d] = *tet;
    [[b, c, d], [a, d, c], [a, b, d], [a, c, b]][side]
}
