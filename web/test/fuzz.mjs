// Input of every kind in no order: node web/test/fuzz.mjs CHROMIUM URL [EVENTS] [SEED]
// No exception, no error on the console, and at the end it still draws and steps.

import assert from "node:assert";
import { dice, launch, look, none, open, settle, test, until } from "./tools.mjs";

const [, , chromium, url, events = "10000", seed = "1"] = process.argv;
const BATCH = 100;

// In the page: one batch of events, chosen by numbers of the test.
function batch(numbers) {
  let next = 0;
  const random = () => numbers[next++ % numbers.length], pick = (list) => list[Math.floor(random() * list.length)];
  const { canvas } = taut.stage, place = () => ({ clientX: (1.2 * random() - 0.1) * innerWidth, clientY: (1.2 * random() - 0.1) * innerHeight });
  const pointer = (type, more = {}) => canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, cancelable: true, ...place(),
    pointerId: 1 + Math.floor(random() * 3), pointerType: pick(["mouse", "touch", "pen"]), button: pick([0, 0, 0, 1, 2]),
    buttons: pick([0, 1, 2, 4]), shiftKey: random() < 0.1, ...more }));
  const key = (type) => (document.activeElement || document.body).dispatchEvent(new KeyboardEvent(type, { bubbles: true, cancelable: true,
    key: pick([" ", "s", "r", "w", "h", "?", "1", "2", "3", "c", "C", "Home", "ArrowRight", "ArrowLeft", "Escape", "Tab", "z", "Enter", "x"]),
    ctrlKey: random() < 0.15, shiftKey: random() < 0.1, repeat: random() < 0.1 }));
  const press = () => {
    const button = pick([...document.querySelectorAll("button, summary")].filter((b) => b.getClientRects().length && !/Open a file|Save/.test(b.textContent + b.title)));
    if (button) button.click();
  };
  const change = () => {
    const input = pick([...document.querySelectorAll("select, input, textarea")]);
    if (input.type === "checkbox") input.click();
    else if (input.tagName === "SELECT") {
      const light = [...input.options].filter((o) => input.id !== "chooser" || /^(curtain21|demo_chaotic|sphere_drape)$/.test(o.value));
      if (light.length) input.value = pick(light).value;
    } else if (input.type === "range") input.value = `${+input.min + random() * (input.max - input.min)}`;
    else if (input.tagName === "TEXTAREA") input.value = pick([input.value, `${input.value}\n#`, "[[body]]\nx = 1", ""]);
    else input.value = pick(["0", "-1", "1", "7", "0.01", "1e9", "abc", "", "NaN", "∞"]);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const wheel = () => canvas.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, ...place(),
    deltaY: 800 * random() - 400, deltaMode: pick([0, 1]) }));
  const resize = () => {
    canvas.style.width = pick(["", "", "0", "1px", "50%"]);
    canvas.style.height = canvas.style.width;
  };
  const kinds = [[30, () => pointer("pointermove")], [8, () => pointer("pointerdown")], [8, () => pointer("pointerup")],
    [1, () => pointer("pointercancel")], [6, wheel], [8, () => key("keydown")], [5, () => key("keyup")], [5, press], [3, change], [1, resize],
    [1, () => window.dispatchEvent(new Event("blur"))]];
  const all = kinds.reduce((sum, [weight]) => sum + weight, 0);
  for (let i = 0; i < 100; i++) {
    let at = random() * all;
    kinds.find(([weight]) => (at -= weight) < 0)[1]();
  }
}

const browser = await launch(chromium);
try {
  await test(`${events} events of seed ${seed}`, async () => {
    const { page, troubles, close } = await open(browser, url, { viewport: { width: 400, height: 320 } }, "curtain21");
    page.on("filechooser", () => {});
    const random = dice(+seed);
    for (let done = 0; done < +events; done += BATCH) {
      await page.evaluate(batch, Array.from({ length: 997 }, random));
      await page.mouse.move(400 * random(), 320 * random());
      if (random() < 0.5) await page.mouse[random() < 0.5 ? "down" : "up"]();
      if (random() < 0.1) await page.keyboard.press("Escape");
      if (troubles.length) break;
    }
    none(troubles);
    // Everything let go, the scene from its start.
    await page.evaluate(() => {
      document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
      taut.stage.canvas.style.width = taut.stage.canvas.style.height = "";
    });
    await page.evaluate("taut.app.leaveRace()");
    await page.evaluate("taut.app.open('curtain21')");
    for (let id = 1; id < 4; id++) await page.evaluate((pointerId) => taut.stage.canvas.dispatchEvent(new PointerEvent("pointercancel", { pointerId })), id);
    await page.evaluate("taut.app.fold(false), taut.app.help(false), taut.app.show({ springs: '', wire: 0 }), taut.stage.resetCamera(), taut.run(true)");
    await until(page, () => taut.report.step > 20);
    await page.evaluate("taut.run(false)");
    await settle(page);
    const seen = await look(page, await page.locator("#canvas").screenshot());
    assert(seen.cloth > 0.01, `${seen.cloth} of the picture is cloth`);
    none(troubles);
    await close();
  });
} finally {
  await browser.close();
}
