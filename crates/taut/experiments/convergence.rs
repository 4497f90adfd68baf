//! How soon each method comes near the exact answer: frame 20 of the Curtain, those before it solved exactly, at k = 100,
//! 1000 and 10⁴ N/m, as in `taut bench`. Makes the tables of docs/experiments/convergence.md:
//!
//! `cargo run --release -p taut --example convergence [STIFFNESS…] [--rounds N] [--methods a,b,…]`
//!
//! Iterations are the fewest with which one step has relative error, eq. (15) of \[Liu13\], at most 1e-1 … 1e-4: exact,
//! whatever else the machine does. Times are of that step, prepared, on one thread; all methods take turns, and the
//! minimum counts.
//! The frame is kept under target/convergence. `--methods defaults` compares candidates for the default instead, along
//! the built-in scenes; `--methods stiffness` says what eq. (15) measures when springs get stiffer.

use std::path::PathBuf;
use std::time::Instant;
use taut::energy::Objective;
use taut::integrator::{Integrator, objective};
use taut::{
    DVec3, Damping, Ending, Error, LinearSolver, Method, Model, Scene, Settings, Simulation, Solve, State,
    Stop, relative_error,
};

const H: f64 = 1.0 / 30.0;
const FRAME: usize = 20;
const ERRORS: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-4];
/// More iterations than this are not tried.
const LIMIT: usize = 4096;

fn main() -> Result<(), Error> {
    // One thread: its processor time is the method's.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("nobody has used threads yet");
    let (mut stiffnesses, mut rounds, mut wanted) = (Vec::new(), 5, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(rounds),
            "--methods" => wanted = arguments.next(),
            k => stiffnesses.push(k.parse().map_err(|_| Error::setting("stiffness", k, "a number in N/m"))?),
        }
    }
    if wanted.as_deref() == Some("defaults") {
        return defaults();
    }
    if stiffnesses.is_empty() {
        stiffnesses = vec![100.0, 1000.0, 10_000.0];
    }
    if wanted.as_deref() == Some("stiffness") {
        return stiffness(&stiffnesses);
    }
    for k in stiffnesses {
        let frame = Frame::new(k)?;
        println!("\nk = {k} N/m: g at the start {:e}, at the minimum {:e} kg m²\n", frame.start, frame.exact);
        println!("| method | 1e-1 | 1e-2 | 1e-3 | 1e-4 | exact |\n|---|---|---|---|---|---|");
        let chosen = |name: &str| wanted.as_ref().is_none_or(|w| w.split(',').any(|w| w == name));
        let mut rows = Vec::new();
        for (name, method) in methods().into_iter().filter(|(name, _)| chosen(name)) {
            rows.push((name, frame.row(&method)?));
        }
        for _ in 0..rounds {
            rows.iter_mut().for_each(|(_, row)| row.iter_mut().flatten().for_each(|run| run.time(&frame)));
        }
        for (name, row) in rows {
            let cells: Vec<String> =
                row.iter().map(|run| run.as_ref().map_or("–".into(), Run::text)).collect();
            println!("| {name} | {} |", cells.join(" | "));
        }
    }
    Ok(())
}

/// What ten iterations leave and cost on average, at every third of 30 frames of some scenes. The frames are made, and
/// g* is found, by 50 and 500 iterations of `conjugate_gradient`: Newton's method would take hours for the Dog.
fn defaults() -> Result<(), Error> {
    let some =
        ["local_global 10", "local_global 20", "conjugate_gradient 7", "conjugate_gradient 10", "lbfgs 10"];
    println!("| scene | {} |\n|---|{}", some.join(" | "), "---|".repeat(some.len()));
    let curtains = [100.0, 1000.0, 10_000.0].map(|k| ("curtain", Some(k)));
    for (name, k) in curtains.into_iter().chain(["hippo", "dog", "brush"].map(|name| (name, None))) {
        let mut leader = Scene::load(name)?.simulation()?;
        if let Some(k) = k {
            let all = 0..leader.model().springs.len();
            leader.scale_stiffness(all, k / 1000.0)?;
        }
        let (damping, h) = (leader.settings().damping, leader.settings().time_step);
        let method = Method::ConjugateGradient(Stop::iterations(50));
        leader.configure(Settings { method, ..leader.settings().clone() })?;
        let mut runs = Vec::new();
        for words in some {
            let (word, n) = words.split_once(' ').expect("a word and a number");
            let method =
                word.parse::<Method>()?.ending(Ending { iterations: n.parse().ok(), ..Ending::default() })?;
            runs.push((method.integrator(damping, taut::Scheme::default(), Default::default()), 0.0, 0.0));
        }
        runs.push((
            Method::ConjugateGradient(Stop::iterations(500)).integrator(
                damping,
                taut::Scheme::default(),
                Default::default(),
            ),
            0.0,
            0.0,
        ));
        for frame in 0..30 {
            leader.step()?;
            if frame % 3 != 2 {
                continue;
            }
            let (model, before) = (leader.model(), leader.state());
            let g = objective(model, before, h, &damping);
            let mut values = Vec::new();
            for (integrator, _, time) in &mut runs {
                integrator.prepare(model, before, h)?;
                let mut after = before.clone();
                let begun = Instant::now();
                integrator.step(model, &mut after, taut::integrator::Contacts::default(), h)?;
                *time += begun.elapsed().as_secs_f64() / 10.0;
                values.push(g.value(model, &after.positions));
            }
            let (start, exact) = (g.value(model, &g.inertia), values[values.len() - 1]);
            for ((_, error, _), value) in runs.iter_mut().zip(values) {
                *error += (value - exact) / (start - exact) / 10.0;
            }
        }
        let cells: Vec<String> =
            runs[..some.len()].iter().map(|(_, e, t)| format!("{e:.1e}, {:.1} ms", 1e3 * t)).collect();
        println!("| {name} {} | {} |", k.map_or(String::new(), |k| format!("k = {k}")), cells.join(" | "));
    }
    Ok(())
}

/// The error of `local_global` three ways, by stiffness: relative, eq. (15); in joules, (g − g*)/h²; as a distance from
/// the exact answer, the root of the mean square over all particles. Means over the first 50 frames of the small
/// curtain, each from where the one before it was solved exactly, as in Figure 3 of \[Liu13\]; then our frame.
fn stiffness(stiffnesses: &[f64]) -> Result<(), Error> {
    const COUNTS: [usize; 4] = [1, 10, 100, 1000];
    let cells = |frame: &Frame, exact: &[DVec3]| -> Result<Vec<f64>, Error> {
        let of = |x: &[DVec3]| {
            let left = frame.objective.value(&frame.model, x) - frame.exact;
            let squares: f64 = x.iter().zip(exact).map(|(a, b)| a.distance_squared(*b)).sum();
            [left / (frame.start - frame.exact), left / (H * H), 1e3 * (squares / x.len() as f64).sqrt()]
        };
        let mut cells = of(&frame.objective.inertia).to_vec();
        for n in COUNTS {
            cells.extend(of(&frame.answer(&Method::LocalGlobal(Stop::iterations(n)))?.1));
        }
        Ok(cells)
    };
    let print = |what: &str, k: f64, cells: &[f64]| {
        let words = cells.chunks(3).map(|c| format!("{:.2e}, {:.2e} J, {:.2} mm", c[0], c[1], c[2]));
        println!("| {what}, k = {k} | {} |", words.collect::<Vec<_>>().join(" | "));
    };
    println!("| frames | y | {} |\n|---|{}", COUNTS.map(|n| n.to_string()).join(" | "), "---|".repeat(5));
    for &k in stiffnesses {
        let mut small = Scene::load("curtain21")?.simulation()?;
        small.scale_stiffness(0..small.model().springs.len(), k / 1000.0)?;
        small.configure(Settings::without_contact(Method::newton(), H))?;
        let mut means = vec![0.0; 3 * (1 + COUNTS.len())];
        for _ in 0..50 {
            let (model, before) = (small.model().clone(), small.state().clone());
            small.step()?;
            let found = cells(&Frame::of(model, before, small.positions()), small.positions())?;
            means.iter_mut().zip(found).for_each(|(mean, cell)| *mean += cell / 50.0);
        }
        print("21 × 21, 50 frames", k, &means);
    }
    for &k in stiffnesses {
        let frame = Frame::new(k)?;
        let near = frame.answer(&Method::ConjugateGradient(Stop::iterations(2000)))?.1;
        let exact = relative_error(&frame.model, &frame.before, H, &Damping::default(), &near)?.positions;
        print(&format!("81 × 81, frame {FRAME}"), k, &cells(&frame, &exact)?);
    }
    Ok(())
}

type Make = Box<dyn Fn(usize) -> Method>;

/// Every method, by the number of its iterations.
fn methods() -> Vec<(String, Make)> {
    let mut all: Vec<(String, Make)> = Vec::new();
    for name in Method::NAMES {
        let solvers: &[&str] = match name.parse() {
            Ok(Method::Newton(_)) => &LinearSolver::NAMES.map(|(name, _)| name),
            Ok(Method::SemiImplicit(_)) | Err(_) => &[],
            _ => &[""],
        };
        for &solver in solvers {
            let make = move |n| {
                let mut method = name.parse::<Method>().expect("a name of the list");
                if let Method::Newton(settings) = &mut method {
                    settings.solver = solver.parse().expect("a name of the list");
                }
                if let Some(stop) = method.stop_mut() {
                    stop.iterations = n;
                }
                method
            };
            let name = if solver.is_empty() { name.into() } else { format!("{name} {solver}") };
            all.push((name, Box::new(make)));
        }
    }
    all
}

/// The step to take, and its exact answer.
struct Frame {
    model: Model,
    before: State,
    objective: Objective,
    start: f64,
    exact: f64,
}

/// One step that reaches an error.
struct Run {
    integrator: Box<dyn Integrator>,
    solve: Solve,
    seconds: f64,
}

impl Frame {
    fn new(k: f64) -> Result<Self, Error> {
        let scene = Scene::load("curtain")?.simulation()?;
        let (mut model, mut before) = (scene.model().clone(), scene.state().clone());
        model.springs.iter_mut().for_each(|s| s.stiffness = k);
        let path = PathBuf::from(format!("target/convergence/{k}.frame{FRAME}"));
        let kept = load(&path, &mut before);
        if kept.is_none() {
            let mut exact = Simulation::with_state(
                model.clone(),
                before,
                Settings::without_contact(Method::hybrid(), H),
            )?;
            for _ in 1..FRAME {
                exact.step()?;
            }
            before = exact.state().clone();
        }
        let mut frame = Frame::of(model, before, &[]);
        frame.exact = match kept {
            Some(exact) => exact,
            None => {
                let answer = frame.answer(&Method::ConjugateGradient(Stop::iterations(2000)))?.1;
                relative_error(&frame.model, &frame.before, H, &Damping::default(), &answer)?.exact
            }
        };
        store(&path, &frame).map_err(|e| Error::setting("target/convergence", e, "cannot be written"))?;
        Ok(frame)
    }

    /// The step from a state, whose exact answer is known or not (none: NaN).
    fn of(model: Model, before: State, exact: &[DVec3]) -> Self {
        let objective = objective(&model, &before, H, &Damping::default());
        let start = objective.value(&model, &objective.inertia);
        let exact = if exact.is_empty() { f64::NAN } else { objective.value(&model, exact) };
        Frame { model, before, objective, start, exact }
    }

    fn answer(&self, method: &Method) -> Result<(Run, Vec<DVec3>), Error> {
        let mut integrator =
            method.integrator(Damping::default(), taut::Scheme::default(), Default::default());
        integrator.prepare(&self.model, &self.before, H)?;
        let mut after = self.before.clone();
        let solve = integrator.step(&self.model, &mut after, taut::integrator::Contacts::default(), H)?;
        Ok((Run { integrator, solve, seconds: f64::INFINITY }, after.positions))
    }

    /// The fewest iterations to each error: doubled until they are enough, then bisected (g never rises).
    fn row(&self, method: &Make) -> Result<Vec<Option<Run>>, Error> {
        let (mut row, mut few) = (Vec::new(), 0);
        for goal in ERRORS {
            let reaches = |n: usize| -> Result<Option<Run>, Error> {
                let (run, x) = self.answer(&method(n))?;
                let error = (self.objective.value(&self.model, &x) - self.exact) / (self.start - self.exact);
                Ok((error <= goal).then_some(run))
            };
            let (mut low, mut high) = (few, (few + 1).max(1));
            let mut found = reaches(high)?;
            while found.is_none() && high < LIMIT {
                (low, high) = (high, 2 * high);
                found = reaches(high)?;
            }
            while found.is_some() && high - low > 1 {
                let middle = low.midpoint(high);
                match reaches(middle)? {
                    Some(run) => (high, found) = (middle, Some(run)),
                    None => low = middle,
                }
            }
            few = high - 1;
            row.push(found);
        }
        // Only these end at rounding level.
        let exact = matches!(method(1), Method::Newton(_) | Method::Hybrid(_));
        row.push(if exact { Some(self.answer(&method(10_000))?.0) } else { None });
        Ok(row)
    }
}

impl Run {
    fn time(&mut self, frame: &Frame) {
        let mut after = frame.before.clone();
        let (begun, mut steps) = (seconds(), 0.0);
        // Long enough for a clock that ticks every few milliseconds.
        while steps == 0.0 || seconds() - begun < 0.2 {
            after.clone_from(&frame.before);
            self.integrator
                .step(&frame.model, &mut after, taut::integrator::Contacts::default(), H)
                .expect("it was finite before");
            steps += 1.0;
        }
        self.seconds = self.seconds.min((seconds() - begun) / steps);
    }

    fn text(&self) -> String {
        let Solve { iterations, newton_steps, linear_iterations, .. } = self.solve;
        let newton = if newton_steps > 0 && newton_steps < iterations {
            format!(" ({newton_steps} Newton)")
        } else {
            String::new()
        };
        let linear = if linear_iterations > 0 { format!(" ({linear_iterations} CG)") } else { String::new() };
        format!("{iterations}{newton}{linear}, {:.3} ms", 1e3 * self.seconds)
    }
}

/// Processor time of this thread where Linux tells it (a busy machine does not count), else wall time [s].
fn seconds() -> f64 {
    static BEGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|t| t.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

/// Fill in the state of a kept frame and return its g*.
fn load(path: &PathBuf, state: &mut State) -> Option<f64> {
    let bytes = std::fs::read(path).ok()?;
    let mut numbers = bytes.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().expect("eight bytes")));
    for v in state.positions.iter_mut().chain(&mut state.velocities) {
        *v = DVec3::new(numbers.next()?, numbers.next()?, numbers.next()?);
    }
    numbers.next()
}

fn store(path: &PathBuf, frame: &Frame) -> std::io::Result<()> {
    let vectors = frame.before.positions.iter().chain(&frame.before.velocities);
    let numbers = vectors.flat_map(|v| v.to_array()).chain([frame.exact]);
    std::fs::create_dir_all(path.parent().expect("a folder"))?;
    std::fs::write(path, numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}
