// taut in your page, or in node: a simulation that steps when it is told to.
//
//   import { Simulation } from "taut";
//   const s = await Simulation.open(toml);
//   await s.step(1);
//   s.positions; // x y z of each particle, relative to s.topology.origin

import { WorkerEngine } from "./page/engine.js";
import { readReply } from "./page/reply.js";
import { compile, Wasm, whyEnded } from "./page/wasm.js";

const HERE = import.meta.url;

// The module's bytes: given, fetched, or read from disk.
async function moduleOf(wasm) {
  if (wasm && !(wasm instanceof URL) && typeof wasm !== "string") return compile(wasm);
  const address = new URL(wasm || "./taut.wasm", HERE);
  if (address.protocol === "file:" && typeof process === "object") {
    const { readFile } = await import("node:fs/promises");
    return compile(await readFile(address));
  }
  return compile(fetch(address));
}

// An engine in this thread.
class Here {
  constructor(module) { this.wasm = new Wasm(module); }

  async exchange(request) {
    if (!this.wasm) throw new Error("the simulation has ended");
    try {
      return this.wasm.exchange(JSON.stringify(request));
    } catch (error) {
      this.close();
      throw new Error(whyEnded(error));
    }
  }

  close() { this.wasm = null; }
}

export class Simulation {
  /** A scene: TOML, or the name of a built-in one. Use `Simulation.open`. */
  constructor(engine) {
    this.engine = engine;
    this.listeners = new Map();
    this.last = Promise.resolve();
    this.version = 0;
    this.held = null;
  }

  /**
   * @param {string} scene  TOML, or the name of a built-in scene
   * @param {{wasm?: any, worker?: boolean}} [options]
   */
  static async open(scene, { wasm, worker = typeof Worker === "function" && typeof document === "object" } = {}) {
    const module = await moduleOf(wasm);
    const thread = () => new Worker(new URL("./worker.js", HERE), { type: "module" });
    const engine = worker ? new WorkerEngine(module, thread()) : new Here(module);
    const simulation = new Simulation(engine);
    try {
      await simulation.command(/[\n=[]/.test(scene) ? ["open", scene] : ["scene", scene]);
    } catch (error) {
      simulation.close();
      throw error;
    }
    return simulation;
  }

  /** Any command of the protocol; its reply. An error names what was refused. */
  command(...commands) {
    const answer = this.last.then(async () => {
      if (!this.engine) throw new Error("the simulation is closed");
      const want = ["energy"], request = { topology: this.version, commands, want };
      const reply = readReply(await this.engine.exchange(request));
      if (reply.topology) {
        this.version = reply.topology.version;
        Object.assign(this, { topology: reply.topology, triangles: reply.triangles, lines: reply.lines });
      }
      if (reply.positions) this.positions = reply.positions;
      if (reply.pins) this.pins = reply.pins;
      this.report = reply.report;
      if (reply.topology) this.tell("topology", this);
      const [error] = reply.report.errors;
      if (error) throw Object.assign(new Error(error.message), { line: error.line });
      if (reply.report.stopped) throw new Error(reply.report.stopped);
      return reply;
    });
    this.last = answer.catch(() => {});
    return answer;
  }

  /** Take steps; the report of the last. */
  async step(n = 1) { return (await this.command(["step", n])).report; }

  /** Take a particle (or several) to a place, or move those that are held; takes effect with the next step. */
  async grab(particles, place) { await this.command(["grab", [particles].flat(), place]); }

  async release() { await this.command(["drop"]); }

  /** Pin particles where they are, or free them if the first is pinned. */
  async pin(...particles) { await this.command(["pin", particles.flat()]); }

  /** Cut with a blade from an eye through a line of points. */
  async cut(eye, line) { await this.command(["cut", eye, line]); }

  /** Change a setting: method, iterations, gravity, stiffness.stretch … */
  async set(key, value) { await this.command(["set", key, value]); }

  async undo() { await this.command(["undo"]); }

  async restart() { await this.command(["restart"]); }

  /** The scene with everything that was done, as TOML. */
  async save() { return (await this.command(["save"])).toml; }

  /** A number of the state, the same wherever the same was computed. */
  async hash() { return (await this.command(["hash"])).report.hash; }

  /** Have a function called with the simulation whenever its triangles are others. */
  on(event, listener) {
    if (event !== "topology") throw new Error(`there is no event ${event}: only topology`);
    this.listeners.set(listener, event);
    return () => this.listeners.delete(listener);
  }

  tell(event, value) {
    for (const [listener, name] of this.listeners) if (name === event) listener(value);
  }

  close() {
    if (this.engine) this.engine.close();
    this.engine = null;
  }
}
