import { isPoor, median } from "./vitals.ts";
import { type Chromium, startChromium, watchMemory } from "./chromium.ts";
import { openTab, type Tab, type TabOptions } from "./tab.ts";
import type { Visit } from "./visit.ts";
import { measurePaint, NotVisited, visitPage } from "./visit-page.ts";

export interface PoolPage {
  path: string;
  url: string;
}

export interface PoolOptions extends Omit<TabOptions, "sizes"> {
  executable: string;
  tabs: number;
  /** A tab gives way to a new one after this many pages. */
  pagesPerTab: number;
  /** What one page may hold in memory, in bytes. */
  pageBytes: number;
  signal: AbortSignal;
}

export interface PoolWatch {
  onVisit(visit: Visit): void;
  /** A page that was not looked at, or not quite. */
  onFailure(path: string, why: string): void;
}

/** How often a browser that ends by itself is started again. */
const mostStarts = 4;
/** How long Chromium may take to do what it does at once when it is well. */
const promptMs = 5000;

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  work.catch(() => {});
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** A browser that is started anew when it has ended or does not answer. */
export interface Pool {
  version: string;
  visit(pages: readonly PoolPage[], watch: PoolWatch): Promise<void>;
  close(): Promise<void>;
}

interface Running {
  chromium: Chromium;
  unwatch: () => void;
}

/** Starts Chromium with a pool of tabs. Throws when it can't be started. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export async function openPool(options: PoolOptions): Promise<Pool> {
  const { signal, executable } = options;
  const sizes = new Map<string, number>();
  let starts = 0;
  let running: Promise<Running> | undefined;

  const start = async (): Promise<Running> => {
    starts += 1;
    if (starts > mostStarts) throw new Error("Chromium ended too often.");
    const chromium = await startChromium(executable);
    const unwatch = await watchMemory(chromium, options.pageBytes);
    chromium.browser.once("disconnected", () => {
      unwatch();
      running = undefined;
    });
    if (signal.aborted) await chromium.kill();
    return { chromium, unwatch };
  };
  const stop = async () => {
    const now = await running?.catch(() => undefined);
    running = undefined;
    now?.unwatch();
    await now?.chromium.kill();
  };
  const onAbort = () => void stop();
  signal.addEventListener("abort", onAbort, { once: true });

  const newTab = async (): Promise<Tab> => {
    signal.throwIfAborted();
    running ??= start();
    running.catch(() => {});
    const { chromium } = await running;
    return within(promptMs * 2, openTab(chromium, { ...options, sizes }));
  };
  /** A tab that can't be closed belongs to a browser that is ill: that one ends, with all its tabs. */
  const closeTab = async (tab: Tab | undefined) => {
    if (tab) await within(promptMs, tab.close()).catch(stop);
  };

  /** One tab's share of the work. */
  const work = async <P extends PoolPage>(
    queue: P[],
    each: (tab: Tab, page: P) => Promise<void>,
    onFailure: PoolWatch["onFailure"],
  ): Promise<void> => {
    let tab: Tab | undefined;
    for (let page = queue.shift(); page && !signal.aborted; page = queue.shift()) {
      try {
        if (tab && tab.used() >= options.pagesPerTab) {
          await closeTab(tab);
          tab = undefined;
        }
        tab ??= await newTab();
        await each(tab, page);
      } catch (error) {
        if (!signal.aborted) onFailure(page.path, reasonOf(error));
        await closeTab(tab);
        tab = undefined;
      }
    }
    await closeTab(tab);
  };

  return {
    version: (await (running = start())).chromium.version,
    async visit(pages, watch) {
      const queue = [...pages];
      const slow: (PoolPage & { visit: Visit })[] = [];
      const look = (tab: Tab, { path, url }: PoolPage) =>
        tab.use(async (view) => {
          const visit = await visitPage(view, path, url);
          if (isPoor(visit.paint)) slow.push({ path, url, visit });
          else watch.onVisit(visit);
        });
      const tabs = Math.min(options.tabs, queue.length);
      await Promise.all(Array.from({ length: tabs }, () => work(queue, look, watch.onFailure)));
      // Twice more, alone and with nothing else going on, before a page is told to be slow.
      const again = (tab: Tab, { url, visit }: PoolPage & { visit: Visit }) =>
        tab.use(async (view) => {
          const second = await measurePaint(view, url);
          const third = isPoor(second) ? await measurePaint(view, url) : second;
          watch.onVisit({ ...visit, paint: median([visit.paint, second, third]) });
        });
      await work([...slow], again, (path, why) => {
        const known = slow.find((one) => one.path === path);
        if (!known) return;
        const notChecked = [...known.visit.notChecked, `perf.lcp-cls-tbt: ${why}`];
        watch.onVisit({ ...known.visit, notChecked });
      });
    },
    async close() {
      signal.removeEventListener("abort", onAbort);
      await stop();
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof NotVisited) return error.message;
  const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
  return `the browser failed (${line.slice(0, 200)})`;
}
