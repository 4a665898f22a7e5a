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
import { findChromium } from "./find-chromium.ts";
import type { Pool } from "./pool.ts";
import { runJsdomFallback } from "./jsdom-fallback.ts";

export type { BrowserPage, StartedBrowser };

const megabyte = 1024 * 1024;
const tabs = 2;
const pagesPerTab = 60;
const pageBytes = 400 * megabyte;
/** How many answers of full length one page may load. */
const bodiesPerPage = 4;

function versionOf(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const file = folders
    .map((dir) => join(dir, name, "package.json"))
    .find((path) => existsSync(path));
  if (file === undefined) return "0";
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** Raised when visits measure otherwise than before, so that pages are looked at again. */
const visitVersion = 4;

/**
 * What looks at pages here, in one line: another one makes pages be looked at again. Starts nothing;
 * Chromium is known by its file.
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

/** Failures of pages that have the same reason are told as one. */
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
      maxBytes: limits.bodyMiB * megabyte * bodiesPerPage,
    });
  } catch (error) {
    signal.throwIfAborted();
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return `Chromium can’t be started (${reason.slice(0, 200)})`;
  }
}

/**
 * Starts Chromium for so many pages, so that it is ready when they are handed to `runBrowser`. It
 * has to be stopped, whether they are or not.
 */
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
 * Looks at pages with Chromium, two at a time, each within bounds of time, memory and traffic; a page
 * that goes beyond them is told in `skippedChecks` and costs no other. Each visit is handed over as soon as
 * it is made. Where Chromium is not, or can't be started, jsdom stands in for a part of it.
 * Everything that Chromium asks for goes through the guard. Rejects with the signal's reason when it
 * is aborted; nothing runs on then.
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
