//! Law: a damaged snapshot is refused, never a panic, and restoring takes at most 16 MiB + 8 × its size of memory, whatever
//! it says. A binary of its own, because it counts every allocation.

use peak_alloc::PeakAlloc;
use std::sync::{Mutex, PoisonError};
use taut::collision::{Obstacle, Shape};
use taut::shapes::Grid;
use taut::{DVec3, Edit, Error, Event, Method, Path, Restored, Scheme, Settings, Simulation};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Where the payload begins: after the mark, format, rounding, version, hash of the model and length.
const PAYLOAD: usize = 8 + 4 + 1 + (1 + env!("CARGO_PKG_VERSION").len()) + 8 + 8;

/// Splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % most
    }
}

/// A sheet that falls on the ground, by a method that remembers the step before, contacts and paths.
fn rich(side: usize, steps: usize) -> Simulation {
    let model = Grid { columns: side, rows: side, ..Grid::default() }.build().unwrap();
    let method: Method = "baraff_witkin".parse().unwrap();
    let settings = Settings { scheme: Scheme::Bdf2, ..Settings::without_contact(method, 1.0 / 60.0) };
    let mut simulation = Simulation::new(model, settings).unwrap();
    let ground =
        Obstacle { shape: Shape::Ground { height: -0.002 }, margin: 0.0, friction: 0.5, motion: None };
    simulation.set_obstacles(vec![ground]).unwrap();
    let keys = vec![(0.0, DVec3::ZERO), (1.0, DVec3::X)];
    let hold = Edit::Hold { particles: vec![side * side - 1], path: Path { keys } };
    simulation.set_script(vec![Event { time: 0.02, edit: hold }]).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    simulation
}

/// One test at a time, because memory is counted for all.
static ALONE: Mutex<()> = Mutex::new(());

/// Restore, and hold it to the bound on memory.
fn restore(bytes: &[u8]) -> Result<Simulation, Error> {
    HEAP.reset_peak_usage();
    let before = HEAP.current_usage();
    let restored = Simulation::restore(bytes);
    let used = HEAP.peak_usage() - before;
    assert!(used <= (16 << 20) + 8 * bytes.len(), "{used} bytes for a snapshot of {}", bytes.len());
    restored.map(|restored| restored.simulation)
}

fn refused(bytes: &[u8], what: &str) {
    match restore(bytes) {
        Ok(_) => panic!("{what} was accepted"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn fnv(bytes: &[u8]) -> u64 {
    let add = |h: u64, &b: &u8| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, add)
}

/// The bytes with the hash of the file put right, as if they had been written so.
fn rehashed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let hash = fnv(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&hash);
    bytes
}

/// What refuses bytes whose header was changed, and only that: their hash is right.
#[test]
fn a_header_that_lies_is_refused() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let good = rich(3, 2).snapshot();
    let (format, hash, length) = (8, PAYLOAD - 16, PAYLOAD - 8);
    let with = |at: usize, change: fn(u8) -> u8| {
        let mut bytes = good.clone();
        bytes[at] = change(bytes[at]);
        rehashed(bytes)
    };
    assert!(restore(&with(format, |byte| byte)).is_ok(), "unchanged");
    let versions = Simulation::restore(&with(14, |_| b'9')).unwrap().notes;
    assert!(versions[0].contains("made by taut 9"), "{versions:?}");
    refused(&with(format, |byte| byte + 1), "another format");
    refused(&with(hash, |byte| byte ^ 1), "the hash of another model");
    refused(&with(length, |byte| byte - 1), "a length that is too short");
    refused(&with(length, |byte| byte + 1), "a length that is too long");
    refused(&[&good[..], &[0]].concat(), "a byte too many");
    let mut longer = with(length, |byte| byte + 1);
    longer.insert(good.len() - 8, 0);
    refused(&rehashed(longer), "a byte that means nothing");
}

/// A number that is not finite, wherever it is put: the snapshot is refused, or the number is nowhere in the simulation,
/// because what was overwritten is not a number.
#[test]
fn no_number_is_read_that_is_not_finite() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let good = rich(3, 12).snapshot();
    let mut accepted = 0;
    for (at, bad) in (PAYLOAD..good.len() - 16).flat_map(|at| [(at, f64::NAN), (at, f64::NEG_INFINITY)]) {
        let mut bytes = good.clone();
        bytes[at..at + 8].copy_from_slice(&bad.to_le_bytes());
        // The model is hashed too, so changes of it are seen anyway; the rest is what is tried here.
        let Ok(Restored { simulation, .. }) = Simulation::restore(&rehashed(bytes)) else { continue };
        let state = (simulation.state(), simulation.settings(), simulation.events(), simulation.obstacles());
        let text = format!("{state:?}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{bad} at {at}: {text}");
        accepted += 1;
    }
    assert!(accepted > 100, "{accepted}");
}

/// The payload of a snapshot of four particles at rest, list by list.
struct Forged {
    /// Model, settings, and the state up to its positions.
    head: Vec<u8>,
    /// Velocities and forces; filters; where time is counted from.
    vectors: Vec<u8>,
    filters: Vec<u8>,
    origin: Vec<u8>,
    /// What the integrator remembers: lists of vectors, and counters.
    lists: Vec<u8>,
    counters: Vec<u8>,
    /// Begun events and carried particles; who is held; contacts; what crosses.
    script: Vec<u8>,
    held: Vec<u8>,
    contacts: Vec<u8>,
    crossed: Vec<u8>,
    loads: Vec<u8>,
    events: Vec<u8>,
    obstacles: Vec<u8>,
    order: Vec<u8>,
    recorded: Vec<u8>,
    header: Vec<u8>,
}

impl Forged {
    fn new() -> Self {
        let model = Grid { columns: 2, rows: 2, ..Grid::default() }.build().unwrap();
        let simulation = Simulation::new(model, Settings::without_contact(Method::default(), 0.01)).unwrap();
        let good = simulation.snapshot();
        let numbers = simulation.positions().iter().flat_map(|p| p.to_array());
        let positions: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
        // The rest pose, which is the same, comes before.
        let last = |at: &usize| good[*at..].starts_with(&positions);
        let end = (PAYLOAD..good.len()).rfind(last).unwrap() + positions.len();
        let four = [&[4][..], &[0; 96]].concat();
        Forged {
            head: good[PAYLOAD..end].to_vec(),
            vectors: [&four[..], &four].concat(),
            filters: vec![4, 0, 0, 0, 0],
            origin: vec![0; 9],
            lists: vec![0],
            counters: vec![0],
            script: vec![0, 0],
            held: vec![0],
            contacts: vec![0],
            crossed: vec![0, 0],
            loads: vec![0],
            events: vec![0],
            obstacles: vec![0],
            order: vec![0],
            recorded: vec![0],
            header: good[..PAYLOAD - 8].to_vec(),
        }
    }

    /// The snapshot, with all hashes right.
    fn bytes(&self) -> Vec<u8> {
        let state = [&self.head, &self.vectors, &self.filters, &self.origin, &self.lists, &self.counters];
        let rest = [&self.script, &self.held, &self.contacts, &self.crossed, &self.loads];
        let after = [&self.events, &self.obstacles, &self.order, &self.recorded];
        let payload: Vec<u8> = state.into_iter().chain(rest).chain(after).flatten().copied().collect();
        let length = (payload.len() as u64).to_le_bytes();
        rehashed([&self.header[..], &length, &payload, &[0; 8]].concat())
    }
}

/// A list as a payload has it: its length, seven bits to a byte, and its entries.
fn list(count: usize, entry: &[u8]) -> Vec<u8> {
    let digits = |n: &usize| Some(n >> 7).filter(|n| *n > 0);
    let mut length: Vec<u8> =
        std::iter::successors(Some(count), digits).map(|n| (n & 127) as u8 | 128).collect();
    *length.last_mut().unwrap() &= 127;
    [length, entry.repeat(count)].concat()
}

/// Long lists of what is short in bytes and large in memory, and memories that no simulation has.
#[test]
fn forged_lists_are_refused_in_little_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(restore(&Forged::new().bytes()).unwrap().state().step, 0, "what is forged here is sound");
    const MANY: usize = 1_000_000;
    let zeros = |count: usize| list(count, &[0]);
    let nothing_released = [&[0; 8][..], &[2, 0]].concat();
    let ground = [0; 26];
    type Forgery = (&'static str, fn(&mut Forged, Vec<u8>), Vec<u8>);
    let forgeries: [Forgery; 15] = [
        ("filters", |f, list| f.filters = list, zeros(MANY)),
        ("remembered lists", |f, list| f.lists = list, zeros(MANY)),
        ("counters", |f, list| f.counters = list, zeros(3 * MANY)),
        ("events", |f, list| f.events = list, list(MANY, &nothing_released)),
        ("recorded edits", |f, list| f.recorded = list, list(MANY, &[0, 2, 0])),
        ("obstacles", |f, list| f.obstacles = list, list(MANY, &ground)),
        ("order", |f, list| f.order = list, [vec![1], zeros(MANY)].concat()),
        ("short order", |f, list| f.order = list, vec![1, 3, 0, 1, 2]),
        ("short memory", |f, list| f.lists = list, list(4, &list(3, &[0; 24]))),
        ("time in the future", |f, list| f.origin = list, [&[0; 8][..], &[1]].concat()),
        ("events that are not there", |f, list| f.script = list, vec![1, 0]),
        ("held particles that are not there", |f, list| f.held = list, list(4 * MANY, &[255])),
        ("a held particle that is free", |f, list| f.held = list, list(4, &[0])),
        ("half a held particle", |f, list| f.held = list, list(6, &[0])),
        ("a path that is not there", |f, list| f.script = list, [&[0, 1][..], &[0; 26]].concat()),
    ];
    for (what, forge, bytes) in forgeries {
        let mut forged = Forged::new();
        forge(&mut forged, bytes);
        refused(&forged.bytes(), what);
    }
}

/// The bytes with one of these numbers, wherever it stands, not a number.
fn poisoned(good: &[u8], value: f64) -> Option<Vec<u8>> {
    let at = good.windows(8).position(|w| w == value.to_le_bytes())?;
    let mut bytes = good.to_vec();
    bytes[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    Some(rehashed(bytes))
}

fn hurt(good: &[u8], known: &[f64], rounds: usize, random: &mut Random) {
    for _ in 0..rounds {
        let end = random.below(good.len());
        refused(&good[..end], &format!("the first {end} bytes"));
        let mut bytes = good.to_vec();
        let at = random.below(good.len());
        bytes[at] ^= 1 << random.below(8);
        refused(&bytes, &format!("byte {at} with another bit"));
        let value = known[random.below(known.len())];
        let bytes = poisoned(good, value).unwrap_or_else(|| panic!("{value} is not in the snapshot"));
        refused(&bytes, &format!("NaN for {value}"));
        // With a right hash anything may be inside: it is refused, or sound, and steps or says why not.
        let mut bytes = good.to_vec();
        let at = 14 + random.below(good.len() - 40);
        match random.below(3) {
            0 => bytes[at] = random.below(256) as u8,
            // A length that lies, and the largest there is.
            1 => bytes[at..at + 4].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]),
            _ => bytes[at..at + 10].copy_from_slice(&[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
        }
        if let Ok(mut simulation) = restore(&rehashed(bytes)) {
            let _ = simulation.step();
        }
    }
}

/// Some numbers of every kind that stand in the snapshot: of the state, of the step before, of settings, events,
/// obstacles. (Not all velocities of the step before do: friction changes some before they are remembered.)
fn numbers(before: &Simulation, now: &Simulation, snapshot: &[u8]) -> Vec<f64> {
    let (old, state) = (before.state(), now.state());
    let vectors = [&state.positions, &state.velocities, &old.positions, &old.velocities];
    let all: Vec<f64> = vectors.into_iter().flatten().flat_map(|v| v.to_array()).collect();
    let mut some: Vec<f64> = all.iter().copied().step_by(all.len() / 200 + 1).collect();
    some.extend([0.02, 1.0 / 60.0, -0.002, state.time]);
    let tried = some.len();
    some.retain(|v| *v != 0.0 && snapshot.windows(8).any(|w| w == v.to_le_bytes()));
    assert!(2 * some.len() > tried && some.contains(&-0.002) && some.contains(&0.02));
    some
}

/// Of all that may be in a snapshot, lists of indices were the largest in memory for their size.
#[test]
fn long_lists_take_little_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut simulation = rich(5, 1);
    let particles: Vec<usize> = (0..2_000_000).map(|i| i % 25).collect();
    let event = Event { time: 1.0, edit: Edit::Release { particles } };
    simulation.set_script(vec![event]).unwrap();
    let snapshot = simulation.snapshot();
    assert!(snapshot.len() > 4_000_000);
    restore(&snapshot).unwrap();
}

#[test]
fn damaged_snapshots_are_refused_in_little_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut random = Random(11);
    for (side, steps, rounds) in [(5, 12, 500), (100, 3, 5)] {
        let (before, now) = (rich(side, steps - 1), rich(side, steps));
        let good = now.snapshot();
        assert_eq!(restore(&good).unwrap().state(), now.state());
        hurt(&good, &numbers(&before, &now, &good), rounds, &mut random);
    }
}
