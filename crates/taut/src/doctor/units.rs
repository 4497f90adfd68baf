//! Numbers that suggest another unit was meant: centimetres, grams, milliseconds.
//!
//! The bounds are on human quantities and wide: from a thread to a circus tent, from gauze to lead, from asteroids'
//! gravity up. Per body; its own weight stretches it by about `M g L / Σ k r²` of its length L (exact for a chain
//! hung at one end, up to a factor of direction for sheets and solids).

use super::{Finding, Severity, short};
use crate::{Model, bounds};

pub(super) fn examine(model: &Model, h: f64, out: &mut Vec<Finding>) {
    time_step(h, out);
    gravity(model.gravity.length(), out);
    for body in 0..model.body_count() {
        let name = model.body_name(body);
        let [low, high] = bounds::extent(model.particles_of(body).map(|i| model.rest[i]));
        let size = (high - low).length();
        let mass = model.particles_of(body).map(|i| model.masses[i]).sum();
        lengths(name, size, out);
        if model.bodies.get(body).is_some_and(|body| body.solid) {
            continue;
        }
        density(model, body, mass, out);
        weight(model, body, mass, size, out);
    }
}

fn warn(out: &mut Vec<Finding>, what: String, remedy: impl Into<String>) {
    out.push(Finding::new(Severity::Warning, what, remedy));
}

fn time_step(h: f64, out: &mut Vec<Finding>) {
    let value = short(h);
    if !(h > 0.0 && h.is_finite()) {
        let remedy = "must be a positive number of seconds, for example 0.0333";
        out.push(Finding::new(Severity::Error, format!("the time step is {value} s"), remedy));
    } else if h > 0.5 {
        let (what, seconds) = (format!("the time step is {value} s"), short(h / 1000.0));
        warn(
            out,
            what,
            format!("did you mean milliseconds (h = {seconds}) or frames per second (h = 1/{value})?"),
        );
    } else if h < 1e-6 {
        let remedy = "a second would take over a million steps: use a longer step with an implicit method";
        warn(out, format!("the time step is {value} s"), remedy);
    }
}

fn gravity(g: f64, out: &mut Vec<Finding>) {
    if g == 0.0 || (1.0..=30.0).contains(&g) {
        return;
    }
    let remedy = match g {
        g if (1.0..=30.0).contains(&(g / 100.0)) => "that is in cm/s²: write 9.81",
        g if (1.0..=30.0).contains(&(g / 1000.0)) => "that is in mm/s²: write 9.81",
        g if (1.0..=30.0).contains(&(g * 1000.0)) => "that is in km/s²: write 9.81",
        _ => "on Earth it is 9.81 m/s²; write 0 for none",
    };
    warn(out, format!("gravity is {} m/s²", short(g)), remedy);
}

fn lengths(body: &str, size: f64, out: &mut Vec<Finding>) {
    let what = format!("body `{body}` is {} m across", short(size));
    if size > 50.0 {
        // A garment is one or two metres across: 50 to 500 centimetres, or 500 and more millimetres.
        let (unit, scale) = if size > 500.0 { ("millimetres", 0.001) } else { ("centimetres", 0.01) };
        warn(out, what, format!("did you mean metres? Its numbers look like {unit}: scale = {scale}"));
    } else if size > 0.0 && size < 1e-3 {
        warn(out, what, "did you mean metres? It may have been scaled down twice: scale = 1000");
    }
}

fn density(model: &Model, body: usize, mass: f64, out: &mut Vec<Finding>) {
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| model.rest[i as usize]);
        (b - a).cross(c - a).length() / 2.0
    };
    let volume = |t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|i| model.rest[i as usize]);
        ((b - a).cross(c - a).dot(d - a) / 6.0).abs()
    };
    let (extent, bounds, unit) = if model.tets_of(body).next().is_none() {
        let area = model.triangles_of(body).map(|i| area(&model.triangles[i])).sum::<f64>();
        (area, [0.01, 10.0], "m²")
    } else {
        let volume = model.tets_of(body).map(|i| volume(&model.tets[i])).sum::<f64>();
        (volume, [1.0, 30_000.0], "m³")
    };
    let density = mass / extent;
    if extent == 0.0 || (bounds[0]..=bounds[1]).contains(&density) {
        return;
    }
    let what = format!("body `{}` weighs {} kg/{unit}", model.body_name(body), short(density));
    let [low, high] = bounds.map(short);
    let guess = if density > bounds[1] {
        "if its mass is in grams, multiply it by 0.001; if its lengths are too small, scale them"
    } else {
        "if its lengths are in centimetres, scale = 0.01; if its mass is too small, multiply it by 1000"
    };
    warn(out, what, format!("ordinary materials have {low} to {high} kg/{unit}: {guess}"));
}

fn weight(model: &Model, body: usize, mass: f64, size: f64, out: &mut Vec<Finding>) {
    let springs = model.springs_of(body).map(|i| &model.springs[i]);
    let tension: f64 = springs.map(|s| s.stiffness * s.rest_length * s.rest_length).sum();
    let pull = mass * model.gravity.length() * size;
    if pull == 0.0 || tension == 0.0 {
        return;
    }
    let stretch = pull / tension;
    let name = model.body_name(body);
    let what = format!("hung up, body `{name}` would stretch by about {} %", short(100.0 * stretch));
    if stretch > 1.0 {
        warn(
            out,
            what,
            "stiffness is in N/m and mass in kg: raise the stiffness, or multiply the mass by 0.001 if it is in grams",
        );
    } else if stretch < 1e-9 {
        warn(out, what, "stiffness is in N/m: a thousandth of it would look the same and cost less");
    }
}
