import { afterAll, beforeAll, expect, test } from "vitest";
import type { FindingRecord, QaRun } from "../../packages/server/src/features/qa/schema.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

/** A QA run of a whole site, on a busy machine. */
const timeoutMs = 240_000;

let instance: TestInstance;
let admin: AdminClient;

beforeAll(async () => {
  instance = await startInstance();
  admin = await signIn(instance);
});
afterAll(() => instance?.[Symbol.asyncDispose]());

/** Checks the site, and gives what is found of the sample. */
async function check(): Promise<FindingRecord[]> {
  const { data } = await admin.post<{ runId: number }>("/devconsole/qa/run", {});
  await eventually(async () => {
    const runs = await admin.get<{ items: QaRun[] }>("/api/adminqa/runs?perPage=5");
    expect(runs.data.items.find(({ id }) => id === data.runId)?.status).toBe("finished");
  }, timeoutMs);
  const query = "check=text.sample&status=open&perPage=100";
  return (await admin.get<{ items: FindingRecord[] }>(`/api/adminqa/findings?${query}`)).data.items;
}

test(
  "the sample's words are errors once the site has an owner of another name",
  async () => {
    // While the site still is the sample person's, its words are right.
    expect(await check()).toEqual([]);
    const owner = { name: "Ada Byron", timeZone: "UTC" };
    expect(await admin.post("/api/adminsettings/owner", owner)).toMatchObject({ ok: true });
    const found = await check();
    expect(found.map(({ target }) => target)).toEqual(
      expect.arrayContaining(["Mara Lindqvist", "Tidewater Ledger", "mara@example.com"]),
    );
    for (const finding of found) {
      expect(finding).toMatchObject({ severity: "error", isSafe: false });
    }
    // Words that anybody's site may have are no errors.
    const targets = found.map(({ target }) => target ?? "");
    expect(
      targets.filter((target) => /^(?:TypeScript|Accessibility|Design|Oslo)$/.test(target)),
    ).toEqual([]);
  },
  2 * timeoutMs + 60_000,
);
