// Chromium must open a page of `taut run` from disk and play it, without an error.
const { chromium } = require("playwright-core");
const path = require("path");
const assert = require("assert");
const [, , executablePath, file, frames, hash] = process.argv;

(async () => {
  const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage(), troubles = [];
    page.on("console", (m) => m.type() === "error" && troubles.push(m.text()));
    page.on("pageerror", (error) => troubles.push(`${error}`));
    await page.goto(`file://${path.resolve(file)}`);
    await page.waitForFunction(() => window.taut && window.taut.ready, null, { timeout: 60000 });
    assert.strictEqual(await page.evaluate("taut.frames"), Number(frames));
    assert.strictEqual(await page.evaluate("taut.scene_hash"), hash);
    for (const frame of [0, Number(frames) - 1]) await page.evaluate(`taut.setFrame(${frame})`);
    await page.screenshot({ path: file.replace(".html", "-page.png") });
    assert.deepStrictEqual(troubles, []);
    console.log(`${file}: Chromium plays ${frames} frames`);
  } finally {
    await browser.close();
  }
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
