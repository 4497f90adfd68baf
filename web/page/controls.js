// Fields of the panel: each sets one key of the simulation, shows what the engine says it is, and why it was refused.

import { h } from "./dom.js";

/** Numbers without a tail of digits. */
export const short = (x) => (Number.isFinite(x) ? `${+(+x).toPrecision(6)}` : `${x}`);

/** What a key of settings is: "damping.material" is in a table. */
export function settingOf(settings, key) {
  if (key === "contact.level") return settings.contact;
  return key.split(".").reduce((table, part) => (table ? table[part] : undefined), settings);
}

const named = (label) => h("span", { class: "label", text: label });

let fields = 0;

/**
 * A labelled row. `inputs` are in it, `read` turns what they hold into a value, `write` shows one.
 * @returns {{row: any, update: (settings: any) => void}}
 */
function field(app, key, label, inputs, read, write) {
  const id = `field-${++fields}`, why = h("p", { class: "why", id: `${id}-why`, role: "alert", hidden: true });
  const row = h("div", { class: "field" }, named(label), h("div", { class: "inputs" }, ...inputs), why);
  const say = (text) => {
    why.textContent = text || "";
    why.hidden = !text;
  };
  let shown = "", waiting = 0;
  const update = (settings) => {
    const value = settingOf(settings, key);
    if (value === undefined || waiting || inputs.includes(document.activeElement) && inputs[0].type !== "range") return;
    const now = JSON.stringify(value);
    if (now !== shown) write(value);
    shown = now;
  };
  const send = async () => {
    const value = read();
    if (Number.isNaN(value) || Array.isArray(value) && value.some(Number.isNaN)) return say("This must be a number.");
    waiting += 1;
    const error = await app.set(key, value);
    waiting -= 1;
    say(error ? error.message : "");
    shown = ""; // what it is now is shown again
    if (error && app.session.report) {
      const settled = settingOf(app.session.report.settings, key);
      if (settled !== undefined) write(settled);
    }
  };
  for (const input of inputs) {
    input.addEventListener("change", send);
    input.setAttribute("aria-describedby", `${id}-why`);
    if (input.type === "text") {
      input.addEventListener("keydown", (event) => event.key === "Enter" && send());
    }
  }
  return { row, update };
}

const number = (name) => h("input", { type: "text", inputmode: "decimal", "aria-label": name, autocomplete: "off",
  spellcheck: "false" });
const parse = (text) => (text.trim() === "" ? NaN : Number(text.trim().replace(",", ".")));

export function numberField(app, key, label, unit = "") {
  const input = number(label);
  const write = (value) => { input.value = value === null ? "" : short(value); };
  const made = field(app, key, label, [input], () => parse(input.value), write);
  made.row.querySelector(".inputs").append(h("span", { class: "unit", text: unit }));
  return made;
}

export function vectorField(app, key, label, unit) {
  const inputs = ["x", "y", "z"].map((axis) => number(`${label} ${axis}`));
  const made = field(app, key, label, inputs, () => inputs.map((input) => parse(input.value)),
    (value) => inputs.forEach((input, k) => { input.value = short(value ? value[k] : 0); }));
  made.row.querySelector(".label").textContent = `${label} [${unit}]`;
  return made;
}

export function choiceField(app, key, label, choices) {
  const input = h("select", { "aria-label": label });
  const option = (value) => h("option", { value, text: value.replace(/_/g, " ") });
  const fill = (list) => input.replaceChildren(...list.map(option));
  fill(choices);
  const made = field(app, key, label, [input], () => input.value, (value) => {
    if (value && ![...input.options].some((known) => known.value === value)) input.append(option(value));
    input.value = value === null ? "" : value;
  });
  return { ...made, fill };
}

// A factor on a scale of powers of two.
export function factorField(app, key, label) {
  const input = h("input", { type: "range", min: -6, max: 6, step: 0.25, value: 0, "aria-label": `${label}, factor` });
  const shown = h("output", { class: "unit", text: "× 1" });
  const tell = (value) => { shown.textContent = `× ${value >= 10 ? value.toFixed(0) : +value.toPrecision(2)}`; };
  input.addEventListener("input", () => tell(2 ** +input.value));
  const made = field(app, key, label, [input], () => 2 ** +input.value, (value) => {
    input.value = `${Math.log2(value)}`;
    tell(value);
  });
  made.row.querySelector(".inputs").append(shown);
  return made;
}

/** A row that belongs to the page alone. */
export function localChoice(label, choices, value, change) {
  const input = h("select", { "aria-label": label, on: { change: () => change(input.value) } },
    ...choices.map(([key, text]) => h("option", { value: key, text })));
  input.value = value;
  return h("div", { class: "field" }, named(label), h("div", { class: "inputs" }, input));
}

export function localSwitch(label, on, change) {
  const input = h("input", { type: "checkbox", "aria-label": label, on: { change: () => change(input.checked) } });
  input.checked = on;
  return h("label", { class: "field switch" }, named(label), h("div", { class: "inputs" }, input));
}
