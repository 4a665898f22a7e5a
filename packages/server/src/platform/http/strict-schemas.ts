import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { bodyLimits } from "./body-limits.ts";
import { assertCleanTexts } from "./clean-text-schemas.ts";

/** The query of a route that names none. */
export const emptyQuery = z.strictObject({});
/** The body of a route that names none. */
export const emptyBody = z.strictObject({}).nullish();

const prefixes = ["/api/", "/devconsole/"];
const methodsWithBody = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Makes routes of the contract refuse, as `validation_failed`, whatever they don't name: one without
 * a schema of its query or body takes none, and a body may be no larger than its schema makes it, nor than
 * `maxBytes` unless the route says so.
 * Throws `TypeError` for a route whose body has no bounds, whose address has parameters without a
 * schema, or that would let through a text that isn't clean. Left alone are routes that the description hides, which
 * are pages and doors to elsewhere, and those whose slow bodies other protocols describe.
 */
export function enforceStrictSchemas(
  app: Pick<FastifyInstance, "addHook">,
  { maxBytes }: { maxBytes: number },
): void {
  app.addHook("onRoute", (route) => {
    const { schema = {}, url, method, config } = route;
    const isOurs = prefixes.some((prefix) => url.startsWith(prefix));
    if (!isOurs || schema.hide || config?.slowBody) return;
    const takesBody = [method].flat().some((name) => methodsWithBody.has(name));
    const name = `${[method].flat().join()} ${url}`;
    const querystring = (schema.querystring ?? emptyQuery) as z.ZodType;
    assertCleanTexts(querystring, `${name} query`);
    if (url.includes(":")) {
      if (!schema.params) throw new TypeError(`${name} has no schema for its parameters`);
      assertCleanTexts(schema.params as z.ZodType, `${name} params`);
    }
    route.schema = { ...schema, querystring };
    if (!takesBody) return;
    const body = (schema.body ?? emptyBody) as z.ZodType;
    const bounds = bodyLimits(body, name);
    assertCleanTexts(body, name);
    route.schema.body = body;
    route.bodyLimit ??= Math.min(bounds.maxBytes, maxBytes);
    route.config = { ...config, bodyBounds: { ...bounds, maxBytes: route.bodyLimit } };
  });
}
