//! One picture of every built-in scene, at its most telling moment, and the page that shows them: `docs/gallery.md`.
//!
//! `cargo run --release -p taut --example gallery [SCENE…]`; with names only their pictures are made anew.

use std::{error::Error, fs, path::Path};
use taut::Scene;
use taut::export::{Animation, Film};
use taut::scene::BUILTIN;

/// Size of the pictures \[pixels\].
const SIZE: [usize; 2] = [480, 360];

/// When there is most to see \[s\].
fn moment(scene: &str) -> f64 {
    match scene {
        "curtain" => 4.6,
        "curtain21" => 3.4,
        "hippo" => 2.3,
        "frog" => 0.6,
        "dog" => 1.35,
        "dress" => 2.8,
        "brush" | "flag" => 3.9,
        "tablecloth" => 4.0,
        "hammock" | "centre_pinned" => 1.65,
        "demo_chaotic" => 0.5,
        "demo_stretched" | "demo_limited" => 10.0,
        "reference" => 1.1,
        "curtain_sphere" | "knives" => 4.0,
        "strong_impact" => 0.3,
        "moderate_impact" => 0.9,
        "twist" => 5.0,
        "funnel" => 0.4,
        "stack" => 3.9,
        "incline" => 1.0,
        "cushion" => 4.0,
        "jelly" => 0.5,
        "fabrics" => 1.0,
        "pocket" => 1.5,
        "pinch" => 1.8,
        "cut_and_tear" => 1.4,
        _ => 2.0,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    fs::create_dir_all(docs.join("gallery"))?;
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut page = String::from(
        "# Gallery\n\nEvery scene that comes with taut. `taut run NAME` makes its film.\n\
         (This page and its pictures are made by `cargo run --release -p taut --example gallery`.)\n",
    );
    for builtin in BUILTIN {
        let (name, title) = (builtin.name, builtin.title());
        let time = moment(name);
        page += &format!("\n## {name}\n\n{title}.\n\n![{name} after {time} s](gallery/{name}.png)\n");
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            picture(name, time, &docs.join(format!("gallery/{name}.png")))?;
            println!("{name}");
        }
    }
    fs::write(docs.join("gallery.md"), page)?;
    Ok(())
}

/// The frame of a scene's film at a time \[s\]. The camera is that of the whole film.
fn picture(name: &str, time: f64, path: &Path) -> Result<(), Box<dyn Error>> {
    let scene = Scene::load(name)?;
    let mut simulation = scene.simulation()?;
    let mut animation = Animation::of_scene(&scene);
    for _ in 0..scene.frames {
        animation.push(simulation.positions())?;
        let mut parted = false;
        for _ in 0..scene.substeps {
            parted |= simulation.step()?.parted.is_some();
        }
        if parted {
            let model = simulation.model();
            animation.follow(model, &scene.mesh.parted(model));
        }
    }
    animation.push(simulation.positions())?;
    let frame = (time * scene.frames_per_second).round() as usize;
    let mut film = Film::new(&animation, SIZE[0], SIZE[1])?;
    film.picture(frame.min(scene.frames)).write_png(fs::File::create(path)?, &scene.title)?;
    Ok(())
}
