// From an empty page to a simulation that runs: the engine, the scene, the loop.

import { App } from "./app.js";
import { fillChooser, makeBar, milliseconds, showNumbers, showState } from "./bar.js";
import { element } from "./dom.js";
import { findEngine, warmUp } from "./engine.js";
import { Hands } from "./hands.js";
import { listenToKeys } from "./keys.js";
import { openFirst } from "./open.js";
import { Panel, showLegend } from "./panel.js";
import { Stage } from "./stage.js";
import { keep } from "./share.js";
import { ask, note } from "./talk.js";
import { expose } from "./testing.js";

const SILENT = 8; // after so long without an answer the page says so [s]

const stage = new Stage(element("canvas"), note), app = new App(stage);
app.panel = new Panel(app);
makeBar(app);
new Hands(app);
listenToKeys(app);
element("chooser").addEventListener("change", () => element("chooser").value && app.open(element("chooser").value));
const scheme = matchMedia("(prefers-color-scheme: dark)");
scheme.addEventListener("change", () => !app.chosen && app.theme(""));
app.theme("");
new ResizeObserver(() => stage.fit()).observe(stage.canvas);

const meter = { frames: 0, since: 0, fps: 0, pace: 0, shown: 0, lost: 0, work: 0 };

// Ten times a second: numbers, plots, the legend.
function tell(now) {
  const { session } = app, passed = now - meter.since;
  if (passed < 0.25 || !session) return;
  meter.fps = meter.frames / passed;
  meter.pace = Math.max(0, session.shown - meter.shown) / passed;
  const lost = (session.lost - meter.lost) / passed;
  Object.assign(meter, { frames: 0, since: now, shown: session.shown, lost: session.lost });
  let behind = "";
  if (session.running && lost > 0.05) {
    const { cost, report: { h, preparing } } = session, slow = cost > 900 * h;
    behind = preparing ? "preparing" : slow ? `behind: a step of ${milliseconds(1000 * h)} ms takes ${milliseconds(cost)}`
      : `behind: ${meter.fps.toFixed(0)} pictures per second`;
  }
  if (session.silent > SILENT && !app.silence) {
    app.silence = true;
    ask(`The engine has not answered for ${SILENT} seconds.`, ["Wait", "Start it again"]).then((answer) => {
      if (answer === 1) session.lose(new Error("it was stopped because it did not answer"), []);
    });
  }
  if (!session.silent) app.silence = false;
  showNumbers(app, { fps: meter.fps, pace: meter.pace, behind });
  showLegend(stage);
  if (app.racing) app.racing.showNumbers();
  if (app.panel.plotted) app.panel.plots.draw();
}

let before = performance.now() / 1000, keptAt = 0;

function tick() {
  const now = performance.now() / 1000, passed = Math.max(0, now - before), { session, racing } = app;
  before = now;
  if (racing) {
    racing.advance(passed);
    if (racing.labels.length && stage.view) racing.draw();
  } else if (session && session.engine) {
    const shown = session.shown;
    session.advance(passed);
    if (stage.view && session.topology && (stage.changed || shown !== session.shown)) {
      stage.changed = false;
      session.sample(stage.points);
      stage.draw();
    }
  }
  meter.frames += 1;
  meter.work += 0.05 * (1000 * (performance.now() / 1000 - now) - meter.work);
  tell(now);
  if (now - keptAt > 2) {
    keptAt = now;
    keep(app);
  }
  requestAnimationFrame(tick);
}

async function begin() {
  try {
    app.engines = await findEngine();
    app.kind = app.engines.kind;
    app.connect();
    const { reply } = await app.session.ask("scenes");
    app.scenes = reply.scenes || [];
    const race = await openFirst(app);
    fillChooser(app);
    if (app.kind === "worker") warmUp(app.engines.open(1));
    const { version = "", kernel = "", threads = 1 } = app.engines.start || {};
    const here = `taut ${version}, on this machine: kernel ${kernel}, ${threads} threads`;
    const about = app.kind === "native" ? here : "taut, in this browser";
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (race) await app.race(race);
    app.run(!still);
    element("hint").hidden = Boolean(race);
    element("about").textContent = about;
    document.documentElement.classList.add("ready");
  } catch (error) {
    showState(app);
    note(error.message);
    if (await ask(error.message, ["Try again"]) === 0) return begin();
  }
  expose(app, meter);
}

tick();
begin();
