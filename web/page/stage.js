// The picture: a view on the canvas, the camera, and what is drawn of the newest reply.

import { Camera } from "../render/camera.js";
import { FlatView } from "../render/flat.js";
import { smoothNormals, together } from "../render/geometry.js";
import { GlView } from "../render/view.js";
import { paint, palette, reachOf } from "./colours.js";
import { toBeSeen } from "./framing.js";

/** A scene as the renderer wants it, from a reply with a topology. */
function sceneOf({ topology, triangles, lines, solidPoints, solidCorners, pins }) {
  const corners = (solidCorners || new Uint32Array(0)).slice(), given = (solidPoints || new Float32Array(0)).slice();
  const statics = topology.statics.map((mesh) => ({ ...mesh }));
  together(statics, corners);
  const header = { ...topology, statics, pinned: Array.from(pins || []) };
  return { header, triangles, lines, statics: { points: given.slice(), given, corners, turning: false } };
}

export class Stage {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {(text: string) => void} note
   */
  constructor(canvas, note) {
    this.canvas = canvas;
    this.note = note;
    /** @type {any} */
    this.view = null;
    /** @type {any} */
    this.camera = null;
    /** @type {any} */
    this.scene = null;
    this.look = { dark: false, wire: 0, springs: "", shadows: /** @type {boolean | null} */ (null) };
    this.panes = 1;
    this.covered = 0; // share of the width that the panel lies on
    this.changed = true;
    this.reach = 1e-3;
    this.marks = /** @type {number[] | null} */ (null);
    this.painted = /** @type {any} */ (null);
    this.poses = "";
    this.beforeSize = () => {}; // what must be done while the canvas still has its old size
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.note("The graphics card took the picture away; it comes back as soon as it can.");
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.view = null;
      this.build();
      this.note("");
    });
  }

  get renderer() { return this.view ? this.view.kind : "none"; }
  get shadows() { return this.look.shadows === null ? !this.view.soft : this.look.shadows; }
  get dark() { return this.look.dark; }

  // Another scene (fresh), or the same with other triangles.
  show(reply, fresh) {
    this.scene = sceneOf(reply);
    this.points = reply.positions.slice();
    this.normals = new Float32Array(this.points.length);
    this.springs = reply.springs || new Uint32Array(0);
    this.colours = new Uint32Array(this.springs.length / 2);
    this.painted = null;
    this.poses = "";
    if (fresh || !this.camera) {
      this.camera = new Camera(this.scene.header, toBeSeen(this.scene, this.points));
      this.camera.room = 1.42; // the title, the bar
      this.reach = 1e-3;
      this.resetCamera();
    }
    if (this.view) this.view.load(this.scene, this.camera);
    else this.build();
    this.changed = true;
  }

  build() {
    const { canvas, scene, camera } = this;
    if (!scene || this.view) return;
    const plain = new URLSearchParams(location.search).has("canvas"); // for whoever has no driver they trust
    this.view = (!plain && GlView.create(canvas, scene, camera)) || FlatView.create(canvas, scene, camera);
    if (!this.view) throw new Error("this browser has neither WebGL 2 nor a 2D canvas");
    if (this.view.kind === "canvas") this.note("No WebGL 2 here: simple drawing without shadows.");
    this.fit();
  }

  fit() {
    const { canvas } = this, density = this.view && this.view.soft ? 1 : Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.max(1, Math.round(side * density)));
    if (canvas.width !== width || canvas.height !== height) this.beforeSize();
    Object.assign(canvas, { width, height });
    if (this.camera && this.camera.untouched) this.resetCamera();
    this.changed = true;
  }

  // So many pixels at the right are covered: the picture moves aside.
  cover(pixels) {
    this.covered = this.panes > 1 ? 0 : pixels / Math.max(1, this.canvas.clientWidth);
    if (this.camera && this.camera.untouched) this.resetCamera();
    if (this.camera) this.camera.shift = -this.covered;
    this.changed = true;
  }

  // Panes of the canvas, in pixels from the lower left, as the renderer counts.
  pane(i) {
    const { canvas: { width, height }, panes } = this, tall = height > 1.1 * width;
    const columns = tall ? (panes > 3 ? 2 : 1) : panes > 4 ? 3 : panes === 4 ? 2 : panes;
    const rows = Math.ceil(panes / columns);
    const edge = (size, parts, k) => Math.round(size * k / parts), column = i % columns, row = Math.floor(i / columns);
    const [x, y] = [edge(width, columns, column), height - edge(height, rows, row + 1)];
    return [x, y, Math.max(1, edge(width, columns, column + 1) - x), Math.max(1, height - edge(height, rows, row) - y)];
  }

  aspect() {
    const [, , width, height] = this.pane(0);
    return width / height;
  }

  resetCamera() {
    if (!this.camera) return;
    const share = 1 - this.covered; // of the width is to be seen
    this.camera.shift = -this.covered;
    this.camera.reset(this.aspect() * share);
    this.changed = true;
  }

  /** Azimuth, elevation, distance and target of a link. */
  aim([azimuth, elevation, distance, ...target]) {
    Object.assign(this.camera, { azimuth, elevation, distance, target, untouched: false });
    this.changed = true;
  }

  // What came with a reply besides positions.
  take(reply) {
    const { scene, view } = this;
    if (reply.pins && !reply.topology) {
      scene.header.pinned = Array.from(reply.pins);
      view.repin(scene.header.pinned);
    }
    const poses = reply.report.poses && reply.report.poses.length ? JSON.stringify(reply.report.poses) : "";
    if (poses !== this.poses) {
      this.poses = poses;
      this.place(reply.report.poses);
    }
    const { look, springs, colours } = this;
    this.painted = null;
    if (look.springs) {
      if (reply.strain) this.reach = reachOf(reply.strain, this.reach);
      const shades = palette(look.dark);
      if (paint(look.springs, reply, springs, colours, { dark: look.dark, reach: this.reach, shades })) {
        this.painted = { ends: springs, colours: new Uint8Array(colours.buffer) };
      }
    }
    this.changed = true;
  }

  // Static meshes where they are: p -> q p q* + shift from where they were given.
  place(poses) {
    const { header, statics: { points, given } } = this.scene;
    header.statics.forEach(({ points: [first, last] }, k) => {
      const [x, y, z, w, a, b, c] = poses[k] || [0, 0, 0, 1, 0, 0, 0];
      for (let i = first; i < last; i += 3) {
        const p = given[i], q = given[i + 1], r = given[i + 2];
        const s = 2 * (y * r - z * q), t = 2 * (z * p - x * r), u = 2 * (x * q - y * p);
        points[i] = a + p + w * s + y * u - z * t;
        points[i + 1] = b + q + w * t + z * s - x * u;
        points[i + 2] = c + r + w * u + x * t - y * s;
      }
    });
    this.scene.statics.turning = true; // until it is drawn
  }

  draw(points = this.points, pane = null) {
    const { view, look, scene, normals } = this;
    smoothNormals(points, scene.triangles, normals);
    view.draw(points, normals, { dark: look.dark, wire: look.wire, held: scene.header.pinned.length, pane,
      shadows: this.shadows, springs: pane ? null : this.painted, marks: pane ? null : this.marks });
    if (!pane) scene.statics.turning = false;
  }

  // Pixels of the page (from the upper left of the canvas) and depth of a point.
  project(point) {
    const { canvas, camera } = this, M = camera.matrix(this.aspect()), [x, y, z] = point;
    const w = M[3] * x + M[7] * y + M[11] * z + M[15];
    return [(0.5 + 0.5 * (M[0] * x + M[4] * y + M[8] * z + M[12]) / w) * canvas.clientWidth,
      (0.5 - 0.5 * (M[1] * x + M[5] * y + M[9] * z + M[13]) / w) * canvas.clientHeight, w];
  }
}
