import type { Page, Request } from "playwright-core";
import { bundleText } from "../../../packages/qa/src/a11y/bundle.ts";
import { wide } from "../../../packages/qa/src/browser/narrow.ts";
import { pageSide } from "../../../packages/qa/src/browser/page-side.ts";
import { openProxy } from "../../../packages/qa/src/browser/proxy.ts";
import type { LapBrowser, LapStart, LapTab } from "./lap-browser.ts";
import { bounds } from "./own.ts";
import { newContext } from "./playwright-devtools.ts";
import { launch } from "./playwright-visits.ts";

/** Like the engine: waits until there has been no traffic for this long. */
const quietMs = 60;
const maxUnquietMs = 3000;

/** Resolves when a page's traffic is quiet. */
function watchTraffic(page: Page): { begin(): void; quiet(): Promise<void> } {
  const busy = new Set<Request>();
  const records: { url: string; status: number | null }[] = [];
  let changed = () => {};
  page.on("request", (request) => {
    busy.add(request);
    changed();
  });
  page.on("response", (response) => {
    records.push({ url: response.url(), status: response.status() });
  });
  const settle = (request: Request) => {
    busy.delete(request);
    changed();
  };
  page.on("requestfinished", settle).on("requestfailed", settle);
  return {
    begin() {
      records.length = 0;
      busy.clear();
    },
    async quiet() {
      const { promise, resolve } = Promise.withResolvers<void>();
      let timer: NodeJS.Timeout | undefined;
      const last = setTimeout(resolve, maxUnquietMs);
      changed = () => {
        clearTimeout(timer);
        if (busy.size === 0) timer = setTimeout(resolve, quietMs);
      };
      changed();
      await promise;
      clearTimeout(timer);
      clearTimeout(last);
      changed = () => {};
    },
  };
}

async function openTab(
  browser: Awaited<ReturnType<typeof launch>>["browser"],
  { origin }: LapStart,
): Promise<LapTab> {
  const proxy = await openProxy({ ...bounds, origin, connect: null });
  const context = await newContext(browser, `http://127.0.0.1:${proxy.port}`);
  await context.addInitScript(`globalThis.__vitrineEngines = () => {${bundleText()}}`);
  await context.addInitScript(pageSide);
  const page = await context.newPage();
  await page.setViewportSize(wide);
  const messages: string[] = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  page.on("dialog", (dialog) => void dialog.dismiss());
  const traffic = watchTraffic(page);
  const call = (name: string, argument = "") => page.evaluate(`vitrine.${name}(${argument})`);
  await page.goto("about:blank");
  return {
    async visit(_path, url) {
      proxy.start();
      traffic.begin();
      messages.length = 0;
      await page.goto(url, { waitUntil: "load" });
      await traffic.quiet();
      await call("readStart");
      await call("wake");
      await call("readRendered");
      await call("readWide");
      await page.setViewportSize({ width: 375, height: 812 });
      await call("readNarrow", "375");
      await call("readImages");
      await page.screenshot({ type: "jpeg", quality: 50 });
      await Promise.all([context.clearCookies(), page.setViewportSize(wide)]);
      return null;
    },
    async close() {
      await proxy.close();
      await context.close();
    },
  };
}

/** What every tool does with a page, with Playwright's own functions. */
export async function openForDrives(start: LapStart): Promise<LapBrowser> {
  const { browser, close } = await launch(start.executable);
  return { openTab: () => openTab(browser, start), close };
}
