//! Live runs: whatever is done to a simulation, and however late what was prepared apart is adopted, its log tells it all.

use crate::common::{Random, take};
use std::collections::BTreeMap;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use taut::collision::{ContactSettings, Level, Motion, Obstacle, Pose, Shape};
use taut::shapes::Grid;
use taut::{Apart, Blade, DVec3, Edit, Error, Method, Path, Recorded, Scheme, Settings, Simulation, Solid};
use taut::{StrainLimit, Way};

const STEPS: u64 = 200;

fn start(level: Level, seed: u64) -> Simulation {
    let mut model = Grid { columns: 17, rows: 17, bend: 1.0, ..Grid::default() }.build().unwrap();
    model.air.density = 1.2;
    let contact = ContactSettings { level, ..ContactSettings::default() };
    let settings = Settings { contact, ..Settings::new(Method::default(), 1.0 / 60.0) };
    let settings = match seed % 3 {
        0 => Settings { scheme: Scheme::Bdf2, ..settings },
        1 => Settings { limit: Some(StrainLimit::default()), conserve: 0.2, ..settings },
        _ => settings,
    };
    let mut simulation = Simulation::new(model, settings).unwrap();
    let ball = Shape::Sphere { centre: DVec3::new(0.0, -0.6, 0.0), radius: 0.2 };
    let ball = Obstacle { shape: ball, margin: 0.01, friction: 0.3, motion: Some(Motion::default()) };
    simulation.set_obstacles(vec![ball]).unwrap();
    (0..17).for_each(|i| simulation.pin(i).unwrap());
    simulation.record();
    simulation
}

/// A stroke from above through where the cloth may be.
fn stroke(random: &mut Random) -> Blade {
    let [a, b] = [(); 2].map(|()| DVec3::new(random.range(-0.7, 0.7), -2.0, random.range(-0.7, 0.7)));
    Blade::sweep(&[a, b], DVec3::Y * 4.0).unwrap()
}

/// Something a hand does between two steps.
fn touch(random: &mut Random, simulation: &mut Simulation) -> Result<(), Error> {
    let (m, s) = (simulation.model().particles(), simulation.model().springs.len());
    let particle = random.bits() as usize % m;
    let near = simulation.positions()[particle] + random.vector(0.02);
    match random.bits() % 24 {
        0..=3 => simulation.grab(particle, near),
        4..=7 => simulation.release(particle),
        8 => {
            let path = Path { keys: vec![(0.0, DVec3::ZERO), (0.2, random.vector(0.1))] };
            simulation.edit(Edit::Hold { particles: vec![particle], path })
        }
        9 => simulation.set_wind(random.vector(2.0)),
        10 => simulation.edit(Edit::Gravity(DVec3::new(0.0, -9.81, 0.0) + random.vector(1.0))),
        11 => simulation.scale_stiffness(s / 3..s / 2, random.range(0.9, 1.1)),
        12 => simulation.set_force(particle, random.vector(0.1)),
        13 => simulation.cut(&stroke(random)).map(drop),
        14 => {
            let time_step = random.range(0.8, 1.2) / 60.0;
            simulation.configure(Settings { time_step, ..simulation.settings().clone() })
        }
        15 => {
            simulation.halt();
            Ok(())
        }
        16 => {
            let pose = Pose { shift: random.vector(0.1), ..Pose::default() };
            simulation.move_solid(Solid::Obstacle(0), pose)
        }
        17 => simulation.edit(Edit::Positions { particles: vec![particle], positions: vec![near] }),
        _ => Ok(()),
    }
}

/// The ways in which edits were followed, by number, and the log of a run whose cuts are prepared on another thread, that
/// much later than they could be.
fn live(mut simulation: Simulation, seed: u64, late: Duration) -> (Simulation, BTreeMap<Way, usize>) {
    let mut random = Random(seed);
    let mut preparing: Option<JoinHandle<Apart>> = None;
    let mut ways = BTreeMap::new();
    for step in 0..STEPS {
        if let Some(done) = preparing.take_if(|thread| thread.is_finished() || step % 40 == 39) {
            simulation.adopt(done.join().unwrap()).unwrap();
        }
        if preparing.is_none() && step.is_multiple_of(9) {
            let (mut apart, knife) = (simulation.apart(), stroke(&mut random));
            preparing = Some(thread::spawn(move || {
                apart.edit(Edit::Cut(knife)).unwrap();
                apart.prepare().unwrap();
                thread::sleep(late);
                apart
            }));
        }
        if step.is_multiple_of(3) {
            touch(&mut random, &mut simulation).unwrap();
        }
        *ways.entry(simulation.step().unwrap().way).or_default() += 1;
    }
    (simulation, ways)
}

fn replayed(mut simulation: Simulation, log: &[Recorded]) -> Simulation {
    simulation.replay(log.to_vec()).unwrap();
    take(&mut simulation, STEPS as usize);
    simulation
}

/// However long the preparing thread takes, the log gives the run again, to the bit; so does a snapshot on the way.
#[test]
fn a_log_gives_the_run_again() {
    let mut apart = 0;
    for (seed, level) in [(1, Level::Off), (2, Level::Fast), (3, Level::Off)] {
        for late in [0, 1, 50] {
            let (done, ways) = live(start(level, seed), seed, Duration::from_millis(late));
            apart += ways.get(&Way::Apart).copied().unwrap_or(0);
            let cuts = done.log().iter().filter(|one| matches!(one.edit, Edit::Open(_)));
            assert!(cuts.count() > 1, "seed {seed}, {late} ms late");
            let again = replayed(start(level, seed), done.log());
            assert!(again.state() == done.state(), "seed {seed}, {late} ms late");
            assert!(again.model() == done.model());
            assert_eq!(again.log(), done.log());
            let mut half = start(level, seed);
            half.replay(done.log().to_vec()).unwrap();
            take(&mut half, 77);
            let mut half = Simulation::restore(&half.snapshot()).unwrap().simulation;
            take(&mut half, STEPS as usize - 77);
            assert!(half.state() == done.state(), "a snapshot knows the edits to come");
        }
    }
    assert!(apart > 0, "what was prepared apart is used");
}

/// What the copy has prepared is used, and the step is that of the same edit made at once, to the bit; a copy that cannot
/// be used costs no bit either.
#[test]
fn adopting_is_editing_at_once() {
    let knife = Blade::sweep(&[DVec3::new(0.01, -2.0, -0.9), DVec3::new(0.02, -2.0, 0.9)], DVec3::Y * 4.0);
    let knife = knife.unwrap();
    type Meanwhile = fn(&mut Simulation);
    let cases: [(&str, Meanwhile, Way); 7] = [
        ("nothing", |_| (), Way::Apart),
        ("wind", |s| s.set_wind(DVec3::X).unwrap(), Way::Apart),
        ("grab", |s| s.grab(200, DVec3::Y * 0.1).unwrap(), Way::Apart),
        ("grab and step", |s| (s.grab(200, DVec3::Y * 0.1), take(s, 3)).0.unwrap(), Way::Apart),
        ("release", |s| s.release(3).unwrap(), Way::KeptOrder),
        ("stiffness", |s| s.scale_stiffness(0..9, 2.0).unwrap(), Way::KeptOrder),
        (
            "settings",
            |s| s.configure(Settings { conserve: 0.1, ..s.settings().clone() }).unwrap(),
            Way::KeptOrder,
        ),
    ];
    for (what, meanwhile, way) in cases {
        let mut simulation = start(Level::Fast, 2);
        take(&mut simulation, 5);
        let mut other = Simulation::restore(&simulation.snapshot()).unwrap().simulation;
        take(&mut other, 0);
        let mut apart = simulation.apart();
        apart.edit(Edit::Cut(knife.clone())).unwrap();
        apart.prepare().unwrap();
        meanwhile(&mut simulation);
        meanwhile(&mut other);
        simulation.adopt(apart).unwrap();
        let Some(Recorded { edit, .. }) = simulation.log().last().cloned() else { panic!("it is logged") };
        other.edit(edit).unwrap();
        for _ in 0..4 {
            simulation.step().unwrap();
        }
        take(&mut other, 4);
        assert!(simulation.state() == other.state(), "{what}");
        assert!(simulation.snapshot() == other.snapshot(), "{what}");
        let mut simulation = start(Level::Fast, 2);
        take(&mut simulation, 5);
        let mut apart = simulation.apart();
        apart.edit(Edit::Cut(knife.clone())).unwrap();
        apart.prepare().unwrap();
        meanwhile(&mut simulation);
        simulation.adopt(apart).unwrap();
        let report = simulation.step().unwrap();
        assert_eq!((report.way, report.parted.is_some()), (way, true), "{what}");
    }
}

/// If the model was cut meanwhile, the blade decides anew; edits that cannot be made any more are refused, all of them.
#[test]
fn what_was_cut_meanwhile_is_cut_anew() {
    let knife = |x: f64| {
        Blade::sweep(&[DVec3::new(x, -2.0, -0.9), DVec3::new(x, -2.0, 0.9)], DVec3::Y * 4.0).unwrap()
    };
    let mut simulation = start(Level::Off, 2);
    take(&mut simulation, 3);
    let mut apart = simulation.apart();
    apart.edit(Edit::Cut(knife(0.1))).unwrap();
    apart.edit(Edit::Wind(DVec3::Z)).unwrap();
    apart.prepare().unwrap();
    simulation.cut(&knife(-0.1)).unwrap();
    simulation.adopt(apart).unwrap();
    assert_eq!(simulation.step().unwrap().parted.unwrap().pieces, 3);
    let mut apart = simulation.apart();
    apart.edit(Edit::Wind(DVec3::X)).unwrap();
    apart.edit(Edit::Release { particles: vec![300] }).unwrap();
    let small = Grid { columns: 5, rows: 5, ..Grid::default() }.build().unwrap();
    let state = taut::State::at_rest(&small);
    simulation.edit(Edit::Replace(Box::new((small, state)))).unwrap();
    take(&mut simulation, 2);
    let (before, log) = (simulation.snapshot(), simulation.log().to_vec());
    let message = simulation.adopt(apart).unwrap_err().to_string();
    assert!(message.contains("particle 300"), "{message}");
    assert!(simulation.snapshot() == before && simulation.log() == log);
    take(&mut simulation, 2);
}

/// A recorded edit that cannot be made fails its step, which leaves everything as it was.
#[test]
fn a_log_of_something_else_is_refused() {
    let mut simulation = start(Level::Off, 2);
    let wrong = |edit| vec![Recorded { step: 2, edit }];
    let nan = simulation.replay(wrong(Edit::Wind(DVec3::NAN))).unwrap_err().to_string();
    assert!(nan.contains("after step 2"), "{nan}");
    let mut log = wrong(Edit::Wind(DVec3::X));
    log.extend(wrong(Edit::Release { particles: vec![7, 4000] }));
    simulation.replay(log).unwrap();
    take(&mut simulation, 2);
    let (before, log) = (simulation.snapshot(), simulation.log().len());
    for _ in 0..2 {
        let message = simulation.step().unwrap_err().to_string();
        assert!(message.contains("particle 4000") || message.contains("after step 2"), "{message}");
        assert!(simulation.snapshot() == before && simulation.log().len() == log);
    }
    simulation.replay(Vec::new()).unwrap();
    take(&mut simulation, 1);
}
