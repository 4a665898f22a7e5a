import type { SiteCheck } from "../../check.ts";

/**
 * Reports that the site's own machine shares the rate limit of visitors, so that the checks use it
 * up.
 */
export const formRateLimit: SiteCheck = {
  id: "form.rate-limit",
  category: "form probes",
  severity: "warning",
  scope: "probe",
  *run(_crawl, { forms }) {
    for (const { page, action, selector, line, statuses, loopback } of forms) {
      // For requests from outside, a limit is right.
      if (!loopback || !statuses.includes(429)) continue;
      yield {
        page,
        target: action,
        message: `${action} blocks the site’s own server, so its rate limit probably counts all visitors as one.`,
        location: { selector, line },
        evidence: { n: statuses.length, statuses: [...statuses] },
      };
    }
  },
};
