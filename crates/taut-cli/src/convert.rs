//! `taut convert`: meshes from one format to another.

use crate::Stopped;
use crate::args::SceneName;
use std::path::Path;
use taut::export::{Animation, write_glb};
use taut::run::files;
use taut::{Error, mesh_io};

pub fn convert(input: SceneName, output: &Path) -> Result<(), Stopped> {
    let ending = output.extension().map(|e| e.to_string_lossy().to_lowercase());
    if !matches!(ending.as_deref(), Some("obj" | "ply" | "glb")) {
        let problem = "cannot write this format";
        let error =
            Error::file(output.to_string_lossy(), None, problem, "end the name in .obj, .ply or .glb");
        return Err(Stopped::Input(error));
    }
    let (mesh, mut still, comments) = load(&input).map_err(Stopped::Input)?;
    mesh.notes.iter().for_each(|note| say!("note: {note}"));
    let draft = files::Draft::new(output).map_err(Stopped::Input)?;
    let written = match ending.as_deref() {
        Some("glb") => still.push(&mesh.positions).and_then(|()| draft.fill(|out| write_glb(&still, out))),
        _ => draft.fill(|out| files::mesh(&mesh, &mesh.positions, &comments, out)),
    };
    written.map_err(Stopped::Run)?;
    // A solid without faces of its own is written with the surface of its tets.
    let faces = match mesh.original.face_ends.len() {
        0 => mesh.triangles.len(),
        own => own,
    };
    let counts = [
        (mesh.original.vertices.len(), "vertex", "vertices"),
        (faces, "face", "faces"),
        (mesh.original.lines.len(), "line", "lines"),
        (mesh.tets.len(), "tet (its inside is left out)", "tets (their inside is left out)"),
    ];
    let told = counts
        .into_iter()
        .filter(|c| c.0 > 0)
        .map(|(n, one, many)| format!("{n} {}", if n == 1 { one } else { many }));
    say!("wrote {}: {}", output.display(), told.collect::<Vec<_>>().join(", "));
    Ok(())
}

/// A mesh file, or the start of a scene: as it came, and as it is drawn, without a frame yet.
fn load(input: &SceneName) -> Result<(mesh_io::Mesh, Animation, Vec<String>), Error> {
    let mut comments = vec![format!("taut {}", env!("CARGO_PKG_VERSION"))];
    // A name without an ending is a scene's; so mesh files that are missing are reported as such.
    let ending = Path::new(&input.name).extension();
    if ending.is_none_or(|e| e.eq_ignore_ascii_case("toml")) {
        let scene = input.load()?;
        comments.push(format!("scene {} {:016x}", scene.name, scene.hash));
        let still = Animation::of_scene(&scene);
        let mesh = mesh_io::Mesh { positions: scene.state.positions, ..scene.mesh };
        return Ok((mesh, still, comments));
    }
    let mesh = mesh_io::read(&input.name)?;
    let name = Path::new(&input.name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let still = Animation::of_mesh(&mesh, name.unwrap_or_default());
    Ok((mesh, still, comments))
}
