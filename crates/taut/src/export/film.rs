//! Pictures of an animation by the software renderer, from one camera that holds all of it.

use super::{Animation, MovingMesh, StaticMesh};
use crate::Edit;
use crate::collision::{Motion, Shape};
use crate::mesh_io::{Look, Material, Mesh, NO_MATERIAL};
use crate::render::{self, COLOURS, Camera, Drawing, Picture, Renderer, Style, solids};
use crate::scene::Viewpoint;
use crate::{Error, Scene};
use glam::DVec3;

/// Colour indices that moving meshes may use; the others belong to obstacles and pins.
const BODY_COLOURS: usize = render::STONE as usize;

/// Draws the frames of an animation.
pub struct Film<'a> {
    animation: &'a Animation,
    renderer: Renderer,
    camera: Camera,
    extent: [DVec3; 2],
    style: Style,
    colours: Vec<u8>,
    segment_colours: Vec<u8>,
    segment_width: f64,
    solids: Vec<render::Mesh>,
    positions: Vec<DVec3>,
    /// Triangles and lines of the frame at hand.
    triangles: Vec<[u32; 3]>,
    segments: Vec<[u32; 2]>,
}

impl<'a> Film<'a> {
    /// Pictures of `width` by `height` pixels.
    pub fn new(animation: &'a Animation, width: usize, height: usize) -> Result<Self, Error> {
        let near = animation.surroundings();
        let mut extent = render::extent(animation.framed(near));
        if let Some(ground) = animation.ground {
            extent[0].y = extent[0].y.min(ground.max(near[0].y));
        }
        let mut style = Style::default();
        let slot = |number: usize| (number % BODY_COLOURS) as u8;
        for (i, mesh) in animation.moving.iter().enumerate().take(BODY_COLOURS) {
            style.colours[i] = mesh.colours;
        }
        let mut colours = vec![0; animation.triangles.len()];
        let mut segment_colours = vec![0; animation.lines.len()];
        for (i, mesh) in animation.moving.iter().enumerate() {
            let colour = if mesh.solid { render::STONE } else { slot(i) };
            colours[mesh.triangles.clone()].fill(colour);
            segment_colours[mesh.lines.clone()].fill(slot(i));
        }
        // Lines and triangles that are lost come after the others.
        let place = super::inverse(&animation.order);
        let colour = |i: u32| {
            let place = place.get(i as usize).copied().unwrap_or(i) as usize;
            slot(animation.moving.iter().position(|mesh| mesh.particles.contains(&place)).unwrap_or(0))
        };
        segment_colours.extend(animation.cuts.lost.iter().map(|(_, [i, _])| colour(*i)));
        colours.extend(animation.cuts.holes.iter().map(|(_, [i, ..])| colour(*i)));
        let solids = animation.statics.iter().map(|mesh| render::Mesh {
            positions: mesh.positions.iter().map(point).collect(),
            triangles: mesh.triangles.clone(),
            colour: render::STONE,
        });
        Ok(Film {
            animation,
            renderer: Renderer::new(width, height)?,
            camera: camera(&animation.view, animation.framed(near), width as f64 / height as f64),
            extent,
            style,
            colours,
            segment_colours,
            // Strands are drawn as wide as one sees them, not as thin as they are.
            segment_width: 0.004 * (extent[1] - extent[0]).length(),
            solids: solids.collect(),
            positions: Vec::new(),
            triangles: animation.triangles.clone(),
            segments: animation.lines.clone(),
        })
    }

    /// Where all pictures are taken from.
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// One frame.
    pub fn picture(&mut self, frame: usize) -> &Picture {
        self.positions.clear();
        self.positions.extend(self.animation.frames[frame].iter().map(point));
        for (solid, mesh) in self.solids.iter_mut().zip(&self.animation.statics) {
            if mesh.motion.is_some() {
                solid.positions.clear();
                solid.positions.extend(self.animation.places(mesh, frame));
            }
        }
        if !self.animation.cuts.particles.is_empty() {
            (self.triangles, self.segments) = self.animation.connections(frame);
        }
        self.renderer.draw(&Drawing {
            positions: &self.positions,
            triangles: &self.triangles,
            colours: &self.colours,
            segments: &self.segments,
            segment_colours: &self.segment_colours,
            segment_width: self.segment_width,
            pinned: self.animation.held(frame),
            solids: &self.solids,
            ground: self.animation.ground,
            extent: Some(self.extent),
            camera: self.camera,
            style: self.style,
        })
    }
}

/// How many sizes from the origin of a scene things may begin that are drawn as seen from it: in single precision they
/// are then rounded to some 1e-5 of their size.
const NEAR: f64 = 100.0;

/// What particles are drawn from \[m\]: the origin of their scene, or if that is far away their middle.
fn origin(positions: &[DVec3]) -> DVec3 {
    let [low, high] = render::extent(positions.iter().copied());
    let middle = 0.5 * (low + high);
    if middle.length() > NEAR * low.distance(high) { middle } else { DVec3::ZERO }
}

fn point(p: &[f32; 3]) -> DVec3 {
    DVec3::from_array(p.map(f64::from))
}

/// The camera of a viewpoint; what that leaves open is chosen to hold all points.
fn camera(view: &Viewpoint, points: impl Iterator<Item = DVec3>, aspect: f64) -> Camera {
    let azimuth = view.azimuth.unwrap_or(Camera::AZIMUTH);
    let direction = Camera::from_direction(azimuth, view.elevation.unwrap_or(Camera::ELEVATION));
    let fov = view.field_of_view.unwrap_or(Camera::FIELD_OF_VIEW);
    let held = Camera { fov, ..direction }.holding(points, aspect);
    Camera { eye: view.eye.unwrap_or(held.eye), target: view.target.unwrap_or(held.target), ..held }
}

impl Animation {
    /// Everything the camera must hold \[m\]: what moves, in every frame, and what else is within `near`, the box of
    /// [`surroundings`](Self::surroundings); of what reaches out of it only the part inside, so that a wide floor does
    /// not push the camera away.
    pub(super) fn framed(&self, near: [DVec3; 2]) -> impl Iterator<Item = DVec3> {
        let poses = |mesh: &StaticMesh| if mesh.motion.is_some() { self.frames.len() } else { 1 };
        let solid = move |mesh| (0..poses(mesh)).flat_map(move |frame| self.places(mesh, frame));
        let solids = self.statics.iter().flat_map(solid).chain(self.points(true));
        self.points(false).chain(solids.map(move |p| p.clamp(near[0], near[1])))
    }

    /// Where everything that is a solid mesh, or everything else that moves, is in any frame \[m\].
    fn points(&self, solid: bool) -> impl Iterator<Item = DVec3> {
        let mut is_solid = vec![false; self.particles()];
        let solids = self.moving.iter().filter(|mesh| mesh.solid);
        solids.for_each(|mesh| is_solid[mesh.particles.clone()].fill(true));
        let all = self.frames.iter().flatten().zip(is_solid.into_iter().cycle());
        all.filter(move |(_, own)| *own == solid).map(|(p, _)| point(p))
    }

    /// A box around all that moves but solids \[m\].
    pub(super) fn filled(&self) -> [DVec3; 2] {
        match self.moving.iter().all(|mesh| mesh.solid) {
            true => self.bounds().map(|corner| point(&corner)),
            false => render::extent(self.points(false)),
        }
    }

    /// The same, and half its size more on every side \[m\].
    pub(super) fn surroundings(&self) -> [DVec3; 2] {
        let [low, high] = self.filled();
        let more = DVec3::splat(0.5 * low.distance(high));
        [low - more, high + more]
    }

    /// Where the vertices of a solid are in a frame \[m\].
    pub(super) fn places<'a>(
        &self,
        mesh: &'a StaticMesh,
        frame: usize,
    ) -> impl Iterator<Item = DVec3> + use<'a> {
        let time = self.time(frame);
        let pose = mesh.motion.as_ref().map(|motion| motion.pose(time));
        mesh.positions.iter().map(move |p| pose.map_or(point(p), |pose| pose.at(point(p))))
    }

    /// The bodies and solids of a scene, without a frame yet.
    pub fn of_scene(scene: &Scene) -> Self {
        let mut animation = Animation::of(&scene.model, &scene.title, scene.frames_per_second);
        animation.scene_hash = format!("{:016x}", scene.hash);
        let origin = origin(&scene.state.positions);
        let seen = |place: Option<DVec3>| place.map(|p| p - origin);
        let (eye, target) = (seen(scene.camera.eye), seen(scene.camera.target));
        animation.view = Viewpoint { eye, target, ..scene.camera };
        animation.origin = origin;
        for (mesh, &colour) in animation.moving.iter_mut().zip(&scene.colours) {
            mesh.colours = COLOURS[colour as usize % COLOURS.len()];
        }
        animation.dress(&scene.mesh);
        animation.mark_pins(scene);
        for solid in &scene.obstacles {
            if let Shape::Ground { height } = solid.shape {
                let height = height - origin.y;
                animation.ground = Some(animation.ground.map_or(height, |g: f64| g.max(height)));
                continue;
            }
            let mesh = solids::shape(&solid.shape);
            animation.statics.push(StaticMesh {
                name: solid.shape.name().into(),
                positions: mesh.positions.iter().map(|p| (p - origin).to_array().map(|c| c as f32)).collect(),
                triangles: mesh.triangles,
                colour: COLOURS[mesh.colour as usize][0],
                motion: solid.motion.clone().map(|m| Motion { about: m.about - origin, ..m }),
            });
        }
        animation
    }

    /// A mesh as one thing that moves, without a frame yet.
    pub fn of_mesh(mesh: &Mesh, name: impl Into<String>) -> Self {
        let mut animation = Animation { name: name.into(), ..Animation::default() };
        let welded = |ends: &[u32; 2]| ends.map(|i| mesh.original.vertices[i as usize]);
        animation.triangles = mesh.triangles.clone();
        animation.lines = mesh.original.lines.iter().map(welded).collect();
        animation.moving = vec![MovingMesh {
            name: animation.name.clone(),
            particles: 0..mesh.positions.len(),
            triangles: 0..mesh.triangles.len(),
            lines: 0..animation.lines.len(),
            colours: COLOURS[0],
            ..MovingMesh::default()
        }];
        animation.dress(mesh);
        animation
    }

    /// Texture coordinates and materials of bodies that have any. Where a triangle has no coordinates, or its body none
    /// but textures, they are those of the upper left corner, which is what viewers take for those that are missing.
    pub(super) fn dress(&mut self, mesh: &Mesh) {
        let looks = mesh.looks();
        if looks.is_empty() {
            return;
        }
        let order = &self.order;
        let particle = |i: u32| order.get(i as usize).copied().unwrap_or(i);
        let materials = &mesh.original.materials;
        for body in &mut self.moving {
            let nothing = Look { uvs: None, material: NO_MATERIAL };
            let look = |t: &[u32; 3]| looks.get(&t.map(particle)).copied().unwrap_or(nothing);
            let looks: Vec<Look> = self.triangles[body.triangles.clone()].iter().map(look).collect();
            let textured = |look: &Look| {
                look.uvs.is_some() || materials.get(look.material as usize).is_some_and(Material::is_textured)
            };
            if looks.iter().any(textured) {
                let uvs = |look: &Look| look.uvs.unwrap_or([[0.0, 1.0]; 3]).map(|uv| uv.map(|x| x as f32));
                body.uvs = looks.iter().map(uvs).collect();
            }
            if looks.iter().any(|look| look.material != NO_MATERIAL) {
                body.materials = looks.iter().map(|look| look.material).collect();
            }
        }
        self.materials = materials.clone();
    }

    /// The pins of a scene, and when its script lets them go.
    fn mark_pins(&mut self, scene: &Scene) {
        let mut until = vec![u32::MAX; scene.state.filters.len()];
        // Those of a log in steps, their particles by numbers that copies may have: they have no mark.
        let h = scene.time_step();
        let recorded = scene.log.iter().map(|one| (one.step as f64 * h, &one.edit));
        let mut events: Vec<(f64, &Edit)> =
            scene.events.iter().map(|one| (one.time, &one.edit)).chain(recorded).collect();
        events.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (time, edit) in events {
            let (particles, last) = match edit {
                Edit::Release { particles } => {
                    let first = (time * scene.frames_per_second).floor().max(0.0) as u32;
                    (particles, first.saturating_add(1))
                }
                Edit::Hold { particles, .. }
                | Edit::Follow { particles, .. }
                | Edit::Place { particles, .. } => (particles, u32::MAX),
                _ => continue,
            };
            let marked = particles.iter().filter(|&&i| i < until.len()).collect::<Vec<_>>();
            marked.into_iter().for_each(|&i| until[i] = last);
        }
        let place = super::inverse(&self.order);
        let placed = |i: usize| place.get(i).copied().unwrap_or(i as u32);
        // A solid is no pin.
        let held = |i: &usize| scene.state.filters[*i].is_pinned() && !scene.model.is_solid(*i);
        let pinned = (0..until.len()).filter(held);
        let mut pins: Vec<(u32, u32)> = pinned.map(|i| (until[i], placed(i))).collect();
        pins.sort_by_key(|&(until, i)| (std::cmp::Reverse(until), i));
        (self.released, self.pinned) = pins.into_iter().unzip();
    }
}
