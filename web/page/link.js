// A link holds what another page needs to show the same: behind the # a digit (how the rest is packed), then base64url
// of JSON, deflated where the browser can.

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

const toBytes = (text) => {
  const letters = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
};

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
  const { scene, text: words, set = [], camera, race } = shared || {}, string = (x) => typeof x === "string";
  const number = (x) => typeof x === "number" && Number.isFinite(x);
  const listOf = (list, least, most, fits) => Array.isArray(list) && list.length >= least && list.length <= most
    && list.every(fits);
  const good = shared && shared.v === VERSION && (string(scene) || string(words))
    && listOf(set, 0, 100, (entry) => Array.isArray(entry) && entry.length === 2 && string(entry[0]))
    && (camera === undefined || listOf(camera, 6, 6, number))
    && (race === undefined || race && listOf(race.methods, 2, 6, string));
  if (!good) throw new Error(damaged);
  return shared;
}

/** A guess at the particles of a text that nobody has built yet. */
export function guessedParticles(text) {
  const found = (key) => [...text.matchAll(new RegExp(`\\b${key}\\s*=\\s*([\\d_]+)`, "g"))];
  const most = (key) => Math.max(1, ...found(key).map(([, digits]) => +digits.replace(/_/g, "")));
  return most("columns") * most("rows") * most("layers") * most("particles");
}
