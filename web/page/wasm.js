// The library as WebAssembly: bytes in, bytes out.

// A module that adds two vectors: browsers that refuse it cannot run ours.
const VECTORS = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253,
  98, 11];

export const NEEDS_VECTORS = "This browser has no WebAssembly SIMD: please update it, or use the desktop viewer, "
  + "`taut view`.";

/** @returns {boolean} */
export function canRun() {
  return typeof WebAssembly === "object" && WebAssembly.validate(Uint8Array.from(VECTORS));
}

/**
 * @param {WebAssembly.Module | BufferSource | Promise<Response>} source
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(source) {
  if (!canRun()) throw new Error(NEEDS_VECTORS);
  if (source instanceof WebAssembly.Module) return source;
  if (!(source instanceof Promise)) return WebAssembly.compile(source);
  const response = await source;
  if (!response.ok) throw new Error(`taut.wasm could not be fetched: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer()); // whatever type the server says it has
}

/** Why an engine ended, in words. A trap leaves its memory in any state: it cannot go on. */
export function whyEnded(error) {
  const why = error instanceof Error ? error.message : `${error}`;
  if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) return why;
  return `${why}. If the scene is large, WebAssembly's memory may be too small for it; taut view has more.`;
}

export class Wasm {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    const env = { now: () => performance.now() / 1000 };
    this.exports = /** @type {any} */ (new WebAssembly.Instance(module, { env }).exports);
  }

  /**
   * One exchange. Views on the memory die when it grows, so the reply is copied.
   * @param {string} request
   * @returns {ArrayBuffer}
   */
  exchange(request) {
    const bytes = new TextEncoder().encode(request), { memory, room, exchange, reply } = this.exports;
    const at = room(bytes.length) >>> 0;
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const length = exchange() >>> 0, from = reply() >>> 0;
    return memory.buffer.slice(from, from + length);
  }
}
