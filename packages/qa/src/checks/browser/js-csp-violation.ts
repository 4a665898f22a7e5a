import { formatUrl } from "../../browser/format.ts";
import { type BrowserCheck, quote } from "../../check.ts";

/** Reports something that the page loads although its own policy forbids it. */
export const jsCspViolation: BrowserCheck = {
  id: "js.csp-violation",
  category: "console",
  severity: "warning",
  *run(visit) {
    const reported = new Set<string>();
    for (const { directive, blocked } of visit.violations) {
      const target = formatUrl(visit, blocked).split("?")[0] ?? "";
      const key = `${directive} ${target}`;
      if (reported.has(key)) continue;
      reported.add(key);
      const what = /^[a-z-]+$/.test(blocked) ? `${blocked} code` : quote(target);
      yield {
        target,
        at: directive,
        shared: true,
        message: `The page’s content security policy (${directive}) blocks ${what}, which the page uses.`,
        evidence: { directive, blocked: target },
      };
    }
  },
};
