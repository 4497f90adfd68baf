// Both modules of tools/wasm, with and without vectors, must compute what the native build computes: hashes to the last
// bit, and through faer, whose sums depend on the width of vectors, a height to nine digits.
const fs = require("fs");
const [, , folder, native, time] = process.argv;
const [height, single, double, kernel] = native.split(" ");
const SIDE = 81, STEPS = 30, ROUNDS = 5;
let good = true;
const law = (holds, text) => {
  good = good && holds;
  console.log(`  ${holds ? "ok" : "FAILED"}: ${text}`);
};
console.log("native:");
law(kernel === "plain", `runs the kernel ${kernel}`);

const modules = ["plain", "simd128"].map((name) => {
  const bytes = fs.readFileSync(`${folder}/${name}.wasm`);
  // No imports: a module that needed a clock, threads or a host would fail to start here.
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
  console.log(`wasm ${name}, ${bytes.length} bytes:`);
  law(Boolean(exports.has_vectors()) === (name === "simd128"), "was built as asked");
  const hash = (double) => BigInt.asUintN(64, exports.hash(41, 10, double)).toString(16);
  law(hash(0) === single && single !== "0", `hash with a factor in f32 ${hash(0)}, native ${single}`);
  law(hash(1) === double && double !== "0", `hash with a factor in f64 ${hash(1)}, native ${double}`);
  const value = exports.smoke();
  law(Math.abs(value - Number(height)) <= 1e-9 * Math.abs(value), `height ${value}, native ${height}`);
  return { name, exports };
});

// Processor time [ms] per step of ten iterations, the least of some rounds.
const measure = (double) => {
  const spent = (exports, steps) => {
    const begin = process.cpuUsage();
    exports.hash(SIDE, steps, double);
    return process.cpuUsage(begin).user / 1000;
  };
  const best = modules.map(() => Infinity);
  // The first round does not count: an engine compiles for speed only what has run for a while.
  for (let round = 0; round <= ROUNDS; round++)
    modules.forEach(({ exports }, i) => {
      const step = (spent(exports, STEPS) - spent(exports, 0)) / STEPS;
      if (round) best[i] = Math.min(best[i], step);
    });
  const each = modules.map(({ name }, i) => `${name} ${best[i].toFixed(2)} ms`).join(", ");
  const ratio = (best[0] / best[1]).toFixed(2);
  console.log(`step of ${SIDE} x ${SIDE}, factor in f${double ? 64 : 32}: ${each}, ratio ${ratio}`);
};
if (time === "--time") [0, 1].forEach(measure);
process.exit(good ? 0 : 1);
