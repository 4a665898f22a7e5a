import type { FieldErrors } from "../forms/useForm.ts";
import { parseInteger } from "../settings/number.ts";
import type { NewSiteBody } from "./useSites.ts";

export interface SiteForm {
  name: string;
  owner: string;
  domain: string;
  timeZone: string;
  diskMiB: string;
}

/** The server's rule for names. */
const namePattern = /^(?=.{1,40}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

const nameRule =
  "Use 1 to 40 lowercase letters, digits, and single hyphens, and begin with a letter.";

/** What a disk limit lacks; null if it is one, or empty. */
export function diskLimitError(text: string): string | null {
  const mib = parseInteger(text);
  if (mib === null) return null;
  return Number.isSafeInteger(mib) && mib > 0 ? null : "Enter a whole number of MiB, such as 500.";
}

/** Errors that the server needn't find; `needsDomain`: whether there is no domain for it otherwise. */
export function siteFormErrors(form: SiteForm, needsDomain: boolean): FieldErrors {
  const disk = diskLimitError(form.diskMiB);
  return {
    ...(!namePattern.test(form.name.trim()) && { name: nameRule }),
    ...(form.owner.trim() === "" && { owner: "Enter the name that the site shows." }),
    ...(needsDomain && form.domain.trim() === "" && { domain: "Enter a domain for this site." }),
    ...(disk !== null && { diskMiB: disk }),
  };
}

export function siteBody(form: SiteForm): NewSiteBody {
  const [domain, timeZone] = [form.domain.trim(), form.timeZone.trim()];
  return {
    name: form.name.trim(),
    owner: form.owner.trim(),
    ...(domain !== "" && { domain }),
    ...(timeZone !== "" && { timeZone }),
    diskMiB: parseInteger(form.diskMiB),
  };
}
