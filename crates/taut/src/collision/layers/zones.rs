//! Rigid zones: particles that the sweeps could not keep from crossing move together, as one.
//!
//! A zone's motion over the step is replaced by the *linear* rigid field with its momentum and angular momentum,
//!
//! ```text
//! Δᵢ = u + θ × (x0ᵢ − c),
//! ```
//!
//! the mass-orthogonal projection of its motion: energy never rises. Any two of its points, d apart at the start, are
//! `|(1 + t [θ]) d|² = |d|² + t² |θ × d|² ≥ |d|²` apart on the way. Distances never shrink, so nothing within a zone
//! touches. (A finite rotation has neither property: its chords cut corners.) Zones that meet are joined, and zones only
//! grow, so this ends: at the latest with one zone, which cannot touch anything.
//!
//! A zone with prescribed particles (pins, meshes that move) follows them: by one rotation R and translation,
//! `Δᵢ = (R − 1)(x0ᵢ − c) + u`. On the straight path to it `(1 + t(R − 1))` has no kernel while R turns by less than half
//! a turn, so nothing within touches either. If its prescribed particles do not move as one rigid body there is no such
//! map: the zone is *pinched*.

use crate::linear::Components;
use crate::rigid::{RigidMotions, turn};
use glam::{DMat3, DQuat, DVec3};

/// How far prescribed particles may be from their common rigid motion, relative to how far they move.
const RIGID: f64 = 1e-9;
/// The same relative to their coordinates: what rounding of positions and of the rotation makes.
const ROUNDED: f64 = 32.0 * f64::EPSILON;
/// A zone that turns by more than this in a step \[rad\] stretches by 5 %, as `√(1 + θ²)`.
pub(crate) const MOST_TURN: f64 = 0.3;

/// The zones of a step. Kept between steps for its room.
#[derive(Debug, Default)]
pub(crate) struct Zones {
    /// Pairs of particles that must move together.
    joined: Vec<[u32; 2]>,
    /// The particles in zones, ascending.
    members: Vec<u32>,
    /// Of each particle: its number among the members plus one, or 0.
    number: Vec<u32>,
    /// The zone of each member.
    parts: Components,
    /// Of the members: mass (0 if prescribed), start, displacement.
    masses: Vec<f64>,
    start: Vec<DVec3>,
    moves: Vec<DVec3>,
    motions: RigidMotions,
    guides: Vec<Guide>,
    /// Points that are no particles but are numbered after them, and are prescribed: places and displacements \[m\].
    anchors: Vec<(DVec3, DVec3)>,
}

/// What the prescribed particles of a zone have in common.
#[derive(Debug, Clone, Copy)]
struct Guide {
    /// Particles of the zone.
    members: usize,
    /// How many of them are prescribed.
    count: usize,
    /// Means of their starts and displacements \[m\].
    centre: DVec3,
    shift: DVec3,
    /// Σ r′ rᵀ of their places about the centre, before and after.
    covariance: DMat3,
    turn: DQuat,
    /// Largest displacement, coordinate, and distance of one from the common motion \[m\].
    most: f64,
    far: f64,
    off: f64,
}

impl Guide {
    const NONE: Guide = Guide {
        members: 0,
        count: 0,
        centre: DVec3::ZERO,
        shift: DVec3::ZERO,
        covariance: DMat3::ZERO,
        turn: DQuat::IDENTITY,
        most: 0.0,
        far: 0.0,
        off: 0.0,
    };

    /// The displacement of a point that moves with them.
    fn at(&self, place: DVec3) -> DVec3 {
        let r = place - self.centre;
        self.shift + (self.turn * r - r)
    }

    fn is_rigid(&self) -> bool {
        self.off <= RIGID * self.most + ROUNDED * self.far
    }
}

/// What zones did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Moved {
    /// Number of zones, and particles in the largest.
    pub zones: usize,
    pub largest: usize,
    /// The largest turn of a zone \[rad\].
    pub turned: f64,
    /// Whether the prescribed particles of some zone do not move as one.
    pub pinched: bool,
}

impl Zones {
    /// Begin a step of so many particles without zones.
    pub fn clear(&mut self, particles: usize) {
        self.members.iter().for_each(|&i| self.number[i as usize] = 0);
        self.anchors.clear();
        self.number.resize(particles, 0);
        self.joined.clear();
        self.members.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Let points that are prescribed, but no particles, be members too: they are numbered after the particles.
    pub fn anchor(&mut self, anchors: impl Iterator<Item = (DVec3, DVec3)>) {
        let particles = self.number.len() - self.anchors.len();
        self.anchors.clear();
        self.anchors.extend(anchors);
        self.number.resize(particles + self.anchors.len(), 0);
    }

    /// Let some particles, at least one of them free, move together from now on; [`Zones::gather`] before anything else.
    pub fn join(&mut self, particles: [u32; 4], inverse: &[f64]) {
        let Some(hub) = particles.into_iter().find(|&i| weight(inverse, i) > 0.0) else { return };
        for i in particles {
            self.joined.push([hub, i]);
            if self.number[i as usize] == 0 {
                self.number[i as usize] = 1;
                self.members.push(i);
            }
        }
    }

    /// Put zones together after some particles were joined.
    pub fn gather(&mut self) {
        self.members.sort_unstable();
        for (k, &i) in self.members.iter().enumerate() {
            self.number[i as usize] = k as u32 + 1;
        }
        let number = &self.number;
        let edges = self.joined.iter().map(|pair| pair.map(|i| number[i as usize] - 1));
        self.parts.find(self.members.len(), edges);
    }

    /// Whether particles are all in one zone that moves as one.
    pub fn holds(&self, particles: [u32; 4]) -> bool {
        let zone = self.of(particles[0]);
        let one = zone.is_some() && particles.into_iter().all(|i| self.of(i) == zone);
        one && !self.is_pinched(particles)
    }

    /// Whether one of these particles is in a zone that is pinched, as of the last [`Zones::apply`].
    pub fn is_pinched(&self, particles: [u32; 4]) -> bool {
        let zones = particles.into_iter().filter_map(|i| self.of(i));
        zones.map(|zone| &self.guides[zone as usize]).any(|guide| !guide.is_rigid())
    }

    /// The zone of a particle, if it is in one.
    fn of(&self, particle: u32) -> Option<u32> {
        let number = self.number.get(particle as usize).copied().unwrap_or(0);
        (number > 0).then(|| self.parts.of[number as usize - 1])
    }

    /// The particles in zones.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// Let every zone that is not pinched move rigidly: replace the displacements `d` of its free particles. `places` are those of the start.
    pub fn apply(&mut self, places: &[DVec3], inverse: &[f64], d: &mut [DVec3]) -> Moved {
        self.fit(places, inverse, d);
        self.follow();
        self.write(1.0, d);
        let mut moved = Moved { zones: self.parts.count, ..Moved::default() };
        for (guide, motion) in self.guides.iter().zip(&self.motions.of) {
            moved.largest = moved.largest.max(guide.members);
            if guide.count == 0 {
                moved.turned = moved.turned.max(motion.spin.length());
            } else if !guide.is_rigid() {
                moved.pinched = true;
            }
        }
        moved
    }

    /// The same for velocities \[m/s\], after [`Zones::apply`]: what is guided has the velocity of its guides, which
    /// took `h` \[s\] for their way.
    pub fn apply_velocities(&mut self, places: &[DVec3], inverse: &[f64], h: f64, velocities: &mut [DVec3]) {
        self.fit(places, inverse, velocities);
        self.write(h, velocities);
    }

    /// The linear rigid field of each zone's free particles, for displacements or velocities `d`.
    fn fit(&mut self, places: &[DVec3], inverse: &[f64], d: &[DVec3]) {
        let Zones { members, masses, start, moves, motions, parts, anchors, .. } = self;
        // Prescribed members weigh nothing here: zones that have any do not use the field.
        let mass = |i: u32| if weight(inverse, i) > 0.0 { 1.0 / weight(inverse, i) } else { 0.0 };
        let anchor = |i: u32| anchors[i as usize - places.len()];
        masses.clear();
        masses.extend(members.iter().map(|&i| mass(i)));
        start.clear();
        start.extend(members.iter().map(|&i| places.get(i as usize).map_or_else(|| anchor(i).0, |x| *x)));
        moves.clear();
        moves.extend(members.iter().map(|&i| d.get(i as usize).map_or_else(|| anchor(i).1, |d| *d)));
        motions.reset(parts.count);
        motions.fit(masses, start, moves, parts);
    }

    /// How the prescribed particles of each zone move, from what [`Zones::fit`] gathered.
    fn follow(&mut self) {
        let Zones { masses, start, moves, parts, guides, .. } = self;
        guides.clear();
        guides.resize(parts.count, Guide::NONE);
        parts.of.iter().for_each(|&zone| guides[zone as usize].members += 1);
        let prescribed = || {
            let all = parts.of.iter().zip(&*masses).zip(start.iter().zip(&*moves));
            all.filter(|((_, mass), _)| **mass == 0.0).map(|((&zone, _), (&x, &d))| (zone as usize, x, d))
        };
        for (zone, x, d) in prescribed() {
            let guide = &mut guides[zone];
            guide.count += 1;
            guide.centre += x;
            guide.shift += d;
            guide.most = guide.most.max(d.length());
            guide.far = guide.far.max(x.abs().max_element());
        }
        for guide in guides.iter_mut().filter(|guide| guide.count > 0) {
            guide.centre /= guide.count as f64;
            guide.shift /= guide.count as f64;
        }
        for (zone, x, d) in prescribed() {
            let guide = &mut guides[zone];
            let r = x - guide.centre;
            let after = r + (d - guide.shift);
            guide.covariance += DMat3::from_cols(after * r.x, after * r.y, after * r.z);
        }
        guides
            .iter_mut()
            .filter(|guide| guide.count > 1)
            .for_each(|guide| guide.turn = turn(&guide.covariance));
        for (zone, x, d) in prescribed() {
            guides[zone].off = guides[zone].off.max((guides[zone].at(x) - d).length());
        }
    }

    /// Give the free members of each zone its motion; what is guided moves with its guides, which take `h` for their way.
    fn write(&self, h: f64, d: &mut [DVec3]) {
        for (k, &i) in self.members.iter().enumerate() {
            let (zone, x) = (self.parts.of[k] as usize, self.start[k]);
            if self.masses[k] > 0.0 {
                let guide = &self.guides[zone];
                if guide.count == 0 {
                    d[i as usize] = self.motions.of[zone].at(x);
                } else if guide.is_rigid() {
                    d[i as usize] = guide.at(x) / h;
                }
            }
        }
    }
}

/// 1/m \[1/kg\] of a member; anchors are prescribed.
fn weight(inverse: &[f64], i: u32) -> f64 {
    inverse.get(i as usize).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn scattered(count: usize, random: &mut Random) -> Vec<DVec3> {
        (0..count).map(|_| random.vector()).collect()
    }

    /// Momentum, angular momentum about the start, energy and distances: of every zone, in space, in a plane, on a line.
    #[test]
    fn a_zone_keeps_its_momenta_and_no_distance_shrinks() {
        let mut random = Random(7);
        for flat in [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X] {
            let x: Vec<DVec3> =
                scattered(40, &mut random).into_iter().map(|p| flat * p + DVec3::splat(3.0)).collect();
            let before: Vec<DVec3> = (0..40).map(|_| 0.1 * random.vector()).collect();
            let inverse: Vec<f64> = (0..40).map(|i| 1.0 + f64::from(i % 5)).collect();
            let mut zones = Zones::default();
            zones.clear(40);
            // Two zones, of which one grows out of three pairs, and particles in none.
            for particles in [[0, 1, 2, 3], [4, 5, 6, 7], [7, 8, 9, 3], [20, 21, 22, 23]] {
                zones.join(particles, &inverse);
            }
            zones.gather();
            let mut after = before.clone();
            let moved = zones.apply(&x, &inverse, &mut after);
            assert_eq!((moved.zones, moved.largest, moved.pinched), (2, 10, false));
            for zone in [0..10, 20..24] {
                let sum = |f: &dyn Fn(usize) -> DVec3| zone.clone().map(f).sum::<DVec3>();
                let size = |f: &dyn Fn(usize) -> f64| zone.clone().map(f).sum::<f64>();
                let change = |i: usize| (after[i] - before[i]) / inverse[i];
                assert!(sum(&change).length() <= 1e-12 * size(&|i| change(i).length()));
                let torque = sum(&|i| x[i].cross(change(i)));
                assert!(torque.length() <= 1e-11 * size(&|i| x[i].length() * change(i).length()), "{torque}");
                let energy = |d: &[DVec3]| size(&|i| d[i].length_squared() / inverse[i]);
                assert!(energy(&after) <= energy(&before) * (1.0 + 1e-14));
                for (i, j) in zone.clone().flat_map(|i| zone.clone().map(move |j| (i, j))) {
                    for t in [0.3, 0.7, 1.0] {
                        let distance = |t: f64| (x[i] - x[j] + t * (after[i] - after[j])).length();
                        assert!(distance(t) >= distance(0.0) * (1.0 - 1e-14), "{i}, {j}");
                    }
                }
            }
            assert!((10..20).chain(24..40).all(|i| after[i] == before[i]), "nobody else moves");
        }
    }

    /// Guided by what turns and moves as one rigid body the whole zone does; by what does not, it is pinched.
    #[test]
    fn a_zone_follows_what_is_prescribed_in_it() {
        let mut random = Random(11);
        let x = scattered(12, &mut random);
        for (angle, shift) in
            [(0.0, DVec3::ZERO), (0.0, DVec3::X), (0.4, DVec3::ZERO), (1e-7, DVec3::Z * 1e-7)]
        {
            let turn = DQuat::from_axis_angle(random.vector().normalize(), angle);
            let rigid = |p: DVec3| turn * p - p + shift;
            for prescribed in [1, 2, 5] {
                let inverse: Vec<f64> = (0..12).map(|i| if i < prescribed { 0.0 } else { 1.0 }).collect();
                let mut d: Vec<DVec3> =
                    (0..12).map(|i| if i < prescribed { rigid(x[i]) } else { random.vector() }).collect();
                let mut zones = Zones::default();
                zones.clear(12);
                (0..9).for_each(|i| zones.join([i, i + 1, i + 2, i + 3], &inverse));
                zones.gather();
                let moved = zones.apply(&x, &inverse, &mut d);
                assert!(!moved.pinched);
                for i in 0..12 {
                    // One particle tells no turn, two none about their line; where all are told, all follow.
                    let fixed = i < prescribed || angle == 0.0 || prescribed == 5;
                    let off = (d[i] - rigid(x[i])).length();
                    assert!(!fixed || off <= 1e-14, "{prescribed}, {angle}, {i}: {off:e}");
                }
                if prescribed == 5 {
                    d[3] += DVec3::Y * 1e-3;
                    assert!(zones.apply(&x, &inverse, &mut d).pinched);
                }
            }
        }
    }
}
