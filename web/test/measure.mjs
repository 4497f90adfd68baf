// Figures of the page, reported and not asserted: node web/test/measure.mjs CHROMIUM URL [SECONDS]
// Main-thread work of a drawn frame (the graphics card excluded), steps and prepare, memory over some time of use.

import { execSync } from "node:child_process";
import { launch, open, settle } from "./tools.mjs";

const [, , chromium, url, seconds = "60"] = process.argv;
const grid = (n) => `[method]\nname = "local_global"\niterations = 10\n[contact]\nlevel = "off"\n[[body]]\n`
  + `grid = { columns = ${n}, rows = ${n}, width = 1.0, height = 1.0 }\nposition = [0.0, 1.2, 0.0]\n[[pin]]\nat = ["top_left", "top_right"]\n`;

// Milliseconds: the least and the middle of many.
async function work(page, text) {
  await page.evaluate((text) => { taut.app.run(false); taut.app.allowed = text; return taut.app.openText(text); }, text);
  const prepare = (await page.evaluate("taut.step(1)")).ms.prepare;
  const step = await page.evaluate("taut.step(9)");
  await settle(page);
  const times = await page.evaluate(async () => {
    const { stage, app: { session } } = taut, times = [];
    for (let i = 0; i < 60; i++) {
      const began = performance.now();
      session.sample(stage.points);
      stage.draw();
      times.push(performance.now() - began);
      await new Promise(requestAnimationFrame);
    }
    return times.slice(10).sort((a, b) => a - b);
  });
  return { least: times[0].toFixed(2), middle: times[times.length >> 1].toFixed(2), prepare: prepare.toFixed(1), step: step.ms_step.toFixed(2) };
}

// Memory of all renderers [MB].
const memory = () => execSync("ps -eo rss,args").toString().split("\n").filter((line) => /--type=renderer/.test(line))
  .reduce((sum, line) => sum + parseInt(line.trim(), 10) / 1024, 0);

const browser = await launch(chromium);
try {
  const { page, close } = await open(browser, url, { reducedMotion: "reduce" });
  for (const [name, n] of [["Curtain, 81 x 81", 81], ["300 x 300", 300]]) {
    const { least, middle, prepare, step } = await work(page, grid(n));
    console.log(`${name}: main thread ${least} ms a frame at best, ${middle} in the middle; prepare ${prepare} ms, step ${step} ms`);
  }
  await page.evaluate("taut.app.open('curtain').then(() => taut.run(true))");
  const session = await page.context().newCDPSession(page), readings = [];
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "JSHeapUsedSize").value / 1e6;
  };
  await session.send("Performance.enable");
  const began = Date.now();
  for (let next = 10; next <= +seconds; next += 10) {
    while (Date.now() - began < 1000 * next) {
      await page.mouse.move(450, 250);
      await page.mouse.down();
      await page.mouse.move(300 + 300 * Math.random(), 150 + 200 * Math.random(), { steps: 5 });
      await page.mouse.up();
    }
    readings.push(`${next} s: heap ${(await heap()).toFixed(1)} MB, renderers ${memory().toFixed(0)} MB`);
  }
  console.log(readings.join("\n"));
  await close();
} finally {
  await browser.close();
}
