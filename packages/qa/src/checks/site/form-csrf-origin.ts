import type { SiteCheck } from "../../check.ts";
import { foreignOrigin } from "../../probe/form/probe-form.ts";

/**
 * The request was examined, and not refused because of its origin. 415: no browser form is accepted
 * at all.
 */
const inspected = (status: number): boolean =>
  (status >= 200 && status < 400) || status === 400 || status === 422;

/** Reports a form that other sites can submit in the name of their visitors. */
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
