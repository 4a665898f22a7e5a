/* Measurements at the page's original width. */
import { measureImages } from "./images.js";
import { noteClipped } from "./narrow.js";
import { readTargets } from "./targets.js";

export const readWide = () => {
  measureImages();
  noteClipped();
  return readTargets();
};
