import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError, toAppError } from "../kit/errors.ts";
import { makeProxy, type Proxy } from "../platform/http/proxy.ts";

export interface WakingProxyOptions {
  /** Gives the socket of the site's web, which is started before if necessary. */
  wake(): Promise<string>;
  /** Responds to a request for which the site can't be woken. */
  sendUnavailable(request: IncomingMessage, response: ServerResponse, error: AppError): void;
  sendConnectionLost(request: IncomingMessage, response: ServerResponse): void;
}

/** A proxy to a site that may sleep. */
export interface WakingProxy extends Proxy {
  /** The site's web is about to end: the next request wakes the site again. */
  forget(): void;
}

/** How many requests may wait for a site. */
const maxWaiting = 64;
/** A web that has ended meanwhile is looked for again so often. */
const maxAttempts = 3;

/** Forwards requests to the web of a site, and wakes the site for them. */
export function makeWakingProxy(options: WakingProxyOptions): WakingProxy {
  let current: Proxy | null = null;
  let waking: Promise<Proxy> | null = null;
  let waiting = 0;
  const attempts = new WeakMap<IncomingMessage, number>();

  function connect(socketPath: string): Proxy {
    const proxy = makeProxy({
      socketPath,
      sendUnavailable(request, response) {
        if (current === proxy) current = null;
        void wakeFor(request, response);
      },
      sendConnectionLost: options.sendConnectionLost,
    });
    return proxy;
  }

  function wake(): Promise<Proxy> {
    if (current !== null) return Promise.resolve(current);
    waking ??= options
      .wake()
      .then((socketPath) => (current = connect(socketPath)))
      .finally(() => {
        waking = null;
      });
    return waking;
  }

  async function wakeFor(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const attempt = (attempts.get(request) ?? 0) + 1;
    attempts.set(request, attempt);
    const busy = new AppError("unavailable", "The server is busy. Try again in a moment.", {
      headers: { "retry-after": "5" },
    });
    if (waiting >= maxWaiting || attempt > maxAttempts) {
      return options.sendUnavailable(request, response, busy);
    }
    waiting += 1;
    try {
      const proxy = await wake();
      if (!response.destroyed) proxy.forward(request, response, true);
    } catch (error) {
      if (!response.destroyed) options.sendUnavailable(request, response, toAppError(error));
    } finally {
      waiting -= 1;
    }
    return undefined;
  }

  const forget = () => {
    // Whoever waits for it asks for the next one.
    current?.close();
    current = null;
  };
  return {
    forward(request, response, isPatient) {
      if (current === null) void wakeFor(request, response);
      else current.forward(request, response, isPatient);
    },
    forget,
    close: forget,
  };
}
