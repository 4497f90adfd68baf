//! Steps that end by their estimated error, the default: near enough to exact ones, no longer than needed, and not for ever
//! where there is nothing left to find.

use crate::common::take;
use taut::shapes::Grid;
use taut::{DVec3, Ended, Ending, Method, Model, Settings, Simulation, Stop};

/// A square metre of one kilogram.
fn cloth(side: usize, stiffness: f64) -> Model {
    let [stretch, shear, bend] = [stiffness; 3];
    Grid { columns: side, rows: side, stretch, shear, bend, ..Grid::default() }.build().unwrap()
}

/// How deep a cloth that swings from two corners hangs after a second \[m\], and the largest number of iterations.
fn lowest(method: Method) -> (f64, usize) {
    let settings = Settings::without_contact(method, 1.0 / 30.0);
    let mut simulation = Simulation::new(cloth(21, 1e4), settings).unwrap();
    [0, 20].into_iter().for_each(|i| simulation.pin(i).unwrap());
    let mut most = 0;
    for _ in 0..30 {
        most = most.max(simulation.step().unwrap().solve.iterations);
    }
    (simulation.positions().iter().map(|p| p.y).fold(0.0, f64::min), most)
}

/// A thousandth, or a hundred iterations, takes stiff cloth to where exact steps do, to four per cent; ten iterations, which
/// were the default once, to little more than half of that way.
#[test]
fn a_thousandth_of_the_error_is_near_enough() {
    let exact = lowest(Method::hybrid()).0;
    let off = |method: Method| (lowest(method).0 / exact - 1.0).abs();
    let (usual, ten) = (off(Method::default()), off(Method::ConjugateGradient(Stop::iterations(10))));
    println!("{usual:.1e} by the usual stop, {ten:.1e} after ten iterations");
    assert!(usual < 0.04 && ten > 0.2, "{usual} {ten}");
    assert!(lowest(Method::default()).1 <= Stop::USUAL_LIMIT);
}

/// What has nothing to solve is not iterated, and rounding is not taken for an error: here, or far away.
#[test]
fn where_nothing_is_left_steps_end_at_once() {
    for far in [0.0, 1e6] {
        let mut model = cloth(11, 1e4);
        model.rest.iter_mut().for_each(|p| *p += DVec3::new(far, 0.0, far));
        let mut simulation =
            Simulation::new(model, Settings::without_contact(Method::default(), 1.0 / 30.0)).unwrap();
        for _ in 0..20 {
            let solve = simulation.step().unwrap().solve;
            assert_eq!((solve.iterations, solve.ended), (0, Ended::Tolerance), "falls freely, {far} m away");
        }
    }
}

/// Iterations alone are made all; an accuracy ends them sooner, as does the first of several ends.
#[test]
fn what_is_said_ends_the_step() {
    let ended = |ending: Ending| {
        let method = Method::default().ending(ending).unwrap();
        let settings = Settings::without_contact(method, 1.0 / 30.0);
        let mut simulation = Simulation::new(cloth(11, 1e4), settings).unwrap();
        [0, 10].into_iter().for_each(|i| simulation.pin(i).unwrap());
        take(&mut simulation, 3);
        let solve = simulation.step().unwrap().solve;
        (solve.iterations, solve.ended)
    };
    let none = Ending::default();
    let (usual, why) = ended(none);
    assert!(why == Ended::Tolerance && (10..100).contains(&usual), "{usual} {why:?}");
    assert_eq!(ended(Ending { iterations: Some(150), ..none }), (150, Ended::Iterations));
    assert_eq!(ended(Ending { iterations: Some(5), accuracy: Some(1e-3), ..none }), (5, Ended::Iterations));
    let (more, why) = ended(Ending { accuracy: Some(1e-6), iterations: Some(1000), ..none });
    assert!(why == Ended::Tolerance && more > usual, "{more} {why:?}");
    let (fewer, why) = ended(Ending { accuracy: Some(0.1), ..none });
    assert!(why == Ended::Tolerance && fewer < usual, "{fewer} {why:?}");
}

#[test]
fn methods_that_do_not_estimate_their_error_say_so() {
    for name in Method::NAMES {
        let method: Method = name.parse().unwrap();
        let accelerated = ["conjugate_gradient", "lbfgs", "anderson", "chebyshev"].contains(&name);
        match method.ending(Ending { accuracy: Some(1e-2), ..Ending::default() }) {
            Ok(mut method) => assert!(accelerated && method.stop_mut().unwrap().accuracy == 1e-2, "{name}"),
            Err(e) => assert!(!accelerated && e.to_string().contains("accuracy"), "{name}: {e}"),
        }
    }
    assert!(Method::LocalGlobal(Stop::accuracy(1e-3)).validate().is_err());
    for bad in [-1e-3, 1.0, f64::NAN] {
        let said = Method::ConjugateGradient(Stop::accuracy(bad)).validate().unwrap_err().to_string();
        assert!(said.contains("accuracy") && said.contains("1e-3"), "{said}");
    }
}
