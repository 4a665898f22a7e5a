import { toFinding } from "../check.ts";
import type { Finding } from "../finding.ts";
import type { Page } from "../page/page.ts";
import type { Site } from "../site/site.ts";
import { resolveNeedsScript } from "./needs-script.ts";
import { loadChecks } from "./load.ts";

const pageChecks = await loadChecks("page");

/** What the checks of pages said of one page. */
export interface PageFindings {
  findings: Finding[];
  /** Checks that failed themselves. */
  failures: string[];
}

/**
 * Looks at a page with every check of pages: without `fallbacks` those are left out that a browser
 * makes better. For a `build`, whose report is about one edit, those as well that would tell of
 * old things anew with every edit. The same defect at several places of the page is one finding in
 * a build; else each place is one, with the same fingerprint. What scripts leave in doubt is settled for
 * a build, which no browser looks at; else it is left to the caller.
 */
export function runPageChecks(
  page: Page,
  site: Site,
  { fallbacks, build = false }: { fallbacks: boolean; build?: boolean },
): PageFindings {
  const findings = new Map<string, Finding>();
  const placeKey = ({ fingerprint, location: { selector, line, text } }: Finding) =>
    build ? fingerprint : [fingerprint, selector, line, text].join("\0");
  const failures: string[] = [];
  for (const check of pageChecks) {
    if ((check.isBrowserFallback && !fallbacks) || (check.skipForBuilds && build)) continue;
    try {
      for (const seen of check.run(page, site)) {
        const found = toFinding(check, page.path, seen);
        const finding = build ? resolveNeedsScript(found, undefined) : found;
        if (!finding) continue;
        const key = placeKey(finding);
        if (!findings.has(key)) findings.set(key, finding);
      }
    } catch (error) {
      failures.push(`${check.id} at ${page.path}: ${String(error)}`);
    }
  }
  return { findings: [...findings.values()], failures };
}
