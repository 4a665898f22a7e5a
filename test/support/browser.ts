import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFailed } from "vitest";
import { chromium as tool, findProgram } from "../../packages/server/src/platform/system-tools.ts";

/**
 * Debian's Chromium, headless, without its calls home: the one that has no windows where it is
 * there, which does the same for half the work, or `whole` as visitors have it. `args` are more of its
 * command line's.
 */
export async function launchBrowser(
  options: { whole?: boolean; args?: readonly string[] } = {},
): Promise<Browser> {
  const binaries = options.whole ? tool.binaries.toReversed() : tool.binaries;
  const executablePath = findProgram(binaries);
  if (executablePath === null) throw new Error("Chromium is not installed.");
  return chromium.launch({
    executablePath,
    timeout: 120_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...(options.args ?? []),
    ],
  });
}

/**
 * A page in a context of its own, whose unexpected console errors are collected. When the test
 * fails, images of all its pages are left in test-results/. Motion is reduced unless `options` say
 * otherwise: to draw spinners while something is waited for takes a processor's time from it.
 */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(60_000);
  onTestFailed(async ({ task }) => {
    const name = task.name.replace(/[^a-z0-9]+/gi, "-");
    for (const [index, shown] of context.pages().entries()) {
      await shown.screenshot({ path: `test-results/${name}-${index + 1}.png` }).catch(() => {});
    }
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { page, errors };
}

/**
 * The theme in which a page is looked at in this width: contrast goes by the theme and layout by the
 * width, so that each of both is seen once.
 */
export function themeAt(width: number): "light" | "dark" {
  return width === 390 ? "dark" : "light";
}
