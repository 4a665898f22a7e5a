import { isBusy, isPoor, median } from "./vitals.ts";
import { type BrowserSupervisorOptions, makeBrowserSupervisor } from "./browser-supervisor.ts";
import { CrashError, VisitError } from "./visit-error.ts";
import type { Tab, TabOptions } from "./tab.ts";
import type { Visit } from "./visit.ts";

export interface PoolPage {
  path: string;
  url: string;
}

interface SlowPage extends PoolPage {
  visit: Visit;
}

export interface PoolOptions extends Omit<TabOptions, "sizes">, BrowserSupervisorOptions {
  tabs: number;
  /** A tab is replaced after this many pages. */
  pagesPerTab: number;
}

export interface PoolWatch {
  onVisit(visit: Visit): void;
  /** Called for a page that wasn't checked, or not completely. */
  onFailure(path: string, why: string): void;
}

/** How many slow pages are measured again. */
const maxSlow = 30;
/** How many crashed pages are opened again; a page that crashes costs a few seconds. */
const maxCrashed = 10;
/** Time limit for what a healthy Chromium does immediately, in ms. */
const promptMs = 5000;
/**
 * Time limit for opening a tab, which takes long on a busy machine; a page that gets none twice is
 * skipped.
 */
const tabMs = 30_000;

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  work.catch(() => {});
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** A browser that is restarted if it has ended or doesn't respond. */
export interface Pool {
  version: string;
  visit(pages: readonly PoolPage[], watch: PoolWatch): Promise<void>;
  close(): Promise<void>;
}

/** Starts Chromium with a pool of tabs. Throws if it can't be started. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export async function openPool(options: PoolOptions): Promise<Pool> {
  const { signal } = options;
  const sizes = new Map<string, number>();
  const supervisor = makeBrowserSupervisor(options);
  // The code for checking pages is loaded while Chromium starts.
  const [{ version }, { openTab }, { measurePaint, visitPage, warmUp }] = await Promise.all([
    supervisor.browser(),
    import("./tab.ts"),
    import("./visit-page.ts"),
  ]);

  const newTab = async (): Promise<Tab> =>
    within(tabMs, openTab(await supervisor.browser(), { ...options, sizes }));
  /** If a tab can't be closed, its browser is broken and is ended with all its tabs. */
  const closeTab = async (tab: Tab | undefined) => {
    if (tab) await within(promptMs, tab.close()).catch(supervisor.stop);
  };

  const warmTab = async (): Promise<Tab> => {
    const tab = await newTab();
    await tab.use(warmUp).catch(() => {});
    return tab;
  };
  /** The first tabs are prepared before there is a page for them. */
  const spare = Array.from({ length: options.tabs }, warmTab);
  for (const tab of spare) tab.catch(() => {});

  /** Pages that were open when the browser ended get a second chance. */
  const retried = new Set<object>();

  /** Twice more with nothing else running, before a page is reported as slow. */
  const measureAgain = async (tab: Tab, { url, visit }: SlowPage): Promise<Visit> => {
    const paint = await tab.use(async (view) => {
      const second = await measurePaint(view, url);
      const third = isPoor(second) ? await measurePaint(view, url) : second;
      return median([visit.paint, second, third]);
    });
    return { ...visit, paint: isBusy() ? { ...paint, busy: true } : paint };
  };

  /**
   * One tab's share of the work. Pages that crash are added to `crashed`, to be opened again with
   * nothing else running; without it, they are reported.
   */
  const work = async <P extends PoolPage>(
    queue: P[],
    each: (tab: Tab, page: P) => Promise<void>,
    onFailure: PoolWatch["onFailure"],
    crashed: P[] | null = null,
  ): Promise<void> => {
    let tab: Tab | undefined;
    for (let page = queue.shift(); page && !signal.aborted; page = queue.shift()) {
      try {
        if (tab && tab.used() >= options.pagesPerTab) {
          await closeTab(tab);
          tab = undefined;
        }
        tab ??= await (spare.shift() ?? newTab());
        await each(tab, page);
      } catch (error) {
        await closeTab(tab);
        tab = undefined;
        if (signal.aborted) break;
        if (error instanceof CrashError && crashed && crashed.length < maxCrashed) {
          crashed.push(page);
        } else if (error instanceof VisitError || retried.has(page)) {
          onFailure(page.path, reasonOf(error));
        } else {
          retried.add(page);
          queue.push(page);
        }
      }
    }
    await closeTab(tab);
  };

  return {
    version,
    async visit(pages, watch) {
      const queue = [...pages];
      const slow: SlowPage[] = [];
      const look = async (tab: Tab, { path, url }: PoolPage) => {
        const visit = await tab.use((view) => visitPage(view, path, url));
        if (isPoor(visit.paint) && slow.length < maxSlow) slow.push({ path, url, visit });
        else watch.onVisit(visit);
      };
      const crashed: PoolPage[] = [];
      const tabs = Math.min(options.tabs, queue.length);
      const share = () => work(queue, look, watch.onFailure, crashed);
      await Promise.all(Array.from({ length: tabs }, share));
      // Each in a tab of its own.
      for (const page of crashed) await work([page], look, watch.onFailure);
      const again = async (tab: Tab, page: SlowPage) =>
        watch.onVisit(await measureAgain(tab, page));
      await work([...slow], again, (path, why) => {
        const known = slow.find((one) => one.path === path);
        if (!known) return;
        const notChecked = [...known.visit.notChecked, `perf.lcp-cls-tbt: ${why}`];
        watch.onVisit({ ...known.visit, notChecked });
      });
    },
    async close() {
      const left = spare.splice(0);
      await supervisor.close();
      await Promise.allSettled(left.map(async (tab) => closeTab(await tab)));
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof VisitError) return error.message;
  const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
  return `the browser failed (${line.slice(0, 200)})`;
}
