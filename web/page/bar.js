// The bar of buttons, the numbers above, and the short words on the picture.

import { element, h, icon, iconButton, ICONS } from "./dom.js";
import { KEYS } from "./keys.js";

/** @param {any} app */
export function makeBar(app) {
  const bar = element("bar"), group = (...buttons) => h("div", { class: "group" }, ...buttons);
  const tool = (name, title, key) => iconButton(`tool-${name}`, `${title} (${key})`, name, () => app.useTool(name));
  const play = iconButton("play", "Run or pause (space)", "play", () => app.toggle());
  const size = h("input", { id: "hand-size", type: "range", min: 0, max: 5, step: 1, value: 0, title: "1 to 32 particles",
    "aria-label": "Hand size", on: { input: () => app.setHandSize(2 ** +size.value) } });
  const first = group(play, iconButton("step", "One step (S or →)", "step", () => app.step()),
    iconButton("restart", "Restart (R)", "restart", () => app.restart()));
  const tools = group(tool("hand", "Hand: drag the cloth", 1), tool("pin", "Pin or free", 3));
  tools.children[0].after(tool("scissors", "Scissors: drag across; tap for a hole", 2));
  const more = group(iconButton("undo", "Undo the last edit (Ctrl Z)", "undo", () => app.undo()),
    iconButton("save", "Save as a scene", "save", () => app.save()),
    iconButton("record", "Record a film", "record", () => app.record()),
    iconButton("link", "Copy a link", "link", () => app.copyLink()),
    iconButton("race", "Race methods", "race", () => app.race()));
  const help = iconButton("ask", "Keys (H or ?)", "help", () => app.help());
  const panel = iconButton("fold", "Settings", "panel", () => app.fold());
  const time = h("output", { id: "time", "aria-label": "Simulated time", "aria-live": "off" });
  const hand = h("label", { class: "hand" }, size);
  bar.append(first, time, tools, hand, more, group(help, panel));

  // A telephone keeps five: run, three tools, and the sheet, where the others go.
  const narrow = matchMedia("(max-width: 640px), (max-height: 480px)");
  const arrange = () => {
    const { matches } = narrow, actions = element("actions");
    document.documentElement.classList.toggle("phone", matches);
    if (matches) {
      actions.append(...[...first.children].slice(1), ...more.children, help, hand);
      actions.append(time);
      bar.replaceChildren(play, ...tools.children, panel);
    } else {
      const tucked = [...actions.children].filter((child) => child.tagName === "BUTTON" && child !== help);
      if (tucked.length) {
        first.append(play, ...tucked.slice(0, 2));
        more.append(...tucked.slice(2));
        tools.append(...[...bar.children].filter((child) => child.id.startsWith("tool-")));
      }
      bar.replaceChildren(first, time, tools, hand, more, group(help, panel));
    }
    app.stage.fit();
  };
  narrow.addEventListener("change", arrange);
  arrange();

  const entry = ([key, what]) => [h("dt", { text: key }), h("dd", { text: what })];
  element("help").append(h("dl", {}, ...KEYS.flatMap(entry)), h("p", { id: "about" }));
}

/** What changes while it runs; called at most ten times a second. */
export function showNumbers(app, { fps, pace, behind }) {
  const { session } = app, { report } = session;
  const set = (id, text) => {
    const target = element(id);
    if (target.textContent !== text) target.textContent = text;
  };
  set("fps", `${fps.toFixed(0)} fps`);
  set("cost", session.cost ? `${milliseconds(session.cost)} ms/step` : "");
  set("pace", session.running || app.racing ? `${pace.toFixed(2)} ×` : "paused");
  set("behind", behind);
  element("behind").hidden = !behind;
  const seconds = `${(app.racing ? app.racing.time : session.shown).toFixed(2)} s`, step = report && report.step;
  set("time", app.racing ? seconds : step === undefined ? "" : `${seconds} · step ${Number(step).toLocaleString("en")}`);
}

export const milliseconds = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2));

let shown = "";

/** Buttons show what is on. */
export function showState(app) {
  const { session } = app, running = Boolean(app.racing ? app.racing.running : session && session.running);
  const undo = Boolean(session && session.report && session.report.undo), folded = element("panel").hidden;
  const key = [running, app.tool, Boolean(app.racing), Boolean(app.recorder), folded, undo].join();
  if (key === shown) return; // it is called with every reply
  shown = key;
  const play = element("play");
  play.replaceChildren(icon(ICONS[running ? "pause" : "play"]));
  play.classList.toggle("pause", running);
  for (const name of ["hand", "scissors", "pin"]) {
    element(`tool-${name}`).setAttribute("aria-pressed", `${app.tool === name}`);
  }
  element("race").setAttribute("aria-pressed", `${Boolean(app.racing)}`);
  element("record").setAttribute("aria-pressed", `${Boolean(app.recorder)}`);
  element("fold").setAttribute("aria-expanded", `${!folded}`);
  element("undo").disabled = !undo;
  app.stage.canvas.dataset.tool = app.tool;
  element("hint").classList.toggle("other", app.tool !== "hand");
}

// The chooser: what keeps real time in a browser first.
export function fillChooser(app) {
  const chooser = element("chooser"), { scenes, topology } = app;
  const name = (text) => text.charAt(0).toUpperCase() + text.slice(1).replace(/_/g, " ");
  const group = (label, list) => list.length ? h("optgroup", { label }, ...list.map((scene) =>
    h("option", { value: scene.name, text: name(scene.name), title: scene.title }))) : null;
  const slow = `Slower than real time ${app.kind === "native" ? "in a browser" : "here: try taut view"}`;
  chooser.replaceChildren(...[group("Scenes", scenes.filter((scene) => scene.live !== false)),
    group(slow, scenes.filter((scene) => scene.live === false))].filter((part) => part !== null));
  const known = topology && scenes.some((scene) => scene.name === topology.scene);
  if (topology && !known) {
    chooser.prepend(h("option", { value: "", text: topology.scene ? name(topology.scene) : "Your scene" }));
  }
  chooser.value = known ? topology.scene : "";
  element("name").textContent = topology ? topology.name || "taut" : "taut";
}
