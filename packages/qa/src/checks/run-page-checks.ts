import { toFinding } from "../check.ts";
import type { Finding } from "../finding.ts";
import type { Page } from "../page/page.ts";
import type { Site } from "../site/site.ts";
import { resolveNeedsScript } from "./needs-script.ts";
import { loadChecks } from "./load.ts";

const pageChecks = await loadChecks("page");

/** What the page checks found on one page. */
export interface PageFindings {
  findings: Finding[];
  /** Checks that threw an error. */
  failures: string[];
}

/**
 * Runs every page check on a page. Without `fallbacks`, checks that a browser does better are
 * skipped. For a `build`, whose report is about one edit, checks that would report old things with
 * every edit are skipped as well. The same defect at several places of a page is one finding in a
 * build; otherwise each place is one, with the same fingerprint. Findings that scripts leave in
 * doubt are settled for a build, because no browser opens it; otherwise the caller settles them.
 */
export function runPageChecks(
  page: Page,
  site: Site,
  { fallbacks, build = false }: { fallbacks: boolean; build?: boolean },
): PageFindings {
  const findings = new Map<string, Finding>();
  const placeKey = ({ placeFingerprint, location: { selector, line, text } }: Finding) =>
    build ? placeFingerprint : [placeFingerprint, selector, line, text].join("\0");
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
