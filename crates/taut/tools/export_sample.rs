//! Writes sample exports into a folder for `tools/check_exports`: the Curtain of 81 × 81 particles swinging down
//! behind a stone ball, and bristles under a leaning gravity, 150 frames each.

use std::{error::Error, f64::consts::PI, fs::File, path::Path};
use taut::export::{Animation, StaticMesh, write_glb, write_html};
use taut::render::{COLOURS, STONE};
use taut::shapes::published::{brush, curtain};
use taut::{Air, DVec3, Method, Model, Settings, Simulation, Stop};

const FRAMES: usize = 150;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: export_sample FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let wind = |x, z| Air { wind: DVec3::new(x, 0.0, z), density: 1.2, ..Air::default() };
    let cloth = Model { air: wind(0.5, -1.0), ..curtain(81)? };
    let mut cloth = film(cloth, "Curtain", |particle| particle == 0 || particle == 80, -1.3)?;
    cloth.statics.push(ball(DVec3::new(0.55, -1.1, 0.25), 0.2));
    write(folder, "cloth", &cloth)?;
    // Gravity that leans: bristles have no triangles for the wind to push.
    let bristles = Model { gravity: DVec3::new(7.0, -7.0, 2.0), ..brush()? };
    write(folder, "strands", &film(bristles, "Brush <105 bristles>", |particle| particle % 19 == 0, -0.25)?)
}

/// Let the model move for 2.5 seconds.
fn film(model: Model, name: &str, pinned: fn(usize) -> bool, ground: f64) -> Result<Animation, taut::Error> {
    let mut animation = Animation::of(&model, name, 60.0);
    animation.scene_hash = "0123456789abcdef".into();
    animation.ground = Some(ground);
    animation.pinned = (0..model.particles()).filter(|&i| pinned(i)).map(|i| i as u32).collect();
    let mut simulation = Simulation::new(
        model,
        Settings::without_contact(Method::LocalGlobal(Stop::iterations(5)), 1.0 / 60.0),
    )?;
    animation.pinned.iter().try_for_each(|&i| simulation.pin(i as usize))?;
    animation.push(simulation.positions())?;
    while animation.frames.len() < FRAMES {
        simulation.step()?;
        animation.push(simulation.positions())?;
    }
    Ok(animation)
}

fn ball(centre: DVec3, radius: f64) -> StaticMesh {
    const ROWS: u32 = 32;
    const COLUMNS: u32 = 64;
    let point = |row: u32, column: u32| {
        let (polar, around) = (row as f64 / ROWS as f64 * PI, column as f64 / COLUMNS as f64 * 2.0 * PI);
        let direction = DVec3::new(polar.sin() * around.cos(), polar.cos(), -polar.sin() * around.sin());
        (centre + radius * direction).to_array().map(|c| c as f32)
    };
    let index = |row, column| row * COLUMNS + column % COLUMNS;
    let quad = |row, column| {
        let [a, b] = [index(row, column), index(row, column + 1)];
        let [c, d] = [index(row + 1, column), index(row + 1, column + 1)];
        [[a, c, d], [a, d, b]]
    };
    let cells = |rows| (0..rows).flat_map(|row| (0..COLUMNS).map(move |column| (row, column)));
    StaticMesh {
        name: "ball".into(),
        positions: cells(ROWS + 1).map(|(row, column)| point(row, column)).collect(),
        triangles: cells(ROWS).flat_map(|(row, column)| quad(row, column)).collect(),
        colour: COLOURS[STONE as usize][0],
        motion: None,
    }
}

fn write(folder: &Path, name: &str, animation: &Animation) -> Result<(), Box<dyn Error>> {
    write_glb(animation, File::create(folder.join(format!("{name}.glb")))?)?;
    write_html(animation, File::create(folder.join(format!("{name}.html")))?)?;
    Ok(())
}
