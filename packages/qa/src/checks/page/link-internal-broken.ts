import { type Check, quote } from "../../check.ts";
import type { Evidence } from "../../finding.ts";
import { textOf } from "../../page/dom.ts";
import { isSpaced } from "../../site/address.ts";
import type { Site } from "../../site/site.ts";
import { findResponse, brokenLinksOf } from "../addresses.ts";
import { candidateFor } from "../candidates.ts";

/** What page.timeout and link.redirect-loop report once for the whole site. */
function isReportedElsewhere(site: Site, path: string, search: string): boolean {
  const failure = site.response?.(path, search)?.failure;
  return failure !== undefined && failure !== null;
}

function evidenceOf(candidate: ReturnType<typeof candidateFor>): Evidence {
  if (!candidate) return { candidate: null, score: 0 };
  return { candidate: candidate.path, score: candidate.score, next: candidate.next };
}

/** Reports a link to a page or file of this site that doesn't exist. */
export const linkInternalBroken: Check = {
  id: "link.internal-broken",
  category: "links",
  severity: "error",
  *run(page, site) {
    for (const { element, raw, target } of brokenLinksOf(page, site)) {
      if (site.findPathIgnoringCase(target.path) !== undefined) continue;
      if (isReportedElsewhere(site, target.path, target.search)) continue;
      // Reported as malformed.
      if (isSpaced(raw)) continue;
      const candidate = candidateFor(site, target.path, textOf(element));
      yield {
        target: target.path,
        at: element,
        evidence: {
          target: raw,
          ...findResponse(site, target),
          ...evidenceOf(candidate),
          line: element.sourceCodeLocation?.startLine ?? null,
        },
        safe: candidate?.isClear ?? false,
        message: `The link ${quote(textOf(element))} leads to ${target.path}, which doesn’t exist.`,
      };
    }
  },
};
