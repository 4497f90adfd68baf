// What the page says in words: notes that pass, questions, and what to do when the engine is gone.

import { element, h } from "./dom.js";

let fading = 0;

/** A line under the title; empty takes it away. With `seconds` it goes by itself. */
export function note(text, seconds = 0) {
  const line = element("note");
  clearTimeout(fading);
  line.textContent = text;
  line.hidden = !text;
  if (text && seconds) fading = window.setTimeout(() => note(""), 1000 * seconds);
}

/**
 * A question with buttons; the answer is the number of the one pressed, -1 if it was dismissed.
 * @param {string} text @param {string[]} answers
 * @returns {Promise<number>}
 */
export function ask(text, answers) {
  const dialog = element("dialog");
  if (dialog.open) dialog.close();
  element("dialog-text").textContent = text;
  return new Promise((done) => {
    const choose = (i) => {
      dialog.onclose = null;
      dialog.close();
      done(i);
    };
    dialog.onclose = () => done(-1);
    const button = (text, i) => h("button", { type: "button", class: i === 0 ? "word chief" : "word", text,
      on: { click: () => choose(i) } });
    element("dialog-buttons").replaceChildren(...answers.map(button));
    dialog.showModal();
  });
}
