//! Three animals as blends of balls and round cones: stand-ins for meshes that may not be passed on.
//!
//! Each is about a metre long, stands on y = 0, faces +X and is symmetric about z = 0. All shapes are ours.
//! Does not handle: anatomy.

use super::Field;
use glam::DVec3;

/// A chain of round cones through points `[x, y, z, radius]` \[m\]; one point makes a ball.
pub(super) fn limb(points: &[[f64; 4]]) -> Field {
    let split = |&[x, y, z, radius]: &[f64; 4]| (DVec3::new(x, y, z), radius);
    let cone = |pair: &[[f64; 4]]| {
        let ((a, r), (b, q)) = (split(&pair[0]), split(&pair[pair.len() - 1]));
        Field::RoundCone { ends: [a, b], radii: [r, q] }
    };
    let parts: Vec<_> = points.windows(points.len().min(2)).map(cone).collect();
    Field::Union { parts, blend: 0.0 }
}

/// The limb and its mirror image; a sharp union, so that neither side is blended before the other.
fn pair(points: &[[f64; 4]]) -> Field {
    let mirrored: Vec<_> = points.iter().map(|&[x, y, z, r]| [x, y, -z, r]).collect();
    Field::Union { parts: vec![limb(points), limb(&mirrored)], blend: 0.0 }
}

/// A hippopotamus: barrel, stubby legs, wide muzzle.
pub fn hippo() -> Field {
    let parts = vec![
        limb(&[[-0.25, 0.36, 0.0, 0.22], [-0.05, 0.35, 0.0, 0.26], [0.13, 0.38, 0.0, 0.22]]),
        limb(&[[0.15, 0.42, 0.0, 0.20], [0.38, 0.45, 0.0, 0.15]]),
        limb(&[[0.38, 0.42, 0.0, 0.14], [0.60, 0.30, 0.0, 0.12]]),
        pair(&[[0.45, 0.38, 0.03, 0.10], [0.62, 0.30, 0.09, 0.12]]), // muzzle
        pair(&[[-0.27, 0.22, 0.14, 0.11], [-0.27, 0.09, 0.14, 0.09]]),
        pair(&[[0.15, 0.22, 0.14, 0.11], [0.15, 0.09, 0.14, 0.09]]),
        pair(&[[0.33, 0.57, 0.09, 0.045], [0.31, 0.66, 0.13, 0.05]]), // ears
        pair(&[[0.46, 0.56, 0.08, 0.05]]),                            // eyes
        pair(&[[0.66, 0.42, 0.07, 0.045]]),                           // nostrils
        limb(&[[-0.45, 0.44, 0.0, 0.045], [-0.54, 0.30, 0.0, 0.04]]), // tail
    ];
    Field::Union { parts, blend: 0.05 }
}

/// A sitting frog: bulging eyes, folded hind legs, spread toes.
pub fn frog() -> Field {
    let heel = [-0.28, 0.05, 0.30, 0.036];
    let sole = [-0.12, 0.035, 0.37, 0.03];
    let palm = [0.20, 0.035, 0.22, 0.03];
    let parts = vec![
        limb(&[[-0.32, 0.14, 0.0, 0.11], [0.02, 0.25, 0.0, 0.17], [0.15, 0.29, 0.0, 0.14]]),
        pair(&[[-0.25, 0.14, 0.06, 0.11], [0.05, 0.24, 0.09, 0.14]]),
        pair(&[[0.12, 0.30, 0.09, 0.13], [0.32, 0.29, 0.06, 0.08]]), // head
        limb(&[[0.15, 0.30, 0.0, 0.13], [0.37, 0.29, 0.0, 0.08]]),
        pair(&[[0.22, 0.43, 0.12, 0.07]]),                             // eyes
        pair(&[[-0.27, 0.14, 0.14, 0.085], [0.0, 0.20, 0.28, 0.065]]), // thighs
        pair(&[[0.0, 0.20, 0.28, 0.055], heel, sole]),
        // Toes and fingers: one chain that returns to the foot between them, lest the blend swell it.
        pair(&[[0.08, 0.03, 0.33, 0.027], sole, [0.06, 0.03, 0.43, 0.027], sole, [-0.01, 0.03, 0.51, 0.027]]),
        pair(&[[0.14, 0.20, 0.17, 0.06], [0.11, 0.11, 0.25, 0.045], palm]), // arms
        pair(&[[0.32, 0.03, 0.16, 0.027], palm, [0.34, 0.03, 0.25, 0.027], palm, [0.28, 0.03, 0.33, 0.027]]),
    ];
    Field::Union { parts, blend: 0.03 }
}

/// A dog: hanging ears, long snout, raised tail.
pub fn dog() -> Field {
    let parts = vec![
        limb(&[[-0.28, 0.50, 0.0, 0.115], [-0.05, 0.50, 0.0, 0.115], [0.18, 0.48, 0.0, 0.145]]),
        limb(&[[0.22, 0.54, 0.0, 0.11], [0.36, 0.74, 0.0, 0.08]]), // neck
        limb(&[[0.40, 0.79, 0.0, 0.10], [0.45, 0.78, 0.0, 0.09]]),
        limb(&[[0.48, 0.765, 0.0, 0.065], [0.64, 0.735, 0.0, 0.045]]), // snout
        limb(&[[0.68, 0.755, 0.0, 0.022]]),                            // nose
        pair(&[[0.37, 0.86, 0.075, 0.03], [0.35, 0.78, 0.125, 0.035], [0.36, 0.68, 0.135, 0.035]]), // ears
        pair(&[[0.20, 0.42, 0.09, 0.07], [0.18, 0.24, 0.09, 0.045], [0.20, 0.04, 0.09, 0.036]]),
        pair(&[[0.20, 0.035, 0.09, 0.035], [0.26, 0.032, 0.09, 0.032]]), // paws
        pair(&[[-0.30, 0.45, 0.08, 0.095], [-0.23, 0.29, 0.09, 0.06]]),  // thighs
        pair(&[[-0.23, 0.29, 0.09, 0.055], [-0.36, 0.17, 0.09, 0.035], [-0.33, 0.04, 0.09, 0.035]]),
        pair(&[[-0.33, 0.035, 0.09, 0.035], [-0.27, 0.032, 0.09, 0.032]]),
        limb(&[[-0.36, 0.56, 0.0, 0.035], [-0.48, 0.66, 0.0, 0.03], [-0.54, 0.80, 0.0, 0.022]]), // tail
    ];
    Field::Union { parts, blend: 0.05 }
}
