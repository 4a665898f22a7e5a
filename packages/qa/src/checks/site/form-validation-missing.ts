import type { SiteCheck, SiteReport } from "../../check.ts";
import type { FormProbe } from "../../probe/probes.ts";

type FormReply = Pick<SiteReport, "message" | "severity">;

function faultOf({ empty, emptyMessages, required }: FormProbe): FormReply | null {
  if (!empty) return null;
  const { status, ok, code, fields } = empty;
  if (ok === true) {
    const storesEmpty = emptyMessages !== null && emptyMessages.after > emptyMessages.before;
    const more = storesEmpty ? ", and keeps it" : "";
    return { message: `The form accepts an empty message${more}.` };
  }
  if (status !== null && status >= 500) {
    return { message: `The form fails with ${status} for an empty message.` };
  }
  if (status !== 422 && status !== 400) return null;
  const unreported = required.filter((name) => !fields.includes(name));
  if (status === 422 && code === "validation_failed" && unreported.length === 0) return null;
  const what = unreported.length === 0 ? "as agreed" : `about ${unreported.join(", ")}`;
  return { message: `The form doesn’t say ${what} what is missing.`, severity: "warning" };
}

/**
 * Reports a form that accepts a message without required fields, or doesn't say what is missing.
 */
export const formValidationMissing: SiteCheck = {
  id: "form.validation-missing",
  category: "form probes",
  severity: "error",
  scope: "probe",
  *run(_crawl, { forms }) {
    for (const form of forms) {
      const fault = faultOf(form);
      if (!fault) continue;
      const { page, action, selector, line, empty, required } = form;
      const { status = null, code = null, fields = [] } = empty ?? {};
      yield {
        page,
        target: action,
        ...fault,
        location: { selector, line },
        evidence: { omitted: required, status, code, fields },
      };
    }
  },
};
