//! Sines, logarithms and their like with the same bits on every platform, where they may decide a result: those of std
//! are the system's own, and differ in last bits between Linux, macOS and WebAssembly. (Square roots are rounded correctly
//! everywhere.) Also the rotations that are made of them.

use glam::{DQuat, DVec3};
pub(crate) use libm::{atan2, cbrt, cos, exp, expm1, hypot, log as ln, log1p, sin, sincos as sin_cos};

/// The rotation about a vector by its length \[rad\].
pub(crate) fn rotation(vector: DVec3) -> DQuat {
    let angle = vector.length();
    if angle == 0.0 {
        return DQuat::IDENTITY;
    }
    let (sin, cos) = sin_cos(0.5 * angle);
    let axis = vector / angle * sin;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}

/// The vector about which a unit quaternion turns, by its length \[rad\]: zero below 1e-8.
pub(crate) fn rotation_vector(rotation: DQuat) -> DVec3 {
    let axis = DVec3::new(rotation.x, rotation.y, rotation.z);
    let sin = axis.length();
    if sin < 1e-8 { DVec3::ZERO } else { axis / sin * (2.0 * atan2(sin, rotation.w)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// To rounding the same as glam's, which takes std's functions.
    #[test]
    fn rotations_are_those_of_glam() {
        let mut random = Random(3);
        for _ in 0..1000 {
            let vector = 3.1 * random.vector();
            let turn = rotation(vector);
            assert!(turn.abs_diff_eq(DQuat::from_scaled_axis(vector), 1e-15), "{vector}");
            assert!(rotation_vector(turn).abs_diff_eq(turn.to_scaled_axis(), 1e-14), "{vector}");
        }
        assert_eq!((rotation(DVec3::ZERO), rotation_vector(DQuat::IDENTITY)), (DQuat::IDENTITY, DVec3::ZERO));
    }
}
