import type { SiteCheck } from "../../check.ts";
import type { FormProbe } from "../../probe/probes.ts";

function isGone({ honeypotFilled }: FormProbe): boolean {
  if (!honeypotFilled) return false;
  const { status } = honeypotFilled;
  return status === null || status === 404 || status === 405 || status === 410 || status >= 500;
}

/** Whether a browser without scripts gets nothing that a person can read. */
function failsPlain({ honeypotFilled, plain }: FormProbe): boolean {
  if (honeypotFilled?.ok !== true || plain === null || plain.status === null) return false;
  if (plain.status === 429 || plain.status >= 500) return false;
  return plain.status === 415 || plain.type === "application/json";
}

/** Reports a form whose messages go nowhere. */
export const formUnreachable: SiteCheck = {
  id: "form.unreachable",
  category: "form probes",
  severity: "error",
  scope: "probe",
  *run(_crawl, { forms }) {
    for (const form of forms) {
      const { page, action, selector, line, honeypotFilled, plain } = form;
      const place = { page, target: action, location: { selector, line } };
      if (isGone(form)) {
        const status = honeypotFilled?.status ?? null;
        const how = status === null ? "doesn’t respond" : `answers ${status}`;
        yield {
          ...place,
          message: `Messages sent with the form get lost: ${action} ${how}.`,
          evidence: { action, method: "POST", status },
        };
      } else if (failsPlain(form)) {
        yield {
          ...place,
          severity: "warning",
          message: "Without JavaScript, the form doesn’t lead to a page.",
          evidence: { action, method: "POST", status: plain?.status ?? null },
        };
      }
    }
  },
};
