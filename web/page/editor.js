// The scene's text: read a moment after the last key; an error is shown with its line, and the last good scene runs on.

import { h } from "./dom.js";

const PAUSE = 400; // after the last key [ms]

export class Editor {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.lines = h("pre", { class: "lines", "aria-hidden": "true" });
    this.area = h("textarea", { id: "text", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
      wrap: "off", "aria-label": "The scene's text (TOML)", "aria-describedby": "text-error" });
    this.error = h("p", { id: "text-error", class: "why", role: "alert", hidden: true });
    this.root = h("div", { class: "editor" }, h("div", { class: "sheet" }, this.lines, this.area), this.error);
    this.timer = 0;
    this.wrong = 0; // the line of the error, from 1
    this.given = "";
    this.area.addEventListener("input", () => {
      this.number();
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.read(), PAUSE);
    });
    this.area.addEventListener("scroll", () => { this.lines.scrollTop = this.area.scrollTop; });
    this.area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.read(true);
      }
    });
  }

  // The scene that runs now.
  show(text) {
    if (text === this.given || document.activeElement === this.area && this.area.value !== "") return;
    this.given = text;
    this.area.value = text;
    this.tell(null);
    this.number();
  }

  number() {
    const count = this.area.value.split("\n").length;
    this.lines.replaceChildren(...Array.from({ length: count }, (_, i) =>
      h("span", { class: i + 1 === this.wrong ? "wrong" : "", text: `${i + 1}\n` })));
    this.lines.scrollTop = this.area.scrollTop;
  }

  /** @param {{message: string, line: number | null} | null} error */
  tell(error) {
    this.wrong = error && error.line ? error.line : 0;
    const words = error ? error.message.replace(/^[^\s:]*:\d+: /, "") : ""; // the engine's file:line
    this.error.textContent = this.wrong ? `Line ${this.wrong}: ${words}` : words;
    this.error.hidden = !error;
    this.number();
  }

  // Have the text run; what is the same runs on, unless it is to restart.
  async read(again = false) {
    clearTimeout(this.timer);
    const text = this.area.value;
    if (text === this.given) {
      this.tell(null);
      if (again) this.app.restart();
      return;
    }
    const error = await this.app.openText(text);
    if (this.area.value !== text) return; // typed on meanwhile
    if (!error) this.given = text;
    this.tell(error);
  }
}
