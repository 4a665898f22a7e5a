import { AppError } from "../../kit/errors.ts";
import { jsonDepth } from "../../kit/json.ts";
import type { AppServer } from "./server.ts";

/** Deeper than any body of ours; what recurses over a body stays shallow. */
const mostDepth = 32;

/** Bodies of JSON: no `__proto__` or `constructor` in them, and no deeper than anything asks for. */
export function acceptJsonBodies(app: AppServer): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser<string>(
    "application/json",
    { parseAs: "string" },
    (request, body, done) => {
      if (jsonDepth(body) > mostDepth) {
        const message = `The body's lists and objects lie more than ${mostDepth} deep in each other.`;
        done(new AppError("bad_request", message));
      } else {
        void parse(request, body, done);
      }
    },
  );
}
