import { setImmediate } from "node:timers/promises";
import { loadChecks } from "../checks/load.ts";
import type { Crawl } from "../crawl/crawl.ts";
import { settled, type Shown } from "../checks/doubt.ts";
import { runPageChecks } from "../checks/run-page-checks.ts";
import type { PassState } from "./state.ts";

/** So many pages are looked at before anything else gets its turn. */
const atOnce = 5;

const sourceOf = ({ job }: PassState) => ({ scope: "page", engine: job.engine }) as const;

/** Whether a page is one to be looked into: what is not there has nothing of its own. */
export function isLookedInto(crawl: Crawl, path: string): boolean {
  return crawl.pages.get(path)?.answer.status === 200;
}

/**
 * Looks at pages with the checks of their markup. `standIns` says of which pages those checks count
 * that a browser makes better; `only` leaves out all but them.
 */
export async function lookAtPages(
  state: PassState,
  crawl: Crawl,
  paths: readonly string[],
  { standIns, only = false }: { standIns(path: string): boolean; only?: boolean },
): Promise<void> {
  const checks = await loadChecks("page");
  const stand = new Set(checks.filter((check) => check.standIn).map(({ id }) => id));
  const source = sourceOf(state);
  for (const [index, path] of paths.entries()) {
    if (index % atOnce === 0) {
      await setImmediate();
      state.signal.throwIfAborted();
      state.report("checking", index, paths.length, path);
    }
    const page = crawl.page(path);
    if (!page) {
      const why = crawl.site.unread(path) ?? "it can’t be read";
      state.unchecked(path, `Not checked: ${why}.`);
      continue;
    }
    const { findings, failures } = runPageChecks(page, crawl.site, { standIns: standIns(path) });
    if (!only) state.markup.set(path, new Set(findings.map(({ check }) => check)));
    for (const finding of findings) {
      if (only && !stand.has(finding.check)) continue;
      if (finding.doubt) state.doubts.push(finding);
      else state.observations.add(finding, source);
    }
    for (const failure of failures) state.failed(failure.split(" ")[0] ?? "", failure, path);
  }
}

/** Notes what is left of what scripts may have changed; `shown` is what a browser has seen of a page. */
export function settleDoubts(state: PassState, shown: (path: string) => Shown | undefined): void {
  for (const doubtful of state.doubts.splice(0)) {
    const finding = settled(doubtful, doubtful.doubt && shown(doubtful.doubt.page));
    if (finding) state.observations.add(finding, sourceOf(state));
  }
}
