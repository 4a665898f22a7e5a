import type { Browser, BrowserContext, CDPSession } from "playwright-core";
import type { Devtools, Session } from "../../../packages/qa/src/browser/devtools.ts";

/** A Playwright context that leaves the settings of pages to its caller. */
export function newContext(browser: Browser, proxyServer: string): Promise<BrowserContext> {
  return browser.newContext({
    proxy: { server: proxyServer, bypass: "<-loopback>" },
    viewport: null,
    acceptDownloads: false,
  });
}

interface Opened {
  context: BrowserContext;
  session: CDPSession;
  targetId: string;
}

type Params = Record<string, unknown>;

/**
 * Playwright behind the interface of the QA engine's own DevTools client: contexts, pages, and
 * sessions are Playwright's, and the engine sends the same commands.
 */
export async function playwrightDevtools(browser: Browser): Promise<Devtools> {
  const root = await browser.newBrowserCDPSession();
  /** By the names of their contexts. */
  const opened = new Map<string, Opened>();
  const openedOf = ({ browserContextId }: Params): Opened => {
    const one = opened.get(String(browserContextId));
    if (!one) throw new Error("There is no such context.");
    return one;
  };
  const answers: Record<string, (params: Params) => Promise<unknown>> = {
    // Playwright doesn't name a context before it has a page, so it gets one immediately.
    "Target.createBrowserContext": async ({ proxyServer }) => {
      const context = await newContext(browser, String(proxyServer));
      const session = await context.newCDPSession(await context.newPage());
      const { targetInfo } = await session.send("Target.getTargetInfo");
      const { targetId, browserContextId = "" } = targetInfo;
      opened.set(browserContextId, { context, session, targetId });
      return { browserContextId };
    },
    "Target.createTarget": async (params) => ({ targetId: openedOf(params).targetId }),
    "Target.disposeBrowserContext": async (params) => openedOf(params).context.close(),
  };
  const rest = root.send.bind(root) as (method: string, params: Params) => Promise<unknown>;
  const send = (method: string, params: Params = {}) =>
    answers[method]?.(params) ?? rest(method, params);
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  browser.on("disconnected", () => resolve());
  return {
    root: { on: root.on.bind(root), once: root.once.bind(root), send } as unknown as Session,
    async attach(targetId) {
      const one = [...opened.values()].find((candidate) => candidate.targetId === targetId);
      if (!one) throw new Error("There is no such page.");
      return one.session;
    },
    isOpen: () => browser.isConnected(),
    closed: gone,
    close: () => void browser.close(),
  };
}
