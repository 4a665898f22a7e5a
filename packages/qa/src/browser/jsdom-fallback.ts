import { loadChecks } from "../checks/load.ts";
import type { BrowserRunOptions, BrowserResult } from "./browser-types.ts";
import type { A11yResult, Visit } from "./visit.ts";

/** What can be checked without rendering a page. */
const markupChecks = new Set(["a11y.axe", "a11y.incomplete"]);

function visitOf(page: string, url: string, a11y: A11yResult, notMade: readonly string[]): Visit {
  return {
    page,
    url,
    a11y,
    status: null,
    console: [],
    failedRequests: [],
    violations: [],
    requests: [],
    renderBlocking: [],
    paint: { first: null, largest: null, shift: 0, blockedMs: 0, runs: 0 },
    narrow: [],
    rendered: null,
    images: [],
    smallTargets: [],
    focus: { sequence: [], stuck: null, unseen: [] },
    notChecked: notMade.map((id) => `${id}: no browser available`),
  };
}

/**
 * Checks only the accessibility of pages' markup, without a browser. Everything that needs a
 * browser is reported as not checked.
 */
export async function runJsdomFallback(
  options: BrowserRunOptions,
  why: string,
): Promise<BrowserResult> {
  const { runInJsdom } = await import("../a11y/jsdom.ts");
  const checks = (await loadChecks("browser")).map(({ id }) => id);
  const notMade = checks.filter((id) => !markupChecks.has(id));
  const visited: string[] = [];
  const engines = new Set<string>();
  const all = { what: "Browser", why: "", checks: notMade };
  const skippedChecks = [all];
  for (const { path, url, html } of options.pages) {
    options.signal.throwIfAborted();
    const text = html();
    if (text === undefined) continue;
    try {
      const a11y = await runInJsdom(text, url);
      for (const engine of a11y.engines) engines.add(engine);
      visited.push(path);
      options.onVisit(visitOf(path, url, a11y, notMade));
    } catch (error) {
      const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
      skippedChecks.push({ what: path, why: `Not checked: ${line.slice(0, 200)}.`, checks: [] });
    }
  }
  const pages = visited.length === 1 ? "1 page was" : `${visited.length} pages were`;
  all.why = `Not checked: ${why}. ${pages} checked by markup only, without contrast and everything else that needs a rendered page.`;
  return { environment: "jsdom", engines: [...engines], visited, skippedChecks };
}
