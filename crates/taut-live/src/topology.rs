//! What a page needs to draw a scene, besides positions: who belongs to whom, colours, and what stands still.

use crate::reply::Reply;
use crate::tune::FAMILIES;
use glam::DVec3;
use serde_json::{Value, json};
use taut::collision::Shape;
use taut::export::{Animation, MovingMesh};
use taut::render::Camera;
use taut::{Family, Method, Model, Scene, Simulation, State};

/// The picture of a simulation.
pub struct Topology {
    /// What places are seen from \[m\].
    pub origin: DVec3,
    /// The obstacle that each static mesh shows.
    pub obstacles: Vec<usize>,
    /// What stands still, ground, viewpoint.
    drawn: Animation,
    /// Where things were at the start, and may get \[m\].
    filled: [DVec3; 2],
}

impl Topology {
    /// Of a scene at its start.
    pub fn new(scene: &Scene) -> Self {
        let drawn = Animation::of_scene(scene);
        let solid = |o: &usize| !matches!(scene.obstacles[*o].shape, Shape::Ground { .. });
        let obstacles = (0..scene.obstacles.len()).filter(solid).collect();
        let filled = room(&scene.model, &scene.state, drawn.origin, drawn.ground);
        Topology { origin: drawn.origin, obstacles, drawn, filled }
    }

    /// All of it as sections.
    pub fn write(&self, reply: &mut Reply, scene: &Scene, simulation: &Simulation, version: u32) {
        let model = simulation.model();
        let now = Animation::of(model, "", self.drawn.frames_per_second);
        let named = |i: u32| now.order.get(i as usize).copied().unwrap_or(i);
        reply.text(b"TOPO", &self.object(&now.moving, scene, model, version).to_string());
        reply.numbers(b"TRIS", now.triangles.iter().flatten().map(|&i| named(i)));
        reply.numbers(b"LINE", now.lines.iter().flatten().map(|&i| named(i)));
        let vertices = self.drawn.statics.iter().flat_map(|mesh| &mesh.positions).flatten();
        reply.floats(b"STAT", vertices.copied());
        let corners = self.drawn.statics.iter().flat_map(|mesh| &mesh.triangles).flatten();
        reply.numbers(b"STCO", corners.copied());
        reply.numbers(b"PARE", model.copies.iter().flatten().copied());
        reply.numbers(b"SPRI", model.springs.iter().flat_map(|spring| spring.ends));
        let family = |family: Family| FAMILIES.iter().position(|(_, own)| *own == family).unwrap_or(0) as u8;
        reply.bytes_of(b"SPFA", model.springs.iter().map(|spring| family(spring.family)));
    }

    fn object(&self, moving: &[MovingMesh], scene: &Scene, model: &Model, version: u32) -> Value {
        let drawn = &self.drawn;
        let parts = moving.iter().zip(&drawn.moving).map(|(mesh, start)| {
            json!({ "name": mesh.name, "colours": start.colours, "solid": mesh.solid,
                "triangles": [mesh.triangles.start, mesh.triangles.end],
                "lines": [mesh.lines.start, mesh.lines.end] })
        });
        let statics = drawn.statics.iter().map(|mesh| {
            let places = || mesh.positions.iter().map(|p| DVec3::from_array(p.map(f64::from)));
            let (low, high) = (lowest(places()), -lowest(places().map(|p| -p)));
            json!({ "name": mesh.name, "colour": mesh.colour, "vertices": mesh.positions.len(),
                "triangles": mesh.triangles.len(), "low": low.to_array(), "high": high.to_array() })
        });
        let families = FAMILIES.iter().map(|(name, family)| {
            let own = || model.springs.iter().filter(|spring| spring.family == *family);
            let mean = own().map(|spring| spring.stiffness).sum::<f64>() / own().count().max(1) as f64;
            json!({ "name": name, "springs": own().count(), "stiffness": mean })
        });
        let view = &drawn.view;
        json!({
            "version": version, "name": scene.name, "title": scene.title, "scene": scene.name, "text": scene.text,
            "particles": model.particles(), "originals": model.particles() - model.copies.len(),
            "rate": scene.frames_per_second, "duration": scene.frames as f64 / scene.frames_per_second,
            "origin": self.origin.to_array(), "ground": drawn.ground,
            "filled": self.filled.map(|p| p.to_array()),
            "low": self.filled[0].to_array(), "high": self.filled[1].to_array(),
            "view": {
                "azimuth": view.azimuth.unwrap_or(Camera::AZIMUTH),
                "elevation": view.elevation.unwrap_or(Camera::ELEVATION),
                "angle": view.field_of_view.unwrap_or(Camera::FIELD_OF_VIEW),
                "eye": view.eye.map(|p| p.to_array()), "target": view.target.map(|p| p.to_array()),
            },
            "parts": Value::from_iter(parts), "statics": Value::from_iter(statics),
            "families": Value::from_iter(families), "methods": Method::NAMES,
            "facts": { "springs": model.springs.len(), "links": model.links.len(),
                "membranes": model.membranes.len(), "blocks": model.blocks.len(),
                "triangles": model.triangles.len(), "tets": model.tets.len() },
            "mean_rest_length": model.mean_rest_length(), "notes": scene.notes,
        })
    }
}

fn lowest(places: impl Iterator<Item = DVec3>) -> DVec3 {
    places.fold(DVec3::INFINITY, DVec3::min)
}

/// A box around what moves at the start, and below it what it may fall into: as deep as it is wide, or to the ground.
fn room(model: &Model, state: &State, origin: DVec3, ground: Option<f64>) -> [DVec3; 2] {
    let own = |&i: &usize| !model.is_solid(i);
    let places = || (0..model.particles()).filter(own).map(|i| state.positions[i] - origin);
    let (mut low, high) = (lowest(places()), -lowest(places().map(|p| -p)));
    if !(low.is_finite() && high.is_finite()) {
        return [DVec3::ZERO; 2];
    }
    let depth = (high - low).max_element();
    let below = if high.y - low.y < 0.5 * depth { low.y - 0.9 * depth } else { low.y };
    low.y = ground.map_or(below, |ground| below.max(ground)).min(low.y);
    [low, high]
}
