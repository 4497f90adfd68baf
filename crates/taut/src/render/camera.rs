//! A pinhole camera and its projection to pixels.
//!
//! A point at `eye + x·right + y·up + w·forward` lands on the pixel `(cx + f x/w, cy − f y/w)`, f the focal
//! length in pixels. Points are kept homogeneous, `(X, Y, w) = (f x + cx w, cy w − f y, w)`, so that triangles
//! reaching behind the eye need no special case. Not handled: lens effects, orthographic views.

use glam::DVec3;

/// Where the picture is taken from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Position of the eye \[m\].
    pub eye: DVec3,
    /// Point in the middle of the picture \[m\].
    pub target: DVec3,
    /// Direction that points upwards in the picture (any length).
    pub up: DVec3,
    /// Vertical angle of view \[rad\].
    pub fov: f64,
}

impl Default for Camera {
    fn default() -> Self {
        Camera::framing(DVec3::splat(-1.0), DVec3::ONE, 4.0 / 3.0)
    }
}

impl Camera {
    /// A three-quarter view from slightly above that just holds the box `lo`..`hi` \[m\].
    ///
    /// `aspect` is width / height of the picture. Give it the box of a whole animation, so that the camera
    /// stands still. An empty or non-finite box is replaced by the box from −1 to 1.
    pub fn framing(lo: DVec3, hi: DVec3, aspect: f64) -> Self {
        const AZIMUTH: f64 = 0.48; // 27 degrees: far enough round to see depth, near enough to see the front
        const ELEVATION: f64 = 0.24; // 14 degrees above the horizon
        Camera::framing_from(lo, hi, aspect, AZIMUTH, ELEVATION)
    }

    /// As [`framing`](Self::framing), seen from the given azimuth (from +z towards +x) and elevation \[rad\].
    pub fn framing_from(lo: DVec3, hi: DVec3, aspect: f64, azimuth: f64, elevation: f64) -> Self {
        const FOV: f64 = 0.56; // 32 degrees, a portrait lens: little distortion
        const MARGIN: f64 = 1.06;
        let usable = lo.is_finite() && hi.is_finite() && lo.cmple(hi).all() && lo != hi;
        let (lo, hi) = if usable { (lo, hi) } else { (DVec3::splat(-1.0), DVec3::ONE) };
        let aspect = if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 };
        let direction =
            DVec3::new(azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos());
        let target = 0.5 * (lo + hi);
        let (right, up, forward) = frame(-direction, DVec3::Y);
        let tangent = (0.5 * FOV).tan();
        let mut distance: f64 = 0.0;
        for corner in corners(lo, hi) {
            let p = corner - target;
            let across = (p.dot(right).abs() / aspect).max(p.dot(up).abs());
            distance = distance.max(MARGIN * across / tangent - p.dot(forward));
        }
        Camera { eye: target + distance * direction, target, up: DVec3::Y, fov: FOV }
    }
}

/// The eight corners of a box.
pub(super) fn corners(lo: DVec3, hi: DVec3) -> [DVec3; 8] {
    std::array::from_fn(|i| {
        let pick = |bit: usize, a: f64, b: f64| if i >> bit & 1 == 0 { a } else { b };
        DVec3::new(pick(0, lo.x, hi.x), pick(1, lo.y, hi.y), pick(2, lo.z, hi.z))
    })
}

/// Right, up and forward of a viewer looking along `forward`; always an orthonormal, finite frame.
fn frame(forward: DVec3, up: DVec3) -> (DVec3, DVec3, DVec3) {
    let forward = forward.try_normalize().unwrap_or(DVec3::NEG_Z);
    let right = forward.cross(up.try_normalize().unwrap_or(DVec3::Y)).try_normalize();
    let right = right.unwrap_or_else(|| forward.any_orthonormal_vector());
    (right, right.cross(forward), forward)
}

/// A camera made ready for one picture size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PixelCamera {
    pub eye: DVec3,
    pub right: DVec3,
    pub up: DVec3,
    pub forward: DVec3,
    /// Focal length \[pixels\].
    pub focal: f64,
    /// Middle of the picture \[pixels\].
    pub centre: [f64; 2],
    /// Nearest distance drawn \[m\].
    pub near: f64,
}

impl PixelCamera {
    pub fn new(camera: &Camera, width: usize, height: usize) -> Self {
        let fallback = Camera::default();
        let sane = camera.eye.is_finite() && camera.target.is_finite() && camera.up.is_finite();
        let camera = if sane { camera } else { &fallback };
        let (right, up, forward) = frame(camera.target - camera.eye, camera.up);
        let fov = if camera.fov > 0.0 && camera.fov < 3.1 { camera.fov } else { fallback.fov };
        let distance = camera.eye.distance(camera.target);
        let near = 1e-3 * if distance > 0.0 { distance } else { 1.0 };
        let focal = 0.5 * height as f64 / (0.5 * fov).tan();
        let centre = [0.5 * width as f64, 0.5 * height as f64];
        PixelCamera { eye: camera.eye, right, up, forward, focal, centre, near }
    }

    /// Homogeneous pixel coordinates (X, Y, w).
    pub fn project(&self, point: DVec3) -> DVec3 {
        let p = point - self.eye;
        let w = p.dot(self.forward);
        let x = self.focal * p.dot(self.right) + self.centre[0] * w;
        let y = self.centre[1] * w - self.focal * p.dot(self.up);
        DVec3::new(x, y, w)
    }

    /// Direction through a pixel, scaled so that `eye + w·ray` has depth w.
    pub fn ray(&self, x: f64, y: f64) -> DVec3 {
        let [cx, cy] = self.centre;
        self.forward + self.right * ((x - cx) / self.focal) + self.up * ((cy - y) / self.focal)
    }
}
