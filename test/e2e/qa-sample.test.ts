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

/** The open findings that a query selects. */
async function openFindings(query: string): Promise<FindingRecord[]> {
  const path = `/api/adminqa/findings?${query}&status=open&perPage=100`;
  return (await admin.get<{ items: FindingRecord[] }>(path)).data.items;
}

/** Checks the site, and gives what is found of the sample. */
async function check(): Promise<FindingRecord[]> {
  const { data } = await admin.post<{ runId: number }>("/devconsole/qa/run", {});
  await eventually(async () => {
    const runs = await admin.get<{ items: QaRun[] }>("/api/adminqa/runs?perPage=5");
    expect(runs.data.items.find(({ id }) => id === data.runId)?.status).toBe("finished");
  }, timeoutMs);
  return openFindings("check=text.sample");
}

test(
  "the sample's words are errors once the site has an owner of another name",
  async () => {
    // While the site still is the sample person's, its words are right.
    expect(await check()).toEqual([]);
    // Nothing else is found on a new site. Other sites and speed depend on this machine.
    const found = (await openFindings("sort=weight")).filter(
      ({ scope, category }) => scope !== "external" && category !== "performance",
    );
    expect(found.map(({ message }) => message)).toEqual([]);
    const owner = { name: "Ada Byron", timeZone: "UTC" };
    expect(await admin.post("/api/adminsettings/owner", owner)).toMatchObject({ ok: true });
    const sample = await check();
    expect(sample.map(({ target }) => target)).toEqual(
      expect.arrayContaining(["Mara Lindqvist", "Tidewater Ledger", "mara@example.com"]),
    );
    for (const finding of sample) {
      expect(finding).toMatchObject({ severity: "error", isSafe: false });
    }
    // Words that anybody's site may have are no errors.
    const targets = sample.map(({ target }) => target ?? "");
    expect(
      targets.filter((target) => /^(?:TypeScript|Accessibility|Design|Oslo)$/.test(target)),
    ).toEqual([]);
  },
  2 * timeoutMs + 60_000,
);
