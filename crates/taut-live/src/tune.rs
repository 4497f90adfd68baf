//! Settings by the keys of a scene.

use crate::command::numbers;
use glam::DVec3;
use serde_json::{Value, json};
use taut::collision::Level;
use taut::{Edit, Ending, Error, Family, Method, Settings, Simulation};

/// Families of springs by their keys.
pub const FAMILIES: [(&str, Family); 3] =
    [("stretch", Family::Stretch), ("shear", Family::Shear), ("bend", Family::Bend)];

/// The edit that gives a key a value. `stiffness`: the factors of the families so far, which it changes.
pub fn edit(
    key: &str,
    value: &Value,
    simulation: &Simulation,
    stiffness: &mut [f64; 3],
) -> Result<Edit, Error> {
    match key {
        "gravity" => Ok(Edit::Gravity(vector(key, value)?)),
        "wind" => Ok(Edit::Wind(vector(key, value)?)),
        _ => match key.strip_prefix("stiffness.") {
            Some(family) => stiff(key, family, number(key, value)?, simulation, stiffness),
            None => settings(key, value, simulation.settings()).map(|new| Edit::Settings(Box::new(new))),
        },
    }
}

fn stiff(
    key: &str,
    family: &str,
    factor: f64,
    simulation: &Simulation,
    stiffness: &mut [f64; 3],
) -> Result<Edit, Error> {
    let Some(number) = FAMILIES.iter().position(|(name, _)| *name == family) else {
        return Err(Error::setting(
            key,
            factor,
            "is none of stiffness.stretch, stiffness.shear, stiffness.bend",
        ));
    };
    if !(1e-6..=1e6).contains(&factor) {
        return Err(Error::setting(key, factor, "must be between 1e-6 and 1e6 times that of the scene"));
    }
    let springs = &simulation.model().springs;
    let own = |&i: &usize| springs[i].family == FAMILIES[number].1;
    let springs = (0..springs.len()).filter(own).collect();
    let edit = Edit::Stiffness { springs, factor: factor / stiffness[number] };
    edit.check(simulation.model())?;
    stiffness[number] = factor;
    Ok(edit)
}

/// The settings with one of them changed.
fn settings(key: &str, value: &Value, old: &Settings) -> Result<Settings, Error> {
    let mut new = old.clone();
    match key {
        "method" => {
            new.method = word(key, value)?.parse()?;
            if new.method.check_scheme(new.scheme).is_err() {
                new.scheme = Default::default();
            }
        }
        "iterations" | "tolerance" | "budget" => ending(key, value, &mut new.method)?,
        "accuracy" => {
            let kept = new.method.stop_mut().map(|stop| stop.iterations);
            let accuracy = Some(number(key, value)?);
            new.method = old.method.ending(Ending { accuracy, iterations: kept, ..Ending::default() })?;
        }
        "scheme" => new.scheme = word(key, value)?.parse()?,
        "precision" => new.precision = word(key, value)?.parse()?,
        "time_step" => new.time_step = number(key, value)?,
        "damping.material" => new.damping.material = number(key, value)?,
        "damping.ether" => new.damping.ether = number(key, value)?,
        "damping.rigid" => new.damping.rigid = number(key, value)?,
        "damping.drag" => new.damping.drag = number(key, value)?,
        "conserve" => new.conserve = number(key, value)?,
        "contact.level" => new.contact.level = word(key, value)?.parse::<Level>()?,
        _ => return Err(Error::setting("set", format!("{key:?}"), "is no setting that can be changed here")),
    }
    new.validate()?;
    Ok(new)
}

/// What ends a step; each wish leaves the others alone.
fn ending(key: &str, value: &Value, method: &mut Method) -> Result<(), Error> {
    let whole = || {
        let found = value.as_u64().filter(|n| (1..=1_000_000).contains(n));
        found.ok_or_else(|| Error::setting(key, value, "must be a whole number from 1 to a million"))
    };
    let name = method.name();
    if let Some(settings) = method.imex_mut().filter(|_| key != "budget") {
        match key {
            "iterations" => settings.newton = whole()? as usize,
            _ => settings.tolerance = number(key, value)?,
        }
    } else if let Some(stop) = method.stop_mut() {
        match key {
            "iterations" => stop.iterations = whole()? as usize,
            "tolerance" => stop.tolerance = number(key, value)?,
            _ if value.is_null() => stop.budget = None,
            _ => stop.budget = Some(number(key, value)?),
        }
    } else {
        return Err(Error::setting(key, value, format!("{name} does not use this setting")));
    }
    Ok(())
}

fn number(key: &str, value: &Value) -> Result<f64, Error> {
    let found = value.as_f64().filter(|x| x.is_finite());
    found.ok_or_else(|| Error::setting(key, value, "must be a finite number"))
}

fn word<'a>(key: &str, value: &'a Value) -> Result<&'a str, Error> {
    value.as_str().ok_or_else(|| Error::setting(key, value, "must be a word"))
}

fn vector(key: &str, value: &Value) -> Result<DVec3, Error> {
    let found = numbers::<3>(value).map(DVec3::from);
    found.ok_or_else(|| Error::setting(key, value, "must be three finite numbers"))
}

/// All settings as an object.
pub fn object(simulation: &Simulation, stiffness: &[f64; 3]) -> Value {
    let (settings, model) = (simulation.settings(), simulation.model());
    let mut method = settings.method.clone();
    let stop = method.stop_mut().copied();
    let imex = method.imex_mut().map(|imex| (imex.newton, imex.tolerance));
    let iterations = stop.map(|stop| stop.iterations).or(imex.map(|imex| imex.0));
    let damping = settings.damping;
    json!({
        "method": settings.method.name(), "iterations": iterations,
        "tolerance": stop.map(|stop| stop.tolerance).or(imex.map(|imex| imex.1)),
        "accuracy": stop.map(|stop| stop.accuracy), "budget": stop.and_then(|stop| stop.budget),
        "scheme": settings.scheme.name(), "precision": settings.precision.name(),
        "time_step": settings.time_step, "conserve": settings.conserve,
        "gravity": model.gravity.to_array(), "wind": model.air.wind.to_array(), "air": model.air.density,
        "damping": { "material": damping.material, "ether": damping.ether, "rigid": damping.rigid,
            "drag": damping.drag },
        "contact": settings.contact.level.name(),
        "stiffness": { "stretch": stiffness[0], "shear": stiffness[1], "bend": stiffness[2] },
    })
}
