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
    pub fn new(
        animation: &'a Animation,
        view: &Viewpoint,
        width: usize,
        height: usize,
    ) -> Result<Self, Error> {
        let mut extent = render::extent(animation.frames.iter().flatten().map(point));
        if let Some(ground) = animation.ground {
            extent[0].y = extent[0].y.min(ground);
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
            camera: camera(view, extent, width as f64 / height as f64),
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

    /// One frame.
    pub fn picture(&mut self, frame: usize) -> &Picture {
        self.positions.clear();
        self.positions.extend(self.animation.frames[frame].iter().map(point));
        let time = self.animation.time(frame);
        for (solid, mesh) in self.solids.iter_mut().zip(&self.animation.statics) {
            if let Some(motion) = &mesh.motion {
                let pose = motion.pose(time);
                let place = |p| motion.about + pose * (point(p) - motion.about);
                solid.positions.clear();
                solid.positions.extend(mesh.positions.iter().map(place));
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

fn camera(view: &Viewpoint, [lo, hi]: [DVec3; 2], aspect: f64) -> Camera {
    let usual = Camera::framing(lo, hi, aspect);
    let mut camera = match (view.azimuth, view.elevation) {
        (None, None) => usual,
        (azimuth, elevation) => {
            let back = (usual.eye - usual.target).normalize();
            let azimuth = azimuth.unwrap_or_else(|| back.x.atan2(back.z));
            Camera::framing_from(lo, hi, aspect, azimuth, elevation.unwrap_or_else(|| back.y.asin()))
        }
    };
    camera.eye = view.eye.unwrap_or(camera.eye);
    camera.target = view.target.unwrap_or(camera.target);
    camera.fov = view.field_of_view.unwrap_or(camera.fov);
    camera
}

impl Animation {
    /// The bodies and solids of a scene, without a frame yet.
    pub fn of_scene(scene: &Scene) -> Self {
        let mut animation = Animation::of(&scene.model, &scene.title, scene.frames_per_second);
        animation.scene_hash = format!("{:016x}", scene.hash);
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
