import { setImmediate } from "node:timers/promises";
import { loadChecks } from "../checks/load.ts";
import type { Crawl } from "../crawl/crawl.ts";
import { resolveNeedsScript, type RenderedPage } from "../checks/needs-script.ts";
import { runPageChecks } from "../checks/run-page-checks.ts";
import type { QaRunState } from "./run-state.ts";

/** The number of pages to check before other work gets a turn. */
const atOnce = 5;

const sourceOf = ({ job }: QaRunState) => ({ scope: "page", engine: job.engine }) as const;

/** Whether a page can be checked: a missing page has no content of its own. */
export function isCheckable(crawl: Crawl, path: string): boolean {
  return crawl.pages.get(path)?.response.status === 200;
}

/**
 * Runs the page checks. `fallbacks` says for which pages the stand-ins for browser checks run;
 * `only` runs nothing but those.
 */
export async function checkPages(
  state: QaRunState,
  crawl: Crawl,
  paths: readonly string[],
  { fallbacks, only = false }: { fallbacks(path: string): boolean; only?: boolean },
): Promise<void> {
  const checks = await loadChecks("page");
  const stand = new Set(checks.filter((check) => check.isBrowserFallback).map(({ id }) => id));
  const source = sourceOf(state);
  for (const [index, path] of paths.entries()) {
    if (index % atOnce === 0) {
      await setImmediate();
      state.signal.throwIfAborted();
      state.reportProgress("checking", index, paths.length, path);
    }
    const page = crawl.page(path);
    if (!page) {
      const why = crawl.site.unreadableReason(path) ?? "it can’t be read";
      state.addUnchecked(path, `Not checked: ${why}.`);
      continue;
    }
    const { findings, failures } = runPageChecks(page, crawl.site, { fallbacks: fallbacks(path) });
    if (!only) state.markup.set(path, new Set(findings.map(({ check }) => check)));
    for (const finding of findings) {
      if (only && !stand.has(finding.check)) continue;
      if (finding.needsScript) state.deferredFindings.push(finding);
      else state.observations.add(finding, source);
    }
    for (const failure of failures) state.addFailure(failure.split(" ")[0] ?? "", failure, path);
  }
}

/** Settles findings that scripts may have changed; `shown` returns what a browser saw of a page. */
export function resolveDeferredFindings(
  state: QaRunState,
  shown: (path: string) => RenderedPage | undefined,
): void {
  for (const doubtful of state.deferredFindings.splice(0)) {
    const finding = resolveNeedsScript(
      doubtful,
      doubtful.needsScript && shown(doubtful.needsScript.page),
    );
    if (finding) state.observations.add(finding, sourceOf(state));
  }
}
