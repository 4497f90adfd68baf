// Time, controls and the loop that draws when something has changed.

import { Camera } from "./camera.js";
import { everything, held, pose, turn, unpack } from "./data.js";
import { FlatView } from "./flat.js";
import { smoothNormals } from "./geometry.js";
import { GlView } from "./view.js";

const element = (id) => document.getElementById(id);
const canvas = element("canvas"), scrub = element("scrub"), message = element("message");

function say(text, kind) {
  message.textContent = text;
  message.className = kind;
  message.hidden = false;
}

function start() {
  const header = JSON.parse(element("header").textContent);
  const scene = unpack(header, element("load").textContent);
  element("load").remove(); // megabytes that are not needed twice
  const last = header.frames - 1, camera = new Camera(header, (visit) => everything(scene, visit));
  const points = new Float32Array(3 * header.particles), normals = new Float32Array(3 * header.particles);
  const state = { time: 0, playing: false, speed: 1, wire: 0, dark: false, changed: true, posed: -1 };

  // For tests, and for whoever has no GPU driver they trust: page.html#canvas draws without WebGL.
  const plain = location.hash === "#canvas";
  let view = (!plain && GlView.create(canvas, scene, camera)) || FlatView.create(canvas, scene, camera);
  if (!view) throw new Error("this browser has neither WebGL 2 nor a 2D canvas");
  if (view.kind === "canvas" && !plain) say("No WebGL 2 here: simple drawing without shadows.", "note");
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    view = GlView.create(canvas, scene, camera);
    state.changed = true;
  });

  const change = (values) => { Object.assign(state, values); state.changed = true; };
  const seek = (time) => change({ time: Math.min(last, Math.max(0, time)) });
  const play = (on) => change({ playing: on && last > 0 });
  const step = (by) => { play(false); seek(Math.round(state.time) + by); };
  const reset = () => { camera.reset(canvas.width / canvas.height); change({}); };
  const cycleWire = () => change({ wire: (state.wire + 1) % 3 });
  const help = () => { element("help").hidden = !element("help").hidden; };
  const setDark = (dark) => { document.documentElement.classList.toggle("dark", dark); change({ dark }); };

  function fit() {
    const density = Math.min(2, window.devicePixelRatio || 1);
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * density));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * density));
    if (camera.untouched) camera.reset(canvas.width / canvas.height);
    state.changed = true;
  }

  function draw() {
    state.changed = false;
    if (state.posed !== state.time) {
      pose(scene, state.time, points);
      turn(scene, state.time);
      smoothNormals(points, scene.triangles, normals);
      state.posed = state.time;
    }
    view.draw(points, normals, { ...state, held: held(scene.header, Math.floor(state.time + 1e-9)) });
    scrub.value = state.time;
    scrub.style.setProperty("--at", `${last ? 100 * state.time / last : 0}%`);
    const frame = Math.floor(state.time + 1e-9);
    const seconds = (header.first + state.time) / header.rate;
    element("time").textContent = `${seconds.toFixed(2)} s · ${header.first + frame} / ${header.first + last}`;
    element("play-icon").setAttribute("d", state.playing ? "M8 5v14M16 5v14" : "M8 5l11 7-11 7z");
    element("play-icon").style.strokeWidth = state.playing ? 4 : 1.5;
    element("wire").setAttribute("aria-pressed", state.wire > 0);
  }

  let before = 0;
  function tick(now) {
    const passed = Math.min(0.1, (now - before) / 1000); // a tab that slept does not leap
    before = now;
    if (state.playing) {
      const time = state.time + passed * state.speed * header.rate;
      change({ time: time < last ? time : 0 });
    }
    if (state.changed) draw();
    requestAnimationFrame(tick);
  }

  controls({ camera, change, seek, play, step, reset, cycleWire, help, setDark, state });
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", () => setDark(scheme.matches));
  setDark(scheme.matches);
  scrub.max = last;
  const count = (n) => n.toLocaleString("en");
  element("facts").textContent = [`${count(header.particles)} particles`,
    header.triangles ? `${count(header.triangles)} triangles` : `${count(header.lines)} links`,
    `${(last / header.rate).toFixed(2)} s`].join(" · ");
  new ResizeObserver(fit).observe(canvas);
  fit();
  draw();
  play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  requestAnimationFrame((now) => { before = now; tick(now); });

  Object.assign(window.taut, {
    camera, everything: (visit) => everything(scene, visit),
    frames: header.frames, version: header.version, scene_hash: header.scene_hash,
    setFrame(i) { play(false); seek(i); draw(); },
    play: () => play(true), pause: () => play(false), reset,
  });
  Object.defineProperties(window.taut, {
    frame: { get: () => Math.floor(state.time + 1e-9) },
    playing: { get: () => state.playing, set: play },
    wire: { get: () => state.wire },
    renderer: { get: () => view.kind },
  });
  window.taut.ready = true;
}

// Mouse, touch and keys.
function controls({ camera, change, seek, play, step, reset, cycleWire, help, setDark, state }) {
  const held = new Map(); // pointers that are down
  const spread = () => {
    const [a, b] = [...held.values()];
    return { x: 0.5 * (a.x + b.x), y: 0.5 * (a.y + b.y), size: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    canvas.classList.add("held");
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = held.get(event.pointerId);
    if (!last) return;
    const height = canvas.clientHeight, two = held.size === 2 && spread(), now = { x: event.clientX, y: event.clientY };
    held.set(event.pointerId, now);
    if (two) {
      const after = spread();
      camera.zoom(two.size / after.size);
      camera.pan((after.x - two.x) / height, (after.y - two.y) / height);
    } else {
      const move = event.shiftKey || event.buttons & 6 ? "pan" : "orbit";
      camera[move]((now.x - last.x) / height, (now.y - last.y) / height);
    }
    change({});
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => {
      held.delete(event.pointerId);
      canvas.classList.toggle("held", held.size > 0);
    });
  }
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", reset);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 18 : 1;
    camera.zoom(Math.exp(0.0014 * lines * Math.max(-240, Math.min(240, event.deltaY))));
    change({});
  }, { passive: false });

  const toggle = () => play(!state.playing);
  const buttons = { play: toggle, wire: cycleWire, reset, theme: () => setDark(!state.dark), ask: help };
  for (const [id, action] of Object.entries(buttons)) {
    element(id).addEventListener("click", (event) => {
      action();
      if (event.detail) event.currentTarget.blur(); // after a mouse click the space bar plays again
    });
  }
  scrub.addEventListener("input", () => { play(false); seek(+scrub.value); });
  element("speed").addEventListener("change", (event) => {
    change({ speed: +event.target.value });
    event.target.blur();
  });
  const keys = {
    " ": toggle, w: cycleWire, r: reset, Home: reset, b: () => setDark(!state.dark), "?": help,
    ArrowLeft: (event) => step(event.shiftKey ? -10 : -1), ArrowRight: (event) => step(event.shiftKey ? 10 : 1),
  };
  addEventListener("keydown", (event) => {
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const busy = event.target.closest("select") || (event.key === " " && event.target.closest("button"));
    if (!action || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action(event);
  });
}

window.taut = { ready: false };
try {
  start();
} catch (error) {
  say(`This animation cannot be shown: ${error.message}`, "");
  throw error;
}
