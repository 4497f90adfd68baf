//! The discrete elastic catenary. At rest the horizontal tension H is the same in every spring and the vertical
//! one grows by mg at each mass, so spring j is `(r + |T_j|/k) T_j/|T_j|` with `T_j = (H, V + j mg)`; H and V
//! are those for which the springs lead from pin to pin. They minimise the complementary energy
//! `Φ = Σ (r|T| + |T|²/2k) − T·(pin to pin)`, which is convex, so damped Newton always finds them.

use super::bodies::{line, settle};
use super::common::distance;
use taut::{DVec3, Method, Settings, Simulation};

struct Catenary {
    springs: usize,
    rest_length: f64,
    stiffness: f64,
    /// mg of each mass between two springs [N].
    weight: f64,
    /// From the first pin to the last.
    span: (f64, f64),
}

impl Catenary {
    fn tension(&self, j: usize, (h, v): (f64, f64)) -> (f64, f64) {
        (h, v + j as f64 * self.weight)
    }

    /// Φ, where the springs end, and the second derivatives (hh, hv, vv) of Φ.
    fn shoot(&self, t: (f64, f64)) -> (f64, (f64, f64), [f64; 3]) {
        let (mut energy, mut end, mut second) = (0.0, (0.0, 0.0), [0.0; 3]);
        for j in 0..self.springs {
            let (h, v) = self.tension(j, t);
            let length = h.hypot(v);
            let factor = self.rest_length / length + 1.0 / self.stiffness;
            energy += self.rest_length * length + length * length / (2.0 * self.stiffness);
            end = (end.0 + factor * h, end.1 + factor * v);
            let bend = self.rest_length / length.powi(3);
            second[0] += factor - bend * h * h;
            second[1] -= bend * h * v;
            second[2] += factor - bend * v * v;
        }
        (energy - t.0 * self.span.0 - t.1 * self.span.1, end, second)
    }

    /// The tension (H, V) of the first spring, by damped Newton on Φ.
    fn solve(&self) -> (f64, f64) {
        let total = self.weight * self.springs as f64;
        let mut t = (total, -0.5 * total);
        for _ in 0..200 {
            let (energy, end, [hh, hv, vv]) = self.shoot(t);
            let gap = (end.0 - self.span.0, end.1 - self.span.1);
            let det = hh * vv - hv * hv;
            let step = ((hv * gap.1 - vv * gap.0) / det, (hv * gap.0 - hh * gap.1) / det);
            let slope = step.0 * gap.0 + step.1 * gap.1;
            let mut s = 1.0;
            while s > 1e-3 && self.shoot((t.0 + s * step.0, t.1 + s * step.1)).0 > energy + 1e-4 * s * slope {
                s *= 0.5;
            }
            // Near the end Φ cannot tell points apart any more, and Newton needs no help.
            s = if s > 1e-3 { s } else { 1.0 };
            t = (t.0 + s * step.0, t.1 + s * step.1);
        }
        t
    }

    fn positions(&self) -> Vec<DVec3> {
        let t = self.solve();
        let mut at = DVec3::ZERO;
        let mut all = vec![at];
        for j in 0..self.springs {
            let (h, v) = self.tension(j, t);
            let factor = self.rest_length / h.hypot(v) + 1.0 / self.stiffness;
            at += DVec3::new(factor * h, factor * v, 0.0);
            all.push(at);
        }
        all
    }
}

/// Distance between simulation and shooting, over the length of the chain.
fn error(n: usize, span: (f64, f64), method: Method) -> f64 {
    let (length, mass, rigidity, g) = (1.0, 0.4, 200.0, 9.81);
    let (r, m) = (length / n as f64, mass / n as f64);
    let catenary = Catenary { springs: n, rest_length: r, stiffness: rigidity / r, weight: m * g, span };
    let expected = catenary.positions();
    let end = DVec3::new(span.0, span.1, 0.0);
    let gap = (expected[n] - end).length();
    assert!(gap < 1e-13, "the oracle misses the pin by {gap:e}");

    // Released from two straight halves, the lowest point well below the pins.
    let half = n / 2;
    let middle = 0.5 * end - DVec3::new(0.0, 0.5 * length, 0.0);
    let place = |i: usize| match i <= half {
        true => middle * (i as f64 / half as f64),
        false => middle.lerp(end, (i - half) as f64 / (n - half) as f64),
    };
    let springs = vec![(catenary.rest_length, catenary.stiffness); n];
    let model = line((0..=n).map(place).collect(), vec![m; n + 1], &springs);
    let mut simulation = Simulation::new(model, Settings::without_contact(method, 1.0)).unwrap();
    simulation.pin(0).unwrap();
    simulation.pin(n).unwrap();
    for h in [0.1, 1.0, 10.0] {
        settle(&mut simulation, h, 10);
    }
    distance(simulation.positions(), &expected) / length
}

#[test]
fn a_chain_between_two_pins_hangs_in_the_catenary() {
    for n in [20, 100, 500] {
        for span in [(0.7, 0.0), (0.5, 0.4), (0.98, 0.1)] {
            let error = error(n, span, Method::newton());
            println!("N {n}, span {span:?}: {error:e}");
            assert!(error <= 1e-8, "N {n}, span {span:?}: {error:e}");
        }
    }
}
