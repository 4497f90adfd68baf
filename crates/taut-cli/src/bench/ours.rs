//! What taut itself does in a race: whole steps by any method, bare solves and factorizations, and local/global with a
//! solver put in by hand (faer's, or the factor in f64).

use super::case::{Case, H};
use super::measure::{Seconds, timed};
use rayon::ThreadPool;
use std::sync::Arc;
use taut::energy::Objective;
use taut::integrator::Integrator;
use taut::linear::{Cholesky, Factor, Precision, Sequence, Symbolic, Symmetric, minimum_degree};
use taut::{DVec3, Damping, Method, State, Stop};

/// A pool of so many threads.
pub fn threads(count: usize) -> Arc<ThreadPool> {
    Arc::new(rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a few threads can be had"))
}

/// Steps from the state of a case, always the same one, with any number of iterations.
pub struct Stepper<'a> {
    case: &'a Case,
    method: Method,
    pool: Arc<ThreadPool>,
    prepared: Option<(Stop, Box<dyn Integrator>)>,
    state: State,
}

impl<'a> Stepper<'a> {
    pub fn new(case: &'a Case, method: Method, pool: Arc<ThreadPool>) -> Self {
        Stepper { case, method, pool, prepared: None, state: case.state.clone() }
    }

    /// Take the step; preparing is not timed.
    pub fn step(&mut self, stop: Stop) -> Result<Seconds, String> {
        if self.prepared.as_ref().is_none_or(|(with, _)| *with != stop) {
            self.prepare(stop)?;
        }
        let Stepper { case, prepared, state, pool, .. } = self;
        let integrator = &mut prepared.as_mut().expect("prepared above").1;
        state.clone_from(&case.state);
        let mut outcome = Ok(());
        let seconds = timed(pool, || {
            outcome =
                integrator.step(&case.model, state, taut::integrator::Contacts::default(), H).map(|_| ())
        });
        outcome.map_err(|e| e.to_string())?;
        Ok(seconds)
    }

    /// Prepare afresh, timed: assembly, ordering, factorization.
    pub fn prepare(&mut self, stop: Stop) -> Result<Seconds, String> {
        self.prepared = None;
        if let Some(own) = self.method.stop_mut() {
            *own = stop;
        }
        let mut integrator =
            self.method.integrator(Damping::default(), taut::Scheme::default(), Default::default());
        let mut outcome = Ok(());
        let seconds =
            timed(&self.pool, || outcome = integrator.prepare(&self.case.model, &self.case.state, H));
        outcome.map_err(|e| e.to_string())?;
        self.prepared = Some((stop, integrator));
        Ok(seconds)
    }

    /// g where the last step ended.
    pub fn value(&self) -> f64 {
        self.case.objective().value(&self.case.model, &self.state.positions)
    }
}

type Solve = Box<dyn FnMut(&mut [DVec3]) + Send>;

/// Local/global as `x ← x − A⁻¹∇g` with a solver of choice, and that solver alone.
pub struct Correction<'a> {
    case: &'a Case,
    pool: Arc<ThreadPool>,
    objective: Objective,
    solve: Solve,
    x: Vec<DVec3>,
    gradient: Vec<DVec3>,
}

impl<'a> Correction<'a> {
    pub fn new(case: &'a Case, pool: Arc<ThreadPool>, solve: Solve) -> Self {
        let objective = case.objective();
        let (x, gradient) = (objective.inertia.clone(), vec![DVec3::ZERO; objective.rows.len()]);
        Correction { case, pool, objective, solve, x, gradient }
    }

    pub fn iterate(&mut self, count: usize) -> Seconds {
        let Correction { case, pool, objective, solve, x, gradient } = self;
        x.copy_from_slice(&objective.inertia);
        timed(pool, || {
            for _ in 0..count {
                objective.gradient(&case.model, x, gradient);
                solve(gradient);
                for (&i, &dx) in objective.rows.particles.iter().zip(&*gradient) {
                    x[i as usize] -= dx;
                }
            }
        })
    }

    /// The same right-hand side again and again; copying it is part of the time, as it is for peers.
    pub fn solve(&mut self, count: usize) -> Seconds {
        let Correction { case, pool, objective, solve, gradient, .. } = self;
        objective.gradient(&case.model, &objective.inertia.clone(), gradient);
        let mut x = gradient.clone();
        timed(pool, || {
            for _ in 0..count {
                x.copy_from_slice(gradient);
                solve(&mut x);
            }
        })
    }

    pub fn value(&self) -> f64 {
        self.objective.value(&self.case.model, &self.x)
    }
}

/// The constant matrix `M + h²L` of a case.
pub fn matrix(case: &Case) -> Symmetric<f64> {
    case.objective().constant(&case.model).expect("a case without bend springs")
}

/// The particles of its rows, at rest.
pub fn free(case: &Case) -> Vec<DVec3> {
    case.objective().rows.particles.iter().map(|&i| case.model.rest[i as usize]).collect()
}

/// A direct solver by its word: how it is made, and its fill.
pub fn solver(name: &str, a: &Symmetric<f64>, rest: &[DVec3]) -> Result<(Solve, usize), String> {
    let symbolic = || Symbolic::new(&a.pattern, &Sequence::new(&a.pattern));
    let factor = match name {
        "taut" => Factor::rounded(&symbolic(), a, rest),
        "taut_f64" => Factor::new(&symbolic(), a, Precision::Double),
        "faer" => {
            let by_degree = minimum_degree(&a.pattern).and_then(Sequence::from_vertices);
            let cholesky = by_degree.and_then(|sequence| Cholesky::new::<f64>(&a.pattern, &sequence));
            let mut cholesky = cholesky.ok_or("memory does not suffice")?;
            cholesky.factor(a, 0.0, &[]).map_err(|_| "not positive definite")?;
            let fill = cholesky.fill();
            return Ok((Box::new(move |b| cholesky.solve(b)), fill));
        }
        _ => return Err("unknown solver".into()),
    };
    let mut factor = factor.map_err(|_| "not positive definite")?;
    let fill = factor.fill();
    Ok((Box::new(move |b| factor.solve(b)), fill))
}
