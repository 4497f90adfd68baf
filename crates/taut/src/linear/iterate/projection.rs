//! Constraints of a row as orthogonal projections, and preconditioners that respect them.
//!
//! With C a 3×3 diagonal block of A, the plain preconditioner of a row is `S C⁻¹ r`. \[BA04\] eq. (11) replaces C by
//! `P = SC + (I − S)`; here its symmetric form `SCS + I − S` is used, which acts in the same way on range(S), where all
//! residuals are.

use crate::words;
use glam::{DMat3, DVec3};

/// The directions in which a row may move: an orthogonal projection S.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Projection {
    /// S = I, three degrees of freedom.
    #[default]
    Free,
    /// S = I − nnᵀ for a unit vector n, two degrees of freedom.
    Plane(DVec3),
    /// S = ddᵀ for a unit vector d, one degree of freedom.
    Line(DVec3),
    /// S = 0, no degree of freedom.
    Fixed,
}

impl Projection {
    /// S v.
    #[inline]
    pub fn apply(self, v: DVec3) -> DVec3 {
        match self {
            Projection::Free => v,
            Projection::Plane(n) => v - n.dot(v) * n,
            Projection::Line(d) => d.dot(v) * d,
            Projection::Fixed => DVec3::ZERO,
        }
    }

    /// (I − S) v.
    #[inline]
    pub fn complement(self, v: DVec3) -> DVec3 {
        match self {
            Projection::Free => DVec3::ZERO,
            Projection::Plane(n) => n.dot(v) * n,
            Projection::Line(d) => v - d.dot(v) * d,
            Projection::Fixed => v,
        }
    }

    /// S as a matrix.
    fn matrix(self) -> DMat3 {
        DMat3::from_cols(self.apply(DVec3::X), self.apply(DVec3::Y), self.apply(DVec3::Z))
    }
}

/// What conjugate gradients are preconditioned with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Preconditioner {
    /// No preconditioner: the identity.
    None,
    /// C, the 3×3 diagonal blocks of A.
    Block,
    /// P, the diagonal blocks of the projected problem.
    #[default]
    Modified,
}

words::choice!(Preconditioner, "preconditioner", "preconditioners are");

impl Preconditioner {
    /// Every preconditioner with its word.
    pub const NAMES: [(&'static str, Preconditioner); 3] = [
        ("none", Preconditioner::None),
        ("block", Preconditioner::Block),
        ("modified", Preconditioner::Modified),
    ];

    /// The inverse of the preconditioner's block for a row with diagonal block `c`, as it acts on range(S).
    pub(super) fn inverse(self, c: DMat3, s: Projection) -> DMat3 {
        match (self, s) {
            (Preconditioner::None, _) => DMat3::IDENTITY,
            (Preconditioner::Block, _) | (_, Projection::Free) => c.inverse(),
            (_, Projection::Fixed) => DMat3::ZERO,
            (_, Projection::Line(d)) => DMat3::IDENTITY * (1.0 / d.dot(c * d)),
            (_, Projection::Plane(_)) => {
                let p = s.matrix();
                // Any multiple of I − S will do where S r = r; one of the size of C keeps the inverse well conditioned.
                let size = c.x_axis.x + c.y_axis.y + c.z_axis.z;
                (p * c * p + (DMat3::IDENTITY - p) * size).inverse()
            }
        }
    }
}
