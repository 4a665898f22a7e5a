import { installEngines } from "../a11y/run-engines.ts";
import type { Chromium } from "./chromium.ts";
import { watchConsole } from "./console.ts";
import type { Session } from "./devtools.ts";
import { setWidth, wide } from "./narrow.ts";
import { VisitError } from "./visit-error.ts";
import { openProxy, type Proxy, type ProxyOptions } from "./proxy.ts";
import { openTarget, type Target } from "./tab-target.ts";
import { watchTraffic } from "./traffic.ts";
import type { View } from "./visit-page.ts";
import { openWorld } from "./world.ts";

export interface TabOptions extends ProxyOptions {
  /** What files weigh, by address: shared by all tabs. */
  sizes: Map<string, number>;
  /** How long one page may take in all, in ms. */
  pageMs: number;
}

/** One tab, with its own cookies, cache and way out. */
export interface Tab {
  /**
   * Does something with the tab, for one page. Throws `VisitError` when the page takes too long, dies,
   * or does what no page should, and another error as soon as the browser is gone, whatever the work
   * waits for; the tab is to be closed then.
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

/** What a page does that nobody can wait out; each is the end of the visit. */
function watchPageBehavior(
  root: Session,
  { id, contextId, session }: Target,
  end: (why: string) => void,
): PageBehavior {
  const counts = { dialogs: 0, navigations: 0, windows: 0 };
  const count = (what: keyof typeof counts, why: string) => {
    counts[what] += 1;
    if (counts[what] > maxCounts[what]) end(why);
  };
  session.on("Page.javascriptDialogOpening", ({ type }) => {
    count("dialogs", "it keeps opening dialogs");
    // Leaving is always allowed; nothing else is ever agreed to.
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
    end("it uses too much memory or crashes the browser");
  });
  session.on("Page.frameNavigated", ({ frame }) => {
    // The main frame of a page goes by the name of its target.
    if (frame.id === id) count("navigations", "it keeps redirecting to other pages");
  });
  return {
    start() {
      Object.assign(counts, { dialogs: 0, navigations: 0, windows: 0 });
    },
    navigations: () => counts.navigations,
  };
}

/** All that a visit asks and listens to. */
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
  };
}

/** What ends a visit before its time, if anything does; nobody needs to be listening. */
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
  const end = (why: string) => over.reject(new VisitError(why));
  // Nothing more is told of a page then: what waits for it to load or to be quiet would wait in vain,
  // and the page would be blamed for it.
  void devtools.closed.then(() => over.reject(new Error("the browser is gone")));
  const behavior = watchPageBehavior(root, target, end);
  const view = await viewOf(target, { proxy, behavior, options });
  /** Done before the next page is asked for; nobody needs to wait for it. */
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
        // It may fail late, when the race is over.
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
