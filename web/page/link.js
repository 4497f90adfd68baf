// A link holds what another page needs to show the same: behind the # a digit (how the rest is packed), then base64url of
// JSON, deflated where the browser can.

/**
 * @typedef {object} Shared
 * @property {number} v       version of this layout
 * @property {string} [scene] name of a built-in scene
 * @property {string} [text]  or the text of one
 * @property {[string, any][]} [set]  settings that were changed
 * @property {number[]} [camera]      azimuth, elevation, distance, target
 * @property {{methods: any[], mode: string}} [race]
 * @property {boolean} [paused]
 */

export const VERSION = 1;
export const LONGEST = 32768; // characters
export const MANY = 50000; // particles that are asked about first

const toText = (bytes) => {
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
};

const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));

async function through(stream, bytes) {
  const answer = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await answer.arrayBuffer());
}

/**
 * @param {Shared} shared
 * @returns {Promise<string>} with the #
 */
export async function encode(shared) {
  const bytes = new TextEncoder().encode(JSON.stringify({ ...shared, v: VERSION }));
  if (typeof CompressionStream === "undefined") return `#0${toText(bytes)}`;
  return `#1${toText(await through(new CompressionStream("deflate-raw"), bytes))}`;
}

/**
 * @param {string} hash  with or without the #
 * @returns {Promise<Shared>}
 */
export async function decode(hash) {
  const text = hash.replace(/^#/, ""), damaged = "This link is damaged: ask for it again.";
  if (/^[2-9]/.test(text)) throw new Error("This link was made by a newer taut: update this one.");
  if (!/^[01][\w-]*$/.test(text) || text.length > 4 * LONGEST) throw new Error(damaged);
  /** @type {any} */
  let shared = null;
  try {
    let bytes = toBytes(text.slice(1));
    if (text[0] === "1") {
      if (typeof DecompressionStream === "undefined") throw new Error("no inflate");
      bytes = await through(new DecompressionStream("deflate-raw"), bytes);
    }
    if (bytes.length > 1 << 20) throw new Error("too long");
    shared = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Error(damaged);
  }
  if (shared && shared.v > VERSION) throw new Error("This link was made by a newer taut: update this one.");
  const { scene, text: words, set = [], camera, race } = shared || {};
  const number = (x) => typeof x === "number" && Number.isFinite(x);
  const pair = (entry) => Array.isArray(entry) && entry.length === 2 && typeof entry[0] === "string";
  const good = shared && shared.v === VERSION && (typeof scene === "string" || typeof words === "string")
    && Array.isArray(set) && set.every(pair) && (camera === undefined || Array.isArray(camera) && camera.length === 6 && camera.every(number))
    && (race === undefined || race && Array.isArray(race.methods) && race.methods.length >= 2 && race.methods.length <= 6
      && race.methods.every((name) => typeof name === "string"));
  if (!good) throw new Error(damaged);
  return shared;
}

/** A guess at the particles of a text that nobody has built yet. */
export function guessedParticles(text) {
  const numbers = (key) => [...text.matchAll(new RegExp(`\\b${key}\\s*=\\s*([\\d_]+)`, "g"))].map(([, n]) => +n.replace(/_/g, ""));
  const most = (key) => Math.max(1, ...numbers(key));
  return most("columns") * most("rows") * most("layers") * most("particles");
}
