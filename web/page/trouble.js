// A step that failed, an engine that is gone: one sentence, and a way on.

import { showState } from "./bar.js";
import { ask } from "./talk.js";

/** A step failed: the state is that before it. */
export async function stopped(app, { stopped: message, remedy }) {
  app.run(false);
  const offer = remedy ? [`Use a time step of ${(1000 * remedy.time_step).toPrecision(3)} ms`] : [];
  const chosen = await ask(message, [...offer, "Restart", "Stay"]);
  if (remedy && chosen === 0) {
    await app.restart();
    await app.set("time_step", remedy.time_step);
    app.run(true);
  } else if (chosen === offer.length) {
    app.restart();
  }
}

/** The engine will not answer again: start it anew with what was saved last, or with the scene. */
export async function gone(app, why) {
  const text = app.kept || (app.topology && app.topology.text) || "", name = app.topology ? app.topology.scene : "";
  showState(app);
  const anew = await ask(`The simulation stopped: ${why.message || why}`, ["Go on", "Start with the Curtain"]) === 1;
  try {
    app.connect();
    const error = text && !anew ? await app.session.do("open", text, name, app.files) : { message: "" };
    if (error) await app.session.do("scene", "curtain");
  } catch (again) {
    gone(app, again);
  }
}
