//! Layers that are wrung, folds pressed from all sides, bare edges: nothing crosses after any step, by an exact test, and
//! nothing is pinched. `cargo run --release -p taut --example stress` does the same at length.

mod run;

use taut::collision::Level;

#[test]
fn nothing_crosses_under_stress() {
    for name in run::SCENES {
        // Five sheets cost as much as everything else: one level, that with rigid zones.
        let levels = if name == "twist" { vec![Level::Fast] } else { vec![Level::Fast, Level::Exact] };
        for (seed, level) in (1..).zip(levels) {
            let outcome = run::run(name, level, seed, 200).unwrap();
            println!("{name} {level}: {outcome}");
            assert!(outcome.is_clean(), "{name} {level}: {outcome} {:?}", outcome.findings);
            assert_eq!(outcome.findings.frames, 201);
            assert!(outcome.response.contacts > 50, "{name}: {:?}", outcome.response);
        }
    }
}
