import { readFileSync } from "node:fs";

const parts = [
  "watch",
  "place",
  "rendered",
  "images",
  "paint",
  "narrow",
  "targets",
  "wide",
  "focus",
  "crops",
];

/** Functions that can be called from outside. */
const exposedFunctions = [
  "makeReady",
  "readStart",
  "wake",
  "readRendered",
  "forget",
  "readImages",
  "readNarrow",
  "readWide",
  "walkWithoutKeys",
  "beginWalk",
  "endWalk",
  "enterTrap",
  "letReact",
  "isInTrap",
  "readTrap",
  "readUnseen",
  "readBoxes",
] as const;

export type ExposedFunction = (typeof exposedFunctions)[number];

/** The lines of a module without imports and exports, because all parts are concatenated. */
function linesOf(part: string): string {
  const text = readFileSync(new URL(`./page-side/${part}.js`, import.meta.url), "utf8");
  return text.replace(/^import [^;]*;\n/gm, "").replace(/^export /gm, "");
}

/**
 * The script for each page, in an isolated world: the modules in page-side/, which are plain
 * JavaScript that browsers run unchanged. Frames don't get it.
 */
export const pageSide = [
  "if (window === window.top) {",
  ...parts.map(linesOf),
  `globalThis.vitrine = { ${exposedFunctions.join(", ")} };`,
  "}",
].join("\n");
