// Mouse, pen and touch on the canvas: what is pressed decides what the drag does until it ends.

import { combine, dot } from "../render/camera.js";
import { around, at, nearestCorner, nearestHit, nearestStrand, onPlane, rayThrough } from "./pick.js";

const STILL = 4; // a press that moves by fewer pixels is a tap

export class Hands {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    /** @type {Map<number, {x: number, y: number}>} */
    this.held = new Map(); // pointers that are down
    /** @type {any} */
    this.drag = null;
    const { canvas } = app.stage, listen = (name, action) => canvas.addEventListener(name, action.bind(this));
    listen("pointerdown", this.down);
    listen("pointermove", this.move);
    listen("pointerup", this.up);
    listen("pointercancel", this.cancel);
    listen("lostpointercapture", this.cancel);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 18 : 1;
      this.zoom(Math.exp(0.0014 * lines * Math.max(-240, Math.min(240, event.deltaY))));
    }, { passive: false });
  }

  zoom(factor) {
    const { stage } = this.app;
    if (stage.camera) stage.camera.zoom(factor);
    stage.changed = true;
  }

  ray({ x, y }) {
    const { canvas, camera } = this.app.stage, width = canvas.clientWidth || 1, height = canvas.clientHeight || 1;
    return rayThrough(camera, width / height, 2 * x / width - 1, 1 - 2 * y / height);
  }

  // What is under the pointer: a particle of cloth, of a strand, a solid, or nothing.
  pick(place, reach) {
    const { stage } = this.app, { scene, points, camera } = stage, { parts, statics } = scene.header, ray = this.ray(place);
    const hit = nearestHit(points, scene.triangles, ray);
    const solid = nearestHit(scene.statics.points, scene.statics.corners, ray);
    const project = (point) => stage.project(point);
    const strand = nearestStrand(points, scene.lines, project, place.x, place.y, reach);
    const depths = [hit ? hit.depth : Infinity, solid ? solid.depth : Infinity];
    // A strand's depth is along the view, a hit's along its ray: near enough to say which is in front.
    const slope = -dot(ray.along, camera.frame().back);
    if (strand && strand.depth / slope < Math.min(...depths) + 0.01 * camera.box.radius) {
      return { kind: "cloth", particle: strand.particle, ray };
    }
    if (solid && depths[1] < depths[0]) {
      const number = statics.findIndex(({ range: [first, last] }) => solid.triangle >= first && solid.triangle < last);
      return { kind: "solid", number, place: combine([1, ray.from], [solid.depth, ray.along]), ray };
    }
    if (!hit) return { kind: "nothing", ray };
    const place3 = combine([1, ray.from], [hit.depth, ray.along]);
    const part = parts.findIndex(({ triangles: [first, last] }) => hit.triangle >= first && hit.triangle < last);
    if (part >= 0 && parts[part].solid) return { kind: "body", number: part, place: place3, ray };
    return { kind: "cloth", particle: nearestCorner(points, scene.triangles, hit.triangle, place3), ray };
  }

  /** @param {PointerEvent} event */
  down(event) {
    const { app } = this, { canvas } = app.stage, box = canvas.getBoundingClientRect();
    const place = { x: event.clientX - box.left, y: event.clientY - box.top };
    try {
      canvas.setPointerCapture(event.pointerId);
    } catch { /* a pointer that is gone already */ }
    canvas.focus({ preventScroll: true });
    this.held.set(event.pointerId, place);
    if (!app.stage.camera) return;
    if (this.held.size > 1) { // two fingers move the camera, whatever the first did
      this.finish(false);
      this.drag = { kind: "two" };
      return;
    }
    this.drag = this.begin(event, place);
    canvas.classList.toggle("held", this.drag.kind !== "cut");
  }

  begin(event, place) {
    const { app } = this, { session } = app;
    if (event.button === 1) return { kind: "orbit", last: place };
    if (event.button === 2 || event.shiftKey) return { kind: "pan", last: place };
    if (app.racing) return { kind: "orbit", last: place };
    const found = this.pick(place, event.pointerType === "touch" ? 24 : 12), tool = app.tool;
    if (tool === "scissors") return { kind: "cut", from: place, path: [place], found };
    if (tool === "pin" && found.kind === "cloth") return { kind: "pin", from: place, found, last: place };
    if (found.kind === "cloth" && tool === "hand") {
      const { points } = app.stage, parts = app.stage.scene.header.parts.filter((part) => part.solid);
      const allowed = (p) => !parts.some(({ particles }) => particles && p >= particles[0] && p < particles[1]);
      const particles = around(points, found.particle, app.handSize, allowed);
      const start = at(points, found.particle), normal = app.stage.camera.frame().back;
      const drag = { kind: "grab", particles, start, normal };
      app.stage.marks = particles;
      app.grabbed();
      session.grab(particles, this.reach(drag, found.ray) || drag.start);
      return drag;
    }
    if ((found.kind === "solid" || found.kind === "body") && tool === "hand") {
      const pose = app.poseOf(found.kind, found.number);
      return { kind: "carry", found, pose, start: found.place, normal: app.stage.camera.frame().back };
    }
    return { kind: "orbit", last: place };
  }

  // Where the hand is: in the plane through where it took hold, which faces the camera.
  reach({ start, normal }, ray) {
    return onPlane(ray, start, normal);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const before = this.held.get(event.pointerId), { app, drag } = this, { stage } = app, { canvas, camera } = stage;
    const box = canvas.getBoundingClientRect(), now = { x: event.clientX - box.left, y: event.clientY - box.top };
    if (!before || !drag) {
      if (event.pointerType === "mouse") this.hover(now);
      return;
    }
    const height = canvas.clientHeight || 1;
    if (drag.kind === "two") {
      const spread = () => {
        const [a, b] = [...this.held.values()];
        return { x: 0.5 * (a.x + b.x), y: 0.5 * (a.y + b.y), size: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
      };
      if (this.held.size !== 2) return;
      const two = spread();
      this.held.set(event.pointerId, now);
      const after = spread();
      camera.zoom(two.size / after.size);
      camera.pan((after.x - two.x) / height, (after.y - two.y) / height);
      stage.changed = true;
      return;
    }
    this.held.set(event.pointerId, now);
    if (drag.kind === "orbit" || drag.kind === "pan") {
      camera[drag.kind]((now.x - drag.last.x) / height, (now.y - drag.last.y) / height);
      drag.last = now;
    } else if (drag.kind === "grab") {
      const place = this.reach(drag, this.ray(now));
      if (place) app.session.grab(drag.particles, place);
    } else if (drag.kind === "carry") {
      const place = this.reach(drag, this.ray(now)), { pose, found: { kind, number } } = drag;
      if (place) app.carry(kind, number, pose.slice(0, 4), combine([1, pose.slice(4)], [1, place], [-1, drag.start]));
    } else if (drag.kind === "cut") {
      drag.path.push(now);
      app.stroke(drag.path);
    }
    stage.changed = true;
  }

  // The pointer shows what a press would do.
  hover(place) {
    const { app } = this, { canvas, scene } = app.stage, now = performance.now();
    if (!scene || app.racing || now - (this.hovered || 0) < 60) return;
    this.hovered = now;
    const { kind } = app.tool === "scissors" ? { kind: "nothing" } : this.pick(place, 12);
    canvas.dataset.over = app.tool === "pin" && kind !== "cloth" ? "nothing" : kind;
  }

  /** @param {PointerEvent} event */
  up(event) {
    if (!this.held.delete(event.pointerId)) return;
    if (this.drag && this.drag.kind !== "two") this.finish(true);
    if (!this.held.size) this.drag = null;
    this.app.stage.canvas.classList.toggle("held", this.held.size > 0);
  }

  /** @param {PointerEvent} event */
  cancel(event) {
    if (!this.held.delete(event.pointerId)) return;
    this.finish(false);
    this.app.stage.canvas.classList.remove("held");
  }

  // End the drag; `made` if it is to take effect.
  finish(made) {
    const { app, drag } = this;
    this.drag = null;
    if (!drag) return;
    if (drag.kind === "grab") {
      app.session.drop();
      app.stage.marks = null;
    } else if (drag.kind === "cut") {
      app.stroke(null);
      if (made) this.cut(drag);
    } else if (drag.kind === "pin" && made) {
      app.edit("pin", around(app.stage.points, drag.found.particle, app.handSize, () => true));
    }
    app.stage.changed = true;
  }

  // The blade reaches from the eye through the path; a tap is a hole.
  cut({ path, from, found }) {
    const { app } = this, far = Math.max(...path.map(({ x, y }) => Math.hypot(x - from.x, y - from.y)));
    if (far < STILL) {
      if (found.kind === "cloth") app.edit("punch", found.particle);
      return;
    }
    const apart = [path[0]]; // points that say something new
    for (const place of path) {
      const last = apart[apart.length - 1];
      if (Math.hypot(place.x - last.x, place.y - last.y) >= STILL) apart.push(place);
    }
    const step = Math.max(1, Math.ceil(apart.length / 64)), last = apart.length - 1;
    const kept = apart.filter((_, i) => i % step === 0 || i === last);
    const { camera } = app.stage;
    app.edit("cut", camera.eye, kept.map((place) => {
      const { from: eye, along } = this.ray(place);
      return combine([1, eye], [camera.distance, along]);
    }));
  }
}
