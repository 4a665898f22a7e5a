import type { FastifyBodyParser } from "fastify";
import { AppError } from "../../kit/errors.ts";
import { jsonDepth } from "../../kit/json.ts";

/** Deeper than any body of ours; what recurses over a body stays shallow. */
const mostDepth = 32;

/** A parser of JSON bodies that refuses those nested deeper than anything asks for; `parse` does the rest. */
export function boundedJson(parse: FastifyBodyParser<string>): FastifyBodyParser<string> {
  return (request, body, done) => {
    if (jsonDepth(body) <= mostDepth) return parse(request, body, done);
    const message = `The body's lists and objects lie more than ${mostDepth} deep in each other.`;
    return done(new AppError("bad_request", message));
  };
}
