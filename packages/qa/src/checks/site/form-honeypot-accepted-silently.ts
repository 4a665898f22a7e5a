import type { SiteCheck, SiteSeen } from "../../check.ts";
import type { FormProbe } from "../../probe/probes.ts";

type Said = Pick<SiteSeen, "message" | "severity" | "confidence">;

/** A success, as far as whoever sent it can see. */
function looksWell({ trapped, takesJson }: FormProbe): boolean {
  const status = trapped?.status ?? 0;
  return status >= 200 && status < 400 && (!takesJson || trapped?.ok !== false);
}

/** Refused because of the trap: what else is wrong with the message is not what this is about. */
function refusesTrap({ trapped, honeypot }: FormProbe): boolean {
  if (trapped?.status !== 400 && trapped?.status !== 422) return false;
  const { fields } = trapped;
  return fields.length > 0 && fields.every((field) => field === honeypot);
}

function faultOf(form: FormProbe): Said | null {
  if (form.trappedWrote) return null;
  if (refusesTrap(form)) {
    return { message: "The form tells robots that they were caught: they try again without." };
  }
  if (!looksWell(form) || form.trappedWrote === false) return null;
  const message = "Whether the form keeps what robots send could not be checked.";
  return { message, severity: "notice", confidence: "review" };
}

/** A filled trap is to be answered like a message, and nothing is to be kept. */
export const formHoneypotAcceptedSilently: SiteCheck = {
  id: "form.honeypot-accepted-silently",
  category: "form probes",
  severity: "error",
  scope: "probe",
  *look(_crawl, { forms }) {
    for (const form of forms) {
      const fault = faultOf(form);
      if (!fault) continue;
      const { page, action, selector, line, trapped, trappedHash, messages } = form;
      yield {
        page,
        target: action,
        ...fault,
        place: { selector, line },
        evidence: {
          payloadHash: trappedHash,
          status: trapped?.status ?? null,
          envelopeOk: trapped?.ok ?? null,
          before: messages?.before ?? null,
          after: messages?.after ?? null,
        },
      };
    }
  },
};
