import { AppError } from "../../kit/errors.ts";
import { siteIdPattern } from "../../kit/site-id.ts";

/** The error for a name that no site has. */
export function noSuchSite(id: string): AppError {
  return new AppError("not_found", `There is no site called “${id}”.`);
}

/** The error for a name that another site has. */
export function nameTaken(id: string): AppError {
  const fields = { name: "is the name of another site" };
  return new AppError("already_exists", `There is a site called “${id}” already.`, { fields });
}

/** Throws `validation_failed` unless this can be a site's name. */
export function assertSiteId(id: string): void {
  if (siteIdPattern.test(id)) return;
  const message =
    "must be 1 to 40 lowercase letters, digits, and single hyphens, and begin with a letter";
  throw new AppError("validation_failed", `The site's name ${message}.`, {
    fields: { name: message },
  });
}
