// Draws the scene where there is no WebGL 2: flat triangles from back to front on a 2D canvas. No shadows.

import { combine, cross, dot, unit } from "./camera.js";
import { lights } from "./view.js";

export class FlatView {
  static create(canvas, scene, camera) {
    const context = canvas.getContext("2d");
    return context && new FlatView(context, canvas, scene, camera);
  }

  constructor(context, canvas, scene, camera) {
    this.kind = "canvas";
    this.soft = true;
    this.context = context;
    this.canvas = canvas;
    this.load(scene, camera);
  }

  // Another scene, or the same with other triangles.
  load(scene, camera) {
    this.scene = scene;
    this.camera = camera;
    this.key = lights(camera).key;
    const { header, triangles, statics } = scene, moving = header.particles;
    // One list of points and of faces: what moves, then what stands still.
    this.points = new Float32Array(3 * moving + statics.points.length);
    this.corners = Uint32Array.from([...triangles, ...statics.corners.map((i) => i + moving)]);
    this.screen = new Float32Array(this.points.length);
    this.colours = new Array(this.corners.length / 3).fill([0x3a6f9a, 0xdfae82]);
    for (const { triangles: [first, last], colours } of header.parts) this.colours.fill(colours, first, last);
    for (const { range, colour } of header.statics) {
      const [first, last] = range.map((t) => t + triangles.length / 3);
      this.colours.fill([colour, colour], first, last);
    }
    this.order = Uint32Array.from(this.colours, (_, t) => t);
    this.depth = new Float32Array(this.order.length);
    this.repin(header.pinned);
  }

  repin(pinned) {
    this.pinned = pinned;
  }

  // Pixels and depth of every point.
  project([left, top, width, height]) {
    const { points, screen } = this, M = this.camera.matrix(width / height);
    for (let i = 0; i < points.length; i += 3) {
      const [x, y, z] = [points[i], points[i + 1], points[i + 2]];
      const w = M[3] * x + M[7] * y + M[11] * z + M[15];
      screen[i] = left + (0.5 + 0.5 * (M[0] * x + M[4] * y + M[8] * z + M[12]) / w) * width;
      screen[i + 1] = top + (0.5 - 0.5 * (M[1] * x + M[5] * y + M[9] * z + M[13]) / w) * height;
      screen[i + 2] = w;
    }
  }

  shade(t) {
    const { points, corners, camera: { eye } } = this;
    const [a, b, c] = [0, 1, 2].map((k) => points.subarray(3 * corners[3 * t + k], 3 * corners[3 * t + k] + 3));
    let n = unit(cross(combine([1, b], [-1, a]), combine([1, c], [-1, a])));
    const front = dot(n, combine([1, eye], [-1, a])) > 0;
    if (!front) n = combine([-1, n]);
    const light = 0.5 + 0.12 * n[1] + 0.55 * Math.max(0, dot(n, this.key)) + 0.1 * Math.max(0, -dot(n, this.key));
    const hex = this.colours[t][front ? 0 : 1];
    return `rgb(${[16, 8, 0].map((shift) => Math.min(255, Math.round((hex >> shift & 255) * light))).join()})`;
  }

  drawFaces(wire) {
    const { context, corners, screen, order, depth } = this;
    for (let t = 0; t < depth.length; t++) {
      depth[t] = screen[3 * corners[3 * t] + 2] + screen[3 * corners[3 * t + 1] + 2] + screen[3 * corners[3 * t + 2] + 2];
    }
    order.sort((s, t) => depth[t] - depth[s]);
    for (const t of order) {
      const [a, b, c] = [3 * corners[3 * t], 3 * corners[3 * t + 1], 3 * corners[3 * t + 2]];
      if (Math.min(screen[a + 2], screen[b + 2], screen[c + 2]) <= 0) continue;
      context.beginPath();
      context.moveTo(screen[a], screen[a + 1]);
      context.lineTo(screen[b], screen[b + 1]);
      context.lineTo(screen[c], screen[c + 1]);
      context.closePath();
      if (wire < 2) context.fillStyle = this.shade(t);
      if (wire < 2) context.fill();
      context.strokeStyle = wire ? "rgba(22, 34, 46, .4)" : context.fillStyle; // covers the seams
      context.stroke();
    }
  }

  line(ends, i) {
    const { context, screen } = this, [a, b] = [3 * ends[i], 3 * ends[i + 1]];
    if (Math.min(screen[a + 2], screen[b + 2]) <= 0) return;
    context.moveTo(screen[a], screen[a + 1]);
    context.lineTo(screen[b], screen[b + 1]);
  }

  drawLines() {
    const { context, scene: { lines, header } } = this;
    for (const { lines: [first, last], colours: [front] } of header.parts) {
      context.strokeStyle = `#${front.toString(16).padStart(6, "0")}`;
      context.beginPath();
      for (let i = 2 * first; i < 2 * last; i += 2) this.line(lines, i);
      context.stroke();
    }
  }

  // Springs in colours of four bytes each, those of one colour in one stroke.
  drawSprings({ ends, colours }) {
    const { context } = this, words = new Uint32Array(colours.buffer), alike = new Map();
    words.forEach((word, i) => alike.has(word) ? alike.get(word).push(2 * i) : alike.set(word, [2 * i]));
    for (const [word, list] of alike) {
      context.strokeStyle = `rgb(${word & 255}, ${word >> 8 & 255}, ${word >> 16 & 255})`;
      context.beginPath();
      for (const i of list) this.line(ends, i);
      context.stroke();
    }
  }

  dots(particles, colour, radius) {
    const { context, screen } = this;
    context.fillStyle = colour;
    for (const p of particles) {
      if (screen[3 * p + 2] <= 0) continue;
      context.beginPath();
      context.arc(screen[3 * p], screen[3 * p + 1], radius, 0, 7);
      context.fill();
    }
  }

  draw(points, normals, { dark, wire, held, springs = null, marks = null, pane = null }) {
    const { context, canvas } = this, [left, bottom, width, height] = pane || [0, 0, canvas.width, canvas.height];
    const top = canvas.height - bottom - height;
    this.points.set(points);
    this.points.set(this.scene.statics.points, points.length);
    this.project([left, top, width, height]);
    const gradient = context.createLinearGradient(0, top, 0, top + height);
    gradient.addColorStop(0, dark ? "#1b2129" : "#dde3ea");
    gradient.addColorStop(1, dark ? "#323a44" : "#f3f1ed");
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.fillStyle = gradient;
    context.fillRect(left, top, width, height);
    context.lineWidth = Math.max(1, width / 1600);
    this.drawFaces(wire);
    this.drawLines();
    if (springs) this.drawSprings(springs);
    this.dots(this.pinned.slice(0, held), dark ? "#8e9baa" : "#39424e", height / 220);
    if (marks) this.dots(marks, "#e58a2b", height / 160);
    context.restore();
  }
}
