// What drawing needs to know of triangles: normals, edges, one list of many meshes.

// Unit normals, each the area-weighted mean of the faces around.
export function smoothNormals(points, triangles, out) {
  out.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    out[a] += x; out[a + 1] += y; out[a + 2] += z;
    out[b] += x; out[b + 1] += y; out[b + 2] += z;
    out[c] += x; out[c + 1] += y; out[c + 2] += z;
  }
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
    out[i] /= length; out[i + 1] /= length; out[i + 2] /= length;
  }
}

// Every edge of the triangles once.
export function edgesOf(triangles) {
  const seen = new Set(), edges = [];
  for (let i = 0; i < triangles.length; i++) {
    const a = triangles[i], b = triangles[i % 3 === 2 ? i - 2 : i + 1];
    const key = Math.min(a, b) * 4294967296 + Math.max(a, b);
    if (!seen.has(key)) {
      seen.add(key);
      edges.push(a, b);
    }
  }
  return Uint32Array.from(edges);
}

// All static meshes become one list of vertices: `corners`, numbered in each mesh from 0, are renumbered, and each mesh
// learns its range of triangles and of coordinates.
export function together(meshes, corners) {
  for (let i = 0, vertex = 0, corner = 0; i < meshes.length; i++) {
    const mesh = meshes[i];
    mesh.range = [corner / 3, corner / 3 + mesh.triangles];
    for (const stop = corner + 3 * mesh.triangles; corner < stop; corner++) corners[corner] += vertex;
    mesh.points = [3 * vertex, 3 * (vertex + mesh.vertices)];
    vertex += mesh.vertices;
  }
}
