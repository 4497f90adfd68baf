// What is under the pointer: rays against triangles, strands within some pixels.

import { combine, cross, dot, unit } from "../render/camera.js";

/** @typedef {{from: number[], along: number[]}} Ray */
/** @typedef {{depth: number, triangle: number}} Hit */

/**
 * The ray through a point of the view, which reaches from -1 to 1 both ways.
 * @returns {Ray}
 */
export function rayThrough(camera, aspect, x, y) {
  const { right, up, back } = camera.frame(), t = Math.tan(0.5 * camera.angle);
  return { from: camera.eye, along: unit(combine([(x - camera.shift) * t * aspect, right], [y * t, up], [-1, back])) };
}

/**
 * The nearest triangle a ray meets, from either side (Möller and Trumbore 1997), of those in [first, last).
 * @param {Float32Array} points @param {Uint32Array} corners @param {Ray} ray
 * @returns {Hit | null}
 */
export function nearestHit(points, corners, { from, along }, first = 0, last = corners.length / 3) {
  const [dx, dy, dz] = along, [fx, fy, fz] = from;
  let depth = Infinity, triangle = -1;
  for (let t = first; t < last; t++) {
    const a = 3 * corners[3 * t], b = 3 * corners[3 * t + 1], c = 3 * corners[3 * t + 2];
    const ax = points[a], ay = points[a + 1], az = points[a + 2];
    const ux = points[b] - ax, uy = points[b + 1] - ay, uz = points[b + 2] - az;
    const vx = points[c] - ax, vy = points[c + 1] - ay, vz = points[c + 2] - az;
    const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
    const scale = ux * px + uy * py + uz * pz;
    if (scale === 0) continue;
    const sx = fx - ax, sy = fy - ay, sz = fz - az, u = (sx * px + sy * py + sz * pz) / scale;
    if (!(u >= 0 && u <= 1)) continue;
    const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
    const v = (dx * qx + dy * qy + dz * qz) / scale;
    if (!(v >= 0 && u + v <= 1)) continue;
    const s = (vx * qx + vy * qy + vz * qz) / scale;
    if (s > 0 && s < depth) [depth, triangle] = [s, t];
  }
  return triangle < 0 ? null : { depth, triangle };
}

/** Position of a particle, as three numbers. */
export const at = (points, p) => [points[3 * p], points[3 * p + 1], points[3 * p + 2]];

/** The corner of a triangle that is nearest to a point. */
export function nearestCorner(points, corners, triangle, place) {
  const away = (p) => Math.hypot(...combine([1, at(points, p)], [-1, place]));
  return [0, 1, 2].map((k) => corners[3 * triangle + k]).reduce((best, p) => away(p) < away(best) ? p : best);
}

/**
 * The end of a segment that passes within `reach` pixels of x, y, of those nearest to the eye; null if there is none.
 * @param {(point: number[]) => number[]} project  pixels and depth of a point
 */
export function nearestStrand(points, lines, project, x, y, reach) {
  let best = null, least = Infinity;
  for (let i = 0; i < lines.length; i += 2) {
    const p = project(at(points, lines[i])), q = project(at(points, lines[i + 1]));
    if (Math.min(p[2], q[2]) <= 0) continue;
    const run = [q[0] - p[0], q[1] - p[1]], length = run[0] ** 2 + run[1] ** 2 || 1;
    const share = Math.min(1, Math.max(0, ((x - p[0]) * run[0] + (y - p[1]) * run[1]) / length));
    if (Math.hypot(p[0] + share * run[0] - x, p[1] + share * run[1] - y) > reach) continue;
    const depth = p[2] + share * (q[2] - p[2]);
    if (depth < least) [least, best] = [depth, { particle: lines[share > 0.5 ? i + 1 : i], depth }];
  }
  return best;
}

/** The particle and its nearest neighbours in space, `count` in all; the particle comes first. */
export function around(points, particle, count, allowed) {
  if (count <= 1) return [particle];
  const [x, y, z] = at(points, particle), list = [];
  for (let p = 0; 3 * p < points.length; p++) {
    if (p === particle || !allowed(p)) continue;
    list.push([(points[3 * p] - x) ** 2 + (points[3 * p + 1] - y) ** 2 + (points[3 * p + 2] - z) ** 2, p]);
  }
  list.sort((a, b) => a[0] - b[0]);
  return [particle, ...list.slice(0, count - 1).map(([, p]) => p)];
}

/** Where a ray meets the plane through a point that faces along `normal`; null if it does not, ahead. */
export function onPlane({ from, along }, point, normal) {
  const slope = dot(along, normal);
  if (Math.abs(slope) < 1e-9) return null;
  const depth = dot(combine([1, point], [-1, from]), normal) / slope;
  return depth > 0 ? combine([1, from], [depth, along]) : null;
}

/** How far a point is from the line of a ray. */
export function distanceToRay({ from, along }, point) {
  return Math.hypot(...cross(combine([1, point], [-1, from]), along));
}
