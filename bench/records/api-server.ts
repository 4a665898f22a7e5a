/**
 * The servers that bench/records/api.ts measures, one for each number of projects (its arguments),
 * in a process of their own; sends their addresses to the parent.
 */
import { createApiToken } from "../../packages/server/src/features/admin-auth/api-tokens.ts";
import { makeAdminGuard } from "../../packages/server/src/features/admin-auth/guard.ts";
import { registerProjects } from "../../packages/server/src/features/projects/api.ts";
import { makeProjects } from "../../packages/server/src/features/projects/projects.ts";
import { requestRebuild } from "../../packages/server/src/features/release/rebuild-requests.ts";
import { systemClock as clock } from "../../packages/server/src/kit/clock.ts";
import { createHttpServer } from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { makeTestDatabase } from "../../test/support/database.ts";
import { seedProjects } from "./seed.ts";

export interface SeededServer {
  projects: number;
  port: number;
  token: string;
  /** The id of a project in the middle. */
  id: number;
}

async function start(projects: number) {
  const { database, cleanup } = await makeTestDatabase();
  const { db } = database;
  await seedProjects(db, projects);
  const guard = makeAdminGuard({ db, clock, config: { baseUrl: "http://localhost" } });
  const log = createLog({ level: "silent", name: "bench" });
  const app = createHttpServer({ log, name: "bench", secure: false });
  const onChange = (transaction: typeof db, reason: string) =>
    requestRebuild(transaction, { reason, now: clock.now() });
  const records = makeProjects({
    db,
    clock,
    mediaRoot: "/nonexistent",
    ownerName: "Owner",
    onChange,
  });
  registerProjects(app, { guard, projects: records });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const scopes = ["read", "write"];
  const { token } = await createApiToken({ db, clock, name: "bench", scopes });
  const { items } = await records.list({ page: 1, perPage: 1, sort: "position" });
  const id = (items[0]?.id ?? 1) + Math.floor(projects / 2);
  const close = async () => {
    await app.close();
    await cleanup();
  };
  return { server: { projects, port: Number(new URL(url).port), token, id }, close };
}

const started: Awaited<ReturnType<typeof start>>[] = [];
for (const number of process.argv.slice(2)) started.push(await start(Number(number)));
process.send?.(started.map(({ server }) => server));
process.once("disconnect", async () => {
  for (const { close } of started) await close();
});
