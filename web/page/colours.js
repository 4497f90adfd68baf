// Colours for numbers: a palette of 256 entries that is even to the eye (OKLab, Ottosson 2020), and what it stands for.

const LINEAR = [[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.7076147010]];

/**
 * Bytes of an OKLab colour, clipped to what a screen shows.
 * @param {number[]} colour
 */
function bytes([l, a, b]) {
  const cone = [l + 0.3963377774 * a + 0.2158037573 * b, l - 0.1055613458 * a - 0.0638541728 * b,
    l - 0.0894841775 * a - 1.2914855480 * b].map((x) => x ** 3);
  return LINEAR.map((row) => {
    const x = Math.min(1, Math.max(0, row[0] * cone[0] + row[1] * cone[1] + row[2] * cone[2]));
    return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  });
}

/** @type {(bytes: number[], alpha?: number) => number} as one number, in memory r g b a */
const pack = ([r, g, b], alpha = 255) => (alpha << 24 | b << 16 | g << 8 | r) >>> 0;

const made = new Map();

/** From blue (compressed) by a neutral tone to red (stretched). */
export function palette(dark) {
  if (made.has(dark)) return made.get(dark);
  const ends = [[0.55, -0.045, -0.155], dark ? [0.86, 0, 0.004] : [0.74, 0, 0.006], [0.56, 0.185, 0.095]];
  const entry = (i) => {
    const place = i / 127.5, k = place < 1 ? 0 : 1, share = place - k;
    return ends[k].map((x, j) => x + share * (ends[k + 1][j] - x));
  };
  made.set(dark, Uint32Array.from({ length: 256 }, (_, i) => pack(bytes(entry(i)))));
  return made.get(dark);
}

/** As text for a style sheet. */
export const css = (word) => `rgb(${word & 255}, ${word >> 8 & 255}, ${word >> 16 & 255})`;

// Hues a golden angle apart differ from all that came before.
function hue(i, dark) {
  const angle = 0.6 + 2.399963 * i;
  return pack(bytes([dark ? 0.74 : 0.62, 0.14 * Math.cos(angle), 0.14 * Math.sin(angle)]));
}

export const PINNED = pack([255, 255, 255]);
export const implicitColours = (dark) => [dark ? 0xff8c7a6c : 0xff96886f, pack([224, 122, 31])]; // explicit, implicit

/** The strain at the ends of the palette: a round number below which 98 of 100 are; that of before if it still fits. */
export function reachOf(strain, before) {
  const count = new Uint32Array(80); // by powers of the root of 2, from 2^-20
  for (let i = 0; i < strain.length; i++) {
    const size = Math.abs(strain[i]);
    count[Math.max(0, Math.min(79, Math.ceil(2 * Math.log2(size) + 40) || 0))] += 1;
  }
  let sum = 0, bin = 0;
  for (; bin < 79 && (sum += count[bin]) < 0.98 * strain.length; bin++);
  const wanted = Math.max(1e-3, 2 ** (0.5 * bin - 20)), power = 10 ** Math.floor(Math.log10(wanted));
  const round = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= 0.999 * wanted) || wanted;
  return round > before || round < 0.3 * before ? round : before; // no flicker between two
}

/**
 * A colour for each spring, packed.
 * @param {string} by  strain, components or implicit
 * @param {import("./reply.js").Reply} reply @param {Uint32Array} ends @param {Uint32Array} out
 */
export function paint(by, reply, ends, out, { dark, reach, shades }) {
  const { strain, components, implicit } = reply;
  if (by === "strain" && strain && strain.length === out.length) {
    const scale = 127.5 / reach;
    for (let i = 0; i < out.length; i++) out[i] = shades[Math.max(0, Math.min(255, 127.5 + scale * strain[i])) | 0];
  } else if (by === "components" && components) {
    const known = new Map([[65535, PINNED]]);
    for (let i = 0; i < out.length; i++) {
      const number = Math.min(components[ends[2 * i]], components[ends[2 * i + 1]]); // of a pin the other end's
      if (!known.has(number)) known.set(number, hue(number, dark));
      out[i] = known.get(number) || 0;
    }
  } else if (by === "implicit" && implicit && implicit.length === out.length) {
    const two = implicitColours(dark);
    for (let i = 0; i < out.length; i++) out[i] = two[implicit[i] ? 1 : 0];
  } else {
    return false;
  }
  return true;
}
