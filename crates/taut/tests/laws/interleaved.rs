//! A body is a tag: a model whose bodies alternate particle by particle is the same model.

use taut::Edit;
use taut::export::{Animation, write_glb, write_html};
use taut::{DVec3, Model, Scene, Spring};

/// A cloth pinned at its top and a strand that starts inside a ball.
const SCENE: &str = "duration = 0.2\n\
    [[body]]\nname = \"cloth\"\ngrid = { columns = 4, rows = 3, width = 1.0, height = 1.0 }\nmass = 15.0\n\
    [[body]]\nname = \"hair\"\nstrands = { columns = 1, rows = 2, spacing = 0.1, particles = 6, length = 1.0 }\n\
    position = [3.0, 0.0, 0.0]\n\
    [[pin]]\nname = \"edge\"\nat = [\"top\"]\n\
    [[pin]]\nbody = \"hair\"\nat = [\"roots\"]\n\
    [[solid]]\nsphere = { centre = [3.0, -1.1, 0.0], radius = 0.5 }\n\
    [[event]]\ntime = 0.1\nrelease = \"edge\"\n\
    [[event]]\ntime = 0.05\nstiffness = 3.0\nbody = \"hair\"\n";

/// Elements in turn from each body, in their old order within it.
fn turns(count: usize, bodies: usize, body: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut seen = vec![0; bodies];
    let mut rank = |i: usize| {
        seen[body(i)] += 1;
        (seen[body(i)], body(i))
    };
    let ranks: Vec<(usize, usize)> = (0..count).map(&mut rank).collect();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&i| ranks[i]);
    order
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
    place
}

/// The scene with particles, springs and triangles in turn from its bodies.
fn interleaved(scene: &Scene) -> Scene {
    let (old, mut new) = (&scene.model, scene.clone());
    let body = |particle: u32| old.body_of[particle as usize] as usize;
    let count = old.bodies.len();
    let order = turns(old.particles(), count, |i| body(i as u32));
    let place = inverse(&order);
    let placed = |i: u32| place[i as usize] as u32;
    let springs = turns(old.springs.len(), count, |i| body(old.springs[i].ends[0]));
    let triangles = turns(old.triangles.len(), count, |i| body(old.triangles[i][0]));
    let renumbered = |s: Spring| Spring { ends: s.ends.map(placed), ..s };
    new.model = Model {
        masses: order.iter().map(|&i| old.masses[i]).collect(),
        rest: order.iter().map(|&i| old.rest[i]).collect(),
        body_of: order.iter().map(|&i| old.body_of[i]).collect(),
        springs: springs.iter().map(|&i| renumbered(old.springs[i])).collect(),
        triangles: triangles.iter().map(|&i| old.triangles[i].map(placed)).collect(),
        ..old.clone()
    };
    new.state.positions = order.iter().map(|&i| scene.state.positions[i]).collect();
    new.state.velocities = order.iter().map(|&i| scene.state.velocities[i]).collect();
    new.state.filters = order.iter().map(|&i| scene.state.filters[i]).collect();
    let spring_place = inverse(&springs);
    for event in &mut new.events {
        match &mut event.edit {
            Edit::Hold { particles, .. } | Edit::Release { particles } => {
                particles.iter_mut().for_each(|i| *i = place[*i]);
            }
            Edit::Stiffness { springs, .. } => springs.iter_mut().for_each(|i| *i = spring_place[*i]),
            _ => {}
        }
    }
    new.model.validate().unwrap();
    new
}

fn scenes() -> [Scene; 2] {
    let scene = Scene::parse("two.toml", SCENE, None).unwrap();
    let mixed = interleaved(&scene);
    assert_eq!(mixed.model.body_of[..6], [0, 1, 0, 1, 0, 1]);
    [scene, mixed]
}

#[test]
fn it_is_written_as_the_same_bytes() {
    let written = scenes().map(|scene| {
        let mut animation = Animation::of_scene(&scene);
        for frame in 0..3 {
            let wave = |p: &DVec3| *p + DVec3::Y * (3.0 * p.x + frame as f64).sin();
            animation.push(&scene.state.positions.iter().map(wave).collect::<Vec<_>>()).unwrap();
        }
        assert!(animation.push(&[DVec3::ZERO]).is_err());
        let (mut glb, mut html) = (Vec::new(), Vec::new());
        write_glb(&animation, &mut glb).unwrap();
        write_html(&animation, &mut html).unwrap();
        (glb, html)
    });
    assert!(written[0] == written[1]);
}

#[test]
fn the_doctor_says_the_same() {
    let found = scenes().map(|scene| scene.examine().findings);
    assert_eq!(found[0], found[1]);
    let all = format!("{:?}", found[0]);
    for words in [
        "`cloth` weighs 15 kg/m²",
        "`hair` starts with 4 particles inside solid 0, a sphere",
        "the first is number 4 of the body",
    ] {
        assert!(all.contains(words), "{words} not in {all}");
    }
}

#[test]
fn one_body_alone_gets_stiffer() {
    let [scene, mixed] = scenes();
    let mut simulation = mixed.simulation().unwrap();
    while simulation.state().time < 0.1 {
        simulation.step().unwrap();
    }
    let hair = mixed.model.body("hair").unwrap();
    assert_eq!(mixed.model.springs_of(hair).count(), scene.model.springs_of(hair).count());
    for (i, (now, before)) in simulation.model().springs.iter().zip(&mixed.model.springs).enumerate() {
        let factor = if mixed.model.springs_of(hair).any(|s| s == i) { 3.0 } else { 1.0 };
        assert_eq!(now.stiffness, factor * before.stiffness, "spring {i}");
    }
}

/// An element belongs to the body of its first particle; one that joins two bodies does not spoil what is written.
#[test]
fn springs_and_triangles_between_bodies_are_allowed() {
    let [_, scene] = scenes();
    let mut model = scene.model;
    let (cloth, hair) = (model.particles_of(0).next().unwrap(), model.particles_of(1).next().unwrap());
    model.springs.push(Spring::new(hair as u32, cloth as u32, 1.0, 10.0));
    model.triangles.push([cloth as u32, hair as u32, hair as u32 + 2]);
    assert_eq!(model.springs_of(1).last(), Some(model.springs.len() - 1));
    let mut animation = Animation::of(&model, "sewn", 30.0);
    animation.push(&model.rest).unwrap();
    animation.validate().unwrap();
    assert_eq!(animation.triangles.len(), model.triangles.len());
}
