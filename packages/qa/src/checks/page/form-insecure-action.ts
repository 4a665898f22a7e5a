import { type Check, quote } from "../../check.ts";
import { attribute } from "../../page/dom.ts";

/** Reports a form that sends its data unencrypted. */
export const formInsecureAction: Check = {
  id: "form.insecure-action",
  category: "form probes",
  severity: "error",
  *run(page, site) {
    if (site.origin?.startsWith("http:")) return;
    for (const form of page.all("form")) {
      const action = attribute(form, "action") ?? "";
      if (!/^\s*http:/i.test(action)) continue;
      yield {
        target: action,
        at: form,
        evidence: { action },
        message: `The form submits to ${quote(action)} without encryption.`,
      };
    }
  },
};
