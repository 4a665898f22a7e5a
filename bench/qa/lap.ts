/**
 * One measured lap in a process of its own: `node lap.ts <mode> <origin> <file> <pages>`. `alone`
 * writes what is known of the site then to the file, as if a browser had seen it as well, and
 * `unchanged` begins from that; `browser` opens so many pages.
 */

import type { Lap, LapOptions, Mode, Outcome } from "./outcome.ts";

type Work = (options: LapOptions) => Promise<Outcome>;

const [mode = "crawl", origin = "", file = "", opened = "60"] = process.argv.slice(2);

/** What a lap consists of is loaded before it is measured, and nothing else. */
const modes: Record<Mode, () => Promise<Work>> = {
  linkinator: async () => (await import("./lap-linkinator.ts")).lapOfLinkinator,
  crawl: async () => (await import("./lap-crawl.ts")).lapOfCrawl,
  static: async () => (await import("./lap-passes.ts")).lapOfStaticChecks,
  alone: async () => (await import("./lap-passes.ts")).lapOfPassAlone,
  unchanged: async () => (await import("./lap-passes.ts")).lapOfUnchangedPass,
  browser: async () => (await import("./lap-passes.ts")).lapOfPassWithBrowser,
};

const work = await modes[mode as Mode]();
const cpuBefore = process.cpuUsage();
const begun = performance.now();
const outcome = await work({ origin, file, browserPages: Number(opened) });
const ms = performance.now() - begun;
const { user, system } = process.cpuUsage(cpuBefore);
const cpuMs = (user + system) / 1000;
const rssMiB = process.resourceUsage().maxRSS / 1024;
const lap: Lap = { ...outcome, ms, cpuMs, rssMiB };
process.send?.(lap, () => process.exit(0));
