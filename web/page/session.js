// One simulation as the page sees it: what is wanted of the engine, and the last states it sent.

import { EngineGone } from "./engine.js";
import { readReply } from "./reply.js";

/** @typedef {import("./reply.js").Reply} Reply */
/** @typedef {(reply: Reply, fresh: boolean) => void} Topology */
/** @typedef {{topology?: Topology, reply?: (reply: Reply) => void, gone?: (why: Error) => void}} Listeners */
/** @typedef {{command: any[], done: (outcome: {error: any, reply: Reply}) => void}} Wanted */

// Never more than so much simulated time is asked for at once [s]: a page that slept does not catch up.
const MOST = 0.1;

export class Session {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {Listeners} on
   */
  constructor(engine, on = {}) {
    this.engine = engine;
    this.on = on;
    /** @type {Wanted[]} */
    this.queue = [];
    /** @type {{time: number, positions: Float32Array}[]} */
    this.states = [];
    /** @type {any} */
    this.topology = null;
    /** @type {any} */
    this.report = null;
    /** @type {Reply | null} */
    this.last = null;
    /** @type {Set<string>} */
    this.wants = new Set();
    /** @type {{particles: number[], place: number[], told: boolean, sent: boolean} | null} */
    this.hand = null;
    this.running = false;
    this.shown = 0; // simulated time on the screen [s]
    this.took = 0.005; // wall time of an exchange [s]
    this.asked = 0; // when the open exchange began [s], 0 if none is open
    this.lost = 0; // simulated time that should have passed and did not [s]
    this.fresh = false;
    this.cost = 0; // wall time of a step [ms]
  }

  get newest() { return this.states[this.states.length - 1]; }

  /**
   * Have a command made; null if it was, else why not.
   * @param {...any} command
   * @returns {Promise<any>}
   */
  do(...command) {
    return this.ask(...command).then(({ error }) => error);
  }

  /**
   * The same with the whole reply.
   * @param {...any} command
   * @returns {Promise<{error: any, reply: Reply}>}
   */
  ask(...command) {
    const answer = new Promise((done) => this.queue.push({ command, done }));
    this.pump();
    return answer;
  }

  /** Take particles, or move them on: the first goes to a place. */
  grab(particles, place) {
    this.hand = { particles, place, told: false, sent: this.hand !== null && this.hand.sent };
  }

  drop() {
    if (!this.hand) return;
    const { sent } = this.hand;
    this.hand = null;
    if (sent) this.do("drop");
  }

  /** Put a solid or a body somewhere: only where it is by the next exchange counts. */
  lead(kind, number, turn, shift) {
    const last = this.queue.findIndex(({ command }) => command[0] === kind && command[1] === number);
    if (last >= 0) this.queue[last].command = [kind, number, turn, shift];
    else this.do(kind, number, turn, shift);
  }

  run(on) {
    this.running = on;
    if (!on && this.newest) this.shown = this.newest.time;
  }

  // Wall time passed [s]: the screen goes on, as far as there are states.
  advance(passed) {
    const { newest } = this;
    if (!newest) return;
    if (this.running) {
      const target = this.shown + Math.min(MOST, passed);
      this.shown = Math.min(target, newest.time);
      this.lost += target - this.shown + Math.max(0, passed - MOST);
    }
    while (this.states.length > 2 && this.states[1].time <= this.shown) this.states.shift();
    this.pump();
  }

  // Time to ask the engine for: a step more than is needed by the time it will have answered.
  until() {
    const { newest, report } = this;
    if (!this.running || !newest || report.stopped) return null;
    const until = this.shown + Math.min(MOST, report.h + this.took);
    return newest.time + report.h <= until * (1 + 1e-9) ? until : null;
  }

  // Ask, unless it is answering already or there is nothing to ask.
  pump() {
    if (this.asked || !this.engine) return;
    const until = this.until(), { hand, topology, wants } = this, wanted = this.queue.splice(0);
    const moved = hand && !hand.told && until !== null; // a path is spread over steps
    if (until === null && !wanted.length && !moved && topology) return;
    const commands = wanted.map(({ command }) => command);
    if (hand && moved) {
      hand.told = hand.sent = true;
      commands.push(["grab", hand.particles, hand.place]);
    }
    const request = { topology: topology ? topology.version : 0, want: [...wants], commands };
    if (until !== null) Object.assign(request, { until });
    this.asked = performance.now() / 1000;
    const taken = (buffer) => this.take(readReply(buffer), wanted), lost = (why) => this.lose(why, wanted);
    this.engine.exchange(request).then(taken, lost).catch((why) => this.lose(why, []));
  }

  /**
   * @param {Reply} reply
   * @param {Wanted[]} wanted
   */
  take(reply, wanted) {
    const { report } = reply, took = performance.now() / 1000 - this.asked, before = this.newest;
    this.asked = 0;
    if (report.taken > 0) this.took += 0.3 * (took - this.took);
    const errors = new Map(report.errors.map((error) => [error.command, error]));
    const made = (...names) => wanted.some(({ command }, i) => names.includes(command[0]) && !errors.has(i));
    const again = made("scene", "open", "restart", "undo");
    this.fresh = this.fresh || !this.topology || made("scene", "open");
    this.report = report;
    this.last = reply;
    if (report.ms_step) this.cost = report.ms_step;
    if (reply.topology) {
      this.topology = reply.topology;
      this.states = [];
    }
    if (again || (before && report.time < before.time)) this.states = [];
    if (reply.positions && this.topology) {
      if (this.states.length && report.time === this.newest.time) this.states.pop();
      this.states.push({ time: report.time, positions: reply.positions });
      if (this.states.length === 1 || !this.running) this.shown = report.time;
    }
    if (reply.topology && this.on.topology) {
      const { fresh } = this;
      this.fresh = false;
      this.on.topology(reply, fresh);
    }
    if (this.on.reply) this.on.reply(reply);
    wanted.forEach(({ done }, i) => done({ error: errors.get(i) || null, reply }));
    this.pump();
  }

  /**
   * @param {Error} why
   * @param {Wanted[]} wanted
   */
  lose(why, wanted) {
    if (!this.engine) return; // it was closed
    this.asked = 0;
    this.running = false;
    this.engine = /** @type {any} */ (null);
    const message = why instanceof EngineGone ? why.message : `${why.message || why}`;
    wanted.forEach(({ done }) => done({ error: { message, line: null }, reply: /** @type {any} */ ({}) }));
    if (this.on.gone) this.on.gone(why);
    else throw why;
  }

  /** Have the scene sent again, as it is. */
  again() {
    this.topology = null;
    return this.ask("step", 0);
  }

  // How long the engine has been silent [s].
  get silent() { return this.asked ? performance.now() / 1000 - this.asked : 0; }

  close() {
    const { engine } = this;
    this.engine = /** @type {any} */ (null);
    if (engine) engine.close();
  }

  // Positions on the screen, on straight lines between two states.
  sample(out) {
    const [a, b = a] = this.states;
    if (!a) return;
    const share = b.time > a.time ? Math.min(1, Math.max(0, (this.shown - a.time) / (b.time - a.time))) : 1;
    const p = a.positions, q = b.positions;
    for (let i = 0; i < out.length; i++) out[i] = p[i] + share * (q[i] - p[i]);
  }
}
