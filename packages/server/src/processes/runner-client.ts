import { request as ask } from "undici";
import { z } from "zod";
import type { Instance } from "./instance.ts";

const runnerStatus = z.object({
  data: z.object({
    tier: z.enum(["bubblewrap", "permission", "none"]),
    reason: z.string().nullable(),
    memory: z.enum(["cgroup v1", "cgroup v2", "watched"]),
    qaNextAt: z.string().nullable(),
  }),
});

/** How long the runner may take to say how it is, in ms. */
const runnerTimeoutMs = 1500;

/** Where the runner of this instance answers. */
export function runnerUrl({ config }: Instance): string {
  return `http://127.0.0.1:${config.runnerPort}`;
}

/** Asks the runner, with the instance's key, how it is; throws when it doesn't answer. */
export async function fetchRunnerStatus(instance: Instance) {
  const { statusCode, body } = await ask(`${runnerUrl(instance)}/internal/status`, {
    headers: { "x-vitrine-key": instance.keys.runner },
    headersTimeout: runnerTimeoutMs,
    bodyTimeout: runnerTimeoutMs,
  });
  const answer = await body.json();
  if (statusCode !== 200) throw new Error(`the runner answers ${statusCode}`);
  return runnerStatus.parse(answer).data;
}

/** Tells the runner that there is something to look at; it finds out by itself a little later. */
export function wakeRunner(instance: Instance): void {
  ask(`${runnerUrl(instance)}/internal/tasks/wake`, {
    method: "POST",
    headers: { "x-vitrine-key": instance.keys.runner },
    headersTimeout: runnerTimeoutMs,
    bodyTimeout: runnerTimeoutMs,
  })
    .then(({ body }) => body.dump())
    .catch((error: unknown) => instance.log.debug({ err: error }, "the runner can't be woken"));
}

/** How long the runner's answer about its next QA run is cached, in ms. */
const nextRunCacheMs = 10_000;

/** When the next QA run is due, by the runner; null when the runner does not answer. */
export function makeNextQaRunReader(instance: Instance): () => Promise<string | null> {
  let lastRequest: { at: number; answer: Promise<string | null> } | null = null;
  return () => {
    const now = instance.clock.monotonic();
    if (lastRequest === null || now - lastRequest.at > nextRunCacheMs) {
      const answer = fetchRunnerStatus(instance).then(
        ({ qaNextAt }) => qaNextAt,
        () => null,
      );
      lastRequest = { at: now, answer };
    }
    return lastRequest.answer;
  };
}
