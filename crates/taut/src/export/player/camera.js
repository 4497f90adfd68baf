// Vectors, matrices (columns first, as WebGL takes them) and a camera that orbits a target.

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const combine = (...terms) => [0, 1, 2].map((k) => terms.reduce((sum, [s, v]) => sum + s * v[k], 0));
const unit = (a) => combine([1 / (Math.hypot(...a) || 1), a]);

// Clip coordinates of a box around a target, seen along -back from infinitely far (for the light).
function orthographic(right, up, back, centre, radius) {
  const row = (v) => combine([1 / radius, v]);
  const [x, y, z] = [row(right), row(up), combine([-1 / radius, back])];
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, centre), -dot(y, centre), -dot(z, centre), 1]);
}

// Box around the motion and, as far as they are near it, the static meshes; and a ball around that box.
function surroundings(header) {
  const size = Math.hypot(...combine([1, header.high], [-1, header.low])) || 1;
  const low = header.low.slice(), high = header.high.slice();
  for (const mesh of header.statics) {
    for (let k = 0; k < 3; k++) { // a ground of a hundred metres must not push the camera away
      low[k] = Math.min(low[k], Math.max(mesh.low[k], header.low[k] - 0.5 * size));
      high[k] = Math.max(high[k], Math.min(mesh.high[k], header.high[k] + 0.5 * size));
    }
  }
  const radius = 0.5 * Math.hypot(...combine([1, high], [-1, low])) || 1;
  return { low, high, centre: combine([0.5, low], [0.5, high]), radius };
}

class Camera {
  constructor(box) {
    this.box = box;
    this.angle = 0.56; // vertical angle of view [rad], a portrait lens: little distortion
    this.reset(1);
  }

  // A three-quarter view from slightly above that just holds the box.
  reset(aspect) {
    this.untouched = true;
    this.azimuth = 0.48;
    this.elevation = 0.24;
    this.target = this.box.centre.slice();
    const { right, up, back } = this.frame(), tangent = Math.tan(0.5 * this.angle);
    this.distance = 0;
    for (let i = 0; i < 8; i++) {
      const p = [0, 1, 2].map((k) => (i >> k & 1 ? this.box.high : this.box.low)[k] - this.target[k]);
      const across = Math.max(Math.abs(dot(p, right)) / aspect, Math.abs(dot(p, up)));
      this.distance = Math.max(this.distance, 1.2 * across / tangent + dot(p, back)); // room for the controls
    }
    this.distance = this.distance || 3 * this.box.radius;
  }

  frame() {
    const [sa, ca, se, ce] = [Math.sin(this.azimuth), Math.cos(this.azimuth), Math.sin(this.elevation),
      Math.cos(this.elevation)];
    const back = [sa * ce, se, ca * ce], right = [ca, 0, -sa];
    return { right, up: cross(back, right), back };
  }

  get eye() { return combine([1, this.target], [this.distance, this.frame().back]); }

  // Pointer movements are shares of the view's height.
  orbit(x, y) {
    this.untouched = false;
    this.azimuth -= 3.6 * x;
    this.elevation = Math.min(1.54, Math.max(-1.54, this.elevation + 3.6 * y));
  }

  pan(x, y) {
    this.untouched = false;
    const { right, up } = this.frame(), scale = 2 * Math.tan(0.5 * this.angle) * this.distance;
    this.target = combine([1, this.target], [-x * scale, right], [y * scale, up]);
  }

  zoom(factor) {
    this.untouched = false;
    const { radius } = this.box;
    this.distance = Math.min(40 * radius, Math.max(0.02 * radius, this.distance * factor));
  }

  // Clip coordinates of the world.
  matrix(aspect) {
    const { right, up, back } = this.frame(), { eye, distance } = this, { radius, centre } = this.box;
    const away = Math.hypot(...combine([1, eye], [-1, centre]));
    const far = away + 4 * radius, near = Math.max(away - 2 * radius, 0.01 * distance);
    const f = 1 / Math.tan(0.5 * this.angle), a = (far + near) / (far - near), b = 2 * far * near / (far - near);
    const column = (k) => [f / aspect * right[k], f * up[k], a * -back[k], -back[k]];
    const last = [-f / aspect * dot(right, eye), -f * dot(up, eye), a * dot(back, eye) - b, dot(back, eye)];
    return new Float32Array([...column(0), ...column(1), ...column(2), ...last]);
  }
}
