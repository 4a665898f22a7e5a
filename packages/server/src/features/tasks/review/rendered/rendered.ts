import { realpath } from "node:fs/promises";
import { readManifest } from "../../../release/artifact/artifact.ts";
import type { ReviewReason } from "../../schema.ts";
import type { SiteVerdict } from "../rules/judge-site.ts";
import { compareViews } from "./compare-views.ts";
import { openSiteTab, type ShownSite } from "./open-page.ts";
import { viewports } from "./page-view.ts";
import type { ReviewBrowser, RunningBrowser } from "./review-browser.ts";

/** Maximum pages viewed; a change of more needs review. */
const maxPages = 60;
/** Time limit for all of them, in ms. */
const maxMs = 240_000;
const maxItems = 20;

export interface RenderedJob {
  artifactDir: string;
  liveDir: string;
  browser: ReviewBrowser | null;
  verdict: SiteVerdict;
  signal: AbortSignal | undefined;
}

const unchecked = (message: string): ReviewReason[] => [{ kind: "unchecked", message, items: [] }];

async function open(path: string): Promise<ShownSite> {
  const dir = await realpath(path);
  return { dir, manifest: await readManifest(`${dir}.json`) };
}

/** Compares the pages one by one; null if a page can't be compared. */
async function comparePages(
  browser: RunningBrowser,
  pages: readonly string[],
  job: RenderedJob,
  signal: AbortSignal,
): Promise<string[] | null> {
  const sites = await Promise.all([open(job.liveDir), open(job.artifactDir)]);
  const [before, after] = await Promise.all([
    openSiteTab(browser, sites[0]),
    openSiteTab(browser, sites[1]),
  ]);
  const found = new Map<string, string>();
  for (const path of pages) {
    signal.throwIfAborted();
    const [old, young] = await Promise.all([before.view(path), after.view(path)]);
    for (const [i, viewport] of viewports.entries()) {
      const views = { before: old[i], after: young[i] };
      if (!views.before || !views.after) return null;
      const problems = compareViews(
        { before: views.before, after: views.after },
        job.verdict.texts,
      );
      if (problems === null) return null;
      for (const problem of problems) {
        const key = `${problem} ${path}`;
        if (!found.has(key))
          found.set(key, `${problem} (${path}, ${viewport.width} px, ${viewport.theme})`);
      }
    }
    if (found.size >= maxItems) break;
  }
  return [...found.values()];
}

/** Aborts waiting for the browser as soon as the time is up. */
function whenAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  promise.catch(() => {});
  return promise;
}

/**
 * What a visitor would see that the change doesn't explain, at two widths and in both color
 * schemes: everything that was there has to be as visible, readable, and clickable as before, and
 * new content has to be visible. A browser that is missing, fails, or takes too long is a reason.
 * Throws the signal's reason.
 */
export async function renderedReasons(job: RenderedJob): Promise<ReviewReason[]> {
  const pages = [...new Set([...job.verdict.pages.changed, ...job.verdict.pages.styled])];
  if (pages.length === 0) return [];
  if (pages.length > maxPages)
    return unchecked(
      `It changes how ${pages.length} pages look; at most ${maxPages} can be compared.`,
    );
  let browser: RunningBrowser | null = null;
  const time = AbortSignal.timeout(maxMs);
  const signal = AbortSignal.any(job.signal ? [job.signal, time] : [time]);
  try {
    browser = (await job.browser?.()) ?? null;
    if (browser === null)
      return unchecked(
        "The change couldn’t be checked in a browser: none is installed on this machine.",
      );
    const problems = await Promise.race([
      comparePages(browser, pages, job, signal),
      whenAborted(signal),
    ]);
    if (problems === null) return unchecked("The pages are too large to be compared in a browser.");
    if (problems.length === 0) return [];
    return [
      {
        kind: "appearance",
        message: "Visitors would see changes that the task isn’t about.",
        items: problems.slice(0, maxItems),
      },
    ];
  } catch (error) {
    job.signal?.throwIfAborted();
    const why = error instanceof Error ? error.message.slice(0, 200) : "";
    return [
      {
        kind: "unchecked",
        message: "The change couldn’t be checked in a browser.",
        items: [why].filter(Boolean),
      },
    ];
  } finally {
    await browser?.close().catch(() => {});
  }
}
