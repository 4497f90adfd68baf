//! Film a scene as an animated GIF: `cargo run --release -p taut --example film`

use taut::export::{Animation, Film};
use taut::{Scene, render::Gif};

const SCENE: &str = r#"
    duration = 1.0 # [s]
    [[body]]
    grid = { columns = 25, rows = 25, width = 0.8, height = 0.8, diagonals = "both" } # [m]
    fabric = "silk"
    [[solid]]
    sphere = { centre = [0.0, -0.3, 0.0], radius = 0.25 }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse("silk", SCENE, None)?; // or from a file: Scene::load("silk.toml")?
    let mut simulation = scene.simulation()?;
    let mut animation = Animation::of_scene(&scene);
    for _ in 0..scene.frames {
        animation.push(simulation.positions())?;
        (0..scene.substeps).try_for_each(|_| simulation.step().map(drop))?;
    }
    let path = std::env::temp_dir().join("silk.gif");
    let mut film = Film::new(&animation, 320, 240)?; // its camera holds all that moves
    let mut gif = Gif::new(std::fs::File::create(&path)?, 320, 240, scene.frames_per_second)?;
    (0..scene.frames).try_for_each(|frame| gif.frame(film.picture(frame)))?;
    gif.finish()?;
    println!("{} shows {} frames", path.display(), scene.frames);
    Ok(())
}
