import type { SiteCheck } from "../../check.ts";

/** Reports a form that stored a message although its honeypot was filled. */
export const formHoneypotWrote: SiteCheck = {
  id: "form.honeypot-wrote",
  category: "form probes",
  severity: "error",
  critical: true,
  scope: "probe",
  *run(_crawl, { forms }) {
    for (const { page, action, selector, line, ...probe } of forms) {
      if (probe.honeypotWrote !== true || probe.messages === null) continue;
      yield {
        page,
        target: action,
        message: `The form stores messages whose spam trap “${probe.honeypot}” is filled in, so bots get through.`,
        location: { selector, line },
        evidence: { payloadHash: probe.honeypotHash, ...probe.messages },
      };
    }
  },
};
