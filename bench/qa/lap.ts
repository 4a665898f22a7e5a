/**
 * One measured lap in a process of its own: `node lap.ts <mode> <origin> <file> <pages>`. `static`
 * writes what is known of the site then to the file, as if a browser had seen it as well, and
 * `unchanged` begins from that; `browser` opens so many pages.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { loadChecks } from "../../src/features/qa/checks/load.ts";
import type { EngineJob, EngineResult, Known, Progress } from "../../src/features/qa/engine/job.ts";
import { defaultLimits } from "../../src/platform/config.ts";

export type Mode = "linkinator" | "crawl" | "static" | "unchanged" | "browser";

export interface Lap {
  ms: number;
  /** What the process itself computed, on all cores: it depends less on what else the machine does. */
  cpuMs: number;
  rssMiB: number;
  /** What was found to be wrong: path and fragment of the target, or as it is written. */
  found: string[];
  pages: number;
  browserPages: number;
  /** From the first word of the browser to the end. */
  browserMs: number;
  unchanged: boolean;
  /** Checks that were not made. */
  failed: string[];
}

type Outcome = Omit<Lap, "ms" | "cpuMs" | "rssMiB">;

const [mode = "crawl", origin = "", file = "", opened = "60"] = process.argv.slice(2);
const plain = { browserPages: 0, browserMs: 0, unchanged: false, failed: [] };
const none: Known = { site: null, resources: [], externals: [] };
const limits = defaultLimits.qa;
const { signal } = new AbortController();
const short = (address: string) => address.replace(origin, "");

async function linkinator(): Promise<() => Promise<Outcome>> {
  const { check, LinkState } = await import("linkinator");
  return async () => {
    const { links } = await check({
      path: `${origin}/`,
      recurse: true,
      checkFragments: true,
      checkCss: true,
    });
    const broken = links.filter(({ state }) => state === LinkState.BROKEN);
    const pages = new Set(links.map(({ parent }) => parent)).size - 1;
    const found = [...new Set(broken.map(({ url }) => short(url)))];
    return { found, pages, ...plain };
  };
}

/** The crawl, and of the checks those of links, places, pictures and files. */
async function crawl(): Promise<() => Promise<Outcome>> {
  const { crawlSite } = await import("../../src/features/qa/crawl/crawl-site.ts");
  const { makeFetcher } = await import("../../src/features/qa/crawl/fetcher.ts");
  const { linkFaults } = await import("./link-faults.ts");
  return async () => {
    const fetcher = makeFetcher({ origin, connect: null, limits, signal });
    const crawled = await crawlSite({
      start: `${origin}/`,
      seeds: [],
      fetcher,
      limits,
      known: none,
      engine: "bench",
      full: true,
      external: "none",
      now: "2026-11-21T12:00:00.000Z",
      program: false,
      signal,
      onProgress() {},
    });
    const found = linkFaults(crawled.crawl).map(short);
    const pages = crawled.crawl.pages.size;
    crawled.close();
    await fetcher.close();
    return { found, pages, ...plain };
  };
}

const jobOf = (known: Known, browser: EngineJob["browser"]): EngineJob => ({
  url: `${origin}/`,
  connect: null,
  limits: { ...limits, browserPages: Number(opened) },
  engine: "bench",
  browser,
  external: "none",
  full: false,
  own: null,
  known,
  now: "2026-11-21T12:00:00.000Z",
});

/** What is known after a pass in which a browser has seen every page. */
function asSeen({ known }: EngineResult): Known {
  const resources = known.resources.map((one) =>
    one.kind === "page" ? { ...one, browserKey: "seen", browserSeen: true } : one,
  );
  return { ...known, resources };
}

const foundBy = ({ observations }: EngineResult): string[] => [
  ...new Set(observations.flatMap(({ target }) => (target === null ? [] : [short(target)]))),
];

async function engine(browser: EngineJob["browser"]): Promise<() => Promise<Outcome>> {
  const { runEngine } = await import("../../src/features/qa/engine/engine.ts");
  const known = mode === "unchanged" ? (JSON.parse(readFileSync(file, "utf8")) as Known) : none;
  let browserFrom: number | null = null;
  const watch = {
    signal,
    progress({ step }: Progress) {
      if (step === "browser") browserFrom ??= performance.now();
    },
    countMessages: async () => null,
  };
  return async () => {
    const result = await runEngine(jobOf(known, browser), watch);
    const browserMs = browserFrom === null ? 0 : performance.now() - browserFrom;
    if (mode === "static") writeFileSync(file, JSON.stringify(asSeen(result)));
    const { pages, browserPages } = result.stats;
    const { unchanged, notRun } = result;
    const failed = notRun.map(({ what, why }) => `${what}: ${why}`);
    return { found: foundBy(result), pages, browserPages, browserMs, unchanged, failed };
  };
}

const modes: Record<Mode, () => Promise<() => Promise<Outcome>>> = {
  linkinator,
  crawl,
  static: () => engine("off"),
  unchanged: () => engine("auto"),
  browser: () => engine("auto"),
};

const work = await modes[mode as Mode]();
// What a program consists of is loaded before it is measured, the peer's as well as ours.
await Promise.all([loadChecks("site"), loadChecks("browser")]);
const cpuBefore = process.cpuUsage();
const begun = performance.now();
const outcome = await work();
const ms = performance.now() - begun;
const { user, system } = process.cpuUsage(cpuBefore);
const cpuMs = (user + system) / 1000;
const rssMiB = process.resourceUsage().maxRSS / 1024;
const lap: Lap = { ...outcome, ms, cpuMs, rssMiB };
process.send?.(lap, () => process.exit(0));
