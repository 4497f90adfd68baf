// WebGL 2 in the few forms the view needs: programs, meshes whose vertices are fetched from textures, instances.

import { COMMON } from "./shaders.js";

const COLUMNS = 1024;

// Whether a processor does the work of the graphics card: then shadows cost more than all the rest.
export function drawnBySoftware(gl) {
  const named = gl.getExtension("WEBGL_debug_renderer_info");
  return /swiftshader|llvmpipe|software|basic render/i.test(named ? gl.getParameter(named.UNMASKED_RENDERER_WEBGL) : "");
}

export class Gl {
  constructor(gl) {
    this.gl = gl;
    this.programs = {};
    this.shared = {}; // uniforms of all programs
    this.owned = [];
  }

  program(name, vertex, fragment) {
    const { gl } = this, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, COMMON + vertex], [gl.FRAGMENT_SHADER, COMMON + fragment]]) {
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
    const uniforms = {}, count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
    for (let i = 0; i < count; i++) {
      const { name, type } = gl.getActiveUniform(program, i);
      uniforms[name] = { where: gl.getUniformLocation(program, name), type };
    }
    this.programs[name] = { program, uniforms };
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

  // What is made for one scene is freed with it.
  own(kind, made) {
    this.owned.push([kind, made]);
    return made;
  }

  free() {
    for (const [kind, made] of this.owned.splice(0)) this.gl[`delete${kind}`](made);
  }

  // Two textures (positions, normals) and the corners of triangles.
  mesh(vertices, corners) {
    const { gl } = this, rows = Math.max(1, Math.ceil(vertices / COLUMNS));
    const array = this.own("VertexArray", gl.createVertexArray());
    const textures = [0, 1].map(() => {
      const texture = this.own("Texture", gl.createTexture());
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGB32F, COLUMNS, rows);
      for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, which, gl.NEAREST);
      return texture;
    });
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.own("Buffer", gl.createBuffer()));
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

  bind(mesh) {
    const { gl } = this;
    mesh.textures.forEach((texture, i) => {
      gl.activeTexture(gl.TEXTURE0 + i);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    gl.bindVertexArray(mesh.array);
  }

  // Particle numbers, `size` for each instance; with `painted` also a colour of four bytes each, sent by `paint`.
  instances(numbers, size, painted = false) {
    const { gl } = this, array = this.own("VertexArray", gl.createVertexArray()), count = numbers.length / size;
    const buffer = this.own("Buffer", gl.createBuffer()), colours = painted && this.own("Buffer", gl.createBuffer());
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribDivisor(0, 1);
    if (painted) {
      gl.bindBuffer(gl.ARRAY_BUFFER, colours);
      gl.bufferData(gl.ARRAY_BUFFER, 4 * count, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(1);
      gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
      gl.vertexAttribDivisor(1, 1);
    }
    return { array, size, count, buffer, colours };
  }

  // Other particle numbers for instances that exist.
  renumber(instances, numbers) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, instances.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.DYNAMIC_DRAW);
    instances.count = numbers.length / instances.size;
  }

  paint({ colours }, bytes) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, colours);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, bytes);
  }

  drawInstances({ array, buffer, size, count }, first = 0, last = count) {
    if (last <= first) return;
    const { gl } = this;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.vertexAttribIPointer(0, size, gl.UNSIGNED_INT, 0, 4 * size * first);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, last - first);
  }
}
