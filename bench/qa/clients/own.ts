import { type Chromium, startChromium } from "../../../packages/qa/src/browser/chromium.ts";
import { setWidth } from "../../../packages/qa/src/browser/narrow.ts";
import { openTab } from "../../../packages/qa/src/browser/tab.ts";
import {
  measurePaint,
  type View,
  visitPage,
  warmUp,
} from "../../../packages/qa/src/browser/visit-page.ts";
import type { LapBrowser, LapStart, LapTab } from "./lap-browser.ts";

/** The engine's limits for a page. */
export const bounds = { phaseMs: 15_000, maxBytes: 80 * 1024 * 1024 } as const;

type Work<T> = (view: View, path: string, url: string) => Promise<T>;

/** Opens tabs of a browser as the engine does, and runs some work with each page. */
export function tabsOf(
  chromium: Chromium,
  { origin }: LapStart,
  work: Work<Awaited<ReturnType<LapTab["visit"]>>>,
): LapBrowser {
  const sizes = new Map<string, number>();
  const options = { ...bounds, origin, connect: null, pageMs: bounds.phaseMs * 2, sizes };
  return {
    async openTab() {
      const tab = await openTab(chromium, options);
      await tab.use(warmUp);
      return {
        visit: (path, url) => tab.use((view) => work(view, path, url)),
        close: tab.close,
      };
    },
    close: chromium.kill,
  };
}

/** The engine's whole visit with its own client. */
export async function openForVisits(start: LapStart): Promise<LapBrowser> {
  return tabsOf(await startChromium(start.executable), start, visitPage);
}

/** Loads a page, waits for it, reads it, narrows the window, reads it again and takes a screenshot. */
async function drive({ session, world, ...view }: View, _path: string, url: string): Promise<null> {
  await measurePaint({ session, world, ...view }, url);
  await world.call("wake");
  await world.call("readRendered");
  await world.call("readWide");
  await setWidth(session, { width: 375, height: 812 }, 1);
  await world.call("readNarrow", 375);
  await world.call("readImages");
  await session.send("Page.captureScreenshot", { format: "jpeg", quality: 50 });
  return null;
}

/** What every tool does with a page, with the engine's own client. */
export async function openForDrives(start: LapStart): Promise<LapBrowser> {
  return tabsOf(await startChromium(start.executable), start, drive);
}
