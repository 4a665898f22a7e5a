/* What is measured while the page is as wide as it was opened. */
import { measureImages } from "./images.js";
import { noteClipped } from "./narrow.js";
import { readTargets } from "./targets.js";

export const readWide = () => {
  measureImages();
  noteClipped();
  return readTargets();
};
