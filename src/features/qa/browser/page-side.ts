import { readFileSync } from "node:fs";

const parts = ["watch", "place", "paint", "images", "narrow", "targets", "focus"];

/**
 * What runs in each page, in a world of its own: plain scripts, because they are given to the browser
 * as they are. A frame in the page does without.
 */
export const pageSide = [
  "if (window === window.top) {",
  ...parts.map((part) => readFileSync(new URL(`./page-side/${part}.js`, import.meta.url), "utf8")),
  "Object.assign(vitrine, { readStart, wake, forget, measureImages, readImages, noteClipped,",
  "  readNarrow, readTargets, beginWalk, endWalk, enterTrap, isInTrap, readTrap, readUnseen, frames });",
  "globalThis.vitrine = vitrine; }",
].join("\n");
