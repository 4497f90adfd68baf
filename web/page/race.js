// A race: several methods on one scene from one start, side by side on one canvas with one camera.

import { milliseconds } from "./bar.js";
import { element, h } from "./dom.js";
import { Racer, rms } from "./racer.js";
import { note } from "./talk.js";

// The largest stable step of symplectic Euler for the small Curtain is 1/39 of a frame of 1/30 s.
const USUAL = [`symplectic_euler@${1 / (30 * 39)}`, "xpbd", "local_global", "conjugate_gradient", "baraff_witkin",
  "newton"];
const SMALL = 2500; // particles; a larger scene races as the small Curtain
const AHEAD = 2; // frames

export class Race {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.running = false;
    this.mode = "same";
    this.text = this.name = "";
    /** @type {[string, any][]} */
    this.settings = [];
    this.restLength = 0; // mean rest length [m], 0 while it starts
    /** @type {Racer[]} */
    this.racers = [];
    /** @type {Racer | null} */
    this.exact = null;
    /** @type {any[]} */
    this.labels = [];
    this.generation = 0;
  }

  // What a link says of it.
  shared() { return { methods: this.racers.map(({ entry }) => entry), mode: this.mode }; }

  async begin(shared) {
    const { topology, scenes, changes } = this.app, fits = topology && topology.particles <= SMALL;
    const small = scenes.find((scene) => scene.name === "curtain21");
    [this.text, this.name] = fits || shared ? [topology.text, topology.scene] : [small.text, small.name];
    this.settings = fits || shared ? [...changes].filter(([key]) => !["method", "time_step"].includes(key)) : [];
    this.mode = shared && shared.mode === "real" ? "real" : "same";
    await this.start(shared ? shared.methods : USUAL);
  }

  // From the start, with these methods.
  async start(entries) {
    const { app } = this, { engines, stage } = app, generation = ++this.generation;
    this.stopAll();
    this.racers = entries.map((entry, i) => new Racer(engines.open(i + 1), entry));
    this.exact = new Racer(engines.open(7), "newton");
    stage.panes = entries.length;
    document.documentElement.classList.add("racing");
    try {
      const loose = ["iterations", "tolerance", "accuracy", "budget", "precision"]; // what Newton's is not to be
      const exactly = this.settings.filter(([key]) => !loose.includes(key));
      const from = (racer, settings) => racer.begin(this.text, this.name, app.files, settings);
      const begun = this.racers.map((racer) => from(racer, this.settings));
      const replies = await Promise.all([...begun, from(this.exact, exactly)]);
      if (generation !== this.generation) return;
      this.topology = replies[0].topology;
      this.restLength = replies[0].topology.mean_rest_length || 1;
      stage.show(replies[0], true);
      stage.fit();
      this.makeLabels();
      app.run(true);
    } catch (error) {
      note(`The race cannot start: ${error.message}`, 10);
      app.leaveRace();
    }
  }

  restart() { return this.start(this.racers.map(({ entry }) => entry)); }

  run(on) { this.running = on; }

  get time() { return Math.max(0, ...this.racers.map(({ shown }) => shown)); }

  advance(passed) {
    if (!this.exact || !this.restLength) return;
    const step = this.running ? Math.min(0.1, passed) : 0, live = this.racers.filter(({ stopped }) => !stopped);
    const slowest = Math.min(...live.map(({ frame, frameTime }) => frame * (frameTime || 0)));
    for (const racer of live) {
      const reached = racer.frame * (racer.frameTime || 0);
      const most = this.mode === "same" ? Math.min(slowest, reached) : reached;
      const target = racer.shown + step;
      const shown = Math.max(racer.shown, Math.min(target, most));
      // Of about the last second.
      if (passed > 0) racer.pace += (1 - Math.exp(-passed)) * ((shown - racer.shown) / passed - racer.pace);
      racer.shown = shown;
      const want = ["energy", ...this.app.error ? ["error"] : []];
      const frame = Math.floor(racer.shown / (racer.frameTime || 1) + 1e-6) + AHEAD;
      if (this.running) racer.advance(frame, want).then(() => this.compare(racer));
    }
    const furthest = Math.max(...this.racers.map(({ frame }) => frame));
    if (this.running) this.exact.advance(furthest, []).then(() => this.racers.forEach((racer) => this.compare(racer)));
  }

  // Distance to the exact trajectory at the last frame both have reached, in mean rest lengths.
  compare(racer) {
    const { exact } = this;
    if (!exact || !exact.frameTime) return;
    const frame = Math.min(racer.frame, exact.frame), a = racer.states.get(frame), b = exact.states.get(frame);
    const known = racer.distance && racer.distance[0] === frame;
    if (a && b && !known) racer.distance = [frame, rms(a, b) / this.restLength];
  }

  draw() {
    const { stage } = this.app;
    this.racers.forEach((racer, i) => {
      racer.sample(stage.points);
      stage.draw(stage.points, stage.pane(i));
    });
  }

  makeLabels() {
    const { app } = this, { stage } = app, root = element("labels"), { methods } = this.topology;
    const entries = () => this.racers.map(({ entry }) => entry), words = (name) => name.replace(/_/g, " ");
    this.labels = this.racers.map((racer, i) => {
      const change = () => this.start(entries().map((entry, k) => (k === i ? choose.value : entry)));
      const choose = h("select", { "aria-label": `Method ${i + 1}`, on: { change } },
        ...methods.map((name) => h("option", { value: name, text: words(name) })));
      choose.value = racer.method;
      const out = `Take ${words(racer.method)} out of the race`;
      const drop = h("button", { type: "button", class: "small", text: "×", title: out, "aria-label": out,
        disabled: this.racers.length <= 2, on: { click: () => this.start(entries().filter((_, k) => k !== i)) } });
      const numbers = h("p", { class: "numbers" });
      const trouble = h("div", { class: "trouble", role: "status", hidden: true });
      const label = h("div", { class: "label" }, h("div", { class: "row" }, choose, drop), numbers, trouble);
      return { root: label, numbers, trouble, told: "" };
    });
    const mode = h("select", { "aria-label": "Mode of the race", on: { change: () => { this.mode = mode.value; } } },
      h("option", { value: "same", text: "same simulated time" }), h("option", { value: "real", text: "real time" }));
    mode.value = this.mode;
    const button = (text, click) => h("button", { type: "button", class: "word", text, on: { click } });
    const another = () => methods.find((name) => !entries().includes(name)) || methods[0];
    const add = button("Add a method", () => this.start([...entries(), another()]));
    add.disabled = this.racers.length >= 6;
    const title = h("b", { text: this.topology.title.split(/[:(]/)[0].trim() || this.name });
    const bar = h("div", { class: "race-bar" }, title, mode, add, button("End the race", () => app.leaveRace()));
    root.replaceChildren(bar, ...this.labels.map((label) => label.root));
    this.place = () => this.labels.forEach((label, i) => {
      const [x, y, width, height] = stage.pane(i), { canvas } = stage, share = canvas.clientWidth / canvas.width;
      const top = (canvas.height - y - height) * share;
      label.root.style.transform = `translate(${Math.round(x * share)}px, ${Math.round(top)}px)`;
      label.root.style.maxWidth = `${Math.min(300, Math.round(width * share) - 20)}px`;
      label.root.classList.toggle("first", top < 10);
    });
    this.place();
  }

  showNumbers() {
    if (!this.labels.length) return;
    if (this.place) this.place();
    this.racers.forEach((racer, i) => {
      const { report, distance, cost } = racer, label = this.labels[i], energy = report && report.energy;
      if (!label) return;
      const joules = energy ? `${+(energy.kinetic + energy.elastic + energy.gravity).toPrecision(3)} J` : "";
      const away = distance ? `off by ${+distance[1].toPrecision(2)} rest lengths` : "";
      const lines = [`${milliseconds(cost)} ms/step · ${racer.pace.toFixed(2)} × · ${racer.shown.toFixed(2)} s`,
        [joules, away].filter(Boolean).join(" · "),
        report && report.relative_error ? `error ${report.relative_error.toExponential(1)}` : ""];
      label.numbers.textContent = lines.filter(Boolean).join("\n");
      if (racer.stopped && label.told !== racer.stopped) this.sayStopped(racer, label);
    });
  }

  sayStopped(racer, label) {
    const { remedy } = racer;
    label.told = racer.stopped;
    label.trouble.hidden = false;
    label.trouble.replaceChildren(h("p", { text: racer.stopped }));
    if (!remedy) return;
    const slower = () => {
      racer.timeStep = remedy;
      this.restart();
    };
    const text = `Use steps of ${(1000 * remedy).toPrecision(3)} ms`;
    label.trouble.append(h("button", { type: "button", class: "word", text, on: { click: slower } }));
  }

  stopAll() {
    for (const racer of [...this.racers, this.exact]) if (racer) racer.close();
    this.restLength = 0;
    this.labels = [];
  }

  close() {
    this.generation += 1;
    this.stopAll();
    element("labels").replaceChildren();
    document.documentElement.classList.remove("racing");
  }
}
