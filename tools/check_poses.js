// Solids that turn must be in the same place in a GLB, as glTF defines it, and in the HTML page of the same run, as the
// player's own script places them, in every frame.
const fs = require("fs");
const vm = require("vm");
const path = require("path");
const assert = require("assert");
const [, , glbFile, htmlFile] = process.argv;

const bytes = fs.readFileSync(glbFile), length = bytes.readUInt32LE(12);
const glb = JSON.parse(bytes.subarray(20, 20 + length)), binary = bytes.subarray(28 + length);
const WIDTHS = { SCALAR: 1, VEC3: 3, VEC4: 4 };

// The vectors of an accessor of floats.
function vectors(index) {
  const { bufferView, byteOffset = 0, count, type } = glb.accessors[index], width = WIDTHS[type];
  const start = (glb.bufferViews[bufferView].byteOffset || 0) + byteOffset;
  const at = (i, k) => binary.readFloatLE(start + 4 * (width * i + k));
  return Array.from({ length: count }, (_, i) => Array.from({ length: width }, (_, k) => at(i, k)));
}

// Vertices of a node in a frame: its keys there, or what it has without them.
function placed(number, frame) {
  const node = glb.nodes[number], { channels, samplers } = glb.animations[0];
  const key = (name, usual) => {
    const channel = channels.find(({ target }) => target.node === number && target.path === name);
    return channel ? vectors(samplers[channel.sampler].output)[frame] : node[name] || usual;
  };
  const [x, y, z, w] = key("rotation", [0, 0, 0, 1]), [a, b, c] = key("translation", [0, 0, 0]);
  return vectors(glb.meshes[node.mesh].primitives[0].attributes.POSITION).map(([p, q, r]) => {
    const [s, t, u] = [2 * (y * r - z * q), 2 * (z * p - x * r), 2 * (x * q - y * p)];
    return [a + p + w * s + y * u - z * t, b + q + w * t + z * s - x * u, c + r + w * u + x * t - y * s];
  });
}

// The player's modules as one script, as the page has them.
const player = (name) => fs.readFileSync(path.join(__dirname, `../crates/taut/src/export/player/${name}.js`), "utf8");
const script = ["camera", "geometry", "data"].map(player).join("\n");
vm.runInThisContext(script.replace(/^import .*$/gm, "").replace(/^export /gm, ""));
const page = fs.readFileSync(htmlFile, "utf8");
const element = (id) => page.split(`id="${id}">`)[1].split("</script>")[0];
const scene = unpack(JSON.parse(element("header")), element("load"));
const { frames, parts, statics } = scene.header;

let moved = 0;
for (let frame = 0; frame < frames; frame++) {
  turn(scene, frame);
  statics.forEach(({ name, points: [first, last] }, i) => {
    const given = scene.statics.given.slice(first, last), drawn = scene.statics.points.slice(first, last);
    const expected = placed(parts.length + i, frame).flat();
    assert.strictEqual(glb.nodes[parts.length + i].name, name);
    drawn.forEach((x, k) => assert(Math.abs(x - expected[k]) < 1e-5, `${name}, frame ${frame}: ${x} and ${expected[k]}`));
    moved = Math.max(moved, ...drawn.map((x, k) => Math.abs(x - given[k])));
  });
}
assert(moved > 0.01, "a solid should turn");
console.log(`${htmlFile}: solids are where they are in ${glbFile}, in all ${frames} frames`);
