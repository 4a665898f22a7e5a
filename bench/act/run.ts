/**
 * Measures accessibility findings against the W3C's ACT test cases:
 * `node bench/act/run.ts FOLDER [--json FILE] [--half 0|1] [--rules a,b] [--folds N] [--alone]
 * [--verbose]`; `--alone` leaves the engines without us out, which takes half the time, and `--folds`
 * prints figures for N parts with different rules, to tune with some and judge by others. The folder holds index.json (a list of {file, rule,
 * ruleName, approved, expected}) and the files; files that are missing are left out.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import {
  installEngines,
  collectFrom,
  defaultCollectOptions,
} from "../../packages/qa/src/a11y/run-engines.ts";
import { mergeIssues } from "../../packages/qa/src/a11y/merge.ts";
import { ownRules } from "../../packages/qa/src/a11y/own-rules.ts";
import { findListeners, focusReaction, walkFocus } from "../../packages/qa/src/browser/focus.ts";
import { openWorld, type World } from "../../packages/qa/src/browser/world.ts";
import { type Case, type Judged, judge, type CollectedIssues, report } from "./score.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "string" },
    half: { type: "string" },
    rules: { type: "string" },
    alone: { type: "boolean" },
    tabs: { type: "string" },
    folds: { type: "string" },
    verbose: { type: "boolean" },
  },
});
const folder = positionals[0];
if (folder === undefined) throw new Error("Name the folder that holds index.json.");

const types: Record<string, string> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  xml: "application/xml; charset=utf-8",
  xhtml: "application/xhtml+xml; charset=utf-8",
};

/**
 * Half of the cases, chosen by their names: one half to develop with, the other for the final
 * measurement.
 */
const halfOf = (file: string): string =>
  String(Number.parseInt(createHash("sha256").update(file).digest("hex").charAt(0), 16) % 2);

const cases = (JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) as Case[]).filter(
  ({ file, rule }) =>
    existsSync(join(folder, file)) &&
    (values.rules?.split(",").includes(rule) ?? true) &&
    (values.half === undefined || halfOf(file) === values.half),
);

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
  const file = join(folder, path);
  if (path.includes("..") || path.endsWith("/") || !existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader(
    "content-type",
    types[path.split(".").at(-1) ?? ""] ?? "application/octet-stream",
  );
  response.end(readFileSync(file));
});
await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** The engines in their default state with all rules, for comparison. */
const everything = {
  axeOff: [],
  axeOn: ["color-contrast-enhanced", "meta-refresh-no-exceptions", "identical-links-same-purpose"],
  accesslintOff: [],
  accesslintAaa: true,
  ownOff: ownRules.map(({ id }) => id),
  axeChecks: {},
  bothContrasts: false,
  vetoes: false,
};
const times: number[] = [];

interface Tab {
  page: Page;
  session: CDPSession;
  world: World;
}

async function openTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const world = await openWorld(session, frameTree.frame.id);
  await Promise.all([
    installEngines(session),
    session.send("Page.enable"),
    session.send("Runtime.enable"),
  ]);
  return { page, session, world };
}

/** Whether the Tab key gets stuck on the page, as in a QA run. */
async function isTrap({ session, world }: Tab): Promise<boolean> {
  const reaction = await focusReaction(session, await findListeners(session));
  if (reaction === "none") return false;
  return (await walkFocus(session, world, reaction)).stuck !== null;
}

async function checkFile(tab: Tab, file: string): Promise<CollectedIssues | null> {
  const { page, session, world } = tab;
  try {
    world.renew();
    await page.goto(`${origin}/${file}`, { waitUntil: "load", timeout: 30_000 });
    const started = performance.now();
    const collected = await collectFrom(session, defaultCollectOptions);
    times.push(performance.now() - started);
    const plain = values.alone ? [] : await collectFrom(session, everything);
    return {
      issues: collected.flatMap(mergeIssues),
      raw: plain.flatMap(({ issues }) => issues),
      isTrap: await isTrap(tab),
    };
  } catch (error) {
    console.error(`${file}: ${String(error).split("\n")[0]}`);
    return null;
  }
}

/** Checks files one after the other in one tab: a tab for each would take longer than the check. */
async function checkFiles(context: BrowserContext, files: Iterator<string>): Promise<void> {
  let tab = await openTab(context);
  for (let next = files.next(); !next.done; next = files.next()) {
    const looked = await checkFile(tab, next.value);
    seen.set(next.value, looked);
    if (looked === null) {
      await tab.page.close();
      tab = await openTab(context);
    }
  }
}

const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium-headless-shell",
});
const judged: Judged[] = [];
const seen = new Map<string, CollectedIssues | null>();
try {
  const context = await browser.newContext();
  // The cases refer to other hosts and missing files: no request leaves this machine.
  await context.route(
    (url) => url.origin !== origin,
    (route) => route.abort(),
  );
  const files = new Set(cases.map(({ file }) => file)).values();
  const tabs = Array.from({ length: Number(values.tabs ?? 2) }, () => checkFiles(context, files));
  await Promise.all(tabs);
  for (const one of cases) judged.push(judge(one, seen.get(one.file) ?? null));
} finally {
  await browser.close();
  server.close();
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(judged, null, 1));
times.sort((a, b) => a - b);
console.log(
  `${cases.length} cases; a look takes ${Math.round(times[times.length >> 1] ?? 0)} ms (median)`,
);
process.exitCode = report(judged, {
  verbose: values.verbose ?? false,
  folds: Number(values.folds ?? 1),
})
  ? 0
  : 1;
