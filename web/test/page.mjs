// The page as one uses it: node web/test/page.mjs CHROMIUM URL...
// Each URL is an engine: the folder over HTTP, taut.html from disk, `taut view`.

import assert from "node:assert";
import { launch, look, none, open, settle, test, until } from "./tools.mjs";

const [, , chromium, ...urls] = process.argv;
const canvas = async (page) => {
  await settle(page);
  return page.locator("#canvas").screenshot();
};
const report = (page) => page.evaluate("taut.report");
// Pixels of a particle in the middle of the cloth that no control covers.
const middle = (page, share = 0.5) => page.evaluate((share) => {
  const n = taut.topology.particles, order = [...Array(n).keys()].sort((a, b) => Math.abs(a - share * n) - Math.abs(b - share * n));
  for (const p of order) {
    const [x, y] = taut.project(p);
    if (document.elementFromPoint(x, y) === taut.stage.canvas) return { p, x, y };
  }
  throw new Error("the cloth is not to be seen");
}, share);

async function drawsAndSteps({ page, troubles }) {
  await page.evaluate("taut.run(false)");
  await page.evaluate("taut.app.restart()");
  assert.strictEqual((await report(page)).step, 0);
  await page.evaluate("taut.step(10)"); // at first it lies flat
  const first = await canvas(page), seen = await look(page, first);
  assert(seen.cloth > 0.01, `${seen.cloth} of the picture is cloth`);
  await page.keyboard.press("s");
  await until(page, () => taut.report.step === 11);
  await page.evaluate("taut.step(5)");
  const moved = await look(page, await canvas(page), first);
  assert(moved.differing > 0.005, `${moved.differing} of the picture differ after 6 steps`);
  await page.keyboard.press("Space");
  await until(page, () => taut.running && taut.report.step > 18);
  await page.click("#play");
  assert(!(await page.evaluate("taut.running")), "the button pauses");
  await page.keyboard.press("r");
  await until(page, () => taut.report.step === 0);
  none(troubles);
}

// The particle is on the hand's ray to 1e-6 m, and stays where it was pinned when let go.
async function drags({ page, troubles }) {
  await page.evaluate("taut.app.restart().then(() => taut.step(10))");
  await settle(page);
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y - 40, { steps: 4 });
  const wanted = await page.evaluate(() => taut.hand.place);
  const step = (await report(page)).step;
  await until(page, (step) => taut.report.holding && taut.report.step > step + 4, step);
  await page.evaluate("taut.run(false)");
  const away = await page.evaluate(([x, y, wanted]) => {
    const { report, positions, camera, stage } = taut, p = report.holding[0], at = [0, 1, 2].map((k) => positions[3 * p + k]);
    const aspect = stage.canvas.clientWidth / stage.canvas.clientHeight;
    const u = 2 * x / stage.canvas.clientWidth - 1, v = 1 - 2 * y / stage.canvas.clientHeight;
    const { right, up, back } = camera.frame(), t = Math.tan(0.5 * camera.angle);
    const along = [0, 1, 2].map((k) => u * t * aspect * right[k] + v * t * up[k] - back[k]);
    const d = at.map((a, k) => a - camera.eye[k]), scale = d.reduce((s, a, k) => s + a * along[k], 0) / along.reduce((s, a) => s + a * a, 0);
    const ray = Math.hypot(...d.map((a, k) => a - scale * along[k])), hand = Math.hypot(...at.map((a, k) => a - report.hand[k]));
    return { ray, hand, clipped: Math.hypot(...wanted.map((a, k) => a - report.hand[k])) };
  }, [x + 60, y - 40, wanted]);
  assert(away.hand < 1e-6, `the particle is ${away.hand} m from the hand`);
  if (away.clipped < 1e-9) assert(away.ray < 1e-6, `the particle is ${away.ray} m from the hand's ray`);
  await page.mouse.up();
  await until(page, () => taut.report.holding === null);
  assert((await report(page)).undo > 0);
  none(troubles);
}

// With shadows some of the picture is darker and nothing lighter; springs by strain come with a legend.
async function shows({ page, troubles }) {
  await page.evaluate("taut.run(false), taut.app.restart().then(() => taut.step(25))");
  await page.evaluate("taut.app.show({ shadows: false })");
  const without = await canvas(page);
  await page.evaluate("taut.app.show({ shadows: true })");
  const { darker, lighter } = await look(page, await canvas(page), without);
  assert(darker > 0.005, `${darker} of the picture lie in shadow`);
  assert(lighter < 1e-3, `${lighter} of the picture are lit by a shadow`);
  await page.evaluate("taut.app.show({ shadows: false, springs: 'strain' })");
  await until(page, () => taut.stage.painted);
  assert((await look(page, await canvas(page), without)).differing > 0.01, "springs are painted");
  await until(page, () => /^−[\d.]+ %strain\+[\d.]+ %$/.test(document.getElementById("legend").textContent));
  await page.evaluate("taut.app.show({ springs: 'components' })");
  await until(page, () => /parts/.test(document.getElementById("legend").textContent));
  await page.keyboard.press("w");
  assert.strictEqual(await page.evaluate("taut.stage.look.wire"), 1);
  await page.evaluate("taut.app.show({ springs: '', wire: 0, shadows: null })");
  none(troubles);
}

async function cuts({ page, troubles }) {
  await page.evaluate("taut.app.restart().then(() => taut.step(25))");
  await page.evaluate("taut.run(false)");
  await settle(page);
  const pieces = () => page.evaluate(() => taut.components());
  assert.strictEqual(await pieces(), 1);
  // Across the whole cloth, from left to right, half-way down.
  const box = await page.evaluate(() => {
    const n = taut.topology.particles, seen = [...Array(n).keys()].map((p) => taut.project(p));
    return [0, 1].map((k) => [Math.min(...seen.map((s) => s[k])), Math.max(...seen.map((s) => s[k]))]);
  });
  const y = 0.5 * (box[1][0] + box[1][1]);
  await page.keyboard.down("c");
  await page.mouse.move(Math.max(2, box[0][0] - 30), y);
  await page.mouse.down();
  await page.mouse.move(Math.min(898, box[0][1] + 30), y, { steps: 12 });
  await page.mouse.up();
  await page.keyboard.up("c");
  await until(page, () => !document.getElementById("stroke").getAttribute("points"));
  await page.evaluate("taut.step(1)");
  assert.strictEqual(await pieces(), 2);
  assert.strictEqual(await page.evaluate("taut.tool"), "hand");
  await page.keyboard.press("Control+z");
  await until(page, () => taut.components() === 1);
  none(troubles);
}

async function pins({ page, troubles }) {
  await page.evaluate("taut.run(false)");
  await page.keyboard.press("3");
  const count = () => page.evaluate("taut.stage.scene.header.pinned.length"), before = await count(), { x, y } = await middle(page, 0.6);
  await page.mouse.click(x, y);
  await until(page, (n) => taut.stage.scene.header.pinned.length === n, before + 1);
  await page.mouse.click(x, y);
  await until(page, (n) => taut.stage.scene.header.pinned.length === n, before);
  await page.keyboard.press("1");
  none(troubles);
}

async function reads({ page, troubles }) {
  await page.evaluate("taut.app.fold(true)");
  await page.evaluate("document.getElementById('section-scene').open = true");
  const text = page.locator("#text"), good = await text.inputValue();
  assert.match(good, /\[\[body\]\]/);
  await text.fill(`${good}\nnonsense = 3\n`);
  await until(page, () => !document.getElementById("text-error").hidden);
  assert.match(await page.locator("#text-error").textContent(), /^Line \d+: .*nonsense/s);
  assert((await report(page)).step >= 0, "the last good scene is still there");
  const version = await page.evaluate("taut.topology.version");
  await text.fill(good.replace(/columns = \d+, rows = \d+/, "columns = 17, rows = 17"));
  await until(page, (version) => taut.topology.version > version && taut.topology.particles === 289, version);
  assert(await page.locator("#text-error").isHidden());
  await page.evaluate("taut.step(3)");
  await text.press("Control+Enter");
  await until(page, () => taut.report.step === 0);
  await page.locator("#text").blur();
  await page.evaluate("taut.app.fold(false)");
  none(troubles);
}

// A refused setting says why beside its control and changes nothing.
async function sets({ page, troubles }) {
  await page.evaluate("taut.app.fold(true)");
  const field = page.getByLabel("Iterations", { exact: true });
  await field.fill("7");
  await field.press("Enter");
  await until(page, () => taut.report.settings.iterations === 7);
  await field.fill("-3");
  await field.press("Enter");
  await until(page, () => [...document.querySelectorAll(".why")].some((why) => !why.hidden && /iterations/.test(why.textContent)));
  assert.strictEqual((await report(page)).settings.iterations, 7);
  await page.evaluate("taut.app.fold(false)");
  none(troubles);
}

// A method that diverges: the message, the largest stable step, and on it goes.
async function diverges({ page, troubles }) {
  assert.strictEqual(await page.evaluate("taut.app.set('method', 'symplectic_euler')"), null);
  await page.evaluate("taut.run(true)");
  await until(page, () => document.getElementById("dialog").open);
  assert.match(await page.locator("#dialog-text").textContent(), /time step/);
  const step = await page.evaluate("taut.report.h");
  await page.getByRole("button", { name: /^Use a time step of/ }).click();
  await until(page, (step) => taut.report.h < step && taut.report.time > 0.3, step);
  assert.strictEqual(await page.evaluate("taut.report.stopped"), null);
  none(troubles);
}

async function links({ page, troubles }, browser, url) {
  await page.evaluate("taut.run(false)");
  await page.evaluate("taut.app.open('curtain21').then(() => taut.app.set('iterations', 6))");
  await page.evaluate("taut.app.copyLink()");
  const address = page.url(), hash = await page.evaluate("taut.step(60).then(() => taut.hash())");
  assert(new URL(address).hash.length < 300, `${address} is long for a built-in scene`);
  const other = await open(browser, address.split("#")[0] === url.split("#")[0] ? address : `${url}${new URL(address).hash}`, { reducedMotion: "reduce" });
  const steps = 60 - (await report(other.page)).step;
  assert.strictEqual(await other.page.evaluate((n) => taut.step(n).then(() => taut.hash()), steps), hash);
  none(other.troubles);
  await other.close();
  none(troubles);
}

async function races({ page, troubles }) {
  await page.evaluate("taut.app.open('curtain21')");
  await page.evaluate(() => taut.app.race({ methods: ["forward_euler", "local_global", "newton"], mode: "same" }));
  await until(page, () => taut.race && taut.race.racers.length === 3 && taut.race.racers[0].stopped
    && taut.race.racers[1].frame > 8 && taut.race.racers[2].frame > 8);
  await until(page, () => taut.race.racers.slice(1).every(({ distance }) => distance !== null && distance[0] > 4));
  const [iterated, exact] = await page.evaluate("taut.race.racers.slice(1).map(({ distance }) => distance[1])");
  assert(exact < 1e-3 && iterated > exact, `local_global is off by ${iterated}, newton by ${exact} rest lengths`);
  assert(await page.locator(".label .trouble:not([hidden])").count() > 0, "the one that stopped says so");
  await page.evaluate("taut.app.copyLink()");
  const shared = await page.evaluate("taut.decode(location.hash)");
  assert.strictEqual(shared.scene, "curtain21");
  assert.deepStrictEqual(shared.race.methods, ["forward_euler", "local_global", "newton"]);
  await page.click("#race");
  await until(page, () => !taut.race && taut.stage.panes === 1);
  none(troubles);
}

const browser = await launch(chromium);
try {
  for (const url of urls) {
    console.log(`${url}:`);
    const opened = await open(browser, url), small = () => opened.page.evaluate("taut.app.open('curtain21')");
    await test(`opens with ${await opened.page.evaluate("taut.renderer")}, engine ${await opened.page.evaluate("taut.kind")}`, () => none(opened.troubles));
    for (const [name, action] of [["draws, steps, pauses, restarts", drawsAndSteps], ["a drag leads the particle", drags],
      ["shadows, strain, wireframe", shows], ["a stroke gives two pieces, undo one", cuts], ["pins and frees", pins], ["reads text, shows errors", reads],
      ["refuses settings", sets], ["a step that fails", diverges], ["a race with one that diverges", races], ["a link shows the same", links]]) {
      await small();
      await test(name, () => action(opened, browser, url));
    }
    await opened.close();
  }
} finally {
  await browser.close();
}
