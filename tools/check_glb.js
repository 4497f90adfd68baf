// Khronos' validator must find no error in any of the given files; warnings are shown. All move but those called
// still (converted) and rest (settled).
const fs = require("fs");
const { validateBytes } = require("gltf-validator");

async function check(path) {
  const report = await validateBytes(new Uint8Array(fs.readFileSync(path)), { uri: path, maxIssues: 50 });
  const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
  console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${numHints} hints`);
  messages.forEach((m) => console.log(`  ${m.code} ${m.pointer || ""}: ${m.message}`));
  const { hasMorphTargets, animationCount } = report.info;
  const moves = !/(still|rest)\.glb$/.test(path);
  const right = hasMorphTargets === moves && animationCount === (moves ? 1 : 0);
  if (!right) console.log(`  expected ${moves ? "morph targets and one animation" : "no motion"}`);
  return numErrors === 0 && right;
}

Promise.all(process.argv.slice(2).map(check)).then((fine) => process.exit(fine.every(Boolean) ? 0 : 1));
