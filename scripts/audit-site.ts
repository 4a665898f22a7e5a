import { writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { chromium as tool, findTool } from "../packages/server/src/platform/system-tools.ts";
import {
  ensureLighthouse,
  type LighthouseRun,
  middleOf,
  startLighthouse,
} from "./audit/lighthouse.ts";
import { inspectPage } from "./audit/inspect-page.ts";
import { type AuditEnvironment, markdownReport, missLines, plainTable } from "./audit/report.ts";
import {
  freePort,
  type AuditedSite,
  externalSite,
  serveFolder,
  serveNewInstance,
} from "./audit/audited-site.ts";
import { median, missesOf, type PageFigures } from "./audit/targets.ts";

const usage = `npm run audit:site [-- options]

Measures every page of the default site and writes docs/site-audit.md.

  --runs 5          how often Lighthouse measures each page; 0 leaves Lighthouse out
  --pages /,/about/ only these
  --url address     a site that is already served, instead of a fresh instance
  --dir folder      a built site, instead of a fresh instance
  --out file        where the document goes; without it only the default site's is written
`;

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    pages: { type: "string" },
    url: { type: "string" },
    dir: { type: "string" },
    out: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

async function launcher(): Promise<(port?: number) => Promise<Browser>> {
  const executablePath = await findTool(tool);
  if (executablePath === null) throw new Error("Chromium is not installed.");
  return (port) => {
    const args = port === undefined ? flags : [...flags, `--remote-debugging-port=${port}`];
    return chromium.launch({ executablePath, args });
  };
}

function serve(): Promise<AuditedSite> {
  if (options.url !== undefined) return Promise.resolve(externalSite(options.url));
  if (options.dir !== undefined) return serveFolder(resolve(options.dir));
  console.error("Installing a fresh instance …");
  return serveNewInstance();
}

type InspectedSite = Awaited<ReturnType<typeof inspectPage>>;

/**
 * Audits of Lighthouse that don't apply: indexability of a page that asks not to be listed;
 * robots.txt, which the other pages cover and a page that may fetch nothing can't read; and the
 * status of a 404 page, which the browser also logs to its console.
 */
function skippedOf({ isNoindex, status }: InspectedSite): string[] {
  return [
    ...(isNoindex ? ["is-crawlable", "robots-txt"] : []),
    ...(status >= 400 ? ["http-status-code", "errors-in-console"] : []),
  ];
}

async function inspectAll(launch: () => Promise<Browser>, base: string, paths: readonly string[]) {
  const inspection: InspectedSite[] = [];
  const browser = await launch();
  try {
    for (const path of paths) {
      console.error(`axe and sizes: ${path}`);
      inspection.push(await inspectPage(browser, base, path));
    }
  } finally {
    await browser.close();
  }
  return inspection;
}

async function measureAll(
  launch: (port?: number) => Promise<Browser>,
  base: string,
  inspection: readonly InspectedSite[],
  runs: number,
): Promise<Map<string, LighthouseRun[]>> {
  const measured = new Map(inspection.map(({ path }) => [path, [] as LighthouseRun[]]));
  if (runs === 0) return measured;
  using lighthouse = startLighthouse(launch, await freePort());
  for (let run = 1; run <= runs; run += 1) {
    for (const page of inspection) {
      const address = new URL(page.path, base).href;
      const found = await lighthouse.measure(address, skippedOf(page));
      measured.get(page.path)?.push(found);
      const seconds = (found.lcp / 1000).toFixed(2);
      console.error(
        `Lighthouse ${run}/${runs}: ${page.path} ${found.scores.join(" ")} ${seconds} s`,
      );
    }
  }
  return measured;
}

function lighthouseVersion(): string {
  const file = join(platformRoot, "audit/node_modules/lighthouse/package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

async function circumstances(
  launch: () => Promise<Browser>,
  runs: readonly LighthouseRun[][],
): Promise<AuditEnvironment> {
  const browser = await launch();
  const version = browser.version().split(".")[0] ?? "";
  await browser.close();
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    what: options.url ?? (options.dir === undefined ? "The default site" : "A built site"),
    date: new Date().toISOString().slice(0, 10),
    runs: Number(options.runs),
    machine: `${processors.length} processors (${processors[0]?.model.trim() ?? "unknown"}), ${memory} GB`,
    browser: `headless Chromium ${version}`,
    lighthouse: Number(options.runs) > 0 ? lighthouseVersion() : "",
    benchmark: median(runs.flat().map(({ benchmark }) => benchmark)),
  };
}

async function main(): Promise<number> {
  const runs = Number(options.runs);
  if (!Number.isInteger(runs) || runs < 0) throw new Error("--runs is a whole number.");
  if (runs > 0) ensureLighthouse();
  const launch = await launcher();
  await using site = await serve();
  const paths = options.pages?.split(",") ?? (await site.pages());
  const inspection = await inspectAll(launch, site.base, paths);
  const measured = await measureAll(launch, site.base, inspection, runs);
  const pages: PageFigures[] = inspection.map((page) =>
    Object.assign(page, middleOf(measured.get(page.path) ?? [])),
  );
  console.log(`\n${plainTable(pages)}\n`);
  const isDefault = options.url === undefined && options.dir === undefined;
  const isWhole = isDefault && options.pages === undefined && runs > 0;
  const out = options.out ?? (isWhole ? join(platformRoot, "docs/site-audit.md") : null);
  if (out !== null) {
    const how = await circumstances(launch, [...measured.values()]);
    await writeFile(out, markdownReport(pages, how));
  }
  const misses = missesOf(pages);
  for (const line of missLines(misses)) console.log(line);
  console.log(misses.length === 0 ? "All targets are met." : `${misses.length} missed.`);
  return misses.length === 0 ? 0 : 1;
}

// Ends the server and removes the installation.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

if (options.help) console.log(usage);
else {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error);
    process.exitCode = 2;
  }
}
