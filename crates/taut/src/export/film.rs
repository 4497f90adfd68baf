//! Pictures of an animation by the software renderer, from one camera that holds all of it.

use super::{Animation, StaticMesh};
use crate::collision::Shape;
use crate::render::{self, COLOURS, Camera, Drawing, Picture, Renderer, Style, solids};
use crate::scene::Viewpoint;
use crate::{Edit, Event};
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
            colours[mesh.triangles.clone()].fill(slot(i));
            segment_colours[mesh.lines.clone()].fill(slot(i));
        }
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
        self.renderer.draw(&Drawing {
            positions: &self.positions,
            triangles: &self.animation.triangles,
            colours: &self.colours,
            segments: &self.animation.lines,
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
        let solids = self.statics.iter().flat_map(solid).map(move |p| p.clamp(near[0], near[1]));
        self.frames.iter().flatten().map(point).chain(solids)
    }

    /// A box around all that moves, and half its size more on every side \[m\].
    pub(super) fn surroundings(&self) -> [DVec3; 2] {
        let [low, high] = self.bounds().map(|corner| point(&corner));
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
        let turn = mesh.motion.as_ref().map(|motion| (motion.about, motion.pose(time)));
        mesh.positions.iter().map(move |p| match turn {
            Some((about, pose)) => about + pose * (point(p) - about),
            None => point(p),
        })
    }

    /// The bodies and solids of a scene, without a frame yet.
    pub fn of_scene(scene: &Scene) -> Self {
        let mut animation = Animation::of(&scene.model, &scene.title, scene.frames_per_second);
        animation.scene_hash = format!("{:016x}", scene.hash);
        animation.view = scene.camera;
        for (mesh, &colour) in animation.moving.iter_mut().zip(&scene.colours) {
            mesh.colours = COLOURS[colour as usize % COLOURS.len()];
        }
        animation.texture(scene);
        animation.mark_pins(scene);
        for solid in &scene.obstacles {
            let (name, mesh) = match solid.shape {
                Shape::Ground { height } => {
                    animation.ground = Some(animation.ground.map_or(height, |g: f64| g.max(height)));
                    continue;
                }
                Shape::Sphere { centre, radius } => ("sphere", solids::sphere(centre, radius)),
                Shape::Box { centre, size, rotation } => {
                    let mut mesh = solids::cuboid(-0.5 * size, 0.5 * size);
                    mesh.positions.iter_mut().for_each(|p| *p = centre + rotation * *p);
                    ("box", mesh)
                }
                Shape::Cylinder { ends: [a, b], radius } => ("cylinder", solids::cylinder(a, b, radius)),
                Shape::Capsule { ends: [a, b], radius } => ("capsule", solids::capsule(a, b, radius)),
            };
            animation.statics.push(StaticMesh {
                name: name.into(),
                positions: mesh.positions.iter().map(|p| p.to_array().map(|c| c as f32)).collect(),
                triangles: mesh.triangles,
                colour: COLOURS[mesh.colour as usize][0],
                motion: solid.motion.clone(),
            });
        }
        animation
    }

    /// The texture coordinates of bodies whose triangles all have them.
    fn texture(&mut self, scene: &Scene) {
        let textured = scene.mesh.textured_triangles();
        if textured.is_empty() {
            return;
        }
        let particle = |i: u32| self.order.get(i as usize).copied().unwrap_or(i);
        for mesh in &mut self.moving {
            let triangles = self.triangles[mesh.triangles.clone()].iter().map(|t| t.map(particle));
            let uvs = triangles.map(|t| Some(textured.get(&t)?.map(|uv| uv.map(|x| x as f32))));
            mesh.uvs = uvs.collect::<Option<_>>().unwrap_or_default();
        }
    }

    /// The pins of a scene, and when its script lets them go.
    fn mark_pins(&mut self, scene: &Scene) {
        let mut until = vec![u32::MAX; scene.state.filters.len()];
        let mut events: Vec<&Event> = scene.events.iter().collect();
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        for event in events {
            match &event.edit {
                Edit::Release { particles } => {
                    let first = (event.time * scene.frames_per_second).floor().max(0.0) as u32;
                    particles.iter().for_each(|&i| until[i] = first.saturating_add(1));
                }
                Edit::Hold { particles, .. } => particles.iter().for_each(|&i| until[i] = u32::MAX),
                _ => {}
            }
        }
        let place = super::inverse(&self.order);
        let placed = |i: usize| place.get(i).copied().unwrap_or(i as u32);
        let pinned = (0..until.len()).filter(|&i| scene.state.filters[i].is_pinned());
        let mut pins: Vec<(u32, u32)> = pinned.map(|i| (until[i], placed(i))).collect();
        pins.sort_by_key(|&(until, i)| (std::cmp::Reverse(until), i));
        (self.released, self.pinned) = pins.into_iter().unzip();
    }
}
