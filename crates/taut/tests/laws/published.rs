//! The published models: their counts, and that they are simulated as the paper does it, ten iterations a frame.

use taut::{Method, Model, Settings, Simulation, Stop, measure, shapes::published};

fn within(percent: usize, count: usize, published: usize) -> bool {
    100 * count.abs_diff(published) <= percent * published
}

/// Five frames of 1/30 s with some particles held. Returns the largest stretch ratio of any spring.
fn five_frames(model: Model, pins: impl IntoIterator<Item = usize>) -> f64 {
    let mut simulation = Simulation::new(
        model,
        Settings::without_contact(Method::LocalGlobal(Stop::iterations(10)), 1.0 / 30.0),
    )
    .unwrap();
    pins.into_iter().for_each(|i| simulation.pin(i).unwrap());
    for _ in 0..5 {
        let report = simulation.step().unwrap();
        assert_eq!(report.solve.iterations, 10);
    }
    let (model, state) = (simulation.model(), simulation.state());
    state.check_finite().unwrap();
    *measure::stretch_ratios(model, state).last().unwrap()
}

#[test]
fn curtain() {
    let model = published::curtain(81).unwrap();
    assert_eq!((model.particles(), model.springs.len()), (6561, 32158));
    let stretch = five_frames(model, [0, 80]);
    println!("curtain stretches to {stretch}");
    assert!(stretch < 1.5, "{stretch}");
}

#[test]
fn brush() {
    let model = published::brush().unwrap();
    assert_eq!((model.particles(), model.springs.len()), (1995, 6405));
    let stretch = five_frames(model, (0..1995).step_by(19));
    println!("brush stretches to {stretch}");
    assert!(stretch < 1.01, "{stretch}");
}

#[test]
fn animals() {
    let all = [
        (published::hippo(), 2387, 13135),
        (published::frog(), 6834, 35261),
        (published::dog(), 28390, 148047),
    ];
    for (model, m, s) in all {
        let model = model.unwrap();
        let (name, counts) = (model.bodies[0].name.clone(), (model.particles(), model.springs.len()));
        assert!(within(2, counts.0, m) && within(10, counts.1, s), "{name}: {counts:?} for {:?}", (m, s));
        // Held by the particles in the lowest tenth, as standing on glue.
        let heights = || model.rest.iter().map(|p| p.y);
        let (low, high) =
            (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
        let feet: Vec<usize> =
            (0..counts.0).filter(|&i| model.rest[i].y < low + 0.1 * (high - low)).collect();
        let stretch = five_frames(model, feet);
        println!("{name} stretches to {stretch}");
        assert!(stretch < 1.02, "{name}: {stretch}");
    }
}
