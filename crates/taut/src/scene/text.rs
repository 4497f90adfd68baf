//! The scene file as it is written: one struct per TOML table. Unknown keys are errors.
//!
//! `docs/scene-reference.md` (the annotated `scenes/reference.toml`) is the manual; these structs are its source.
//! Lengths in m, masses in kg, times in s, stiffness in N/m, angles in degrees, Y up.

use super::elements::{RigidityText, StretchText};
use super::event::EventText;
use super::join::{AttachmentText, SeamText};
use serde::Deserialize;
use toml::Spanned;

/// A vector as written: `[x, y, z]`.
pub(super) type Vector = [f64; 3];

/// A whole scene.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SceneText {
    pub title: Option<String>,
    pub description: Option<String>,
    pub duration: Option<f64>,
    pub frames_per_second: Option<f64>,
    pub time_step: Option<f64>,
    pub gravity: Option<Vector>,
    pub air: Option<Spanned<AirText>>,
    pub damping: Option<Spanned<DampingText>>,
    pub method: Option<Spanned<MethodText>>,
    pub limit: Option<Spanned<LimitText>>,
    pub contact: Option<Spanned<ContactText>>,
    pub tear: Option<Spanned<TearText>>,
    #[serde(default)]
    pub body: Vec<Spanned<BodyText>>,
    #[serde(default)]
    pub pin: Vec<Spanned<PinText>>,
    #[serde(default)]
    pub seam: Vec<Spanned<SeamText>>,
    #[serde(default)]
    pub attachment: Vec<Spanned<AttachmentText>>,
    #[serde(default)]
    pub event: Vec<Spanned<EventText>>,
    #[serde(default)]
    pub solid: Vec<Spanned<ShapeText>>,
    pub camera: Option<Spanned<CameraText>>,
    pub output: Option<Spanned<OutputText>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AirText {
    pub wind: Option<Vector>,
    pub density: Option<f64>,
    pub drag: Option<f64>,
    pub lift: Option<f64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DampingText {
    pub ether: Option<f64>,
    pub rigid: Option<f64>,
    pub drag: Option<f64>,
    pub material: Option<f64>,
    pub conserve: Option<f64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MethodText {
    pub name: Option<String>,
    pub iterations: Option<usize>,
    pub tolerance: Option<f64>,
    pub accuracy: Option<f64>,
    pub budget: Option<f64>,
    pub linear_solver: Option<String>,
    pub preconditioner: Option<String>,
    pub decompose: Option<bool>,
    pub guess: Option<bool>,
    pub scheme: Option<String>,
    pub precision: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitText {
    pub stretch: Option<f64>,
    pub shear: Option<f64>,
    pub bend: Option<f64>,
    pub passes: Option<usize>,
    pub order: Option<String>,
    pub correct_velocity: Option<bool>,
    pub speed: Option<f64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContactText {
    pub level: Option<String>,
    pub pinch: Option<String>,
    pub rounds: Option<u32>,
}

/// Where something tears.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TearText {
    pub strain: Option<f64>,
    pub spread: Option<f64>,
    pub seed: Option<u64>,
    pub most: Option<u32>,
}

/// A body: exactly one of `grid`, `strands`, `mesh`, `solid`, `dress`, then its material and pose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyText {
    pub name: Option<String>,
    pub grid: Option<GridText>,
    pub strands: Option<StrandsText>,
    pub mesh: Option<MeshText>,
    pub solid: Option<LatticeText>,
    pub dress: Option<DressText>,

    pub fabric: Option<String>,
    pub mass: Option<f64>,
    pub density: Option<f64>,
    pub stretch: Option<f64>,
    pub shear: Option<f64>,
    pub bend: Option<f64>,
    pub bending: Option<f64>,
    pub springs: Option<String>,
    pub model: Option<String>,

    pub elements: Option<bool>,
    pub warp: Option<f64>,
    pub weft: Option<f64>,
    pub skew: Option<f64>,
    pub rigidity: Option<RigidityText>,
    pub direction: Option<Vector>,
    pub limit: Option<StretchText>,
    pub material: Option<String>,
    pub young: Option<f64>,
    pub poisson: Option<f64>,

    pub pressure: Option<f64>,
    pub volume: Option<f64>,
    pub inflate: Option<f64>,

    pub thickness: Option<f64>,
    pub friction: Option<f64>,
    pub collide: Option<bool>,
    pub self_collide: Option<bool>,
    pub tear: Option<TearText>,

    pub position: Option<Vector>,
    pub rotation: Option<Vector>,
    pub scale: Option<f64>,
    pub velocity: Option<Vector>,
    pub perturbation: Option<f64>,
    pub seed: Option<u64>,
    pub colour: Option<u8>,
    #[serde(default)]
    pub region: Vec<Spanned<RegionText>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GridText {
    pub columns: usize,
    pub rows: usize,
    pub width: f64,
    pub height: f64,
    pub diagonals: Option<String>,
    #[serde(default)]
    pub closed: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StrandsText {
    pub columns: usize,
    pub rows: usize,
    pub spacing: f64,
    pub direction: Option<Vector>,
    pub particles: usize,
    pub length: f64,
    pub stiffness: Option<f64>,
    pub two_apart: Option<f64>,
    pub three_apart: Option<f64>,
    pub four_apart: Option<f64>,
    pub four_apart_count: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MeshText {
    pub file: String,
    pub up: Option<String>,
}

/// A dress for a walker of some height.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DressText {
    pub height: Option<f64>,
    pub skirt: Option<f64>,
    pub flare: Option<f64>,
}

/// A solid filled with tetrahedra: an animal by name, or parts blended together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LatticeText {
    pub animal: Option<String>,
    #[serde(default)]
    pub parts: Vec<ShapeText>,
    pub blend: Option<f64>,
    pub particles: Option<usize>,
    pub cell: Option<f64>,
}

/// Exactly one shape: a rigid obstacle, or (without friction, margin and turn) part of a soft body.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShapeText {
    pub ground: Option<GroundText>,
    pub sphere: Option<SphereText>,
    #[serde(rename = "box")]
    pub cuboid: Option<BoxText>,
    pub plane: Option<PlaneText>,
    pub cylinder: Option<TubeText>,
    pub capsule: Option<TubeText>,
    pub cone: Option<ConeText>,
    pub torus: Option<TorusText>,
    pub mesh: Option<SolidMeshText>,
    pub friction: Option<f64>,
    pub margin: Option<f64>,
    pub turn: Option<TurnText>,
    #[serde(rename = "move")]
    pub movement: Option<MoveText>,

    pub name: Option<String>,
    pub thickness: Option<f64>,
    pub position: Option<Vector>,
    pub rotation: Option<Vector>,
    pub scale: Option<f64>,
}

/// A triangle mesh that is a solid: one file, or a sequence of them, or a file and the point cache that moves it, or
/// written out, or turned on a lathe, or a person who walks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SolidMeshText {
    pub file: Option<String>,
    pub up: Option<String>,
    pub sequence: Option<String>,
    pub pc2: Option<String>,
    pub frames_per_second: Option<f64>,
    pub vertices: Option<Vec<Vector>>,
    pub faces: Option<Vec<[u32; 3]>>,
    pub lathe: Option<Vec<[f64; 2]>>,
    pub around: Option<usize>,
    pub walker: Option<WalkerText>,
}

/// A person who walks and turns.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WalkerText {
    pub height: Option<f64>,
    pub speed: Option<f64>,
    pub turn: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroundText {
    pub height: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SphereText {
    pub centre: Vector,
    pub radius: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BoxText {
    pub centre: Vector,
    pub size: Vector,
    pub rotation: Option<Vector>,
    pub rounding: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaneText {
    pub point: Vector,
    pub normal: Vector,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConeText {
    pub from: Vector,
    pub to: Vector,
    pub radius: f64,
    pub radius_to: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TorusText {
    pub centre: Vector,
    pub axis: Option<Vector>,
    pub radius: f64,
    pub tube: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TubeText {
    pub from: Vector,
    pub to: Vector,
    pub radius: f64,
    pub radius_to: Option<f64>,
}

/// Part of a body with other masses or stiffness.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RegionText {
    #[serde(rename = "box")]
    pub cuboid: Option<[Vector; 2]>,
    pub at: Option<Vec<String>>,
    pub indices: Option<Vec<usize>>,
    pub attribute: Option<String>,
    pub mass: Option<f64>,
    pub stiffness: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PinText {
    pub name: Option<String>,
    pub body: Option<String>,
    #[serde(rename = "box")]
    pub cuboid: Option<[Vector; 2]>,
    pub at: Option<Vec<String>>,
    pub indices: Option<Vec<usize>>,
    pub attribute: Option<String>,
}

/// A solid that turns about an axis; angles in degrees.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnText {
    pub about: Vector,
    pub axis: Vector,
    pub path: Vec<[f64; 2]>,
}

/// A solid that is shifted [m] and turned [degrees] over time.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MoveText {
    pub path: Option<Vec<[f64; 4]>>,
    pub turn: Option<Vec<[f64; 4]>>,
    pub about: Option<Vector>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CameraText {
    pub eye: Option<Vector>,
    pub target: Option<Vector>,
    pub azimuth: Option<f64>,
    pub elevation: Option<f64>,
    pub field_of_view: Option<f64>,
}

/// What a run writes.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OutputText {
    pub formats: Option<Vec<String>>,
    pub size: Option<[usize; 2]>,
    pub folder: Option<String>,
}
