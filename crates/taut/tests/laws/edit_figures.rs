//! Edits in numbers: a thousand at random have the answer of a fresh simulation, ten thousand do no harm, cuts fill no
//! factor.
//!
//! `./check` does a tenth of them; all, in some minutes: `TAUT_LONG=1 cargo test -p taut --test laws edit_figures`.

use super::cut::block;
use crate::common::{Random, distance, take};
use taut::linear::{Elimination, Pattern, Sequence};
use taut::shapes::{Grid, published};
use taut::{
    Blade, DVec3, Edit, Error, Filter, Method, Model, Precision, Settings, Simulation, State, Stop, Way,
    measure,
};

/// So many of a number.
fn share(all: usize) -> usize {
    if std::env::var_os("TAUT_LONG").is_some() { all } else { all / 10 }
}

fn settings(precision: Precision) -> Settings {
    let method = Method::LocalGlobal(Stop::iterations(1));
    Settings { precision, ..Settings::without_contact(method, 1.0 / 60.0) }
}

/// The model in the state it has, prepared afresh: what is held is pinned.
fn afresh(simulation: &Simulation, precision: Precision) -> Simulation {
    let (model, state) = (simulation.model().clone(), simulation.state().clone());
    let mut fresh = Simulation::with_state(model, state, settings(precision)).unwrap();
    fresh.configure(settings(precision)).unwrap();
    fresh
}

fn blade(random: &mut Random, simulation: &Simulation) -> Blade {
    let at = |random: &mut Random| {
        let x = simulation.positions();
        x[random.bits() as usize % x.len()] + random.vector(0.05)
    };
    let [a, b] = [at(random), at(random)];
    let along = if simulation.model().tets.is_empty() { DVec3::Y * 3.0 } else { random.vector(1.5) };
    Blade::sweep(&[a - 0.5 * along, b - 0.5 * along], along).unwrap()
}

/// Grab, release, pin, free, weigh otherwise, cut.
fn edit(random: &mut Random, simulation: &mut Simulation) -> Result<(), Error> {
    let (m, springs) = (simulation.model().particles(), simulation.model().springs.len());
    let particle = random.bits() as usize % m;
    let place = simulation.positions()[particle] + random.vector(0.01);
    match random.bits() % 12 {
        0..=3 => simulation.grab(particle, place),
        4..=6 => {
            let pinned = (0..m).filter(|&i| simulation.state().filters[i].is_pinned()).collect::<Vec<_>>();
            let Some(&one) = pinned.get(particle % pinned.len().max(1)) else { return Ok(()) };
            simulation.release(one)
        }
        // So many that they are pinned, not held.
        7 => (0..40).try_for_each(|i| simulation.pin((particle + 3 * i) % m)),
        8 => (0..m).try_for_each(|i| simulation.release(i)),
        9 | 10 => simulation.scale_stiffness(springs / 3..springs / 2, random.range(0.8, 1.25)),
        _ => simulation.cut(&blade(random, simulation)).map(drop),
    }
}

fn thousand(start: impl Fn() -> Simulation, precision: Precision, seed: u64) {
    let mut random = Random(seed);
    let mut simulation = start();
    let mut ways = std::collections::BTreeMap::new();
    let (mut worst, mut cuts): (f64, usize) = (0.0, 0);
    let all = share(1000);
    for number in 0..all {
        if simulation.model().copies.len() > simulation.model().particles() / 2 {
            let other = start();
            simulation
                .rebuild(|model, state| {
                    (*model, *state) = (other.model().clone(), other.state().clone());
                    Ok(())
                })
                .unwrap();
        }
        edit(&mut random, &mut simulation).unwrap();
        let mut double = afresh(&simulation, Precision::Double);
        take(&mut double, 1);
        let held: Vec<(usize, DVec3)> = (0..simulation.model().particles())
            .filter_map(|i| match simulation.state().filters[i] {
                Filter::Pinned(place) => Some((i, place)),
                _ => None,
            })
            .collect();
        let single = (precision == Precision::Single).then(|| {
            let mut single = afresh(&simulation, Precision::Single);
            take(&mut single, 1);
            distance(single.positions(), double.positions())
        });
        let report = simulation.step().unwrap();
        *ways.entry(report.way).or_insert(0) += 1;
        cuts += usize::from(report.parted.is_some());
        let apart = distance(simulation.positions(), double.positions());
        assert!(held.iter().all(|&(i, place)| simulation.positions()[i] == place), "edit {number}");
        match single {
            None => assert!(apart <= 1e-10, "edit {number}, {}: {apart:e} m", report.way),
            Some(usual) => {
                // Where the factor is stored in double precision after all, both are as exact as that.
                worst = worst.max(apart / usual.max(1e-11));
                let bound = (10.0 * usual).max(1e-10);
                assert!(apart <= bound, "edit {number}, {}: {apart:e} m of {usual:e}", report.way);
            }
        }
    }
    println!("{ways:?}, {cuts} cuts, worst {worst}");
    assert!(
        ways.get(&Way::Held) > Some(&(all / 5))
            && ways.get(&Way::KeptOrder) > Some(&(all / 5))
            && cuts > all / 34,
        "{ways:?}"
    );
}

fn cloth(side: usize, precision: Precision) -> Simulation {
    let grid = Grid { columns: side, rows: side, stretch: 300.0, shear: 80.0, bend: 3.0, ..Grid::default() };
    let mut simulation = Simulation::new(grid.build().unwrap(), settings(precision)).unwrap();
    simulation.pin(0).unwrap();
    take(&mut simulation, 2);
    simulation
}

fn solid(precision: Precision) -> Simulation {
    let mut simulation = Simulation::new(block(9).model().clone(), settings(precision)).unwrap();
    (0..10).for_each(|i| simulation.pin(i).unwrap());
    take(&mut simulation, 2);
    simulation
}

#[test]
fn a_thousand_edits_of_a_cloth_in_double() {
    thousand(|| cloth(32, Precision::Double), Precision::Double, 1);
}

#[test]
fn a_thousand_edits_of_a_cloth_in_single() {
    thousand(|| cloth(32, Precision::Single), Precision::Single, 2);
}

#[test]
fn a_thousand_edits_of_a_block_in_double() {
    thousand(|| solid(Precision::Double), Precision::Double, 3);
}

#[test]
fn a_thousand_edits_of_a_block_in_single() {
    thousand(|| solid(Precision::Single), Precision::Single, 4);
}

/// The middle of the Curtain dragged for a second, held against pinned.
#[test]
fn a_drag_is_that_of_a_pin() {
    for (precision, bound) in [(Precision::Double, 1e-10), (Precision::Single, 1e-6)] {
        let method = Method::LocalGlobal(Stop::iterations(10));
        let settings = Settings { precision, ..Settings::without_contact(method, 1.0 / 60.0) };
        let mut held = Simulation::new(published::curtain(81).unwrap(), settings.clone()).unwrap();
        [0, 80].iter().for_each(|&i| held.pin(i).unwrap());
        take(&mut held, 5);
        let (from, middle) = (held.positions()[3280], 3280);
        let mut pinned: Option<Simulation> = None;
        for step in 1..=60 {
            let place = from + DVec3::new(0.002, 0.005, -0.003) * f64::from(step);
            held.grab(middle, place).unwrap();
            let pinned = pinned.get_or_insert_with(|| {
                let (model, state) = (held.model().clone(), held.state().clone());
                let mut pinned = Simulation::with_state(model, state, settings.clone()).unwrap();
                pinned.configure(settings.clone()).unwrap();
                pinned
            });
            pinned.grab(middle, place).unwrap();
            let way = held.step().unwrap().way;
            take(pinned, 1);
            assert_eq!(way, if step == 1 { Way::Held } else { Way::Nothing });
            if precision == Precision::Double || step == 1 {
                let apart = distance(held.positions(), pinned.positions());
                assert!(apart <= bound, "{precision:?}, step {step}: {apart:e} m");
            }
            assert_eq!(held.positions()[middle], place);
        }
    }
}

/// Everything that hands and scripts do, so often, and the hash it ends with.
fn events(count: usize) -> u64 {
    let mut random = Random(77);
    let mut simulation = cloth(20, Precision::Single);
    let (model, state) = (simulation.model().clone(), State::at_rest(simulation.model()));
    let (mut refused, mut most) = (0, 0);
    for number in 0..count {
        match random.bits() % 40 {
            0 => simulation.edit(Edit::Replace(Box::new((model.clone(), state.clone())))).unwrap(),
            1 => {
                let particle = random.bits() as usize % simulation.model().particles();
                simulation.cut_at(particle).map(drop).unwrap();
            }
            _ => refused += usize::from(edit(&mut random, &mut simulation).is_err()),
        }
        if number % 2 == 0 {
            simulation.step().unwrap();
            assert!(simulation.positions().iter().all(|p| p.is_finite()));
        }
        let now = simulation.model();
        assert!(now.copies.len() <= 4 * model.particles() && now.springs.len() <= 4 * model.springs.len());
        most = most.max(simulation.snapshot().len());
    }
    assert!(refused < count / 4 && simulation.events().is_empty());
    assert!(most < 10 * cloth(20, Precision::Single).snapshot().len(), "{most} bytes");
    measure::hash(simulation.state())
}

/// On any number of threads the same; what rounds otherwise (the feature `plain`) comes to another end, as often the same.
#[test]
fn ten_thousand_events_do_no_harm() {
    let on = |threads: usize, count: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| events(count))
    };
    let count = share(10_000);
    let hash = on(1, count);
    assert!([2, 3].iter().all(|&threads| on(threads, count) == hash));
}

fn pattern(model: &Model) -> Pattern {
    Pattern::new(model.particles(), model.springs.iter().map(|s| s.ends)).0
}

fn fill(pattern: &Pattern, order: &Sequence) -> f64 {
    Elimination::new(pattern, order.as_slice()).fill() as f64
}

/// A cut makes the factor smaller, though another order would gain a little more; many strokes never make it larger.
#[test]
fn cuts_do_not_fill_the_factor() {
    let start = || Simulation::new(published::curtain(81).unwrap(), settings(Precision::Double)).unwrap();
    let mut simulation = start();
    let whole = pattern(simulation.model());
    let order = Sequence::new(&whole);
    let before = fill(&whole, &order);
    let [low, high] = taut::bounds::extent(simulation.positions().iter().copied());
    let stroke = |[a, b]: [[f64; 2]; 2]| {
        let at = |[x, z]: [f64; 2]| {
            DVec3::new(low.x + x * (high.x - low.x), low.y - 1.0, low.z + z * (high.z - low.z))
        };
        Blade::sweep(&[at(a), at(b)], DVec3::Y * 3.0).unwrap()
    };
    let cut = simulation.cut(&stroke([[0.5013, -1.0], [0.5013, 2.0]])).unwrap();
    let parted = pattern(simulation.model());
    let (kept, fresh) =
        (fill(&parted, &order.with_copies(&cut.copies)), fill(&parted, &Sequence::new(&parted)));
    println!("{before} {kept} {fresh}: {} of a fresh order's", kept / fresh);
    assert!(kept <= 1.10 * fresh && kept < before, "{before} {kept} {fresh}");

    let (mut simulation, mut order, mut random, mut worst) = (start(), order, Random(9), 0.0_f64);
    for _ in 0..50 {
        let at = |random: &mut Random| [random.range(-0.1, 1.1), random.range(-0.1, 1.1)];
        let all = simulation.model().copies.len();
        let cut = simulation.cut(&stroke([at(&mut random), at(&mut random)])).unwrap();
        let tenths = |copies: usize| 10 * copies / (81 * 81);
        let parted = pattern(simulation.model());
        // Ordered afresh with every further tenth, as a simulation does.
        let again = tenths(all) != tenths(all + cut.copies.len());
        order = if again { Sequence::new(&parted) } else { order.with_copies(&cut.copies) };
        worst = worst.max(fill(&parted, &order) / before);
    }
    println!("at most {worst} of the uncut");
    assert!(worst <= 1.10, "{worst}");
}

/// A cut that turns out to make no model is refused when much is done: it leaves model, state, factor and log.
#[test]
fn a_cut_that_makes_no_model_is_undone() {
    let mut simulation = cloth(12, Precision::Double);
    simulation
        .rebuild(|model, _| {
            // Half of the least mass there is would be none.
            model.masses[66] = f64::from_bits(1);
            Ok(())
        })
        .unwrap();
    simulation.record();
    simulation.grab(100, simulation.positions()[100]).unwrap();
    let x = simulation.positions()[66];
    let knife =
        Blade::sweep(&[x - DVec3::new(0.001, 2.0, 2.0), x - DVec3::new(0.001, 2.0, -2.0)], DVec3::Y * 4.0);
    let knife = knife.unwrap();
    let (before, log) = (simulation.snapshot(), simulation.log().to_vec());
    let message = simulation.cut(&knife).unwrap_err().to_string();
    assert!(message.contains("mass is 0"), "{message}");
    assert!(simulation.snapshot() == before && simulation.log() == log);
    // By a script, by a log and from a copy too.
    let mut apart = simulation.apart();
    apart.edit(Edit::Wind(DVec3::X)).unwrap();
    assert!(apart.edit(Edit::Cut(knife.clone())).is_err());
    simulation
        .replay(vec![taut::Recorded { step: simulation.state().step, edit: Edit::Cut(knife.clone()) }])
        .unwrap();
    let message = simulation.step().unwrap_err().to_string();
    assert!(message.contains("mass is 0"), "{message}");
    simulation.replay(Vec::new()).unwrap();
    assert!(simulation.snapshot() == before && simulation.log() == log);
    let scripted = taut::Event { time: 0.0, edit: Edit::Cut(knife) };
    let mut scripting = Simulation::restore(&before).unwrap().simulation;
    scripting.set_script(vec![scripted]).unwrap();
    let there = scripting.snapshot();
    assert!(scripting.step().is_err() && scripting.snapshot() == there);
}
