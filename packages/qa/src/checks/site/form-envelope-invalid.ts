import type { SiteCheck } from "../../check.ts";
import type { FormResponse, FormProbe } from "../../probe/probes.ts";

/**
 * What is wrong with a response to a script; responses that don't come from Vitrine don't count.
 */
function faultOf(answer: FormResponse | null): { path: string; got: string } | null {
  const status = answer?.status ?? 0;
  const isOurs = (status >= 200 && status < 300) || status === 400 || status === 422;
  if (!answer || !isOurs) return null;
  if (answer.type === "application/json") return answer.invalid;
  return { path: "$", got: answer.type === "" ? "nothing" : answer.type };
}

function* faultsOf({ takesJson, honeypotFilled, empty }: FormProbe) {
  if (!takesJson) return;
  const answers = [
    ["a message", honeypotFilled],
    ["an incomplete message", empty],
  ] as const;
  for (const [what, answer] of answers) {
    const fault = faultOf(answer);
    if (fault) yield { what, ...fault };
  }
}

/**
 * Reports a form whose response isn't the usual envelope: the page can't tell people what happened.
 */
export const formEnvelopeInvalid: SiteCheck = {
  id: "form.envelope-invalid",
  category: "form probes",
  severity: "error",
  scope: "probe",
  *run(_crawl, { forms }) {
    for (const form of forms) {
      const { page, action, selector, line } = form;
      for (const { what, path, got } of faultsOf(form)) {
        yield {
          page,
          target: `${action} ${path}`,
          message: `The response to ${what} has an unexpected format: ${got} at ${path}.`,
          location: { selector, line },
          evidence: { path, got },
        };
      }
    }
  },
};
