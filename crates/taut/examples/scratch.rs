use taut::*;
pub fn curtain(n: usize, k: f64) -> (Model, State) {
    let mut m = Model::default();
    let id = |r: usize, c: usize| (r * n + c) as u32;
    let d = 1.0 / (n - 1) as f64;
    for r in 0..n {
        for c in 0..n {
            m.rest.push(DVec3::new(c as f64 * d - 0.5, 0.0, r as f64 * d - 0.5));
            m.masses.push(1.0 / (n * n) as f64);
        }
    }
    let mut e = vec![];
    for r in 0..n {
        for c in 0..n {
            if c + 1 < n {
                e.push((id(r, c), id(r, c + 1)));
            }
            if r + 1 < n {
                e.push((id(r, c), id(r + 1, c)));
            }
        }
    }
    for r in 0..n - 1 {
        for c in 0..n - 1 {
            if (r + c) % 2 == 0 {
                e.push((id(r, c), id(r + 1, c + 1)))
            } else {
                e.push((id(r, c + 1), id(r + 1, c)))
            }
        }
    }
    for r in 0..n {
        for c in 0..n {
            if c + 2 < n {
                e.push((id(r, c), id(r, c + 2)));
            }
            if r + 2 < n {
                e.push((id(r, c), id(r + 2, c)));
            }
        }
    }
    for (a, b) in e {
        let r = (m.rest[a as usize] - m.rest[b as usize]).length();
        m.springs.push(Spring::new(a, b, r, k));
    }
    let mut s = State::at_rest(&m);
    let mut seed = 1u64;
    for p in &mut s.positions {
        for c in 0..3 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            p[c] += ((seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5) * 2e-4;
        }
    }
    s.pin(0);
    s.pin(n - 1);
    (m, s)
}
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let k: f64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let which = std::env::args().nth(3).unwrap();
    let frames: usize = std::env::args().nth(4).unwrap().parse().unwrap();
    let (m, s) = curtain(n, k);
    let mk = |solver| NewtonSettings { solver, ..Default::default() };
    let method = match which.as_str() {
        "lg" => Method::LocalGlobal(Stop::iterations(10)),
        "newton" => Method::newton(),
        "jacobi" => Method::Newton(mk(LinearSolver::PcgJacobi)),
        "constant" => Method::Newton(mk(LinearSolver::PcgConstant)),
        "hybrid" => Method::hybrid(),
        "semi" => Method::SemiImplicit(LinearSolver::Cholesky),
        _ => panic!(),
    };
    let mut sim = Simulation::with_state(m, s, method, 1.0 / 30.0).unwrap();
    for f in 0..frames {
        let r = sim.step().unwrap();
        let st = measure::stretch_ratios(sim.model(), sim.state());
        println!(
            "{f} {:?} stretch {:.3}..{:.3} prep {:.4} int {:.4}  E {:.4}",
            r.solve,
            st[0],
            st[st.len() - 1],
            r.seconds.prepare,
            r.seconds.integrate,
            sim.energy().total()
        );
    }
    println!("hash {:016x}", measure::hash(sim.state()));
}
