import type { BrowserContext, CDPSession, Dialog, Page } from "playwright-core";
import { bringEngines } from "../a11y/look.ts";
import type { Chromium } from "./chromium.ts";
import { watchConsole } from "./console.ts";
import { wide } from "./narrow.ts";
import { openProxy, type ProxyOptions } from "./proxy.ts";
import { watchTraffic } from "./traffic.ts";
import { NotVisited, type View } from "./visit-page.ts";
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
   * Does something with the tab, for one page. Throws `NotVisited` when the page takes too long, dies,
   * or does what no page should; the tab is to be closed then.
   */
  use<T>(work: (view: View) => Promise<T>): Promise<T>;
  /** How many pages it has shown. */
  used(): number;
  close(): Promise<void>;
}

const most = { dialogs: 10, navigations: 6, windows: 3 } as const;

/**
 * Service workers never come: whoever registers one waits, as on a slow line. The option of Playwright
 * answers with nothing, which makes good pages fail.
 */
const withoutWorkers =
  "if (self.ServiceWorkerContainer) ServiceWorkerContainer.prototype.register = " +
  "function register() { return new Promise(() => {}); };";

/** What a page does that nobody can wait out; each is the end of the visit. */
function watchManners(
  page: Page,
  session: CDPSession,
  frameId: string,
  end: (why: string) => void,
) {
  const counts = { dialogs: 0, navigations: 0, windows: 0 };
  const count = (what: keyof typeof counts, why: string) => {
    counts[what] += 1;
    if (counts[what] > most[what]) end(why);
  };
  page.on("dialog", (dialog: Dialog) => {
    count("dialogs", "it opens one dialogue after the other");
    // Leaving is always allowed; nothing else is ever agreed to.
    const answer = dialog.type() === "beforeunload" ? dialog.accept() : dialog.dismiss();
    answer.catch(() => {});
  });
  page.context().on("page", (other) => {
    if (other === page) return;
    count("windows", "it opens one window after the other");
    other.close().catch(() => {});
  });
  page.on("crash", () => end("it takes more memory than a page may, or makes the browser fail"));
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === frameId) count("navigations", "it keeps leading on to other pages");
  });
  return {
    begin: () => Object.assign(counts, { dialogs: 0, navigations: 0, windows: 0 }),
    navigations: () => counts.navigations,
  };
}

async function openContext({ browser }: Chromium, port: number): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: wide,
    deviceScaleFactor: 1,
    locale: "en-US",
    reducedMotion: "reduce",
    acceptDownloads: false,
    permissions: [],
    proxy: { server: `http://127.0.0.1:${port}`, bypass: "<-loopback>" },
  });
  context.setDefaultTimeout(20_000);
  await context.addInitScript(withoutWorkers);
  return context;
}

async function prepare(session: CDPSession): Promise<void> {
  await Promise.all([
    bringEngines(session),
    session.send("Page.enable"),
    session.send("Page.setPrerenderingAllowed", { isAllowed: false }).catch(() => {}),
    session.send("Runtime.enable"),
  ]);
}

/** Opens a tab of a browser. */
export async function openTab(chromium: Chromium, options: TabOptions): Promise<Tab> {
  const proxy = await openProxy(options);
  const context = await openContext(chromium, proxy.port).catch(async (error: unknown) => {
    await proxy.close();
    throw error;
  });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const frameId = frameTree.frame.id;
  let over = Promise.withResolvers<never>();
  const end = (why: string) => over.reject(new NotVisited(why));
  const manners = watchManners(page, session, frameId, end);
  const world = await openWorld(session, frameId);
  const [traffic, console] = await Promise.all([
    watchTraffic(session, options.sizes),
    watchConsole(session, frameId),
    prepare(session),
  ]);
  const view: View = {
    page,
    session,
    world,
    traffic,
    console,
    proxy,
    navigations: manners.navigations,
    phaseMs: options.phaseMs,
  };
  let used = 0;
  return {
    async use(work) {
      used += 1;
      over = Promise.withResolvers<never>();
      over.promise.catch(() => {});
      manners.begin();
      const late = setTimeout(
        () => end("it takes too long, or its scripts do not end"),
        options.pageMs,
      );
      try {
        const working = work(view);
        // It may fail late, when the race is over.
        working.catch(() => {});
        const result = await Promise.race([working, over.promise]);
        await Promise.all([context.clearCookies(), page.setViewportSize(wide)]);
        return result;
      } finally {
        clearTimeout(late);
      }
    },
    used: () => used,
    async close() {
      traffic.close();
      await proxy.close();
      await context.close().catch(() => {});
    },
  };
}
