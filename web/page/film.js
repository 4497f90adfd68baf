// A film of the canvas, by the browser's own recorder.

import { download } from "./dom.js";

const KINDS = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

/**
 * @param {HTMLCanvasElement} canvas @param {string} name
 * @returns {{stop: () => void}}
 */
export function record(canvas, name) {
  if (typeof MediaRecorder === "undefined" || !canvas.captureStream) {
    throw new Error("This browser cannot record: save the scene and let `taut run` make the film.");
  }
  const mimeType = KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType, videoBitsPerSecond: 8e6 });
  /** @type {Blob[]} */
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => {
    const type = recorder.mimeType || "video/webm", ending = type.includes("mp4") ? "mp4" : "webm";
    download(`${name}.${ending}`, new Blob(parts, { type }));
  };
  recorder.start(1000);
  return { stop: () => recorder.state !== "inactive" && recorder.stop() };
}
