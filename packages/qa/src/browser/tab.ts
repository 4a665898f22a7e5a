import { installEngines } from "../a11y/run-engines.ts";
import type { Chromium } from "./chromium.ts";
import type { CropBudget } from "./crops.ts";
import { watchConsole } from "./console.ts";
import type { Session } from "./devtools.ts";
import { setWidth, wide } from "./narrow.ts";
import { CrashError, VisitError } from "./visit-error.ts";
import { openProxy, type Proxy, type ProxyOptions } from "./proxy.ts";
import { openTarget, type Target } from "./tab-target.ts";
import { watchTraffic } from "./traffic.ts";
import type { View } from "./visit-page.ts";
import { openWorld } from "./world.ts";

export interface TabOptions extends ProxyOptions {
  /** The sizes of files by address, shared by all tabs. */
  sizes: Map<string, number>;
  /** Time limit of one page, in ms. */
  pageMs: number;
  /** What is left of the run's screenshots; none are taken without it. */
  crops?: CropBudget | undefined;
}

/** A tab with its own cookies, cache, and proxy. */
export interface Tab {
  /**
   * Uses the tab for one page. Throws `VisitError` if the page takes too long, crashes, or does
   * what no page should, and another error as soon as the browser is gone; the tab then has to be
   * closed.
   */
  use<T>(work: (view: View) => Promise<T>): Promise<T>;
  /** How many pages it has shown. */
  used(): number;
  close(): Promise<void>;
}

const maxCounts = { dialogs: 10, navigations: 6, windows: 3 } as const;

interface PageBehavior {
  start(): void;
  navigations(): number;
}

/** Behavior of a page that can't be waited out, which ends the visit. */
function watchPageBehavior(
  root: Session,
  { id, contextId, session }: Target,
  end: (why: string | VisitError) => void,
): PageBehavior {
  const counts = { dialogs: 0, navigations: 0, windows: 0 };
  const count = (what: keyof typeof counts, why: string) => {
    counts[what] += 1;
    if (counts[what] > maxCounts[what]) end(why);
  };
  session.on("Page.javascriptDialogOpening", ({ type }) => {
    count("dialogs", "it keeps opening dialogs");
    // Leaving is always allowed; all other dialogs are dismissed.
    const accept = type === "beforeunload";
    session.send("Page.handleJavaScriptDialog", { accept }).catch(() => {});
  });
  root.on("Target.targetCreated", ({ targetInfo: { targetId, type, browserContextId } }) => {
    if (browserContextId !== contextId || type !== "page" || targetId === id) return;
    count("windows", "it keeps opening windows");
    root.send("Target.closeTarget", { targetId }).catch(() => {});
  });
  root.on("Target.targetCrashed", ({ targetId }) => {
    if (targetId !== id) return;
    end(new CrashError("it uses too much memory or crashes the browser"));
  });
  session.on("Page.frameNavigated", ({ frame }) => {
    // The ID of a page's main frame is that of its target.
    if (frame.id === id) count("navigations", "it keeps redirecting to other pages");
  });
  return {
    start() {
      Object.assign(counts, { dialogs: 0, navigations: 0, windows: 0 });
    },
    navigations: () => counts.navigations,
  };
}

/** Everything that a visit uses. */
async function viewOf(
  { id: frameId, session }: Target,
  { proxy, behavior, options }: { proxy: Proxy; behavior: PageBehavior; options: TabOptions },
): Promise<View> {
  const [world, traffic, console] = await Promise.all([
    openWorld(session, frameId),
    watchTraffic(session, options.sizes),
    watchConsole(session, frameId),
    installEngines(session),
    session.send("Page.enable"),
    session.send("Runtime.enable"),
  ]);
  const { navigations } = behavior;
  return {
    frameId,
    session,
    world,
    traffic,
    console,
    proxy,
    navigations,
    phaseMs: options.phaseMs,
    crops: options.crops ?? null,
  };
}

/** Rejects if something ends a visit early; nobody needs to be listening. */
function untilEnd(): PromiseWithResolvers<never> {
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {});
  return over;
}

/** Opens a tab of a browser. */
export async function openTab({ devtools }: Chromium, options: TabOptions): Promise<Tab> {
  const proxy = await openProxy(options);
  const target = await openTarget(devtools, proxy.port).catch(async (error: unknown) => {
    await proxy.close();
    throw error;
  });
  const { session, contextId: browserContextId } = target;
  const { root } = devtools;
  let over = untilEnd();
  const end = (why: string | VisitError) =>
    over.reject(typeof why === "string" ? new VisitError(why) : why);
  // Without this, nothing would be reported about the page any more: waiting for it would fail, and
  // the page would be blamed.
  void devtools.closed.then(() => over.reject(new Error("the browser is gone")));
  const behavior = watchPageBehavior(root, target, end);
  const view = await viewOf(target, { proxy, behavior, options });
  /** Completes before the next page is requested, so nobody waits for it. */
  const clear = () => {
    const cleared = root.send("Storage.clearCookies", { browserContextId });
    Promise.all([cleared, setWidth(session, wide)]).catch(() => {
      end("the browser isn't ready for another page");
    });
  };
  let used = 0;
  return {
    async use(work) {
      used += 1;
      over = untilEnd();
      behavior.start();
      const late = setTimeout(
        () => end("it takes too long or its scripts don't end"),
        options.pageMs,
      );
      try {
        const working = work(view);
        // It may fail after the race is over.
        working.catch(() => {});
        const result = await Promise.race([working, over.promise]);
        clear();
        return result;
      } finally {
        clearTimeout(late);
      }
    },
    used: () => used,
    async close() {
      view.traffic.close();
      await proxy.close();
      await root.send("Target.disposeBrowserContext", { browserContextId }).catch(() => {});
    },
  };
}
