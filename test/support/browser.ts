import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFailed } from "vitest";
import { chromium as tool, findProgram } from "../../packages/server/src/platform/system-tools.ts";

/**
 * Starts Debian's Chromium headless and without its background requests: the windowless binary if
 * it is installed, which does the same for half the work, or the `whole` one, as visitors have it.
 * `args` are added to its command line.
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
 * A page in a separate context, whose unexpected console errors are collected. If the test fails,
 * screenshots of all its pages are left in test-results/. Motion is reduced by default, because
 * drawing spinners takes processor time from what the test waits for.
 */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(60_000);
  // As pages do: the server may close an idle connection at the moment that it's used again.
  const get = context.request.get.bind(context.request);
  context.request.get = (url, given) => get(url, { maxRetries: 2, ...given });
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
 * Saves what a page looks like at both widths in both color schemes, in the folder that
 * VITRINE_TEST_IMAGES names; nothing without it.
 */
export async function saveImages(
  page: Page,
  name: string,
  { fullPage = true }: { fullPage?: boolean } = {},
): Promise<void> {
  const folder = process.env["VITRINE_TEST_IMAGES"];
  if (folder === undefined) return;
  const size = page.viewportSize() ?? { width: 1280, height: 900 };
  for (const width of [390, 1440]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({
        path: join(folder, `${name}-${width}-${colorScheme}.png`),
        fullPage,
      });
    }
  }
  await page.setViewportSize(size);
}

/**
 * The color scheme for this width: contrast depends on the scheme and layout on the width, so
 * checking each once is enough.
 */
export function themeAt(width: number): "light" | "dark" {
  return width === 390 ? "dark" : "light";
}
