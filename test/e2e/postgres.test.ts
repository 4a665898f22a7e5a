import { expect, test } from "vitest";
import type { Run } from "../../packages/server/src/features/runs/schema.ts";
import { signIn } from "../support/client.ts";
import { startInstance } from "../support/instance.ts";
import { startPostgres } from "../support/postgres.ts";

test("the whole job on PostgreSQL: install, edit, publish, restore", async () => {
  await using postgres = await startPostgres();
  const url = await postgres.createDatabase();
  await using instance = await startInstance({ env: { DATABASE_URL: url } });
  const home = async () => (await fetch(`${instance.baseUrl}/`)).text();
  const admin = await signIn(instance);

  const runId = await admin.start('replace "See the work" with "Look at the work"');
  await admin.reach(runId, "preview_ready");
  const published = await admin.post<Run>("/devconsole/publish", { runId });
  expect(published.data).toMatchObject({ status: "published", error: null });
  expect(await home()).toContain("Look at the work");

  const restore = await admin.post<{ runId: string }>("/devconsole/restore", { runId });
  await admin.reach(restore.data.runId, "published");
  expect(await home()).toContain("See the work");
  const { data } = await admin.get<{ checks: { database: object } }>("/api/health");
  expect(data.checks.database).toEqual({ status: "ok", note: "postgres" });
});
