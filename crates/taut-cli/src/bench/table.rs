//! Results for people (a table per row, with what must be reached beside it) and as JSON.

use super::Found;
use super::measure::{Outcome, Spread, yardstick};
use super::rows::{Aim, Row, Target, Touch, Work};
use super::scale::LIMIT;
use serde_json::{Value, json};
use std::fmt::Write;

/// Where threads are compared processor time would be the wrong clock.
fn by_wall(row: &Row) -> bool {
    matches!(row.work, Work::Threads(_) | Work::Edit(Touch::Stroke | Touch::Live, _))
}

/// What stands above all tables.
pub fn head(context: &Value) -> String {
    let text = |key: &str| context[key].as_str().unwrap_or("unknown").to_string();
    let mut out = format!(
        "taut {} ({}, {} build), kernel {}, on {}; load {}\n",
        text("taut"),
        text("commit").get(..10).unwrap_or("unknown"),
        text("profile"),
        text("kernel"),
        text("processor"),
        text("load_average")
    );
    if text("profile") != "release" {
        out += "note: this is not a release build; use `cargo run --release -- bench`\n";
    }
    match text("peers").as_str() {
        "built" => out += "peers: built from benches/peers\n",
        reason => _ = writeln!(out, "no peers: {reason}"),
    }
    if context["quick"] == true {
        out += "quick: small models, to see that it works; targets are not judged\n";
    }
    out + "ratios are time / time of taut, so above 1 taut is faster; one thread unless said\n"
}

/// One row.
pub fn row(row: &Row, found: &Found) -> String {
    match found {
        Found::Sizes(sizes) => sizes_table(row, sizes),
        Found::Race { sizes, outcomes, quick } => {
            let judged = if *quick { Vec::new() } else { targets(row, outcomes) };
            let sizes: Vec<String> = sizes.iter().map(|(what, count)| format!("{count} {what}")).collect();
            let mut out = format!("\n{}: {} ({})\n", row.name, row.what, sizes.join(", "));
            let _ =
                writeln!(out, "  {:36} {:>21}  {:>15} {:>15}", "", "minimum [ms]", "of minima", "of medians");
            let _ = writeln!(
                out,
                "  {:36} {:>10} {:>10}  {:>7} {:>7} {:>7} {:>7}",
                "ratios to taut on the right", "cpu", "wall", "cpu", "wall", "cpu", "wall"
            );
            let one = yardstick(outcomes, by_wall(row)).map(|i| &outcomes[i]);
            let mut order: Vec<&Outcome> = outcomes.iter().collect();
            if matches!(row.work, Work::Error(..)) {
                let time = |o: &Outcome| o.cpu().map_or(f64::INFINITY, |s| s.minimum);
                order.sort_by(|a, b| time(a).total_cmp(&time(b)));
            }
            order.iter().for_each(|o| line(&mut out, o, one));
            judged.iter().for_each(|t| verdict(&mut out, t));
            out
        }
    }
}

fn line(out: &mut String, o: &Outcome, one: Option<&Outcome>) {
    let (Some(cpu), Some(wall), None) = (o.cpu(), o.wall(), &o.failed) else {
        let _ = writeln!(out, "  {:36} {}", o.name, o.failed.as_deref().unwrap_or("not measured"));
        return;
    };
    let _ = write!(out, "  {:36} {:>10.3} {:>10.3} ", o.name, 1e3 * cpu.minimum, 1e3 * wall.minimum);
    ratios(o, one).iter().for_each(|(_, ratio)| _ = write!(out, " {ratio:>7.2}"));
    for key in ["iterations", "steps", "pairs", "contacts", "rounds", "zones"] {
        let count = o.facts.get(key).and_then(Value::as_f64);
        count.into_iter().for_each(|n| _ = write!(out, "  {n} {key}"));
    }
    out.push('\n');
}

/// This time over the yardstick's, by both clocks, minima then medians.
fn ratios(o: &Outcome, one: Option<&Outcome>) -> Vec<(&'static str, f64)> {
    let spreads = |o: &Outcome| Some((o.cpu()?, o.wall()?));
    let (Some((cpu, wall)), Some((c, w))) = (spreads(o), one.and_then(spreads)) else { return Vec::new() };
    vec![
        ("cpu_minimum", cpu.minimum / c.minimum),
        ("wall_minimum", wall.minimum / w.minimum),
        ("cpu_median", cpu.median / c.median),
        ("wall_median", wall.median / w.median),
    ]
}

/// What became of a target.
struct Verdict {
    against: String,
    ratio: f64,
    must: f64,
    aim: String,
    met: &'static str,
}

fn targets(row: &Row, outcomes: &[Outcome]) -> Vec<Verdict> {
    let Some(one) = yardstick(outcomes, by_wall(row)).map(|i| &outcomes[i]) else { return Vec::new() };
    let key = if by_wall(row) { 1 } else { 0 };
    let judge = |target: &Target| {
        let theirs = outcomes.iter().filter(|o| target.against.contains(&o.name.as_str()));
        let ratio = |o: &Outcome| o.failed.is_none().then(|| ratios(o, Some(one)).get(key).map(|r| r.1))?;
        let (ratio, name) =
            theirs.filter_map(|o| Some((ratio(o)?, &o.name))).min_by(|a, b| a.0.total_cmp(&b.0))?;
        let (aimed, aim) = match target.aim {
            Aim::Ratio(aim) => (ratio >= aim, format!("{aim}x")),
            Aim::Seconds(s) => {
                let wall = one.wall().map_or(f64::INFINITY, |w| w.minimum);
                (wall <= s, format!("{:.0} ms (it took {:.1})", 1e3 * s, 1e3 * wall))
            }
        };
        let met = match (ratio >= target.must, aimed) {
            (true, true) => "aim reached",
            (true, false) => "must reached",
            (false, true) => "aim reached, must missed",
            (false, false) => "missed",
        };
        let against = format!("{} against {name}", one.name);
        Some(Verdict { against, ratio, must: target.must, aim, met })
    };
    row.targets.iter().filter_map(judge).collect()
}

fn verdict(out: &mut String, v: &Verdict) {
    let Verdict { against, ratio, must, aim, met } = v;
    let _ = writeln!(out, "  {met}: {against} {ratio:.2}x; must {must}x, aim {aim}");
}

fn sizes_table(row: &Row, sizes: &[Value]) -> String {
    let mut out = format!("\n{}: {}, within {LIMIT} GiB of address space\n", row.name, row.what);
    let _ = writeln!(
        out,
        "  {:>5} {:>10} {:>10} {:>12} {:>13} {:>11} {:>9}",
        "side", "particles", "springs", "prefactor s", "iteration ms", "factor MiB", "peak MiB"
    );
    for s in sizes {
        let n = |key: &str| s[key].as_f64().unwrap_or(f64::NAN);
        let _ = match s["failed"].as_str() {
            Some(reason) => writeln!(out, "  {:>5} {reason}", n("side")),
            None => writeln!(
                out,
                "  {:>5} {:>10} {:>10} {:>12.3} {:>13.3} {:>11.1} {:>9.0}",
                n("side"),
                n("particles"),
                n("springs"),
                n("prefactor"),
                1e3 * n("iteration"),
                n("factor_mebibytes"),
                n("peak_mebibytes")
            ),
        };
    }
    out
}

/// One row as an object; with `raw` every sample too. Times in seconds per unit of work.
pub fn json(row: &Row, found: &Found, raw: bool) -> Value {
    let mut object = json!({ "name": row.name, "what": row.what });
    let (sizes, outcomes, quick) = match found {
        Found::Sizes(sizes) => {
            object["sizes"] = json!(sizes);
            return object;
        }
        Found::Race { sizes, outcomes, quick } => (sizes, outcomes, *quick),
    };
    let one = yardstick(outcomes, by_wall(row)).map(|i| &outcomes[i]);
    sizes.iter().for_each(|(what, count)| object[*what] = json!(count));
    object["yardstick"] = json!(one.map(|o| &o.name));
    object["contestants"] = outcomes.iter().map(|o| contestant(o, one, raw)).collect();
    let judged = |v: Verdict| json!({ "against": v.against, "ratio": v.ratio, "must": v.must, "aim": v.aim, "met": v.met });
    // Small models are not what targets were set for.
    let verdicts = if quick { Vec::new() } else { targets(row, outcomes) };
    object["targets"] = verdicts.into_iter().map(judged).collect();
    object
}

fn contestant(o: &Outcome, one: Option<&Outcome>, raw: bool) -> Value {
    let mut object = json!({ "name": o.name });
    if let Some(reason) = &o.failed {
        object["failed"] = json!(reason);
        return object;
    }
    object["work"] = json!(o.work);
    object["rounds"] = json!(o.samples.len());
    object["cpu"] = json!(o.cpu().map(Spread::json));
    object["wall"] = json!(o.wall().map(Spread::json));
    object["ratio"] = ratios(o, one).into_iter().map(|(k, v)| (k.to_string(), json!(v))).collect();
    object["facts"] = json!(o.facts);
    if raw {
        object["cpu_samples"] = o.samples.iter().map(|s| json!(s.cpu)).collect();
        object["wall_samples"] = o.samples.iter().map(|s| json!(s.wall)).collect();
    }
    object
}
