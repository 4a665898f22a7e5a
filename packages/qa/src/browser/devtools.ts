import { EventEmitter } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { CDPSession } from "playwright-core";

/**
 * What is asked of one target, and what it tells by itself. `send` rejects when it is refused, and when
 * the target or the browser goes away.
 */
export type Session = Pick<CDPSession, "on" | "once" | "send">;

/** One program that speaks the Chrome DevTools Protocol. */
export interface Devtools {
  /** Of the browser itself. */
  root: Session;
  /** Takes up a target; what comes from it then comes to the session. */
  attach(targetId: string): Promise<Session>;
  /** Whether it can still be asked. */
  isOpen(): boolean;
  /** Resolves when it can't be asked any more: it has ended, or was closed. */
  closed: Promise<void>;
  /** Nothing more comes: all that waits for an answer fails. */
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

/** Parts what comes at its zero bytes. */
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
 * Speaks with a browser through pipes, as `--remote-debugging-pipe` has it: JSON, ended by a zero byte,
 * with sessions side by side ("flat", https://chromedevtools.github.io/devtools-protocol/tot/Target/).
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function openDevtools(input: Readable, output: Writable): Devtools {
  let lastId = 0;
  let open = true;
  const { promise: gone, resolve: go } = Promise.withResolvers<void>();
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<string, EventEmitter>();

  /** What is asked of a target that is gone fails; all of it without one. */
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
    // Its methods and events are typed as Playwright types them.
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
