//! Bodies: given a material and a pose, put together into one model; pins on them.

use super::elements;
use super::fabric::{FABRICS, Fabric, fabric};
use super::generate::{Material, shape};
use super::place::{Source, rotation};
use super::select::{Names, Pin, Selection, Which};
use super::syntax::COLOURS;
use super::text::{BodyText, PinText, RegionText};
use crate::mesh_io::Mesh;
use crate::random::Random;
use crate::render::{unbraced, usual_colour};
use crate::shapes::Mass;
use crate::words::suggest;
use crate::{Body, Error, Model, Skin, SpringKind, State, Tear};
use glam::{DAffine3, DVec3};
use std::collections::BTreeMap;
use toml::Spanned;

/// The bodies of a scene so far.
pub(super) struct Bodies {
    pub model: Model,
    pub state: State,
    pub colours: Vec<u8>,
    /// All bodies as one mesh, as their files had them.
    pub mesh: Mesh,
    pub notes: Vec<String>,
    /// The strongest material damping of the fabrics used \[s\].
    pub damping: f64,
    /// Where bodies tear that do not say.
    pub tear: Option<Tear>,
    handles: Vec<Handles>,
}

/// What pins and regions may choose a body's particles by.
struct Handles {
    names: Names,
    attributes: BTreeMap<String, Vec<f64>>,
}

impl Bodies {
    pub fn new(model: Model) -> Self {
        Bodies {
            state: State::at_rest(&model),
            model,
            colours: Vec::new(),
            mesh: Mesh::default(),
            notes: Vec::new(),
            damping: 0.0,
            tear: None,
            handles: Vec::new(),
        }
    }

    /// The number of the body of that name.
    pub fn find(&self, source: &Source, name: &str, start: usize) -> Result<usize, Error> {
        let names: Vec<&str> = self.model.bodies.iter().map(|b| b.name.as_str()).collect();
        let remedy = || suggest(name, &names, "the bodies are");
        self.model.body(name).ok_or_else(|| source.bad(start, "body", format!("{name:?}"), &remedy()))
    }

    /// Build a body and append it.
    pub fn add(&mut self, source: &Source, text: &Spanned<BodyText>) -> Result<(), Error> {
        let (start, text) = (text.span().start, text.get_ref());
        let material = self.material(source, text, start)?;
        let (model, names, mesh) =
            shape(source, text, &material, start).map_err(|e| source.refused(start, e))?;
        let mut model = elements::build(source, text, &material, (model, mesh.as_ref()), start)?;
        let solid = !model.tets.is_empty();
        let damping =
            if solid { material.bulk.map(|b| b.damping) } else { material.fabric.map(|f| f.damping) };
        self.damping = self.damping.max(damping.unwrap_or(0.0));
        let mesh = mesh.unwrap_or_else(|| {
            let mut mesh = Mesh::from_parts(model.rest.clone(), model.triangles.clone(), model.tets.clone());
            if model.triangles.is_empty() {
                mesh.original.lines = unbraced(&model.springs);
            }
            mesh
        });
        let handles = Handles { names, attributes: mesh.attributes.clone() };
        text.region.iter().try_for_each(|region| apply_region(source, region, &mut model, &handles))?;
        let mass = if solid { material.mass_of_solid() } else { material.mass };
        pose(source, text, &mut model, mass, start)?;
        let name = text.name.clone().unwrap_or_else(|| format!("body{}", self.model.bodies.len()));
        self.check_name(source, &name, start)?;
        self.notes.extend(mesh.notes.iter().map(|note| format!("{name}: {note}")));
        self.mesh.append(&mesh, &name);
        let tear = source.tear(text.tear.as_ref(), start)?;
        if let Some(tear) = text.tear.as_ref().filter(|_| !model.tets.is_empty()) {
            let remedy = "a solid of tetrahedra does not tear, only surfaces and strands do: leave it out";
            return Err(source.bad(start, "tear", format!("{tear:?}"), remedy));
        }
        let tear = tear.or(self.tear).filter(|_| model.tets.is_empty());
        model.bodies[0] = Body { name, skin: skin(source, text, start)?, solid: false, tear };
        self.append(source, text, &model, start)?;
        self.handles.push(handles);
        Ok(())
    }

    fn append(&mut self, source: &Source, text: &BodyText, model: &Model, start: usize) -> Result<(), Error> {
        let perturbation = text.perturbation.unwrap_or(0.0);
        if !(perturbation >= 0.0 && perturbation.is_finite()) {
            return Err(source.bad(start, "perturbation", perturbation, "must be zero or more and finite"));
        }
        let mut state = State::at_rest(model);
        let mut noise = Random(text.seed.unwrap_or(1));
        if perturbation > 0.0 {
            state.positions.iter_mut().for_each(|p| *p += perturbation * noise.vector());
        }
        let velocity = text.velocity.map_or(Ok(DVec3::ZERO), |v| source.vector(start, "velocity", v))?;
        state.velocities.fill(velocity);
        self.model.append(model);
        self.append_state(state);
        let usual = usual_colour(self.colours.len(), text.strands.is_some());
        if let Some(colour) = text.colour.filter(|&c| c > 7) {
            return Err(source.bad(start, "colour", colour, &format!("must be {COLOURS}")));
        }
        self.colours.push(text.colour.unwrap_or(usual));
        Ok(())
    }

    /// Refuse a second body of a name.
    pub fn check_name(&self, source: &Source, name: &str, start: usize) -> Result<(), Error> {
        match self.model.bodies.iter().any(|body| body.name == name) {
            true => {
                let remedy = "two bodies have this name: rename one";
                Err(source.bad(start, "name", format!("{name:?}"), remedy))
            }
            false => Ok(()),
        }
    }

    pub fn append_state(&mut self, state: State) {
        self.state.positions.extend(state.positions);
        self.state.velocities.extend(state.velocities);
        self.state.forces.extend(state.forces);
        self.state.filters.extend(state.filters);
    }

    fn material(&self, source: &Source, text: &BodyText, start: usize) -> Result<Material, Error> {
        let preset = match &text.fabric {
            None => None,
            Some(name) => Some(fabric(name).ok_or_else(|| {
                let names: Vec<&str> = FABRICS.iter().map(|f| f.name).collect();
                source.bad(start, "fabric", format!("{name:?}"), &suggest(name, &names, "the fabrics are"))
            })?),
        };
        if text.mass.is_some() && text.density.is_some() {
            return Err(source.error(start, "both mass and density are given", "give one of them"));
        }
        for (key, value) in [("mass", text.mass), ("density", text.density)] {
            value.map(|value| source.positive(start, key, value)).transpose()?;
        }
        let bulk = elements::bulk(source, text, start)?;
        let pick = |own: Option<f64>, of: fn(&Fabric) -> f64, usual| own.or(preset.map(of)).unwrap_or(usual);
        let density = text.density.or(preset.map(|f| f.density));
        let kind = match text.springs.as_deref() {
            None | Some("linear") => SpringKind::Linear,
            Some("extension_only") => SpringKind::ExtensionOnly,
            Some(other) => {
                let remedy = suggest(other, &["linear", "extension_only"], "springs are");
                return Err(source.bad(start, "springs", format!("{other:?}"), &remedy));
            }
        };
        let choi_ko = match (text.model.as_deref(), text.bending) {
            (None | Some("springs"), None) => None,
            (Some("choi_ko"), Some(bending)) if bending > 0.0 && text.grid.is_some() => {
                Some((bending, text.bend))
            }
            (Some("choi_ko"), bending) => {
                let value = bending.map_or("missing".into(), |b| b.to_string());
                let remedy = "the model choi_ko needs a grid and a bending stiffness above 0 [N·m²]";
                return Err(source.bad(start, "bending", value, remedy));
            }
            (None | Some("springs"), Some(bending)) => {
                return Err(source.bad(
                    start,
                    "bending",
                    bending,
                    "only model = \"choi_ko\" uses it: add that line, or leave this one out",
                ));
            }
            (Some(other), _) => {
                let remedy = suggest(other, &["springs", "choi_ko"], "models are");
                return Err(source.bad(start, "model", format!("{other:?}"), &remedy));
            }
        };
        Ok(Material {
            fabric: preset,
            bulk,
            choi_ko,
            mass: text.mass.map(Mass::Total).or(density.map(Mass::Density)),
            stretch: pick(text.stretch, |f| f.stretch, 1000.0),
            shear: pick(text.shear, |f| f.shear, 1000.0),
            bend: pick(text.bend, |f| f.bend, 1000.0),
            kind,
        })
    }

    /// The particles of a body that its keys choose: in the order of the list if that is all that is given, else
    /// ascending.
    pub fn chosen(&self, source: &Source, which: &Which, start: usize) -> Result<Vec<usize>, Error> {
        let body = which.body.map_or(Ok(0), |name| self.find(source, name, start))?;
        let members: Vec<usize> = self.model.particles_of(body).collect();
        let positions: Vec<DVec3> = members.iter().map(|&i| self.state.positions[i]).collect();
        let selection = Selection {
            names: &self.handles[body].names,
            attributes: &self.handles[body].attributes,
            positions: &positions,
            cuboid: which.cuboid,
            at: which.at,
            indices: which.indices,
            attribute: which.attribute,
        };
        let chosen = selection.particles().map_err(|(key, value, remedy)| match key {
            "" => source.error(start, value, remedy),
            key => source.bad(start, key, value, &remedy),
        })?;
        let listed = which.indices.filter(|_| which.cuboid.is_none() && which.at.is_none());
        Ok(match listed.filter(|_| which.attribute.is_none()) {
            Some(listed) => listed.iter().map(|&i| members[i]).collect(),
            None => chosen.into_iter().map(|i| members[i]).collect(),
        })
    }

    /// Pin what the scene pins, and remember which particles each pin holds.
    pub fn pins(&mut self, source: &Source, pins: &[Spanned<PinText>]) -> Result<Vec<Pin>, Error> {
        let mut made = Vec::new();
        for (i, text) in pins.iter().enumerate() {
            let (start, text) = (text.span().start, text.get_ref());
            let particles = self.chosen(source, &text.which(), start)?;
            particles.iter().for_each(|&p| self.state.pin(p));
            let name = text.name.clone().unwrap_or_else(|| format!("pin{i}"));
            if made.iter().any(|pin: &Pin| pin.name == name) {
                return Err(source.bad(
                    start,
                    "name",
                    format!("{name:?}"),
                    "two pins have this name: rename one",
                ));
            }
            made.push(Pin { name, particles });
        }
        Ok(made)
    }
}

/// How a body meets others and itself.
fn skin(source: &Source, text: &BodyText, start: usize) -> Result<Skin, Error> {
    let usual = Skin::default();
    let skin = Skin {
        thickness: text.thickness,
        friction: text.friction.unwrap_or(usual.friction),
        collide: text.collide.unwrap_or(usual.collide),
        self_collide: text.self_collide.unwrap_or(usual.self_collide),
    };
    skin.validate().map_err(|e| source.refused(start, e))?;
    Ok(skin)
}

/// Multiply masses and stiffnesses of part of a body.
fn apply_region(
    source: &Source,
    text: &Spanned<RegionText>,
    model: &mut Model,
    handles: &Handles,
) -> Result<(), Error> {
    let (start, text) = (text.span().start, text.get_ref());
    text.mass.map(|mass| source.positive(start, "mass", mass)).transpose()?;
    if let Some(stiffness) = text.stiffness.filter(|s| !(*s >= 0.0 && s.is_finite())) {
        return Err(source.bad(start, "stiffness", stiffness, "must be zero or more and finite"));
    }
    let selection = Selection {
        names: &handles.names,
        attributes: &handles.attributes,
        positions: &model.rest,
        cuboid: text.cuboid,
        at: text.at.as_deref(),
        indices: text.indices.as_deref(),
        attribute: text.attribute.as_deref(),
    };
    let fail = |(key, value, remedy): (&str, String, String)| source.bad(start, key, value, &remedy);
    let weights = selection.weights().map_err(fail)?;
    if weights.iter().all(|&w| w == 0.0) {
        let remedy = "give at, box, indices or attribute, in the body's own coordinates";
        return Err(source.error(start, "this region holds no particle", remedy));
    }
    let factor = |f: Option<f64>, w: f64| 1.0 + w * (f.unwrap_or(1.0) - 1.0);
    for (mass, &w) in model.masses.iter_mut().zip(&weights) {
        *mass *= factor(text.mass, w);
    }
    // A spring counts with the smaller weight of its ends.
    for s in &mut model.springs {
        let (a, b) = s.ab();
        *s = s.scaled(factor(text.stiffness, weights[a].min(weights[b])));
    }
    elements::stiffen(model, |corners| {
        factor(text.stiffness, corners.iter().map(|&i| weights[i as usize]).fold(1.0, f64::min))
    });
    model.validate().map_err(|e| source.refused(start, e))
}

/// Scale, then rotate, then move: rest pose and rest lengths together.
fn pose(
    source: &Source,
    text: &BodyText,
    model: &mut Model,
    mass: Option<Mass>,
    start: usize,
) -> Result<(), Error> {
    let scale = source.positive(start, "scale", text.scale.unwrap_or(1.0))?;
    let position = source.vector(start, "position", text.position.unwrap_or_default())?;
    source.vector(start, "rotation", text.rotation.unwrap_or_default())?;
    let map =
        DAffine3::from_scale_rotation_translation(DVec3::splat(scale), rotation(text.rotation), position);
    if text.rotation.is_some() || scale != 1.0 {
        model.rest.iter_mut().for_each(|p| *p = map.transform_point3(*p));
    } else {
        model.rest.iter_mut().for_each(|p| *p += position);
    }
    model.springs.iter_mut().for_each(|s| *s = s.with_length(s.rest_length * scale));
    elements::pose(model, rotation(text.rotation), scale);
    // What was given per area or volume grows with it; a strand's stiffness is EA over its length.
    let surface_file = (text.mesh.is_some() || text.dress.is_some()) && model.tets.is_empty();
    let by_density = mass.map_or(surface_file, |mass| matches!(mass, Mass::Density(_)));
    if by_density && text.strands.is_none() {
        let measure = if model.tets.is_empty() { scale * scale } else { scale * scale * scale };
        model.masses.iter_mut().for_each(|m| *m *= measure);
    }
    if text.strands.is_some() {
        model.springs.iter_mut().for_each(|s| s.stiffness /= scale);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::text::SceneText;

    /// Pins count particles within their body, wherever in the model these are.
    #[test]
    fn pins_find_the_particles_of_interleaved_bodies() {
        let text = "[[body]]\nname = \"a\"\ngrid = { columns = 3, rows = 2, width = 1.0, height = 1.0 }\n\
                    [[body]]\nname = \"b\"\nstrands = { columns = 1, rows = 1, spacing = 1.0, particles = 6, length = 1.0 }\n\
                    [[pin]]\nat = [\"top\"]\n[[pin]]\nbody = \"b\"\nat = [\"tips\"]\nindices = [2]\n";
        let source = Source { file: "s.toml", text, folder: None, trusted: false, places: &[] };
        let scene: SceneText = toml::from_str(text).unwrap();
        let mut bodies = Bodies::new(Model::default());
        scene.body.iter().try_for_each(|body| bodies.add(&source, body)).unwrap();
        bodies.model.body_of = (0..12).map(|i| i % 2).collect();
        let pins = bodies.pins(&source, &scene.pin).unwrap();
        assert_eq!(pins[0].particles, [0, 2, 4]);
        assert_eq!(pins[1].particles, [5, 11]);
        assert!((0..12).all(|i| bodies.state.filters[i].is_pinned() == [0, 2, 4, 5, 11].contains(&i)));
    }
}
