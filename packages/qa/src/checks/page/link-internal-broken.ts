import { type Check, type PageReport, quote } from "../../check.ts";
import type { Evidence } from "../../finding.ts";
import { textOf } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { refreshesOf } from "../../page/refresh.ts";
import { isSpaced, readAddress } from "../../site/address.ts";
import type { Site } from "../../site/site.ts";
import { findResponse, isBroken, brokenLinksOf } from "../addresses.ts";
import { candidateFor } from "../candidates.ts";

/** What page.timeout and link.redirect-loop report once for the whole site. */
function isReportedElsewhere(site: Site, path: string, search: string): boolean {
  const failure = site.response?.(path, search)?.failure;
  return failure !== undefined && failure !== null;
}

/** What a visitor of a missing page gets. */
function describeEnd(site: Site, { path, search }: { path: string; search: string }): string {
  const response = site.response?.(path, search);
  if (!response || response.hops.length === 0) return "doesn’t exist";
  const end = URL.parse(response.finalUrl);
  const shown = end?.origin === site.origin ? end?.pathname : response.finalUrl;
  return `redirects to ${(shown ?? "").slice(0, 120)}, which doesn’t exist`;
}

function evidenceOf(candidate: ReturnType<typeof candidateFor>): Evidence {
  if (!candidate) return { candidate: null, score: 0 };
  return { candidate: candidate.path, score: candidate.score, next: candidate.next };
}

/** Redirects of the page itself that lead to nothing. */
function* brokenRefreshes(page: Page, site: Site): Generator<PageReport> {
  for (const refresh of refreshesOf(page)) {
    const { element: meta } = refresh;
    if (refresh.address === null) continue;
    const target = readAddress(refresh.address, page.base, site.origin);
    if (target.kind !== "inside" || !isBroken(site, target)) continue;
    if (isReportedElsewhere(site, target.path, target.search)) continue;
    const candidate = candidateFor(site, target.path, "");
    const whom = refresh.isWithoutScripts ? "visitors without scripts" : "visitors";
    yield {
      target: target.path,
      at: meta,
      evidence: {
        target: refresh.address,
        ...findResponse(site, target),
        ...evidenceOf(candidate),
        line: meta.sourceCodeLocation?.startLine ?? null,
      },
      safe: candidate?.isClear ?? false,
      message: `The page redirects ${whom} to ${target.path}, which doesn’t exist.`,
    };
  }
}

/** Reports a link to a page or file of this site that doesn't exist. */
export const linkInternalBroken: Check = {
  id: "link.internal-broken",
  category: "links",
  severity: "error",
  *run(page, site) {
    yield* brokenRefreshes(page, site);
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
        message: `The link ${quote(textOf(element))} leads to ${target.path}, which ${describeEnd(site, target)}.`,
      };
    }
  },
};
