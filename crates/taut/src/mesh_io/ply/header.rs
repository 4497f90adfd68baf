//! The header of a PLY file: its encoding, its elements and their properties.

use super::super::cursor::{Cursor, short};
use super::super::numbers::{Encoding, Type};
use crate::Error;

pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

pub(super) struct Property {
    pub name: String,
    pub stored: Type,
    /// For lists, how their length is stored.
    pub length: Option<Type>,
}

pub(super) fn header(cursor: &mut Cursor) -> Result<Vec<Element>, Error> {
    cursor.expect("ply")?;
    let mut elements: Vec<Element> = Vec::new();
    let mut encoding = None;
    while cursor.next_line() {
        match cursor.word_here().unwrap_or("") {
            "" | "comment" | "obj_info" => {}
            "format" => encoding = Some(format(cursor)?),
            "element" => {
                let name = cursor.need("the name of an element")?.to_string();
                let count = cursor.whole(Type::U64, "the number of rows")?;
                elements.push(Element { name, count, properties: Vec::new() });
            }
            "property" => {
                let property = property(cursor)?;
                let Some(element) = elements.last_mut() else {
                    return Err(cursor.error("a property before any element", "name its element first"));
                };
                element.properties.push(property);
            }
            "end_header" => {
                cursor.next_line();
                let missing = || cursor.error("the header names no format", "add: format ascii 1.0");
                cursor.encoding = encoding.ok_or_else(missing)?;
                return Ok(elements);
            }
            word => {
                let problem = format!("the header keyword \"{}\" is unknown", short(word));
                return Err(cursor.error(problem, "use element, property or end_header"));
            }
        }
    }
    Err(cursor.error("the header has no end_header", "the file seems to be cut off"))
}

fn format(cursor: &mut Cursor) -> Result<Encoding, Error> {
    match cursor.need("the format")? {
        "ascii" => Ok(Encoding::Ascii),
        "binary_little_endian" => Ok(Encoding::Little),
        "binary_big_endian" => Ok(Encoding::Big),
        word => {
            let remedy = "use ascii, binary_little_endian or binary_big_endian";
            Err(cursor.error(format!("the format \"{}\" is unknown", short(word)), remedy))
        }
    }
}

fn property(cursor: &mut Cursor) -> Result<Property, Error> {
    let word = cursor.need("the type of a property")?;
    let (length, stored) = if word == "list" {
        let length = cursor.need("the type of a list's length")?;
        (Some(number_type(cursor, length)?), cursor.need("the type of a list's items")?)
    } else {
        (None, word)
    };
    let stored = number_type(cursor, stored)?;
    Ok(Property { name: cursor.need("the name of a property")?.to_string(), stored, length })
}

fn number_type(cursor: &Cursor, word: &str) -> Result<Type, Error> {
    Ok(match word {
        "char" | "int8" => Type::I8,
        "uchar" | "uint8" => Type::U8,
        "short" | "int16" => Type::I16,
        "ushort" | "uint16" => Type::U16,
        "int" | "int32" => Type::I32,
        "uint" | "uint32" => Type::U32,
        "float" | "float32" => Type::F32,
        "double" | "float64" => Type::F64,
        _ => {
            let problem = format!("the number type \"{}\" is unknown", short(word));
            return Err(cursor.error(problem, "use char uchar short ushort int uint float or double"));
        }
    })
}
