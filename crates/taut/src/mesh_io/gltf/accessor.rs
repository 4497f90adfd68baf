//! The numbers of an accessor: of any type, plain or normalized, with or without gaps, whole or sparse.

use super::super::cursor::{Cursor, short};
use super::super::numbers::{Encoding, Type};
use super::Reader;
use super::document::{Accessor, BufferView, Packed};
use crate::Error;

/// Problem and remedy.
type Refusal = (String, &'static str);

impl Reader<'_> {
    /// SCALAR, VEC2, ...
    pub fn shape(&self, accessor: u32) -> Option<&str> {
        self.document.accessors.get(accessor as usize).map(|a| a.shape.as_ref())
    }

    /// All numbers of an accessor of one of some shapes, each element costing so many bytes of the budget.
    pub fn numbers(&self, number: u32, shapes: &[&str], cost: u64) -> Result<Vec<f64>, Error> {
        let fail = |(problem, remedy): Refusal| {
            Error::file(self.file, None, format!("accessor {number} {problem}"), remedy)
        };
        let Some(accessor) = self.document.accessors.get(number as usize) else {
            let problem = format!("is used, but there are {}", self.document.accessors.len());
            return Err(fail((problem, "accessors count from 0")));
        };
        if !shapes.contains(&accessor.shape.as_ref()) {
            let problem =
                format!("is \"{}\" where {} should be", short(&accessor.shape), shapes.join(" or "));
            return Err(fail((problem, "positions are VEC3, texture coordinates VEC2, indices SCALAR")));
        }
        let arity = ["SCALAR", "VEC2", "VEC3", "VEC4"].iter().position(|s| *s == &*accessor.shape);
        let arity = arity.map_or(1, |n| n + 1);
        let stored = stored(accessor.component_type).map_err(fail)?;
        let count = accessor.count;
        let found = match accessor.buffer_view {
            Some(view) => {
                Some(self.elements(view, accessor.byte_offset, count, arity * stored.size()).map_err(fail)?)
            }
            None => None,
        };
        self.charge(count, cost)?;
        let mut numbers = vec![0.0; count as usize * arity];
        if let Some((bytes, stride)) = found {
            for (i, element) in numbers.chunks_exact_mut(arity).enumerate() {
                self.element(&bytes[i * stride..], stored, element)?;
            }
        }
        self.replace(accessor, stored, arity, &mut numbers).map_err(fail)?;
        if accessor.normalized {
            numbers.iter_mut().for_each(|x| *x = normalized(stored, *x));
        }
        Ok(numbers)
    }

    /// Put the values of a sparse accessor in their places.
    fn replace(
        &self,
        accessor: &Accessor,
        stored: Type,
        arity: usize,
        numbers: &mut [f64],
    ) -> Result<(), Refusal> {
        let Some(sparse) = &accessor.sparse else { return Ok(()) };
        let packed = |p: &Packed, size| self.elements(p.buffer_view, p.byte_offset, sparse.count, size);
        let index = self::stored(sparse.indices.component_type)?;
        let (places, step) = packed(&sparse.indices, index.size())?;
        let (values, stride) = packed(&sparse.values, arity * stored.size())?;
        let unread = |e: Error| (e.to_string(), "");
        for i in 0..sparse.count as usize {
            let mut place = [0.0];
            self.element(&places[i * step..], index, &mut place).map_err(unread)?;
            if !(place[0] >= 0.0 && place[0] < accessor.count as f64) {
                let problem = format!("replaces element {}, but there are {}", place[0], accessor.count);
                return Err((problem, "sparse indices count from 0"));
            }
            let target = &mut numbers[place[0] as usize * arity..][..arity];
            self.element(&values[i * stride..], stored, target).map_err(unread)?;
        }
        Ok(())
    }

    /// The numbers of one element.
    fn element(&self, bytes: &[u8], stored: Type, numbers: &mut [f64]) -> Result<(), Error> {
        let mut cursor = Cursor::new(self.file, bytes, Encoding::Little);
        numbers.iter_mut().try_for_each(|x| cursor.value(stored, "a number").map(|value| *x = value))
    }

    /// The bytes of a view, if its buffer has them.
    pub fn bytes(&self, view: &BufferView) -> Option<&[u8]> {
        part(self.buffers.get(view.buffer)?, view.byte_offset, view.byte_length)
    }

    /// The bytes from the first of `count` elements on, sure to hold all of them, and how far apart elements are.
    fn elements(&self, view: u32, offset: u64, count: u64, size: usize) -> Result<(&[u8], usize), Refusal> {
        let Some(view) = self.document.buffer_views.get(view as usize) else {
            let problem =
                format!("uses buffer view {view}, but there are {}", self.document.buffer_views.len());
            return Err((problem, "buffer views count from 0"));
        };
        let stride = view.byte_stride.map_or(size, |s| s as usize);
        if stride < size {
            return Err((format!("has a stride of {stride} bytes for {size}"), "elements must not overlap"));
        }
        let bytes = self.bytes(view).and_then(|b| b.get(usize::try_from(offset).ok()?..));
        let gaps = count.saturating_sub(1) as u128;
        let needed = if count == 0 { 0 } else { gaps * stride as u128 + size as u128 };
        match bytes {
            Some(bytes) if needed <= bytes.len() as u128 => Ok((bytes, stride)),
            _ => {
                let problem = format!("needs {needed} bytes, more than its buffer has");
                Err((problem, "correct the count, or fetch the whole file"))
            }
        }
    }
}

/// The number type of a component type.
fn stored(component: u32) -> Result<Type, Refusal> {
    match component {
        5120 => Ok(Type::I8),
        5121 => Ok(Type::U8),
        5122 => Ok(Type::I16),
        5123 => Ok(Type::U16),
        5125 => Ok(Type::U32),
        5126 => Ok(Type::F32),
        other => Err((format!("has the component type {other}"), "it must be 5120 to 5123, 5125 or 5126")),
    }
}

/// The number that a normalized integer stands for: its greatest is 1, and -1 the least of those with a sign.
fn normalized(stored: Type, x: f64) -> f64 {
    match stored {
        Type::I8 => (x / 127.0).max(-1.0),
        Type::U8 => x / 255.0,
        Type::I16 => (x / 32767.0).max(-1.0),
        Type::U16 => x / 65535.0,
        _ => x,
    }
}

fn part(bytes: &[u8], start: u64, length: u64) -> Option<&[u8]> {
    let (start, length) = (usize::try_from(start).ok()?, usize::try_from(length).ok()?);
    bytes.get(start..start.checked_add(length)?)
}
