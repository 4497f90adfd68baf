//! The experiments of [BA04] (Boxerman & Ascher 2004) through the public API; prints `docs/experiments/ba04.md`.
//!
//! `cargo run --release -p taut --example ba04 > docs/experiments/ba04.md`, or only some of its tables:
//! `-- preconditioners`, `scenes`, `held`, `threads`.

use std::error::Error;
use taut::linear::Preconditioner;
use taut::scene::BUILTIN;
use taut::shapes::Grid;
use taut::{DVec3, Damping, Filter, ImexSettings, Method, Scene, Settings, Simulation, State, clock};

const SCENES: [(&str, &str); 4] =
    [("sphere_drape", "20 %"), ("table_drape", "–"), ("centre_pinned", "–"), ("arm_bend", "35–50 %")];
/// Particles along a side of the cloth in the scene files, and the multiples of that which are run.
const WRITTEN: usize = 51;
const RESOLUTIONS: [f64; 3] = [0.6, 1.0, 1.4];
/// Circumference of the arm of `arm_bend` with its margin [m].
const ARM: f64 = std::f64::consts::TAU * 0.058;
/// Simulated time of each run [s].
const TIME: f64 = 1.2;
/// Runs of each kind, interleaved; times are the least of them.
const REPEATS: usize = 2;

fn main() -> Result<(), Box<dyn Error>> {
    type Section = fn() -> Result<(), Box<dyn Error>>;
    let sections: [(&str, Section); 4] =
        [("preconditioners", preconditioners), ("scenes", scenes), ("held", held), ("threads", threads)];
    let mut some = std::env::args().skip(1).peekable();
    if some.peek().is_some() {
        return some.try_for_each(|wanted| match sections.iter().find(|(name, _)| *name == wanted) {
            Some((_, section)) => section(),
            None => Err(format!("no section `{wanted}`: preconditioners, scenes, held or threads").into()),
        });
    }
    println!("# Decomposing cloth: the experiments of [BA04]\n");
    println!(
        "Made by `cargo run --release -p taut --example ba04` (version {}). Times are those of the thread itself, the\n\
         least of {REPEATS} interleaved runs, on a two-core machine that others were using: whole runs of this program\n\
         scattered by ±20 % in the time columns, so read those as tendencies. All other columns repeat exactly. RVM: rows\n\
         multiplied by a vector in conjugate gradients, the paper's measure of work. The paper gives no constants for\n\
         its cloth; ours are in `scenes/`.\n",
        env!("CARGO_PKG_VERSION")
    );
    sections.iter().try_for_each(|(_, section)| section())
}

/// Choi–Ko cloth that may slide on a ball: every particle has two degrees of freedom.
fn sliding(side: usize) -> Result<(taut::Model, State), taut::Error> {
    let model = Grid { columns: side, rows: side, mass: 0.3, stretch: 500.0, shear: 5.0, ..Grid::default() }
        .choi_ko(2e-7)
        .build()?;
    let mut state = State::at_rest(&model);
    let centre = DVec3::new(0.0, -0.6, 0.0);
    for (i, p) in state.positions.iter_mut().enumerate() {
        // Drawn out by a few per cent, unevenly, so that springs are taut.
        *p *= 1.05 + 0.03 * (0.7 * i as f64).sin();
        let normal = (*p - centre).normalize();
        *p = centre + 0.6 * normal;
        state.filters[i] = Filter::Plane { normal, through: *p };
    }
    Ok((model, state))
}

fn preconditioners() -> Result<(), Box<dyn Error>> {
    println!("## Preconditioners on the constrained case (Figure 9)\n");
    println!(
        "One full implicit step of cloth sliding on a ball, every particle with two degrees of freedom, h = 1/100 s,\n\
         tolerance 1e-6. Published: P about 30 % fewer iterations than none for large n, C more than none.\n"
    );
    println!("| particles | none | C | P | C against none | P against none | P against C |");
    println!("|---|---|---|---|---|---|---|");
    for side in [11, 21, 41, 81] {
        let (model, state) = sliding(side)?;
        let iterations = |preconditioner| -> Result<f64, taut::Error> {
            let settings = ImexSettings { preconditioner, decompose: false, ..ImexSettings::default() };
            let mut integrator = Method::BaraffWitkin(settings).integrator(
                Damping::default(),
                taut::Scheme::default(),
                Default::default(),
            );
            integrator.prepare(&model, &state, 0.01)?;
            Ok(integrator
                .step(&model, &mut state.clone(), taut::integrator::Contacts::default(), 0.01)?
                .linear_iterations as f64)
        };
        let none = iterations(Preconditioner::None)?;
        let (block, modified) = (iterations(Preconditioner::Block)?, iterations(Preconditioner::Modified)?);
        let less = |now: f64, than: f64| 100.0 * (now / than - 1.0);
        println!(
            "| {} | {none} | {block} | {modified} | {:+.0} % | {:+.0} % | {:+.0} % |",
            side * side,
            less(block, none),
            less(modified, none),
            less(modified, block)
        );
    }
    println!(
        "\nP is reproduced. That C needs more iterations than none is not, except at 121 particles: from 441 on C needs fewer\n\
         too, and P hardly fewer than C.\n"
    );
    Ok(())
}

/// Sums over a run.
struct Run {
    /// Of the thread's own time [s], which other programs do not lengthen.
    seconds: f64,
    rows: f64,
    /// What a solver would multiply that keeps constrained particles as rows: iterations times all particles.
    all_rows: f64,
    components: f64,
    explicit: f64,
    positions: Vec<DVec3>,
}

/// Time this thread has had a core [s] (Linux; elsewhere the wall clock).
fn own_seconds() -> f64 {
    let file = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    file.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).map_or_else(clock::seconds, |ns| 1e-9 * ns)
}

fn scene(name: &str, scale: f64) -> Result<Scene, taut::Error> {
    scene_with(name, scale, |line| line)
}

/// A scene at another resolution, its lines changed.
fn scene_with(name: &str, scale: f64, change: impl Fn(String) -> String) -> Result<Scene, taut::Error> {
    let text = BUILTIN.iter().find(|b| b.name == name).expect("a scene that comes with taut").text;
    let mut lines: Vec<String> = text.lines().map(|line| change(line.into())).collect();
    for line in &mut lines {
        let sides: &[usize] = if line.contains("closed") { &[40, 48] } else { &[WRITTEN; 2] };
        let changed = |n: usize| ((n as f64 * scale).round() as usize) | usize::from(n % 2 == 1);
        for (key, &n) in ["columns", "rows"].iter().zip(sides) {
            *line = line.replace(&format!("{key} = {n}"), &format!("{key} = {}", changed(n)));
        }
        // The same cloth: the strip that a spring stands for is narrower.
        if let Some(bending) = line.strip_prefix("bending = ") {
            let bending: f64 = bending.parse().expect("a number");
            *line = format!("bending = {:e}", bending / scale);
        }
    }
    Scene::parse(name, &lines.join("\n"), None)
}

fn run(scene: &Scene, method: Method, threads: usize) -> Result<Run, Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let decomposed = method.clone().imex_mut().is_some_and(|s| s.decompose);
    let particles = scene.model.particles() as f64;
    let steps = (TIME / scene.time_step()).round() as usize;
    let mut scene = scene.clone();
    scene.settings.method = method;
    let mut simulation: Simulation = scene.simulation()?;
    let mut run =
        Run { seconds: 0.0, rows: 0.0, all_rows: 0.0, components: 0.0, explicit: 0.0, positions: Vec::new() };
    pool.install(|| -> Result<(), taut::Error> {
        let started = own_seconds();
        for _ in 0..steps {
            let report = simulation.step()?;
            run.rows += report.solve.rows_multiplied as f64;
            run.components += report.solve.components as f64 / steps as f64;
            run.explicit += report.solve.explicit_springs as f64 / steps as f64;
            if !decomposed {
                run.all_rows += report.solve.linear_iterations as f64 * particles;
            }
        }
        run.seconds = own_seconds() - started;
        Ok(())
    })?;
    run.positions = simulation.positions().to_vec();
    Ok(run)
}

/// Each method's run with the least time of a few.
fn interleaved(scene: &Scene, methods: &[Method; 3]) -> Result<[Run; 3], Box<dyn Error>> {
    let once = || -> Result<[Run; 3], Box<dyn Error>> {
        let [a, b, c] = methods.clone().map(|method| run(scene, method, 1));
        Ok([a?, b?, c?])
    };
    let mut best = once()?;
    for _ in 1..REPEATS {
        for (best, again) in best.iter_mut().zip(once()?) {
            assert!(best.positions == again.positions, "the same run twice");
            best.seconds = best.seconds.min(again.seconds);
        }
    }
    Ok(best)
}

fn scenes() -> Result<(), Box<dyn Error>> {
    let mut adaptive = String::new();
    let mut decomposed = String::new();
    let started = clock::seconds();
    for (name, published) in SCENES {
        for scale in RESOLUTIONS {
            let scene = scene(name, scale)?;
            let settings = ImexSettings::default();
            let together = ImexSettings { decompose: false, ..settings };
            let methods = [
                Method::BaraffWitkin(together),
                Method::AdaptiveImex(together),
                Method::AdaptiveImex(settings),
            ];
            let [full, whole, parts] = interleaved(&scene, &methods)?;
            let two = run(&scene, Method::AdaptiveImex(settings), 2)?;
            assert!(two.positions == parts.positions, "threads do not change a bit");
            let (m, springs) = (scene.model.particles(), scene.model.springs.len() as f64);
            let less = |now: f64, before: f64| 100.0 * (now / before - 1.0);
            let apart: Vec<f64> =
                full.positions.iter().zip(&whole.positions).map(|(a, b)| a.distance(*b)).collect();
            let size = scene.model.size();
            let mean = 100.0 * apart.iter().sum::<f64>() / (m as f64 * size);
            let most = 100.0 * apart.iter().fold(0.0f64, |a, &b| a.max(b)) / size;
            adaptive += &format!(
                "| {name} | {m} | {:.0} % | {:+.0} % | {:+.0} % | {mean:.2} % | {most:.1} % |\n",
                100.0 * whole.explicit / springs,
                less(whole.rows, full.rows),
                less(whole.seconds, full.seconds),
            );
            decomposed += &format!(
                "| {name} | {m} | {:.1} | {:+.0} % | {:+.0} % | {:+.0} % | {published} |\n",
                parts.components,
                less(parts.rows, whole.rows),
                less(parts.rows, whole.all_rows),
                less(parts.seconds, whole.seconds),
            );
            eprintln!("{name} {m}: {:.0} s", clock::seconds() - started);
        }
    }
    println!("## Adaptive IMEX against full implicit\n");
    println!(
        "Both undecomposed, preconditioner P, {TIME} s of motion. Published: 17–29 % less time. Distances between the\n\
         two results at the end, in diagonals of the cloth: mean and largest.\n\n\
         Counted in instructions instead (callgrind, the first 24 frames as the scenes are written, one thread, start-up and\n\
         contact included), which do not scatter: arm_bend −19 %, table_drape −20 %.\n"
    );
    println!("| scene | particles | explicit springs | RVM | time | mean distance | largest |");
    println!("|---|---|---|---|---|---|---|\n{adaptive}");
    println!("## Decomposition\n");
    println!(
        "Adaptive IMEX, decomposed against undecomposed. RVM once against our undecomposed solver, which leaves\n\
         constrained particles out already, and once against one that keeps them as rows, as the paper's full solver.\n"
    );
    println!("| scene | particles | components per step | RVM | RVM, all rows | time | published RVM |");
    println!("|---|---|---|---|---|---|---|\n{decomposed}");
    println!(
        "Against our own undecomposed solver decomposition saves 0 to 14 % of the RVM here, and no time that could be told\n\
         from the scatter. The published savings appear only against all rows: most of them are the rows of held particles,\n\
         and how many those are is a matter of the scene, as the next table shows.\n"
    );
    Ok(())
}

/// Held particles are what takes a mesh apart; friction and a close fit are what holds them.
fn held() -> Result<(), Box<dyn Error>> {
    println!("### What holds particles\n");
    println!(
        "The paper says neither what friction its solids have nor how close the sleeve fits. RVM of decomposed against\n\
         undecomposed, as above. Fit: the sleeve's width over the arm's circumference with its margin.\n"
    );
    println!(
        "| scene | friction | fit | components per step | RVM | RVM, all rows |\n|---|---|---|---|---|---|"
    );
    let row = |name: &str, fit: f64, friction: f64| -> Result<(), Box<dyn Error>> {
        let mut scene =
            scene_with(name, 1.0, |line| line.replace("width = 0.365", &format!("width = {}", fit * ARM)))?;
        scene.obstacles.iter_mut().for_each(|s| s.friction = friction);
        let settings = ImexSettings::default();
        let whole = run(&scene, Method::AdaptiveImex(ImexSettings { decompose: false, ..settings }), 1)?;
        let parts = run(&scene, Method::AdaptiveImex(settings), 1)?;
        let less = |before: f64| 100.0 * (parts.rows / before - 1.0);
        let fit = if name == "arm_bend" { format!("{fit:.2}") } else { "–".into() };
        println!(
            "| {name} | {friction} | {fit} | {:.1} | {:+.0} % | {:+.0} % |",
            parts.components,
            less(whole.rows),
            less(whole.all_rows)
        );
        Ok(())
    };
    [0.1, 0.3, 0.6, 1.0].iter().try_for_each(|&friction| row("sphere_drape", 1.0, friction))?;
    [0.1, 0.3, 0.5, 1.0].iter().try_for_each(|&friction| row("arm_bend", 1.0, friction))?;
    [0.95, 1.01, 1.02, 1.05, 1.25].iter().try_for_each(|&fit| row("arm_bend", fit, 0.5))?;
    println!(
        "\nSo agreement with the published 35–50 % hangs on how the sleeve was chosen to fit: −13 % where it is wide, −73 %\n\
         where it is tight, and 1 to 20 % against our own undecomposed solver.\n"
    );
    Ok(())
}

/// A sheet over a line: its middle rows pinned, so that two halves hang as components of the same size.
fn threads() -> Result<(), Box<dyn Error>> {
    println!("## Two threads\n");
    println!(
        "A sheet hung over a line (three middle rows pinned): two components. 40 steps of 1/240 s, least of five interleaved\n\
         runs, ms per step: processor time of the busier thread (what a quiet machine would take), and wall clock (load\n\
         average of the two-core machine at the start: {}). Published, one case: −18 % decomposed on one thread, −30 %\n\
         on two.\n",
        std::fs::read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or("unknown")
    );
    println!("| particles | whole | wall | one thread | wall | two threads | wall | two against one |");
    println!("|---|---|---|---|---|---|---|---|");
    for side in [31, 61, 101] {
        let grid =
            Grid { columns: side, rows: side, mass: 0.3, stretch: 500.0, shear: 5.0, ..Grid::default() };
        let model = grid.choi_ko(1e-5 / side as f64).build()?;
        let mut state = State::at_rest(&model);
        let middle = side / 2 - 1..side / 2 + 2;
        (0..side * side).filter(|i| middle.contains(&(i / side))).for_each(|i| state.pin(i));
        let measure = |decompose: bool, threads: usize| -> Result<[f64; 2], Box<dyn Error>> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let method = Method::AdaptiveImex(ImexSettings { decompose, ..ImexSettings::default() });
            let mut simulation = Simulation::with_state(
                model.clone(),
                state.clone(),
                Settings::without_contact(method, 1.0 / 240.0),
            )?;
            let own = || pool.broadcast(|_| own_seconds());
            let (mut seconds, before) = (0.0, own());
            pool.install(|| -> Result<(), taut::Error> {
                for _ in 0..40 {
                    seconds += simulation.step()?.seconds.integrate;
                }
                Ok(())
            })?;
            let busiest = own().iter().zip(before).map(|(after, before)| after - before).fold(0.0, f64::max);
            Ok([seconds, busiest].map(|s| 1e3 * s / 40.0))
        };
        let mut least = [[f64::INFINITY; 2]; 3];
        for _ in 0..5 {
            for (least, (decompose, threads)) in least.iter_mut().zip([(false, 1), (true, 1), (true, 2)]) {
                let found = measure(decompose, threads)?;
                *least = [least[0].min(found[0]), least[1].min(found[1])];
            }
        }
        let [whole, one, two] = least;
        let cell = |of: [f64; 2]| {
            let less = |k: usize| 100.0 * (of[k] / whole[k] - 1.0);
            format!("{:.2} ({:+.0} %) | {:.2} ({:+.0} %)", of[1], less(1), of[0], less(0))
        };
        println!(
            "| {} | {:.2} | {:.2} | {} | {} | {:.2}×, {:.2}× |",
            side * side,
            whole[1],
            whole[0],
            cell(one),
            cell(two),
            one[1] / two[1],
            one[0] / two[0]
        );
    }
    println!(
        "\nTwo threads share out components from a thousand rows on, and pay there. On one thread two equal halves are worth\n\
         nothing: both need as many iterations as the whole."
    );
    Ok(())
}
