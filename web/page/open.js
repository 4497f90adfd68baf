// Scenes that come as text: typed, from a file, from a link.

import { decode, guessedParticles, MANY } from "./link.js";
import { ask, note } from "./talk.js";

// More particles than a page may be able to move are asked about first.
async function allowed(app, text) {
  if (guessedParticles(text) <= MANY || text === app.allowed) return true;
  const question = `This scene seems to have more than ${MANY.toLocaleString("en")} particles. That may be slow.`;
  if (await ask(question, ["Open it", "Leave it"]) !== 0) return false;
  app.allowed = text;
  return true;
}

/** Open a text; null if it runs, else why not. */
export async function openText(app, text, name = "scene") {
  const { files } = app;
  if (!await allowed(app, text)) return { message: "Left alone: it has many particles.", line: null };
  await app.leaveRace();
  const error = await app.session.do("open", text, name, files);
  if (!error) app.changes.clear();
  return error;
}

export function openFile(app) {
  const input = document.createElement("input");
  Object.assign(input, { type: "file", accept: ".toml,text/plain" });
  input.onchange = async () => {
    const file = input.files && input.files[0];
    const error = file && await openText(app, await file.text(), file.name.replace(/\.toml$/, ""));
    if (error) note(error.message, 10);
  };
  input.click();
}

/** What the part of the address after # asks for, else the scene to begin with. Gives the race to begin, if any. */
export async function openFirst(app) {
  const { session, stage } = app, hash = location.hash;
  if (hash.length > 1) {
    try {
      const { text, scene, set = [], camera, race = null } = await decode(hash);
      if (!text || await allowed(app, text)) {
        app.files = !text; // a link reads nothing of this machine
        const error = text ? await session.do("open", text, "link", false) : await session.do("scene", scene);
        if (error) throw new Error(`The link's scene cannot be opened: ${error.message}`);
        for (const [key, value] of set) {
          const refused = await app.set(key, value);
          if (refused) note(refused.message, 10);
        }
        if (camera) stage.aim(camera);
        return race;
      }
    } catch (error) {
      note(error.message, 12);
    }
  }
  if (app.engines.start) await session.ask("step", 0); // it has one
  else await session.do("scene", "curtain");
  return null;
}
