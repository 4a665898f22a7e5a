/**
 * Looks for words that this repository has another one for, in file names, identifiers and texts:
 *
 *   npm run words
 *
 * The list, with the replacements and the reasons, is scripts/words/list.ts. Exit 1 where one is found.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { rules } from "./words/list.ts";
import { scanFile } from "./words/scan.ts";

const patterns = [
  "packages/{server,qa,console}/{src,bin,database}/**/*.{ts,tsx,css,sql}",
  "packages/template/**/*.{ts,astro,css,json,md}",
  "{scripts,bench,test}/**/*.{ts,md}",
  "docs/**/*.md",
];
/** The list itself, and third-party texts. */
const ignored = /node_modules|^scripts\/words\/|\/fixtures\/|\/dist\//;

const findings = globSync(patterns, { cwd: platformRoot })
  .filter((path) => !ignored.test(path))
  .toSorted()
  .flatMap((path) => scanFile(path, readFileSync(join(platformRoot, path), "utf8"), rules));

for (const { path, line, text, rule } of findings) {
  const place = line === 0 ? path : `${path}:${line}`;
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  console.error(`${place}: “${shown}”: ${rule.instead} (${rule.because})`);
}
if (findings.length > 0) console.error(`${findings.length} words`);
process.exitCode = findings.length > 0 ? 1 : 0;
