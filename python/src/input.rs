//! What users give: numbers, arrays, and which particles. What would lose something on the way is refused.

use crate::error::setting;
use glam::DVec3;
use numpy::{
    PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PySlice};

/// Anything as an array of f64 numbers in C order, of any shape.
fn numbers<'py>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    let array = array_of(name, given)?;
    let (kind, size) = (array.dtype().kind(), array.dtype().itemsize());
    if !b"fiu".contains(&kind) || (kind == b'f' && size > 8) {
        return setting(
            name,
            format!("an array of {}", array.dtype()),
            "must be real numbers that fit into float64: convert it first",
        );
    }
    let module = given.py().import("numpy")?;
    let same = module.call_method1("ascontiguousarray", (&array, "float64"))?;
    // A single number becomes a list of one there.
    let same = if array.ndim() == 0 { same.call_method1("reshape", ((),))? } else { same };
    Ok(same.cast_into::<PyArrayDyn<f64>>()?.readonly())
}

fn array_of<'py>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,));
    match array.and_then(|array| Ok(array.cast_into::<PyUntypedArray>()?)) {
        Ok(array) => Ok(array),
        Err(_) => setting(name, short(given), "must be an array, or a list of rows that are equally long"),
    }
}

/// The beginning of how Python writes it.
pub fn short(given: &Bound<'_, PyAny>) -> String {
    let text = given.repr().map_or_else(|_| "something".into(), |text| text.to_string());
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 60 { line } else { line.chars().take(60).chain(['…']).collect() }
}

fn shape(shape: &[usize]) -> String {
    let all: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("an array of shape ({}{})", all.join(", "), if all.len() == 1 { "," } else { "" })
}

/// Vectors, as many as there are or as `count` says.
pub fn vectors(name: &str, given: &Bound<'_, PyAny>, count: Option<usize>) -> PyResult<Vec<DVec3>> {
    let array = numbers(name, given)?;
    let fits = matches!(array.shape(), [rows, 3] if count.is_none_or(|count| *rows == count));
    if !fits {
        let rows = count.map_or("n".to_string(), |count| count.to_string());
        return setting(name, shape(array.shape()), format!("must have the shape ({rows}, 3)"));
    }
    Ok(bytemuck::cast_slice::<f64, [f64; 3]>(array.as_slice()?).iter().map(|&v| v.into()).collect())
}

/// One vector.
pub fn vector(name: &str, given: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    let array = numbers(name, given)?;
    match array.as_slice()? {
        &[x, y, z] if array.shape().len() == 1 => Ok(DVec3::new(x, y, z)),
        _ => setting(name, shape(array.shape()), "must be three numbers"),
    }
}

/// So many numbers of one vector each.
pub fn tuple<const N: usize>(name: &str, given: &Bound<'_, PyAny>) -> PyResult<[f64; N]> {
    let array = numbers(name, given)?;
    match <[f64; N]>::try_from(array.as_slice()?) {
        Ok(found) if array.shape().len() == 1 => Ok(found),
        _ => setting(name, shape(array.shape()), format!("must be {N} numbers")),
    }
}

/// Triangles in space.
pub fn corners(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<[DVec3; 3]>> {
    let array = numbers(name, given)?;
    if !matches!(array.shape(), [_, 3, 3]) {
        return setting(
            name,
            shape(array.shape()),
            "must have the shape (n, 3, 3): corners of triangles [m]",
        );
    }
    let all = bytemuck::cast_slice::<f64, [[f64; 3]; 3]>(array.as_slice()?);
    Ok(all.iter().map(|t| t.map(DVec3::from)).collect())
}

/// One number for each of `count`, or one for all of them.
pub fn each(name: &str, given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<f64>> {
    let array = numbers(name, given)?;
    match array.shape() {
        [] => Ok(vec![array.as_slice()?[0]; count]),
        &[own] if own == count => Ok(array.as_slice()?.to_vec()),
        other => setting(name, shape(other), format!("must be one number, or have the shape ({count},)")),
    }
}

/// A finite number.
pub fn number(name: &str, given: &Bound<'_, PyAny>) -> PyResult<f64> {
    match given.extract::<f64>() {
        Ok(number) if !given.is_instance_of::<PyBool>() => Ok(number),
        _ => setting(name, short(given), "must be a number"),
    }
}

/// A whole number, at least `least`.
pub fn whole(name: &str, given: &Bound<'_, PyAny>, least: u64) -> PyResult<u64> {
    match given.extract::<u64>() {
        Ok(number) if number >= least && !given.is_instance_of::<PyBool>() => Ok(number),
        _ => setting(name, short(given), format!("must be a whole number, {least} or more")),
    }
}

/// Rows of N indices.
pub fn rows<const N: usize>(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; N]>> {
    let array = array_of(name, given)?;
    if array.len() == 0 {
        return Ok(Vec::new());
    }
    if array.shape().len() != 2 || array.shape()[1] != N {
        return setting(name, shape(array.shape()), format!("must have the shape (n, {N})"));
    }
    let flat = whole_numbers(name, &array)?;
    let narrow = |&i: &i64| match u32::try_from(i) {
        Ok(i) => Ok(i),
        Err(_) => setting(name, i, "must be numbers of particles, counted from 0"),
    };
    let flat = flat.iter().map(narrow).collect::<PyResult<Vec<u32>>>()?;
    Ok(flat.as_chunks().0.to_vec())
}

/// Whole numbers of any integer type, in C order.
pub fn whole_numbers(name: &str, array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<i64>> {
    let py = array.py();
    let numpy = py.import("numpy")?;
    match array.dtype().kind() {
        b'i' => {
            let same = numpy.call_method1("ascontiguousarray", (array, "int64"))?;
            Ok(same.cast_into::<PyArrayDyn<i64>>()?.readonly().as_slice()?.to_vec())
        }
        b'u' => {
            let same = numpy.call_method1("ascontiguousarray", (array, "uint64"))?;
            let same = same.cast_into::<PyArrayDyn<u64>>()?;
            Ok(same.readonly().as_slice()?.iter().map(|&i| i64::try_from(i).unwrap_or(i64::MAX)).collect())
        }
        _ => setting(name, format!("an array of {}", array.dtype()), "must be whole numbers"),
    }
}

/// Which of `count` things: an int, a slice, an array of indices or a mask. Negative ones count from the end.
pub fn indices(name: &str, given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<usize>> {
    if let Ok(slice) = given.cast::<PySlice>() {
        let Ok(range) = slice.indices(count as isize) else {
            return setting(name, short(given), "must be a slice of whole numbers, with a step other than 0");
        };
        let at = |n: usize| (range.start + n as isize * range.step) as usize;
        return Ok((0..range.slicelength).map(at).collect());
    }
    let remedy = "must be an int, a slice, an array of indices or a mask of booleans";
    if given.is_instance_of::<PyBool>() {
        return setting(name, short(given), remedy);
    }
    let array = array_of(name, given)?;
    let numbers = match (array.dtype().kind(), array.shape()) {
        (b'b', &[own]) if own == count => {
            let mask = given.py().import("numpy")?.call_method1("ascontiguousarray", (&array,))?;
            let mask = mask.cast_into::<PyArrayDyn<bool>>()?.readonly();
            return Ok((0..count)
                .zip(mask.as_slice()?)
                .filter_map(|(i, &chosen)| chosen.then_some(i))
                .collect());
        }
        (b'b', other) => {
            return setting(name, shape(other), format!("a mask must have the shape ({count},)"));
        }
        (b'i' | b'u', [] | [_]) => whole_numbers(name, &array)?,
        (_, [0]) => Vec::new(),
        (b'i' | b'u', other) => return setting(name, shape(other), remedy),
        _ => return setting(name, short(given), remedy),
    };
    let one = |&i: &i64| {
        let own = if i < 0 { i + count as i64 } else { i };
        match usize::try_from(own) {
            Ok(own) if own < count => Ok(own),
            _ => setting(name, i, format!("there are only {count}, counted from 0")),
        }
    };
    numbers.iter().map(one).collect()
}
