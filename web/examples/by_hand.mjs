// The picture in taut's README: cloth is dragged and cut, and what was done is saved as a scene. In node:
//
//   web/build site && node web/examples/by_hand.mjs site > by_hand.toml
//   taut run by_hand.toml --size 360x288

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const site = process.argv[2];
const { Simulation } = await import(pathToFileURL(`${site}/taut.js`).href);
const s = await Simulation.open(`title = "By hand: dragged and cut"
duration = 3.75
time_step = 0.01666666666666667
[method]
iterations = 20
[damping]
drag = 0.4
[[body]]
grid = { columns = 51, rows = 51, width = 1.0, height = 1.0, diagonals = "both" }
mass = 0.3
stretch = 800.0
shear = 60.0
bend = 1.0
rotation = [90.0, 0.0, 0.0]
position = [0.0, 0.9, 0.0]
perturbation = 1e-3
[[pin]]
at = ["top_left", "top_right"]
[[solid]]
ground = { height = 0.0 }
friction = 0.5
[camera]
azimuth = 24.0
elevation = 12.0
`, { worker: false, wasm: readFileSync(`${site}/taut.wasm`) });
await s.step(20);

// The particle in the lead and its eight neighbours, taken along a path of keys: seconds, then metres from where it was.
const lead = 51 * 32 + 25, around = [-52, -51, -50, -1, 1, 50, 51, 52].map((way) => lead + way);
const keys = [[0, 0, 0, 0], [0.5, 0.25, 0.1, 0.45], [0.9, 0.45, 0.25, 0.35], [1.3, -0.3, 0.2, 0.4], [1.55, -0.2, 0.1, 0.1]];
const start = [0, 1, 2].map((k) => s.positions[3 * lead + k]), { h } = s.report;
for (let step = 1; step <= 93; step++) {
  const next = Math.min(keys.findIndex(([t]) => t >= step * h), keys.length), [a, b] = [keys[next - 1], keys[next]];
  const share = (step * h - a[0]) / (b[0] - a[0]), smooth = share * share * (3 - 2 * share);
  await s.grab([lead, ...around], start.map((x, k) => x + a[k + 1] + smooth * (b[k + 1] - a[k + 1])));
  await s.step(1);
}
await s.release();
await s.step(42);

// A stroke seen from the front, a little wavy.
const stroke = Array.from({ length: 13 }, (_, i) => [-0.7 + i * 1.4 / 12, 0.98 - i * 0.16 / 12 + 0.05 * Math.sin(i / 2), 0]);
await s.cut([0, 0.9, 3], stroke);
await s.step(70);
process.stdout.write(await s.save());
s.close();
