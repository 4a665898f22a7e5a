import { parse } from "node:querystring";
import { AppError } from "../../kit/errors.ts";
import type { AppServer } from "./server.ts";

/** What a form that is sent URL-encoded may be at most. */
export interface FormBounds {
  /** Bytes of its text. */
  bytes: number;
  /** Fields, one that comes twice counted twice. */
  fields: number;
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
export function takeForms(app: AppServer, { bytes, fields }: FormBounds): void {
  const type = "application/x-www-form-urlencoded";
  app.addContentTypeParser(
    type,
    { parseAs: "string", bodyLimit: bytes },
    (_request, text: string, done) => {
      if (countFields(text) > fields) {
        done(new AppError("too_large", `The form has more than ${fields} fields.`));
      } else done(null, parse(text, "&", "=", { maxKeys: fields }));
    },
  );
}
