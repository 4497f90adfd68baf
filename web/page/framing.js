// What the first view should hold: where things are, and where they will hang or fall to as far as that can be guessed.

import { combine, dot } from "../render/camera.js";
import { at } from "./pick.js";

// The point of what holds a body that is nearest to p: of the line between two pins, else one of the pins.
function holdOf(pins, p) {
  if (pins.length === 2) {
    const along = combine([1, pins[1]], [-1, pins[0]]);
    const share = dot(combine([1, p], [-1, pins[0]]), along) / (dot(along, along) || 1);
    return combine([1, pins[0]], [Math.min(1, Math.max(0, share)), along]);
  }
  const away = (pin) => (pin[0] - p[0]) ** 2 + (pin[1] - p[1]) ** 2 + (pin[2] - p[2]) ** 2;
  return pins.reduce((best, pin) => (away(pin) < away(best) ? pin : best));
}

/** A function that visits all points to be seen. */
export function toBeSeen({ header, triangles, lines, statics }, points) {
  const [from, to] = header.filled, more = 0.5 * Math.hypot(...combine([1, to], [-1, from])) || 0.5;
  const near = (x, k) => Math.min(to[k] + more, Math.max(from[k] - more, x));
  const floor = header.ground === null ? -Infinity : header.ground;
  return (visit) => {
    const seen = (p) => visit(near(p[0], 0), near(p[1], 1), near(p[2], 2)), pinned = new Set(header.pinned);
    for (const part of header.parts) {
      const range = (list, size, [first, last]) => list.subarray(size * first, size * last);
      const corners = range(triangles, 3, part.triangles), ends = range(lines, 2, part.lines);
      const own = new Set([...corners, ...ends]);
      const pins = part.solid ? [] : [...own].filter((i) => pinned.has(i)).slice(0, 100).map((i) => at(points, i));
      for (const i of own) {
        const p = at(points, i);
        if (!pins.length) {
          seen(p);
          continue;
        }
        const hold = holdOf(pins, p), length = Math.hypot(...combine([1, p], [-1, hold]));
        const hanging = [hold[0], Math.max(floor, hold[1] - length), hold[2]];
        seen(hanging);
        seen(combine([0.4, p], [0.6, hanging])); // swinging
      }
    }
    for (let i = 0; 3 * i < statics.given.length; i++) seen(at(statics.given, i));
    if (header.pinned.length) return;
    const middle = combine([0.5, from], [0.5, to]); // what falls
    for (const end of [from, to]) for (let k = 0; k < 3; k++) seen(middle.map((x, axis) => (axis === k ? end[k] : x)));
  };
}
