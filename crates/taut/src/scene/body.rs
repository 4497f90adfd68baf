//! Bodies: generated or loaded, given a material and a pose, put together into one model.

use super::fabric::{FABRICS, Fabric, fabric};
use super::place::{Source, rotation, suggest};
use super::select::{Names, Pin, Selection};
use super::text::{BodyText, GridText, LatticeText, PinText, RegionText, ShapeText, StrandsText};
use crate::collision::Shape;
use crate::mesh_io::{self, Mesh};
use crate::shapes::{self, Diagonals, Grid, Implicit, Mass, Strands, Surface};
use crate::{Body, Error, Model, SpringKind, State};
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
    parts: Vec<Part>,
}

/// What pins and regions may refer to in a body.
struct Part {
    names: Names,
    attributes: BTreeMap<String, Vec<f64>>,
}

/// Material numbers of a body, from its keys over its fabric over the defaults.
struct Material {
    mass: Option<Mass>,
    stretch: f64,
    shear: f64,
    bend: f64,
    kind: SpringKind,
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
            parts: Vec::new(),
        }
    }

    /// The body of that name.
    pub fn find(&self, source: &Source, name: &str, start: usize) -> Result<&Body, Error> {
        let names: Vec<&str> = self.model.bodies.iter().map(|b| b.name.as_str()).collect();
        let found = self.model.bodies.iter().find(|b| b.name == name);
        let remedy = || suggest(name, &names, "the bodies are");
        found.ok_or_else(|| source.bad(start, "body", format!("{name:?}"), &remedy()))
    }

    /// Build a body and append it.
    pub fn add(&mut self, source: &Source, text: &Spanned<BodyText>) -> Result<(), Error> {
        let (start, text) = (text.span().start, text.get_ref());
        let material = self.material(source, text, start)?;
        let context = |e: Error| match e {
            Error::Setting { name, value, remedy } => source.bad(start, &name, value, &remedy),
            Error::Model { .. } => source.error(start, e, ""),
            file => file,
        };
        let (mut model, names, mesh) = shape(source, text, &material, start).map_err(context)?;
        let mesh = mesh.unwrap_or_else(|| {
            Mesh::from_parts(model.rest.clone(), model.triangles.clone(), model.tets.clone())
        });
        let part = Part { names, attributes: mesh.attributes.clone() };
        for (i, region) in text.region.iter().enumerate() {
            apply_region(source, region, &mut model, &part, start)
                .map_err(|e| context(prefix(&format!("region {i}"), e)))?;
        }
        pose(source, text, &mut model, start)?;
        let count = self.model.bodies.len();
        let name = text.name.clone().unwrap_or_else(|| format!("body{count}"));
        if self.model.bodies.iter().any(|b| b.name == name) {
            return Err(source.bad(start, "name", format!("{name:?}"), "two bodies have this name"));
        }
        self.notes.extend(mesh.notes.iter().map(|note| format!("{name}: {note}")));
        self.mesh.append(&mesh, &name);
        model.bodies[0].name = name;
        self.append(source, text, &model, start)?;
        self.parts.push(part);
        Ok(())
    }

    fn append(&mut self, source: &Source, text: &BodyText, model: &Model, start: usize) -> Result<(), Error> {
        let perturbation = text.perturbation.unwrap_or(0.0);
        if !(perturbation >= 0.0 && perturbation.is_finite()) {
            return Err(source.bad(start, "perturbation", perturbation, "must be zero or more and finite"));
        }
        let mut state = State::at_rest(model);
        let mut noise = Noise(text.seed.unwrap_or(1));
        if perturbation > 0.0 {
            state.positions.iter_mut().for_each(|p| *p += perturbation * noise.vector());
        }
        let velocity = text.velocity.map_or(Ok(DVec3::ZERO), |v| source.vector("velocity", v))?;
        state.velocities.fill(velocity);
        self.model.append(model);
        self.state.positions.extend(state.positions);
        self.state.velocities.extend(state.velocities);
        self.state.forces.extend(state.forces);
        self.state.filters.extend(state.filters);
        let usual = if text.strands.is_some() { 5 } else { self.colours.len() as u8 % 5 };
        self.colours.push(text.colour.unwrap_or(usual));
        Ok(())
    }

    fn material(&mut self, source: &Source, text: &BodyText, start: usize) -> Result<Material, Error> {
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
        self.damping = self.damping.max(preset.map_or(0.0, |f| f.damping));
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
        Ok(Material {
            mass: text.mass.map(Mass::Total).or(density.map(Mass::Density)),
            stretch: pick(text.stretch, |f| f.stretch, 1000.0),
            shear: pick(text.shear, |f| f.shear, 1000.0),
            bend: pick(text.bend, |f| f.bend, 1000.0),
            kind,
        })
    }

    /// Pin what the scene pins, and remember which particles each pin holds.
    pub fn pins(&mut self, source: &Source, pins: &[Spanned<PinText>]) -> Result<Vec<Pin>, Error> {
        let mut made = Vec::new();
        for (i, text) in pins.iter().enumerate() {
            let (start, text) = (text.span().start, text.get_ref());
            let body = match &text.body {
                Some(name) => self.find(source, name, start)?,
                None => &self.model.bodies[0],
            };
            let index = self.model.bodies.iter().position(|b| b == body).expect("found above");
            let selection = Selection {
                names: &self.parts[index].names,
                attributes: &self.parts[index].attributes,
                positions: &self.state.positions[body.particles.clone()],
                cuboid: text.cuboid,
                at: text.at.as_deref(),
                indices: text.indices.as_deref(),
                attribute: text.attribute.as_deref(),
            };
            let offset = body.particles.start;
            let chosen = selection.particles().map_err(|(key, value, remedy)| {
                if key.is_empty() {
                    source.error(start, value, remedy)
                } else {
                    source.bad(start, key, value, &remedy)
                }
            })?;
            let particles: Vec<usize> = chosen.into_iter().map(|p| p + offset).collect();
            particles.iter().for_each(|&p| self.state.pin(p));
            made.push(Pin { name: text.name.clone().unwrap_or_else(|| format!("pin{i}")), particles });
        }
        Ok(made)
    }
}

/// The body in its own coordinates, the names of its parts, the mesh it came from.
fn shape(
    source: &Source,
    text: &BodyText,
    material: &Material,
    start: usize,
) -> Result<(Model, Names, Option<Mesh>), Error> {
    let given = [text.grid.is_some(), text.strands.is_some(), text.mesh.is_some(), text.solid.is_some()];
    let count = given.iter().filter(|&&g| g).count();
    if count != 1 {
        let remedy = "give exactly one of grid, strands, mesh, solid";
        return Err(source.error(start, format!("a body of {count} shapes"), remedy));
    }
    if let Some(grid) = &text.grid {
        let names = Names::Grid { columns: grid.columns, rows: grid.rows };
        return Ok((build_grid(source, grid, material, start)?, names, None));
    }
    if let Some(strands) = &text.strands {
        let names = Names::Strands { particles: strands.particles };
        return Ok((build_strands(source, strands, text, start)?, names, None));
    }
    if let Some(solid) = &text.solid {
        return Ok((build_lattice(source, solid, material, start)?, Names::None, None));
    }
    let mesh = source.mesh(&text.mesh.as_ref().expect("counted above").file, start)?;
    let model = if mesh.tets.is_empty() {
        let mass = material.mass.unwrap_or(Mass::Density(0.2));
        let Material { stretch, bend, kind, .. } = *material;
        let surface = Surface { mass, stretch, bend, kind, ..Surface::default() };
        surface.build(&mesh.positions, &mesh.triangles)?
    } else {
        solid(material).build(&mesh.positions, &mesh.tets)?
    };
    Ok((model, Names::None, Some(mesh)))
}

fn prefix(what: &str, e: Error) -> Error {
    match e {
        Error::Setting { name, value, remedy } => {
            Error::Setting { name, value: format!("{value} ({what})"), remedy }
        }
        other => other,
    }
}

fn build_grid(source: &Source, text: &GridText, material: &Material, start: usize) -> Result<Model, Error> {
    let diagonals = match text.diagonals.as_deref() {
        None | Some("alternating") => Diagonals::Alternating,
        Some("both") => Diagonals::Both,
        Some("none") => Diagonals::None,
        Some(other) => {
            let remedy = suggest(other, &["alternating", "both", "none"], "diagonals are");
            return Err(source.bad(start, "diagonals", format!("{other:?}"), &remedy));
        }
    };
    let mass = match material.mass {
        None => 1.0,
        Some(Mass::Total(mass)) => mass,
        Some(Mass::Density(density)) => density * text.width * text.height,
    };
    let grid = Grid {
        columns: text.columns,
        rows: text.rows,
        width: text.width,
        height: text.height,
        mass,
        stretch: material.stretch,
        shear: material.shear,
        bend: material.bend,
        diagonals,
        kind: material.kind,
        ..Grid::default()
    };
    grid.build()
}

fn build_strands(source: &Source, text: &StrandsText, body: &BodyText, start: usize) -> Result<Model, Error> {
    let (columns, rows) = (text.columns, text.rows);
    if columns == 0 || rows == 0 || columns.saturating_mul(rows) > 1 << 20 {
        let remedy = "rows times columns of strands, between 1 and 1,048,576";
        return Err(source.bad(start, "columns", format!("{columns} x {rows}"), remedy));
    }
    let usual = Strands::default();
    let centred = |i: usize, n: usize| text.spacing * (i as f64 - (n - 1) as f64 / 2.0);
    let root = |i| DVec3::new(centred(i % columns, columns), 0.0, centred(i / columns, rows));
    let strands = Strands {
        roots: (0..columns * rows).map(root).collect(),
        direction: text.direction.map_or(usual.direction, DVec3::from_array),
        particles: text.particles,
        length: text.length,
        mass: body.mass.unwrap_or(usual.mass),
        stiffness: text.stiffness.unwrap_or(usual.stiffness),
        two_apart: text.two_apart.unwrap_or(usual.two_apart),
        three_apart: text.three_apart.unwrap_or(usual.three_apart),
        four_apart: text.four_apart.unwrap_or(usual.four_apart),
        four_apart_count: text.four_apart_count.unwrap_or(usual.four_apart_count),
        ..usual
    };
    strands.build()
}

fn solid(material: &Material) -> shapes::Solid {
    shapes::Solid {
        mass: material.mass.unwrap_or(Mass::Total(1.0)),
        stiffness: material.stretch,
        ..shapes::Solid::default()
    }
}

fn build_lattice(
    source: &Source,
    text: &LatticeText,
    material: &Material,
    start: usize,
) -> Result<Model, Error> {
    let field = match (text.animal.as_deref(), text.parts.is_empty()) {
        (Some("hippo"), true) => shapes::animals::hippo(),
        (Some("frog"), true) => shapes::animals::frog(),
        (Some("dog"), true) => shapes::animals::dog(),
        (Some(other), true) => {
            let remedy = suggest(other, &["hippo", "frog", "dog"], "the animals are");
            return Err(source.bad(start, "animal", format!("{other:?}"), &remedy));
        }
        (None, false) => {
            let parts = text.parts.iter().map(|p| field_part(source, p, start)).collect::<Result<_, _>>()?;
            Implicit::Union { parts, blend: text.blend.unwrap_or(0.0) }
        }
        _ => return Err(source.error(start, "a solid needs an animal or parts", "give one of them")),
    };
    let mesh = match (text.particles, text.cell) {
        (Some(particles), None) => field.with_particles(particles)?,
        (None, Some(cell)) => field.lattice(cell)?,
        _ => return Err(source.error(start, "a solid needs `particles` or `cell`", "give one of them")),
    };
    solid(material).build(&mesh.positions, &mesh.tets)
}

/// A part of an implicit solid.
fn field_part(source: &Source, text: &ShapeText, start: usize) -> Result<Implicit, Error> {
    if let (Some(capsule), None, None) = (&text.capsule, &text.sphere, &text.cuboid) {
        let ends = [capsule.from, capsule.to].map(DVec3::from_array);
        let radii = [capsule.radius, capsule.radius_to.unwrap_or(capsule.radius)];
        return Ok(Implicit::Capsule { ends, radii });
    }
    match source.shape(text, start)? {
        Shape::Sphere { centre, radius } => Ok(Implicit::Sphere { centre, radius }),
        Shape::Box { centre, size, .. } => Ok(Implicit::Box { centre, half: 0.5 * size }),
        other => {
            let remedy = "parts are sphere, box or capsule";
            Err(source.error(start, format!("a part cannot be {other:?}"), remedy))
        }
    }
}

/// Multiply masses and stiffnesses of part of a body.
fn apply_region(
    source: &Source,
    text: &RegionText,
    model: &mut Model,
    part: &Part,
    start: usize,
) -> Result<(), Error> {
    let selection = Selection {
        names: &part.names,
        attributes: &part.attributes,
        positions: &model.rest,
        cuboid: text.cuboid,
        at: text.at.as_deref(),
        indices: text.indices.as_deref(),
        attribute: text.attribute.as_deref(),
    };
    let fail = |(key, value, remedy): (&str, String, String)| source.bad(start, key, value, &remedy);
    let weights = selection.weights().map_err(fail)?;
    let factor = |f: Option<f64>, w: f64| 1.0 + w * (f.unwrap_or(1.0) - 1.0);
    for (mass, &w) in model.masses.iter_mut().zip(&weights) {
        *mass *= factor(text.mass, w);
    }
    // A spring counts with the smaller weight of its ends.
    for s in &mut model.springs {
        let (a, b) = s.ab();
        s.stiffness *= factor(text.stiffness, weights[a].min(weights[b]));
    }
    model.validate()
}

/// Scale, then rotate, then move: rest pose and rest lengths together.
fn pose(source: &Source, text: &BodyText, model: &mut Model, start: usize) -> Result<(), Error> {
    let scale = text.scale.unwrap_or(1.0);
    if !(scale > 0.0 && scale.is_finite()) {
        return Err(source.bad(start, "scale", scale, "must be positive and finite"));
    }
    let position = source.vector("position", text.position.unwrap_or_default())?;
    source.vector("rotation", text.rotation.unwrap_or_default())?;
    let map =
        DAffine3::from_scale_rotation_translation(DVec3::splat(scale), rotation(text.rotation), position);
    if text.rotation.is_some() || scale != 1.0 {
        model.rest.iter_mut().for_each(|p| *p = map.transform_point3(*p));
    } else {
        model.rest.iter_mut().for_each(|p| *p += position);
    }
    model.springs.iter_mut().for_each(|s| s.rest_length *= scale);
    Ok(())
}

/// A small repeatable generator (splitmix64) for perturbations.
struct Noise(u64);

impl Noise {
    /// Each coordinate uniform in [−1, 1).
    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl Source<'_> {
    /// A mesh from a file inside the scene's folder.
    fn mesh(&self, file: &str, start: usize) -> Result<mesh_io::Mesh, Error> {
        let Some(folder) = self.folder else {
            let remedy = "scenes without a folder cannot name files";
            return Err(self.bad(start, "file", format!("{file:?}"), remedy));
        };
        let path = mesh_io::inside_folder(folder, file).map_err(|e| match e {
            Error::File { problem, remedy, .. } => {
                self.bad(start, "file", format!("{file:?}"), &format!("{problem}; {remedy}"))
            }
            other => other,
        })?;
        mesh_io::read(path)
    }
}
