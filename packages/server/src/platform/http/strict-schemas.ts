import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { bodyLimits } from "./body-limits.ts";
import { assertCleanTexts } from "./clean-text-schemas.ts";

/** The query of a route without a query schema. */
export const emptyQuery = z.strictObject({});
/** The body of a route without a body schema. */
export const emptyBody = z.strictObject({}).nullish();

const prefixes = ["/api/", "/devconsole/"];
const methodsWithBody = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Makes documented routes refuse everything they don't declare, as `validation_failed`: without a
 * query or body schema they accept none, and a body can't be larger than its schema allows, nor
 * than `maxBytes` unless the route says so. Throws `TypeError` for a route with an unlimited body,
 * parameters without a schema, or texts that aren't cleaned. Doesn't affect undocumented routes,
 * which are pages and proxies, and routes with slow bodies of other protocols.
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
