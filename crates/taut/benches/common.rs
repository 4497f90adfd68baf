//! The inner loops of taut on the Curtain, by name: timed by `kernels.rs`, counted by `instructions.rs`.
//!
//! Each is a function of its own that is never inlined, so that a profiler can find it.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::hint::black_box;
use taut::energy::Objective;
use taut::integrator::{Integrator, objective};
use taut::linear::{
    Cholesky, Factor, Precision, Sequence, Symbolic, Symmetric, minimum_degree, nested_dissection,
};
use taut::{DVec3, Damping, Method, Model, Settings, Simulation, State, Stop, shapes};

/// Time step \[s\].
const H: f64 = 1.0 / 30.0;
/// Iterations of the kernel `ten_iterations`.
const ITERATIONS: usize = 10;

type Hessian = Symmetric<glam::DMat3>;

/// Everything the kernels work on.
pub struct Kernels {
    model: Model,
    state: State,
    moved: State,
    objective: Objective,
    x: Vec<DVec3>,
    gradient: Vec<DVec3>,
    b: Vec<DVec3>,
    matrix: Symmetric<f64>,
    double: Factor,
    single: Factor,
    faer: Cholesky,
    hessian: Hessian,
    slots: Vec<u32>,
    integrator: Box<dyn Integrator>,
    cloth: Elements,
    solid: Elements,
}

/// g of something made of elements, where inertia would carry it.
struct Elements {
    model: Model,
    objective: Objective,
    gradient: Vec<DVec3>,
    along: Vec<DVec3>,
}

impl Elements {
    /// Five steps of a scene.
    fn of(text: &str) -> Result<Self, taut::Error> {
        let scene = taut::Scene::parse("elements", text, None)?;
        let mut simulation = Simulation::with_state(
            scene.model,
            scene.state,
            Settings::without_contact(Method::default(), H),
        )?;
        for _ in 0..5 {
            simulation.step()?;
        }
        let (model, state) = (simulation.model().clone(), simulation.state().clone());
        let objective = objective(&model, &state, H, &Damping::default());
        let along = vec![DVec3::new(1.0, -2.0, 0.5); objective.rows.len()];
        let mut all = Elements { gradient: along.clone(), along, objective, model };
        all.gradient();
        Ok(all)
    }

    fn gradient(&mut self) {
        let Elements { model, objective, gradient, .. } = self;
        let x = std::mem::take(&mut objective.inertia);
        objective.gradient(model, &x, gradient);
        objective.inertia = x;
    }

    fn curvature(&mut self) {
        black_box(self.objective.curvature(&self.model, &self.along));
    }
}

/// A kernel: its name and its function.
pub type Kernel = (&'static str, fn(&mut Kernels));

/// All of them.
pub const KERNELS: [Kernel; 17] = [
    ("solve_f64", Kernels::solve_f64),
    ("solve_f32", Kernels::solve_f32),
    ("solve_faer", Kernels::solve_faer),
    ("gradient", Kernels::gradient),
    ("value", Kernels::value),
    ("assemble_hessian", Kernels::assemble_hessian),
    ("multiply_hessian", Kernels::multiply_hessian),
    ("ten_iterations", Kernels::ten_iterations),
    ("order_dissection", Kernels::order_dissection),
    ("order_degree", Kernels::order_degree),
    ("analyse", Kernels::analyse),
    ("refactor", Kernels::refactor),
    ("prefactor", Kernels::prefactor),
    ("cloth_gradient", Kernels::cloth_gradient),
    ("cloth_curvature", Kernels::cloth_curvature),
    ("solid_gradient", Kernels::solid_gradient),
    ("solid_curvature", Kernels::solid_curvature),
];

/// One thread: counts do not depend on luck, and work stays below the function that asked for it.
pub fn one_thread() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be had")
}

impl Kernels {
    /// A Curtain of `side` × `side` particles in mid-air, its first two corners held.
    pub fn new(side: usize) -> Result<Self, taut::Error> {
        let model = shapes::published::curtain(side)?;
        let method = Method::LocalGlobal(Stop::iterations(ITERATIONS));
        let mut simulation = Simulation::new(model, Settings::without_contact(method.clone(), H))?;
        simulation.pin(0)?;
        simulation.pin(side - 1)?;
        for _ in 0..5 {
            simulation.step()?;
        }
        let (model, state) = (simulation.model().clone(), simulation.state().clone());
        let objective = objective(&model, &state, H, &Damping::default());
        let rows = &objective.rows;
        let (pattern, slots) = objective.pattern(&model);
        let matrix = objective.constant(&model)?;
        let sequence = objective.sequence(&model).restricted(&rows.of);
        let symbolic = Symbolic::new(&pattern, &sequence);
        let factor = |precision| Factor::new(&symbolic, &matrix, precision).expect("positive definite");
        let (double, single) = (factor(Precision::Double), factor(Precision::Single));
        let by_degree = minimum_degree(&pattern).and_then(Sequence::from_vertices).expect("enough memory");
        let mut faer = Cholesky::new::<f64>(&pattern, &by_degree).expect("enough memory");
        faer.factor(&matrix, 0.0, &[]).expect("positive definite");
        let mut integrator =
            method.integrator(Damping::default(), taut::Scheme::default(), Default::default());
        integrator.prepare(&model, &state, H)?;
        let gradient = vec![DVec3::ZERO; rows.len()];
        let mut hessian = Symmetric::zeros(pattern);
        objective.hessian(&model, &objective.inertia, &slots, &mut hessian);
        let cloth = Elements::of(&format!(
            "[[body]]\ngrid = {{ columns = {side}, rows = {side}, width = 1.0, height = 1.0 }}\nfabric = \"cotton\"\n\
             perturbation = 1e-4\n[[pin]]\nat = [\"top_left\", \"top_right\"]\n"
        ))?;
        let solid = Elements::of(
            "[[body]]\nsolid = { animal = \"hippo\", particles = 900 }\n[[pin]]\nindices = [0, 1, 2]\n",
        )?;
        Ok(Kernels {
            cloth,
            solid,
            x: objective.inertia.clone(),
            b: vec![DVec3::new(1.0, -2.0, 0.5); rows.len()],
            hessian,
            moved: state.clone(),
            model,
            state,
            objective,
            gradient,
            matrix,
            double,
            single,
            faer,
            slots,
            integrator,
        })
    }

    #[inline(never)]
    fn solve_f64(&mut self) {
        self.gradient.copy_from_slice(&self.b);
        self.double.solve(&mut self.gradient);
    }

    #[inline(never)]
    fn solve_f32(&mut self) {
        self.gradient.copy_from_slice(&self.b);
        self.single.solve(&mut self.gradient);
    }

    #[inline(never)]
    fn solve_faer(&mut self) {
        self.gradient.copy_from_slice(&self.b);
        self.faer.solve(&mut self.gradient);
    }

    #[inline(never)]
    fn gradient(&mut self) {
        self.objective.gradient(&self.model, &self.x, &mut self.gradient);
    }

    #[inline(never)]
    fn value(&mut self) {
        black_box(self.objective.value(&self.model, &self.x));
    }

    #[inline(never)]
    fn assemble_hessian(&mut self) {
        self.objective.hessian(&self.model, &self.x, &self.slots, &mut self.hessian);
    }

    #[inline(never)]
    fn multiply_hessian(&mut self) {
        self.hessian.multiply(&self.b, &mut self.gradient);
    }

    #[inline(never)]
    fn ten_iterations(&mut self) {
        self.moved.clone_from(&self.state);
        self.integrator
            .step(&self.model, &mut self.moved, taut::integrator::Contacts::default(), H)
            .expect("finite");
    }

    #[inline(never)]
    fn order_dissection(&mut self) {
        black_box(nested_dissection(&self.matrix.pattern));
    }

    #[inline(never)]
    fn order_degree(&mut self) {
        black_box(minimum_degree(&self.matrix.pattern));
    }

    #[inline(never)]
    fn prefactor(&mut self) {
        let symbolic = Symbolic::new(&self.matrix.pattern, &Sequence::new(&self.matrix.pattern));
        black_box(Factor::new(&symbolic, &self.matrix, Precision::Double).is_ok());
    }

    #[inline(never)]
    fn analyse(&mut self) {
        let sequence = self.objective.sequence(&self.model).restricted(&self.objective.rows.of);
        black_box(Symbolic::new(&self.matrix.pattern, &sequence));
    }

    #[inline(never)]
    fn refactor(&mut self) {
        self.double.refactor(&self.matrix).expect("positive definite");
    }

    /// Membranes and bending of a cloth of cotton.
    #[inline(never)]
    fn cloth_gradient(&mut self) {
        self.cloth.gradient();
    }

    #[inline(never)]
    fn cloth_curvature(&mut self) {
        self.cloth.curvature();
    }

    /// Blocks of a hippo of rubber.
    #[inline(never)]
    fn solid_gradient(&mut self) {
        self.solid.gradient();
    }

    #[inline(never)]
    fn solid_curvature(&mut self) {
        self.solid.curvature();
    }
}
