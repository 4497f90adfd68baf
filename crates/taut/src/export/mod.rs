//! Results out: a motion as one animated GLB ([`write_glb`]) or one self-contained HTML player ([`write_html`]).
//!
//! Both read one plain [`Animation`]: positions frame by frame, what connects them, and who made it. Version and
//! scene hash are written into every output. Writers take any [`Write`](std::io::Write); files, folders and
//! renames are the caller's. Bodies may be cut in the course of the motion: `parted`.

mod drawn;
mod film;
#[cfg(test)]
mod film_tests;
mod glb;
#[cfg(test)]
mod glb_tests;
mod html;
mod materials;
#[cfg(test)]
mod materials_tests;
mod parted;
#[cfg(test)]
mod tests;

pub use film::Film;
pub use glb::write_glb;
pub use html::{RENDERER, write_html};
pub use parted::Cuts;

use crate::collision::Motion;
use crate::mesh_io::{Material, NO_MATERIAL};
use crate::render::{COLOURS, STONE, unbraced, usual_colour};
use crate::scene::Viewpoint;
use crate::{Error, Model, Spring};
use glam::DVec3;
use std::ops::Range;

/// A named mesh that moves, usually one body: a range of particles and of what connects them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MovingMesh {
    /// Name.
    pub name: String,
    /// Its particles.
    pub particles: Range<usize>,
    /// Its triangles; their corners are among its particles.
    pub triangles: Range<usize>,
    /// Texture coordinates of the corners of each of its triangles (dimensionless, up from the lower left); or empty.
    pub uvs: Vec<[[f32; 2]; 3]>,
    /// For each of its triangles an entry in [`Animation::materials`], or [`NO_MATERIAL`]; or empty. GLB shows them.
    pub materials: Vec<u32>,
    /// Its lines; their ends are among its particles.
    pub lines: Range<usize>,
    /// Front and back colour (0xRRGGBB, sRGB); in GLB of what has no material.
    pub colours: [u32; 2],
    /// Whether it is a solid: it does not decide how far away the camera stands.
    pub solid: bool,
}

/// A mesh that keeps its form: ground, obstacle, prop.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StaticMesh {
    /// Name.
    pub name: String,
    /// Vertices \[m\]; faces that share one are shaded smoothly across it.
    pub positions: Vec<[f32; 3]>,
    /// Corners of the triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Colour (0xRRGGBB, sRGB).
    pub colour: u32,
    /// How it moves, if it does.
    pub motion: Option<Motion>,
}

/// A motion, ready to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Animation {
    /// Title of the scene.
    pub name: String,
    /// Version of taut that made it.
    pub version: String,
    /// Hash of the scene it was made from.
    pub scene_hash: String,
    /// Frames per second of simulated time [1/s].
    pub frames_per_second: f64,
    /// Number of the first frame, counted from the start of the scene: not 0 if a run was resumed.
    pub first: usize,
    /// What all places are seen from \[m\]: single precision is too coarse for those of a scene far from its origin.
    pub origin: DVec3,
    /// Positions of all particles \[m\], frame by frame, those of each moving mesh next to each other.
    pub frames: Vec<Vec<[f32; 3]>>,
    /// For each particle of a frame its index in the model; empty if it is the same.
    pub order: Vec<u32>,
    /// Corners of all triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Ends of all lines: strands, and springs of bodies without triangles.
    pub lines: Vec<[u32; 2]>,
    /// What moves.
    pub moving: Vec<MovingMesh>,
    /// Materials that triangles have, from glTF files.
    pub materials: Vec<Material>,
    /// What stands still.
    pub statics: Vec<StaticMesh>,
    /// Particles that are marked with a dot, those that let go last first.
    pub pinned: Vec<u32>,
    /// From which frame of the scene on each of them is no longer marked; what is missing holds to the end.
    pub released: Vec<u32>,
    /// What was cut in the course of the frames.
    pub cuts: Cuts,
    /// Height of the ground the player draws \[m\].
    pub ground: Option<f64>,
    /// Where pictures are taken from, and where the player starts.
    pub view: Viewpoint,
}

impl Default for Animation {
    /// No frames yet, 60 per second, by this version of taut.
    fn default() -> Self {
        Animation {
            name: String::new(),
            version: env!("CARGO_PKG_VERSION").into(),
            scene_hash: String::new(),
            frames_per_second: 60.0,
            first: 0,
            origin: DVec3::ZERO,
            frames: Vec::new(),
            order: Vec::new(),
            triangles: Vec::new(),
            lines: Vec::new(),
            moving: Vec::new(),
            materials: Vec::new(),
            statics: Vec::new(),
            pinned: Vec::new(),
            released: Vec::new(),
            cuts: Cuts::default(),
            ground: None,
            view: Viewpoint::default(),
        }
    }
}

impl Animation {
    /// The bodies of a model as moving meshes, without a frame yet. A body without triangles is drawn by its springs,
    /// all but those that only brace (bend and shear springs). Triangles that join two bodies come last and are of no
    /// mesh: pictures show them, GLB and HTML do not.
    pub fn of(model: &Model, name: impl Into<String>, frames_per_second: f64) -> Self {
        let mut animation = Animation { name: name.into(), frames_per_second, ..Animation::default() };
        let mut order: Vec<u32> = (0..model.particles() as u32).collect();
        order.sort_by_key(|&i| model.tag(i as usize));
        let place = inverse(&order);
        let placed = |i: u32| place.get(i as usize).copied().unwrap_or(i);
        let mut end = 0;
        for body in 0..model.body_count() {
            let particles = end..end + model.particles_of(body).count();
            end = particles.end;
            let own = |corners: &[u32]| corners.iter().all(|&i| particles.contains(&(i as usize)));
            let (first_triangle, first_line) = (animation.triangles.len(), animation.lines.len());
            let triangles = model.triangles_of(body).map(|t| model.triangles[t].map(placed));
            animation.triangles.extend(triangles.filter(|t| own(t)));
            let strands = model.triangles_of(body).next().is_none();
            if strands {
                let springs: Vec<Spring> = model.springs_of(body).map(|s| model.springs[s]).collect();
                let lines = unbraced(&springs).into_iter().map(|ends| ends.map(placed));
                animation.lines.extend(lines.filter(|ends| own(ends)));
            }
            let solid = model.bodies.get(body).is_some_and(|body| body.solid);
            animation.moving.push(MovingMesh {
                name: model.body_name(body).into(),
                triangles: first_triangle..animation.triangles.len(),
                lines: first_line..animation.lines.len(),
                particles,
                colours: COLOURS[if solid { STONE } else { usual_colour(body, strands) } as usize],
                solid,
                ..MovingMesh::default()
            });
        }
        let body = |&i: &u32| model.tag(i as usize);
        let joining = model.triangles.iter().filter(|t| t.iter().any(|i| body(i) != body(&t[0])));
        animation.triangles.extend(joining.map(|t| t.map(placed)));
        if !order.is_sorted() {
            animation.order = order;
        }
        animation
    }

    /// Append a frame \[m\] of the scene, in the order of the model. A frame of another length than the first, or with a value that
    /// is not finite, is refused.
    pub fn push(&mut self, positions: &[DVec3]) -> Result<(), Error> {
        let (count, wanted) = (positions.len(), self.order.len());
        if wanted > 0 && count != wanted {
            let problem = format!("has {count} particles, the model has {wanted}");
            return refuse("frame", self.frames.len(), problem, "every frame needs all particles");
        }
        let float = |p: DVec3| (p - self.origin).to_array().map(|c| c as f32);
        let frame = match wanted {
            0 => positions.iter().map(|&p| float(p)).collect(),
            _ => self.order.iter().map(|&i| float(positions[i as usize])).collect(),
        };
        self.frames.push(frame);
        self.check_frame(self.frames.len() - 1).inspect_err(|_| drop(self.frames.pop()))
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.frames.first().map_or(0, Vec::len)
    }

    /// The scene's time in a frame \[s\].
    pub fn time(&self, frame: usize) -> f64 {
        (self.first + frame) as f64 / self.frames_per_second
    }

    /// The pins that still hold in a frame.
    pub fn held(&self, frame: usize) -> &[u32] {
        let gone = self.released.iter().position(|&from| from as usize <= self.first + frame);
        &self.pinned[..gone.unwrap_or(self.pinned.len()).min(self.pinned.len())]
    }

    /// Refuse what cannot be written, naming the element, the value and the remedy.
    pub fn validate(&self) -> Result<(), Error> {
        let rate = self.frames_per_second;
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(Error::setting("frames per second", rate, "must be positive and finite"));
        }
        if self.frames.is_empty() {
            return Err(Error::setting("frames", 0, "an animation needs at least one"));
        }
        (0..self.frames.len()).try_for_each(|f| self.check_frame(f))?;
        for (i, mesh) in self.moving.iter().enumerate() {
            self.check_moving(i, mesh)?;
        }
        for (i, mesh) in self.statics.iter().enumerate() {
            if mesh.positions.iter().flatten().any(|c| !c.is_finite()) {
                return refuse("static mesh", i, "has a vertex that is not finite".into(), "must be finite");
            }
            mesh.motion.as_ref().map_or(Ok(()), Motion::validate)?;
            check_corners("triangle of a static mesh", &mesh.triangles, 0, &(0..mesh.positions.len()))?;
        }
        let pinned: Vec<[u32; 1]> = self.pinned.iter().map(|&p| [p]).collect();
        check_corners("pin", &pinned, 0, &(0..self.particles()))?;
        match self.ground {
            Some(height) if !height.is_finite() => Err(Error::setting("ground", height, "must be finite")),
            _ => Ok(()),
        }
    }

    fn check_frame(&self, f: usize) -> Result<(), Error> {
        let (frame, m) = (&self.frames[f], self.particles());
        if frame.len() != m {
            let problem = format!("has {} particles, the first has {m}", frame.len());
            return refuse("frame", f, problem, "every frame needs the same particles");
        }
        match frame.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
            Some(particle) => Err(Error::NonFinite { quantity: "position", particle, time: self.time(f) }),
            None => Ok(()),
        }
    }

    fn check_moving(&self, i: usize, mesh: &MovingMesh) -> Result<(), Error> {
        let fits = |r: &Range<usize>, count| r.start <= r.end && r.end <= count;
        let lists = [
            ("particles", &mesh.particles, self.particles()),
            ("triangles", &mesh.triangles, self.triangles.len()),
            ("lines", &mesh.lines, self.lines.len()),
        ];
        for (what, range, count) in lists {
            if !fits(range, count) {
                let problem = format!("{what} {range:?}, but there are only {count}");
                return refuse("moving mesh", i, problem, "ranges must lie inside the animation");
            }
        }
        let unknown = |&&m: &&u32| m != NO_MATERIAL && m as usize >= self.materials.len();
        if let Some(material) = mesh.materials.iter().find(unknown) {
            let problem = format!("uses material {material}, but there are {}", self.materials.len());
            return refuse("moving mesh", i, problem, "materials count from 0");
        }
        let (triangles, lines) = (mesh.triangles.clone(), mesh.lines.clone());
        check_corners("triangle", &self.triangles[triangles.clone()], triangles.start, &mesh.particles)?;
        check_corners("line", &self.lines[lines.clone()], lines.start, &mesh.particles)
    }

    /// Lowest and highest corner of everything that moves \[m\], over all frames.
    fn bounds(&self) -> [[f32; 3]; 2] {
        bounds(self.frames.iter().flatten().copied())
    }
}

/// Where each number from 0 on stands in `order`.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(&i, n)| place[i as usize] = n);
    place
}

fn refuse(element: &'static str, index: usize, problem: String, remedy: &'static str) -> Result<(), Error> {
    Err(Error::Model { element, index, problem, remedy })
}

fn check_corners<const N: usize>(
    element: &'static str,
    items: &[[u32; N]],
    first: usize,
    particles: &Range<usize>,
) -> Result<(), Error> {
    match items.iter().flatten().position(|&c| !particles.contains(&(c as usize))) {
        Some(at) => {
            let corner = items[at / N][at % N];
            let problem = format!("uses particle {corner}, not one of {particles:?}");
            refuse(
                element,
                first + at / N,
                problem,
                "the elements of a moving mesh use only its own particles",
            )
        }
        None => Ok(()),
    }
}

/// Lowest and highest corner of some points; zeros if there are none.
fn bounds(points: impl Iterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    let grow = |[lo, hi]: [[f32; 3]; 2], p: [f32; 3]| {
        [std::array::from_fn(|k| lo[k].min(p[k])), std::array::from_fn(|k| hi[k].max(p[k]))]
    };
    points.map(|p| [p, p]).reduce(|a, b| grow(grow(a, b[0]), b[1])).unwrap_or_default()
}

/// What to say when the destination refuses bytes.
fn unwritable(format: &str) -> impl Fn(std::io::Error) -> Error {
    move |error| Error::file(format!("{format} output"), None, error, "check space and permissions")
}
