//! NumPy arrays out: new, read-only, C-contiguous, and never changed afterwards.

use crate::error::setting;
use crate::input::short;
use glam::DVec3;
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// An (m, 3) array of vectors.
pub fn vectors<'py>(py: Python<'py>, list: &[DVec3]) -> Bound<'py, PyArray2<f64>> {
    table::<3, f64>(py, bytemuck::cast_slice(list))
}

/// An (m, N) array.
pub fn table<'py, const N: usize, T: Element + Copy>(
    py: Python<'py>,
    rows: &[[T; N]],
) -> Bound<'py, PyArray2<T>> {
    let array = PyArray2::<T>::zeros(py, [rows.len(), N], false);
    let mut own = array.readwrite();
    own.as_slice_mut().expect("it is new").copy_from_slice(rows.as_flattened());
    own.make_nonwriteable();
    array
}

/// An (m,) array.
pub fn list<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    let array = values.into_pyarray(py);
    array.readwrite().make_nonwriteable();
    array
}

/// An (n, m, 3) array; each part has m rows.
pub fn film<'py>(
    py: Python<'py>,
    [frames, particles]: [usize; 2],
    part: impl Fn(usize) -> Vec<[f32; 3]>,
) -> Bound<'py, PyArray3<f32>> {
    let array = PyArray3::<f32>::zeros(py, [frames, particles, 3], false);
    let mut own = array.readwrite();
    let all = own.as_slice_mut().expect("it is new");
    for (frame, out) in all.chunks_exact_mut((3 * particles).max(1)).enumerate() {
        out.copy_from_slice(part(frame).as_flattened());
    }
    own.make_nonwriteable();
    array
}

/// Write vectors into an array of the user's.
pub fn fill(out: &Bound<'_, PyAny>, list: &[DVec3]) -> PyResult<()> {
    if let Ok(array) = out.cast::<PyArray2<f64>>() {
        return write(out, array, list, |v| v.to_array());
    }
    if let Ok(array) = out.cast::<PyArray2<f32>>() {
        return write(out, array, list, |v| v.to_array().map(|c| c as f32));
    }
    let remedy = format!("must be a float64 or float32 array of the shape ({}, 3)", list.len());
    setting("out", short(out), remedy)
}

fn write<T: Element + Copy>(
    out: &Bound<'_, PyAny>,
    array: &Bound<'_, PyArray2<T>>,
    list: &[DVec3],
    row: impl Fn(&DVec3) -> [T; 3],
) -> PyResult<()> {
    let Ok(mut own) = array.try_readwrite() else {
        return setting("out", short(out), "cannot be written to: make a copy");
    };
    let mut own = own.as_array_mut();
    if own.shape() != [list.len(), 3] {
        let found = format!("an array of shape {:?}", own.shape());
        return setting("out", found, format!("must have the shape ({}, 3)", list.len()));
    }
    for (mut to, from) in own.rows_mut().into_iter().zip(list) {
        to.iter_mut().zip(row(from)).for_each(|(to, from)| *to = from);
    }
    Ok(())
}
