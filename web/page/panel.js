// The panel at the right: scene, method, cloth, world, view, plots. On a telephone a sheet over the lower half.

import { choiceField, factorField, localChoice, localSwitch, numberField, vectorField } from "./controls.js";
import { css, implicitColours, palette } from "./colours.js";
import { element, h, iconButton } from "./dom.js";
import { Editor } from "./editor.js";
import { Plots } from "./plots.js";

const SCHEMES = ["implicit_euler", "bdf2", "midpoint"], LEVELS = ["off", "fast", "exact"];

export class Panel {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.root = element("panel");
    this.editor = new Editor(app);
    this.plots = new Plots();
    this.method = choiceField(app, "method", "Method", []);
    this.families = h("div");
    /** @type {{update: (settings: any) => void}[]} */
    this.factors = [];
    const numbers = (...list) => list.map(([key, label, unit]) => numberField(app, key, label, unit));
    const end = numbers(["iterations", "Iterations"], ["tolerance", "Tolerance"], ["accuracy", "Accuracy"],
      ["budget", "Time budget", "s"]);
    const time = [choiceField(app, "scheme", "Scheme", SCHEMES),
      choiceField(app, "precision", "Precision", ["single", "double"])];
    const damping = numbers(["damping.material", "Material damping", "s"], ["damping.ether", "Ether"],
      ["damping.rigid", "Rigid damping"], ["damping.drag", "Air drag", "1/s"], ["conserve", "Energy conserved"]);
    const world = [vectorField(app, "gravity", "Gravity", "m/s²"), vectorField(app, "wind", "Wind", "m/s"),
      numberField(app, "time_step", "Time step", "s"), choiceField(app, "contact.level", "Contact", LEVELS)];
    this.fields = [this.method, ...end, ...time, ...damping, ...world];
    const rows = (list) => list.map(({ row }) => row);
    this.close = iconButton("close-panel", "Close the settings", "close", () => app.fold(false));
    this.root.append(h("div", { class: "head" }, h("h2", { text: "Settings" }), this.close),
      h("div", { id: "actions" }),
      this.section("Scene", true, this.editor.root, h("div", { class: "row" },
        h("button", { class: "word", type: "button", text: "Restart with this text", title: "Ctrl Enter",
          on: { click: () => this.editor.read(true) } }),
        h("button", { class: "word", type: "button", text: "Open a file…", on: { click: () => app.openFile() } }))),
      this.section("Method", true, ...rows([this.method, ...end, ...time])),
      this.section("Cloth", false, this.families, ...rows(damping)),
      this.section("World", false, ...rows(world)),
      this.section("View", false, ...this.view()),
      this.plotting = this.section("Plots", false, this.plots.root));
    this.plotting.addEventListener("toggle", () => app.wish());
  }

  section(title, open, ...children) {
    const body = h("div", { class: "body" }, ...children);
    return h("details", { open, id: `section-${title.toLowerCase()}` }, h("summary", { text: title }), body);
  }

  view() {
    const { app } = this, { look } = app.stage, change = (key) => (value) => app.show({ [key]: value });
    this.wire = localChoice("Surface", [["0", "shaded"], ["1", "with edges"], ["2", "edges only"]], "0",
      (value) => app.show({ wire: +value }));
    this.shadows = localSwitch("Shadows", true, change("shadows"));
    this.springs = localChoice("Springs", [["", "not shown"], ["strain", "by strain"], ["components", "by component"],
      ["implicit", "explicit and implicit"]], look.springs, change("springs"));
    const themes = [["", "as the system"], ["light", "light"], ["dark", "dark"]];
    return [this.springs, this.wire, this.shadows, localChoice("Colours", themes, "", (value) => app.theme(value)),
      localSwitch("Relative error (slow)", false, (on) => app.measureError(on)),
      h("p", { id: "relative-error", class: "fact", role: "status" })];
  }

  // A scene, or the same after a cut.
  open(topology, fresh) {
    if (fresh) this.editor.show(topology.text);
    this.method.fill(topology.methods);
    const names = topology.families.filter(({ springs }) => springs > 0).map(({ name }) => name);
    if (names.join() === this.known) return;
    this.known = names.join();
    const made = names.map((name) => factorField(this.app, `stiffness.${name}`, `Stiffness, ${name}`));
    this.factors = made;
    this.families.replaceChildren(...made.map(({ row }) => row));
  }

  update(report) {
    for (const field of [...this.fields, ...this.factors]) field.update(report.settings);
    const { relative_error: error } = report, words = element("relative-error");
    words.textContent = error === null || error === undefined ? "" : `error ${error.toExponential(2)}`;
  }

  // Which of the energies, plots and errors anybody looks at.
  get plotted() { return !this.root.hidden && this.plotting.open; }
}

/** What the colours of springs stand for. */
export function showLegend({ look, reach, dark }) {
  const legend = element("legend"), per = 100 * reach;
  legend.hidden = !look.springs;
  const key = [look.springs, reach, dark].join();
  if (legend.dataset.key === key) return;
  legend.dataset.key = key;
  const swatch = (colour) => {
    const made = h("i");
    made.style.background = colour;
    return made;
  };
  if (look.springs === "strain") {
    const colours = Array.from(palette(dark)).filter((_, i) => i % 15 === 0).map(css);
    const bar = swatch(`linear-gradient(90deg, ${colours.join()})`);
    const ends = [`−${+per.toPrecision(2)} %`, "strain", `+${+per.toPrecision(2)} %`];
    legend.replaceChildren(bar, h("div", {}, ...ends.map((text) => h("span", { text }))));
    bar.className = "scale";
  } else if (look.springs === "implicit") {
    const [one, two] = implicitColours(dark).map(css), word = (text) => h("span", { text });
    legend.replaceChildren(h("div", {}, swatch(one), word("explicit"), swatch(two), word("implicit")));
  } else {
    legend.replaceChildren(h("div", {}, h("span", { text: "connected parts; white: pinned" })));
  }
}
