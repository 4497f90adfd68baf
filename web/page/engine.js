// The two engines behind one message: the library in a worker, or a server on this machine.

import { canRun, compile, NEEDS_VECTORS } from "./wasm.js";

/** Why an engine will not answer any more. */
export class EngineGone extends Error {}

/**
 * @typedef {object} Engine
 * @property {(request: object) => Promise<ArrayBuffer>} exchange  one at a time
 * @property {() => void} close
 * @property {Worker} [worker]
 */

/** @implements {Engine} */
export class WorkerEngine {
  /**
   * @param {WebAssembly.Module} module
   * @param {Worker} worker
   */
  constructor(module, worker) {
    this.worker = worker;
    /** @type {null | {resolve: (buffer: ArrayBuffer) => void, reject: (error: Error) => void}} */
    this.waiting = null;
    /** @type {EngineGone | null} */
    this.gone = null;
    worker.onmessage = ({ data }) => data.reply ? this.answer(data.reply) : this.fail(data.trap);
    worker.onerror = (event) => {
      event.preventDefault();
      this.fail(event.message || "its worker could not be started");
    };
    worker.postMessage({ module });
  }

  /** @param {ArrayBuffer} reply */
  answer(reply) {
    const { waiting } = this;
    this.waiting = null;
    if (waiting) waiting.resolve(reply);
  }

  /** @param {string} why */
  fail(why) {
    this.gone = new EngineGone(why);
    this.worker.terminate();
    if (this.waiting) this.waiting.reject(this.gone);
    this.waiting = null;
  }

  exchange(request) {
    if (this.gone) return Promise.reject(this.gone);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.worker.postMessage({ request: JSON.stringify(request) });
    });
  }

  close() {
    this.fail("it was closed");
  }
}

/** @implements {Engine} */
export class NativeEngine {
  /** @param {number} number */
  constructor(number) {
    this.path = `exchange/${number}`;
    this.closed = new AbortController();
  }

  async exchange(request) {
    try {
      const body = JSON.stringify(request), { signal } = this.closed;
      const response = await fetch(this.path, { method: "POST", body, signal });
      if (!response.ok) throw new Error(`the server answers ${response.status} ${await response.text()}`);
      return await response.arrayBuffer();
    } catch (error) {
      const lost = error instanceof TypeError; // what fetch throws when nobody is there
      throw new EngineGone(lost ? "the server is not there any more; is `taut view` still running?" : error.message);
    }
  }

  close() {
    this.closed.abort();
    fetch(this.path, { method: "DELETE" }).catch(() => {});
  }
}

// The bytes of an element that holds base64 of gzip. (Browsers with vectors have this stream.)
async function embedded(element) {
  const letters = atob(element.textContent.trim()), bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/**
 * Do a little of everything in an engine that is then closed: browsers compile what is used, in a first draft first,
 * for all workers at once. So the first drag and the first cut of the one that is looked at do not wait for the compiler.
 * @param {Engine} engine
 */
export async function warmUp(engine) {
  const commands = [["scene", "curtain21"], ["grab", [440], [0.5, 1.2, 0.5]], ["step", 10], ["drop"]];
  const cut = [["cut", [0, 1.1, 10], [[-5, 1.1, 0], [5, 1.1, 0]]], ["pin", [200]], ["step", 10]];
  await engine.exchange({ topology: 0, commands }).then(() => engine.exchange({ commands: cut })).catch(() => {});
  engine.close();
}

/**
 * What this page runs on: `open(n)` gives engine n.
 * @returns {Promise<{kind: string, start: any, open: (n: number) => Engine}>}
 */
export async function findEngine() {
  if (document.documentElement.dataset.engine === "native") {
    const response = await fetch("start").catch(() => null);
    if (!response || !response.ok) throw new EngineGone("the server is not there; is `taut view` still running?");
    return { kind: "native", start: await response.json(), open: (n) => new NativeEngine(n) };
  }
  const inside = document.getElementById("taut-wasm"); // everything in one file
  if (!canRun()) throw new Error(NEEDS_VECTORS);
  const module = await compile(inside ? await embedded(inside) : fetch("taut.wasm"));
  let script = "worker.js";
  if (inside) {
    const text = document.getElementById("taut-worker")?.textContent || "";
    script = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  }
  const type = /** @type {WorkerType} */ (inside ? "classic" : "module");
  return { kind: "worker", start: null, open: () => new WorkerEngine(module, new Worker(script, { type })) };
}
