import { Agent, get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { encodings } from "./nginx.ts";

type Server = "own" | "nginx";
/** Times until each whole response was there, in ms. */
export type Times = Record<Server, number[]>;

/** Visits of the home page of an instance and of nginx with the same files. */
export interface Visitor extends Disposable {
  /**
   * Asks both in turn at a fixed rate, however long they take, until `isOver`; returns how long each
   * response took. Rejects if one isn't 200.
   */
  visit(isOver: () => boolean): Promise<Times>;
}

/** Asks once and waits for the whole response. `isClosed`: the connection was closed before. */
function get200(agent: Agent, origin: string): Promise<{ isClosed: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ isClosed: boolean }>();
  const request = get(origin, { agent, headers: { "accept-encoding": encodings } }, (response) => {
    response.resume();
    response.once("end", () => {
      if (response.statusCode === 200) resolve({ isClosed: false });
      else reject(new Error(`${origin} answered ${response.statusCode}`));
    });
  });
  request.once("error", (error) => {
    if (request.reusedSocket) resolve({ isClosed: true });
    else reject(error);
  });
  return promise;
}

/**
 * The time until the whole response is there, in ms. As browsers do, it asks again if the server has
 * just closed a connection that was open for long.
 */
async function ask(agent: Agent, origin: string): Promise<number> {
  const started = performance.now();
  while ((await get200(agent, origin)).isClosed);
  return performance.now() - started;
}

/** Opens connections that stay open; `rate` in requests per second to each of the two. */
export function makeVisitor(origins: Record<Server, string>, rate: number): Visitor {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    async visit(isOver) {
      const times: Times = { own: [], nginx: [] };
      const waiting: Promise<unknown>[] = [];
      const started = performance.now();
      for (let count = 0; !isOver(); count += 1) {
        const due = started + (count * 1000) / rate;
        await delay(Math.max(0, due - performance.now()));
        const order: Server[] = count % 2 === 0 ? ["own", "nginx"] : ["nginx", "own"];
        for (const name of order) {
          const asked = ask(agent, origins[name]).then((ms) => times[name].push(ms));
          asked.catch(() => {});
          waiting.push(asked);
        }
      }
      await Promise.all(waiting);
      return times;
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** The 99th percentile; NaN for no times. */
export function p99(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * 0.99)] ?? Number.NaN;
}
