//! Continuous detection against exact arithmetic: nothing missed, nothing late, no scale preferred.

mod distance;
mod exact;
mod judge;
mod oracle;
mod queries;

use crate::common::Random;
use glam::DVec3;
use judge::Tally;
use queries::{FAMILIES, Query};
use taut::geometry::{Ended, Kind, Tolerance, first_touch, nearest};

fn tally(indices: std::ops::Range<u64>, tolerance: Tolerance) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); FAMILIES.len()];
    for index in indices {
        let query = queries::generate(index);
        let contact = oracle::first_contact(query.kind, &query.start, &query.end);
        tallies[index as usize % FAMILIES.len()].judge(&query, contact.as_ref(), tolerance);
    }
    tallies
}

#[test]
fn no_contact_is_missed_and_no_time_is_late() {
    let tallies = tally(0..5000, Tolerance::default());
    let mut all = Tally::default();
    for (tally, family) in tallies.iter().zip(FAMILIES) {
        assert!(tally.is_sound(), "{family}\n{}\n{}", Tally::TITLE, tally.row());
        assert!(tally.hits > 10 && tally.free > 10, "{family} tests nothing");
        all.add(tally);
    }
    assert!(all.median_lead() < 1e-5, "{}", all.row());
    let [_, rounding, rounds] = all.alarms;
    assert!(100 * (rounding + rounds) < all.hits + all.free, "{}", all.row());
}

#[test]
fn the_tolerance_may_be_as_small_as_rounding() {
    let mut all = Tally::default();
    for tally in tally(5000..6000, Tolerance { relative: 1e-13, rounds: 200 }) {
        assert!(tally.is_sound(), "{}\n{}", Tally::TITLE, tally.row());
        all.add(&tally);
    }
    assert!(all.median_lead() < 1e-12, "{}", all.row());
}

/// A vertex in or just off a narrow triangle, or two edges that are nearly parallel and nearly touch.
fn narrow(index: u64) -> Query {
    let mut random = Random(index);
    let kind = if index.is_multiple_of(2) { Kind::VertexFace } else { Kind::EdgeEdge };
    let [a, b] = [random.vector(1.0), random.vector(1.0)];
    let width = random.magnitude(1e-16, 1e-2);
    let height = random.vector(1.0) * random.magnitude(1e-16, 1e-2);
    let [s, t] = [random.range(0.0, 1.0), random.range(0.0, 1.0)];
    let off = random.vector(width);
    let points = match kind {
        Kind::VertexFace => {
            let c = a.lerp(b, random.range(0.0, 1.0)) + off;
            [a.lerp(b.lerp(c, t), s) + height, a, b, c]
        }
        Kind::EdgeEdge => {
            let along = b - a + off;
            let through = a.lerp(b, s) + height;
            [a, b, through - t * along, through + (1.0 - t) * along]
        }
    };
    Query { kind, start: points, end: points }
}

/// Distances are right to rounding of the pair's size, whatever its shape; and the weights say the same.
#[test]
fn nearest_points_are_nearest() {
    for index in 0..20_000u64 {
        let query = if index.is_multiple_of(4) { narrow(index / 4) } else { queries::generate(index) };
        let Query { kind, start, .. } = query;
        let found = nearest(kind, &start);
        let size = (1..4).map(|i| (start[i] - start[0]).length()).fold(0.0, f64::max);
        let exact = distance::distance(kind, &start);
        let error = (found.vector.length() - exact).abs();
        assert!(error <= 4.0 * f64::EPSILON * size, "{error:e} of {size:e}, query {index}: {start:?}");
        let first = if kind == Kind::VertexFace { 1 } else { 2 };
        let (a, b) = found.weights.split_at(first);
        assert!(a.iter().all(|w| *w >= 0.0) && b.iter().all(|w| *w <= 0.0), "{found:?}");
        for (sum, one) in [(a.iter().sum::<f64>(), 1.0), (b.iter().sum::<f64>(), -1.0)] {
            assert!((sum - one).abs() <= f64::EPSILON, "{found:?}");
        }
        let vector: DVec3 = (0..4).map(|i| found.weights[i] * (start[i] - start[3])).sum();
        assert!((vector - found.vector).length() <= 8.0 * f64::EPSILON * size, "query {index}: {found:?}");
    }
}

/// Two points and a gap: the time at which they come that near is the root of a quadratic.
#[test]
fn a_gap_is_kept() {
    let mut random = Random(7);
    for _ in 0..2000 {
        let (p, q, gap) = (random.vector(1.0), random.vector(2.0), random.range(0.0, 1.0));
        let [start, end] = [p, q].map(|p| [p, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO]);
        let found = first_touch(Kind::VertexFace, &start, &end, gap, Tolerance::default());
        // |p + t (q − p)|² = gap²
        let (a, b, c) = ((q - p).length_squared(), p.dot(q - p), p.length_squared() - gap * gap);
        let time = if c <= 0.0 { Some(0.0) } else { Some((-b - (b * b - a * c).sqrt()) / a) };
        let time = time.filter(|t| (0.0..=1.0).contains(t));
        match (found, time) {
            (Some(found), Some(time)) => {
                assert!(found.time <= time + 1e-14, "{found:?} but {time}");
                let lead = (p + found.time * (q - p)).length() - gap;
                assert!(lead <= 1e-6 * 4.0 || time == 0.0, "{found:?}: {lead}");
            }
            (None, None) => {}
            (Some(found), None) => {
                let d = (p + found.time * (q - p)).length();
                assert!(d <= gap + 4e-6, "{found:?}: {d} but {gap}");
            }
            (None, Some(time)) => panic!("missed at {time}: {p} {q} {gap}"),
        }
    }
}

/// For any pair the distance stays at least the gap up to the reported time, at many times between.
#[test]
fn before_a_touch_the_gap_is_kept_at_every_sampled_time() {
    let mut random = Random(11);
    let mut hits = 0;
    for index in 0..1000 {
        let Query { kind, start, end } = queries::generate(index);
        let size = (1..4).map(|i| (start[i] - start[0]).length()).fold(0.0, f64::max);
        let gap = size * random.magnitude(1e-4, 0.3);
        let found = first_touch(kind, &start, &end, gap, Tolerance::default());
        let until = found.map_or(1.0, |f| f.time);
        hits += usize::from(found.is_some_and(|f| f.ended == Ended::Near));
        for i in 0..=20 {
            let t = until * f64::from(i) / 20.0;
            let now: [DVec3; 4] = std::array::from_fn(|k| start[k] + t * (end[k] - start[k]));
            let far = now.iter().fold(0.0, |m: f64, p| m.max(p.length()));
            let short = gap - nearest(kind, &now).vector.length();
            // Positions rounded at t are off by rounding of their distance from the origin.
            assert!(short <= 16.0 * f64::EPSILON * far || until == 0.0, "query {index} at {t}: {short:e}");
        }
    }
    assert!(hits > 200, "{hits}");
}

/// Times have the same bits at every power of two, down to numbers that have lost their leading bit; where squares
/// overflow, what was a hit stays one. Nothing is ever not a number.
#[test]
fn the_range_of_numbers_has_no_ends() {
    let mut compared = 0;
    for index in (2..2000).step_by(7) {
        let query = queries::generate(index);
        // Whole numbers, at the origin: they fit where few bits are left.
        let size = query.start.iter().chain(&query.end).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        let unit = 2f64.powi(-(size.log2().ceil() as i32) + 3);
        let [start, end] = [query.start, query.end].map(|p| p.map(|p| (p * unit).round()));
        let expected = first_touch(query.kind, &start, &end, 0.0, Tolerance::default());
        for power in [-1074, -1022, -900, -600, -250, 0, 200, 250, 600, 900, 1015, 1020] {
            let [a, b] = [power / 2, power - power / 2].map(|p| 2f64.powi(p));
            let [start, end] = [start, end].map(|p| p.map(|p| p * a * b));
            let found = first_touch(query.kind, &start, &end, 0.0, Tolerance::default());
            if let Some(found) = found {
                assert!(found.time >= 0.0 && found.time <= 1.0 && found.normal.is_finite(), "{found:?}");
                assert!(found.weights.iter().all(|w| w.is_finite()), "{found:?}");
            }
            if power <= 200 {
                assert_eq!(found, expected, "query {index} at 2^{power}");
                compared += 1;
            } else if expected.is_some() {
                assert!(found.is_some(), "query {index} at 2^{power}");
            }
        }
    }
    assert!(compared > 1000);
}

/// The oracle knows roots that are known: 1/3, a double one at 1/2 and one at 1 of 6 t⁴ − …, in order and in sign.
#[test]
fn the_oracle_knows_roots() {
    use exact::Polynomial;
    let linear = |a: i64, b: i64| Polynomial::new(vec![a.into(), b.into()]);
    let (third, half, one) = (linear(-1, 3), linear(-1, 2), linear(-1, 1));
    let product = third.times(&half).times(&half).times(&one).times(&linear(1, 1));
    let mut roots = product.roots();
    let values: Vec<f64> = roots.iter().map(|r| r.to_f64()).collect();
    assert_eq!(values.len(), 3);
    assert!((values[0] - 1.0 / 3.0).abs() < 1e-17 && values[1] == 0.5 && values[2] == 1.0, "{values:?}");
    assert_eq!(roots.iter_mut().map(|r| r.sign(&half)).collect::<Vec<_>>(), [-1, 0, 1]);
    assert_eq!(roots.iter_mut().map(|r| r.sign(&third)).collect::<Vec<_>>(), [0, 1, 1]);
    assert!(roots[0].is_before(0.3333333333333334) && !roots[0].is_before(0.3333333333333333));
    assert!(!roots[1].is_before(0.5) && roots[1].is_before(0.5000000000000001));
}
