import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Run } from "../../packages/server/src/features/runs/schema.ts";
import { signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance } from "../support/instance.ts";

/** Publishes that are killed, the runner and the web process by turns. */
const rounds = 6;

const word = (round: number) => `See the work ${round}`;

/** The words of the first button as visitors get them. */
async function shownWord(baseUrl: string): Promise<string> {
  const page = await (await fetch(`${baseUrl}/`)).text();
  return /See the work(?: \d+)?/.exec(page)?.[0] ?? "";
}

test("abuse 84, 105: runner and web are killed while the owner publishes in every way", async () => {
  await using instance = await startInstance({ apart: true });
  const admin = await signIn(instance);
  let live = "See the work";
  for (let round = 1; round <= rounds; round += 1) {
    const runId = await admin.start(`replace "${live}" with "${word(round)}"`);
    await admin.reach(runId, "preview_ready");
    const response = admin.post<Run>("/devconsole/publish", { runId }).catch(() => null);
    await delay(Math.random() * 160);
    await instance.kill(round % 2 === 0 ? "web" : "runner");
    const acknowledged = (await response)?.data?.status === "published";
    await instance.ready();

    // Where the web process was killed, the runner may still be publishing.
    const { run, shown } = await eventually(async () => {
      const { data } = await admin.get<Run>(`/devconsole/runs/${runId}`);
      const seen = await shownWord(instance.baseUrl);
      expect([live, word(round)]).toContain(seen);
      expect(["preview_ready", "published"]).toContain(data.status);
      expect(data.status === "published").toBe(seen === word(round));
      return { run: data, shown: seen };
    });
    expect(acknowledged && run.status !== "published").toBe(false);
    if (run.status !== "published") await admin.post("/devconsole/discard", { runId });
    live = shown;
    expect(await instance.git("status", "--porcelain")).toBe("");
  }
  const log = await instance.git("log", "--format=%(trailers:key=Run,valueonly)", "main");
  const { data } = await admin.get<{ total: number }>("/devconsole/runs?status=published");
  expect(log.match(/\S+/g)?.length ?? 0).toBe(data.total);
  expect(await instance.git("fsck", "--full")).not.toMatch(/error|missing/);
}, 360_000);
