/**
 * Checks sites of other people and draws findings for a person to judge:
 * `node bench/foreign/run.ts NAME=FOLDER… --out FOLDER [--seed 1] [--count 100] [--no-browser]`.
 * FOLDER holds a built site, such as the documentation or the examples that an npm package ships.
 * `--out` gets NAME.json for each site (reused if it exists) and `sample-SEED.txt`: each finding
 * with the lines of the page it is about. The sites stay where they are: nothing of them belongs
 * into this repository.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ReportFinding, runQa } from "../../packages/qa/src/index.ts";
import { drawSample } from "./sample.ts";
import { serveFolder } from "./static-site.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    out: { type: "string" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "100" },
    browser: { type: "boolean", default: true },
  },
});
const { out } = values;
if (out === undefined) throw new Error("Name the folder for the results with --out.");

/** What this bench's server answers, and its sitemap of all files, say nothing about the site. */
const ofTheServer =
  /^(?:sec\.(?!mixed|sri)|perf\.|health\.|robots\.|sitemap\.|js\.csp|page\.(?:orphan|duplicate-content))/;

interface Found extends ReportFinding {
  site: string;
}

async function check(name: string, folder: string): Promise<Found[]> {
  const file = join(out as string, `${name}.json`);
  if (existsSync(file)) return JSON.parse(await readFile(file, "utf8")) as Found[];
  await using site = await serveFolder(folder);
  const started = performance.now();
  const { browser } = values;
  const report = await runQa(`${site.origin}/`, { external: "none", allowPrivate: true, browser });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const pages = report.stats?.pages ?? 0;
  if (site.pages.length === 0) throw new Error(`${folder} has no pages.`);
  const found = report.findings
    .filter(({ check: id }) => !ofTheServer.test(id))
    .map((finding) => Object.assign(finding, { site: name }));
  const { skippedChecks } = report;
  process.stdout.write(`${name}: ${pages} pages, ${found.length} findings, ${seconds} s\n`);
  for (const { what, why } of skippedChecks)
    process.stdout.write(`  not checked: ${what}: ${why}\n`);
  const text = JSON.stringify(found, null, 1).replaceAll(site.origin, "http://site.example");
  await writeFile(file, text);
  return JSON.parse(text) as Found[];
}

async function excerpt(folder: string, page: string, line: number | null): Promise<string> {
  if (line === null) return "";
  const path = decodeURIComponent(page.split(/[?#]/)[0] ?? "");
  const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
  if (!existsSync(file)) return "";
  const lines = (await readFile(file, "utf8")).split("\n");
  return lines
    .slice(Math.max(0, line - 2), line + 3)
    .map((text) => `    | ${text.trim().slice(0, 240)}`)
    .join("\n");
}

async function describe(finding: Found, number: number, folder: string): Promise<string> {
  const { site, check: id, severity, confidence, target, message, evidence, occurrences } = finding;
  const [place] = occurrences;
  const { screenshot: _image, ...facts } = evidence as Record<string, unknown>;
  const code = place ? await excerpt(folder, place.page, place.line) : "";
  return [
    `#${number} ${site} ${id} (${severity}, ${confidence}) ${finding.fingerprint}`,
    `  ${message}`,
    `  target: ${target ?? "-"}; ${finding.occurrenceCount} places on ${finding.pageCount} pages`,
    `  ${place?.page ?? finding.pageUrl}:${place?.line ?? "-"} ${place?.selector ?? ""} “${place?.text ?? ""}”`,
    `  ${JSON.stringify(facts).slice(0, 500)}`,
    code,
  ]
    .filter(Boolean)
    .join("\n");
}

await mkdir(out, { recursive: true });
const folders = new Map<string, string>();
const all: Found[] = [];
for (const argument of positionals) {
  const [name = "", folder = ""] = argument.split("=");
  folders.set(name, folder);
  // oxlint-disable-next-line no-await-in-loop -- one site at a time: Chromium needs the processors
  all.push(...(await check(name, folder)));
}
// The order of a report can change with its fingerprints' order: the draw must not.
const order = ({ site, fingerprint }: Found) => `${site} ${fingerprint}`;
const sorted = all.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
const drawn = drawSample(sorted, Number(values.count), Number(values.seed));
const texts = await Promise.all(
  drawn.map((finding, index) => describe(finding, index + 1, folders.get(finding.site) ?? "")),
);
const file = join(out, `sample-${values.seed}.txt`);
await writeFile(file, `${texts.join("\n\n")}\n`);
process.stdout.write(`${drawn.length} of ${all.length} findings: ${file}\n`);
