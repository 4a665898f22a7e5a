import type { FastifyInstance } from "fastify";
import { z } from "zod";

/** The query of a route that names none. */
export const noQuery = z.strictObject({});
/** The body of a route that names none. */
export const unnamedBody = z.strictObject({}).nullish();

const prefixes = ["/api/", "/devconsole/"];
const withBody = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Makes routes of the contract refuse, as `validation_failed`, whatever they don't name: one without
 * a schema of its query or body takes none. Left alone are routes that the description hides, which
 * are pages and doors to elsewhere, and those whose slow bodies other protocols describe.
 */
export function takeNothingMore(app: Pick<FastifyInstance, "addHook">): void {
  app.addHook("onRoute", (route) => {
    const { schema = {}, url, method, config } = route;
    const isOurs = prefixes.some((prefix) => url.startsWith(prefix));
    if (!isOurs || schema.hide || config?.slowBody) return;
    const takesBody = [method].flat().some((name) => withBody.has(name));
    route.schema = {
      ...schema,
      querystring: schema.querystring ?? noQuery,
      ...(takesBody ? { body: schema.body ?? unnamedBody } : {}),
    };
  });
}
