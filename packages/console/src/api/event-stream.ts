import { ApiError } from "./client.ts";
import { makeSseParser } from "./sse.ts";

export type Connection = "connecting" | "open" | "offline" | "ended";

/** A stream's event: its type, and its raw data. */
export interface StreamEvent {
  type: string;
  data: unknown;
}

export interface FollowOptions<E extends StreamEvent> {
  /** Opens the stream after this event ('' for all). */
  open(lastEventId: string, signal: AbortSignal): Promise<Response>;
  signal: AbortSignal;
  /** Called with the events of one chunk, in order. */
  onEvents(events: E[]): void;
  onConnection(state: Connection): void;
  /** Whether this is the last event. */
  isLast(event: E): boolean;
  /** Whether the run is known to have ended: old events may have been deleted, even all of them. */
  isOver?(): boolean;
  /** Resolves after the time, or earlier when retrying makes sense. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Silence after which the connection counts as lost, in ms; the server pings every 15 s. */
  silenceMs?: number;
}

function parseEvent(type: string, data: string): StreamEvent | null {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? { type, data: value } : null;
  } catch {
    return null;
  }
}

export interface ReadOptions {
  /** Called with the events of one chunk, in order. */
  onEvents(events: StreamEvent[]): void;
  onId?(id: string): void;
  /** Called after `silenceMs` of silence. */
  onSilence?(): void;
  silenceMs?: number;
}

/** Reads one connection to its end; rejects if it breaks. */
export async function readEvents(response: Response, options: ReadOptions): Promise<void> {
  if (response.body === null) return;
  let batch: StreamEvent[] = [];
  const parser = makeSseParser((message) => {
    options.onId?.(message.id);
    const event = parseEvent(message.type, message.data);
    if (event !== null) batch.push(event);
  });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const watchdog = setTimeout(() => options.onSilence?.(), options.silenceMs ?? 40_000);
    const { done, value } = await reader.read().finally(() => clearTimeout(watchdog));
    if (done) return;
    parser.push(decoder.decode(value, { stream: true }));
    if (batch.length > 0) options.onEvents(batch);
    batch = [];
  }
}

/**
 * Follows a stream to its last event over as many connections as needed: each one continues after
 * the last event seen, with growing pauses (0.5 s to 15 s) between failures. Rejects with an
 * ApiError for which retrying is useless (401, 403, 404); resolves when the stream is over or
 * `signal` aborts. If everything was over before the stream was opened, reading it to its end is
 * enough.
 */
export async function followEvents<E extends StreamEvent>(
  options: FollowOptions<E>,
): Promise<void> {
  const { signal } = options;
  let lastEventId = "";
  let failures = 0;
  while (!signal.aborted) {
    const attempt = new AbortController();
    const abort = (): void => attempt.abort();
    const wasOver = options.isOver?.() ?? false;
    let over = false;
    signal.addEventListener("abort", abort, { once: true });
    try {
      const response = await options.open(lastEventId, attempt.signal);
      failures = 0;
      options.onConnection("open");
      await readEvents(response, {
        onEvents(events) {
          over ||= events.some((event) => options.isLast(event as E));
          if (!signal.aborted) options.onEvents(events as E[]);
        },
        onId: (id) => (lastEventId = id),
        onSilence: abort,
        ...(options.silenceMs !== undefined && { silenceMs: options.silenceMs }),
      });
      if (over || wasOver) return options.onConnection("ended");
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && [401, 403, 404].includes(error.status)) throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
    if (signal.aborted) return;
    failures += 1;
    options.onConnection(failures > 1 ? "offline" : "connecting");
    await options.wait(Math.min(15_000, 500 * 2 ** (failures - 1)), signal);
  }
}
