import { parse } from "node:querystring";
import { AppError } from "../../kit/errors.ts";
import type { AppServer } from "./server.ts";

/** Limits of a URL-encoded form. */
export interface FormLimits {
  /** Bytes of its text. */
  maxBytes: number;
  /** Fields, including duplicates. */
  maxFields: number;
}

/** The number of fields in a text, counted in one pass without parsing. */
function countFields(text: string): number {
  let count = 1;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) count += 1;
  return count;
}

/**
 * Lets the routes of `app` accept `application/x-www-form-urlencoded` (URL Standard, section 5).
 * Bodies over the limits are `too_large`, refused before parsing. The body is an object without a
 * prototype; a repeated field is a list.
 */
export function registerFormParser(app: AppServer, { maxBytes, maxFields }: FormLimits): void {
  const type = "application/x-www-form-urlencoded";
  app.addContentTypeParser(
    type,
    { parseAs: "string", bodyLimit: maxBytes },
    (_request, text: string, done) => {
      if (countFields(text) > maxFields) {
        done(new AppError("too_large", `The form has more than ${maxFields} fields.`));
      } else done(null, parse(text, "&", "=", { maxKeys: maxFields }));
    },
  );
}
