// Without a browser: node web/test/node.mjs OUT, the folder web/build made.

import assert from "node:assert";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { dice, test } from "./tools.mjs";

const out = pathToFileURL(`${path.resolve(process.argv[2])}/`), load = (name) => import(new URL(name, out));
const { readReply } = await load("page/reply.js"), { around, at, distanceToRay, nearestHit, nearestStrand, onPlane, rayThrough } = await load("page/pick.js");
const { decode, encode, guessedParticles } = await load("page/link.js"), { Camera } = await load("render/camera.js");
const { palette, reachOf } = await load("page/colours.js"), { rms } = await load("page/racer.js");
const { Simulation } = await load("taut.js");

// Bytes of sections, as the engine writes them.
function write(sections) {
  const parts = [];
  for (const [tag, data] of Object.entries(sections)) {
    const bytes = typeof data === "string" ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const head = Buffer.alloc(8), rest = Buffer.alloc((8 - bytes.length % 8) % 8);
    head.write(tag, "latin1");
    head.writeUInt32LE(bytes.length, 4);
    parts.push(head, bytes, rest);
  }
  const all = Buffer.concat(parts);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
}

const SAMPLE = { RPRT: '{"step": 3, "errors": []}', POSI: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), PINS: Uint32Array.of(2),
  TOPO: '{"particles": 3, "version": 1}', TRIS: Uint32Array.of(0, 1, 2), LINE: Uint32Array.of(0, 1), STAT: Float32Array.of(1, 2, 3),
  STCO: Uint32Array.of(0, 0, 0), PARE: Uint32Array.of(), SPRI: Uint32Array.of(0, 1), SPFA: Uint8Array.of(1), STRN: Float32Array.of(0.5),
  COMP: Uint16Array.of(0, 0, 65535), IMPL: Uint8Array.of(1), TOML: "a = 1", SCNS: "[]", NEWS: "something later versions send" };

await test("replies: every section, cut short and altered ones", () => {
  const bytes = write(SAMPLE), reply = readReply(bytes);
  assert.strictEqual(reply.report.step, 3);
  assert.deepStrictEqual([...reply.positions], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepStrictEqual([[...reply.pins], [...reply.triangles], [...reply.lines]], [[2], [0, 1, 2], [0, 1]]);
  assert.deepStrictEqual([[...reply.springs], [...reply.families], [...reply.implicit]], [[0, 1], [1], [1]]);
  assert.deepStrictEqual([[...reply.strain], [...reply.components], reply.copies.length], [[0.5], [0, 0, 65535], 0]);
  assert.deepStrictEqual([[...reply.solidPoints], [...reply.solidCorners]], [[1, 2, 3], [0, 0, 0]]);
  assert.deepStrictEqual([reply.toml, reply.scenes], ["a = 1", []]);
  let refused = 0;
  const random = dice(7), attempt = (altered) => {
    try {
      readReply(altered);
    } catch (error) {
      assert.match(error.message, /^the engine's answer is damaged: /);
      refused += 1;
    }
  };
  for (let i = 0; i < 500; i++) attempt(bytes.slice(0, Math.floor(random() * bytes.byteLength)));
  for (let i = 0; i < 500; i++) {
    const altered = new Uint8Array(bytes.slice(0));
    for (let k = 0; k < 1 + 4 * random(); k++) altered[Math.floor(random() * altered.length)] = 256 * random();
    attempt(altered.buffer);
  }
  assert(refused > 300, `${refused} of 1000 refused`);
  for (const [tag, wrong] of [["TRIS", Uint32Array.of(0, 1, 3)], ["SPRI", Uint32Array.of(9, 1)], ["RPRT", "{"], ["POSI", Float32Array.of(1)]]) {
    assert.throws(() => readReply(write({ ...SAMPLE, [tag]: wrong })), /damaged/, tag);
  }
  assert.throws(() => readReply(write({ POSI: SAMPLE.POSI })), /no report/);
});

const header = { filled: [[-1, -1, -1], [1, 1, 1]], low: [-1, -1, -1], high: [1, 1, 1], statics: [],
  view: { azimuth: 0.4, elevation: 0.2, angle: 0.6, eye: null, target: null } };
const camera = new Camera(header, (visit) => { for (let k = 0; k < 8; k++) visit(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1); });

await test("rays go where the matrix projects, with the picture moved aside too", () => {
  const random = dice(3), aspect = 1.6;
  for (const shift of [0, -0.3]) {
    camera.shift = shift;
    const M = camera.matrix(aspect);
    for (let i = 0; i < 200; i++) {
      const p = [0, 1, 2].map(() => 2 * random() - 1), row = (k) => M[k] * p[0] + M[k + 4] * p[1] + M[k + 8] * p[2] + M[k + 12];
      const ray = rayThrough(camera, aspect, row(0) / row(3), row(1) / row(3));
      assert(distanceToRay(ray, p) < 1e-5, `${distanceToRay(ray, p)}`);
      assert(Math.hypot(...onPlane(ray, p, camera.frame().back).map((x, k) => x - p[k])) < 1e-5);
    }
  }
  camera.shift = 0;
});

// The same by signed volumes of tetrahedra.
function byVolumes(points, corners, { from, along }) {
  const to = from.map((x, k) => x + 100 * along[k]);
  const volume = (a, b, c, d) => {
    const [u, v, w] = [b, c, d].map((p) => p.map((x, k) => x - a[k]));
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
  };
  let best = { depth: Infinity, triangle: -1 };
  for (let t = 0; t < corners.length / 3; t++) {
    const [a, b, c] = [0, 1, 2].map((k) => at(points, corners[3 * t + k]));
    const before = volume(a, b, c, from), behind = volume(a, b, c, to), sides = [volume(from, to, a, b), volume(from, to, b, c), volume(from, to, c, a)];
    if (before * behind > 0 || !(sides.every((s) => s >= 0) || sides.every((s) => s <= 0))) continue;
    const depth = 100 * before / (before - behind);
    if (depth < best.depth) best = { depth, triangle: t };
  }
  return best.triangle < 0 ? null : best;
}

await test("picking against brute force", () => {
  const random = dice(11), count = 300, points = Float32Array.from({ length: 3 * count }, () => 2 * random() - 1);
  const corners = Uint32Array.from({ length: 3 * 200 }, () => Math.floor(random() * count));
  let hits = 0;
  for (let i = 0; i < 500; i++) {
    const ray = rayThrough(camera, 1.6, 1.4 * random() - 0.7, 1.4 * random() - 0.7);
    const one = nearestHit(points, corners, ray), other = byVolumes(points, corners, ray);
    assert.strictEqual(one && one.triangle, other && other.triangle);
    if (one) assert(Math.abs(one.depth - other.depth) < 1e-4 * other.depth);
    hits += one !== null;
  }
  assert(hits > 100 && hits < 500, `${hits} hits`);
  const near = around(points, 5, 10, () => true), away = (p) => Math.hypot(...at(points, p).map((x, k) => x - points[15 + k]));
  assert.strictEqual(near[0], 5);
  const all = [...Array(count).keys()].sort((p, q) => away(p) - away(q));
  assert.deepStrictEqual(near, all.slice(0, 10));
  const flat = ([x, y, z]) => [100 * x, 100 * y, 10 + z], lines = Uint32Array.of(0, 1), pair = Float32Array.of(0, 0, 0, 1, 0, 0);
  assert.strictEqual(nearestStrand(pair, lines, flat, 70, 8, 12).particle, 1);
  assert.strictEqual(nearestStrand(pair, lines, flat, 20, -8, 12).particle, 0);
  assert.strictEqual(nearestStrand(pair, lines, flat, 50, 13, 12), null);
});

await test("links: there and back, refusals", async () => {
  const shared = { v: 1, scene: "curtain", set: [["iterations", 7], ["gravity", [0, -1, 0]]], camera: [1, 2, 3, 4, 5, 6] };
  const hash = await encode(shared);
  assert(hash.length < 200);
  assert.deepStrictEqual(await decode(hash), shared);
  const text = { v: 1, text: "title = \"ä € 𝄞\"\n".repeat(200) };
  assert.deepStrictEqual(await decode(await encode(text)), text);
  assert.deepStrictEqual(await decode(`#0${Buffer.from(JSON.stringify(shared)).toString("base64url")}`), shared);
  for (const bad of ["#1", "#1aa", "#x", "#0e30", `${hash.slice(0, -4)}`, `#0${Buffer.from('{"v":1,"scene":3}').toString("base64url")}`,
    `#0${Buffer.from('{"v":1,"scene":"a","camera":[1]}').toString("base64url")}`]) await assert.rejects(decode(bad), /damaged/, bad);
  await assert.rejects(decode("#5abc"), /newer/);
  assert.strictEqual(guessedParticles("grid = { columns = 400, rows = 1_000 }"), 400000);
});

await test("colours and distances", () => {
  const shades = palette(false);
  assert.strictEqual(shades.length, 256);
  const [blue, red] = [shades[0], shades[255]].map((word) => [word & 255, word >> 8 & 255, word >> 16 & 255]);
  assert(blue[2] > blue[0] + 80 && red[0] > red[2] + 80);
  const strain = Float32Array.from({ length: 1000 }, (_, i) => (i < 5 ? 9 : 0.03 * (i / 1000)));
  assert.strictEqual(reachOf(strain, 0.001), 0.05);
  assert.strictEqual(rms(Float32Array.of(0, 0, 0, 1, 0, 0), Float32Array.of(0, 0, 2, 1, 0, 0)), Math.sqrt(2));
});

await test("the package", async () => {
  const s = await Simulation.open("curtain21"), triangles = s.triangles.length;
  assert.strictEqual(s.positions.length, 3 * 441);
  const seen = [];
  const off = s.on("topology", ({ triangles }) => seen.push(triangles.length));
  await s.grab(440, [0.6, 1.3, 0.6]);
  assert.strictEqual((await s.step(20)).step, 20);
  assert(Math.hypot(...[0.6, 1.3, 0.6].map((x, k) => x - s.positions[3 * 440 + k])) < 1e-6);
  await s.release();
  await s.set("iterations", 5);
  await assert.rejects(s.set("iterations", -1), /iterations/);
  await assert.rejects(s.grab(9999, [0, 0, 0]), /9999/);
  const pins = s.pins.length;
  await s.pin(200);
  await s.step();
  assert.strictEqual(s.pins.length, pins + 1);
  await s.cut([0, 1.1, 10], [[-5, 1.1, 0], [5, 1.1, 0]]);
  await s.step();
  assert.strictEqual(s.report.parted.pieces >= 1, true);
  assert.strictEqual(seen.length, 1);
  assert.strictEqual(s.triangles.length, triangles);
  assert(s.topology.particles > 441);
  off();
  const hash = await s.hash();
  assert.match(hash, /^[0-9a-f]{16}$/);
  assert.match(await s.save(), /\[\[body\]\]/);
  await s.restart();
  assert.strictEqual(s.report.step, 0);
  s.close();
  await assert.rejects(s.step(), /closed/);
  await assert.rejects(Simulation.open("[[body]]\nnonsense = 1\n"), (error) => error.line === 2);
  await assert.rejects(Simulation.open("nowhere"), /nowhere/);
  await assert.rejects(Simulation.open("[[body]]\ngrid = { columns = 3000, rows = 3000, width = 1.0, height = 1.0 }\n"), /memory/);
  assert.throws(() => s.on("else", () => {}), /else/);
});
