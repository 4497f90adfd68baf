// Vectors, matrices (columns first, as WebGL takes them) and a camera that orbits a target.

export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const combine = (...terms) => [0, 1, 2].map((k) => terms.reduce((sum, [s, v]) => sum + s * v[k], 0));
export const unit = (a) => combine([1 / (Math.hypot(...a) || 1), a]);

// Clip coordinates of a box around a target, seen along -back from infinitely far (for the light).
export function orthographic(right, up, back, centre, radius) {
  const row = (v) => combine([1 / radius, v]);
  const [x, y, z] = [row(right), row(up), combine([-1 / radius, back])];
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, centre), -dot(y, centre), -dot(z, centre), 1]);
}

// Box around what moves but solids and, as far as they are near it, the static meshes; and a ball around that box.
export function surroundings(header) {
  const [from, to] = header.filled, size = Math.hypot(...combine([1, to], [-1, from])) || 1;
  const low = from.slice(), high = to.slice();
  for (const mesh of header.statics) {
    for (let k = 0; k < 3; k++) { // a ground of a hundred metres must not push the camera away
      low[k] = Math.min(low[k], Math.max(mesh.low[k], from[k] - 0.5 * size));
      high[k] = Math.max(high[k], Math.min(mesh.high[k], to[k] + 0.5 * size));
    }
  }
  const radius = 0.5 * Math.hypot(...combine([1, high], [-1, low])) || 1;
  return { low, high, centre: combine([0.5, low], [0.5, high]), radius };
}

// What a viewer along -back sees of everything (which visits the coordinates of each point): for each thin layer across the view how far it reaches, as
// [depth of its near side, left, right, bottom, top] in coordinates along back, right and up.
function outline({ low, high }, everything, { right, up, back }) {
  const layers = new Map();
  const thickness = Math.hypot(...combine([1, high], [-1, low])) / 1000 || 1;
  everything((p, q, r) => {
    const x = right[0] * p + right[1] * q + right[2] * r, y = up[0] * p + up[1] * q + up[2] * r;
    const layer = Math.ceil((back[0] * p + back[1] * q + back[2] * r) / thickness), reach = layers.get(layer);
    if (!reach) {
      layers.set(layer, [x, x, y, y]);
      return;
    }
    if (x < reach[0]) reach[0] = x;
    if (x > reach[1]) reach[1] = x;
    if (y < reach[2]) reach[2] = y;
    if (y > reach[3]) reach[3] = y;
  });
  return Array.from(layers, ([layer, reach]) => [layer * thickness, ...reach]);
}

export class Camera {
  constructor(header, everything) {
    this.view = header.view;
    this.box = surroundings(header);
    this.room = 1.2; // left around everything, for the controls
    this.shift = 0; // of the picture to the right, in halves of its width
    this.azimuth = header.view.azimuth;
    this.elevation = header.view.elevation;
    this.angle = header.view.angle;
    this.outline = outline(header, everything, this.frame());
    this.reset(1);
    this.first = this.frame(); // the light comes from where it was when the camera was made
  }

  // The view the scene asks for; what that leaves open is chosen to hold everything. As in pictures: in coordinates
  // along right, up and back, an eye e sees a point if |x - ex| <= t (ez - z), so with a = min(-t z - x) and
  // b = min(-t z + x) over all points the nearest eye has ez = -(a + b) / 2t and ex = (b - a) / 2. The same for y.
  reset(aspect) {
    const { view, box, outline } = this;
    Object.assign(this, { untouched: true, azimuth: view.azimuth, elevation: view.elevation });
    const { right, up, back } = this.frame(), tangent = Math.tan(0.5 * this.angle) / this.room;
    const least = (of) => outline.reduce((smallest, layer) => Math.min(smallest, of(...layer)), Infinity);
    const t = tangent * aspect, near = -least((z) => -z), far = least((z) => z), middle = 0.5 * (near + far);
    const a = least((z, left, right) => -t * z - right), b = least((z, left) => -t * z + left);
    const c = least((z, left, right, bottom, top) => -tangent * z - top);
    const d = least((z, left, right, bottom) => -tangent * z + bottom);
    const distance = Math.max(-(a + b) / (2 * t), -(c + d) / (2 * tangent)) - middle;
    const seen = distance > 0; // else there is nothing, or a single point
    const held = seen ? combine([0.5 * (b - a), right], [0.5 * (d - c), up], [middle, back]) : box.centre;
    this.target = (view.target || held).slice();
    const eye = view.eye || combine([1, held], [seen ? distance : 3 * box.radius, back]);
    const away = combine([1, eye], [-1, this.target]), [x, y, z] = unit(away);
    Object.assign(this, { distance: Math.hypot(...away), azimuth: Math.atan2(x, z), elevation: Math.asin(y) });
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
    const matrix = new Float32Array([...column(0), ...column(1), ...column(2), ...last]);
    for (let i = 0; i < 16; i += 4) matrix[i] += this.shift * matrix[i + 3];
    return matrix;
  }
}
