import { parentPort } from "node:worker_threads";
import {
  inspect,
  type InspectionResult,
  type Inspection,
  makeInspectionCaches,
} from "./inspect.ts";
import { sharedTime } from "./thread.ts";

/** Messages to the thread. */
export type ToWorker =
  | { kind: "inspect"; id: number; job: Inspection }
  | { kind: "stop"; id: number };
/** Messages from the thread. */
export type FromWorker =
  | { kind: "page"; id: number; path: string }
  | { kind: "done"; id: number; result: InspectionResult }
  | { kind: "failed"; id: number; error: Error };

/**
 * Inspecting pages takes a lot of processor time, so it runs in a thread that can be terminated.
 */
function serve(port: NonNullable<typeof parentPort>): void {
  const caches = makeInspectionCaches();
  const running = new Map<number, AbortController>();
  const say = (message: FromWorker) => port.postMessage(message);
  port.on("message", (message: ToWorker) => {
    const { id } = message;
    if (message.kind === "stop") {
      running.get(id)?.abort();
      return;
    }
    const controller = new AbortController();
    running.set(id, controller);
    const { signal } = controller;
    inspect(message.job, caches, {
      signal,
      now: sharedTime,
      onPage: (path) => say({ kind: "page", id, path }),
    })
      .then((result) => say({ kind: "done", id, result }))
      .catch((error: unknown) => {
        say({
          kind: "failed",
          id,
          error: error instanceof Error ? error : new Error(String(error)),
        });
      })
      .finally(() => running.delete(id));
  });
}

if (parentPort) serve(parentPort);
