// What may go wrong, and other screens: node web/test/trouble.mjs CHROMIUM URL [URL of a native server]

import assert from "node:assert";
import { launch, look, none, open, settle, test, until, WITHOUT_WEBGL } from "./tools.mjs";

const [, , chromium, folder, native] = process.argv;
let url = folder; // what is tested
const words = (page, id) => page.locator(`#${id}`).textContent();
const picture = async (page) => {
  await settle(page);
  return page.locator("#canvas").screenshot();
};

async function flat(browser) {
  const { page, troubles, close } = await open(browser, url, { reducedMotion: "reduce" }, "curtain21");
  assert.strictEqual(await page.evaluate("taut.renderer"), "canvas");
  assert.match(await words(page, "note"), /WebGL/);
  await page.evaluate("taut.step(20)");
  assert((await look(page, await picture(page))).cloth > 0.01, "the cloth is drawn");
  await page.evaluate("taut.app.show({ springs: 'strain' })");
  await settle(page);
  none(troubles);
  await close();
}

async function lost(browser) {
  const { page, troubles, close } = await open(browser, url, {}, "curtain21");
  await page.evaluate(() => {
    window.lose = taut.stage.view.gl.getExtension("WEBGL_lose_context");
    window.lose.loseContext();
  });
  const step = await page.evaluate("taut.report.step");
  await until(page, (step) => taut.report.step > step + 3, step); // steps on
  assert.match(await words(page, "note"), /picture/);
  await page.evaluate("window.lose.restoreContext()");
  await until(page, () => document.getElementById("note").hidden);
  await page.evaluate("taut.run(false)");
  assert((await look(page, await picture(page))).cloth > 0.01, "the cloth is drawn again");
  none(troubles.filter((trouble) => !/CONTEXT_LOST/.test(trouble)));
  await close();
}

// The engine is gone in the middle of a step: a message, a button, and what was done is there again.
async function killed(browser) {
  const { page, troubles, close } = await open(browser, url, {}, "curtain21");
  const native = await page.evaluate("taut.kind === 'native'");
  await page.evaluate("taut.app.set('iterations', 7).then(() => taut.step(5))");
  if (native) await page.route("**/exchange/*", (route) => route.abort());
  else await page.evaluate("taut.engine.fail('unreachable executed')");
  await until(page, () => document.getElementById("dialog").open);
  assert.match(await words(page, "dialog-text"), /^The simulation stopped: ./);
  if (native) await page.unroute("**/exchange/*");
  await page.click("#dialog-buttons button");
  await until(page, () => taut.engine && taut.report && taut.report.step !== undefined && taut.topology.particles === 441);
  await page.evaluate("taut.run(true)");
  await until(page, () => taut.report.step > 8);
  none(troubles.filter((trouble) => !(native && /Failed to load resource/.test(trouble))));
  await close();
}

// A worker that never answers again: after a while the page asks.
async function silent(browser) {
  const { page, troubles, close } = await open(browser, url, {}, "curtain21");
  if (await page.evaluate("taut.kind === 'worker'")) {
    await page.evaluate("taut.engine.worker.terminate()");
    await until(page, () => /has not answered/.test(document.getElementById("dialog-text").textContent));
    await page.getByRole("button", { name: "Start it again" }).click();
    await page.getByRole("button", { name: "Go on" }).click();
    await until(page, () => taut.engine && taut.report && taut.report.step !== undefined);
  }
  none(troubles);
  await close();
}

// Titles, names and errors are words.
async function markup(browser) {
  const { page, troubles, close } = await open(browser, url, { reducedMotion: "reduce" });
  const evil = "<img src=x onerror='window.ran=1'><script>window.ran=1</script>";
  const text = (name) => `title = "${evil}"\n[[body]]\nname = "${name}"\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n`;
  assert.strictEqual(await page.evaluate((text) => taut.app.openText(text), text(evil)), null);
  assert.match(await words(page, "title"), /<img/);
  const refused = await page.evaluate((text) => taut.app.openText(text), `${text("x")}"${evil}" = 1\n`);
  assert(refused.message.length > 0);
  await page.evaluate((message) => taut.app.panel.editor.tell({ message, line: 2 }), evil);
  await page.evaluate("taut.app.session.do('scene', '<b>bold</b>')");
  await settle(page);
  assert.strictEqual(await page.evaluate("window.ran"), undefined);
  assert.strictEqual(await page.locator("header img, #panel img, header b").count(), 0);
  assert.match(await page.getAttribute("meta[http-equiv]", "content"), /default-src 'none'/);
  assert.strictEqual(await page.getAttribute("meta[name=referrer]", "content"), "no-referrer");
  none(troubles);
  await close();
}

async function badLinks(browser) {
  for (const [hash, says] of [["#1!!", /damaged/], ["#9abc", /newer/], ["#1AAAA", /damaged/], ["#0eyJ2IjoxfQ", /damaged/],
    [`#0${Buffer.from('{"v":1,"scene":"nowhere"}').toString("base64url")}`, /cannot be opened/],
    [`#0${Buffer.from('{"v":7,"scene":"curtain"}').toString("base64url")}`, /newer/]]) {
    const { page, troubles, close } = await open(browser, url + hash, { reducedMotion: "reduce" });
    assert.match(await words(page, "note"), says);
    assert((await page.evaluate("taut.topology.particles")) > 0, "there is a scene all the same");
    none(troubles);
    await close();
  }
  const many = JSON.stringify({ v: 1, text: "[[body]]\ngrid = { columns = 400, rows = 400, width = 1.0, height = 1.0 }\n" });
  const { page, troubles, close } = await open(browser, url, { reducedMotion: "reduce" });
  await page.goto("about:blank");
  await page.goto(`${url}#0${Buffer.from(many).toString("base64url")}`);
  await page.getByRole("button", { name: "Leave it" }).click();
  await page.waitForFunction(() => window.taut && window.taut.ready);
  assert((await page.evaluate("taut.topology.particles")) < 10000);
  none(troubles);
  await close();
}

async function phone(browser) {
  const { page, troubles, close } = await open(browser, url,
    { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, reducedMotion: "reduce" }, "curtain21");
  assert(!(await page.evaluate("taut.running")), "reduced motion starts paused");
  const sizes = await page.locator("#bar button").evaluateAll((list) => list.map((b) => [b.offsetWidth, b.offsetHeight]));
  assert.deepStrictEqual(sizes, Array(5).fill([44, 44]));
  await page.evaluate("taut.step(20)");
  await settle(page);
  const touch = await page.context().newCDPSession(page);
  const send = (type, ...points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const at = await page.evaluate(() => taut.project(Math.floor(taut.topology.particles / 2)).slice(0, 2));
  await send("touchStart", at);
  await send("touchMove", [at[0] + 30, at[1] - 20]);
  await until(page, () => taut.running && taut.report.holding !== null); // grabbing while paused starts
  await send("touchEnd");
  await until(page, () => taut.report.holding === null);
  const before = await page.evaluate("taut.camera.distance");
  await send("touchStart", [120, 300], [260, 300]);
  await send("touchMove", [80, 300], [300, 300]);
  await send("touchEnd");
  assert(await page.evaluate("taut.camera.distance") < before, "two fingers zoom");
  await page.tap("#fold");
  const sheet = await page.locator("#panel").boundingBox();
  assert(Math.abs(sheet.y - 390) < 3 && Math.abs(sheet.height - 390) < 3, "the sheet covers the lower half");
  const step = await page.evaluate("taut.app.run(false), taut.report.step");
  await page.tap("#step");
  await until(page, (step) => taut.report.step > step, step);
  none(troubles);
  await close();
}

async function old(browser) {
  const page = await browser.newPage();
  await page.addInitScript(() => { WebAssembly.validate = () => false; });
  await page.goto(url);
  const native = await page.evaluate("document.documentElement.dataset.engine === 'native'");
  if (!native) {
    await until(page, () => document.getElementById("dialog").open);
    assert.match(await words(page, "dialog-text"), /WebAssembly SIMD.*taut view/);
  }
  await page.close();
}

// A window of no size, and back.
async function tiny(browser) {
  const { page, troubles, close } = await open(browser, url, {}, "curtain21");
  await page.evaluate(() => { taut.stage.canvas.hidden = true; });
  await settle(page);
  await page.setViewportSize({ width: 1, height: 1 });
  await settle(page);
  await page.evaluate(() => { taut.stage.canvas.hidden = false; });
  await page.setViewportSize({ width: 900, height: 640 });
  await page.evaluate("taut.run(false), taut.app.restart().then(() => taut.step(20))");
  assert((await look(page, await picture(page))).cloth > 0.01);
  none(troubles);
  await close();
}

const browser = await launch(chromium), plain = await launch(chromium, WITHOUT_WEBGL);
try {
  await test("without WebGL", () => flat(plain));
  for (const [name, action] of [["a lost context", lost], ["an engine that traps", killed],
    ["an engine that does not answer", silent], ["markup is words", markup], ["links that cannot be read", badLinks],
    ["a telephone", phone], ["a window of no size", tiny],
    ["a browser without vectors", old]]) await test(name, () => action(browser));
  if (native) {
    url = native;
    for (const [name, action] of [["a server that stops", killed], ["markup is words, natively", markup],
      ["links that cannot be read, natively", badLinks]]) await test(name, () => action(browser));
  }
} finally {
  await browser.close();
  await plain.close();
}
