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
    /// The three-quarter view of a metre along every axis.
    fn default() -> Self {
        Camera::framing([], 4.0 / 3.0)
    }
}

/// The angle of view \[rad\], or the usual one if it is none.
fn sane(fov: f64) -> f64 {
    if fov > 0.0 && fov < 3.1 { fov } else { Camera::FIELD_OF_VIEW }
}

impl Camera {
    /// Where the eye stands unless it is told otherwise, from +z towards +x \[rad\]: 27 degrees, far enough round to
    /// see depth, near enough to see the front.
    pub const AZIMUTH: f64 = 0.48;
    /// How high above the horizon it stands \[rad\]: 14 degrees.
    pub const ELEVATION: f64 = 0.24;
    /// Its vertical angle of view \[rad\]: 32 degrees, a portrait lens with little distortion.
    pub const FIELD_OF_VIEW: f64 = 0.56;

    /// A three-quarter view from slightly above that just holds all points \[m\].
    ///
    /// `aspect` is width / height of the picture. Give it the points of a whole animation, so that the camera stands
    /// still.
    pub fn framing(points: impl IntoIterator<Item = DVec3>, aspect: f64) -> Self {
        Camera::from_direction(Self::AZIMUTH, Self::ELEVATION).holding(points, aspect)
    }

    /// A camera that looks at the origin from the given azimuth (from +z towards +x) and elevation \[rad\].
    pub fn from_direction(azimuth: f64, elevation: f64) -> Self {
        let level = elevation.cos();
        let eye = DVec3::new(azimuth.sin() * level, elevation.sin(), azimuth.cos() * level);
        Camera { eye, target: DVec3::ZERO, up: DVec3::Y, fov: Self::FIELD_OF_VIEW }
    }

    /// The same direction and lens, moved to where the picture just holds all points \[m\], in its middle.
    ///
    /// In coordinates (x, y, z) along right, up and forward, a point is in the picture of an eye e if
    /// |x − eₓ| ≤ t (z − e_z), t the tangent of half the angle of view, and so for y. For all points at once these are
    /// t e_z − eₓ ≤ a = min(t z − x) and t e_z + eₓ ≤ b = min(t z + x): the eye is nearest at
    /// e_z = (a + b) / 2t, eₓ = (b − a) / 2; of x and y, the one that asks for more distance decides. Points that are
    /// not finite are left out; if the rest have no size, one metre along every axis is held instead.
    pub fn holding(self, points: impl IntoIterator<Item = DVec3>, aspect: f64) -> Self {
        const MARGIN: f64 = 1.06;
        let (right, up, forward) = frame(self.target - self.eye, self.up);
        let aspect = if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 };
        let tangent = (0.5 * sane(self.fov)).tan() / MARGIN;
        let tangents = [tangent * aspect, tangent];
        // For x and y each a and b; for z the nearest and the farthest point.
        let (mut least, mut depth) = ([[f64::INFINITY; 2]; 2], [f64::INFINITY, f64::NEG_INFINITY]);
        for p in points.into_iter().filter(|p| p.is_finite()) {
            let z = p.dot(forward);
            depth = [depth[0].min(z), depth[1].max(z)];
            for (k, across) in [p.dot(right), p.dot(up)].into_iter().enumerate() {
                let reach = tangents[k] * z;
                least[k] = [least[k][0].min(reach - across), least[k][1].min(reach + across)];
            }
        }
        let [x, y] = least.map(|[a, b]| 0.5 * (b - a));
        let z = (0..2).map(|k| 0.5 * (least[k][0] + least[k][1]) / tangents[k]).fold(f64::INFINITY, f64::min);
        let distance = 0.5 * (depth[0] + depth[1]) - z;
        if !(distance > 0.0 && distance.is_finite()) {
            const METRE: [DVec3; 6] =
                [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
            return self.holding(METRE, aspect);
        }
        let eye = x * right + y * up + z * forward;
        Camera { eye, target: eye + distance * forward, ..self }
    }
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
        let known = camera.eye.is_finite() && camera.target.is_finite() && camera.up.is_finite();
        let camera = if known { camera } else { &fallback };
        let (right, up, forward) = frame(camera.target - camera.eye, camera.up);
        let distance = camera.eye.distance(camera.target);
        let near = 1e-3 * if distance > 0.0 { distance } else { 1.0 };
        let focal = 0.5 * height as f64 / (0.5 * sane(camera.fov)).tan();
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
