// What the tests of the page share: a browser, a static server, pictures.

import assert from "node:assert";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";

const { chromium } = createRequire(import.meta.url)("playwright-core"); // by NODE_PATH
const QUIET = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export const launch = (executablePath, more = SOFTWARE) => chromium.launch({ executablePath, args: [...QUIET, ...more] });
export const WITHOUT_WEBGL = ["--disable-gpu", "--disable-3d-apis"];

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

/** Files of a folder over HTTP on this machine. */
export function serve(folder) {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://x").pathname).replace(/\/$/, "/index.html");
    try {
      const bytes = readFileSync(path.join(folder, path.normalize(name)));
      response.writeHead(200, { "content-type": TYPES[path.extname(name)] || "application/octet-stream" });
      response.end(bytes);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () =>
    done({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() })));
}

/** A page that is ready; what goes wrong in it is in `troubles`. */
export async function open(browser, url, options = {}, scene = "") {
  const context = await browser.newContext({ viewport: { width: 900, height: 640 }, ...options });
  const page = await context.newPage(), troubles = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GPU stall|GL Driver Message/.test(m.text())
    && troubles.push(`console: ${m.text()}`));
  page.on("pageerror", (error) => troubles.push(`exception: ${error.stack || error}`));
  const home = new URL(url);
  page.on("request", (r) => /^http/.test(r.url()) && new URL(r.url()).host !== home.host && troubles.push(`request: ${r.url()}`));
  await page.goto(url);
  await page.waitForFunction(() => window.taut && window.taut.ready, null, { timeout: 120000 });
  if (scene) await page.evaluate((name) => taut.app.open(name), scene);
  return { page, troubles, context, close: () => context.close() };
}

export const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Wait for something in the page to be true. */
export const until = (page, expression, argument) => page.waitForFunction(expression, argument, { timeout: 120000, polling: 100 });

/** Shares of pixels of a picture (PNG) that are of the cloth's front or back, and that differ from another picture. */
export function look(page, picture, other = null) {
  return page.evaluate(async ([a, b]) => {
    const pixels = async (data) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    };
    const p = await pixels(a), q = b ? await pixels(b) : p;
    let cloth = 0, differing = 0, darker = 0, lighter = 0;
    for (let i = 0; i < p.length; i += 4) {
      cloth += p[i + 2] - p[i] > 40 || p[i] - p[i + 2] > 40;
      const less = q[i] + q[i + 1] + q[i + 2] - p[i] - p[i + 1] - p[i + 2];
      darker += less > 20;
      lighter += less < -20;
      differing += Math.abs(p[i] - q[i]) + Math.abs(p[i + 2] - q[i + 2]) > 24;
    }
    const share = (count) => 4 * count / p.length;
    return { cloth: share(cloth), differing: share(differing), darker: share(darker), lighter: share(lighter) };
  }, [picture.toString("base64"), other && other.toString("base64")]);
}

/** A test that says what it did. */
export async function test(name, action) {
  const began = Date.now();
  try {
    await action();
    console.log(`  ok: ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    console.log(`  FAILED: ${name}`);
    throw error;
  }
}

export const none = (troubles) => assert.deepStrictEqual(troubles, []);

/** A generator of numbers in [0, 1) that gives the same ones for the same seed (mulberry32). */
export function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 0x6d2b79f5 >>> 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
}
