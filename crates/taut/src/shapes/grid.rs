//! Rectangular cloth: a grid of particles in the XZ plane, centred at the origin, Y up.
//!
//! Particle (row, column) has index `row * columns + column`; columns run along +X, rows along +Z.
//! Springs come in this order: structural (along rows, then columns), shear, bend. The counts for R x C are
//! `R(C−1) + C(R−1)`, `(R−1)(C−1)` or twice that, and `R(C−2) + C(R−2)` (with `bend_diagonals` also
//! `2(R−2)(C−2)`). With one chequerboard diagonal this is the Curtain of \[Liu13\]: 81 x 81 gives 32158
//! springs.
//! Does not handle: holes, curved sheets, masses that differ (see [`Surface`](super::Surface)).

use super::{at_least, one_body, particle_count, positive, zero_or_more};
use crate::math::{sin, sin_cos};
use crate::model::bending;
use crate::{Error, Family, Model, Spring, SpringKind};
use glam::DVec3;

/// Which diagonals of the quads are shear springs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Diagonals {
    /// No shear springs.
    None,
    /// One per quad, its direction changing like the colours of a chequerboard.
    #[default]
    Alternating,
    /// Both in every quad.
    Both,
}

/// A rectangular cloth. A stiffness of 0 means: no springs of that family.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Name of the body.
    pub name: String,
    /// Particles along X, at least 2.
    pub columns: usize,
    /// Particles along Z, at least 2.
    pub rows: usize,
    /// Extent along X \[m\].
    pub width: f64,
    /// Extent along Z \[m\].
    pub height: f64,
    /// Mass of the whole cloth \[kg\], the same share for each particle.
    pub mass: f64,
    /// Stiffness of the structural springs, between neighbours [N/m].
    pub stretch: f64,
    /// Stiffness of the shear springs, along diagonals [N/m].
    pub shear: f64,
    /// Stiffness of the bend springs, between particles two apart [N/m]; of Choi–Ko ones the cap c_b.
    pub bend: f64,
    /// Bending stiffness k_b [N·m²] of Choi–Ko bend springs; 0: bend springs are linear.
    pub bending: f64,
    /// Which diagonals are shear springs.
    pub diagonals: Diagonals,
    /// Bend springs two apart along diagonals as well (eight neighbours, as in \[BA04\]).
    pub bend_diagonals: bool,
    /// Force law of structural and shear springs.
    pub kind: SpringKind,
    /// The last column is joined to the first: a sleeve about the Z axis, `width` around.
    pub closed: bool,
}

impl Default for Grid {
    /// The Curtain of \[Liu13\] at 21 x 21, with our constants: 1 m x 1 m, 1 kg, 1000 N/m in every spring.
    fn default() -> Self {
        Grid {
            name: "body".into(),
            columns: 21,
            rows: 21,
            width: 1.0,
            height: 1.0,
            mass: 1.0,
            stretch: 1000.0,
            shear: 1000.0,
            bend: 1000.0,
            bending: 0.0,
            diagonals: Diagonals::Alternating,
            bend_diagonals: false,
            kind: SpringKind::Linear,
            closed: false,
        }
    }
}

/// Whether the quad's diagonal starts at its first particle: the white squares of the chequerboard.
fn falls(row: usize, column: usize) -> bool {
    (row + column).is_multiple_of(2)
}

impl Grid {
    /// The model of Choi & Ko (\[BA04\] §2): stretch to four neighbours and shear along both diagonals act in
    /// extension only, weak bend springs of stiffness k_b [N·m²] join each particle to the eight next-nearest. Their
    /// cap is twice the least possible.
    pub fn choi_ko(self, bending: f64) -> Self {
        let cell = if self.columns > 1 && self.rows > 1 { self.cell() } else { DVec3::ONE };
        let shortest = 2.0 * cell.x.min(cell.z);
        Grid {
            bend: 2.0 * bending::least_cap(shortest, bending),
            bending,
            diagonals: Diagonals::Both,
            bend_diagonals: true,
            kind: SpringKind::ExtensionOnly,
            ..self
        }
    }

    /// Make the cloth.
    pub fn build(&self) -> Result<Model, Error> {
        let (rows, columns) = (at_least("rows", self.rows, 2)?, at_least("columns", self.columns, 2)?);
        let count = particle_count("columns x rows", columns, rows)?;
        let (width, height) = (positive("width", self.width)?, positive("height", self.height)?);
        // Fewer, and springs would meet themselves around a sleeve.
        at_least("columns of a sleeve", if self.closed { columns } else { 5 }, 5)?;
        // Numerators that are exact integers keep the cloth exactly symmetric about the origin.
        let along = |i: usize, n: usize| (2.0 * i as f64 - (n - 1) as f64) / (2.0 * (n - 1) as f64);
        // Neighbours around a sleeve are one cell apart, straight through.
        let radius = 0.5 * self.cell().x / sin(std::f64::consts::PI / columns as f64);
        let place = |i| {
            let (x, z) = (along(i % columns, columns) * width, along(i / columns, rows) * height);
            let (sin, cos) = sin_cos(std::f64::consts::TAU * (i % columns) as f64 / columns as f64);
            if self.closed { DVec3::new(radius * sin, radius * cos, z) } else { DVec3::new(x, 0.0, z) }
        };
        let model = Model {
            masses: vec![positive("mass", self.mass)? / count as f64; count],
            rest: (0..count).map(place).collect(),
            springs: self.springs()?,
            triangles: self.triangles(),
            ..Model::default()
        };
        one_body(&self.name, model)
    }

    fn springs(&self) -> Result<Vec<Spring>, Error> {
        let stretch = zero_or_more("stretch", self.stretch)?;
        let (shear, bend) = (zero_or_more("shear", self.shear)?, zero_or_more("bend", self.bend)?);
        let mut springs = Vec::new();
        let like = |stiffness, kind, family| Spring { kind, family, ..Spring::new(0, 1, 1.0, stiffness) };
        if stretch > 0.0 {
            let edge = like(stretch, self.kind, Family::Stretch);
            self.link(&mut springs, [0, 1], true, edge, |_, _| true);
            self.link(&mut springs, [1, 0], true, edge, |_, _| true);
        }
        if shear > 0.0 && self.diagonals != Diagonals::None {
            let both = self.diagonals == Diagonals::Both;
            let diagonal = like(shear, self.kind, Family::Shear);
            self.link(&mut springs, [1, 1], true, diagonal, |r, c| both || falls(r, c));
            self.link(&mut springs, [1, 1], false, diagonal, |r, c| both || !falls(r, c));
        }
        if bend > 0.0 {
            let across = match zero_or_more("bending", self.bending)? {
                0.0 => like(bend, SpringKind::Linear, Family::Bend),
                bending => Spring::bend(0, 1, 1.0, bending, bend),
            };
            self.link(&mut springs, [0, 2], true, across, |_, _| true);
            self.link(&mut springs, [2, 0], true, across, |_, _| true);
            if self.bend_diagonals {
                self.link(&mut springs, [2, 2], true, across, |_, _| true);
                self.link(&mut springs, [2, 2], false, across, |_, _| true);
            }
        }
        Ok(springs)
    }

    /// One spring in each window of `span` rows and columns that `keep` wants: from its first corner to the
    /// opposite one if `falling`, else across; otherwise `like` the given one.
    fn link(
        &self,
        springs: &mut Vec<Spring>,
        span: [usize; 2],
        falling: bool,
        like: Spring,
        keep: impl Fn(usize, usize) -> bool,
    ) {
        let [down, right] = span;
        let reach = self.cell() * DVec3::new(right as f64, 0.0, down as f64);
        let spring = like.with_length(reach.length());
        let last = if self.closed { self.columns } else { self.columns.saturating_sub(right) };
        for r in 0..self.rows.saturating_sub(down) {
            for c in (0..last).filter(|&c| keep(r, c)) {
                let (from, to) = if falling { (c, c + right) } else { (c + right, c) };
                let ends = [self.at(r, from), self.at(r + down, to)];
                springs.push(Spring { ends, ..spring });
            }
        }
    }

    /// Width and height of a quad, along X and Z \[m\].
    fn cell(&self) -> DVec3 {
        let across = if self.closed { self.columns } else { self.columns - 1 };
        DVec3::new(self.width / across as f64, 0.0, self.height / (self.rows - 1) as f64)
    }

    fn at(&self, row: usize, column: usize) -> u32 {
        (row * self.columns + column % self.columns) as u32
    }

    /// Two per quad, counter-clockwise seen from +Y, cut along the chequerboard diagonal.
    fn triangles(&self) -> Vec<[u32; 3]> {
        let mut triangles = Vec::with_capacity(2 * (self.rows - 1) * (self.columns - 1));
        for r in 0..self.rows - 1 {
            for c in 0..if self.closed { self.columns } else { self.columns - 1 } {
                let [a, b] = [self.at(r, c), self.at(r + 1, c)];
                let [d, e] = [self.at(r, c + 1), self.at(r + 1, c + 1)];
                triangles.extend(if falls(r, c) { [[a, b, e], [a, e, d]] } else { [[a, b, d], [b, e, d]] });
            }
        }
        triangles
    }
}

#[cfg(test)]
mod tests {
    use super::super::edge;
    use super::super::tests::{refused, sound};
    use super::*;
    use std::collections::BTreeSet;

    fn pairs(springs: &[Spring]) -> BTreeSet<[u32; 2]> {
        springs.iter().map(|s| edge(s.ends[0], s.ends[1])).collect()
    }

    /// Every pair of particles whose rows and columns differ as `near` wants, by trying them all.
    fn brute(g: &Grid, near: impl Fn(usize, usize) -> bool) -> BTreeSet<[u32; 2]> {
        let n = g.rows * g.columns;
        let differ = |a: usize, b: usize| {
            ((a / g.columns).abs_diff(b / g.columns), (a % g.columns).abs_diff(b % g.columns))
        };
        (0..n)
            .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
            .filter(|&(a, b)| near(differ(a, b).0, differ(a, b).1))
            .map(|(a, b)| [a as u32, b as u32])
            .collect()
    }

    #[test]
    fn the_curtain_has_the_published_springs() {
        let g = Grid::default();
        let model = g.build().unwrap();
        sound(&model);
        assert_eq!(model.springs.len(), 2038);
        assert_eq!(pairs(&model.springs[..840]), brute(&g, |r, c| r + c == 1));
        assert_eq!(pairs(&model.springs[1240..]), brute(&g, |r, c| (r, c) == (0, 2) || (r, c) == (2, 0)));
        let shear = pairs(&model.springs[840..1240]);
        assert!(shear.is_subset(&brute(&g, |r, c| (r, c) == (1, 1))));
        assert_eq!(shear.len(), 400);
        // Alternating: an interior particle meets four diagonals or none.
        for r in 1..20u32 {
            for c in 1..20u32 {
                let meets = shear.iter().filter(|e| e.contains(&(r * 21 + c))).count();
                assert_eq!(meets, if (r + c) % 2 == 0 { 4 } else { 0 });
            }
        }
    }

    #[test]
    fn both_diagonals_and_eight_bend_neighbours_match_brute_force() {
        let g =
            Grid { columns: 5, rows: 4, diagonals: Diagonals::Both, bend_diagonals: true, ..Grid::default() };
        let near = |r: usize, c: usize| (r.max(c) == 1) || (r.max(c) == 2 && (r.min(c) == 0 || r == c));
        let model = g.build().unwrap();
        sound(&model);
        assert_eq!(pairs(&model.springs), brute(&g, near));
        let bare = Grid { shear: 0.0, bend: 0.0, ..g }.build().unwrap();
        sound(&bare);
        assert_eq!(bare.springs.len(), 4 * 4 + 5 * 3);
    }

    #[test]
    fn triangles_cover_the_cloth_facing_up_along_the_diagonals() {
        let g = Grid { columns: 4, rows: 7, width: 2.0, height: 0.5, ..Grid::default() };
        let model = g.build().unwrap();
        let edges = pairs(&model.springs[..model.springs.len() - (7 * 2 + 4 * 5)]);
        let mut area = 0.0;
        for t in &model.triangles {
            let [a, b, c] = t.map(|i| model.rest[i as usize]);
            let normal = (b - a).cross(c - a) / 2.0;
            assert!(normal.y > 0.0 && normal.x == 0.0 && normal.z == 0.0);
            area += normal.y;
            assert!([[0, 1], [1, 2], [2, 0]].iter().all(|&[i, j]| edges.contains(&edge(t[i], t[j]))));
        }
        assert!((area - 1.0).abs() < 1e-12);
        assert!((model.masses.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(model.rest.iter().sum::<DVec3>(), DVec3::ZERO);
    }

    #[test]
    fn impossible_cloth_is_refused_by_name() {
        let good = Grid::default;
        refused(Grid { columns: 0, ..good() }.build(), "columns");
        refused(Grid { rows: 1, ..good() }.build(), "rows");
        refused(Grid { width: f64::NAN, ..good() }.build(), "width");
        refused(Grid { height: -1.0, ..good() }.build(), "height");
        refused(Grid { mass: 0.0, ..good() }.build(), "mass");
        refused(Grid { stretch: -1.0, ..good() }.build(), "stretch");
        refused(Grid { shear: f64::INFINITY, ..good() }.build(), "shear");
        refused(Grid { bend: f64::NAN, ..good() }.build(), "bend");
        refused(Grid { columns: usize::MAX, ..good() }.build(), "columns x rows");
        refused(Grid { columns: 70_000, rows: 70_000, ..good() }.build(), "columns x rows");
        refused(Grid { width: f64::MAX, height: f64::MAX, ..good() }.build(), "rest length");
    }
}
