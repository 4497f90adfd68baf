//! Contact under stress: every step of every scene is checked for intersecting triangles.
use taut::collision::{ContactSettings, Level};
use taut::geometry::{Candidates, Distances, Surface, Tree};
use taut::shapes::Grid;
use taut::{DVec3, Method, Model, Settings, Simulation, State, Stop, measure};

fn crosses(x: &[DVec3], e: [u32; 2], f: [u32; 3]) -> bool {
    let [p, q] = e.map(|i| x[i as usize]);
    let [a, b, c] = f.map(|i| x[i as usize]);
    let n = (b - a).cross(c - a);
    let (u, v) = (n.dot(p - a), n.dot(q - a));
    if u * v > 0.0 {
        return false;
    }
    let d = q - p;
    let s = |a: DVec3, b: DVec3| d.cross(a - p).dot(b - p);
    let (r, s, t) = (s(a, b), s(b, c), s(c, a));
    (r > 0.0 && s > 0.0 && t > 0.0) || (r < 0.0 && s < 0.0 && t < 0.0)
}

fn crossings(model: &Model, x: &[DVec3]) -> usize {
    // every edge against every face through a tree of boxes would be better; brute force by grid of boxes here
    let surface = Surface::new(model.particles(), &model.triangles, &[]).unwrap();
    let mut tree = Tree::new(&surface, &model.rest);
    tree.refit(x, x);
    let mut c = Candidates::default();
    tree.pairs(&[], Distances::default(), &mut c);
    // edge–edge candidates: boxes overlap. An edge crossing a face has a box that meets those of the face's edges or holds them; take neighbours.
    let mut count = 0;
    let mut of_edge = vec![Vec::new(); surface.edges.len()];
    for (f, es) in surface.face_edges.iter().enumerate() {
        for &e in es {
            of_edge[e as usize].push(f);
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    for &[a, b] in &c.edge_edge {
        for (e, o) in [(a, b), (b, a)] {
            for &f in &of_edge[o as usize] {
                let (ev, fv) = (surface.edges[e as usize], surface.faces[f]);
                if fv.iter().any(|i| ev.contains(i)) {
                    continue;
                }
                if crosses(x, ev, fv) && seen.insert((e, f)) {
                    count += 1;
                }
            }
        }
    }
    count
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let get = |k: &str, d: f64| {
        args.iter().find_map(|a| a.strip_prefix(&format!("{k}="))).map_or(d, |v| v.parse().unwrap())
    };
    let (n, layers, steps, rate, turns) = (
        get("n", 21.0) as usize,
        get("layers", 1.0) as usize,
        get("steps", 300.0) as usize,
        get("rate", 60.0),
        get("turns", 1.3),
    );
    let level: Level = args.iter().find_map(|a| a.strip_prefix("level=")).unwrap_or("exact").parse().unwrap();
    let scene = args.first().map_or("twist", |s| s.as_str());
    let h = 1.0 / rate;
    let mut model = Model::default();
    let mut state_positions = Vec::new();
    let mut random = get("seed", 1.0) as u64;
    let mut noise = move || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((random >> 33) as f64) / (1u64 << 31) as f64 - 0.5
    };
    for l in 0..layers {
        let grid = Grid {
            columns: n,
            rows: n,
            mass: get("mass", 0.3),
            stretch: get("stretch", 1000.0),
            shear: get("shear", 500.0),
            bend: get("bend", 10.0),
            ..Grid::default()
        };
        let one = grid.build().unwrap();
        let size = get("gap", 0.02);
        for p in &one.rest {
            state_positions
                .push(*p + DVec3::Y * (size * l as f64) + 1e-4 * DVec3::new(noise(), noise(), noise()));
        }
        model.append(&one);
    }
    model.bodies.iter_mut().for_each(|b| b.skin.friction = get("mu", 0.3));
    if scene == "twist" {
        model.gravity = DVec3::ZERO;
    }
    let mut state = State::at_rest(&model);
    state.positions = state_positions;
    let x0 = state.positions.clone();
    let mut handles = Vec::new();
    if scene == "twist" {
        for l in 0..layers {
            for r in 0..n {
                for c in [0, n - 1] {
                    let i = l * n * n + r * n + c;
                    state.pin(i);
                    handles.push((i, c == 0));
                }
            }
        }
    }
    if scene == "pile" {
        for i in 0..n * n {
            state.pin(i);
        }
    }
    let settings = Settings {
        contact: ContactSettings {
            rounds: args.iter().find_map(|a| a.strip_prefix("rounds=")).map(|r| r.parse().unwrap()),
            ..ContactSettings::new(level)
        },
        ..Settings::new(Method::ConjugateGradient(Stop::iterations(get("iterations", 10.0) as usize)), h)
    };
    let mut sim = Simulation::with_state(model, state, settings).unwrap();
    let (mut bad, mut rounds, mut worst_rounds, mut zones, mut largest) = (0, 0, 0, 0, 0);
    let mut collide = 0.0;
    let mut integrate = 0.0;
    let centre = x0.iter().sum::<DVec3>() / x0.len() as f64;
    for step in 0..steps {
        if scene == "twist" {
            let angle = turns * std::f64::consts::TAU * (step + 1) as f64 / steps as f64;
            for &(i, left) in &handles {
                let q = glam::DQuat::from_rotation_x(if left { angle / 2.0 } else { -angle / 2.0 });
                sim.grab(i, centre + q * (x0[i] - centre)).unwrap();
            }
        }
        match sim.step() {
            Ok(report) => {
                if let Some(r) = report.contact {
                    rounds += r.rounds;
                    worst_rounds = worst_rounds.max(r.rounds);
                    zones += usize::from(r.zones > 0);
                    largest = largest.max(r.largest_zone);
                    if get("verbose", 0.0) > 0.0 {
                        println!("{step}: {r:?}");
                    }
                }
                collide += report.seconds.collide;
                integrate += report.seconds.integrate;
            }
            Err(e) => {
                println!("step {step}: {e}");
                break;
            }
        }
        let c = crossings(sim.model(), sim.positions());
        if c > 0 {
            bad += 1;
            if bad <= 3 {
                println!("step {step}: {c} crossings");
            }
        }
    }
    let ratios = measure::stretch_ratios(sim.model(), sim.state());
    let speed = sim.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    println!(
        "{scene} n={n} layers={layers}: bad steps {bad}, rounds mean {:.2} max {worst_rounds}, zone steps {zones} largest {largest}, p99 {:.3} max {:.3}, speed {speed:.2e}, collide {:.2} ms integrate {:.2} ms",
        rounds as f64 / steps as f64,
        ratios[ratios.len() * 99 / 100],
        ratios[ratios.len() - 1],
        1e3 * collide / steps as f64,
        1e3 * integrate / steps as f64
    );
}
