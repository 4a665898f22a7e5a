import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { type Failure, failure } from "../../kit/failure.ts";
import { AppError, toAppError } from "../../kit/errors.ts";

/** Fastify's own errors with the messages of the contract. */
const fastifyRefusals: Record<string, () => AppError> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new AppError("unsupported_media_type", "Send this as application/json."),
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new AppError("too_large", "The body is too large. Send less data."),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new AppError("malformed_json", "The body is empty."),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new AppError("malformed_json", "The body isn't valid JSON."),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError("bad_request", "The body's length doesn't match Content-Length."),
  FST_ERR_BAD_URL: () => new AppError("bad_request", "The address can't be decoded."),
  FST_ERR_MAX_PARAM_LENGTH: () => new AppError("not_found", "There is nothing at this address."),
};

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  const refusal = code === undefined ? undefined : fastifyRefusals[code];
  if (refusal) return refusal();
  if (error instanceof SyntaxError && statusCode === 400) {
    return new AppError("malformed_json", "The body isn't valid JSON.", { cause: error });
  }
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return new AppError("bad_request", (error as Error).message, { cause: error });
  }
  return toAppError(error);
}

/** Headers of the intended body, which would be wrong for the envelope. */
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
 * Maximum bytes of an error response, so that no input can cause a response many times its size.
 */
const maxErrorBytes = 16 * 1024;
const maxMessage = 2000;

/** An error envelope as JSON of at most 16 KiB; details that don't fit are left out. */
export function serializeFailure(whole: Failure): string {
  const { code, message, fields, details } = whole.error;
  const minimal = { code, message: message.slice(0, maxMessage).toWellFormed() };
  const choices = [whole.error, { ...minimal, fields, details }, { ...minimal, fields }, minimal];
  for (const error of choices) {
    const text = JSON.stringify({ ...whole, error });
    if (Buffer.byteLength(text) <= maxErrorBytes) return text;
  }
  return JSON.stringify({ ...whole, error: { code, message: "" } });
}

/**
 * The only place where errors become responses: the envelope, the code's status, no stack.
 * Unexpected errors are logged under the request's ID, which the response contains.
 */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const known = asAppError(error);
  const unexpected = known.status >= 500 && known.code !== "model_not_configured";
  if (unexpected) request.log.error({ err: error }, "request failed");
  for (const name of bodyHeaders) reply.removeHeader(name);
  const body = failure(known, known.code === "internal" ? request.id : undefined);
  return reply
    .code(known.status)
    .headers({ "cache-control": "no-store", ...known.headers })
    .type("application/json; charset=utf-8")
    .serializer(serializeFailure)
    .send(body);
}
