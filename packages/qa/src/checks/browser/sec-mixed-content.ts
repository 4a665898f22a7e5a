import { type BrowserCheck, quote } from "../../check.ts";

/**
 * What the scripts and style sheets of an encrypted page load unencrypted. What its markup names is
 * told without a browser; what a sheet names that can be read without one has the same name there.
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
