//! The model of one body in its own coordinates: generated, or built on a mesh from a file.

use super::fabric::{Fabric, Solid};
use super::place::Source;
use super::select::Names;
use super::text::{BodyText, DressText, GridText, LatticeText, ShapeText, StrandsText};
use crate::collision::Shape;
use crate::mesh_io::{self, Mesh};
use crate::shapes::{self, Diagonals, Dress, Field, Grid, Mass, Strands, Surface};
use crate::words::suggest;
use crate::{Error, Model, SpringKind};
use glam::DVec3;
use std::path::{Path, PathBuf};

/// Material numbers of a body, from its keys over its fabric over the defaults.
pub(super) struct Material {
    pub fabric: Option<&'static Fabric>,
    /// What it is of if it turns out to be a solid of elements.
    pub bulk: Option<&'static Solid>,
    pub mass: Option<Mass>,
    pub stretch: f64,
    pub shear: f64,
    pub bend: f64,
    pub kind: SpringKind,
    /// k_b [N·m²] and cap [N/m] of the Choi–Ko model, if it is that.
    pub choi_ko: Option<(f64, Option<f64>)>,
}

impl Material {
    /// Mass of a solid, if the body or its material says.
    pub fn mass_of_solid(&self) -> Option<Mass> {
        self.mass.or(self.bulk.map(|bulk| Mass::Density(bulk.density)))
    }
}

/// Keys of the material that a body of some shape would not look at, and what it takes.
struct Stray {
    keys: &'static [&'static str],
    remedy: &'static str,
}

const STRANDS: Stray = Stray {
    keys: &["fabric", "density", "stretch", "shear", "bend"],
    remedy: "strands do not use it: they take mass and springs, and inside `strands` stiffness, two_apart, three_apart \
             and four_apart",
};
const SURFACE: Stray = Stray {
    keys: &["shear"],
    remedy: "only grids have diagonals: a mesh takes stretch along its edges and bend across them",
};
const SOLID: Stray = Stray {
    keys: &["fabric", "shear", "bend", "springs"],
    remedy: "a solid does not use it: it takes material, young and poisson, or springs that are linear and all have the \
             stiffness stretch",
};

/// The body in its own coordinates, the names of its parts, the mesh it came from.
pub(super) fn shape(
    source: &Source,
    text: &BodyText,
    material: &Material,
    start: usize,
) -> Result<(Model, Names, Option<Mesh>), Error> {
    let meshes = [text.mesh.is_some(), text.solid.is_some(), text.dress.is_some()];
    let given = [&[text.grid.is_some(), text.strands.is_some()], &meshes[..]].concat();
    let count = given.iter().filter(|&&g| g).count();
    if count != 1 {
        let remedy = "give exactly one of grid, strands, mesh, solid, dress";
        return Err(source.error(start, format!("this body has {count} shapes"), remedy));
    }
    if let Some(grid) = &text.grid {
        let names = Names::Grid { columns: grid.columns, rows: grid.rows };
        return Ok((build_grid(source, grid, material, start)?, names, None));
    }
    if let Some(strands) = &text.strands {
        source.no_stray(text, start, &STRANDS)?;
        let names = Names::Strands { particles: strands.particles };
        return Ok((build_strands(source, strands, text, material, start)?, names, None));
    }
    if let Some(solid) = &text.solid {
        source.no_stray(text, start, &SOLID)?;
        return Ok((build_lattice(source, solid, material, start)?, Names::None, None));
    }
    if let Some(dress) = &text.dress {
        source.no_stray(text, start, &SURFACE)?;
        return Ok((build_dress(dress, material)?, Names::None, None));
    }
    let from = text.mesh.as_ref().expect("counted above");
    let mut mesh = source.mesh(&from.file, start)?.without_loose();
    match from.up.as_deref() {
        None | Some("y") => {}
        Some("z") => mesh.positions.iter_mut().for_each(|p| *p = DVec3::new(p.x, p.z, -p.y)),
        Some(other) => return Err(source.bad(start, "up", format!("{other:?}"), "must be \"y\" or \"z\"")),
    }
    source.no_stray(text, start, if mesh.tets.is_empty() { &SURFACE } else { &SOLID })?;
    let model = if mesh.tets.is_empty() {
        if mesh.triangles.is_empty() {
            let remedy = "it holds no triangles: export it with faces, not as points or lines";
            return Err(source.bad(start, "file", format!("{:?}", from.file), remedy));
        }
        surface(material).build(&mesh.positions, &mesh.triangles)?
    } else {
        let model = solid(material).build(&mesh.positions, &mesh.tets)?;
        // The file's own surface, which need not be the hull of its tets.
        if mesh.closed() { Model { triangles: mesh.triangles.clone(), ..model } } else { model }
    };
    Ok((model, Names::None, Some(mesh)))
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
        closed: text.closed,
        ..Grid::default()
    };
    let Some((bending, cap)) = material.choi_ko else { return grid.build() };
    let grid = grid.choi_ko(bending);
    Grid { bend: cap.unwrap_or(grid.bend), ..grid }.build()
}

fn build_strands(
    source: &Source,
    text: &StrandsText,
    body: &BodyText,
    material: &Material,
    start: usize,
) -> Result<Model, Error> {
    let (columns, rows) = (text.columns, text.rows);
    if columns == 0 || rows == 0 || columns.saturating_mul(rows) > 1 << 20 {
        let remedy = "there must be 1 to 1,048,576 strands, columns times rows";
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
        kind: material.kind,
        ..usual
    };
    strands.build()
}

fn surface(material: &Material) -> Surface {
    let mass = material.mass.unwrap_or(Mass::Density(0.2));
    let Material { stretch, bend, kind, .. } = *material;
    Surface { mass, stretch, bend, kind, ..Surface::default() }
}

fn build_dress(text: &DressText, material: &Material) -> Result<Model, Error> {
    let usual = Dress::default();
    let dress = Dress {
        height: text.height.unwrap_or(usual.height),
        skirt: text.skirt.unwrap_or(usual.skirt),
        flare: text.flare.map_or(usual.flare, f64::to_radians),
    };
    let (positions, triangles) = dress.mesh()?;
    surface(material).build(&positions, &triangles)
}

fn solid(material: &Material) -> shapes::Solid {
    shapes::Solid {
        mass: material.mass_of_solid().unwrap_or(Mass::Total(1.0)),
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
            Field::Union { parts, blend: text.blend.unwrap_or(0.0) }
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

/// A part of a solid body.
fn field_part(source: &Source, text: &ShapeText, start: usize) -> Result<Field, Error> {
    let moves = text.turn.is_some() || text.movement.is_some();
    if text.friction.or(text.margin).is_some() || moves || text.mesh.is_some() {
        let remedy = "only a [[solid]] of the scene can";
        let problem = "a part of a body cannot be a mesh or have friction, margin, turn or move";
        return Err(source.error(start, problem, remedy));
    }
    source.no_mesh_keys(text, start)?;
    if let (Some(capsule), None, None) = (&text.capsule, &text.sphere, &text.cuboid) {
        let ends = [capsule.from, capsule.to].map(DVec3::from_array);
        let radii = [capsule.radius, capsule.radius_to.unwrap_or(capsule.radius)];
        return Ok(Field::RoundCone { ends, radii });
    }
    match source.shape(text, start)? {
        shape @ (Shape::Ground { .. } | Shape::Plane { .. }) => {
            let what = format!("a part of a body cannot be a {}", shape.name());
            Err(source.error(
                start,
                what,
                "it has no end; parts are sphere, box, cylinder, capsule, cone or torus",
            ))
        }
        shape => Ok(Field::Shape(shape)),
    }
}

impl Source<'_> {
    /// A key that a body of this shape has no use for is a misunderstanding.
    fn no_stray(&self, text: &BodyText, start: usize, stray: &Stray) -> Result<(), Error> {
        let word = |word: &Option<String>| word.as_ref().map(|word| format!("{word:?}"));
        let number = |number: Option<f64>| number.map(|number| number.to_string());
        let given = [
            ("fabric", word(&text.fabric)),
            ("density", number(text.density)),
            ("stretch", number(text.stretch)),
            ("shear", number(text.shear)),
            ("bend", number(text.bend)),
            ("springs", word(&text.springs)),
        ];
        match given.into_iter().find(|(key, value)| value.is_some() && stray.keys.contains(key)) {
            Some((key, value)) => Err(self.bad(start, key, value.unwrap_or_default(), stray.remedy)),
            None => Ok(()),
        }
    }

    /// A mesh from a file inside the scene's folder, or anywhere if the scene is trusted.
    pub(super) fn mesh(&self, file: &str, start: usize) -> Result<mesh_io::Mesh, Error> {
        mesh_io::read(self.inside("file", file, start)?).map_err(|e| self.told("file", file, start, e))
    }

    /// The path of a file inside the scene's folder, or anywhere if the scene is trusted.
    pub(super) fn inside(&self, key: &str, file: &str, start: usize) -> Result<PathBuf, Error> {
        let Some(folder) = self.folder else {
            let remedy = "this scene was not read from a file, so there is no folder to look in";
            return Err(self.bad(start, key, format!("{file:?}"), remedy));
        };
        let inside = match self.trusted {
            true => Ok(folder.join(file)),
            false => mesh_io::inside_folder(folder, file),
        };
        inside.map_err(|e| match e {
            Error::File { problem, remedy, .. } => {
                let remedy = format!("{problem}; {remedy}, or give --allow-outside if you trust the scene");
                self.bad(start, key, format!("{file:?}"), &remedy)
            }
            other => other,
        })
    }

    /// What is wrong with a file that a key names. The scene's line and the file's: either may be the one to mend.
    pub(super) fn told(&self, key: &str, file: &str, start: usize, e: Error) -> Error {
        match e {
            Error::File { path: own, line, problem, remedy } => {
                let place = line.map_or(String::new(), |line| format!(":{line}"));
                // Of a sequence, which of its files.
                let own =
                    Path::new(&own).file_name().map_or(own.clone(), |n| n.to_string_lossy().into_owned());
                let named = if key == "file" { file } else { &own };
                self.bad(start, key, format!("{file:?}"), &format!("{named}{place}: {problem}; {remedy}"))
            }
            other => self.bad(start, key, format!("{file:?}"), &other.to_string()),
        }
    }
}
