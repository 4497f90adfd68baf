// What leaves the page: the scene with everything that was done, a link, a film.

import { showState } from "./bar.js";
import { settingOf } from "./controls.js";
import { download } from "./dom.js";
import { record } from "./film.js";
import { encode, LONGEST } from "./link.js";
import { ask, note } from "./talk.js";

const nameOf = ({ topology }) => (topology && topology.name) || "scene";

/** The scene with everything that was done, as text. */
export async function saved(app) {
  const { reply, error } = await app.session.ask("save");
  if (error) throw new Error(error.message);
  return reply.toml || "";
}

export async function save(app) {
  try {
    download(`${nameOf(app)}.toml`, new Blob([await saved(app)], { type: "application/toml" }));
    note(`Saved. taut run ${nameOf(app)}.toml makes pictures and films of it.`, 8);
  } catch (error) {
    note(error.message, 8);
  }
}

/** Now and then, so that little is lost when an engine is. */
export async function keep(app) {
  const { session } = app, { report } = session || {};
  if (!report || !session.engine || session.hand || !report.edits || report.edits === app.keptEdits) return;
  app.keptEdits = report.edits;
  app.kept = await saved(app).catch(() => app.kept);
}

export function film(app) {
  if (app.recorder) {
    app.recorder.stop();
    app.recorder = null;
    note("The film is saved.", 5);
  } else {
    try {
      app.recorder = record(app.stage.canvas, nameOf(app));
      app.stage.beforeSize = () => app.recorder && film(app); // a film has one size
      note("Recording. Press again to stop.");
    } catch (error) {
      note(error.message, 8);
    }
  }
  showState(app);
}

/** What a link holds; with the log the scene is the text that has everything done in it. */
export async function shared(app, log = false) {
  const { topology, stage: { camera }, scenes, racing, session: { report } } = app, round = (x) => +x.toPrecision(6);
  const still = ([key, value]) => JSON.stringify(settingOf(report.settings, key)) === JSON.stringify(value);
  const changes = [...app.changes].filter(still); // those that were not undone
  const { name, text } = racing || { name: topology.scene, text: topology.text };
  const known = scenes.some((scene) => scene.name === name && scene.text === text);
  const scene = log ? { text: await saved(app) } : known ? { scene: name } : { text };
  const { azimuth, elevation, distance, target } = camera;
  return { v: 1, ...scene, ...changes.length && !log ? { set: changes } : {},
    ...camera.untouched ? {} : { camera: [azimuth, elevation, distance, ...target].map(round) },
    ...racing ? { race: racing.shared() } : {} };
}

export async function copyLink(app) {
  const { report } = app.session, answers = ["The scene", "With what I did", "Neither"];
  const log = !app.racing && report.edits > app.changes.size ? await ask("What should the link show?", answers) : 0;
  if (log < 0 || log > 1) return;
  const address = location.href.split("#")[0] + await encode(await shared(app, log === 1));
  if (address.length > LONGEST) {
    if (await ask("This is too long for a link. Save it as a file instead?", ["Save", "Leave it"]) === 0) save(app);
    return;
  }
  history.replaceState(null, "", address);
  const { clipboard } = navigator; // not there without https, but on this machine
  const copied = clipboard ? await clipboard.writeText(address).then(() => true, () => false) : false;
  note(copied ? "The link is copied." : "The link is in the address bar.", 5);
}
