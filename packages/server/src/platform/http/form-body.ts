import { parse } from "node:querystring";
import { AppError } from "../../kit/errors.ts";
import type { AppServer } from "./server.ts";

/** What a form that is sent URL-encoded may be at most. */
export interface FormLimits {
  /** Bytes of its text. */
  maxBytes: number;
  /** Fields, one that comes twice counted twice. */
  maxFields: number;
}

/** How many fields a text has, in one pass that makes nothing of them. */
function countFields(text: string): number {
  let count = 1;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) count += 1;
  return count;
}

/**
 * Lets the routes of `app` take `application/x-www-form-urlencoded` (URL Standard, section 5). More
 * bytes or fields than the bounds are `too_large`, refused before anything is made of them. The body
 * is an object without a prototype; a field that comes more than once is a list.
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
