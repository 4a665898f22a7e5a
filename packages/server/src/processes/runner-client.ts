import { z } from "zod";
import { makeTimer } from "../kit/clock.ts";
import { request as ask } from "../platform/http-request.ts";
import type { AppServer } from "../platform/http/server.ts";
import type { Instance } from "./instance.ts";

const runnerStatus = z.object({
  data: z.object({
    tier: z.enum(["bubblewrap", "landlock", "permission", "none"]),
    reason: z.string().nullable(),
    memory: z.enum(["cgroup v1", "cgroup v2", "watched"]),
    qaNextAt: z.string().nullable(),
  }),
});

/** Time limit for the runner's status, in ms. */
const runnerTimeoutMs = 1500;

/** The address of this instance's runner. */
export function runnerUrl({ config }: Instance): string {
  return `http://127.0.0.1:${config.runnerPort}`;
}

/** Gets the runner's status with the instance's key; throws if it doesn't respond. */
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

/** Posts to the runner without waiting for it; it may not be running. */
function notifyRunner(instance: Instance, path: string): void {
  ask(`${runnerUrl(instance)}${path}`, {
    method: "POST",
    headers: { "x-vitrine-key": instance.keys.runner },
    headersTimeout: runnerTimeoutMs,
    bodyTimeout: runnerTimeoutMs,
  })
    .then(({ body }) => body.dump())
    .catch((error: unknown) => instance.log.debug({ err: error, path }, "no runner answers"));
}

/** Wakes the runner; otherwise, it would notice a little later. */
export function wakeRunner(instance: Instance): void {
  notifyRunner(instance, "/internal/tasks/wake");
}

/** Has the runner look for releases to send; otherwise, it would notice a little later. */
export function wakeDeliveries(instance: Instance): void {
  notifyRunner(instance, "/internal/deliveries/wake");
}

/** How often the runner hears that the admin is working, in ms. */
const prepareEveryMs = 60_000;

/** Has the runner prepare its builder when the admin uses pages or routes of web. */
export function prepareRunnerForAdmin(app: AppServer, instance: Instance): void {
  const isDue = makeTimer(instance.clock, prepareEveryMs);
  let isFirst = true;
  app.addHook("onResponse", async (request) => {
    if (request.admin?.kind !== "session" || (!isDue() && !isFirst)) return;
    isFirst = false;
    notifyRunner(instance, "/internal/builder/prepare");
  });
}

/** How long the runner's answer about its next QA run is cached, in ms. */
const nextRunCacheMs = 10_000;

/** When the next QA run is due, according to the runner; null if it doesn't respond. */
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
