//! What a file is by its content, where its ending says something else.

use super::cursor::Cursor;

/// The ending that suits the content, if that is certain enough to say.
pub(super) fn ending(bytes: &[u8]) -> Option<&'static str> {
    const MARKS: [(&[u8], &str); 7] = [
        (b"ply", "ply"),
        (b"glTF", "glb"),
        (b"$MeshFormat", "msh"),
        (b"# vtk DataFile", "vtk"),
        (b"MeshVersionFormatted", "mesh"),
        (b"solid", "stl"),
        (b"{", "gltf"),
    ];
    let start = bytes.trim_ascii_start();
    if let Some((_, ending)) = MARKS.iter().find(|(mark, _)| start.starts_with(mark)) {
        return Some(ending);
    }
    let mut text = Cursor::text("", start);
    let word = text.word()?;
    if word.len() <= 8 && word.ends_with("OFF") {
        return Some("off");
    }
    let obj = ["v", "vn", "vt", "o", "g", "mtllib", "usemtl", "s"].contains(&word);
    (obj && text.word_here().is_some()).then_some("obj")
}
