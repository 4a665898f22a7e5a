import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";

/** Tells every 100 ms how long it was held up at most until now, in ns. */
const control = `
const { parentPort } = require("node:worker_threads");
const delay = require("node:perf_hooks").monitorEventLoopDelay({ resolution: 10 });
delay.enable();
setInterval(() => parentPort.postMessage(delay.max), 100);
`;

/**
 * How long this thread's event loop is held up at most while `work` is under way, in ms, beyond what a
 * thread beside it that does nothing is held up: what the machine does to both is not counted.
 */
export async function maxEventLoopDelay<T>(
  work: () => Promise<T>,
): Promise<{ result: T; longest: number }> {
  const idle = new Worker(control, { eval: true });
  await once(idle, "message");
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  try {
    const result = await work();
    delay.disable();
    // The first may have been under way.
    await once(idle, "message");
    const [beside] = (await once(idle, "message")) as [number];
    return { result, longest: (delay.max - beside) / 1e6 };
  } finally {
    delay.disable();
    await idle.terminate();
  }
}
