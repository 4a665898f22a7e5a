import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import {
  hasZodFastifySchemaValidationErrors,
  type ZodFastifySchemaValidationError,
} from "fastify-type-provider-zod";
import { failure } from "../../kit/envelope.ts";
import { AppError, toAppError } from "../../kit/errors.ts";

/** Fastify's own refusals, in the words of the contract. */
const fastifyRefusals: Record<string, () => AppError> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new AppError("unsupported_media_type", "Send this as application/json."),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError("too_large", "The body is too large."),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new AppError("malformed_json", "The body is empty."),
  FST_ERR_CTP_INVALID_JSON_BODY: () =>
    new AppError("malformed_json", "The body is not valid JSON."),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError("bad_request", "The body's length is not what Content-Length says."),
  FST_ERR_BAD_URL: () => new AppError("bad_request", "The address can't be decoded."),
  FST_ERR_MAX_PARAM_LENGTH: () => new AppError("not_found", "There is nothing at this address."),
};

function validationError(issues: readonly ZodFastifySchemaValidationError[]): AppError {
  const fields: Record<string, string> = {};
  for (const issue of issues) {
    const path = issue.instancePath.replace(/^\//, "").replaceAll("/", ".");
    const { keys } = issue.params as { keys?: string[] };
    const names = keys ? keys.map((key) => (path ? `${path}.${key}` : key)) : [path];
    for (const name of names) fields[name] ??= issue.message ?? "is not valid";
  }
  const names = Object.keys(fields).filter(Boolean).join(", ");
  const message = names ? `Not valid: ${names}.` : "The request is not valid.";
  return new AppError("validation_failed", message, { fields });
}

function expected(error: unknown): AppError {
  if (hasZodFastifySchemaValidationErrors(error)) return validationError(error.validation);
  const { code, statusCode } = error as Partial<FastifyError>;
  const refusal = code === undefined ? undefined : fastifyRefusals[code];
  if (refusal) return refusal();
  if (error instanceof SyntaxError && statusCode === 400) {
    return new AppError("malformed_json", "The body is not valid JSON.", { cause: error });
  }
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return new AppError("bad_request", (error as Error).message, { cause: error });
  }
  return toAppError(error);
}

/** Headers of the body that was to be sent, which would lie about the envelope. */
const bodyHeaders = [
  "accept-ranges",
  "content-encoding",
  "content-length",
  "content-range",
  "content-disposition",
  "etag",
  "last-modified",
];

/**
 * The one place where errors become answers: the envelope, the code's status, no stack. What was
 * not expected goes to the log under the request's id, which the answer names.
 */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const known = expected(error);
  const unexpected = known.status >= 500 && known.code !== "model_not_configured";
  if (unexpected) request.log.error({ err: error }, "request failed");
  for (const name of bodyHeaders) reply.removeHeader(name);
  return reply
    .code(known.status)
    .headers({ "cache-control": "no-store", ...known.headers })
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(failure(known, known.code === "internal" ? request.id : undefined));
}
