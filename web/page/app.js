// What the page can do, whichever button, key or link asks for it.

import { fillChooser, showState } from "./bar.js";
import { element } from "./dom.js";
import { openFile, openText } from "./open.js";
import { Race } from "./race.js";
import { Session } from "./session.js";
import { copyLink, film, save } from "./share.js";
import { note } from "./talk.js";
import { gone, stopped } from "./trouble.js";

export class App {
  /** @param {any} stage */
  constructor(stage) {
    this.stage = stage;
    /** @type {any} */
    this.engines = null; // what findEngine gives
    this.kind = "";
    /** @type {any} */
    this.session = null;
    /** @type {any} */
    this.panel = null;
    /** @type {any[]} */
    this.scenes = [];
    /** @type {any} */
    this.topology = null;
    this.tool = "hand";
    this.before = ""; // the tool that comes back when C is let go
    this.handSize = 1;
    /** @type {Map<string, any>} */
    this.changes = new Map(); // settings changed since the scene was opened
    /** @type {any} */
    this.recorder = null;
    /** @type {Race | null} */
    this.racing = null;
    this.kept = ""; // the last log that was saved, to go on from
    this.keptEdits = 0;
    /** @type {Map<number, number[]>} */
    this.bodies = new Map(); // poses of bodies that were carried
    this.silence = false; // whether it was said that the engine is silent
    this.files = true; // whether the text may read files (where there is a disk)
    this.error = false; // whether the relative error is wanted
  }

  // An engine for the window, with a scene to begin with or the one it has.
  connect() {
    if (this.session) this.session.close();
    this.session = new Session(this.engines.open(0), {
      topology: (reply, fresh) => this.arrived(reply, fresh), reply: (reply) => this.replied(reply),
      gone: (why) => gone(this, why),
    });
    this.wish();
  }

  arrived(reply, fresh) {
    const { stage, panel } = this;
    this.topology = reply.topology;
    stage.show(reply, fresh);
    if (fresh) {
      this.bodies.clear();
      document.title = `${reply.topology.name || "taut"} · taut`;
    }
    element("title").textContent = reply.topology.title || "";
    const { facts, particles } = reply.topology, count = (n, what) => (n ? `${n.toLocaleString("en")} ${what}` : "");
    element("facts").textContent = [count(particles, "particles"), count(facts.springs, "springs"),
      count(facts.membranes + facts.blocks, "elements")].filter(Boolean).join(" · ");
    panel.open(reply.topology, fresh);
    panel.shadows.querySelector("input").checked = stage.shadows;
    fillChooser(this);
  }

  replied(reply) {
    const { report } = reply, { stage, panel } = this;
    if (report.step === undefined) return;
    for (const { command, message } of report.errors) if (command === null) note(message, 6); // made late
    if (stage.scene) stage.take(reply);
    if (stage.look.springs === "implicit" && report.taken && !reply.implicit) {
      this.show({ springs: "" });
      note("Only static_imex and adaptive_imex divide springs into explicit and implicit ones.", 6);
    }
    panel.plots.add(report);
    if (!panel.root.hidden) panel.update(report);
    if (report.stopped && !this.told) stopped(this, report);
    this.told = report.stopped;
    showState(this);
  }

  // What the engine is asked for besides positions.
  wish() {
    const { session, stage, panel } = this, wants = new Set();
    if (stage.look.springs) wants.add(stage.look.springs);
    if (panel && panel.plotted) wants.add("energy");
    if (this.error) wants.add("error");
    if (!session) return;
    session.wants = wants;
    if (!session.running && session.topology) session.ask("step", 0);
  }

  measureError(on) {
    this.error = on;
    this.wish();
  }

  run(on) {
    if (this.racing) this.racing.run(on);
    else if (this.session) this.session.run(on);
    showState(this);
  }

  toggle() { this.run(!(this.racing ? this.racing.running : this.session && this.session.running)); }

  step() {
    if (this.racing) return;
    this.run(false);
    this.session.do("step", 1);
  }

  restart() {
    if (this.racing) return this.racing.restart();
    this.bodies.clear();
    this.changes.clear();
    return this.session.do("restart");
  }

  undo() {
    if (!this.racing) this.edit("undo");
  }

  // Something done by hand: why it was refused is said.
  async edit(...command) {
    const error = await this.session.do(...command);
    if (error) note(error.message, 6);
    else if (command[0] === "cut" && !this.session.running) note("The cut opens with the next step.", 4);
  }

  async set(key, value) {
    const error = await this.session.do("set", key, value);
    if (error) return error;
    this.changes.delete(key); // in the order they were made
    this.changes.set(key, value);
    return error;
  }

  async open(name) {
    await this.leaveRace();
    this.changes.clear();
    const error = await this.session.do("scene", name);
    if (!error) this.files = true;
    if (error) note(error.message, 10);
    fillChooser(this);
    return error;
  }

  openText(text, name) { return openText(this, text, name); }
  openFile() { return openFile(this); }

  useTool(tool) {
    this.tool = tool;
    this.before = "";
    showState(this);
  }

  holdScissors(on) {
    if (on && !this.before && this.tool !== "scissors") [this.before, this.tool] = [this.tool, "scissors"];
    else if (!on && this.before) [this.tool, this.before] = [this.before, ""];
    showState(this);
  }

  setHandSize(size) { this.handSize = size; }

  // A hand took hold: a paused simulation starts, and the hint has done its work.
  grabbed() {
    element("hint").hidden = true;
    this.met = true;
    if (!this.session.running) this.run(true);
  }

  poseOf(kind, number) {
    const rest = [0, 0, 0, 1, 0, 0, 0];
    return (kind === "body" ? this.bodies.get(number) : this.session.report.poses[number]) || rest;
  }

  carry(kind, number, turn, shift) {
    if (kind === "body") this.bodies.set(number, [...turn, ...shift]);
    this.session.lead(kind, number, turn, shift);
    if (!this.session.running) this.run(true);
  }

  // The way of the scissors on the picture; null takes it away.
  stroke(path) {
    const points = (path || []).map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`);
    element("stroke").setAttribute("points", points.join(" "));
  }

  show(look) {
    const { topology } = this.session || {};
    if (look.springs && topology && topology.facts && !topology.facts.springs) {
      note("Nothing to colour: this scene has elements and no springs.", 6);
      look = { ...look, springs: "" };
    }
    Object.assign(this.stage.look, look);
    this.stage.changed = true;
    this.panel.wire.querySelector("select").value = `${this.stage.look.wire}`;
    this.panel.springs.querySelector("select").value = this.stage.look.springs;
    this.wish();
  }

  cycleWire() { this.show({ wire: (this.stage.look.wire + 1) % 3 }); }

  theme(name) {
    const dark = name ? name === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    this.chosen = name;
    document.documentElement.classList.toggle("dark", dark);
    this.show({ dark });
  }

  help(on = element("help").hidden) { element("help").hidden = !on; }

  fold(on = element("panel").hidden) {
    element("panel").hidden = !on;
    document.documentElement.classList.toggle("unfolded", on);
    const beside = on && !document.documentElement.classList.contains("phone");
    this.stage.cover(beside ? element("panel").offsetWidth + 18 : 0);
    const { report } = this.session || {};
    if (on && report && report.settings) this.panel.update(report);
    this.wish();
    showState(this);
    if (on) this.panel.close.focus({ preventScroll: true });
    else if (this.panel.root.contains(document.activeElement)) element("fold").focus();
  }

  save() { return save(this); }
  copyLink() { return copyLink(this); }
  record() { return film(this); }

  async race(shared = null) {
    if (this.racing) return this.leaveRace();
    this.run(false);
    this.racing = new Race(this);
    showState(this);
    await this.racing.begin(shared);
  }

  async leaveRace() {
    const { racing } = this;
    if (!racing) return;
    this.racing = null;
    racing.close();
    if (this.session.last) await this.session.again();
    this.stage.panes = 1;
    this.stage.fit();
    showState(this);
  }
}
