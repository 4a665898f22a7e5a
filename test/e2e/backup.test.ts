import { once } from "node:events";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MediaList } from "../../packages/server/src/features/media/schema.ts";
import { exists } from "../../packages/server/src/platform/files.ts";
import { filesBelow } from "../support/backups.ts";
import { signIn } from "../support/client.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

const password = "a password of some length";

let instance: TestInstance;
/** A folder beside the instance, for backups. */
let shelf: string;
beforeAll(async () => {
  instance = await startInstance();
  shelf = join(instance.dir, "../shelf");
  await mkdir(shelf);
});
afterAll(() => instance[Symbol.asyncDispose]());

async function textAt(path: string): Promise<string> {
  return (await fetch(instance.baseUrl + path)).text();
}

/** Begins a command, kills it after a random time, and waits until it is gone. */
async function killed(args: string[], withinMs: number): Promise<void> {
  const child = instance.startCommand(args);
  const ended = once(child, "exit");
  await Promise.race([ended, delay(Math.random() * withinMs)]);
  child.kill("SIGKILL");
  await ended;
}

test("a backup of a running, publishing instance restores the same site elsewhere, and killed ones leave nothing", async () => {
  await instance.vitrine(["set-admin-password"], password);
  const early = await signIn(instance);
  const waiting = await early.start('replace "See the work" with "A preview that waits"');
  await early.reach(waiting, "preview_ready");
  const model = { provider: "openai", id: "some-model", baseUrl: "https://models.example/v1" };
  await instance.vitrine(["setting", "set", "model"], JSON.stringify(model));
  await instance.vitrine(["setting", "set", "model.apiKey"], "sk-secret-of-the-owner");
  const admin = await signIn(instance);
  const token = await instance.vitrine(["api-token", "create", "t", "--scopes", "read,write"]);
  const authorization = `Bearer ${String(token["token"])}`;
  const form = new FormData();
  const image = sharp({ create: { width: 60, height: 40, channels: 3, background: "teal" } });
  form.append("file", new Blob([Uint8Array.from(await image.png().toBuffer())]), "teal.png");
  const upload = { method: "POST", body: form, headers: { authorization } };
  expect((await fetch(`${instance.baseUrl}/api/media/upload`, upload)).status).toBe(201);
  await instance.vitrine(["rebuild", "--wait"]);

  // Some are killed; one is written while a rebuild looks at the same records.
  const file = join(shelf, "site.tar.gz");
  for (let n = 0; n < 3; n += 1) await killed(["backup", file, "--force"], 2500);
  const [rebuilt, done] = await Promise.all([
    instance.vitrine(["rebuild", "--wait"]),
    instance.vitrine(["backup", file, "--force"]),
  ]);
  expect(rebuilt).toMatchObject({ error: null });
  expect(done).toMatchObject({ database: "sqlite", openRuns: 1, skippedFiles: [] });
  expect(await readdir(shelf)).toEqual(["site.tar.gz"]);
  expect(await exists(join(instance.paths.data, "backup"))).toBe(false);

  const live = [await textAt("/"), await textAt("/projects/"), await textAt("/rss.xml")];
  const media = (await admin.get<MediaList>("/api/media/list?perPage=100")).data;
  const head = await instance.git("rev-parse", "main");
  await instance.stop();
  await rename(instance.dir, `${instance.dir}-lost`);

  for (let n = 0; n < 3; n += 1) {
    await killed(["restore", file], 2500);
    const isThere = await exists(instance.paths.installLock);
    if (isThere) await rm(instance.dir, { recursive: true });
  }
  expect(await instance.vitrine(["restore", file])).toMatchObject({ dir: instance.dir });
  expect(await readdir(instance.dir)).toEqual(["content", "data", "vitrine.json"]);

  await instance.start();
  expect([await textAt("/"), await textAt("/projects/"), await textAt("/rss.xml")]).toEqual(live);
  expect(await instance.git("rev-parse", "main")).toBe(head);
  const login = await fetch(`${instance.baseUrl}/api/adminauth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ password }),
  });
  expect(login.status).toBe(200);
  const cookie = login.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const listed = await fetch(`${instance.baseUrl}/api/media/list?perPage=100`, {
    headers: { cookie },
  });
  const { data } = (await listed.json()) as { data: MediaList };
  expect(data).toEqual(media);
  const stored = (dir: string) => filesBelow(join(dir, "content/app/public/media"));
  expect(await stored(instance.dir)).toEqual(await stored(`${instance.dir}-lost`));
  // What is sealed opens by the key that came along: a rotation opens all of it.
  expect(await instance.vitrine(["rotate-settings-key"])).toMatchObject({
    keyId: "k2",
    resealed: 1,
  });
  // And it goes on: edited, built, published.
  await instance.vitrine(["setting", "unset", "model.apiKey"]);
  await instance.vitrine(["setting", "unset", "model"]);
  const again = await signIn(instance);
  // The files of a preview don't come along: it is refused with a word, and goes by a word.
  expect((await again.post("/devconsole/publish", { runId: waiting })).ok).toBe(false);
  await again.reach(waiting, "preview_ready");
  expect((await again.post("/devconsole/discard", { runId: waiting })).ok).toBe(true);
  const runId = await again.start('replace "See the work" with "Look at the work"');
  await again.reach(runId, "preview_ready");
  await again.post("/devconsole/publish", { runId });
  await again.reach(runId, "published");
  expect(await textAt("/")).toContain("Look at the work");
}, 600_000);
