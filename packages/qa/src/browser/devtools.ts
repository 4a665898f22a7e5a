import { EventEmitter } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { CDPSession } from "playwright-core";

/**
 * Requests to and events from one target. `send` rejects if it is refused, or if the target or the
 * browser is gone.
 */
export type Session = Pick<CDPSession, "on" | "once" | "send">;

/** A connection that speaks the Chrome DevTools Protocol. */
export interface Devtools {
  /** Of the browser itself. */
  root: Session;
  /** Attaches to a target; its events then go to the session. */
  attach(targetId: string): Promise<Session>;
  /** Whether it is still usable. */
  isOpen(): boolean;
  /** Resolves when it isn't usable any more: it has ended, or was closed. */
  closed: Promise<void>;
  /** Closes it: all pending requests fail. */
  close(): void;
}

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: { sessionId?: string };
  result?: unknown;
  error?: { message: string };
}

interface Waiting {
  sessionId: string;
  method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Splits messages at zero bytes. */
function readMessages(input: Readable, take: (text: string) => void): void {
  let started: Buffer[] = [];
  input.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, from)) {
      started.push(chunk.subarray(from, end));
      take(started.length === 1 ? String(started[0]) : Buffer.concat(started).toString());
      started = [];
      from = end + 1;
    }
    if (from < chunk.length) started.push(chunk.subarray(from));
  });
}

/**
 * Speaks to a browser through pipes, as with `--remote-debugging-pipe`: JSON, terminated by a zero
 * byte, with flat sessions (https://chromedevtools.github.io/devtools-protocol/tot/Target/).
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function openDevtools(input: Readable, output: Writable): Devtools {
  let lastId = 0;
  let open = true;
  const { promise: gone, resolve: go } = Promise.withResolvers<void>();
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<string, EventEmitter>();

  /** Pending requests to a closed target fail; without a target, all of them. */
  const end = (sessionId?: string) => {
    for (const [id, { sessionId: of, method, reject }] of waiting) {
      if (sessionId !== undefined && of !== sessionId) continue;
      waiting.delete(id);
      reject(
        new Error(`${method}: ${sessionId === undefined ? "the browser" : "the page"} is gone`),
      );
    }
  };
  const close = () => {
    open = false;
    end();
    go();
  };
  const settle = ({ id = 0, result, error }: Message) => {
    const question = waiting.get(id);
    waiting.delete(id);
    if (error) question?.reject(new Error(`${question.method}: ${error.message}`));
    else question?.resolve(result);
  };
  readMessages(input, (text) => {
    const message = JSON.parse(text) as Message;
    if (message.id !== undefined) return settle(message);
    const { method = "", params, sessionId = "" } = message;
    if (method === "Target.detachedFromTarget" && params?.sessionId !== undefined) {
      end(params.sessionId);
      listeners.delete(params.sessionId);
    }
    listeners.get(sessionId)?.emit(method, params);
  });
  input.on("close", close).on("error", close);
  output.on("close", close).on("error", close);

  const sessionOf = (sessionId: string): Session => {
    const emitter = new EventEmitter().setMaxListeners(0);
    listeners.set(sessionId, emitter);
    const send = (method: string, params: object = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      if (!open) reject(new Error(`${method}: the browser is gone`));
      else if (!listeners.has(sessionId)) reject(new Error(`${method}: the page is gone`));
      else {
        lastId += 1;
        waiting.set(lastId, { sessionId, method, resolve, reject });
        const to = sessionId === "" ? {} : { sessionId };
        output.write(`${JSON.stringify({ id: lastId, method, params, ...to })}\0`);
      }
      return promise;
    };
    const { on, once } = emitter;
    // Its methods and events are typed as in Playwright.
    return { on: on.bind(emitter), once: once.bind(emitter), send } as unknown as Session;
  };
  const root = sessionOf("");
  return {
    root,
    async attach(targetId) {
      const { sessionId } = await root.send("Target.attachToTarget", { targetId, flatten: true });
      return sessionOf(sessionId);
    },
    isOpen: () => open,
    closed: gone,
    close,
  };
}
