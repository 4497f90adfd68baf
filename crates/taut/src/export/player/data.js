// From the bytes in the page to positions; the layout is described in html.rs.

import { combine } from "./camera.js";
import { together } from "./geometry.js";

// Undo raw deflate (RFC 1951). Our own, because not every browser has DecompressionStream.
function inflate(source, size) {
  const out = new Uint8Array(size);
  let place = 0, end = 0, held = 0, count = 0;
  const peek = (n) => {
    while (count < n) {
      held |= (source[place++] || 0) << count; // zeros behind the end only fill the last look-ahead
      count += 8;
    }
    return held & ((1 << n) - 1);
  };
  const drop = (n) => { held >>>= n; count -= n; };
  const take = (n) => { const bits = peek(n); drop(n); return bits; };

  // A table indexed by the next `longest` bits gives symbol << 4 | length.
  const codebook = (lengths) => {
    const longest = Math.max(1, ...lengths), table = new Uint16Array(1 << longest);
    let code = 0;
    for (let length = 1; length <= longest; length++, code <<= 1) {
      for (let symbol = 0; symbol < lengths.length; symbol++) {
        if (lengths[symbol] !== length) continue;
        let mirrored = 0; // codes are sent highest bit first, everything else lowest bit first
        for (let bit = 0; bit < length; bit++) mirrored |= ((code >> bit) & 1) << (length - 1 - bit);
        for (let i = mirrored; i < table.length; i += 1 << length) table[i] = symbol << 4 | length;
        code++;
      }
    }
    return { table, longest };
  };
  const decode = (book) => {
    const entry = book.table[peek(book.longest)];
    if (!entry) throw new Error("the data in this page is damaged");
    drop(entry & 15);
    return entry >> 4;
  };
  const grid = (first, step) => { // bases and extra bits of lengths and distances
    const base = [], extra = [];
    for (let i = 0, next = first; i < 30; i++) {
      extra[i] = Math.max(0, Math.floor(i / step) - 1);
      base[i] = next;
      next += 1 << extra[i];
    }
    return { base, extra };
  };
  const lengths = grid(3, 4), distances = grid(1, 2);
  lengths.base[28] = 258;
  lengths.extra[28] = 0;

  const fixed = () => [
    codebook(Array.from({ length: 288 }, (_, i) => i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)),
    codebook(new Array(30).fill(5)),
  ];
  const dynamic = () => {
    const literals = take(5) + 257, total = literals + take(5) + 1, used = take(4) + 4;
    const first = new Array(19).fill(0), all = [];
    const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    for (let i = 0; i < used; i++) first[order[i]] = take(3);
    const book = codebook(first);
    while (all.length < total) {
      const symbol = decode(book);
      const [value, times] = symbol < 16 ? [symbol, 1] : symbol === 16 ? [all[all.length - 1], 3 + take(2)]
        : symbol === 17 ? [0, 3 + take(3)] : [0, 11 + take(7)];
      for (let i = 0; i < times; i++) all.push(value);
    }
    return [codebook(all.slice(0, literals)), codebook(all.slice(literals, total))];
  };
  const stored = () => {
    drop(count & 7);
    const length = take(16);
    take(16); // its complement
    for (let i = 0; i < length; i++) out[end++] = take(8);
  };

  for (let last = 0; !last;) {
    last = take(1);
    const kind = take(2);
    if (kind === 0) { stored(); continue; }
    const [symbols, far] = kind === 1 ? fixed() : dynamic();
    for (let symbol; (symbol = decode(symbols)) !== 256;) {
      if (end >= size) throw new Error("the data in this page is damaged");
      if (symbol < 256) { out[end++] = symbol; continue; }
      let length = lengths.base[symbol - 257] + take(lengths.extra[symbol - 257]);
      const where = decode(far), back = distances.base[where] + take(distances.extra[where]);
      for (; length > 0; length--, end++) out[end] = out[end - back];
    }
  }
  if (end !== size) throw new Error("the data in this page is damaged");
  return out;
}

// Everything to draw: quantised frames, corners, ends, and what stands still.
export function unpack(header, text) {
  const letters = atob(text), packed = new Uint8Array(letters.length);
  for (let i = 0; i < packed.length; i++) packed[i] = letters.charCodeAt(i);
  const bytes = inflate(packed, header.bytes);
  const { frames, particles } = header, width = 3 * particles;
  const motion = new Uint16Array(frames * width);
  let at = 0;
  for (let f = 0; f < frames; f++, at += 2 * width) {
    const now = f * width, last = now - width, older = last - width;
    for (let i = 0; i < width; i++) {
      const folded = bytes[at + i] | bytes[at + width + i] << 8;
      const expected = f > 1 ? 2 * motion[last + i] - motion[older + i]
        : f > 0 ? motion[last + i] : i > 0 ? motion[i - 1] : 0;
      motion[now + i] = expected + ((folded >> 1) ^ -(folded & 1));
    }
  }
  const integers = (count) => {
    const numbers = new Uint32Array(count);
    for (let i = 0, last = 0; i < count; i++) {
      const folded = bytes[at + i] | bytes[at + count + i] << 8 | bytes[at + 2 * count + i] << 16
        | bytes[at + 3 * count + i] << 24;
      numbers[i] = last += (folded >>> 1) ^ -(folded & 1);
    }
    at += 4 * count;
    return numbers;
  };
  const sum = (list, key) => list.reduce((total, item) => total + item[key], 0);
  const triangles = integers(3 * header.triangles), lines = integers(2 * header.lines);
  const corners = integers(3 * sum(header.statics, "triangles"));
  const floats = new DataView(bytes.buffer, at);
  const points = Float32Array.from({ length: 3 * sum(header.statics, "vertices") },
    (_, i) => floats.getFloat32(4 * i, true));
  together(header.statics, corners);
  // `points` are where they are drawn, `given` where they were given.
  const turning = header.statics.some((mesh) => mesh.motion);
  return { header, motion, triangles, lines, statics: { points, corners, turning, given: points.slice() } };
}

// The vector at a time in frames: straight between two keys, constant before the first and after the last.
function valueAt(keys, time) {
  if (!keys.length) return [0, 0, 0];
  const next = keys.findIndex(([t]) => t > time);
  if (next <= 0) return keys[next < 0 ? keys.length - 1 : 0].slice(1);
  const [[t0, ...a], [t1, ...b]] = [keys[next - 1], keys[next]], share = (time - t0) / (t1 - t0);
  return a.map((value, k) => value + (b[k] - value) * share);
}

// Put the static meshes that move where they are at a time in frames. A rotation vector is an axis times an angle.
// Rodrigues' formula: x = c + d + r cos(angle) + (axis × r) sin(angle) + axis (axis · r)(1 − cos(angle)) for a point c + r.
export function turn({ header, statics: { points, given } }, time) {
  for (const { motion, points: [first, last] } of header.statics) {
    if (!motion) continue;
    const { about: c } = motion, vector = valueAt(motion.turns, time), d = valueAt(motion.shifts, time);
    const angle = Math.hypot(...vector), [x, y, z] = vector.map((value) => value / (angle || 1));
    const cos = Math.cos(angle), sin = Math.sin(angle);
    for (let i = first; i < last; i += 3) {
      const p = given[i] - c[0], q = given[i + 1] - c[1], r = given[i + 2] - c[2];
      const along = (x * p + y * q + z * r) * (1 - cos);
      points[i] = c[0] + d[0] + p * cos + (y * r - z * q) * sin + x * along;
      points[i + 1] = c[1] + d[1] + q * cos + (z * p - x * r) * sin + y * along;
      points[i + 2] = c[2] + d[2] + r * cos + (x * q - y * p) * sin + z * along;
    }
  }
}

// Positions at a time in frames (fractions lie on straight lines between frames), x y z for each particle.
export function pose(scene, time, out) {
  const { header, motion } = scene, m = header.particles, width = 3 * m;
  const first = Math.min(Math.floor(time), header.frames - 1), next = Math.min(first + 1, header.frames - 1);
  const share = time - first, a = first * width, b = next * width;
  for (let k = 0; k < 3; k++) {
    const low = header.low[k], step = header.step[k];
    for (let i = 0, j = k * m; i < m; i++, j++) {
      const now = motion[a + j];
      out[3 * i + k] = low + step * (now + share * (motion[b + j] - now));
    }
  }
}

// How many pins still hold in a frame: they are sorted, those that let go last first.
export function held({ pinned, released }, frame) {
  const gone = released.findIndex((from) => from <= frame);
  return gone < 0 ? pinned.length : gone;
}

// All points that move, in every frame, and of solids what is near; `visit` gets the coordinates of each.
export function everything({ header, motion, statics }, visit) {
  const points = new Float32Array(3 * header.particles), [from, to] = header.filled;
  const more = 0.5 * Math.hypot(...combine([1, to], [-1, from]));
  const near = (p, k) => Math.min(to[k] + more, Math.max(from[k] - more, p));
  const solids = { points: statics.points.slice(), given: statics.given };
  const parts = header.parts.length ? header.parts : [{ particles: [0, header.particles] }];
  const each = (list, first, last, solid) => {
    for (let i = first; i < last; i += 3) {
      if (solid) visit(near(list[i], 0), near(list[i + 1], 1), near(list[i + 2], 2));
      else visit(list[i], list[i + 1], list[i + 2]);
    }
  };
  for (let frame = 0; frame < header.frames; frame++) {
    pose({ header, motion }, frame, points);
    for (const { particles: [first, last], solid } of parts) each(points, 3 * first, 3 * last, solid);
    if (frame > 0 && !statics.turning) continue;
    turn({ header, statics: solids }, frame);
    each(solids.points, 0, solids.points.length, true);
  }
}
