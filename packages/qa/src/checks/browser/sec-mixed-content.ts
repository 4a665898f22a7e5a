import { type BrowserCheck, quote } from "../../check.ts";

/**
 * Reports what the scripts and style sheets of an HTTPS page load over HTTP. What the markup names
 * is reported without a browser, and so is what a readable style sheet names, under the same name.
 */
export const secMixedContentLoaded: BrowserCheck = {
  id: "sec.mixed-content",
  category: "security",
  severity: "error",
  *run(visit) {
    const reported = new Set<string>();
    for (const { url, mixed, initiator, kind } of visit.requests) {
      const isOfPage = initiator !== "script" && initiator !== "sheet" && kind !== "font";
      if (mixed === null || isOfPage) continue;
      const target = url.split("?")[0] ?? "";
      if (reported.has(target)) continue;
      reported.add(target);
      yield {
        target,
        shared: true,
        message: `${quote(target)} is loaded over HTTP.`,
        evidence: { url: target, type: mixed },
      };
    }
  },
};
