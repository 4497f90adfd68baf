//! A step allocates nothing after the first, whatever the method, with every damper on, wind, and moving pins.

// A global allocator cannot be written otherwise; this one only counts.
#![allow(unsafe_code)]

use crate::samples::{accelerated, curtain};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use taut::collision::{ContactSettings, Level};
use taut::{
    DVec3, Damping, Edit, Event, Explicit, Filter, ImexSettings, LinearSolver, Method, NewtonSettings, Path,
    Scheme, Settings, Simulation, Stop, StrainLimit,
};

struct Counting;

thread_local! {
    // Per thread, so that tests running beside this one are not counted; constant, so that it needs no memory.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // The thread may be ending, and its counter gone.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

pub fn allocations(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    f();
    ALLOCATIONS.get() - before
}

fn methods() -> Vec<Method> {
    let solvers = [LinearSolver::Cholesky, LinearSolver::PcgJacobi, LinearSolver::PcgConstant];
    let settings = |solver| NewtonSettings { stop: Stop::iterations(30), solver };
    let mut methods =
        vec![Method::LocalGlobal(Stop::iterations(10)), Method::LocalGlobal(Stop::budget(1e-3))];
    methods.extend(accelerated(Stop::iterations(10)));
    for solver in solvers {
        methods.push(Method::Newton(settings(solver)));
        // Enough for it to go on to Newton.
        methods.push(Method::Hybrid(NewtonSettings { stop: Stop::iterations(400), solver }));
        methods.push(Method::SemiImplicit(solver));
    }
    let imex = ImexSettings { guess: true, newton: 2, ..ImexSettings::default() };
    methods.extend([Method::BaraffWitkin(imex), Method::StaticImex(imex), Method::AdaptiveImex(imex)]);
    methods.extend([Method::Pbd(Stop::iterations(10)), Method::Xpbd(Stop::iterations(10))]);
    methods
}

const DAMPING: Damping = Damping { ether: 0.99, rigid: 0.1, drag: 0.2, material: 1e-3 };

#[test]
fn counting_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8]))), 1);
    assert_eq!(allocations(|| ()), 0);
}

/// 1/30 s: compressed springs, so indefinite Hessians, shifts and signed factors are among what is counted.
#[test]
fn integrators_allocate_nothing_in_a_step() {
    for method in methods() {
        // Explicit shear and bend springs would blow up.
        let h = if matches!(method, Method::StaticImex(_)) { 1e-3 } else { 1.0 / 30.0 };
        let (mut model, mut state) = curtain(13);
        model.air.density = 1.2;
        model.air.wind = DVec3::new(1.0, 0.0, 3.0);
        let mut integrator = method.integrator(DAMPING, Default::default(), Default::default());
        integrator.prepare(&model, &state, h).expect("the model is sound");
        let (mut total, mut indefinite) = (0, 0);
        for step in 0..12 {
            let used = allocations(|| {
                if let Filter::Pinned(z) = &mut state.filters[0] {
                    *z += DVec3::new(0.005, 0.01, 0.0);
                }
                indefinite += integrator
                    .step(&model, &mut state, taut::integrator::Contacts::default(), h)
                    .expect("a finite step")
                    .indefinite;
            });
            total += if step == 0 { 0 } else { used };
        }
        println!("{method:?}: {total} allocations, {indefinite} indefinite");
        assert_eq!(total, 0, "{method:?}");
    }
}

/// Large enough to be shared out among threads; here there is one, so that it is the one that counts.
#[test]
fn large_models_allocate_nothing_in_a_step() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| {
        for method in accelerated(Stop::iterations(3)).into_iter().chain([Method::default()]) {
            let (model, state) = curtain(110);
            assert!(model.springs.len() > 50_000);
            let mut simulation =
                Simulation::with_state(model, state, Settings::without_contact(method.clone(), 1.0 / 30.0))
                    .expect("sound");
            simulation.step().expect("a finite step");
            let used = allocations(|| (0..3).for_each(|_| assert!(simulation.step().is_ok())));
            assert_eq!(used, 0, "{method:?}");
        }
    });
}

/// The step in which a scripted event begins is an edit and keeps a copy to undo it by; here that is the first.
#[test]
fn simulations_allocate_nothing_in_a_step() {
    // At 1/30 s the semi-implicit method throws particles away after some steps; rounding says after how many.
    let h = |m: &Method| if matches!(m, Method::SemiImplicit(_)) { 1e-3 } else { 1.0 / 30.0 };
    let implicit = methods().into_iter().flat_map(|m| Scheme::NAMES.map(|s| (m.clone(), s.1, h(&m))));
    let explicit = Explicit::NAMES.map(|(_, order)| (Method::Explicit(order), Scheme::default(), 1e-3));
    let known = |(m, s, _): &(Method, Scheme, f64)| m.check_scheme(*s).is_ok();
    for (method, scheme, h) in implicit.chain(explicit).filter(known) {
        let (mut model, state) = curtain(9);
        model.air.density = 1.2;
        let settings = Settings {
            scheme,
            damping: DAMPING,
            conserve: if scheme == Scheme::Bdf2 { 0.0 } else { 0.5 },
            limit: Some(StrainLimit { stretch: 1e-3, ..StrainLimit::default() }),
            ..Settings::without_contact(method.clone(), h)
        };
        let mut simulation = Simulation::with_state(model, state, settings).expect("sound");
        let path = Path { keys: vec![(0.0, DVec3::ZERO), (1.0, DVec3::new(0.2, 0.3, 0.0))] };
        let lift = Event { time: 0.0, edit: Edit::Hold { particles: vec![0, 8], path } };
        let gust = Event { time: 0.0, edit: Edit::Wind(DVec3::Z * 3.0) };
        simulation.set_script(vec![lift, gust]).expect("sound");
        simulation.step().expect("a finite step");
        let mut step = || {
            simulation.step().unwrap_or_else(|why| panic!("{method:?} {scheme:?}: {why}"));
        };
        let used = allocations(|| (0..12).for_each(|_| step()));
        assert_eq!(used, 0, "{method:?} {scheme:?}");
    }
}

/// Two cloths that meet, some steps, then the same steps again: lists have grown in the first.
#[test]
fn contact_allocates_nothing_once_its_lists_have_grown() {
    for (method, level) in [("conjugate_gradient", Level::Fast), ("newton", Level::Exact)] {
        let (mut model, mut state) = curtain(13);
        let (cloth, count) = (model.clone(), model.particles());
        model.append(&cloth);
        let mut both = taut::State::at_rest(&model);
        both.positions[..count].copy_from_slice(&state.positions);
        for (k, &place) in state.positions.iter().enumerate() {
            both.positions[count + k] = place + DVec3::Y * (0.05 + 1e-3 * (k as f64).sin());
            both.velocities[count + k] = DVec3::new(0.1, -4.0, 0.0);
        }
        both.filters[..count].swap_with_slice(&mut state.filters);
        let contact = ContactSettings::new(level);
        let settings = Settings { contact, ..Settings::without_contact(method.parse().unwrap(), 1.0 / 60.0) };
        let mut simulation = Simulation::with_state(model, both, settings).expect("sound");
        simulation.step().expect("a finite step");
        let start = simulation.state().clone();
        let mut contacts = 0;
        let mut steps = |simulation: &mut Simulation| {
            for _ in 0..12 {
                contacts += simulation.step().expect("a finite step").contact.expect("it is on").contacts;
            }
        };
        steps(&mut simulation);
        let end = simulation.state().clone();
        simulation.return_to(&start).expect("it had this state");
        let used = allocations(|| steps(&mut simulation));
        assert_eq!(simulation.state(), &end, "the same steps");
        assert!(contacts > 300, "{contacts} contacts");
        assert_eq!(used, 0, "{method} {level}");
    }
}
