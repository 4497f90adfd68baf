//! What is simulated: a model in the middle of its motion, and the minimisation problem of its next step, which taut
//! solves here and peers read from a file (format: benches/peers/problem.hpp).

use super::place::Place;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::Write;
use std::path::Path;
use taut::energy::Objective;
use taut::integrator::{objective, relative_error};
use taut::run::files::Draft;
use taut::{
    DVec3, Damping, Error, Filter, Method, Model, Scene, Settings, Simulation, SpringKind, State, Stop,
};

/// Time step of every case \[s\].
pub const H: f64 = 1.0 / 30.0;

/// A step about to be taken.
pub struct Case {
    pub name: String,
    pub model: Model,
    pub state: State,
}

impl Case {
    /// The Curtain of [Liu13] with any side and stiffness \[N/m\], at rest, without a ground to fall on.
    pub fn curtain(side: usize, stiffness: f64) -> Result<Self, Error> {
        let text = format!(
            "[[body]]\ngrid = {{ columns = {side}, rows = {side}, width = 1.0, height = 1.0 }}\nmass = 1.0\n\
             stretch = {stiffness:?}\nshear = {stiffness:?}\nbend = {stiffness:?}\nperturbation = 1e-4\n\
             [[pin]]\nat = [\"top_left\", \"top_right\"]\n"
        );
        let scene = Scene::parse(&format!("curtain{side}"), &text, None)?;
        Ok(Case { name: format!("curtain{side}_k{stiffness}"), model: scene.model, state: scene.state })
    }

    /// A ball of tetrahedra with about so many particles, held below.
    pub fn ball(particles: usize) -> Result<Self, Error> {
        let text = format!(
            "[[body]]\nsolid = {{ parts = [{{ sphere = {{ centre = [0.0, 0.0, 0.0], radius = 0.3 }} }}], \
             particles = {particles} }}\nmass = 1.0\nstretch = 160.0\n\
             [[pin]]\nbox = [[-1.0, -1.0, -1.0], [1.0, -0.25, 1.0]]\n"
        );
        let scene = Scene::parse("ball", &text, None)?;
        Ok(Case { name: format!("ball{particles}"), model: scene.model, state: scene.state })
    }

    /// A built-in scene, at rest.
    pub fn builtin(name: &str) -> Result<Self, Error> {
        let scene = Scene::load(name)?;
        Ok(Case { name: name.into(), model: scene.model, state: scene.state })
    }

    /// The same with its particles numbered at random.
    pub fn shuffled(mut self) -> Self {
        let mut order: Vec<usize> = (0..self.model.particles()).collect();
        order.sort_by_cached_key(|&i| BuildHasherDefault::<DefaultHasher>::default().hash_one(i));
        let mut place = vec![0; order.len()];
        (0u32..).zip(&order).for_each(|(new, &old)| place[old] = new);
        let Case { name, model, state } = &mut self;
        *name += "_shuffled";
        model.masses = order.iter().map(|&i| model.masses[i]).collect();
        state.filters = order.iter().map(|&i| state.filters[i]).collect();
        for list in [&mut model.rest, &mut state.positions, &mut state.velocities, &mut state.forces] {
            *list = order.iter().map(|&i| list[i]).collect();
        }
        let ends = model.springs.iter_mut().flat_map(|s| &mut s.ends);
        let corners = ends.chain(model.triangles.as_flattened_mut()).chain(model.tets.as_flattened_mut());
        corners.for_each(|i| *i = place[*i as usize]);
        self
    }

    /// So many of the same, which nothing connects.
    pub fn times(mut self, count: usize) -> Self {
        self.name += &format!("_x{count}");
        let one = self.model.clone();
        (1..count).for_each(|_| _ = self.model.append(&one));
        let State { positions, velocities, forces, filters, .. } = &mut self.state;
        for list in [positions, velocities, forces] {
            *list = list.repeat(count);
        }
        *filters = filters.repeat(count);
        self
    }

    /// The same after some steps.
    pub fn after(mut self, steps: usize, method: Method, tell: impl Fn(String)) -> Result<Self, Error> {
        let mut simulation =
            Simulation::with_state(self.model.clone(), self.state, Settings::without_contact(method, H))?;
        for step in 1..=steps {
            tell(format!("frame {step} of {steps} of {}", self.name));
            simulation.step()?;
        }
        self.state = simulation.state().clone();
        Ok(self)
    }

    /// The same in motion: a few preview steps.
    pub fn moving(self) -> Result<Self, Error> {
        self.after(5, Method::LocalGlobal(Stop::iterations(10)), |_| ())
    }

    /// g of the coming step.
    pub fn objective(&self) -> Objective {
        objective(&self.model, &self.state, H, &Damping::default())
    }

    /// Write the problem for peers.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let Case { model, state, .. } = self;
        if model.springs.iter().any(|s| s.kind != SpringKind::Linear) {
            return Err(Error::setting("springs", "extension-only", "peers know linear springs only"));
        }
        let o = self.objective();
        let mut out = b"TAUTPRB1".to_vec();
        out.extend((model.particles() as u64).to_le_bytes());
        out.extend((model.springs.len() as u64).to_le_bytes());
        put(&mut out, [H]);
        put(&mut out, model.masses.iter().copied());
        for s in &model.springs {
            s.ends.iter().for_each(|e| out.extend(e.to_le_bytes()));
            put(&mut out, [s.stiffness, s.rest_length]);
        }
        put(&mut out, flat(&o.inertia));
        put(&mut out, flat(&o.target));
        out.extend(state.filters.iter().map(|f| u8::from(matches!(f, Filter::Pinned(_)))));
        store(path, &out)
    }
}

/// The benchmark frame of a Curtain: g at the start of its last frame, g at the exact minimum, and the state before it.
pub struct Frame {
    pub case: Case,
    pub start: f64,
    pub exact: f64,
}

impl Frame {
    /// Frame `frames` after the ones before it were solved exactly. That takes a minute for the large Curtain, so the
    /// result is kept in the target folder.
    pub fn of(
        side: usize,
        stiffness: f64,
        frames: usize,
        place: &Place,
        tell: impl Fn(String),
    ) -> Result<Self, Error> {
        let mut case = Case::curtain(side, stiffness)?;
        let path = place.scratch(&format!("{}_frame{frames}.state", case.name))?;
        let m = case.model.particles();
        let mut numbers = std::fs::read(&path).map(|bytes| get(&bytes)).unwrap_or_default();
        if numbers.len() != 2 + 6 * m {
            case = case.after(frames - 1, Method::hybrid(), &tell)?;
            tell(format!("the exact minimum of frame {frames} of {}", case.name));
            let answer = Case { name: String::new(), model: case.model.clone(), state: case.state.clone() };
            let answer = answer.after(1, Method::LocalGlobal(Stop::iterations(300)), |_| ())?.state.positions;
            let error = relative_error(&case.model, &case.state, H, &Damping::default(), &answer)?;
            numbers = vec![error.start, error.exact];
            numbers.extend(flat(&case.state.positions).chain(flat(&case.state.velocities)));
            let mut bytes = Vec::new();
            put(&mut bytes, numbers.iter().copied());
            store(&path, &bytes)?;
        }
        let vectors: Vec<DVec3> = numbers[2..].chunks_exact(3).map(DVec3::from_slice).collect();
        case.state.positions.copy_from_slice(&vectors[..m]);
        case.state.velocities.copy_from_slice(&vectors[m..]);
        Ok(Frame { case, start: numbers[0], exact: numbers[1] })
    }

    /// Eq. (15) of [Liu13].
    pub fn error(&self, g: f64) -> f64 {
        (g - self.exact) / (self.start - self.exact)
    }

    /// g at a relative error.
    pub fn goal(&self, error: f64) -> f64 {
        self.exact + error * (self.start - self.exact)
    }
}

pub fn flat(points: &[DVec3]) -> impl Iterator<Item = f64> + '_ {
    points.iter().flat_map(|p| p.to_array())
}

pub fn put(out: &mut Vec<u8>, numbers: impl IntoIterator<Item = f64>) {
    numbers.into_iter().for_each(|v| out.extend(v.to_le_bytes()));
}

fn get(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes"))).collect()
}

/// Write a file under its name only when it is complete.
pub fn store(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    Draft::new(path)?.fill(|draft| draft.write_all(bytes)).map(|_| ())
}
