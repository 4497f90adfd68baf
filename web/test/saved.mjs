// What was done by hand, saved, and run again by the command: node web/test/saved.mjs CHROMIUM TAUT URL...
// The hash the page shows and that of `taut run` must be the same, whichever engine it was.

import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { launch, none, open, test, until } from "./tools.mjs";

const [, , chromium, command, ...urls] = process.argv, taut = path.resolve(command), folder = mkdtempSync(path.join(tmpdir(), "taut-"));

// A drag, a setting, a pin and a cut, with steps between; gives the text, the hash and the number of steps.
async function play(page, native) {
  await page.evaluate("taut.app.open('curtain21').then(() => taut.run(false))");
  await page.evaluate("taut.step(12)");
  const { x, y } = await page.evaluate(() => {
    const [x, y] = taut.project(Math.floor(0.5 * taut.topology.particles));
    return { x, y };
  });
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 50, y - 30, { steps: 6 });
  await until(page, () => taut.report.step > 16 && taut.report.holding);
  await page.mouse.move(x - 40, y - 60, { steps: 6 });
  const step = await page.evaluate("taut.report.step");
  await until(page, (step) => taut.report.step > step + 3, step);
  await page.mouse.up();
  await until(page, () => taut.report.holding === null);
  await page.evaluate("taut.run(false), taut.app.set('iterations', 7).then(() => taut.app.set('gravity', [0.5, -8, 0]))");
  await page.evaluate("taut.step(4)");
  await page.evaluate("taut.app.edit('pin', [100]).then(() => taut.step(3))");
  const { eye, line } = await page.evaluate(() => {
    const points = [0.2, 0.8].map((share) => Math.floor(share * taut.topology.particles)).map((p) => [0, 1, 2].map((k) => taut.positions[3 * p + k]));
    return { eye: taut.camera.eye, line: points };
  });
  await page.evaluate(([eye, line]) => taut.app.edit("cut", eye, line), [eye, line]);
  await page.evaluate("taut.step(9)");
  const report = await page.evaluate("taut.step(1)"), hash = await page.evaluate("taut.hash()");
  const text = await page.evaluate("taut.app.session.ask('save').then(({ reply }) => reply.toml)");
  return { text, hash, steps: report.step, kernel: native ? [] : ["--kernel", "plain"] };
}

const browser = await launch(chromium);
try {
  for (const url of urls) {
    await test(`saved and run again: ${url}`, async () => {
      const { page, troubles, close } = await open(browser, url);
      const native = await page.evaluate("taut.kind === 'native'");
      const { text, hash, steps, kernel } = await play(page, native), file = path.join(folder, "saved.toml");
      writeFileSync(file, text);
      assert.match(text, /\[\[event\]\]/);
      const answer = JSON.parse(execFileSync(taut, ["run", file, "--frames", `${steps}`, "--format", "none", "--json", ...kernel],
        { cwd: folder, stdio: ["ignore", "pipe", "inherit"] }));
      assert.strictEqual(answer.hash, hash, `after ${steps} steps`);
      none(troubles);
      await close();
    });
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
