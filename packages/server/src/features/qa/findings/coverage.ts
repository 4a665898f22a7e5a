import type { EngineResult } from "vitrine-qa/src/engine/job.ts";
import type { FindingRow } from "./store.ts";

/** What a QA run says of a defect that it did not see: it still is, is gone, or nothing can be told. */
export type UnseenOutcome = "kept" | "gone" | "unknown";

/** A program of the command line, and what it has looked at: null is all that it ever looks at. */
export interface ExternalProgram {
  name: string;
  checks: readonly string[] | null;
  pages: readonly string[] | null;
}

export interface CoverageOptions {
  result: Omit<EngineResult, "cache" | "stats">;
  /** Pages that are no part of the site any more. */
  removedPages: ReadonlySet<string>;
  external?: ExternalProgram | null;
}

export interface Coverage {
  /** Whether a page was looked at now, in the way in which this scope looks. */
  hasCovered(scope: FindingRow["scope"], page: string): boolean;
  isGone(page: string): boolean;
  outcomeOfUnseen(row: FindingRow, pages: readonly string[]): UnseenOutcome;
}

/** The address of another site without its fragment, and as much of it as findings keep. */
const externalKey = (url: string) => (url.split("#")[0] ?? "").slice(0, 500);

/** Whether a check is one of these, or one of the rules that one of these stands for. */
function covers(checks: ReadonlySet<string>, check: string): boolean {
  if (checks.has(check)) return true;
  for (let at = check.lastIndexOf("."); at > 0; at = check.lastIndexOf(".", at - 1)) {
    if (checks.has(check.slice(0, at))) return true;
  }
  return false;
}

/**
 * What a QA run can tell of what it did not see. A defect is gone only when all pages that it was on
 * were looked at again, or are gone themselves, and its check was made.
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
  /** Also the pages that a finding doesn't list were looked at. */
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
      // Such as robots.txt: no page, so nobody visits it. What looks at all of the site, looked at it.
      if (row.on_visit === 0) return scope === "probe" || isComplete ? "gone" : "unknown";
      if (scope === "site" && !isComplete) return "unknown";
      const again = pages.every((page) => visited.has(page)) && (!hidden || isComplete);
      return again ? "gone" : "unknown";
    },
  };
}
