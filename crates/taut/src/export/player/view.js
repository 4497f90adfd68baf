// Draws the scene with WebGL 2: a shadow map from the key light, the backdrop, then everything on it.

import { combine, cross, orthographic, unit } from "./camera.js";
import { edgesOf, smoothNormals } from "./geometry.js";
import { Gl, drawnBySoftware } from "./gl.js";
import { SHADERS } from "./shaders.js";

const SHADOW = 2048;

// Linear light of a colour 0xRRGGBB.
function linear(hex) {
  return [hex >> 16 & 255, hex >> 8 & 255, hex & 255].map((byte) => {
    const c = byte / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
}

// The round number (1, 2 or 5 times a power of ten) not below x.
export function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].map((k) => k * power).find((s) => s >= 0.999 * x) || x;
}

// Key light over the viewer's left shoulder and rim from behind, for the camera the scene starts with.
export function lights(camera) {
  const { right, back } = camera.first, ahead = unit([-back[0], 0, -back[2]]), upwards = [0, 1, 0];
  return {
    key: unit(combine([-0.95, right], [1.2, upwards], [-0.45, ahead])),
    rim: unit(combine([0.85, right], [0.35, upwards], [0.75, ahead])),
  };
}

// Surfaces under painted springs only hide what is behind them.
const muted = (dark) => linear(dark ? 0x2c343e : 0xe4e6e8);

export class GlView {
  static create(canvas, scene, camera) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    return gl && new GlView(gl, canvas, scene, camera);
  }

  constructor(gl, canvas, scene, camera) {
    this.kind = "webgl2";
    this.gl = gl;
    this.canvas = canvas;
    this.tools = new Gl(gl);
    this.soft = drawnBySoftware(gl);
    for (const [name, [vertex, fragment]] of Object.entries(SHADERS)) this.tools.program(name, vertex, fragment);
    this.makeShadowMap();
    this.load(scene, camera);
  }

  // Another scene, or the same with other triangles.
  load(scene, camera) {
    const { tools } = this, { key, rim } = lights(camera), { centre, radius } = camera.box;
    this.scene = scene;
    this.camera = camera;
    this.box = camera.box;
    this.edges = this.springs = null; // made when first asked for
    const side = unit(cross([0, 1, 0], key)), light = orthographic(side, cross(key, side), key, centre, 1.02 * radius);
    tools.shared = { key, rim, world_to_light: light, texel: 2.04 * radius / SHADOW, shadow_map: 2 };
    tools.free();
    this.moving = tools.mesh(scene.header.particles, scene.triangles);
    this.still = tools.mesh(scene.statics.points.length / 3, scene.statics.corners);
    this.stillNormals = new Float32Array(scene.statics.points.length);
    this.uploadStill();
    this.strands = tools.instances(scene.lines, 2);
    this.pins = tools.instances(Uint32Array.from(scene.header.pinned), 1);
    this.marks = tools.instances(new Uint32Array(0), 1);
    this.strandWidth = null; // found when there are positions
  }

  // Other particles are pinned.
  repin(pinned) {
    this.tools.renumber(this.pins, Uint32Array.from(pinned));
  }

  makeShadowMap() {
    const { gl } = this;
    this.shadow = gl.createTexture();
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW, SHADOW);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, which, gl.LINEAR);
    for (const which of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, which, gl.CLAMP_TO_EDGE);
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadow, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  uploadStill() {
    const { points, corners } = this.scene.statics;
    smoothNormals(points, corners, this.stillNormals);
    this.tools.upload(this.still, points, this.stillNormals);
  }

  // Thin beside the gaps between particles and beside the scene.
  chooseStrandWidth(points) {
    const { lines } = this.scene;
    let sum = 0;
    for (let i = 0; i < lines.length; i += 2) {
      const [a, b] = [3 * lines[i], 3 * lines[i + 1]];
      sum += Math.hypot(points[a] - points[b], points[a + 1] - points[b + 1], points[a + 2] - points[b + 2]);
    }
    return Math.min(0.3 * sum / Math.max(1, lines.length / 2), 0.007 * this.box.radius);
  }

  drawSurfaces(values) {
    const { gl, tools, scene: { header } } = this;
    const range = ([first, last], more) => {
      if (last <= first) return;
      tools.use("surface", { ...values, ...more });
      gl.drawElements(gl.TRIANGLES, 3 * (last - first), gl.UNSIGNED_INT, 12 * first);
    };
    tools.bind(this.still);
    for (const { range: r, colour } of header.statics) {
      range(r, { front: linear(colour), back: linear(colour), cloth: 0 });
    }
    tools.bind(this.moving);
    if (values.wire === 2) return;
    for (const { triangles, colours: [front, back] } of header.parts) {
      range(triangles, { front: values.muted || linear(front), back: values.muted || linear(back), cloth: 1 });
    }
  }

  drawStrands(values) {
    const { tools } = this;
    tools.bind(this.moving);
    for (const { lines, colours: [front] } of this.scene.header.parts) {
      if (lines[1] <= lines[0]) continue;
      tools.use("segments", { ...values, front: linear(front), strand: 1, painted: 0, towards: 0 });
      tools.drawInstances(this.strands, ...lines);
    }
  }

  drawShadows() {
    const { gl, tools: { shared } } = this, values = { world_to_clip: shared.world_to_light, eye: shared.key, shadows: 1 };
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, SHADOW, SHADOW);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, null); // not to be read while it is drawn
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawSurfaces(values);
    this.drawStrands({ ...values, pixel: [2 / SHADOW, 2 / SHADOW], width: this.strandWidth, thinnest: 1 });
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawBackdrop(values, aspect, dark) {
    const { gl, box: { centre, radius }, scene: { header } } = this;
    const { right, up, back } = this.camera.frame(), tangent = Math.tan(0.5 * this.camera.angle);
    const ahead = combine([-1, back], [-this.camera.shift * aspect * tangent, right]);
    const ground = header.ground === null ? [0, 0, 0, 0] : [centre[0], header.ground, centre[2], radius];
    const look = dark ? { top: linear(0x1b2129), bottom: linear(0x323a44), line_light: 0.35, shade: 0.55 }
      : { top: linear(0xdde3ea), bottom: linear(0xf3f1ed), line_light: -0.13, shade: 0.4 };
    gl.depthMask(false);
    gl.disable(gl.DEPTH_TEST);
    this.tools.use("backdrop", { ...values, ...look, ground, spacing: roundUp(radius / 5), ahead,
      right: combine([aspect * tangent, right]), up: combine([tangent, up]) });
    gl.bindVertexArray(this.moving.array);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
  }

  drawWire(values, dark, wire) {
    if (!wire) return;
    const { tools } = this;
    if (!this.edges) this.edges = tools.instances(edgesOf(this.scene.triangles), 2); // only when first asked for
    // On a surface: light lines on its front, which is the darker side, and dark ones on its back.
    const bare = linear(dark ? 0xcfe0ef : 0x16222e), [front, back] = wire === 2 ? [bare, bare] : [[1, 1, 1], linear(0x16222e)];
    tools.use("segments", { ...values, front, back, alpha: wire === 2 ? 0.5 : 0.3, strand: 0, painted: 0, width: 0,
      towards: 3e-4 });
    tools.drawInstances(this.edges);
  }

  // Springs in colours of four bytes each.
  drawSprings(values, { ends, colours }) {
    const { tools } = this;
    if (!this.springs || this.springs.ends !== ends) this.springs = { ...tools.instances(ends, 2, true), ends };
    tools.paint(this.springs, colours);
    tools.use("segments", { ...values, strand: 0, painted: 1, width: 0, towards: 3e-4 });
    tools.drawInstances(this.springs);
  }

  // `pane` is the part of the canvas to draw on, in pixels from its lower left: the whole if there is none. `marks` are
  // particles shown as held by a hand.
  draw(points, normals, { dark, wire, held, shadows = true, springs = null, marks = null, pane = null }) {
    const { gl, canvas, camera, tools } = this;
    if (gl.isContextLost()) return;
    const [x, y, width, height] = pane || [0, 0, canvas.width, canvas.height], aspect = width / height;
    if (this.strandWidth === null) this.strandWidth = this.chooseStrandWidth(points);
    tools.upload(this.moving, points, normals);
    if (this.scene.statics.turning) this.uploadStill();
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.disable(gl.SCISSOR_TEST);
    if (shadows) this.drawShadows();
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow);
    gl.viewport(x, y, width, height);
    gl.scissor(x, y, width, height);
    gl.enable(gl.SCISSOR_TEST);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const { right, up } = camera.frame(), density = canvas.width / canvas.clientWidth || 1;
    const values = { world_to_clip: camera.matrix(aspect), eye: camera.eye, wire, right, up, shadows: shadows ? 1 : 0,
      pixel: [2 / width, 2 / height], width: this.strandWidth, thinnest: 1.1 * density };
    this.drawBackdrop(values, aspect, dark);
    this.drawSurfaces(springs ? { ...values, muted: muted(dark) } : values);
    this.drawStrands(values);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (springs) this.drawSprings({ ...values, thinnest: density }, springs);
    this.drawWire({ ...values, thinnest: density }, dark, wire);
    const many = this.pins.count > 12, radius = (many ? 0.007 : 0.015) * this.box.radius; // an edge stays a row of beads
    tools.use("pins", { ...values, front: linear(dark ? 0x8e9baa : 0x39424e), radius });
    tools.drawInstances(this.pins, 0, held);
    if (!marks) return;
    tools.renumber(this.marks, Uint32Array.from(marks));
    tools.use("pins", { ...values, front: linear(0xe58a2b), radius: (marks.length > 4 ? 0.008 : 0.013) * this.box.radius });
    tools.drawInstances(this.marks);
  }
}
