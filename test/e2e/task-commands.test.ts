import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Task } from "../../packages/server/src/features/tasks/schema.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";

interface Claimed {
  task: Task;
  claim: string;
}

let instance: TestInstance;
let admin: AdminClient;
beforeAll(async () => {
  instance = await startInstance();
  admin = await signIn(instance);
  await instance.vitrine(["setting", "set", "tasks"], '{"paused":true}');
});
afterAll(() => instance[Symbol.asyncDispose]());

const create = async (instruction: string) =>
  (await admin.post<Task>("/api/admintasks/create", { instruction })).data.id;
const next = async () =>
  (await instance.vitrine(["tasks-next", "--worker", "Grace"])) as unknown as Claimed;
const finish = (id: number, claim: string, ...more: string[]) =>
  instance.vitrine(["tasks-finish", String(id), "--claim", claim, ...more]);

/** Commits a change of the site by hand, as a worker that is no runner does. */
async function commitPage(words: string): Promise<string> {
  const page = join(instance.paths.content, "app/src/pages/hello.astro");
  await writeFile(page, `<h1>${words}</h1>\n`);
  await instance.git("add", "app/src/pages/hello.astro");
  const who = ["-c", "user.name=Grace", "-c", "user.email=grace@example.com"];
  await instance.git(...who, "commit", "--quiet", "-m", words);
  return (await instance.git("rev-parse", "HEAD")).trim();
}

test("another worker publishes a task while the instance runs, and visitors see it", async () => {
  const id = await create("Add a page that says hello");
  const { task, claim } = await next();
  expect(task).toMatchObject({ id, status: "claimed", claimedBy: "Grace" });
  const commit = await commitPage("Hello there");
  const said = ["--status", "published", "--commit", commit, "--reason", "Said hello."];
  expect(await finish(id, claim, ...said)).toMatchObject({ task: { status: "published", commit } });
  await expect(finish(id, claim, ...said)).rejects.toThrow('"conflict"');
  await eventually(async () => {
    const page = await fetch(`${instance.baseUrl}/hello/`);
    expect(await page.text()).toContain("Hello there");
  }, 120_000);
  const changes = await admin.get<{ items: object[] }>("/api/adminchangelog/list");
  expect(changes.data.items[0]).toMatchObject({ actor: "Grace", commit, detail: "Said hello." });
});

test("projects are imported while the instance runs, visitors see them, and an export contains them", async () => {
  const work = join(platformRoot, "docs/examples/import");
  const planned = await instance.vitrine(["import", work, "--without-samples"]);
  expect(planned).toMatchObject({ possible: true, applied: false, media: 5 });
  const done = await instance.vitrine(["import", work, "--without-samples", "--yes"]);
  expect(done).toMatchObject({ applied: true, site: { live: true, reason: null } });
  const read = async (path: string) => (await fetch(instance.baseUrl + path)).text();
  await eventually(async () => {
    const [list, resume] = [await read("/projects/"), await read("/resume/")];
    const found = [/Harbour signs[^]*Clinic front desk/, /Tidewater/].map((each) =>
      each.test(list),
    );
    expect([...found, resume.includes("Signs for a harbour")]).toEqual([true, false, true]);
  });
  expect(await read("/changelog/")).toContain("New résumé");
  const about = await read("/about/");
  expect(about).toContain("Finds out where people stop");
  expect(about + (await read("/")) + (await read("/changelog/"))).not.toContain("Lindqvist");
  expect(await instance.git("status", "--porcelain")).toBe("");
  expect(await instance.vitrine(["import", work, "--yes"])).toMatchObject({ isUpToDate: true });
  const out = join(instance.dir, "../out");
  expect(await instance.vitrine(["export", out])).toMatchObject({ projects: 2, media: 5 });
  expect(await instance.vitrine(["import", out, "--update"])).toMatchObject({ isUpToDate: true });
  const given = JSON.parse(await readFile(join(out, "resume.json"), "utf8")) as object;
  expect(given).toMatchObject({ basics: { name: "Ines Okafor" } });
}, 240_000);

test("the commands work without web and runner and check their usage", async () => {
  const id = await create("Nobody serves");
  await instance.stop();
  const { claim } = await next();
  const usage = instance.vitrine(["tasks-finish", String(id), "--claim", "s3cret words"]);
  await expect(usage).rejects.toThrow('"bad_request"');
  const ended = await finish(id, claim, "--status", "reverted", "--reason", "Not today.");
  expect(ended).toMatchObject({ task: { status: "reverted", error: "Not today." } });
  await expect(next()).rejects.toThrow('"task":null');
});
