// Elements by hand. Words from scenes, names and errors only ever become text.

/**
 * @param {string} tag
 * @param {Record<string, any>} [values]  attributes; `on` is a table of listeners, `text` the words in it
 * @param {...(Node | null)} children
 * @returns {any}
 */
export function h(tag, values = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(values)) {
    if (key === "text") element.textContent = value;
    else if (key === "on") Object.entries(value).forEach(([event, action]) => element.addEventListener(event, action));
    else if (typeof value === "boolean") element.toggleAttribute(key, value);
    else if (value !== null) element.setAttribute(key, value);
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** @returns {any} */
export const element = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

/** A line drawing on 24 × 24. */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg"), line = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const ICONS = {
  play: "M8 5l11 7-11 7z", pause: "M8 5v14M16 5v14", step: "M6 5l9 7-9 7zM18.5 5v14",
  restart: "M5 12a7 7 0 1 0 2.3-5.2M5 4v4.2h4.2", undo: "M8.5 5L4.5 9l4 4M4.5 9H14a5 5 0 0 1 0 10H9",
  hand: "M8 12.5V6.2a1.4 1.4 0 0 1 2.8 0V11M10.8 11V4.9a1.4 1.4 0 0 1 2.8 0V11M13.6 11V6.2a1.4 1.4 0 0 1 2.8 0V12"
    + "M16.4 12V9a1.4 1.4 0 0 1 2.8 0v5.5a6 6 0 0 1-6 6h-1.4a6 6 0 0 1-4.7-2.3L4.4 14.7a1.5 1.5 0 0 1 2.3-1.9L8 14",
  scissors: "M7 4l8.5 11.3M17 4L8.5 15.3M8.6 17.6a2.4 2.4 0 1 1-4.8 0 2.4 2.4 0 0 1 4.8 0z"
    + "M20.2 17.6a2.4 2.4 0 1 1-4.8 0 2.4 2.4 0 0 1 4.8 0z",
  pin: "M9 4h6l-.8 6 3.3 3.5H6.500L9.8 10zM12 13.5V20", save: "M12 4v10.5M7.5 10.5L12 15l4.5-4.5M5 19.5h14",
  record: "M12 6.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 1 0 0-11z",
  link: "M10 14a4 4 0 0 0 5.7 0l2.8-2.8a4 4 0 0 0-5.7-5.7L11.5 6.8"
    + "M14 10a4 4 0 0 0-5.7 0l-2.8 2.8a4 4 0 0 0 5.7 5.7l1.3-1.3",
  race: "M6 20V4M6 5h12l-2.500 4L18 13H6", panel: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5",
  help: "M9 9a3 3 0 1 1 4 2.800c-.7.3-1 .8-1 1.700M12 17.200v.1", close: "M6 6l12 12M18 6L6 18",
};

/** A button that is a drawing: its name is read out and shown on hovering. */
export function iconButton(id, name, drawing, action) {
  const button = h("button", { id, type: "button", title: name, "aria-label": name }, icon(ICONS[drawing]));
  button.addEventListener("click", (event) => {
    action();
    if (event.detail) button.blur(); // after a mouse click the space bar runs and pauses again
  });
  return button;
}

/** Have the browser keep a file. */
export function download(name, blob) {
  const address = URL.createObjectURL(blob), link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
