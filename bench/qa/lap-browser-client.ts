/**
 * One measured lap of `browser-client.ts` in a process of its own: `node lap-browser-client.ts <client>
 * <origin>`. The addresses of the pages come as a message; what was measured goes back as one.
 */
import { hash } from "node:crypto";
import { once } from "node:events";
import { findChromium } from "../../packages/qa/src/browser/find-chromium.ts";
import type { Visit } from "../../packages/qa/src/browser/visit.ts";
import type { LapBrowser, LapStart, LapTab } from "./clients/lap-browser.ts";
import { secondsOfChromium } from "./processes.ts";

/**
 * `own` and `playwright` make the whole visit of the QA engine, with the one client and with the other
 * below it. `own-drive` and `playwright-drive` do only what any tool does with a page, the second with
 * Playwright's own functions.
 */
export type Client = "own" | "playwright" | "own-drive" | "playwright-drive";

export interface ClientLap {
  /** From the start of the lap until the tabs are ready, the client's modules included. */
  startMs: number;
  startCpuMs: number;
  pagesMs: number;
  /** Of Node while the pages were visited. */
  nodeCpuMs: number;
  /** Of all Chromium processes while the pages were visited. */
  chromiumCpuMs: number;
  nodeMiB: number;
  failures: string[];
  /** A digest of the results of each page; empty if a lap only drives. */
  seen: Record<string, string>;
}

/** The engine's default. */
const tabs = 2;
const pagesPerTab = 60;

const openers: Record<Client, () => Promise<(start: LapStart) => Promise<LapBrowser>>> = {
  own: async () => (await import("./clients/own.ts")).openForVisits,
  playwright: async () => (await import("./clients/playwright-visits.ts")).openForVisits,
  "own-drive": async () => (await import("./clients/own.ts")).openForDrives,
  "playwright-drive": async () => (await import("./clients/playwright-drives.ts")).openForDrives,
};

/** Results that depend neither on the load of the machine nor on a tab's cache. */
function digest({ status, a11y, console, failedRequests, ...visit }: Visit): string {
  const { narrow, smallTargets, focus, images } = visit;
  const issues = a11y.issues.map(({ rule, selector, engines }) => [rule, selector, engines]);
  const failed = failedRequests.map(({ url, error }) => `${url} ${error}`).toSorted();
  const widths = narrow.map(({ screenshot: _screenshot, ...one }) => one);
  const shown = images.map(({ wireBytes: _wireBytes, ...image }) => image);
  const all = { status, issues, said: console, failed, widths, shown, smallTargets, focus };
  return hash("sha256", JSON.stringify(all)).slice(0, 16);
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function visitAll(
  browser: LapBrowser,
  first: LapTab[],
  pages: { path: string; url: string }[],
): Promise<Pick<ClientLap, "failures" | "seen">> {
  const queue = [...pages];
  const failures: string[] = [];
  const seen: Record<string, string> = {};
  const work = async (tab: LapTab) => {
    let [open, used] = [tab, 0];
    for (let page = queue.shift(); page; page = queue.shift()) {
      if (used === pagesPerTab) {
        await open.close();
        [open, used] = [await browser.openTab(), 0];
      }
      used += 1;
      try {
        const visit = await open.visit(page.path, page.url);
        if (visit) seen[page.path] = digest(visit);
      } catch (error) {
        failures.push(`${page.path}: ${String(error).split("\n")[0]}`);
      }
    }
    await open.close();
  };
  await Promise.all(first.map(work));
  return { failures, seen };
}

const [client = "own", origin = ""] = process.argv.slice(2);
const executable = findChromium();
if (executable === null) throw new Error("Chromium is not installed.");
const [paths] = (await once(process, "message")) as [string[]];
const started = performance.now();
const cpuStarted = cpuMs();
const open = await openers[client as Client]();
const browser = await open({ origin, executable });
const first = await Promise.all(Array.from({ length: tabs }, () => browser.openTab()));
const startMs = performance.now() - started;
const startCpuMs = cpuMs() - cpuStarted;

const from = { ms: performance.now(), node: cpuMs(), chromium: secondsOfChromium(process.pid) };
const pages = paths.map((path) => ({ path, url: new URL(path, origin).href }));
const result = await visitAll(browser, first, pages);
const lap: ClientLap = {
  ...result,
  startMs,
  startCpuMs,
  pagesMs: performance.now() - from.ms,
  nodeCpuMs: cpuMs() - from.node,
  chromiumCpuMs: (secondsOfChromium(process.pid) - from.chromium) * 1000,
  nodeMiB: process.resourceUsage().maxRSS / 1024,
};
await browser.close();
process.send?.(lap, () => process.exit(0));
