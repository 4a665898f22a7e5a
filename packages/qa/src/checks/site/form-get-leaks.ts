import type { SiteCheck } from "../../check.ts";

/** Reports a form endpoint that returns data for a GET request. A page is fine. */
export const formGetLeaks: SiteCheck = {
  id: "form.get-leaks",
  category: "form probes",
  severity: "error",
  scope: "probe",
  *run(_crawl, { forms }) {
    for (const { page, action, selector, line, get } of forms) {
      const status = get.status ?? 0;
      if (status !== 200 && status !== 206) continue;
      if (get.type === "" || get.type === "text/html") continue;
      if (get.ok === false) continue;
      yield {
        page,
        target: action,
        message: `${action} can be read, although it should only accept messages.`,
        location: { selector, line },
        evidence: { status, type: get.type },
      };
    }
  },
};
