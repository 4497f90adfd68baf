//! Simulations that no scene has made, as scenes, so that they can be run and shown as one.

use super::{Origin, Output, Scene, Viewpoint};
use crate::mesh_io::Mesh;
use crate::render::usual_colour;
use crate::{Simulation, measure};

impl Scene {
    /// A simulation as it is now, without a text: one step per frame, no frames to make unless somebody says how many.
    pub fn around(name: &str, simulation: &Simulation) -> Self {
        let (model, state) = (simulation.model().clone(), simulation.state().clone());
        let strands = |body: usize| model.triangles_of(body).next().is_none();
        Scene {
            name: name.into(),
            title: name.into(),
            text: String::new(),
            hash: measure::fnv([].into_iter()),
            settings: simulation.settings().clone(),
            frames: 0,
            frames_per_second: 1.0 / simulation.settings().time_step,
            substeps: 1,
            events: simulation.events().to_vec(),
            log: Vec::new(),
            obstacles: simulation.obstacles().to_vec(),
            camera: Viewpoint::default(),
            output: Output::default(),
            colours: (0..model.body_count()).map(|body| usual_colour(body, strands(body))).collect(),
            mesh: Mesh::from_parts(model.rest.clone(), model.triangles.clone(), model.tets.clone()),
            notes: Vec::new(),
            origin: Origin { file: name.into(), folder: None, trusted: false },
            model,
            state,
        }
    }
}
