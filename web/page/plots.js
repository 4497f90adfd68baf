// The last ten seconds as curves: time of the stages of a step (stacked), residual, energy.

import { h } from "./dom.js";

const SPAN = 10; // [s] of wall time
const STAGES = ["script", "prepare", "integrate", "limit", "collide"];
const SHADES = ["#8a98a8", "#c98a3d", "#3f7cac", "#7a6bb0", "#5f9463"];
const ENERGIES = [["kinetic", "#3f7cac"], ["elastic", "#b4533c"], ["gravity", "#5f9463"]];

function key(entries) {
  return h("ul", { class: "key" }, ...entries.map(([name, shade]) => {
    const dot = h("i");
    dot.style.background = shade;
    return h("li", {}, dot, h("span", { text: name }));
  }));
}

export class Plots {
  constructor() {
    /** @type {{at: number, ms: number[], residual: number | null, energy: any}[]} */
    this.points = [];
    const plot = (label) => h("canvas", { class: "plot", role: "img", "aria-label": `${label}, last ten seconds` });
    this.stages = plot("Time per stage of a step");
    this.residual = plot("Residual");
    this.energy = plot("Energy");
    const part = (title, canvas, legend) => h("figure", {}, h("figcaption", { text: title }), canvas, legend);
    this.root = h("div", { class: "plots" },
      part("Time of a step [ms]", this.stages, key(STAGES.map((name, i) => [name, SHADES[i]]))),
      part("Residual (logarithmic)", this.residual, null), part("Energy [J]", this.energy, key(ENERGIES)));
  }

  /** @param {any} report */
  add(report) {
    if (!report.taken) return;
    const at = performance.now() / 1000, ms = STAGES.map((name) => (report.ms[name] || 0) / report.taken);
    this.points.push({ at, ms, residual: report.residual, energy: report.energy });
    while (this.points.length && this.points[0].at < at - SPAN) this.points.shift();
  }

  // The context of a canvas, cleared, at the screen's resolution.
  static sheet(canvas) {
    const density = Math.min(2, window.devicePixelRatio || 1), width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * density)) canvas.width = Math.round(width * density);
    if (canvas.height !== Math.round(height * density)) canvas.height = Math.round(height * density);
    const context = canvas.getContext("2d");
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    return { context, width, height };
  }

  // One curve or area between `low` and `high` (functions of a point).
  curve(canvas, range, layers) {
    const { context, width, height } = Plots.sheet(canvas), end = performance.now() / 1000, [bottom, top] = range;
    const x = (point) => width * (1 - (end - point.at) / SPAN);
    const y = (value) => height - 2 - (height - 14) * (value - bottom) / (top - bottom || 1);
    for (const { high, low, shade } of layers) {
      const list = this.points.filter((point) => Number.isFinite(high(point)));
      if (!list.length) continue;
      context.beginPath();
      list.forEach((point, i) => context[i ? "lineTo" : "moveTo"](x(point), y(high(point))));
      if (low) {
        [...list].reverse().forEach((point) => context.lineTo(x(point), y(low(point))));
        context.fillStyle = shade;
        context.fill();
      } else {
        context.strokeStyle = shade;
        context.lineWidth = 1.5;
        context.stroke();
      }
    }
    context.fillStyle = getComputedStyle(canvas).color;
    context.font = "11px system-ui, sans-serif";
    return (text) => context.fillText(text, 0, 9);
  }

  draw() {
    const { points } = this, most = (list, least) => Math.max(least, ...list.filter(Number.isFinite));
    const sums = points.map(({ ms }) => ms.reduce((sum, x) => sum + x, 0)).sort((a, b) => a - b);
    const usual = sums[Math.floor(0.97 * sums.length)];
    const top = 1.2 * most([usual], 0.01); // one slow step must not flatten the rest
    const upTo = (k) => ({ ms }) => ms.slice(0, k).reduce((sum, x) => sum + x, 0);
    const layers = STAGES.map((_, k) => ({ high: upTo(k + 1), low: upTo(k), shade: SHADES[k] }));
    this.curve(this.stages, [0, top], layers)(`${+top.toPrecision(2)}`);
    const log = ({ residual }) => (residual > 0 ? Math.log10(residual) : NaN);
    const logs = points.map(log).filter(Number.isFinite);
    const ends = [Math.floor(Math.min(0, ...logs)), Math.ceil(Math.max(...logs, -16))];
    const words = logs.length ? `1e${ends[1]} to 1e${ends[0]}` : "";
    this.curve(this.residual, ends, [{ high: log, low: null, shade: SHADES[2] }])(words);
    const all = points.flatMap(({ energy }) => (energy ? ENERGIES.map(([name]) => energy[name]) : []));
    const range = [Math.min(0, ...all), most(all, 1e-9)];
    const of = (name) => ({ energy }) => (energy ? energy[name] : NaN);
    const curves = ENERGIES.map(([name, shade]) => ({ high: of(name), low: null, shade }));
    this.curve(this.energy, range, curves)(all.length ? `${+range[1].toPrecision(3)}` : "");
  }
}
