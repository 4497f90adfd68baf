// Draws the scene with WebGL 2: a shadow map from the key light, the backdrop, then everything on it.

const SHADOW = 2048, COLUMNS = 1024;

// Linear light of a colour 0xRRGGBB.
function linear(hex) {
  return [hex >> 16 & 255, hex >> 8 & 255, hex & 255].map((byte) => {
    const c = byte / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
}

// The round number (1, 2 or 5 times a power of ten) not below x.
function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].map((k) => k * power).find((s) => s >= 0.999 * x) || x;
}

// Key light over the viewer's left shoulder and rim from behind, for the camera the player starts with.
function lights(camera) {
  const { right, back } = camera.frame(), ahead = unit([-back[0], 0, -back[2]]), upwards = [0, 1, 0];
  return {
    key: unit(combine([-0.95, right], [1.2, upwards], [-0.45, ahead])),
    rim: unit(combine([0.85, right], [0.35, upwards], [0.75, ahead])),
  };
}

class GlView {
  static create(canvas, scene, camera) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    return gl && new GlView(gl, canvas, scene, camera);
  }

  constructor(gl, canvas, scene, camera) {
    Object.assign(this, { gl, canvas, scene, camera, box: camera.box });
    this.programs = Object.fromEntries(Object.entries(SHADERS).map(([name, [vertex, fragment]]) =>
      [name, this.program(COMMON + vertex, COMMON + fragment)]));
    const { key, rim } = lights(camera), { centre, radius } = this.box;
    const side = unit(cross([0, 1, 0], key)), light = orthographic(side, cross(key, side), key, centre, 1.02 * radius);
    this.shared = { key, rim, world_to_light: light, texel: 2.04 * radius / SHADOW, shadow_map: 2 };
    this.makeShadowMap();
    this.moving = this.mesh(scene.header.particles, scene.triangles);
    this.still = this.mesh(scene.statics.points.length / 3, scene.statics.corners);
    this.stillNormals = new Float32Array(scene.statics.points.length);
    this.uploadStill();
    this.strands = this.instances(scene.lines, 2);
    this.pins = this.instances(Uint32Array.from(scene.header.pinned), 1);
    this.strandWidth = this.chooseStrandWidth();
  }

  program(vertex, fragment) {
    const { gl } = this, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
        throw new Error(gl.getShaderInfoLog(shader));
      }
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(gl.getProgramInfoLog(program));
    }
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const { name, type } = gl.getActiveUniform(program, i);
      uniforms[name] = { where: gl.getUniformLocation(program, name), type };
    }
    return { program, uniforms };
  }

  // Select a program and set its uniforms; those it does not have are passed over.
  use(name, values) {
    const { gl } = this, { program, uniforms } = this.programs[name];
    gl.useProgram(program);
    for (const [key, value] of Object.entries({ ...this.shared, positions: 0, normals: 1, ...values })) {
      if (!uniforms[key]) continue;
      const { where, type } = uniforms[key];
      if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(where, false, value);
      else if (type === gl.FLOAT_VEC4) gl.uniform4fv(where, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(where, value);
      else if (type === gl.FLOAT_VEC2) gl.uniform2fv(where, value);
      else if (type === gl.FLOAT) gl.uniform1f(where, value);
      else gl.uniform1i(where, value);
    }
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
  }

  // Two textures (positions, normals) and the corners of triangles.
  mesh(vertices, corners) {
    const { gl } = this, rows = Math.max(1, Math.ceil(vertices / COLUMNS)), array = gl.createVertexArray();
    const textures = [0, 1].map(() => {
      const texture = gl.createTexture();
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGB32F, COLUMNS, rows);
      for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, which, gl.NEAREST);
      return texture;
    });
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    return { textures, array, staging: new Float32Array(3 * COLUMNS * rows), rows };
  }

  upload(mesh, ...lists) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0);
    lists.forEach((list, i) => {
      mesh.staging.set(list); // whole rows are sent
      gl.bindTexture(gl.TEXTURE_2D, mesh.textures[i]);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, COLUMNS, mesh.rows, gl.RGB, gl.FLOAT, mesh.staging);
    });
  }

  uploadStill() {
    const { points, corners } = this.scene.statics;
    smoothNormals(points, corners, this.stillNormals);
    this.upload(this.still, points, this.stillNormals);
  }

  bind(mesh) {
    const { gl } = this;
    mesh.textures.forEach((texture, i) => {
      gl.activeTexture(gl.TEXTURE0 + i);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    gl.bindVertexArray(mesh.array);
  }

  // Particle numbers, `size` for each instance.
  instances(numbers, size) {
    const { gl } = this, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribDivisor(0, 1);
    return { array, size, count: numbers.length / size, buffer: gl.getParameter(gl.ARRAY_BUFFER_BINDING) };
  }

  drawInstances({ array, buffer, size, count }, first = 0, last = count) {
    if (last <= first) return;
    const { gl } = this;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.vertexAttribIPointer(0, size, gl.UNSIGNED_INT, 0, 4 * size * first);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, last - first);
  }

  // Thin beside the gaps between particles and beside the scene.
  chooseStrandWidth() {
    const { lines, header } = this.scene, points = new Float32Array(3 * header.particles);
    pose(this.scene, 0, points);
    let sum = 0;
    for (let i = 0; i < lines.length; i += 2) {
      const [a, b] = [3 * lines[i], 3 * lines[i + 1]];
      sum += Math.hypot(points[a] - points[b], points[a + 1] - points[b + 1], points[a + 2] - points[b + 2]);
    }
    return Math.min(0.3 * sum / Math.max(1, lines.length / 2), 0.007 * this.box.radius);
  }

  drawSurfaces(values) {
    const { gl, scene: { header } } = this;
    const range = ([first, last], more) => {
      if (last <= first) return;
      this.use("surface", { ...values, ...more });
      gl.drawElements(gl.TRIANGLES, 3 * (last - first), gl.UNSIGNED_INT, 12 * first);
    };
    this.bind(this.still);
    for (const { range: r, colour } of header.statics) {
      range(r, { front: linear(colour), back: linear(colour), cloth: 0 });
    }
    this.bind(this.moving);
    if (values.wire === 2) return;
    for (const { triangles, colours: [front, back] } of header.parts) {
      range(triangles, { front: linear(front), back: linear(back), cloth: 1 });
    }
  }

  drawStrands(values) {
    this.bind(this.moving);
    for (const { lines, colours: [front] } of this.scene.header.parts) {
      if (lines[1] <= lines[0]) continue;
      this.use("segments", { ...values, front: linear(front), strand: 1, towards: 0 });
      this.drawInstances(this.strands, ...lines);
    }
  }

  drawShadows() {
    const { gl } = this, values = { world_to_clip: this.shared.world_to_light, eye: this.shared.key };
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, SHADOW, SHADOW);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, null); // not to be read while it is drawn
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawSurfaces(values);
    this.drawStrands({ ...values, pixel: [2 / SHADOW, 2 / SHADOW], width: this.strandWidth, thinnest: 1 });
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawBackdrop(values, aspect, dark) {
    const { gl, box: { centre, radius }, scene: { header } } = this;
    const { right, up, back } = this.camera.frame(), tangent = Math.tan(0.5 * this.camera.angle);
    const ground = header.ground === null ? [0, 0, 0, 0] : [centre[0], header.ground, centre[2], radius];
    const look = dark ? { top: linear(0x1b2129), bottom: linear(0x323a44), line_light: 0.35, shade: 0.55 }
      : { top: linear(0xdde3ea), bottom: linear(0xf3f1ed), line_light: -0.13, shade: 0.4 };
    gl.depthMask(false);
    gl.disable(gl.DEPTH_TEST);
    this.use("backdrop", { ...values, ...look, ground, spacing: roundUp(radius / 5), ahead: combine([-1, back]),
      right: combine([aspect * tangent, right]), up: combine([tangent, up]) });
    gl.bindVertexArray(this.moving.array);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
  }

  drawWire(values, dark, wire) {
    if (!wire) return;
    if (!this.edges) this.edges = this.instances(edgesOf(this.scene.triangles), 2); // only when first asked for
    // On a surface: light lines on its front, which is the darker side, and dark ones on its back.
    const bare = linear(dark ? 0xcfe0ef : 0x16222e), [front, back] = wire === 2 ? [bare, bare] : [[1, 1, 1], linear(0x16222e)];
    this.use("segments", { ...values, front, back, alpha: wire === 2 ? 0.5 : 0.3, strand: 0, width: 0, towards: 3e-4 });
    this.drawInstances(this.edges);
  }

  draw(points, normals, { dark, wire, held }) {
    const { gl, canvas, camera } = this, { width, height } = canvas, aspect = width / height;
    if (gl.isContextLost()) return;
    this.upload(this.moving, points, normals);
    if (this.scene.statics.turning) this.uploadStill();
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    this.drawShadows();
    gl.viewport(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const { right, up } = camera.frame(), density = canvas.width / canvas.clientWidth || 1;
    const values = { world_to_clip: camera.matrix(aspect), eye: camera.eye, wire, right, up,
      pixel: [2 / width, 2 / height], width: this.strandWidth, thinnest: 1.1 * density };
    this.drawBackdrop(values, aspect, dark);
    this.drawSurfaces(values);
    this.drawStrands(values);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.drawWire({ ...values, thinnest: density }, dark, wire);
    const many = this.pins.count > 12; // a whole pinned edge stays a row of beads
    this.use("pins", { ...values, front: linear(0x39424e), radius: (many ? 0.007 : 0.015) * this.box.radius });
    this.drawInstances(this.pins, 0, held);
  }
}
