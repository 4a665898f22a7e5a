import type { SiteCheck } from "../../check.ts";
import type { FormResponse, FormProbe } from "../../probe/probes.ts";

/** Where an answer to a script is none that it understands; others than the program's don't count. */
function faultOf(said: FormResponse | null): { path: string; got: string } | null {
  const status = said?.status ?? 0;
  const isOurs = (status >= 200 && status < 300) || status === 400 || status === 422;
  if (!said || !isOurs) return null;
  if (said.type === "application/json") return said.invalid;
  return { path: "$", got: said.type === "" ? "nothing" : said.type };
}

function* faultsOf({ takesJson, honeypotFilled, empty }: FormProbe) {
  if (!takesJson) return;
  const asked = [
    ["a message", honeypotFilled],
    ["a message in which something is missing", empty],
  ] as const;
  for (const [what, said] of asked) {
    const fault = faultOf(said);
    if (fault) yield { what, ...fault };
  }
}

/** A form's answer lacks the form that every answer has: the page can't tell people what became of it. */
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
          message: `The answer to ${what} can’t be understood: at ${path} it has ${got}.`,
          location: { selector, line },
          evidence: { path, got },
        };
      }
    }
  },
};
