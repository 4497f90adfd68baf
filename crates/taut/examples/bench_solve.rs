//! Time one solve with the constant matrix `M + h²L`, by faer and by each kernel of [`taut::linear::Factor`], all
//! interleaved in one run: `cargo run --release --example bench_solve [curtain|dog|SIDE]… [--rounds N]`.
//!
//! Prints minima and medians of wall time and the ratio of each to faer's. A busy machine slows all of them, so
//! the ratios are what to read; run it with `nice -n -5` where allowed.

use std::time::Instant;
use taut::linear::{
    Cholesky, Elimination, Factor, Kernel, Pattern, Precision, Symmetric, minimum_degree, nested_dissection,
};
use taut::{DVec3, Error, Model, shapes::published};

type Solver = (String, Box<dyn FnMut(&mut [DVec3])>);

const H: f64 = 1.0 / 30.0;

fn main() -> Result<(), Error> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut rounds = 200;
    if let Some(at) = arguments.iter().position(|a| a == "--rounds") {
        rounds = arguments.get(at + 1).and_then(|n| n.parse().ok()).unwrap_or(rounds);
        arguments.truncate(at);
    }
    if arguments.is_empty() {
        arguments = ["curtain", "dog", "300"].map(String::from).to_vec();
    }
    for name in &arguments {
        let model = match name.as_str() {
            "curtain" => published::curtain(81)?,
            "dog" => published::dog()?,
            side => published::curtain(side.parse().map_err(|_| {
                Error::setting("model", side, "curtain, dog, or the side of a square cloth in particles")
            })?)?,
        };
        bench(name, &model, rounds);
    }
    Ok(())
}

fn matrix(model: &Model) -> Symmetric<f64> {
    let (pattern, slots) = Pattern::new(model.particles(), model.springs.iter().map(|s| s.ends));
    let mut a = Symmetric::zeros(pattern);
    a.diagonal.copy_from_slice(&model.masses);
    for (spring, &slot) in model.springs.iter().zip(&slots) {
        let stiffness = H * H * spring.stiffness;
        spring.ends.iter().for_each(|&end| a.diagonal[end as usize] += stiffness);
        a.upper[slot as usize] -= stiffness;
    }
    a
}

/// Minimum and median of the times [s], and the last result.
fn timed<R>(rounds: usize, mut work: impl FnMut() -> R) -> (f64, f64, R) {
    let mut times = Vec::new();
    let mut result = None;
    for _ in 0..rounds.max(1) {
        let start = Instant::now();
        result = Some(work());
        times.push(start.elapsed().as_secs_f64());
    }
    let (least, median) = least_and_median(&mut times);
    (least, median, result.expect("at least one round"))
}

fn least_and_median(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

fn bench(name: &str, model: &Model, rounds: usize) {
    let a = matrix(model);
    let n = a.diagonal.len();
    println!("{name}: {n} rows, {} springs", model.springs.len());
    let few = if n > 100_000 { 1 } else { 5 };
    let ms = 1e3;
    let orders = [
        timed(few, || nested_dissection(&a.pattern)),
        timed(few, || minimum_degree(&a.pattern).expect("enough memory")),
    ];
    for ((least, median, order), kind) in orders.iter().zip(["nested dissection", "minimum degree"]) {
        let elimination = Elimination::new(&a.pattern, order);
        let (fill, work) = (elimination.fill() as f64, elimination.work());
        println!(
            "  order {kind:18} {:9.2} {:9.2} ms  fill {fill:.3e} work {work:.3e}",
            ms * least,
            ms * median
        );
    }
    let mut solvers: Vec<Solver> = Vec::new();
    if n <= 200_000 {
        let (least, median, mut factor) = timed(few, || {
            let mut factor = Cholesky::new::<f64>(&a.pattern).expect("enough memory");
            factor.factor(&a, 0.0, &[]).expect("positive definite");
            factor
        });
        println!(
            "  prefactor faer f64         {:9.2} {:9.2} ms  stored {}",
            ms * least,
            ms * median,
            factor.fill()
        );
        solvers.push(("faer f64".into(), Box::new(move |b| factor.solve(b))));
    }
    // Only the best kernel for large matrices, so that two factors never fill the memory.
    let kernels = if n > 100_000 { vec![Kernel::detected()] } else { Kernel::available() };
    for kernel in kernels {
        for (precision, label) in [(Precision::Double, "f64"), (Precision::Single, "f32")] {
            let name = format!("{} {label}", kernel.name());
            let make = || Factor::with_kernel(&a, precision, kernel).expect("positive definite");
            let (least, median, mut factor) = timed(few, make);
            let stored = factor.fill();
            println!("  prefactor {name:16} {:9.2} {:9.2} ms  stored {stored}", ms * least, ms * median);
            solvers.push((name, Box::new(move |b| factor.solve(b))));
        }
    }
    solve(n, &mut solvers, if n > 20_000 { rounds.div_ceil(10) } else { rounds });
}

fn solve(n: usize, solvers: &mut [Solver], rounds: usize) {
    let b: Vec<DVec3> = (0..n).map(|i| DVec3::new(1.0, -2.0, 0.5) * (1.0 + (i % 17) as f64)).collect();
    let mut x = b.clone();
    let mut times = vec![Vec::new(); solvers.len()];
    for _ in 0..rounds {
        for ((_, solver), times) in solvers.iter_mut().zip(&mut times) {
            x.copy_from_slice(&b);
            let start = Instant::now();
            solver(&mut x);
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let times: Vec<(f64, f64)> = times.iter_mut().map(|t| least_and_median(t)).collect();
    let first = times[0];
    for ((name, _), (least, median)) in solvers.iter().zip(times) {
        let (a, b) = (first.0 / least, first.1 / median);
        println!("  solve {name:20} {:9.4} {:9.4} ms  {a:5.2}x {b:5.2}x", 1e3 * least, 1e3 * median);
    }
}
