//! Seams and attachments close though their cloth is thick: what they join are neighbours. All else keeps its distance.

use crate::common::take;
use taut::collision::{ContactSettings, Level};
use taut::shapes::Grid;
use taut::{DVec3, Damping, Link, Model, Settings, Simulation, State};

const THICK: f64 = 0.01;
const N: usize = 7;

/// A sheet of 30 cm.
fn sheet() -> Model {
    let grid = Grid { columns: N, rows: N, width: 0.3, height: 0.3, mass: 0.05, ..Grid::default() };
    let mut model = Grid { stretch: 300.0, shear: 100.0, bend: 1.0, ..grid }.build().unwrap();
    model.bodies[0].skin.thickness = Some(THICK);
    model
}

fn settings(method: &str, level: Level) -> Settings {
    let damping = Damping { drag: 4.0, ..Damping::default() };
    Settings {
        damping,
        contact: ContactSettings::new(level),
        ..Settings::new(method.parse().unwrap(), 1.0 / 60.0)
    }
}

/// Two sheets side by side, sewn along their near edges; in a third of a second the seam is closed.
#[test]
fn a_seam_closes() {
    for (method, level) in
        [("conjugate_gradient", Level::Fast), ("conjugate_gradient", Level::Exact), ("newton", Level::Exact)]
    {
        let mut model = sheet();
        let mut second = sheet();
        second.rest.iter_mut().for_each(|p| *p += DVec3::new(0.34, 0.02, 0.0));
        model.append(&second);
        model.gravity = DVec3::ZERO;
        let edge = |first: usize, column: usize| {
            (0..N).map(|row| (first + row * N + column) as u32).collect::<Vec<_>>()
        };
        let (left, right) = (edge(0, N - 1), edge(N * N, 0));
        model.sew(&left, &right, 300.0, 0.0, 0.3).unwrap();
        let mut simulation = Simulation::new(model, settings(method, level)).unwrap();
        take(&mut simulation, 90);
        let x = simulation.positions();
        let gaps = left.iter().zip(&right).map(|(&a, &b)| x[a as usize].distance(x[b as usize]));
        let widest = gaps.fold(0.0, f64::max);
        assert!(widest < 0.1 * THICK, "{method} {level}: {widest} m");
    }
}

/// A particle in the middle of a sheet is attached to a face of another, that comes down on it: they meet there, and stay
/// apart by their thickness where no face has to do with it.
#[test]
fn an_attachment_holds_what_is_thick() {
    for level in [Level::Fast, Level::Exact] {
        let mut model = sheet();
        model.append(&sheet());
        model.gravity = DVec3::ZERO;
        let middle = (N * N / 2) as u32;
        let &[a, b, c] = model.triangles.iter().find(|t| t.contains(&middle)).unwrap();
        let other = middle + (N * N) as u32;
        let shares = [(a, 0.4), (b, 0.3), (c, 0.3)];
        model.links.push(Link::attachment(other, &shares, 300.0));
        let mut state = State::at_rest(&model);
        state.positions[N * N..].iter_mut().for_each(|p| p.y += 3.0 * THICK);
        let mut simulation =
            Simulation::with_state(model, state, settings("conjugate_gradient", level)).unwrap();
        take(&mut simulation, 120);
        let x = simulation.positions();
        let at: DVec3 = shares.iter().map(|&(i, share)| share * x[i as usize]).sum();
        let gap = x[other as usize].distance(at);
        assert!(gap < 0.1 * THICK, "{level}: {gap} m");
        // The corners are far from it.
        let corner = x[N * N].distance(x[0]);
        assert!(corner > 0.5 * THICK, "{level}: {corner} m");
    }
}
