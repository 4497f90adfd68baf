// Chromium must open the players from disk, play, scrub, orbit and show wireframes, without an error and without
// asking anything of the network. Screenshots are left beside the files.
const { chromium } = require("playwright-core");
const path = require("path");
const assert = require("assert");
const [, , executablePath, folder] = process.argv;

const args = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

// Share of pixels in which two pictures differ.
async function share(page, a, b) {
  return page.evaluate(async ([a, b]) => {
    const pixels = async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    };
    const [p, q] = [await pixels(a), await pixels(b)];
    let differing = 0;
    for (let i = 0; i < p.length; i += 4) differing += Math.abs(p[i] - q[i]) + Math.abs(p[i + 2] - q[i + 2]) > 24;
    return differing / (p.length / 4);
  }, [a.toString("base64"), b.toString("base64")]);
}

async function open(browser, file, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  const troubles = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && troubles.push(`console: ${m.text()}`));
  page.on("pageerror", (error) => troubles.push(`exception: ${error}`));
  page.on("request", (r) => r.url().startsWith("http") && troubles.push(`request: ${r.url()}`));
  page.on("requestfailed", (r) => troubles.push(`failed request: ${r.url().slice(0, 80)}`));
  const begin = Date.now();
  await page.goto(`file://${path.resolve(folder, file)}`);
  await page.waitForFunction(() => window.taut && window.taut.ready, null, { timeout: 60000 });
  const shot = async (name) => page.screenshot({ path: path.join(folder, `${name}.png`) });
  const settle = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return { page, troubles, shot, settle, loading: Date.now() - begin };
}

// How far everything reaches from the middle of the first view, over all frames: 1 is the edge of the canvas.
function reach() {
  const { camera } = taut, { width, height } = document.getElementById("canvas");
  const m = camera.matrix(width / height), most = [0, 0];
  taut.everything((x, y, z) => {
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    for (const k of [0, 1]) most[k] = Math.max(most[k], Math.abs(m[k] * x + m[k + 4] * y + m[k + 8] * z + m[k + 12]) / w);
  });
  return most;
}

// Opens, tells who made it, plays; frames differ, and the same frame gives the same picture.
async function plays(browser, name) {
  const opened = await open(browser, `${name}.html`), { page, shot, settle } = opened;
  const taut = (expression) => page.evaluate(expression);
  assert.strictEqual(await taut("taut.frames"), 150);
  assert.strictEqual(await taut("taut.renderer"), "webgl2");
  assert.strictEqual(await taut("taut.scene_hash"), "0123456789abcdef");
  assert.strictEqual(await page.getAttribute("meta[name=scene-hash]", "content"), "0123456789abcdef");
  assert.match(await page.getAttribute("meta[name=generator]", "content"), /^taut \d/);

  const [width, height] = await page.evaluate(reach);
  assert(Math.max(width, height) < 0.84, `${width}, ${height}: the first view cuts something off`);
  assert(Math.max(width, height) > 0.8, `${width}, ${height}: the first view could be nearer`);

  assert(await taut("taut.playing"), "it plays by itself");
  await page.waitForFunction(() => taut.frame > 3, null, { timeout: 60000 });
  await page.keyboard.press("Space");
  assert(!(await taut("taut.playing")), "space pauses");

  const still = async (frame) => { await taut(`taut.setFrame(${frame})`); await settle(); };
  await still(149);
  const end = await shot(`${name}-149`);
  await still(75);
  const middle = await shot(`${name}-075`), moved = await share(page, end, middle);
  assert(moved > 0.01 && moved < 0.95, `${moved} of the pixels change between frames`);
  console.log(`${name}.html: ready in ${opened.loading} ms, ${(100 * moved).toFixed(1)} % of the pixels move`);
  return { ...opened, taut, still, middle };
}

// Every control does what it says.
async function obeys({ page, shot, settle, taut, still, middle }, name) {
  await page.keyboard.press("ArrowRight");
  assert.strictEqual(await taut("taut.frame"), 76);
  await page.keyboard.press("Shift+ArrowLeft");
  assert.strictEqual(await taut("taut.frame"), 66);
  const bar = await page.locator("#scrub").boundingBox();
  await page.mouse.click(bar.x + 0.8 * bar.width, bar.y + 0.5 * bar.height);
  const scrubbed = await taut("taut.frame");
  assert(Math.abs(scrubbed - 119) < 5, `scrubbing leads to frame ${scrubbed}`);
  await page.click("#play");
  assert(await taut("taut.playing"), "the button plays");
  await page.click("#play");

  await still(75);
  await page.mouse.move(640, 350);
  await page.mouse.down();
  await page.mouse.move(300, 300, { steps: 4 });
  await page.mouse.up();
  await settle();
  const turned = await shot(`${name}-orbit`);
  assert(await share(page, middle, turned) > 0.01, "dragging orbits");
  await page.mouse.wheel(0, -400);
  await settle();
  assert(await share(page, turned, await shot(`${name}-zoom`)) > 0.01, "the wheel zooms");
  await page.keyboard.press("r");
  await settle();
  assert.strictEqual(await share(page, middle, await page.screenshot()), 0, "R brings the first view back");

  for (const mode of [1, 2]) {
    await page.keyboard.press("w");
    assert.strictEqual(await taut("taut.wire"), mode);
    await settle();
    assert(await share(page, middle, await shot(`${name}-wire${mode}`)) > 0.003, "edges appear");
  }
  await page.keyboard.press("w");
  await page.keyboard.press("b");
  await page.keyboard.press("?");
  await settle();
  await shot(`${name}-dark`);
}

// Without WebGL, and on the screen of a telephone.
async function fallbacks(browser) {
  const flat = await open(browser, "cloth.html#canvas");
  assert.strictEqual(await flat.page.evaluate("taut.renderer"), "canvas");
  await flat.page.evaluate("taut.setFrame(75)");
  const shot = await flat.shot("cloth-canvas");
  await flat.page.evaluate("taut.setFrame(20)");
  assert(await share(flat.page, shot, await flat.page.screenshot()) > 0.01, "the 2D canvas moves");
  assert.deepStrictEqual(flat.troubles, []);
  await flat.page.close();
  const small = await open(browser, "cloth.html", { viewport: { width: 390, height: 780 }, hasTouch: true,
    isMobile: true, deviceScaleFactor: 2, colorScheme: "dark", reducedMotion: "reduce" });
  assert(!(await small.page.evaluate("taut.playing")), "reduced motion is respected");
  await small.page.evaluate("taut.setFrame(60)");
  await small.shot("cloth-phone");
  assert.deepStrictEqual(small.troubles, []);
  await small.page.close();
}

(async () => {
  const browser = await chromium.launch({ executablePath, args });
  try {
    const cloth = await plays(browser, "cloth");
    await obeys(cloth, "cloth");
    const strands = await plays(browser, "strands");
    for (const { page, troubles } of [cloth, strands]) {
      assert.deepStrictEqual(troubles, []);
      await page.close();
    }
    await fallbacks(browser);
  } finally {
    await browser.close();
  }
})().catch((error) => { console.error(error); process.exit(1); });
