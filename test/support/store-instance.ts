/**
 * Stores a small instance of this version as a backup, for tests that upgrade it to later versions.
 * Run it when a version is released, and commit the file; never replace one.
 *
 *   node test/support/store-instance.ts        writes test/instances/VERSION.tar.gz
 */
import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { programVersion } from "../../packages/server/src/platform/version.ts";
import { type AdminClient, signIn } from "./client.ts";
import { startInstance, type TestInstance } from "./instance.ts";

const keptProject = "return-shelf";
const mediaFolder = "app/public/media";

/** Removes all sample projects but one, with their images. Returns the names of the rest. */
function shrinkDatabase({ paths }: TestInstance): Set<string> {
  const database = new DatabaseSync(paths.database);
  try {
    database.prepare("delete from project where slug <> ?").run(keptProject);
    database.exec("delete from media where id not in (select media_id from project_media)");
    const rows = database.prepare("select src, variants from media").all();
    return new Set(JSON.stringify(rows).match(/[0-9a-f]{12}-[\w.-]+?\.\w+/g) ?? []);
  } finally {
    database.close();
  }
}

/** Begins the history again, without what was removed. */
async function shrinkContent({ paths, git }: TestInstance, kept: Set<string>): Promise<void> {
  const names = await readdir(join(paths.content, mediaFolder), { recursive: true });
  for (const name of names) {
    const isFile = /\.\w+$/.test(name);
    if (isFile && !kept.has(name.split("/").at(-1) ?? "")) {
      await rm(join(paths.content, mediaFolder, name));
    }
  }
  const email = (await git("log", "-1", "--format=%ae")).trim();
  const author = ["-c", "user.name=Mara Lindqvist", "-c", `user.email=${email}`];
  await git("checkout", "--quiet", "--orphan", "small");
  await git("add", "--all");
  await git(...author, "commit", "--quiet", "--message", "Begin the site");
  await git("branch", "--move", "--force", "small", "main");
  await git("reflog", "expire", "--expire=all", "--all");
  await git("gc", "--quiet", "--prune=now");
}

/** Waits until a run has a status; `reach` of the client works in tests only. */
async function waitFor({ get }: AdminClient, runId: string, status: string): Promise<void> {
  for (;;) {
    const { data } = await get<{ status: string }>(`/devconsole/runs/${runId}`);
    if (data.status === status) return;
    if (data.status === "failed") throw new Error(`The run ${runId} failed.`);
    await delay(200);
  }
}

async function fill(instance: TestInstance): Promise<void> {
  const admin = await signIn(instance);
  const runId = await admin.start('replace "See the work" with "See the shelf"');
  await waitFor(admin, runId, "preview_ready");
  await admin.post("/devconsole/publish", { runId });
  await waitFor(admin, runId, "published");
  const model = { provider: "openai-compatible", id: "none", baseUrl: "http://127.0.0.1:9/v1" };
  await instance.vitrine(["setting", "set", "model"], JSON.stringify(model));
  await instance.vitrine(["setting", "set", "model.apiKey"], "stored-with-an-instance");
}

const file = join(platformRoot, `test/instances/${programVersion()}.tar.gz`);
if (existsSync(file)) throw new Error(`${file} is there already.`);
await using instance = await startInstance();
await instance.stop();
await shrinkContent(instance, shrinkDatabase(instance));
await instance.start();
await instance.vitrine(["rebuild", "--wait"]);
await fill(instance);
const part = join(instance.dir, "..", "stored.tar.gz");
await instance.vitrine(["backup", part]);
await rename(part, file).catch(async () => {
  await run("/bin/cp", [part, file]);
});
console.log(file);
