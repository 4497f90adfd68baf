// Khronos' validator must find no error in any of the given files; warnings are shown.
const fs = require("fs");
const { validateBytes } = require("gltf-validator");

async function check(path) {
  const report = await validateBytes(new Uint8Array(fs.readFileSync(path)), { uri: path, maxIssues: 50 });
  const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
  console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${numHints} hints`);
  messages.forEach((m) => console.log(`  ${m.code} ${m.pointer || ""}: ${m.message}`));
  const { hasMorphTargets, animationCount } = report.info;
  if (!hasMorphTargets || animationCount !== 1) console.log("  expected morph targets and one animation");
  return numErrors === 0 && hasMorphTargets && animationCount === 1;
}

Promise.all(process.argv.slice(2).map(check)).then((fine) => process.exit(fine.every(Boolean) ? 0 : 1));
