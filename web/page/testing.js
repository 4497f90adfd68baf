// `window.taut`: what tests, and whoever is curious, may look at.

import { decode } from "./link.js";

/** @param {any} app @param {any} meter */
export function expose(app, meter) {
  const { stage } = app, session = () => app.session, read = {
    renderer: () => stage.renderer, camera: () => stage.camera,
    running: () => session().running, report: () => session().report,
    topology: () => session().topology, positions: () => session().newest.positions, hand: () => session().hand,
    shown: () => session().shown, triangles: () => stage.scene.triangles, kind: () => app.kind, fps: () => meter.fps,
    pace: () => meter.pace, work: () => meter.work, race: () => app.racing, engine: () => session().engine,
    tool: () => app.tool,
  };
  const taut = {
    app, stage, decode,
    project: (p) => stage.project([0, 1, 2].map((k) => stage.points[3 * p + k])),
    run: (on) => app.run(on),
    step: (n) => session().ask("step", n).then(({ reply }) => reply.report),
    hash: () => session().ask("hash").then(({ reply }) => reply.report.hash),
    components: () => components(stage.scene.triangles, stage.points.length / 3),
  };
  for (const [name, get] of Object.entries(read)) Object.defineProperty(taut, name, { get, enumerable: true });
  /** @type {any} */ (window).taut = Object.assign(taut, { ready: true });
}

// How many pieces the triangles form.
function components(triangles, particles) {
  const parent = Uint32Array.from({ length: particles }, (_, i) => i);
  const root = (i) => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (let t = 0; t < triangles.length; t += 3) {
    parent[root(triangles[t])] = root(triangles[t + 1]);
    parent[root(triangles[t + 1])] = root(triangles[t + 2]);
  }
  return new Set(triangles.map(root)).size;
}
