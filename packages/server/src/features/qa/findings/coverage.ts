import type { EngineResult } from "vitrine-qa/src/engine/job.ts";
import type { FindingRow } from "./store.ts";

/**
 * What a QA run says about a defect that it didn't see: it still exists, it is gone, or the run
 * can't tell.
 */
export type UnseenOutcome = "kept" | "gone" | "unknown";

/** An external program, and what it has checked: null means everything it ever checks. */
export interface ExternalProgram {
  name: string;
  checks: readonly string[] | null;
  pages: readonly string[] | null;
}

export interface CoverageOptions {
  result: Omit<EngineResult, "cache" | "stats">;
  /** Pages that are no longer part of the site. */
  removedPages: ReadonlySet<string>;
  external?: ExternalProgram | null;
}

export interface Coverage {
  /** Whether a page was visited in this run, in the way that this scope requires. */
  hasCovered(scope: FindingRow["scope"], page: string): boolean;
  isGone(page: string): boolean;
  outcomeOfUnseen(row: FindingRow, pages: readonly string[]): UnseenOutcome;
}

/** The address of another site without its fragment, truncated as in findings. */
const externalKey = (url: string) => (url.split("#")[0] ?? "").slice(0, 500);

/** Whether a check is one of these, or is implied by one of them. */
function covers(checks: ReadonlySet<string>, check: string): boolean {
  if (checks.has(check)) return true;
  for (let at = check.lastIndexOf("."); at > 0; at = check.lastIndexOf(".", at - 1)) {
    if (checks.has(check.slice(0, at))) return true;
  }
  return false;
}

/**
 * What a QA run can say about defects that it didn't see. A defect is gone only if all its pages
 * were visited again or are gone, and its check was made.
 */
export function makeCoverage({ result, removedPages, external = null }: CoverageOptions): Coverage {
  const { isUnchanged, isComplete } = result;
  const visited = new Set(result.visited);
  const browserVisited = new Set(result.browserVisited);
  const browserRetained = new Set(result.unchangedBrowserPages);
  const externalRetained = new Set(result.uncheckedExternals.map(externalKey));
  const skipped = new Set(result.skippedChecks.flatMap(({ checks = [] }) => checks));
  const retainedChecks = new Set(result.unchangedChecks);
  const ran = external?.checks ? new Set(external.checks) : null;
  /** Whether pages that a finding doesn't list were visited, too. */
  const allInBrowser = isComplete && result.visited.every((page) => browserVisited.has(page));

  const hasCovered: Coverage["hasCovered"] = (scope, page) =>
    (scope === "browser" ? browserVisited : visited).has(page);

  function unseenInBrowser(pages: readonly string[], hidden: boolean): UnseenOutcome {
    if (pages.some((page) => browserRetained.has(page))) return "kept";
    const all = pages.every((page) => browserVisited.has(page)) && (!hidden || allInBrowser);
    return all ? "gone" : "unknown";
  }

  return {
    hasCovered,
    isGone: (page) => removedPages.has(page),
    outcomeOfUnseen(row, all) {
      const { check_id: check, scope } = row;
      if (covers(skipped, check) || (ran && !covers(ran, check))) return "unknown";
      if (external?.pages === null) return "gone";
      const pages = all.filter((page) => !removedPages.has(page));
      const hidden = row.page_count > all.length;
      if (row.on_visit === 1 && pages.length === 0 && !hidden) return "gone";
      if (covers(retainedChecks, check)) return "kept";
      if (isUnchanged && (scope === "page" || scope === "site")) return "kept";
      if (scope === "external" && row.target !== null) {
        if (externalRetained.has(externalKey(row.target))) return "unknown";
      }
      if (scope === "browser") return unseenInBrowser(pages, hidden);
      // Not a page, such as robots.txt, so nobody visits it. A check of the whole site covers it.
      if (row.on_visit === 0) return scope === "probe" || isComplete ? "gone" : "unknown";
      if (scope === "site" && !isComplete) return "unknown";
      const again = pages.every((page) => visited.has(page)) && (!hidden || isComplete);
      return again ? "gone" : "unknown";
    },
  };
}
