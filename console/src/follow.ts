import { ApiError } from "./api.ts";
import { makeSseParser } from "./sse.ts";
import type { RunEvent, RunStatus } from "./types.ts";

export type Connection = "connecting" | "open" | "offline" | "ended";

export interface FollowOptions {
  /** Opens the stream after the named event ('' for all of it). */
  open(lastEventId: string, signal: AbortSignal): Promise<Response>;
  signal: AbortSignal;
  /** Hands over what one piece of the stream held, in order. */
  onEvents(events: RunEvent[]): void;
  onConnection(state: Connection): void;
  /** Whether the run is known to be over: of an old one not all events are kept, perhaps none. */
  isOver?(): boolean;
  /** Resolves after the time, or sooner when trying again makes sense. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Silence, in ms, after which the connection counts as lost; the server pings every 15 s. */
  silenceMs?: number;
}

const finalStates = new Set(["published", "discarded", "failed", "cancelled", "interrupted"]);

/** Whether a run in this state is over for good. */
export function isFinal(status: RunStatus): boolean {
  return finalStates.has(status);
}

function isLast(event: RunEvent): boolean {
  return event.type === "run.finished" && isFinal(event.data.status);
}

function parseEvent(type: string, data: string): RunEvent | null {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? ({ type, data: value } as RunEvent) : null;
  } catch {
    return null;
  }
}

/** Reads one connection to its end; says whether the run's last event was in it. */
async function readStream(
  response: Response,
  options: FollowOptions,
  abort: () => void,
  onId: (id: string) => void,
): Promise<boolean> {
  if (response.body === null) return false;
  let batch: RunEvent[] = [];
  let over = false;
  const parser = makeSseParser((message) => {
    onId(message.id);
    const event = parseEvent(message.type, message.data);
    if (event === null) return;
    batch.push(event);
    over ||= isLast(event);
  });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const watchdog = setTimeout(abort, options.silenceMs ?? 40_000);
    const { done, value } = await reader.read().finally(() => clearTimeout(watchdog));
    if (done) return over;
    parser.push(decoder.decode(value, { stream: true }));
    if (batch.length > 0 && !options.signal.aborted) options.onEvents(batch);
    batch = [];
  }
}

/**
 * Follows a run until its final state, over as many connections as that takes: each one
 * continues after the last event seen, with a growing pause (0.5 s to 15 s) between failures.
 * Rejects with the ApiError that makes trying again senseless (401, 403, 404); resolves when
 * the run is over or `signal` aborts. A stream that was opened when the run was over already, and
 * was read to its end, has all there is.
 */
export async function followRun(options: FollowOptions): Promise<void> {
  let lastEventId = "";
  let failures = 0;
  while (!options.signal.aborted) {
    const attempt = new AbortController();
    const abort = (): void => attempt.abort();
    const wasOver = options.isOver?.() ?? false;
    options.signal.addEventListener("abort", abort, { once: true });
    try {
      const response = await options.open(lastEventId, attempt.signal);
      failures = 0;
      options.onConnection("open");
      const over = await readStream(response, options, abort, (id) => (lastEventId = id));
      if (over || wasOver) return options.onConnection("ended");
    } catch (error) {
      if (options.signal.aborted) return;
      if (error instanceof ApiError && [401, 403, 404].includes(error.status)) throw error;
    } finally {
      options.signal.removeEventListener("abort", abort);
    }
    if (options.signal.aborted) return;
    failures += 1;
    options.onConnection(failures > 1 ? "offline" : "connecting");
    await options.wait(Math.min(15_000, 500 * 2 ** (failures - 1)), options.signal);
  }
}
