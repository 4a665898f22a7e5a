import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { collect } from "./collect.ts";
import { contrastBehind } from "./contrast-behind.ts";
import { makeKit } from "./kit.ts";
import { ownRules } from "./own-rules.ts";

const require = createRequire(import.meta.url);

let text: string | undefined;

/**
 * The script that brings all engines into a page: it sets `__vitrine(options)`, which answers a
 * promise of `Collected`, and leaves nothing else behind that a page could see.
 */
export function bundleText(): string {
  text ??= makeBundle();
  return text;
}

function makeBundle(): string {
  const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  const accesslint = readFileSync(require.resolve("@accesslint/core/iife"), "utf8");
  const rules = ownRules.map(
    ({ id, impact, look }) =>
      `{id:${JSON.stringify(id)},impact:"${impact}",look:(()=>{const o={${asMethod(look)}};return o.look})()}`,
  );
  return `(()=>{
var module,exports,define;
${axe}
;${accesslint}
;const makeKit=${makeKit.toString()};
const contrastBehind=${contrastBehind.toString()};
const collect=${collect.toString()};
const rules=[${rules.join(",\n")}];
const engines={axe:globalThis.axe,accesslint:AccessLint};
globalThis.__vitrine=(options)=>collect(engines,rules,makeKit,contrastBehind,options);
})();0`;
}

/** The text of a generator is that of a method, `*look(kit) {…}`, or of a function. */
function asMethod(look: (...args: never[]) => unknown): string {
  const source = look.toString();
  return /^\*?\s*look\s*\(/.test(source) ? source : `look:${source}`;
}
