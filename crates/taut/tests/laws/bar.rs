//! A bar of irregular tetrahedra hangs by its own weight: it is longer and thinner as Young's modulus and Poisson's ratio
//! say. At the distance s from where it is held the strain along it is `ρ g (L − s)/E`, and across it −ν times that.

use crate::common::Random;
use taut::{Block, DVec3, Method, Model, Settings, Simulation, State};

/// Cubes across and along the bar, their side \[m\].
const ACROSS: u32 = 3;
const ALONG: u32 = 12;
const SIDE: f64 = 0.02;
/// Density [kg/m³], Young's modulus \[Pa\]: a strain of 1e-3 in the middle.
const DENSITY: f64 = 1000.0;
const LENGTH: f64 = ALONG as f64 * SIDE;
const YOUNG: f64 = DENSITY * 9.81 * 0.5 * LENGTH * 1e3;

/// The bar hangs down from y = 0; vertices inside are moved by up to a fifth of a side.
fn bar(poisson: f64, random: &mut Random) -> Model {
    let (m, n) = (ACROSS + 1, ALONG + 1);
    let at = |i: u32, j: u32, k: u32| (j * m + k) * m + i;
    let mut rest = Vec::new();
    for (j, k, i) in (0..n).flat_map(|j| (0..m).flat_map(move |k| (0..m).map(move |i| (j, k, i)))) {
        let inside = |i: u32, count: u32| f64::from(u8::from(i > 0 && i < count));
        let free = DVec3::new(inside(i, ACROSS), inside(j, ALONG), inside(k, ACROSS));
        let place = DVec3::new(f64::from(i), -f64::from(j), f64::from(k));
        rest.push(SIDE * (place + random.vector(0.2) * free));
    }
    // Six tets to a cube, around its diagonal.
    let mut tets = Vec::new();
    for (j, k, i) in
        (0..ALONG).flat_map(|j| (0..ACROSS).flat_map(move |k| (0..ACROSS).map(move |i| (j, k, i))))
    {
        let ways = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        tets.extend(ways.map(|way| {
            let (mut corner, mut tet) = ([i, j, k], [at(i, j, k); 4]);
            for (n, axis) in way.into_iter().enumerate() {
                corner[axis] += 1;
                tet[n + 1] = at(corner[0], corner[1], corner[2]);
            }
            tet
        }));
    }
    let mut masses = vec![0.0; rest.len()];
    for tet in &tets {
        let [a, b, c, d] = tet.map(|i| rest[i as usize]);
        let share = DENSITY * (b - a).cross(c - a).dot(d - a).abs() / 24.0;
        tet.iter().for_each(|&i| masses[i as usize] += share);
    }
    let blocks = tets.iter().map(|&tet| Block::isotropic(tet, YOUNG, poisson).unwrap()).collect();
    Model { masses, rest, tets, blocks, ..Model::default() }
}

/// Mean strains along and across the bar in its middle half, over those of the theory.
fn strains(poisson: f64) -> [f64; 2] {
    let model = bar(poisson, &mut Random(2));
    let mut state = State::at_rest(&model);
    (0..model.particles()).filter(|&i| model.rest[i].y > -1e-9).for_each(|i| state.pin(i));
    let (rest, tets) = (model.rest.clone(), model.tets.clone());
    let mut simulation =
        Simulation::with_state(model, state, Settings::without_contact(Method::newton(), 1.0 / 60.0))
            .unwrap();
    let settled = simulation.settle(1e-9, 4000, |_, _| true).unwrap();
    assert!(settled.converged, "{settled:?}");
    let (mut along, mut across, mut expected) = (0.0, 0.0, 0.0);
    for tet in &tets {
        let edges = |x: &[DVec3]| {
            let [a, b, c, d] = tet.map(|i| x[i as usize]);
            glam::DMat3::from_cols(b - a, c - a, d - a)
        };
        let middle = -tet.iter().map(|&i| rest[i as usize].y).sum::<f64>() / 4.0;
        if (0.25..0.75).contains(&(middle / LENGTH)) {
            let volume = edges(&rest).determinant().abs();
            let f = edges(simulation.positions()) * edges(&rest).inverse();
            along += volume * (f.y_axis.y - 1.0);
            across += volume * 0.5 * (f.x_axis.x + f.z_axis.z - 2.0);
            expected += volume * DENSITY * 9.81 * (LENGTH - middle) / YOUNG;
        }
    }
    [along / expected, -across / expected]
}

#[test]
fn a_bar_has_its_modulus_and_its_ratio() {
    for poisson in [0.0, 0.3, 0.45] {
        let [along, across] = strains(poisson);
        println!("ν = {poisson}: {along:.5} {across:.5}");
        assert!((along - 1.0).abs() < 0.01, "ν = {poisson}: {along}");
        assert!((across - poisson).abs() < 0.01 * poisson.max(0.1), "ν = {poisson}: {across}");
    }
}
