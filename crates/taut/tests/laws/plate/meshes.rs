//! Triangulations of a square with sides 0 to n, so that they can be repeated: structured, jittered, random.

use crate::common::Random;
use taut::shapes::bending;
use taut::{DVec3, Model, Spring};

/// A mesh of triangles in the plane z = 0.
#[derive(Debug, Clone)]
pub struct Mesh {
    pub points: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
}

/// Kinds of meshes, with a share of the distance between vertices that these are moved by.
pub const STRUCTURED: [&str; 5] = ["diagonal", "chequer", "crossed", "equilateral", "flipped"];

/// A mesh of `columns` × `rows` squares of side 1, or of pairs of equilateral triangles.
pub fn structured(name: &str, columns: u32, rows: u32, random: &mut Random) -> Mesh {
    let mut mesh = Mesh { points: Vec::new(), triangles: Vec::new() };
    let at = |i: u32, j: u32| j * (columns + 1) + i;
    for (j, i) in (0..=rows).flat_map(|j| (0..=columns).map(move |i| (j, i))) {
        let (x, y) = (f64::from(i), f64::from(j));
        // Every second row is shifted by half an edge.
        let sheared = DVec3::new(x + 0.5 * f64::from(j % 2), y * 0.75f64.sqrt(), 0.0);
        mesh.points.push(if name == "equilateral" { sheared } else { DVec3::new(x, y, 0.0) });
    }
    for (j, i) in (0..rows).flat_map(|j| (0..columns).map(move |i| (j, i))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        let rising = match name {
            "chequer" => (i + j) % 2 == 0,
            "flipped" => random.bits().is_multiple_of(2),
            "equilateral" => j % 2 == 1,
            _ => true,
        };
        if name == "crossed" {
            let middle = mesh.points.len() as u32;
            mesh.points.push(DVec3::new(f64::from(i) + 0.5, f64::from(j) + 0.5, 0.0));
            mesh.triangles.extend([[a, b, middle], [b, c, middle], [c, d, middle], [d, a, middle]]);
        } else if rising {
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        } else {
            mesh.triangles.extend([[a, b, d], [b, c, d]]);
        }
    }
    mesh
}

/// A mesh that repeats, as corners in a cell of `size`: the vertex, and in which copy of the cell it is.
#[derive(Debug, Clone)]
pub struct Cell {
    pub points: Vec<DVec3>,
    pub triangles: Vec<[(usize, [i32; 2]); 3]>,
    pub size: DVec3,
}

impl Cell {
    /// n × n squares, n even, with opposite sides joined.
    pub fn new(name: &str, n: u32, random: &mut Random) -> Cell {
        let mesh = structured(name, n, n, random);
        let height = if name == "equilateral" { 0.75f64.sqrt() } else { 1.0 };
        let size = DVec3::new(f64::from(n), f64::from(n) * height, 1.0);
        // Vertices of the last column and row are copies of those of the first.
        let (mut number, mut points) = (Vec::new(), Vec::new());
        for k in 0..mesh.points.len() as u32 {
            let (i, j) = (k % (n + 1), k / (n + 1));
            let inner = k >= (n + 1) * (n + 1) || (i < n && j < n);
            number.push(if inner { points.len() } else { usize::MAX });
            if inner {
                points.push(mesh.points[k as usize]);
            }
        }
        let corner = |k: u32| {
            let (i, j) = (k % (n + 1), k / (n + 1));
            if k >= (n + 1) * (n + 1) || (i < n && j < n) {
                return (number[k as usize], [0, 0]);
            }
            (number[((j % n) * (n + 1) + i % n) as usize], [(i / n) as i32, (j / n) as i32])
        };
        let triangles = mesh.triangles.iter().map(|t| t.map(corner)).collect();
        Cell { points, triangles, size }
    }

    /// Columns × rows squares with nothing joined.
    pub fn open(name: &str, columns: u32, rows: u32, random: &mut Random) -> Cell {
        let mesh = structured(name, columns, rows, random);
        let triangles = mesh.triangles.iter().map(|t| t.map(|k| (k as usize, [0, 0]))).collect();
        Cell { points: mesh.points, triangles, size: DVec3::ZERO }
    }

    /// Move every vertex by up to `share` of an edge in the directions that are free for it.
    pub fn move_by(&mut self, share: f64, free: &[DVec3], random: &mut Random) {
        self.points.iter_mut().zip(free).for_each(|(p, free)| *p += random.vector(share) * *free);
    }

    /// With every vertex moved by up to `share` of an edge in each direction.
    pub fn jittered(mut self, share: f64, random: &mut Random) -> Cell {
        let free = vec![DVec3::new(1.0, 1.0, 0.0); self.points.len()];
        self.move_by(share, &free, random);
        self
    }

    /// Points that have wandered by a fifth of an edge, some by more than half, triangulated by Delaunay's rule.
    pub fn random(n: u32, random: &mut Random) -> Cell {
        let mut cell = Cell::new("flipped", n, random);
        for _ in 0..8 {
            cell = cell.jittered(0.12, random);
            while cell.flip() {}
        }
        cell
    }

    pub fn place(&self, (vertex, [i, j]): (usize, [i32; 2])) -> DVec3 {
        self.points[vertex] + DVec3::new(f64::from(i), f64::from(j), 0.0) * self.size
    }

    /// Flip one edge that is not Delaunay's.
    pub fn flip(&mut self) -> bool {
        for s in 0..self.triangles.len() {
            for (t, k) in (0..s).flat_map(|t| (0..3).map(move |k| (t, k))) {
                let [a, b, c] = [k, (k + 1) % 3, (k + 2) % 3].map(|k| self.triangles[t][k]);
                for m in 0..3 {
                    // The other triangle has the edge b a; it is moved to where it touches the first.
                    let [d, e, f] = [m, (m + 1) % 3, (m + 2) % 3].map(|k| self.triangles[s][k]);
                    let by = [b.1[0] - d.1[0], b.1[1] - d.1[1]];
                    let moved = |(v, [i, j]): (usize, [i32; 2])| (v, [i + by[0], j + by[1]]);
                    if moved(d) != b || moved(e) != a {
                        continue;
                    }
                    let other = moved(f);
                    let angle = |p, q, r| {
                        let (u, v) = (self.place(q) - self.place(p), self.place(r) - self.place(p));
                        (u.dot(v) / (u.length() * v.length())).acos()
                    };
                    if angle(c, a, b) + angle(other, b, a) > std::f64::consts::PI + 1e-9 {
                        self.triangles[t] = [a, other, c];
                        self.triangles[s] = [other, b, c];
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Three copies in each direction, and for every vertex there the one of the cell it is a copy of; those of the middle
    /// copy come first.
    pub fn repeated(&self) -> (Mesh, Vec<usize>) {
        let (count, copies) = (self.points.len(), [0, 1, -1, 2, -2]);
        let index = |place: i32| copies.iter().position(|&c| c == place).unwrap();
        let mut mesh = Mesh { points: Vec::new(), triangles: Vec::new() };
        for (j, i) in copies.iter().flat_map(|&j| copies.iter().map(move |&i| (j, i))) {
            mesh.points.extend((0..count).map(|v| self.place((v, [i, j]))));
        }
        for (i, j) in (-1..=1).flat_map(|i| (-1..=1).map(move |j| (i, j))) {
            let shift = |(v, [a, b]): (usize, [i32; 2])| {
                let (a, b) = ((a + i).clamp(-2, 2), (b + j).clamp(-2, 2));
                ((index(b) * copies.len() + index(a)) * count + v) as u32
            };
            mesh.triangles.extend(self.triangles.iter().map(|t| t.map(shift)));
        }
        let of = (0..mesh.points.len()).map(|k| k % count).collect();
        (mesh, of)
    }
}

/// A cloth of areal density [kg/m²], rigidity \[N·m\] and springs of some stiffness [N/m] along its edges.
pub fn sheet(rest: Vec<DVec3>, cell: &Cell, density: f64, rigidity: f64, stiffness: f64) -> Model {
    let triangles: Vec<[u32; 3]> = cell.triangles.iter().map(|t| t.map(|corner| corner.0 as u32)).collect();
    let (mut masses, mut edges) = (vec![0.0; rest.len()], Vec::new());
    for t in &triangles {
        let [a, b, c] = t.map(|i| rest[i as usize]);
        t.iter().for_each(|&i| masses[i as usize] += density * (b - a).cross(c - a).length() / 6.0);
        edges.extend([[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|[a, b]| [a.min(b), a.max(b)]));
    }
    edges.sort_unstable();
    edges.dedup();
    let spring = |[a, b]: [u32; 2]| Spring::new(a, b, rest[a as usize].distance(rest[b as usize]), stiffness);
    let springs = edges.into_iter().map(spring).collect();
    let warp = triangles.iter().map(|&[a, b, _]| rest[b as usize] - rest[a as usize]).collect::<Vec<_>>();
    let links = bending(&rest, &triangles, &warp, [rigidity, rigidity]).unwrap();
    Model { masses, rest, springs, links, triangles, ..Model::default() }
}
