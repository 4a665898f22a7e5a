/**
 * One measured lap in a process of its own: `node measure.ts <mode> <origin> <file> <pages>`. `alone`
 * writes what is known of the site then to the file, as if a browser had seen it as well, and
 * `unchanged` begins from that; `browser` opens so many pages.
 */

import type { Measurement, MeasureOptions, Mode, Outcome } from "./outcome.ts";

type Work = (options: MeasureOptions) => Promise<Outcome>;

const [mode = "crawl", origin = "", file = "", opened = "60"] = process.argv.slice(2);

/** Everything that a lap needs is loaded before it is measured, and nothing else. */
const modes: Record<Mode, () => Promise<Work>> = {
  linkinator: async () => (await import("./measure-linkinator.ts")).measureLinkinator,
  crawl: async () => (await import("./measure-crawl.ts")).measureCrawl,
  static: async () => (await import("./measure-runs.ts")).measureStaticChecks,
  alone: async () => (await import("./measure-runs.ts")).measureRunWithoutBrowser,
  unchanged: async () => (await import("./measure-runs.ts")).measureUnchangedRun,
  browser: async () => (await import("./measure-runs.ts")).measureRunWithBrowser,
};

const work = await modes[mode as Mode]();
const cpuBefore = process.cpuUsage();
const started = performance.now();
const outcome = await work({ origin, file, browserPages: Number(opened) });
const ms = performance.now() - started;
const { user, system } = process.cpuUsage(cpuBefore);
const cpuMs = (user + system) / 1000;
const rssMiB = process.resourceUsage().maxRSS / 1024;
const measurement: Measurement = { ...outcome, ms, cpuMs, rssMiB };
process.send?.(measurement, () => process.exit(0));
