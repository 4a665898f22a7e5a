import type { SiteCheck } from "../../check.ts";

/** The site's own machine is counted like a stranger: its checks take away from visitors' share. */
export const formRateLimit: SiteCheck = {
  id: "form.rate-limit",
  category: "form probes",
  severity: "warning",
  scope: "probe",
  *run(_crawl, { forms }) {
    for (const { page, action, selector, line, statuses, loopback } of forms) {
      // From outside a limit is as it should be.
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
