//! Lists in snapshots, so that reading them takes memory in proportion to their bytes, whatever those say.
//!
//! Indices are written with four bytes each, in one piece ([`serialize`], [`deserialize`]); in text as numbers. Entries that may be much
//! smaller in bytes than in memory, such as the one byte of a particle that nothing holds, are read within an allowance
//! ([`Bounded`], [`within`]).

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serializer};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

/// What a list may hold: one or several indices, each below 2³².
pub(crate) trait Indices: Sized {
    /// Indices in one.
    const COUNT: usize;
    /// Hand them over one by one.
    fn each(&self, put: impl FnMut(u32));
    /// Make one of as many as there are.
    fn from_indices(indices: impl Iterator<Item = u32>) -> Self;
}

impl Indices for u32 {
    const COUNT: usize = 1;
    fn each(&self, mut put: impl FnMut(u32)) {
        put(*self);
    }
    fn from_indices(mut indices: impl Iterator<Item = u32>) -> Self {
        indices.next().unwrap_or_default()
    }
}

impl Indices for usize {
    const COUNT: usize = 1;
    fn each(&self, mut put: impl FnMut(u32)) {
        // What was checked against a model has at most 2³² particles and springs.
        put(u32::try_from(*self).unwrap_or(u32::MAX));
    }
    fn from_indices(mut indices: impl Iterator<Item = u32>) -> Self {
        indices.next().unwrap_or_default() as usize
    }
}

impl<const N: usize> Indices for [u32; N] {
    const COUNT: usize = N;
    fn each(&self, put: impl FnMut(u32)) {
        self.iter().copied().for_each(put);
    }
    fn from_indices(mut indices: impl Iterator<Item = u32>) -> Self {
        std::array::from_fn(|_| indices.next().unwrap_or_default())
    }
}

pub(crate) fn serialize<T: Indices, S: Serializer>(list: &[T], to: S) -> Result<S::Ok, S::Error> {
    if to.is_human_readable() {
        let mut numbers = Vec::with_capacity(T::COUNT * list.len());
        list.iter().for_each(|item| item.each(|index| numbers.push(index)));
        return to.collect_seq(numbers);
    }
    let mut bytes = Vec::with_capacity(4 * T::COUNT * list.len());
    list.iter().for_each(|item| item.each(|index| bytes.extend(index.to_le_bytes())));
    to.serialize_bytes(&bytes)
}

pub(crate) fn deserialize<'de, T: Indices, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    struct Bytes<T>(PhantomData<T>);
    impl<T: Indices> Visitor<'_> for Bytes<T> {
        type Value = Vec<T>;
        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            write!(f, "{} bytes for each entry", 4 * T::COUNT)
        }
        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<T>, E> {
            let entries = bytes.chunks_exact(4 * T::COUNT);
            if !entries.remainder().is_empty() {
                return Err(E::invalid_length(bytes.len(), &self));
            }
            let index = |four: &[u8]| u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            Ok(entries.map(|entry| T::from_indices(entry.chunks_exact(4).map(index))).collect())
        }
    }
    if from.is_human_readable() {
        let numbers = Vec::<u32>::deserialize(from)?;
        let entries = numbers.chunks_exact(T::COUNT);
        return match entries.remainder() {
            [] => Ok(entries.map(|entry| T::from_indices(entry.iter().copied())).collect()),
            _ => Err(D::Error::invalid_length(numbers.len(), &"as many numbers for each entry")),
        };
    }
    from.deserialize_bytes(Bytes(PhantomData))
}

std::thread_local! {
    /// Memory that lists may still take \[B\].
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Read something on this thread, whose [`Bounded`] lists take this many bytes of memory at most, all together.
pub(crate) fn within<R>(bytes: usize, read: impl FnOnce() -> R) -> R {
    let before = LEFT.replace(bytes);
    let found = read();
    LEFT.set(before);
    found
}

/// A list that is read within the allowance, into exactly the memory it needs.
pub(crate) struct Bounded<T>(pub Vec<T>);

/// The same, for a field that is a plain list.
pub(crate) fn bounded<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    // A text is as long as its list; not so bytes, of which one may stand for much.
    if from.is_human_readable() {
        Vec::deserialize(from)
    } else {
        Bounded::deserialize(from).map(|list| list.0)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Bounded<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct List<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
            type Value = Bounded<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                write!(f, "a list that says how long it is, and is not too long")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Bounded<T>, A::Error> {
                // There is no hint where more entries are announced than bytes are left.
                let count = entries.size_hint().ok_or_else(|| A::Error::invalid_length(0, &self))?;
                let left = LEFT.get().checked_sub(count.saturating_mul(size_of::<T>()));
                LEFT.set(left.ok_or_else(|| A::Error::invalid_length(count, &self))?);
                let mut list = Vec::with_capacity(count);
                while let Some(entry) = entries.next_element()? {
                    list.push(entry);
                }
                Ok(Bounded(list))
            }
        }
        from.deserialize_seq(List(PhantomData))
    }
}
