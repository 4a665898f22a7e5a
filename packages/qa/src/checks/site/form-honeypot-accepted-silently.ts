import type { SiteCheck, SiteReport } from "../../check.ts";
import type { FormProbe } from "../../probe/probes.ts";

type FormReply = Pick<SiteReport, "message" | "severity" | "confidence">;

/** A success, as far as the sender can tell. */
function isSuccess({ honeypotFilled, takesJson }: FormProbe): boolean {
  const status = honeypotFilled?.status ?? 0;
  return status >= 200 && status < 400 && (!takesJson || honeypotFilled?.ok !== false);
}

/** Refused because of the honeypot; other errors of the message are not the subject here. */
function refusesHoneypot({ honeypotFilled, honeypot }: FormProbe): boolean {
  if (honeypotFilled?.status !== 400 && honeypotFilled?.status !== 422) return false;
  const { fields } = honeypotFilled;
  return fields.length > 0 && fields.every((field) => field === honeypot);
}

function faultOf(form: FormProbe): FormReply | null {
  if (form.honeypotWrote) return null;
  if (refusesHoneypot(form)) {
    return {
      message: "The form tells bots that they were caught, so they can try again another way.",
    };
  }
  if (!isSuccess(form) || form.honeypotWrote === false) return null;
  const message = "Couldn’t check whether the form stores spam.";
  return { message, severity: "notice", confidence: "review" };
}

/**
 * Reports a form that doesn't respond to a filled honeypot as to a message: the response should be
 * the same, and nothing stored.
 */
export const formHoneypotAcceptedSilently: SiteCheck = {
  id: "form.honeypot-accepted-silently",
  category: "form probes",
  severity: "error",
  scope: "probe",
  *run(_crawl, { forms }) {
    for (const form of forms) {
      const fault = faultOf(form);
      if (!fault) continue;
      const { page, action, selector, line, honeypotFilled, honeypotHash, messages } = form;
      yield {
        page,
        target: action,
        ...fault,
        location: { selector, line },
        evidence: {
          payloadHash: honeypotHash,
          status: honeypotFilled?.status ?? null,
          envelopeOk: honeypotFilled?.ok ?? null,
          before: messages?.before ?? null,
          after: messages?.after ?? null,
        },
      };
    }
  },
};
