//! Springs, triangles, tets and connections that look broken, named by index.
//!
//! Shapes are judged in the rest pose, stretch and inversion in the given pose, always by ratios: a spring against the
//! median rest length, a triangle by longest edge over smallest height, a tet by `6√2 V/l³` (1 if regular, l its
//! longest edge). The thresholds are chosen so that lattices and ordinary scans pass.

use super::{Finding, Severity, short};
use crate::energy::length;
use crate::linear::Components;
use crate::{Model, State};
use glam::DVec3;

/// Rounding of positions, in lengths of the median spring, from which forces are visibly noisy.
const UNRESOLVED: f64 = 1e-6;
/// Rest length over the median below which a spring is tiny.
const TINY: f64 = 0.02;
/// Longest edge over smallest height above which a triangle is a needle.
const NEEDLE: f64 = 100.0;
/// Quality below which a tet is flat.
const FLAT: f64 = 1e-3;

pub(super) fn examine(model: &Model, state: &State, out: &mut Vec<Finding>) {
    for oddity in model.oddities() {
        let what = format!("{}, the first is number {}", oddity.what, oddity.first);
        out.push(Finding::new(Severity::Warning, what, oddity.remedy));
    }
    springs(model, state, out);
    triangles(model, out);
    tets(model, state, out);
    connections(model, state, out);
}

/// What is worst among many elements of a kind: how many, and the index and value of the worst.
#[derive(Default)]
struct Worst {
    count: usize,
    index: usize,
    badness: f64,
}

impl Worst {
    /// Of the elements whose badness exceeds `bound`.
    fn of(badness: impl Iterator<Item = f64>, bound: f64) -> Worst {
        badness.enumerate().filter(|&(_, b)| b > bound).fold(Worst::default(), |w, (index, badness)| {
            let more = w.count == 0 || badness > w.badness;
            let (index, badness) = if more { (index, badness) } else { (w.index, w.badness) };
            Worst { count: w.count + 1, index, badness }
        })
    }

    /// Warn if there are any; `describe` gets the index and badness of the worst.
    fn warn(
        self,
        out: &mut Vec<Finding>,
        element: &str,
        describe: impl Fn(usize, f64) -> String,
        remedy: &str,
    ) {
        if self.count == 0 {
            return;
        }
        let what = describe(self.index, self.badness);
        let what = match self.count {
            1 => format!("{element} {} {what}", self.index),
            n => format!("{element} {} {what} (the worst of {n})", self.index),
        };
        out.push(Finding::new(Severity::Warning, what, remedy));
    }
}

/// Whether double precision tells the particles apart well enough.
fn resolution(state: &State, median: f64, out: &mut Vec<Finding>) {
    let far = state.positions.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
    let step = f64::EPSILON * far;
    if step > UNRESOLVED * median {
        let (far, step, share) = (short(far), short(step), short(step / median));
        let what = format!("{far} m from the origin positions are rounded to {step} m, {share} of an edge");
        let remedy = "move the scene nearer to the origin: subtract the same point from all its positions";
        out.push(Finding::new(Severity::Warning, what, remedy));
    }
}

fn springs(model: &Model, state: &State, out: &mut Vec<Finding>) {
    let mut rests: Vec<f64> = model.springs.iter().map(|s| s.rest_length).filter(|&r| r > 0.0).collect();
    rests.sort_by(f64::total_cmp);
    let Some(&median) = rests.get(rests.len() / 2) else {
        resolution(state, model.mean_rest_length(), out);
        return;
    };
    resolution(state, median, out);
    // Rest length zero is a choice, not a slip: such springs are linear.
    let brief = |r: f64| if r > 0.0 { median / r } else { 0.0 };
    Worst::of(model.springs.iter().map(|s| brief(s.rest_length)), 1.0 / TINY).warn(
        out,
        "spring",
        |i, _| {
            format!(
                "is tiny: rest length {} m, the median is {} m",
                short(model.springs[i].rest_length),
                short(median)
            )
        },
        "weld its ends, or mesh more evenly",
    );
    let now = |i: usize| {
        let (a, b) = model.springs[i].ab();
        length(state.positions[a] - state.positions[b])
    };
    let indices = 0..model.springs.len();
    let collapsed = |i: usize| f64::from(now(i) == 0.0 && model.springs[i].rest_length > 0.0);
    Worst::of(indices.clone().map(collapsed), 0.0).warn(
        out,
        "spring",
        |i, _| {
            format!(
                "starts without length or direction (rest length {} m)",
                short(model.springs[i].rest_length)
            )
        },
        "start its ends apart",
    );
    let stretch = |i: usize| now(i) / model.springs[i].rest_length;
    let strained = |i: usize| {
        if now(i) > 0.0 && brief(model.springs[i].rest_length) > 0.0 {
            stretch(i).max(1.0 / stretch(i))
        } else {
            0.0
        }
    };
    Worst::of(indices.map(strained), 2.0).warn(
        out,
        "spring",
        |i, _| {
            format!(
                "starts at {} times its rest length of {} m",
                short(stretch(i)),
                short(model.springs[i].rest_length)
            )
        },
        "start nearer the rest pose, or scale positions and rest lengths alike",
    );
}

fn triangles(model: &Model, out: &mut Vec<Finding>) {
    let aspect = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| model.rest[i as usize]);
        let longest = [b - a, c - b, a - c].map(DVec3::length_squared).into_iter().fold(0.0, f64::max);
        let twice_area = (b - a).cross(c - a).length();
        // Without any area at all it is an oddity of the model and reported there.
        if twice_area > 0.0 && !model.is_solid(t[0] as usize) { longest / twice_area } else { 0.0 }
    };
    Worst::of(model.triangles.iter().map(aspect), NEEDLE).warn(
        out,
        "triangle",
        |_, aspect| format!("is a needle: {} times longer than high", short(aspect)),
        "collapse its short edge, or mesh more evenly",
    );
}

/// Signed volume, six times \[m³\].
fn volume(x: &[DVec3], t: &[u32; 4]) -> f64 {
    let [a, b, c, d] = t.map(|i| x[i as usize]);
    (b - a).cross(c - a).dot(d - a)
}

fn tets(model: &Model, state: &State, out: &mut Vec<Finding>) {
    let flatness = |t: &[u32; 4]| {
        let corners = t.map(|i| model.rest[i as usize]);
        let edges = (0..4).flat_map(|i| (0..i).map(move |j| corners[i].distance(corners[j])));
        let longest = edges.fold(0.0, f64::max);
        let volume = volume(&model.rest, t).abs();
        if volume > 0.0 { longest.powi(3) / (std::f64::consts::SQRT_2 * volume) } else { 0.0 }
    };
    Worst::of(model.tets.iter().map(flatness), 1.0 / FLAT).warn(
        out,
        "tet",
        |_, flatness| format!("is flat: its volume is 1/{} of a regular tet's", short(flatness)),
        "remove slivers, or mesh the solid again",
    );
    // What most tets of a body have.
    let mut signs = vec![0.0; model.body_count()];
    let sign = |t: &[u32; 4]| {
        let volume = volume(&model.rest, t);
        if volume == 0.0 { 0.0 } else { volume.signum() }
    };
    model.tets.iter().for_each(|t| signs[model.tag(t[0] as usize)] += sign(t));
    let against = |t: &[u32; 4]| f64::from(sign(t) * signs[model.tag(t[0] as usize)] < 0.0);
    Worst::of(model.tets.iter().map(against), 0.0).warn(
        out,
        "tet",
        |_, _| "is numbered against the rest of its body".into(),
        "swap two of its corners, or look whether it was meant to be inside out",
    );
    let turned = |t: &[u32; 4]| f64::from(volume(&model.rest, t) * volume(&state.positions, t) < 0.0);
    let remedy = match model.blocks.is_empty() {
        true => {
            "springs cannot tell it from its mirror image and will not turn it back: start it as in the rest pose"
        }
        false => "elements turn it back with force, springs not at all: start it as in the rest pose",
    };
    Worst::of(model.tets.iter().map(turned), 0.0).warn(out, "tet", |_, _| "starts inside out".into(), remedy);
}

fn connections(model: &Model, state: &State, out: &mut Vec<Finding>) {
    let springs = model.springs.iter().map(|s| s.ends);
    let parts = Components::new(model.particles(), springs.chain(model.bonds()));
    let mut sizes = vec![0; parts.count];
    let mut held = vec![false; parts.count];
    for (i, &part) in parts.of.iter().enumerate() {
        sizes[part as usize] += 1;
        held[part as usize] |= state.filters[i].is_pinned();
    }
    let torn = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| parts.of[i as usize]);
        f64::from((a != b || b != c) && !model.is_solid(t[0] as usize))
    };
    Worst::of(model.triangles.iter().map(torn), 0.0).warn(
        out,
        "triangle",
        |i, _| format!("joins particles {:?} that no chain of springs connects", model.triangles[i]),
        "add springs along its edges, or remove it: nothing holds it together",
    );
    for body in 0..model.body_count() {
        // Parts of a single particle are reported as particles without a spring.
        let mut own: Vec<usize> = model.particles_of(body).map(|i| parts.of[i] as usize).collect();
        own.sort_unstable();
        own.dedup();
        own.retain(|&p| sizes[p] > 1);
        pieces(model, body, &own, &sizes, out);
        let first = |part: usize| parts.of.iter().position(|&p| p as usize == part).unwrap_or(0);
        let loose: Vec<usize> = own.iter().copied().filter(|&p| !held[p]).collect();
        if !loose.is_empty() && loose.len() < own.len() {
            let what = format!(
                "{} of the {} connected parts of body `{}` have no pin and will fall; the first holds particle {}",
                loose.len(),
                own.len(),
                model.body_name(body),
                first(loose[0])
            );
            out.push(Finding::new(
                Severity::Warning,
                what,
                "pin them as well, or make them a body of their own",
            ));
        }
    }
}

/// A surface or solid is usually meant to be in one piece; strands are not.
fn pieces(model: &Model, body: usize, own: &[usize], sizes: &[usize], out: &mut Vec<Finding>) {
    let strands = model.triangles_of(body).chain(model.tets_of(body)).next().is_none();
    if own.len() < 2 || strands {
        return;
    }
    let mut counts: Vec<usize> = own.iter().map(|&p| sizes[p]).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let shown: Vec<String> = counts.iter().take(5).map(usize::to_string).collect();
    let more = if counts.len() > 5 { ", ..." } else { "" };
    let (name, shown) = (model.body_name(body), shown.join(", "));
    let what = format!("body `{name}` is in {} pieces of {shown}{more} particles", counts.len());
    out.push(Finding::new(Severity::Warning, what, "if it should be one, weld vertices that coincide"));
}
