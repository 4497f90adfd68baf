// Names, Tab, contrast: node web/test/access.mjs CHROMIUM URL

import assert from "node:assert";
import { launch, none, open, settle, test } from "./tools.mjs";

const [, , chromium, url] = process.argv;

// Controls that are to be seen, with their names as a screen reader says them.
const controls = (page) => page.evaluate(() => [...document.querySelectorAll("button, input, select, textarea, summary, [tabindex='0']")]
  .filter((e) => e.offsetParent !== null || getComputedStyle(e).position === "fixed" && e.getClientRects().length)
  .filter((e) => !e.disabled && e.getClientRects().length && getComputedStyle(e).visibility !== "hidden")
  .map((e, i) => {
    e.dataset.control = `${i}`;
    const label = e.getAttribute("aria-label") || (e.labels && e.labels[0] && e.labels[0].textContent) || e.textContent;
    return { number: `${i}`, name: (label || "").trim(), what: e.outerHTML.slice(0, 90) };
  }));

async function reached(page) {
  const wanted = await controls(page);
  for (const { name, what } of wanted) assert(name, `${what} has no name`);
  await page.evaluate("document.activeElement.blur()");
  const seen = new Set();
  for (let i = 0; i < 2 * wanted.length + 10 && seen.size < wanted.length; i++) {
    await page.keyboard.press("Tab");
    const number = await page.evaluate("document.activeElement && document.activeElement.dataset.control");
    if (number) seen.add(number);
  }
  const missed = wanted.filter(({ number }) => !seen.has(number)).map(({ what }) => what);
  assert.deepStrictEqual(missed, [], "Tab does not reach these");
  return wanted.length;
}

async function tabs(browser, options) {
  const { page, troubles, close } = await open(browser, url, { reducedMotion: "reduce", ...options }, "curtain21");
  let count = await reached(page);
  await page.evaluate("taut.app.fold(true), document.querySelectorAll('details').forEach((part) => { part.open = true; })");
  await settle(page);
  count += await reached(page);
  const names = await page.locator("button").evaluateAll((list) => list.map((b) => b.getAttribute("aria-label") || b.textContent));
  assert.strictEqual(new Set(names).size, names.length, `two buttons with one name: ${names}`);
  none(troubles);
  await close();
  return count;
}

// Contrast of words with what may be behind the glass they stand on (WCAG 2).
async function contrast(browser, colorScheme) {
  const { page, close } = await open(browser, url, { colorScheme, reducedMotion: "reduce" }, "curtain21");
  const worst = await page.evaluate((dark) => {
    const parse = (text) => {
      const probe = document.createElement("i");
      probe.style.color = text;
      document.body.append(probe);
      const numbers = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
      probe.remove();
      return numbers;
    };
    const style = getComputedStyle(document.documentElement), colour = (name) => parse(style.getPropertyValue(`--${name}`));
    const over = ([r, g, b, a = 1], back) => [r, g, b].map((c, k) => a * c + (1 - a) * back[k]);
    const light = (c) => [0.2126, 0.7152, 0.0722].reduce((s, w, k) => {
      const x = c[k] / 255;
      return s + w * (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    }, 0);
    const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    const skies = dark ? [[27, 33, 41], [50, 58, 68]] : [[205, 211, 222], [243, 241, 237]]; // of the backdrop
    const glass = skies.map((sky) => over(colour("glass"), sky)), fields = glass.map((back) => over(colour("field"), back));
    const pairs = [["ink", skies], ["faint", skies], ["ink", glass], ["faint", glass], ["accent", glass], ["bad", glass], ["ink", fields],
      ["warn", skies.map((sky) => over(colour("warn-back"), sky))], ["ink", [colour("solid")]], ["solid", [colour("accent")]]];
    return pairs.flatMap(([name, backs]) => backs.map((back) => ({ name, back: back.map(Math.round).join(), ratio: ratio(over(colour(name), back), back) })))
      .sort((a, b) => a.ratio - b.ratio)[0];
  }, colorScheme === "dark");
  assert(worst.ratio >= 4.5, `${colorScheme}: ${worst.name} on ${worst.back} has a contrast of ${worst.ratio.toFixed(2)}`);
  console.log(`    ${colorScheme}: ${worst.name}, ${worst.ratio.toFixed(2)}`);
  await close();
}

const browser = await launch(chromium);
try {
  await test("every control has a name and is reached by Tab", () => tabs(browser, {}));
  await test("on a telephone too", () => tabs(browser, { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }));
  await test("contrast", async () => {
    await contrast(browser, "light");
    await contrast(browser, "dark");
  });
} finally {
  await browser.close();
}
