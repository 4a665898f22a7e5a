import type { FastifyBodyParser } from "fastify";
import { AppError } from "../../kit/errors.ts";
import { hasDuplicateKeys, jsonShape } from "../../kit/json.ts";
import type { BodyLimits } from "./body-limits.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Limits of the route's body, from its schema. */
    bodyBounds?: BodyLimits;
  }
}

/** For bodies without a schema. */
const defaultLimits = { maxDepth: 32, maxValues: 10_000 };

/**
 * A parser of JSON bodies that measures the text before parsing: bodies nested deeper or with more
 * members and items than the route allows are refused unparsed, those with duplicate keys after
 * parsing. `parse` does the rest.
 */
export function makeJsonParser(parse: FastifyBodyParser<string>): FastifyBodyParser<string> {
  return (request, body, done) => {
    const { maxDepth, maxValues } = request.routeOptions.config.bodyBounds ?? defaultLimits;
    const shape = jsonShape(body);
    if (shape.depth > maxDepth) {
      const message = `The body is nested more than ${maxDepth} levels deep.`;
      return done(new AppError("bad_request", message));
    }
    if (shape.values > maxValues) {
      const message = `The body has more than ${maxValues} keys and list items.`;
      return done(new AppError("too_large", message));
    }
    return parse(request, body, (error: Error | null, value?: unknown) => {
      if (error || !hasDuplicateKeys(value, shape)) return done(error, value);
      const message = "An object in the body has the same key twice.";
      return done(new AppError("malformed_json", message));
    });
  };
}
