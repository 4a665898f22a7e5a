import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ownRules } from "./own-rules.ts";

const require = createRequire(import.meta.url);

/**
 * Scripts that run in pages are JavaScript, because they use browser globals that Node doesn't
 * have.
 */
async function textOf(file: string, name: string): Promise<string> {
  const url = new URL(`./page-side/${file}.js`, import.meta.url);
  const module = (await import(url.href)) as Record<string, () => unknown>;
  return String(module[name]);
}

const inside = {
  makeTree: await textOf("tree", "makeTree"),
  makeTextTools: await textOf("text-tools", "makeTextTools"),
  makeRotation: await textOf("rotation", "makeRotation"),
  makeSound: await textOf("sound", "makeSound"),
  makeLabels: await textOf("labels", "makeLabels"),
  makeSpokenText: await textOf("spoken-text", "makeSpokenText"),
  makeReach: await textOf("reach", "makeReach"),
  makeKit: await textOf("kit", "makeKit"),
  makeColors: await textOf("colors", "makeColors"),
  contrastBehind: await textOf("contrast-behind", "contrastBehind"),
  makeAddresses: await textOf("addresses", "makeAddresses"),
  makeGlyphs: await textOf("glyphs", "makeGlyphs"),
  makeElementFacts: await textOf("element-facts", "makeElementFacts"),
  makeAttributeVetoes: await textOf("attribute-vetoes", "makeAttributeVetoes"),
  makeAccesslintVetoes: await textOf("accesslint-vetoes", "makeAccesslintVetoes"),
  makeVetoes: await textOf("vetoes", "makeVetoes"),
  makeRegister: await textOf("register", "makeRegister"),
  makeOutlines: await textOf("outlines", "makeOutlines"),
  makeFocus: await textOf("focus", "makeFocus"),
  makeFading: await textOf("fading", "makeFading"),
  makeAsk: await textOf("own", "makeAsk"),
  runAxeRules: await textOf("axe-rules", "runAxeRules"),
  cacheColors: await textOf("axe-rules", "cacheColors"),
  makeWholeKit: await textOf("whole-kit", "makeWholeKit"),
  isFrameBlocked: await textOf("blocked", "isFrameBlocked"),
  makeBlocked: await textOf("blocked", "makeBlocked"),
  askAccesslint: await textOf("accesslint", "askAccesslint"),
  makeContrastAnswers: await textOf("axe-contrast", "makeContrastAnswers"),
  askAxe: await textOf("axe", "askAxe"),
  collect: await textOf("collect", "collect"),
};

let text: string | undefined;

/**
 * The script that loads all engines into a page: it sets `__vitrine(options)`, which returns a
 * promise of `Collected`, and leaves nothing else that the page could see.
 */
export function bundleText(): string {
  text ??= makeBundle();
  return text;
}

function makeBundle(): string {
  const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  const accesslint = readFileSync(require.resolve("@accesslint/core/iife"), "utf8");
  const rules = ownRules.map(
    ({ id, impact, run }) =>
      `{id:${JSON.stringify(id)},impact:"${impact}",run:(()=>{const o={${asMethod(run)}};return o.run})()}`,
  );
  return `(()=>{
var module,exports,define;
${axe}
;${accesslint}
;const parts={axe:globalThis.axe,accesslint:AccessLint,
rules:[${rules.join(",\n")}],
${Object.entries(inside)
  .map(([name, source]) => `${name}:${source}`)
  .join(",\n")}};
parts.cacheColors(parts.axe.commons.color.Color);
globalThis.__vitrine=(options)=>parts.collect(parts,options);
})();0`;
}

/** The source of a generator is a method's, `*run(kit) {…}`, or a function's. */
function asMethod(run: (...args: never[]) => unknown): string {
  const source = run.toString();
  return /^\*?\s*run\s*\(/.test(source) ? source : `run:${source}`;
}
