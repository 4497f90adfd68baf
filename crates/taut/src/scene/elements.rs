//! Bodies of elements: measured numbers instead of springs.
//!
//! A material means elements: `fabric`, `warp`, `weft`, `skew`, `rigidity`, `direction`, `limit` of a surface, `material`,
//! `young`, `poisson` of a solid; a solid of which nothing is said is rubber. The numbers of springs mean springs.
//! `elements = true` or `false` overrides.

use super::fabric::{Fabric, SOLIDS, Solid};
use super::generate::Material;
use super::place::Source;
use super::text::BodyText;
use crate::mesh_io::Mesh;
use crate::shapes::{Mass, Surface, bending};
use crate::words::suggest;
use crate::{Block, Error, Limit, Membrane, Model};
use glam::{DQuat, DVec3};
use serde::Deserialize;

/// How far a surface of elements stretches and shrinks before it becomes stiffer.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StretchText {
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub stiffness: Option<f64>,
}

/// One rigidity, or those of warp and weft.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "rigidity must be a number [N*m], or a list of two, [warp, weft]")]
pub(super) enum RigidityText {
    Both(f64),
    Each([f64; 2]),
}

impl RigidityText {
    /// Along warp and weft \[N·m\].
    pub fn each(self) -> [f64; 2] {
        match self {
            RigidityText::Both(rigidity) => [rigidity; 2],
            RigidityText::Each(each) => each,
        }
    }
}

/// What a body of elements is made of.
pub(super) enum Elements {
    /// Warp, weft and shear [N/m], rigidities \[N·m\], the direction of the warp if it is given.
    Sheet { stiffness: [f64; 3], rigidity: [f64; 2], direction: Option<DVec3>, limit: Option<Limit> },
    /// Young's modulus \[Pa\] and Poisson's ratio.
    Solid { young: f64, poisson: f64 },
}

/// A key that is given, with its value.
type Given = (&'static str, String);

/// Keys of springs, of surfaces of elements and of solids of elements: those that are given.
fn given(text: &BodyText) -> [Vec<Given>; 3] {
    let number = |key, value: Option<f64>| value.map(|value| (key, value.to_string()));
    let word = |key, value: &Option<String>| value.as_ref().map(|value| (key, format!("{value:?}")));
    let springs = [
        number("stretch", text.stretch),
        number("shear", text.shear),
        number("bend", text.bend),
        number("bending", text.bending),
        word("springs", &text.springs),
        word("model", &text.model),
    ];
    let sheet = [
        number("warp", text.warp),
        number("weft", text.weft),
        number("skew", text.skew),
        text.rigidity.map(|each| ("rigidity", format!("{:?}", each.each()))),
        text.direction.map(|direction| ("direction", format!("{direction:?}"))),
        text.limit
            .map(|limit| ("limit", format!("{:?}", [limit.low, limit.high].map(Option::unwrap_or_default)))),
    ];
    let solid =
        [word("material", &text.material), number("young", text.young), number("poisson", text.poisson)];
    [
        springs.into_iter().flatten().collect(),
        sheet.into_iter().flatten().collect(),
        solid.into_iter().flatten().collect(),
    ]
}

/// Whether a body is made of elements, if it is a solid or if it is not.
fn wanted(text: &BodyText, solid: bool) -> bool {
    let [springs, sheet, _] = given(text);
    let material = solid || text.fabric.is_some() || !sheet.is_empty();
    text.elements.unwrap_or(springs.is_empty() && text.strands.is_none() && material)
}

/// What a body is made of if it is a solid of elements: the material it names, or rubber.
pub(super) fn bulk(source: &Source, text: &BodyText, start: usize) -> Result<Option<&'static Solid>, Error> {
    let found = match &text.material {
        Some(name) => SOLIDS.iter().find(|solid| solid.name == name).ok_or_else(|| {
            let names: Vec<&str> = SOLIDS.iter().map(|solid| solid.name).collect();
            let remedy = suggest(name, &names, "the materials of solids are");
            source.bad(start, "material", format!("{name:?}"), &remedy)
        })?,
        None => &SOLIDS[1],
    };
    Ok(wanted(text, true).then_some(found))
}

/// Replace the springs of a body by elements, if its keys say so.
pub(super) fn build(
    source: &Source,
    text: &BodyText,
    material: &Material,
    (model, mesh): (Model, Option<&Mesh>),
    start: usize,
) -> Result<Model, Error> {
    let solid = !model.tets.is_empty();
    refuse(source, text, solid, start)?;
    if !wanted(text, solid) {
        return Ok(model);
    }
    if text.strands.is_some() {
        let remedy = "strands are made of springs: leave it out";
        return Err(source.bad(start, "elements", true, remedy));
    }
    let elements = match material.bulk.filter(|_| solid) {
        Some(usual) => Elements::Solid {
            young: text.young.unwrap_or(usual.young),
            poisson: text.poisson.unwrap_or(usual.poisson),
        },
        None => of_sheet(source, text, material.fabric, start)?,
    };
    match elements {
        Elements::Sheet { stiffness, rigidity, direction, limit } => {
            sheet(source, text, (model, mesh), (stiffness, rigidity, direction, limit), start)
        }
        Elements::Solid { young, poisson } => {
            let block = |&corners: &[u32; 4]| Block::isotropic(corners, young, poisson);
            let blocks: Result<_, _> = model.tets.iter().map(block).collect();
            let blocks = blocks.map_err(|e| source.refused(start, e))?;
            Ok(Model { springs: Vec::new(), blocks, ..model })
        }
    }
}

/// Keys that contradict each other, or the shape.
fn refuse(source: &Source, text: &BodyText, solid: bool, start: usize) -> Result<(), Error> {
    let [springs, sheet, bulk] = given(text);
    let bad = |(key, value): &Given, remedy: &str| Err(source.bad(start, key, value, remedy));
    if let Some(key) = sheet.first().filter(|_| solid || text.strands.is_some()) {
        return bad(
            key,
            "only surfaces have a weave: a solid takes material, young and poisson, strands springs",
        );
    }
    if let Some(key) = bulk.first().filter(|_| !solid) {
        return bad(key, "only solids take it: a surface takes fabric, warp, weft, skew and rigidity");
    }
    let measured = sheet.first().or(bulk.first());
    match (text.elements, measured, springs.first()) {
        (_, Some(own), Some((other, _))) => {
            bad(own, &format!("it makes elements, but {other} makes springs: give numbers of one kind"))
        }
        (Some(true), None, Some(other)) => bad(other, "it makes springs, but elements = true: leave one out"),
        (Some(false), Some(own), _) => bad(own, "it makes elements, but elements = false: leave one out"),
        _ => Ok(()),
    }
}

fn of_sheet(
    source: &Source,
    text: &BodyText,
    fabric: Option<&Fabric>,
    start: usize,
) -> Result<Elements, Error> {
    let Some(warp) = text.warp.or(fabric.map(|f| f.warp)) else {
        let remedy = "give the stiffness of a surface of elements: warp [N/m], or a fabric";
        return Err(source.error(start, "this body of elements has no stiffness", remedy));
    };
    let weft = text.weft.or(fabric.map(|f| f.weft)).unwrap_or(warp);
    let skew = text.skew.or(fabric.map(|f| f.skew)).unwrap_or(0.5 * warp.min(weft));
    let rigidity = match text.rigidity {
        None => fabric.map_or([0.0; 2], |f| f.rigidity),
        Some(given) => given.each(),
    };
    source.positive(start, "warp", warp)?;
    source.positive(start, "weft", weft)?;
    let all = [("skew", skew), ("rigidity", rigidity[0]), ("rigidity", rigidity[1])];
    if let Some((key, value)) = all.into_iter().find(|(_, v)| !(*v >= 0.0 && v.is_finite())) {
        return Err(source.bad(start, key, value, "must be zero or more and finite"));
    }
    for (key, value, own) in [("warp", warp, text.warp), ("weft", weft, text.weft)] {
        if value < 2.0 * skew {
            let key = if own.is_some() { key } else { "skew" };
            let value = if own.is_some() { value } else { skew };
            let remedy = "warp and weft must be at least twice skew, the stiffness in shear: a spring between would \
                          push where it is pulled";
            return Err(source.bad(start, key, value, remedy));
        }
    }
    let direction = text.direction.map(|d| source.vector(start, "direction", d)).transpose()?;
    if direction == Some(DVec3::ZERO) {
        return Err(source.bad(start, "direction", DVec3::ZERO, "must have a length"));
    }
    if text.limit.is_some_and(|limit| limit.low.or(limit.high).is_none()) {
        return Err(source.bad(
            start,
            "limit",
            "{}",
            "give low or high, the stretch it begins at: high = 1.05",
        ));
    }
    let limit = text.limit.map(|limit| Limit {
        low: limit.low.unwrap_or(0.0),
        high: limit.high.unwrap_or(f64::MAX),
        stiffness: limit.stiffness.unwrap_or(10.0 * warp.max(weft)),
    });
    Ok(Elements::Sheet { stiffness: [warp, weft, skew], rigidity, direction, limit })
}

/// Membranes and bending; a particle weighs what is around it.
fn sheet(
    source: &Source,
    text: &BodyText,
    (model, mesh): (Model, Option<&Mesh>),
    (stiffness, rigidity, direction, limit): ([f64; 3], [f64; 2], Option<DVec3>, Option<Limit>),
    start: usize,
) -> Result<Model, Error> {
    let refused = |e| source.refused(start, e);
    let mass = Mass::Total(model.masses.iter().sum());
    let plain = Surface { mass, stretch: 0.0, bend: 0.0, ..Surface::default() };
    let mut made = plain.build(&model.rest, &model.triangles).map_err(refused)?;
    let usual = if text.grid.is_some() { DVec3::Z } else { DVec3::X };
    let looks = mesh.filter(|_| direction.is_none()).map(Mesh::looks).unwrap_or_default();
    let warp_of = |t: &[u32; 3]| {
        let corners = t.map(|i| model.rest[i as usize]);
        let woven = looks.get(t).and_then(|look| upwards(corners, look.uvs?));
        direction.or(woven).unwrap_or_else(|| along(usual, corners))
    };
    let warps: Vec<DVec3> = model.triangles.iter().map(warp_of).collect();
    let [warp, weft, shear] = stiffness;
    let cell = |(&corners, &direction)| Membrane { corners, direction, warp, weft, shear, area: 0.0, limit };
    made.membranes = model.triangles.iter().zip(&warps).map(cell).collect();
    if rigidity != [0.0; 2] {
        made.links =
            bending(&made.rest, &made.triangles, &warps, rigidity).map_err(|e| named(source, start, e))?;
    }
    made.validate().map_err(|e| named(source, start, e))?;
    Ok(made)
}

/// Multiply stiffnesses by a factor of the particles of each element.
pub(super) fn stiffen(model: &mut Model, factor: impl Fn(&[u32]) -> f64) {
    for one in &mut model.membranes {
        let factor = factor(&one.corners);
        [&mut one.warp, &mut one.weft, &mut one.shear].into_iter().for_each(|k| *k *= factor);
    }
    for one in &mut model.blocks {
        let factor = factor(&one.corners);
        [&mut one.shear, &mut one.volume].into_iter().for_each(|k| *k *= factor);
    }
    for link in &mut model.links {
        let corners: Vec<u32> = link.weights.iter().map(|&(i, _)| i).collect();
        link.stiffness *= factor(&corners);
    }
}

/// Turn and scale a body of elements. Stiffness per length and per area stay; weights of bending are per length.
pub(super) fn pose(model: &mut Model, rotation: DQuat, scale: f64) {
    model.membranes.iter_mut().for_each(|one| one.direction = rotation * one.direction);
    for link in &mut model.links {
        link.weights.iter_mut().for_each(|(_, weight)| *weight /= scale);
        link.weave.iter_mut().for_each(|weave| weave.warp = rotation * weave.warp);
    }
}

/// What the engine refused of an element: the key is that of the direction, if that was the trouble.
fn named(source: &Source, start: usize, e: Error) -> Error {
    match &e {
        Error::Model { problem, .. } if problem.contains("normal") => source.bad(start, "direction", e, ""),
        _ => source.refused(start, e),
    }
}

/// Where the second texture coordinate grows and the first does not; `None` if they do not say.
fn upwards([a, b, c]: [DVec3; 3], [p, q, r]: [[f64; 2]; 3]) -> Option<DVec3> {
    let ([s, t], [u, v]) = ([q[0] - p[0], q[1] - p[1]], [r[0] - p[0], r[1] - p[1]]);
    let way = (s * (c - a) - u * (b - a)) * (s * v - t * u).signum();
    (s * v - t * u != 0.0 && way.is_finite()).then_some(way).filter(|way| *way != DVec3::ZERO)
}

/// The usual direction of the warp in a triangle: `usual`, but upwards where the triangle faces that way.
fn along(usual: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    if normal.dot(usual).abs() < FACING { usual } else { DVec3::Y }
}

/// Cosine between a direction and the normal of a triangle above which the direction means little.
const FACING: f64 = 0.99;
