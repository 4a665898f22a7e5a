import { type BrowserCheck, quote } from "../../check.ts";

/**
 * What the scripts and style sheets of an encrypted page load unencrypted. What its markup names is
 * told without a browser.
 */
export const secMixedContentLoaded: BrowserCheck = {
  id: "sec.mixed-content",
  category: "security",
  severity: "error",
  *look(visit) {
    const told = new Set<string>();
    for (const { url, mixed, initiator, kind } of visit.requests) {
      if (mixed === null || (initiator !== "script" && kind !== "font")) continue;
      const target = url.split("?")[0] ?? "";
      if (told.has(target)) continue;
      told.add(target);
      yield {
        target,
        shared: true,
        message: `${quote(target)} is loaded unencrypted.`,
        evidence: { url: target, type: mixed },
      };
    }
  },
};
