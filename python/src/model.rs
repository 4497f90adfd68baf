//! Models from arrays.

use crate::error::{Raise, setting};
use crate::{input, tables};
use pyo3::prelude::*;
use taut::collision::Obstacle;
use taut::scene::{Table, Value};
use taut::{Family, Method, Model, Settings, Spring};

/// What a model is made of, as it was given.
pub struct Given<'a, 'py> {
    pub rest: &'a Bound<'py, PyAny>,
    pub masses: &'a Bound<'py, PyAny>,
    pub springs: &'a Bound<'py, PyAny>,
    pub stiffness: &'a Bound<'py, PyAny>,
    pub rest_lengths: Option<&'a Bound<'py, PyAny>>,
    pub families: Option<&'a Bound<'py, PyAny>>,
    pub triangles: Option<&'a Bound<'py, PyAny>>,
    pub tets: Option<&'a Bound<'py, PyAny>>,
}

impl Given<'_, '_> {
    pub fn model(&self) -> PyResult<Model> {
        let rest = input::vectors("rest", self.rest, None)?;
        let ends = input::rows::<2>("springs", self.springs)?;
        let far = |[a, b]: [u32; 2]| match (rest.get(a as usize), rest.get(b as usize)) {
            (Some(a), Some(b)) => a.distance(*b),
            // The model is refused with its number.
            _ => 1.0,
        };
        let stiffness = input::each("stiffness", self.stiffness, ends.len())?;
        let lengths = match self.rest_lengths {
            Some(given) => input::each("rest_lengths", given, ends.len())?,
            None => ends.iter().map(|&ends| far(ends)).collect(),
        };
        let families = self.families.map(|given| families(given, ends.len())).transpose()?;
        let spring = |(n, &[a, b]): (usize, &[u32; 2])| Spring {
            family: families.as_ref().map_or(Family::Stretch, |all| all[n]),
            ..Spring::new(a, b, lengths[n], stiffness[n])
        };
        Ok(Model {
            masses: input::each("masses", self.masses, rest.len())?,
            springs: ends.iter().enumerate().map(spring).collect(),
            triangles: self.triangles.map_or(Ok(Vec::new()), |given| input::rows("triangles", given))?,
            tets: self.tets.map_or(Ok(Vec::new()), |given| input::rows("tets", given))?,
            rest,
            ..Model::default()
        })
    }
}

/// Families by their words or numbers.
fn families(given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Family>> {
    let list: Vec<Bound<'_, PyAny>> = match given.try_iter() {
        Ok(each) => each.collect::<PyResult<_>>()?,
        Err(_) => return setting("families", input::short(given), format!("must be a list of {count}")),
    };
    if list.len() != count {
        return setting("families", list.len(), format!("one is needed for each of the {count} springs"));
    }
    let one = |given: &Bound<'_, PyAny>| match given.str()?.to_str()? {
        "stretch" | "0" => Ok(Family::Stretch),
        "shear" | "1" => Ok(Family::Shear),
        "bend" | "2" => Ok(Family::Bend),
        _ => setting("families", input::short(given), "must be stretch, shear or bend, or 0, 1 or 2"),
    };
    list.iter().map(one).collect()
}

/// Settings with this method, a word or a dict.
pub fn settings(method: Option<&Bound<'_, PyAny>>, time_step: f64) -> PyResult<Settings> {
    let usual = Settings::new(Method::default(), time_step);
    let Some(method) = method else { return Ok(usual) };
    let changes = Table::from_iter([("method".to_string(), tables::value("method", method)?)]);
    usual.changed(&changes).raise()
}

/// Solids as in a scene's `[[solid]]` tables.
pub fn solids(given: Option<&Bound<'_, PyAny>>, model: &Model) -> PyResult<Vec<Obstacle>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let list = match tables::value("solids", given)? {
        Value::Array(list) => list,
        _ => return setting("solids", input::short(given), "must be a list of dicts"),
    };
    let table = |(n, one): (usize, Value)| match one {
        Value::Table(table) => Ok(table),
        other => setting(
            &format!("solids.{n}"),
            format!("{other:?}"),
            "must be a dict, like {\"ground\": {\"height\": 0.0}}",
        ),
    };
    let all = list.into_iter().enumerate().map(table).collect::<PyResult<Vec<_>>>()?;
    Obstacle::from_tables(&all, model).raise()
}
