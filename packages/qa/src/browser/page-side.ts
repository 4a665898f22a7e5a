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
];

/** What can be called from outside. */
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
  "isInTrap",
  "readTrap",
  "readUnseen",
] as const;

export type ExposedFunction = (typeof exposedFunctions)[number];

/** A module's own lines: joined, the parts need neither imports nor exports. */
function linesOf(part: string): string {
  const text = readFileSync(new URL(`./page-side/${part}.js`, import.meta.url), "utf8");
  return text.replace(/^import [^;]*;\n/gm, "").replace(/^export /gm, "");
}

/**
 * What runs in each page, in a world of its own: one script of the modules in page-side/, which are
 * plain JavaScript because a browser reads them as they are. Frames in the page do without.
 */
export const pageSide = [
  "if (window === window.top) {",
  ...parts.map(linesOf),
  `globalThis.vitrine = { ${exposedFunctions.join(", ")} };`,
  "}",
].join("\n");
