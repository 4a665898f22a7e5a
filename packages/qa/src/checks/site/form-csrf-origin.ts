import type { SiteCheck } from "../../check.ts";
import { foreignOrigin } from "../../probe/form/probe-form.ts";

/** Looked into, and not refused for where it came from. 415: no form of a browser is taken at all. */
const inspected = (status: number): boolean =>
  (status >= 200 && status < 400) || status === 400 || status === 422;

/** Other sites can send this form in the name of their visitors. */
export const formCsrfOrigin: SiteCheck = {
  id: "form.csrf-origin",
  category: "form probes",
  severity: "warning",
  scope: "probe",
  *run(_crawl, { forms }) {
    for (const { page, action, selector, line, foreign } of forms) {
      const { status } = foreign;
      if (status === null || !inspected(status)) continue;
      yield {
        page,
        target: action,
        message: `The form accepts requests from other sites: ${action} returns ${status} for them.`,
        location: { selector, line },
        evidence: { origin: foreignOrigin, status },
      };
    }
  },
};
