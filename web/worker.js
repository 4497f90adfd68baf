// One engine in a thread of its own: first comes the compiled module, then one request after the other.

import { Wasm, whyEnded } from "./page/wasm.js";

const port = /** @type {any} */ (globalThis);

/** @type {Wasm | null} */
let engine = null;

/** @param {MessageEvent} event */
port.onmessage = ({ data }) => {
  try {
    if (data.module) {
      engine = new Wasm(data.module);
      return;
    }
    if (!engine) throw new Error("there is no module");
    const reply = engine.exchange(data.request);
    port.postMessage({ reply }, [reply]);
  } catch (error) {
    port.postMessage({ trap: whyEnded(error) });
    port.close();
  }
};
