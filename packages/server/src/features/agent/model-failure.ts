import { APICallError } from "ai";

/** The stream ended before the response did. */
export class IncompleteAnswer extends Error {
  constructor() {
    super("The model's answer ended before it was complete.");
    this.name = "IncompleteAnswer";
  }
}

/** The stream was silent for too long. */
export class SilentStream extends Error {
  constructor() {
    super("The model stopped answering.");
    this.name = "SilentStream";
  }
}

/** The response exceeded every reasonable size. */
export class EndlessAnswer extends Error {
  constructor() {
    super("The model's answer didn't end and was cut off.");
    this.name = "EndlessAnswer";
  }
}

const maxWaitMs = 30_000;

/** Errors inside a stream have a type but no status. */
function streamedType(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { type, error: inner } = error as { type?: unknown; error?: unknown };
  const innerType = (inner as { type?: unknown } | undefined)?.type;
  if (typeof innerType === "string") return innerType;
  return typeof type === "string" ? type : undefined;
}

const finalTypes =
  /^(authentication|permission|invalid_request|not_found|billing|insufficient_quota|request_too_large)/;

function retryAfter(error: unknown): number | null {
  if (!APICallError.isInstance(error)) return null;
  const header = error.responseHeaders?.["retry-after"];
  if (header === undefined) return null;
  const ms = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

/** Also matches if a client has wrapped the error. */
function isEndless(error: unknown): boolean {
  return (
    error instanceof EndlessAnswer ||
    (error instanceof Error && error.cause instanceof EndlessAnswer)
  );
}

/**
 * How long to wait before the next attempt, in ms, or null if it would fail again. Doubles each
 * time; a provider's Retry-After counts up to 30 s, and a longer one ends the attempts.
 */
export function retryDelay(error: unknown, failed: number, backoffMs: number): number | null {
  // The wait was too long already, so the owner decides whether to try again.
  if (isEndless(error) || error instanceof SilentStream) return null;
  if (APICallError.isInstance(error) && error.statusCode !== undefined && !error.isRetryable) {
    // A malformed 200 response is a broken stream; another attempt may succeed.
    if (error.statusCode >= 400) return null;
  }
  if (finalTypes.test(streamedType(error) ?? "")) return null;
  const retryAfterMs = retryAfter(error);
  if (retryAfterMs !== null && retryAfterMs > maxWaitMs) return null;
  const own = backoffMs * 2 ** failed;
  return Math.max(own, retryAfterMs ?? 0);
}

function describeStatus(status: number): string {
  if (status === 401) return "The model provider refused the API key.";
  if (status === 402) return "Your account at the model provider is out of credit.";
  if (status === 403) return "The model provider doesn't allow this key to use the model.";
  if (status === 404) return "The model provider doesn't know the configured model.";
  if (status === 413) return "The request became too large for the model provider.";
  if (status === 429) return "The model provider is limiting requests. Try again later.";
  if (status === 529 || status === 503) return "The model provider is overloaded. Try again later.";
  if (status >= 500) return `The model provider failed (${status}).`;
  if (status >= 400) return `The model provider rejected the request (${status}).`;
  return "The model provider's response couldn't be understood.";
}

/** The provider's own message, if any: it names the model or the invalid field. */
function providerMessage(body: string | undefined): string {
  const message = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body ?? "")?.[1];
  if (message === undefined) return "";
  try {
    return ` It said: ${(JSON.parse(message) as string).slice(0, 300)}`;
  } catch {
    return "";
  }
}

const tooLongPattern =
  /prompt is too long|context[ _](?:length|window)|maximum context|too many (?:input )?tokens|exceeds? the (?:available |model's )?context|input is too long/i;

/** Whether the provider refused the request because the conversation exceeds the context window. */
export function isTooLong(error: unknown): boolean {
  if (!APICallError.isInstance(error)) return false;
  if (error.statusCode === 413) return true;
  return (
    (error.statusCode === 400 || error.statusCode === 422) &&
    tooLongPattern.test(providerMessage(error.responseBody))
  );
}

/** One or two plain sentences for the owner, without keys, addresses, or stack traces. */
export function describeFailure(error: unknown): string {
  if (isEndless(error)) return new EndlessAnswer().message;
  if (error instanceof SilentStream || error instanceof IncompleteAnswer) return error.message;
  if (APICallError.isInstance(error)) {
    if (error.statusCode === undefined) return "The model provider can't be reached.";
    const detail = [400, 404, 422].includes(error.statusCode)
      ? providerMessage(error.responseBody)
      : "";
    return describeStatus(error.statusCode) + detail;
  }
  const type = streamedType(error);
  if (type === "overloaded_error") return describeStatus(529);
  if (type === "rate_limit_error") return describeStatus(429);
  if (type === "authentication_error") return describeStatus(401);
  return "The model's answer was cut off or couldn't be understood.";
}

/** What the owner can change if the provider refuses the settings; "" otherwise. */
export function settingsAdvice(error: unknown): string {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (status === 401 || streamedType(error) === "authentication_error") {
    return " Check the key under Settings → Model.";
  }
  if (status === 403 || status === 404 || error instanceof SilentStream) {
    return " Try again, or choose another model under Settings → Model.";
  }
  return "";
}
