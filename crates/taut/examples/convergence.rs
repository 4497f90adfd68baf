//! How soon each method comes near the exact answer, on the benchmark frame: the Curtain, frame 20 after frames solved
//! exactly, at k = 100, 1000 and 10⁴ N/m. Makes the tables of docs/experiments/convergence.md:
//!
//! `cargo run --release -p taut --example convergence [STIFFNESS…] [--rounds N] [--methods a,b,…]`
//!
//! Iterations are the fewest with which one step has relative error, eq. (15) of \[Liu13\], at most 1e-1 … 1e-4: exact,
//! whatever else the machine does. Times are of that step, prepared; all methods take turns, and the minimum counts.
//! The frame is kept under target/convergence.

use std::path::PathBuf;
use std::time::Instant;
use taut::energy::Objective;
use taut::integrator::{Integrator, objective};
use taut::{
    DVec3, Damping, Error, LinearSolver, Method, Model, Scene, Simulation, Solve, State, Stop, relative_error,
};

const H: f64 = 1.0 / 30.0;
const ERRORS: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-4];
/// More iterations than this are not tried.
const LIMIT: usize = 4096;

fn main() -> Result<(), Error> {
    let (mut stiffnesses, mut rounds, mut wanted) = (Vec::new(), 5, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(rounds),
            "--methods" => wanted = arguments.next(),
            k => stiffnesses.push(k.parse().map_err(|_| Error::setting("stiffness", k, "a number in N/m"))?),
        }
    }
    if stiffnesses.is_empty() {
        stiffnesses = vec![100.0, 1000.0, 10_000.0];
    }
    for k in stiffnesses {
        let frame = Frame::new(k)?;
        println!("\nk = {k} N/m: g at the start {:e}, at the minimum {:e} kg m²\n", frame.start, frame.exact);
        println!("| method | 1e-1 | 1e-2 | 1e-3 | 1e-4 |\n|---|---|---|---|---|");
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

type Make = Box<dyn Fn(usize) -> Method>;

/// Every method, by the number of its iterations.
fn methods() -> Vec<(String, Make)> {
    let mut all: Vec<(String, Make)> = Vec::new();
    for name in Method::NAMES {
        let solvers: &[&str] = match Method::named(name) {
            Some(Method::Newton(_)) => &LinearSolver::NAMES,
            Some(Method::SemiImplicit(_)) | None => &[],
            _ => &[""],
        };
        for &solver in solvers {
            let make = move |n| {
                let mut method = Method::named(name).expect("a name of the list");
                if let Method::Newton(settings) = &mut method {
                    settings.solver = LinearSolver::from_name(solver).expect("a name of the list");
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
        let path = PathBuf::from(format!("target/convergence/{k}.frame"));
        let kept = load(&path, &mut before);
        if kept.is_none() {
            let mut exact = Simulation::with_state(model.clone(), before, Method::hybrid(), H)?;
            for _ in 0..20 {
                exact.step()?;
            }
            before = exact.state().clone();
        }
        let objective = objective(&model, &before, H, &Damping::default());
        let start = objective.value(&model, &objective.inertia);
        let mut frame = Frame { model, before, objective, start, exact: f64::NAN };
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

    fn answer(&self, method: &Method) -> Result<(Run, Vec<DVec3>), Error> {
        let mut integrator = method.integrator(Damping::default(), taut::Scheme::default());
        integrator.prepare(&self.model, &self.before, H)?;
        let mut after = self.before.clone();
        let solve = integrator.step(&self.model, &mut after, H)?;
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
        Ok(row)
    }
}

impl Run {
    fn time(&mut self, frame: &Frame) {
        let mut after = frame.before.clone();
        let begun = Instant::now();
        self.integrator.step(&frame.model, &mut after, H).expect("it was finite before");
        self.seconds = self.seconds.min(begun.elapsed().as_secs_f64());
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
