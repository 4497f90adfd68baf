//! What continuous detection answered, held against the exact answer.

use super::exact::{Dyadic, Root, quotient};
use super::oracle::whole;
use super::queries::Query;
use num_bigint::BigInt;
use taut::geometry::{Ended, Kind, Tolerance, Touch, first_touch};

/// Counts over many queries.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    pub hits: usize,
    pub free: usize,
    pub missed: usize,
    pub late: usize,
    /// Another answer, or other bits of the time, after scaling by a power of two.
    pub scale_matters: usize,
    /// Free pairs reported as hits: within the tolerance, stopped by rounding, by the round limit.
    pub alarms: [usize; 3],
    /// Reported as near, but the exact distance there is larger than the tolerance.
    pub not_near: usize,
    /// True time minus reported time, of every hit.
    pub leads: Vec<f64>,
}

impl Tally {
    pub const TITLE: &str =
        "   hits missed  late  scale |   free  alarms: near rounding rounds  not near | lead: median   worst";

    pub fn judge(&mut self, query: &Query, contact: Option<&Root>, tolerance: Tolerance) {
        let touch = first_touch(query.kind, &query.start, &query.end, 0.0, tolerance);
        for scale in [2f64.powi(20), 2f64.powi(-20)] {
            let scaled = |points: [glam::DVec3; 4]| points.map(|p| p * scale);
            let again = first_touch(query.kind, &scaled(query.start), &scaled(query.end), 0.0, tolerance);
            self.scale_matters += usize::from(touch != again);
        }
        match (contact, touch) {
            (None, None) => self.free += 1,
            (None, Some(touch)) => {
                self.free += 1;
                self.alarms[touch.ended as usize] += 1;
                let far = distance(query, &touch) > tolerance.relative * extent(query) * (1.0 + 1e-9);
                self.not_near += usize::from(touch.ended == Ended::Near && far);
            }
            (Some(_), None) => {
                self.hits += 1;
                self.missed += 1;
            }
            (Some(contact), Some(touch)) => {
                self.hits += 1;
                self.late += usize::from(contact.is_before(touch.time));
                self.leads.push(contact.to_f64() - touch.time);
            }
        }
    }

    pub fn add(&mut self, other: &Tally) {
        self.hits += other.hits;
        self.free += other.free;
        self.missed += other.missed;
        self.late += other.late;
        self.scale_matters += other.scale_matters;
        self.not_near += other.not_near;
        (0..3).for_each(|i| self.alarms[i] += other.alarms[i]);
        self.leads.extend(&other.leads);
    }

    /// Nothing missed, nothing late, and no scale preferred.
    pub fn is_sound(&self) -> bool {
        self.missed + self.late + self.scale_matters + self.not_near == 0
    }

    pub fn median_lead(&self) -> f64 {
        let mut leads = self.leads.clone();
        leads.sort_by(f64::total_cmp);
        leads.get(leads.len() / 2).copied().unwrap_or(0.0)
    }

    pub fn row(&self) -> String {
        let [near, rounding, rounds] = self.alarms;
        let share = 100.0 * (near + rounding + rounds) as f64 / self.free.max(1) as f64;
        format!(
            "{:7} {:6} {:5} {:6} | {:6} {share:6.2}% {near:6} {rounding:8} {rounds:6} {:9} | {:12.1e} {:7.1e}",
            self.hits,
            self.missed,
            self.late,
            self.scale_matters,
            self.free,
            self.not_near,
            self.median_lead(),
            self.leads.iter().fold(0.0, |m: f64, l| m.max(*l)),
        )
    }
}

/// Largest coordinate difference between the primitives.
fn extent(query: &Query) -> f64 {
    let first = if query.kind == Kind::VertexFace { 1 } else { 2 };
    let mut largest = 0.0;
    for points in [query.start, query.end] {
        for a in &points[..first] {
            for b in &points[first..] {
                largest = f64::max(largest, (*a - *b).abs().max_element());
            }
        }
    }
    largest
}

/// Distance between the two points that a touch names, at its time: the primitives do come that near. In whole numbers,
/// with weights that sum to one exactly.
fn distance(query: &Query, touch: &Touch) -> f64 {
    let (points, unit) = whole(&[query.start.as_slice(), &query.end].concat());
    let [_, b, c, d] = touch.weights;
    let exact = [1.0, touch.time, b, c, d].map(Dyadic::new);
    let power = exact.iter().map(|x| x.power).max().unwrap_or(0);
    let [one, t, b, c, d] = exact.map(|x| x.times(power));
    let weights = match query.kind {
        Kind::VertexFace => [one.clone(), -&one - &c - &d, c, d],
        Kind::EdgeEdge => [&one - &b, b, -&one - &d, d],
    };
    let coordinate = |k: usize| -> BigInt {
        (0..4).map(|i| &weights[i] * ((&one - &t) * &points[i][k] + &t * &points[i + 4][k])).sum()
    };
    let square: BigInt = (0..3).map(coordinate).map(|c| &c * &c).sum();
    quotient(&square, &(BigInt::from(1) << (4 * power))).sqrt() * 2f64.powi(-(unit as i32))
}
