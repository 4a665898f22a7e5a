import { AppError } from "../../kit/errors.ts";
import { serializeEvent } from "../../kit/event-stream.ts";
import type { DesignProgress } from "./schema.ts";

/** How often a comment keeps the connection open, ms. */
const pingEvery = 10_000;

function failure(error: unknown): {
  code: string;
  message: string;
  fields?: unknown;
  details?: unknown;
} {
  if (!(error instanceof AppError)) return { code: "internal", message: "Something went wrong." };
  const { code, message, fields, details } = error;
  return {
    code,
    message,
    ...(fields && { fields }),
    ...(details === undefined ? {} : { details }),
  };
}

/**
 * An event stream (HTML standard, 9.2.6) of one job: `progress` events, then one `result` or
 * `error`. The job is aborted if the client leaves.
 */
export async function* responseStream<T>(
  work: (call: { signal: AbortSignal; onProgress(progress: DesignProgress): void }) => Promise<T>,
  options: { signal: AbortSignal; onError?(error: unknown): void; pingMs?: number },
): AsyncGenerator<string, void> {
  const left = new AbortController();
  const waiting: string[] = [];
  let ring = Promise.withResolvers<void>();
  let over = false;
  const say = (text: string): void => {
    waiting.push(text);
    ring.resolve();
  };
  const ping = setInterval(() => say(": ping\n\n"), options.pingMs ?? pingEvery);
  const done = work({
    signal: AbortSignal.any([options.signal, left.signal]),
    onProgress: (progress) => say(serializeEvent("progress", progress)),
  }).then(
    (result) => say(serializeEvent("result", result)),
    (error: unknown) => {
      if (!(error instanceof AppError)) options.onError?.(error);
      say(serializeEvent("error", failure(error)));
    },
  );
  void done.finally(() => {
    over = true;
    ring.resolve();
  });
  const onAbort = (): void => ring.resolve();
  options.signal.addEventListener("abort", onAbort);
  try {
    yield ": begun\n\n";
    while (!options.signal.aborted) {
      const text = waiting.splice(0).join("");
      if (text !== "") yield text;
      else if (over) return;
      else {
        await ring.promise;
        ring = Promise.withResolvers<void>();
      }
    }
  } finally {
    clearInterval(ping);
    options.signal.removeEventListener("abort", onAbort);
    left.abort(new AppError("unavailable", "The page that asked was closed."));
  }
}
