//! What a viewer is given to draw of a moving mesh: vertices that follow from the particles of each frame.
//!
//! A surface has its particles as vertices. Where texture coordinates meet in a seam, a particle is as many vertices as
//! it has coordinates; all have the particle's normal, so that no seam shows. Strands are tubes of three sides, for
//! viewers do not draw lines: each particle is a ring of three vertices across its strand. Along the strand a ring is
//! turned no more than the strand bends; the first stands as in the first frame, so that nothing spins in time.
//! Not handled: ends of tubes (open), tapering tips.

use super::{Animation, MovingMesh};
use crate::mesh_io::NO_MATERIAL;
use glam::{DQuat, DVec3};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Width of a strand in mean distances of its particles, and at most in sizes of the scene: thin beside both.
const WIDTH: [f64; 2] = [0.3, 0.0035];

/// By how much normals of frame 0 lean where there are other frames \[rad\]: too little to be seen. Blender draws a triangle
/// flat in every frame if its corners have its own normal in frame 0, as those of a cloth that begins flat would have.
pub(super) const LEAN: f64 = 2e-3;

/// How a moving mesh is drawn.
pub(super) struct Drawn {
    /// Corners of triangles, as vertices, by the material they have or [`NO_MATERIAL`].
    pub triangles: BTreeMap<u32, Vec<[u32; 3]>>,
    /// Texture coordinates of each vertex, as glTF counts them: down from the upper left. Empty if there are none.
    pub uvs: Vec<[f32; 2]>,
    particles: Range<usize>,
    form: Form,
}

enum Form {
    /// Corners of triangles, as particles of the mesh, and for each vertex its particle.
    Surface {
        corners: Vec<[u32; 3]>,
        particle_of: Vec<u32>,
        /// Copies with their originals, as particles of the mesh.
        copies: Vec<[u32; 2]>,
    },
    Tubes {
        chains: Vec<Chain>,
        radius: f64,
    },
    /// Every particle by itself.
    Points,
}

/// Particles one after the other, and where the first vertex of the first ring is, seen from its particle.
struct Chain {
    particles: Vec<u32>,
    side: DVec3,
}

impl Drawn {
    /// The surface, the tubes, or if there is neither the points of a mesh.
    pub fn of(a: &Animation, mesh: &MovingMesh) -> Vec<Drawn> {
        let mut drawn = Vec::new();
        if !mesh.triangles.is_empty() {
            drawn.push(Drawn::surface(a, mesh));
        }
        if !mesh.lines.is_empty() {
            drawn.push(Drawn::tubes(a, mesh));
        }
        if drawn.is_empty() {
            let particles = mesh.particles.clone();
            drawn.push(Drawn { triangles: BTreeMap::new(), uvs: Vec::new(), particles, form: Form::Points });
        }
        drawn
    }

    fn surface(a: &Animation, mesh: &MovingMesh) -> Drawn {
        let local = |t: &[u32; 3]| t.map(|i| i - mesh.particles.start as u32);
        let corners: Vec<[u32; 3]> = a.triangles[mesh.triangles.clone()].iter().map(local).collect();
        let (mut vertices, mut drawn_uvs) = (corners.clone(), Vec::new());
        let mut particle_of = (0..mesh.particles.len() as u32).collect();
        if mesh.uvs.len() == corners.len() {
            particle_of = Vec::new();
            let mut known = HashMap::new();
            for (triangle, uvs) in vertices.iter_mut().zip(&mesh.uvs) {
                for (corner, uv) in triangle.iter_mut().zip(uvs) {
                    let next = particle_of.len() as u32;
                    let vertex = *known.entry((*corner, uv.map(f32::to_bits))).or_insert(next);
                    if vertex == next {
                        particle_of.push(*corner);
                        drawn_uvs.push([uv[0], 1.0 - uv[1]]);
                    }
                    *corner = vertex;
                }
            }
        }
        let mut triangles: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
        let materials = mesh.materials.iter().copied().chain(std::iter::repeat(NO_MATERIAL));
        for (triangle, material) in vertices.into_iter().zip(materials) {
            triangles.entry(material).or_default().push(triangle);
        }
        let own = |pair: &[u32; 2]| pair.iter().all(|&i| mesh.particles.contains(&(i as usize)));
        let copies = a.copies().into_iter().filter(own);
        let copies = copies.map(|pair| pair.map(|i| i - mesh.particles.start as u32)).collect();
        let form = Form::Surface { corners, particle_of, copies };
        Drawn { triangles, uvs: drawn_uvs, particles: mesh.particles.clone(), form }
    }

    fn tubes(a: &Animation, mesh: &MovingMesh) -> Drawn {
        let lines = &a.lines[mesh.lines.clone()];
        let start = &a.frames[0];
        let length = |&[i, j]: &[u32; 2]| point(start[i as usize]).distance(point(start[j as usize]));
        let mean = lines.iter().map(length).sum::<f64>() / lines.len() as f64;
        let [low, high] = a.bounds().map(point);
        let radius = 0.5 * (WIDTH[0] * mean).min(WIDTH[1] * low.distance(high));
        let mut chains: Vec<Chain> = Vec::new();
        for &[i, j] in lines {
            match chains.last_mut().filter(|chain| chain.particles.last() == Some(&i)) {
                Some(chain) => chain.particles.push(j),
                None => chains.push(Chain { particles: vec![i, j], side: DVec3::ZERO }),
            }
        }
        for chain in &mut chains {
            chain.side = directions(&chain.particles, start)[0].any_orthonormal_vector();
        }
        // Ring by ring, three quads cut in two.
        let mut triangles = Vec::new();
        let mut ring = 0;
        for chain in &chains {
            for _ in 1..chain.particles.len() {
                for side in 0..3 {
                    let [p, q] = [ring + side, ring + (side + 1) % 3];
                    triangles.extend([[p, q, p + 3], [q, q + 3, p + 3]]);
                }
                ring += 3;
            }
            ring += 3;
        }
        let form = Form::Tubes { chains, radius };
        let triangles = BTreeMap::from([(NO_MATERIAL, triangles)]);
        Drawn { triangles, uvs: Vec::new(), particles: mesh.particles.clone(), form }
    }

    /// Whether it has normals; tubes are too thin to show them, points have none.
    pub fn is_smooth(&self) -> bool {
        matches!(self.form, Form::Surface { .. })
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        match &self.form {
            Form::Surface { particle_of, .. } => particle_of.len(),
            Form::Tubes { chains, .. } => chains.iter().map(|chain| 3 * chain.particles.len()).sum(),
            Form::Points => self.particles.len(),
        }
    }

    /// Where the vertices are in a frame \[m\].
    pub fn positions(&self, frame: &[[f32; 3]]) -> Vec<[f32; 3]> {
        let own = &frame[self.particles.clone()];
        match &self.form {
            Form::Points => own.to_vec(),
            Form::Surface { particle_of, .. } => particle_of.iter().map(|&i| own[i as usize]).collect(),
            Form::Tubes { chains, radius } => {
                let mut rings = Vec::with_capacity(self.vertices());
                chains.iter().for_each(|chain| chain.rings(frame, *radius, &mut rings));
                rings
            }
        }
    }

    /// Unit normals of the vertices in a frame, if it is smooth.
    pub fn normals(&self, frame: &[[f32; 3]]) -> Vec<[f32; 3]> {
        let Form::Surface { corners, particle_of, copies } = &self.form else { return Vec::new() };
        let normals = smooth_normals(&frame[self.particles.clone()], corners, copies);
        particle_of.iter().map(|&i| normals[i as usize]).collect()
    }
}

impl Chain {
    /// Append the vertices of its rings.
    fn rings(&self, frame: &[[f32; 3]], radius: f64, out: &mut Vec<[f32; 3]>) {
        let directions = directions(&self.particles, frame);
        let mut side = self.side;
        let mut before = directions[0];
        for (&i, &along) in self.particles.iter().zip(&directions) {
            // Turned as the strand turns; then exactly across it, whatever rounding and the first frame's side say.
            side = DQuat::from_rotation_arc(before, along) * side;
            side = (side - side.dot(along) * along).try_normalize().unwrap_or(along.any_orthonormal_vector());
            let vertex = |third: u8| {
                let turn = DQuat::from_axis_angle(along, f64::from(third) * std::f64::consts::TAU / 3.0);
                (point(frame[i as usize]) + radius * (turn * side)).to_array().map(|c| c as f32)
            };
            out.extend([0, 1, 2].map(vertex));
            before = along;
        }
    }
}

/// Unit direction of a chain at each of its particles: the mean of the links on both sides.
fn directions(particles: &[u32], frame: &[[f32; 3]]) -> Vec<DVec3> {
    let place = |n: usize| point(frame[particles[n] as usize]);
    let link = |n: usize| (place(n + 1) - place(n)).normalize_or_zero();
    let last = particles.len() - 1;
    let of = |n: usize| {
        let mean =
            if n > 0 { link(n - 1) } else { DVec3::ZERO } + if n < last { link(n) } else { DVec3::ZERO };
        mean.try_normalize().unwrap_or(DVec3::Y)
    };
    (0..=last).map(of).collect()
}

fn point(p: [f32; 3]) -> DVec3 {
    DVec3::from_array(p.map(f64::from))
}

/// Let a unit normal lean by [`LEAN`].
pub(super) fn lean(normal: &mut [f32; 3]) {
    let straight = DVec3::from_array(normal.map(f64::from));
    let leaning = straight + LEAN * straight.any_orthonormal_vector();
    *normal = leaning.normalize().to_array().map(|c| c as f32);
}

/// Unit normals, each the area-weighted mean of the faces around; upwards where there is none. A copy that lies on its
/// original has the same.
pub(super) fn smooth_normals(
    positions: &[[f32; 3]],
    triangles: &[[u32; 3]],
    copies: &[[u32; 2]],
) -> Vec<[f32; 3]> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(|i| point(positions[i as usize]));
        t.iter().for_each(|&i| normals[i as usize] += (b - a).cross(c - a));
    }
    let together = copies.iter().map(|pair| pair.map(|i| i as usize));
    let together: Vec<_> = together.filter(|&[copy, from]| positions[copy] == positions[from]).collect();
    for &[copy, from] in together.iter().rev() {
        let more = normals[copy];
        normals[from] += more;
    }
    together.iter().for_each(|&[copy, from]| normals[copy] = normals[from]);
    normals.iter().map(|n| n.try_normalize().unwrap_or(DVec3::Y).to_array().map(|c| c as f32)).collect()
}
