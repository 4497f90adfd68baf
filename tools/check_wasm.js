// Both modules of tools/wasm, with and without vectors, must compute what the native build computes: a hash to the
// last bit, and through faer, whose sums depend on the width of vectors, a height to nine digits.
const fs = require("fs");
const [, , folder, native, time] = process.argv;
const [height, hash, kernel] = native.split(" ");
const SIDE = 81, STEPS = 30, ROUNDS = 5;
let good = kernel === "plain";
if (!good) console.log(`the native build ran the kernel ${kernel}, not the plain one`);

const modules = ["plain", "simd128"].map((name) => {
  const bytes = fs.readFileSync(`${folder}/${name}.wasm`);
  // No imports: a module that needed a clock, threads or a host would fail to start here.
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
  const value = exports.smoke(), ours = BigInt.asUintN(64, exports.hash(41, 10));
  const near = Math.abs(value - Number(height)) <= 1e-9 * Math.abs(value);
  const same = ours === BigInt(hash) && ours !== 0n;
  const kind = Boolean(exports.has_vectors()) === (name === "simd128");
  good = good && near && same && kind;
  const word = (yes) => (yes ? "same" : "DIFFERENT");
  console.log(`wasm ${name}: ${bytes.length} bytes, built ${kind ? "as asked" : "OTHERWISE"}`);
  console.log(`  height ${value}, native ${height}: ${word(near)}`);
  console.log(`  hash ${ours.toString(16)}, native ${BigInt(hash).toString(16)}: ${word(same)}`);
  return { name, exports };
});

const spent = (exports, steps) => {
  const begin = process.cpuUsage();
  exports.hash(SIDE, steps);
  return process.cpuUsage(begin).user / 1000;
};
if (time === "--time") {
  for (const { exports } of modules) spent(exports, STEPS); // the engine compiles for speed what has run for a while
  const best = modules.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++)
    modules.forEach(({ exports }, i) => {
      best[i] = Math.min(best[i], (spent(exports, STEPS) - spent(exports, 0)) / STEPS);
    });
  modules.forEach(({ name }, i) =>
    console.log(`wasm ${name}: ${best[i].toFixed(2)} ms per step of ${SIDE} x ${SIDE}, ten iterations`));
  console.log(`plain takes ${(best[0] / best[1]).toFixed(2)} times as long as simd128`);
}
process.exit(good ? 0 : 1);
