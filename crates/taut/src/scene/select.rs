//! Choosing particles of a body: by name, box, index list or vertex attribute.

use super::text::{PinText, Vector};
use glam::DVec3;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A named pin and the particles it holds.
pub(super) struct Pin {
    pub name: String,
    pub particles: Vec<usize>,
}

/// Particles of a body, in a table of their own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartText {
    pub body: Option<String>,
    #[serde(rename = "box")]
    pub cuboid: Option<[Vector; 2]>,
    pub at: Option<Vec<String>>,
    pub indices: Option<Vec<usize>>,
    pub attribute: Option<String>,
}

/// What a table says of the particles it is about.
pub(super) struct Which<'a> {
    /// The first body if it names none.
    pub body: Option<&'a str>,
    pub cuboid: Option<[Vector; 2]>,
    pub at: Option<&'a [String]>,
    pub indices: Option<&'a [usize]>,
    pub attribute: Option<&'a str>,
}

/// The keys of a choice, of the texts that have them.
macro_rules! which {
    ($($text:ty),*) => {
        $(impl $text {
            pub fn which(&self) -> Which<'_> {
                Which {
                    body: self.body.as_deref(),
                    cuboid: self.cuboid,
                    at: self.at.as_deref(),
                    indices: self.indices.as_deref(),
                    attribute: self.attribute.as_deref(),
                }
            }
        })*
    };
}
which!(PinText, PartText);

/// What parts of a body have names.
pub(super) enum Names {
    Grid { columns: usize, rows: usize },
    Strands { particles: usize },
    None,
}

const GRID: [&str; 9] =
    ["top", "bottom", "left", "right", "top_left", "top_right", "bottom_left", "bottom_right", "centre"];
const STRANDS: [&str; 2] = ["roots", "tips"];

impl Names {
    fn known(&self) -> &'static [&'static str] {
        match self {
            Names::Grid { .. } => &GRID,
            Names::Strands { .. } => &STRANDS,
            Names::None => &[],
        }
    }

    /// Whether particle `i` belongs to the part `name`. Top is the first row, left the first column.
    fn holds(&self, name: &str, i: usize) -> bool {
        match *self {
            Names::Grid { columns, rows } => {
                let (row, column) = (i / columns, i % columns);
                let edge = |word: &str| match word {
                    "top" => row == 0,
                    "bottom" => row == rows - 1,
                    "left" => column == 0,
                    "right" => column == columns - 1,
                    "centre" => row == rows / 2 && column == columns / 2,
                    _ => false,
                };
                name.split('_').all(edge)
            }
            Names::Strands { particles } => match name {
                "roots" => i.is_multiple_of(particles),
                _ => i % particles == particles - 1,
            },
            Names::None => false,
        }
    }
}

/// A choice among the particles of one body: the union of what its keys name.
pub(super) struct Selection<'a> {
    pub names: &'a Names,
    pub attributes: &'a BTreeMap<String, Vec<f64>>,
    /// Where the particles are \[m\].
    pub positions: &'a [DVec3],
    pub cuboid: Option<[[f64; 3]; 2]>,
    pub at: Option<&'a [String]>,
    pub indices: Option<&'a [usize]>,
    pub attribute: Option<&'a str>,
}

/// Key, value, remedy of a refusal.
type Refusal = (&'static str, String, String);

impl Selection<'_> {
    /// Weight of each particle: 0 outside, 1 inside, or the attribute's own value.
    pub fn weights(&self) -> Result<Vec<f64>, Refusal> {
        let mut weights = vec![0.0; self.positions.len()];
        if let Some([lo, hi]) = self.cuboid {
            let (a, b) = (DVec3::from_array(lo), DVec3::from_array(hi));
            if a.is_nan() || b.is_nan() {
                return Err(("box", format!("[{a}, {b}]"), "give two opposite corners [m]".into()));
            }
            let (lo, hi) = (a.min(b), a.max(b));
            for (w, p) in weights.iter_mut().zip(self.positions) {
                *w = if p.cmpge(lo).all() && p.cmple(hi).all() { 1.0 } else { *w };
            }
        }
        for name in self.at.unwrap_or_default() {
            let known = self.names.known();
            if !known.contains(&name.as_str()) {
                let remedy = crate::words::suggest(name, known, "this body's named parts are");
                let remedy = if known.is_empty() {
                    "a mesh or solid has no named parts: choose by box, indices or attribute".into()
                } else {
                    remedy
                };
                return Err(("at", format!("{name:?}"), remedy));
            }
            (0..weights.len()).filter(|&i| self.names.holds(name, i)).for_each(|i| weights[i] = 1.0);
        }
        for &i in self.indices.unwrap_or_default() {
            let count = weights.len();
            let remedy = || format!("this body has {count} particles, counted from 0");
            *weights.get_mut(i).ok_or_else(|| ("indices", i.to_string(), remedy()))? = 1.0;
        }
        if let Some(name) = self.attribute {
            let known: Vec<&str> = self.attributes.keys().map(String::as_str).collect();
            let remedy = || match known.is_empty() {
                true => "this body has no vertex attributes".into(),
                false => crate::words::suggest(name, &known, "this body's vertex attributes are"),
            };
            let values =
                self.attributes.get(name).ok_or_else(|| ("attribute", format!("{name:?}"), remedy()))?;
            weights.iter_mut().zip(values).for_each(|(w, &v)| *w = v.max(*w));
        }
        Ok(weights)
    }

    /// The chosen particles; choosing none is an error.
    pub fn particles(&self) -> Result<Vec<usize>, Refusal> {
        let weights = self.weights()?;
        let chosen: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
        if chosen.is_empty() {
            let [lo, hi] = crate::bounds::extent(self.positions.iter().copied());
            let remedy = match self.cuboid {
                Some(_) => format!("the body reaches from {lo} to {hi}"),
                None => "give at, box, indices or attribute".into(),
            };
            return Err(("", "no particle is chosen here".into(), remedy));
        }
        Ok(chosen)
    }
}
