/**
 * Asks two servers for their home page in turn, each over one connection that stays open, until stdin
 * ends; then prints the latencies of each as JSON, in ms. A process of its own, so that the work of the
 * load does not count.
 *
 *   node test/faults/soak/prober.ts FIRST-PORT SECOND-PORT
 */
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const ports = process.argv.slice(2).map(Number);
const agents = ports.map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
const latencies: number[][] = ports.map(() => []);
/** Between two pairs of requests, in ms. */
const pauseMs = 25;

function ask(index: number): Promise<void> {
  const agent = agents[index];
  const port = ports[index];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const began = performance.now();
  const headers = { "accept-encoding": "gzip", host: `localhost:${port}` };
  const outgoing = request({ host: "127.0.0.1", port, path: "/", agent, headers }, (response) => {
    response.resume();
    response.once("end", () => {
      latencies[index]?.push(performance.now() - began);
      resolve();
    });
  });
  outgoing.once("error", reject);
  outgoing.end();
  return promise;
}

const ending = new AbortController();
process.stdin.once("end", () => ending.abort()).resume();
for (let turn = 0; !ending.signal.aborted; turn += 1) {
  const order = turn % 2 === 0 ? [0, 1] : [1, 0];
  for (const index of order) await ask(index);
  await delay(pauseMs);
}
// A long answer takes more than one write.
process.stdout.write(JSON.stringify(latencies), () => process.exit(0));
