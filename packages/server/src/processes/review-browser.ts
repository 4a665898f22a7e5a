import { startChromium, watchMemory } from "vitrine-qa/src/browser/chromium.ts";
import { findChromium } from "vitrine-qa/src/browser/find-chromium.ts";
import type { ReviewBrowser } from "../features/tasks/review/rendered/review-browser.ts";
import type { Slots } from "../platform/slots.ts";

/** Maximum memory of one page while it is viewed, in bytes. */
const pageBytes = 512 * 1024 * 1024;

/** The Chromium that shows a task's change before it goes live; null if there is none. */
export const reviewBrowser: ReviewBrowser = async () => {
  const path = findChromium();
  if (path === null) return null;
  const chromium = await startChromium(path);
  watchMemory(chromium, pageBytes);
  const { devtools, kill } = chromium;
  return { root: devtools.root, attach: (targetId) => devtools.attach(targetId), close: kill };
};

/** The same for one of several sites, which wait for each other. */
export function reviewBrowserInTurn(slots: Slots): ReviewBrowser {
  return async () => {
    const slot = await slots.take();
    try {
      const browser = await reviewBrowser();
      if (browser === null) slot.release();
      return browser && { ...browser, close: () => browser.close().finally(slot.release) };
    } catch (error) {
      slot.release();
      throw error;
    }
  };
}
