// One method of a race: an engine of its own that goes from frame to frame of the scene.

import { readReply } from "./reply.js";

const KEPT = 24e6; // bytes of past positions that are kept to be compared

/** Root of the mean square distance of two lists of points. */
export function rms(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return Math.sqrt(sum / Math.max(1, a.length / 3));
}

export class Racer {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {string} entry  a method, perhaps with a time step: name@seconds
   */
  constructor(engine, entry) {
    this.engine = engine;
    this.method = entry.split("@")[0];
    this.timeStep = +(entry.split("@")[1] || 0);
    this.pace = 0;
    this.frameTime = 0;
    /** @type {Map<number, Float32Array>} */
    this.states = new Map(); // by frame
    this.frame = 0; // the newest
    this.shown = 0; // simulated time on the screen [s]
    /** @type {any} */
    this.report = null;
    /** @type {string | null} */
    this.stopped = null;
    /** @type {number | null} */
    this.remedy = null;
    this.busy = false;
    this.closed = false;
    this.cost = 0;
    this.lost = 0;
    /** @type {[number, number] | null} */
    this.distance = null; // frame and value
  }

  get entry() { return this.timeStep ? `${this.method}@${this.timeStep}` : this.method; }

  /** The scene, the method, its time step. Gives the reply with the topology. */
  async begin(text, name, files, settings) {
    const changes = [["method", this.method], ...this.timeStep ? [["time_step", this.timeStep]] : [], ...settings];
    const commands = [["open", text, name, files], ...changes.map(([key, value]) => ["set", key, value])];
    const reply = readReply(await this.engine.exchange({ topology: 0, commands }));
    const [error] = reply.report.errors;
    if (error) this.stopped = error.message;
    if (!reply.topology || !reply.positions) throw new Error(error ? error.message : "there is no scene to race");
    this.frameTime = 1 / reply.topology.rate;
    this.version = reply.topology.version;
    this.note(reply);
    return reply;
  }

  /** @param {import("./reply.js").Reply} reply */
  note({ report, positions }) {
    this.report = report;
    if (report.ms_step) this.cost = report.ms_step;
    const frame = Math.round(report.time / this.frameTime);
    if (Math.abs(report.time - frame * this.frameTime) > 0.01 * report.h) return; // between two frames
    if (!positions) return;
    this.frame = frame;
    this.states.set(frame, positions);
    if (this.states.size * positions.byteLength > KEPT) this.states.delete(this.states.keys().next().value);
  }

  /** Go on to a frame, one at a time, if there is nothing open. */
  async advance(to, want) {
    if (this.busy || this.closed || this.stopped || this.frame >= to) return;
    this.busy = true;
    try {
      const until = (this.frame + 1) * this.frameTime + 1e-9;
      const reply = readReply(await this.engine.exchange({ topology: this.version, until, budget: 1, want }));
      this.note(reply);
      if (reply.report.stopped) {
        this.stopped = reply.report.stopped;
        this.remedy = reply.report.remedy ? reply.report.remedy.time_step : null;
      }
    } catch (error) {
      this.stopped = error.message;
    }
    this.busy = false;
  }

  /** Positions at the time shown. */
  sample(out) {
    const place = this.shown / this.frameTime, k = Math.min(this.frame, Math.floor(place + 1e-6));
    const a = this.states.get(k);
    if (!a) return;
    const b = this.states.get(k + 1) || a, share = Math.min(1, Math.max(0, place - k));
    for (let i = 0; i < out.length; i++) out[i] = a[i] + share * (b[i] - a[i]);
  }

  close() {
    this.closed = true;
    this.engine.close();
  }
}
