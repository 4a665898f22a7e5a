import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { EngineResult } from "../engine/job.ts";
import type {
  BrowserRunOptions,
  BrowserResult,
  BrowserPage,
  BrowserStartOptions,
  StartedBrowser,
} from "./browser-types.ts";
import { programFingerprint } from "./chromium.ts";
import { makeCropBudget } from "./crops.ts";
import { findChromium } from "./find-chromium.ts";
import type { Pool } from "./pool.ts";
import { runJsdomFallback } from "./jsdom-fallback.ts";

export type { BrowserPage, StartedBrowser };

const megabyte = 1024 * 1024;
const tabs = 2;
const pagesPerTab = 60;
const pageBytes = 400 * megabyte;
/** How many responses of the maximum size a page may load. */
const bodiesPerPage = 4;

function versionOf(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const file = folders
    .map((dir) => join(dir, name, "package.json"))
    .find((path) => existsSync(path));
  if (file === undefined) return "0";
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** Increment when visits measure something else, so that pages are checked again. */
const visitVersion = 4;

/**
 * The versions of everything that checks pages: a change makes pages be checked again. Starts
 * nothing; Chromium is identified by its file.
 */
export function browserEngines(): string {
  const program = findChromium();
  return [
    `visit ${visitVersion}`,
    program === null ? "jsdom" : `chromium ${programFingerprint(program)}`,
    `axe-core ${versionOf("axe-core")}`,
    `accesslint ${versionOf("@accesslint/core")}`,
  ].join(", ");
}

/** Merges pages that weren't checked for the same reason. */
function toSkippedCheck(
  failures: ReadonlyMap<string, readonly string[]>,
): EngineResult["skippedChecks"] {
  return [...failures].map(([why, paths]) => {
    const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
    return { what: `${paths.slice(0, 3).join(", ")}${more}`, why: `Not checked: ${why}.` };
  });
}

async function openTabs(start: BrowserStartOptions, count: number): Promise<Pool | string> {
  const executable = start.executable === undefined ? findChromium() : start.executable;
  if (executable === null) return "Chromium is not installed";
  const { limits, origin, connect, allow, signal } = start;
  try {
    const { openPool } = await import("./pool.ts");
    return await openPool({
      executable,
      tabs: Math.min(tabs, count),
      pagesPerTab,
      pageBytes,
      origin,
      connect,
      allow,
      signal,
      phaseMs: limits.phaseSeconds * 1000,
      pageMs: limits.phaseSeconds * 2000,
      crops: start.screenshots ? makeCropBudget() : undefined,
      maxBytes: limits.bodyMiB * megabyte * bodiesPerPage,
    });
  } catch (error) {
    signal.throwIfAborted();
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return `Chromium can’t be started (${reason.slice(0, 200)})`;
  }
}

/** Starts Chromium for this many pages in advance of `runBrowser`. Must be stopped in any case. */
export function startBrowser(start: BrowserStartOptions, pages: number): StartedBrowser {
  const stopping = new AbortController();
  const signal = AbortSignal.any([start.signal, stopping.signal]);
  const pool = openTabs({ ...start, signal }, pages);
  pool.catch(() => {});
  return {
    pool,
    async stop() {
      stopping.abort(new Error("the browser is stopped"));
      const opened = await pool.catch(() => "");
      if (typeof opened !== "string") await opened.close();
    },
  };
}

/**
 * Checks pages with Chromium, two at a time, with limits on time, memory, and traffic; a page that
 * exceeds them is reported in `skippedChecks` without affecting others. Each visit is passed on
 * immediately. Without a working Chromium, jsdom does a part of it. All of Chromium's requests go
 * through the guard. Rejects with the signal's reason when aborted; nothing keeps running.
 */
export async function runBrowser(options: BrowserRunOptions): Promise<BrowserResult> {
  options.signal.throwIfAborted();
  if (options.pages.length === 0) {
    return { environment: "chromium", engines: [], visited: [], skippedChecks: [] };
  }
  const { signal } = options;
  const started = options.started ?? startBrowser(options, options.pages.length);
  const abort = () => void started.stop();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const pool = await started.pool;
    signal.throwIfAborted();
    return typeof pool === "string"
      ? await runJsdomFallback(options, pool)
      : await visitAll(options, pool);
  } finally {
    signal.removeEventListener("abort", abort);
    await started.stop();
    signal.throwIfAborted();
  }
}

async function visitAll(options: BrowserRunOptions, pool: Pool): Promise<BrowserResult> {
  const visited: string[] = [];
  const engines = new Set([pool.version]);
  const failures = new Map<string, string[]>();
  await pool.visit(options.pages, {
    onVisit(visit) {
      visited.push(visit.page);
      for (const engine of visit.a11y.engines) engines.add(engine);
      options.onVisit(visit);
    },
    onFailure(path, why) {
      const known = failures.get(why);
      if (known) known.push(path);
      else failures.set(why, [path]);
    },
  });
  return {
    environment: "chromium",
    engines: [...engines],
    visited,
    skippedChecks: toSkippedCheck(failures),
  };
}
