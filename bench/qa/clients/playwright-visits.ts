import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { chromiumFlags } from "../../../packages/qa/src/browser/chromium-flags.ts";
import { systemPath } from "../../../packages/qa/src/browser/find-chromium.ts";
import { visitPage } from "../../../packages/qa/src/browser/visit-page.ts";
import type { LapBrowser, LapStart } from "./lap-browser.ts";
import { tabsOf } from "./own.ts";
import { playwrightDevtools } from "./playwright-devtools.ts";

/** The same program with the same flags as the engine's own, controlled by Playwright. */
export async function launch(
  executablePath: string,
): Promise<{ browser: Browser; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-playwright-"));
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({
    executablePath,
    args: [...chromiumFlags, ...sandbox],
    ignoreDefaultArgs: true,
    env: { PATH: systemPath, HOME: folder, LANG: "en_US.UTF-8", TZ: "UTC" },
  });
  return {
    browser,
    async close() {
      await browser.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The engine's whole visit on top of Playwright. */
export async function openForVisits(start: LapStart): Promise<LapBrowser> {
  const { browser, close } = await launch(start.executable);
  const devtools = await playwrightDevtools(browser);
  const running = { devtools, version: browser.version(), pid: 0, exited: devtools.closed };
  return tabsOf({ ...running, kill: close }, start, visitPage);
}
