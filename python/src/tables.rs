//! Dicts as tables of a scene, and objects of the library as dicts.

use crate::error::setting;
use crate::input::short;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyMapping, PyString};
use taut::scene::{Table, Value};

/// A dict as a table. `name` is what it is, for errors.
pub fn table(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Table> {
    let Ok(mapping) = given.cast::<PyMapping>() else {
        return setting(name, short(given), "must be a dict");
    };
    let mut table = Table::new();
    for pair in mapping.items()?.iter() {
        let (key, one): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let Ok(key) = key.extract::<String>() else {
            return setting(name, short(&key), "keys must be text");
        };
        let path = format!("{name}.{key}");
        table.insert(key, value(path.strip_prefix("scene.").unwrap_or(&path), &one)?);
    }
    Ok(table)
}

/// A dict without what is None, in the dicts of it as well.
pub fn given<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let own = PyDict::new(dict.py());
    for (key, value) in dict.iter().filter(|(_, value)| !value.is_none()) {
        match value.cast::<PyDict>() {
            Ok(inner) => own.set_item(key, given(inner)?)?,
            Err(_) => own.set_item(key, value)?,
        }
    }
    Ok(own)
}

/// A value of a scene.
pub fn value(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if given.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(given.extract()?));
    }
    if given.is_instance_of::<PyInt>() {
        return match given.extract::<i64>() {
            Ok(number) => Ok(Value::Integer(number)),
            Err(_) => setting(name, short(given), "must be below 2^63"),
        };
    }
    if given.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(given.extract()?));
    }
    if given.is_instance_of::<PyString>() {
        return Ok(Value::String(given.extract()?));
    }
    if given.cast::<PyMapping>().is_ok() && given.hasattr("keys")? {
        return Ok(Value::Table(table(name, given)?));
    }
    // NumPy's numbers and arrays.
    if given.hasattr("tolist")? {
        return value(name, &given.call_method0("tolist")?);
    }
    if given.hasattr("__fspath__")? {
        return Ok(Value::String(given.call_method0("__fspath__")?.extract()?));
    }
    if given.is_none() || !given.hasattr("__len__")? {
        let remedy = "must be a number, text, True or False, a list or a dict";
        return setting(name, short(given), remedy);
    }
    let each = given.try_iter()?.enumerate().map(|(n, one)| value(&format!("{name}.{n}"), &one?));
    Ok(Value::Array(each.collect::<PyResult<_>>()?))
}

/// A JSON object as Python has it.
pub fn object<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

/// A dict as JSON.
pub fn json(name: &str, given: &Bound<'_, PyAny>) -> PyResult<serde_json::Value> {
    let value = value(name, given)?;
    Ok(converted(&value))
}

fn converted(value: &Value) -> serde_json::Value {
    match value {
        Value::String(text) => text.clone().into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Boolean(yes) => (*yes).into(),
        Value::Datetime(time) => time.to_string().into(),
        Value::Array(list) => list.iter().map(converted).collect(),
        Value::Table(table) => table.iter().map(|(key, value)| (key.clone(), converted(value))).collect(),
    }
}

/// A dict of plain values.
pub fn dict<'py>(py: Python<'py>, pairs: &[(&str, f64)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    pairs.iter().try_for_each(|(key, value)| dict.set_item(key, value))?;
    Ok(dict)
}
