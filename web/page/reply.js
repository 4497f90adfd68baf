// The engine's answer: sections of a tag (4 letters), a length and bytes padded to a multiple of 8, little endian.

/**
 * What an exchange brings; a section that was not sent is undefined.
 * @typedef {object} Reply
 * @property {any} report
 * @property {Float32Array} [positions]
 * @property {Uint32Array} [pins]
 * @property {any} [topology]
 * @property {Uint32Array} [triangles]
 * @property {Uint32Array} [lines]
 * @property {Float32Array} [solidPoints]
 * @property {Uint32Array} [solidCorners]
 * @property {Uint32Array} [copies]
 * @property {Uint32Array} [springs]
 * @property {Uint8Array} [families]
 * @property {Float32Array} [strain]
 * @property {Uint16Array} [components]
 * @property {Uint8Array} [implicit]
 * @property {string} [toml]
 * @property {any[]} [scenes]
 */

/** @type {Record<string, [keyof Reply, any]>} */
const SECTIONS = {
  RPRT: ["report", "json"], TOPO: ["topology", "json"], SCNS: ["scenes", "json"], TOML: ["toml", "text"],
  POSI: ["positions", Float32Array], PINS: ["pins", Uint32Array], TRIS: ["triangles", Uint32Array],
  LINE: ["lines", Uint32Array], STAT: ["solidPoints", Float32Array], STCO: ["solidCorners", Uint32Array],
  PARE: ["copies", Uint32Array], SPRI: ["springs", Uint32Array], SPFA: ["families", Uint8Array],
  STRN: ["strain", Float32Array], COMP: ["components", Uint16Array], IMPL: ["implicit", Uint8Array],
};

/**
 * Read a reply. Numbers are views on its bytes, not copies.
 * @param {ArrayBuffer} buffer
 * @returns {Reply}
 */
export function readReply(buffer) {
  const view = new DataView(buffer), text = new TextDecoder(), reply = /** @type {any} */ ({});
  const damaged = (why) => new Error(`the engine's answer is damaged: ${why}`);
  for (let at = 0; at < buffer.byteLength;) {
    if (at + 8 > buffer.byteLength) throw damaged(`it ends inside a section's head, at byte ${at}`);
    const tag = text.decode(new Uint8Array(buffer, at, 4)), length = view.getUint32(at + 4, true);
    at += 8;
    if (at + length > buffer.byteLength) throw damaged(`section ${tag} has ${length} bytes, more than there are`);
    if (Object.hasOwn(SECTIONS, tag)) {
      const [name, Kind] = SECTIONS[tag];
      if (typeof Kind !== "string") {
        if (length % Kind.BYTES_PER_ELEMENT) throw damaged(`section ${tag} has ${length} bytes`);
        reply[name] = new Kind(buffer, at, length / Kind.BYTES_PER_ELEMENT);
      } else {
        const words = text.decode(new Uint8Array(buffer, at, length));
        try {
          reply[name] = Kind === "json" ? JSON.parse(words) : words;
        } catch {
          throw damaged(`section ${tag} is not JSON`);
        }
      }
    }
    at += Math.ceil(length / 8) * 8;
  }
  if (!reply.report) throw damaged("it has no report");
  const { topology, positions, triangles, lines, springs } = reply;
  if (topology) {
    const within = (list) => list.every((i) => i < topology.particles);
    if (![triangles, lines, springs].every((list) => !list || within(list))) throw damaged("a number of no particle");
    if (!triangles || !lines) throw damaged("a topology without triangles and lines");
  }
  if (positions && positions.length % 3) throw damaged("positions that are not x, y and z");
  return reply;
}
