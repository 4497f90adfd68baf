//! What varies: a grid of values, or cases one by one.

use crate::Error;
use crate::math::{exp, ln};
use crate::scene::{Table, Value};
use std::collections::BTreeSet;

/// The keys of a scene that a case replaces, and their values.
pub type Parameters = Vec<(String, Value)>;

/// Most cases of a sweep: beyond, it is a slip of the pen.
const MOST: usize = 1_000_000;

/// Every combination of the values of some keys, the last key varying fastest. Values are a list, or
/// `{ from, to, count }` with `spacing = "log"` if their logarithms are to be equally far apart.
pub fn grid(vary: &Table) -> Result<Vec<Parameters>, Error> {
    let mut found: Vec<Parameters> = vec![Vec::new()];
    for (key, given) in vary {
        let values = values(key, given)?;
        if found.len().saturating_mul(values.len()) > MOST {
            return Err(Error::setting("vary", key, format!("makes more than {MOST} cases")));
        }
        let with =
            |case: &Parameters, value: &Value| [case.as_slice(), &[(key.clone(), value.clone())]].concat();
        found = found.iter().flat_map(|case| values.iter().map(move |value| with(case, value))).collect();
    }
    Ok(if vary.is_empty() { Vec::new() } else { found })
}

/// Cases one by one.
pub fn cases(tables: &[Table]) -> Vec<Parameters> {
    tables.iter().map(|table| table.iter().map(|(k, v)| (k.clone(), v.clone())).collect()).collect()
}

fn values(key: &str, given: &Value) -> Result<Vec<Value>, Error> {
    let refuse = |value: &str, remedy: &str| Err(Error::setting(format!("vary.{key}"), value, remedy));
    let wanted = "must be a list, or { from = 1.0, to = 10.0, count = 5, spacing = \"log\" }";
    match given {
        Value::Array(list) if list.is_empty() => refuse("[]", "give at least one value"),
        Value::Array(list) => Ok(list.clone()),
        Value::Table(range) => {
            let known: BTreeSet<&str> = ["from", "to", "count", "spacing"].into();
            if let Some(odd) = range.keys().find(|key| !known.contains(key.as_str())) {
                return refuse(odd, wanted);
            }
            let number = |key: &str| {
                let value = range.get(key)?;
                value.as_float().or(value.as_integer().map(|n| n as f64)).filter(|x| x.is_finite())
            };
            let count =
                range.get("count").and_then(Value::as_integer).filter(|n| (2..=MOST as i64).contains(n));
            let (Some(from), Some(to), Some(count)) = (number("from"), number("to"), count) else {
                return refuse("a table", wanted);
            };
            let part = |n: i64| n as f64 / (count - 1) as f64;
            let even = |n: i64| from + (to - from) * part(n);
            let log = |n: i64| match n {
                0 => from,
                n if n == count - 1 => to,
                n => exp(ln(from) + (ln(to) - ln(from)) * part(n)),
            };
            match range.get("spacing").map_or(Some("even"), Value::as_str) {
                Some("even") => Ok((0..count).map(|n| Value::Float(even(n))).collect()),
                Some("log") if from > 0.0 && to > 0.0 => {
                    Ok((0..count).map(|n| Value::Float(log(n))).collect())
                }
                Some("log") => refuse("from or to", "must be positive for logarithms"),
                _ => refuse("spacing", "must be \"even\" or \"log\""),
            }
        }
        _ => refuse("a value", wanted),
    }
}

/// Parameters as an object.
pub fn object(case: &Parameters) -> serde_json::Value {
    case.iter().map(|(key, value)| (key.clone(), plain(value))).collect()
}

pub fn plain(value: &Value) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or(serde_json::Value::Null)
}
