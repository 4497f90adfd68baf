// Keys, wherever the focus is, except where one types.

/** Every key and what it does, for the help. */
export const KEYS = [
  ["drag the cloth", "grab it"], ["drag an obstacle", "move it"], ["drag elsewhere", "orbit"],
  ["right drag, shift drag", "pan"], ["wheel, pinch", "zoom"],
  ["1  2  3", "hand, scissors, pin"], ["hold C", "scissors"],
  ["tap with scissors", "punch a hole"], ["space", "run, pause"], ["S, →", "one step"], ["R", "restart"],
  ["Ctrl Z", "undo the last edit"], ["Home", "reset the camera"], ["W", "surface, edges on it, edges only"],
  ["Ctrl Enter", "restart with the text"], ["H, ?", "this list"],
];

/** @param {any} app */
export function listenToKeys(app) {
  const plain = {
    " ": () => app.toggle(), s: () => app.step(), ArrowRight: () => app.step(), r: () => app.restart(),
    Home: () => app.stage.resetCamera(), w: () => app.cycleWire(), h: () => app.help(), "?": () => app.help(),
    1: () => app.useTool("hand"), 2: () => app.useTool("scissors"), 3: () => app.useTool("pin"),
    c: () => app.holdScissors(true),
    Escape: () => app.help(false),
  };
  addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target instanceof Element ? event.target : document.body);
    const typing = target.closest("input:not([type=range]):not([type=checkbox]), textarea, select");
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if ((event.ctrlKey || event.metaKey) && key === "z" && !typing) {
      event.preventDefault();
      app.undo();
      return;
    }
    const pressed = key === " " && target.closest("button, summary, input"); // the button's own key
    const slides = target.closest("input[type=range]") && /Arrow|Home/.test(key);
    const action = plain[key];
    if (!action || typing || pressed || slides || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    if (!event.repeat || key === "s" || key === "ArrowRight") action();
  });
  addEventListener("keyup", (event) => {
    if (event.key.toLowerCase() === "c") app.holdScissors(false);
  });
  addEventListener("blur", () => app.holdScissors(false));
}
