import type { SiteCheck } from "../../check.ts";
import { elsewhere } from "../../probe/form/try-form.ts";

/** Looked into, and not refused for where it came from. 415: no form of a browser is taken at all. */
const lookedInto = (status: number): boolean =>
  (status >= 200 && status < 400) || status === 400 || status === 422;

/** Other sites can send this form in the name of their visitors. */
export const formCsrfOrigin: SiteCheck = {
  id: "form.csrf-origin",
  category: "form probes",
  severity: "warning",
  scope: "probe",
  *look(_crawl, { forms }) {
    for (const { page, action, selector, line, foreign } of forms) {
      const { status } = foreign;
      if (status === null || !lookedInto(status)) continue;
      yield {
        page,
        target: action,
        message: `The form takes what other sites send: ${action} answers ${status} to them.`,
        place: { selector, line },
        evidence: { origin: elsewhere, status },
      };
    }
  },
};
