import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { sql } from "kysely";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { newUlid } from "../../kit/ulid.ts";
import type { CliContext, OpenedInstance } from "../../platform/cli.ts";
import { defaultLimits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import { run, systemPath } from "../../platform/process.ts";
import { listEntries } from "../changelog/store.ts";
import { rebuildState } from "../release/rebuild-requests.ts";
import { initRepository } from "../workspace/init.ts";
import { makeRepository } from "../workspace/git.ts";
import { registerTaskCommands } from "./cli.ts";
import { cancelTask, queueTask } from "./queue/queue.ts";
import type { Task } from "./schema.ts";
import { listEvents, findTask } from "./store.ts";
import { makeRunEvents } from "../runs/events.ts";

const log = pino({ level: "silent" });
const clock = fakeClock(Date.now());
const at = new Date(clock.now()).toISOString();

async function layContent(paths: InstancePaths): Promise<void> {
  await mkdir(join(paths.content, "app/src"), { recursive: true });
  await writeFile(join(paths.content, "app/src/page.astro"), "<h1>Ada</h1>\n");
  const { content: contentDir, workspaces: workspacesDir } = paths;
  const repository = makeRepository({ contentDir, workspacesDir, log });
  const author = { name: "Ada", email: "ada@example.com" };
  await initRepository(repository, { author, at: clock.now(), message: "Begin" });
  repository.close();
}

async function runCommand(args: readonly string[], context: CliContext): Promise<void> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  registerTaskCommands(program, context, { ownerName: async () => "Ada" });
  await program.parseAsync(args, { from: "user" });
}

describe.each(dialects)("the queue's commands on %s", (dialect) => {
  let maker: DatabaseMaker;
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let paths: InstancePaths;
  let db: Db;
  let events: ReturnType<typeof makeRunEvents>;

  beforeAll(async () => {
    maker = await startDialect(dialect);
    folder = await tempFolder();
    paths = instancePaths(folder.path);
    const { database } = await maker.make();
    db = database.db;
    await migrate({ database, now: clock.now() });
    await layContent(paths);
    events = makeRunEvents({ db, clock });
  });
  afterAll(async () => {
    await folder.remove();
    await maker.close();
  });
  beforeEach(async () => {
    for (const table of ["task", "changelog_entry", "rebuild_request"]) {
      await sql`delete from ${sql.table(table)}`.execute(db);
    }
  });

  /** Runs a command and gives its exit code with the data of its answer; rejects as it does. */
  async function vitrine(...args: string[]) {
    const reply: { code: number; data: Record<string, unknown> }[] = [];
    const config = { paths, limits: defaultLimits };
    await runCommand(args, {
      clock,
      log,
      open: async () => ({ config, database: { db } }) as unknown as OpenedInstance,
      print: (data) => void reply.push({ code: 0, data: data as Record<string, unknown> }),
      printNothingToDo: (data) =>
        void reply.push({ code: 3, data: data as Record<string, unknown> }),
      readSecret: async () => "",
    });
    const [response] = reply;
    if (!response || reply.length > 1) throw new Error("A command answers once.");
    return response;
  }

  const ask = async (title = "A change") => {
    const task = {
      kind: "edit",
      title,
      instruction: title,
      pageUrl: null,
      projectId: null,
    } as const;
    const more = { findingId: null, attachments: [], priority: 0, actor: "Ada" };
    return (await queueTask(db, { ...task, ...more }, at)).id;
  };
  const next = async (...args: string[]) => {
    const { data } = await vitrine("tasks-next", ...args);
    return data as { task: Task; claim: string; leaseExpiresAt: string };
  };
  const git = async (...args: string[]) => {
    const env = {
      PATH: systemPath,
      GIT_AUTHOR_NAME: "Ada",
      GIT_AUTHOR_EMAIL: "ada@example.com",
      GIT_COMMITTER_NAME: "Ada",
      GIT_COMMITTER_EMAIL: "ada@example.com",
    };
    const { stdout, stderr, exitCode } = await run("git", args, { cwd: paths.content, env });
    if (exitCode !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  const commit = async (text: string) => {
    await writeFile(join(paths.content, "app/src/page.astro"), `<h1>${text}</h1>\n`);
    await git("commit", "--quiet", "-a", "-m", text);
    return git("rev-parse", "HEAD");
  };

  test("tasks-next claims one task with a lease; with none due there is nothing to do", async () => {
    expect(await vitrine("tasks-next")).toEqual({ code: 3, data: { task: null } });
    const id = await ask();
    const from = Date.now();
    const claimed = await next("--worker", " My \u202Eworker ", "--lease-seconds", "600");
    expect(claimed.task).toMatchObject({
      id,
      status: "claimed",
      claimedBy: "My worker",
      attempts: 1,
      maxAttempts: 3,
    });
    const given = Date.parse(claimed.leaseExpiresAt) - 600_000;
    expect(given).toBeGreaterThan(from - 10_000);
    expect(given).toBeLessThan(Date.now() + 10_000);
    expect((await vitrine("tasks-next")).code).toBe(3);
    const row = await findTask(db, id);
    expect(JSON.stringify(row)).not.toContain(claimed.claim);
  });

  test("a claim is for an hour, and is renewed for as long", async () => {
    const id = await ask();
    const { claim, task } = await next();
    expect(task.claimedBy).toMatch(/\S/);
    const from = Date.now();
    const { data } = await vitrine("tasks-renew", String(id), "--claim", claim);
    expect(data).toEqual({ id, leaseExpiresAt: expect.any(String) });
    const given = Date.parse(String(data["leaseExpiresAt"])) - 3_600_000;
    expect(given).toBeGreaterThan(from - 10_000);
    expect(given).toBeLessThan(Date.now() + 10_000);
  });

  test("abuse 82: nothing is claimed while the content was edited by hand", async () => {
    const id = await ask();
    await writeFile(join(paths.content, "app/src/page.astro"), "mine");
    const refused = vitrine("tasks-next");
    await expect(refused).rejects.toMatchObject({
      code: "dirty_tree",
      details: { files: ["app/src/page.astro"] },
    });
    await git("checkout", "--quiet", "--", ".");
    expect(await findTask(db, id)).toMatchObject({ status: "queued", attempts: 0 });
  });

  test("what is published is in main, in the changelog, and on its way to visitors", async () => {
    const id = await ask("Greet everybody");
    const { claim } = await next("--worker", "Grace");
    const sha = await commit("Hello");
    const reply = ["--status", "published", "--commit", sha, "--reason", "Said hello."];
    const { data } = await vitrine("tasks-finish", String(id), "--claim", claim, ...reply);
    expect(data["task"]).toMatchObject({ id, status: "published", commit: sha, claimedBy: null });
    const { items } = await listEntries(db, { limit: 5, offset: 0 });
    expect(items).toMatchObject([
      {
        kind: "content",
        title: "Greet everybody",
        detail: "Said hello.",
        actor: "Grace",
        commit: sha,
      },
    ]);
    expect(await rebuildState(db)).toMatchObject({ state: "pending" });
    expect((await listEvents(db, id)).map(({ type }) => type)).toEqual(["created", "published"]);
    await expect(
      vitrine("tasks-finish", String(id), "--claim", claim, ...reply),
    ).rejects.toMatchObject({ code: "conflict", details: { status: "published" } });
  });

  test("what a worker without a name publishes is the owner's, whatever the machine is called", async () => {
    const id = await ask();
    const { claim, task } = await next();
    expect(task.claimedBy).toBe(`${hostname()} (command line)`);
    const reply = ["--status", "published", "--commit", await commit("Mine")];
    await vitrine("tasks-finish", String(id), "--claim", claim, ...reply);
    const { items } = await listEntries(db, { limit: 5, offset: 0 });
    expect(items.map(({ actor }) => actor)).toEqual(["Ada"]);
  });

  test("a commit counts only when main has it, and for one task", async () => {
    const [first, second] = [await ask("One"), await ask("Two")];
    const one = await next();
    const aside = await git("commit-tree", "HEAD^{tree}", "-m", "aside");
    const tree = await git("rev-parse", "HEAD^{tree}");
    const finish = (id: number, claim: string, sha: string) =>
      vitrine(
        "tasks-finish",
        String(id),
        "--claim",
        claim,
        "--status",
        "published",
        "--commit",
        sha,
      );
    for (const sha of [aside, tree, "0".repeat(40), "f".repeat(64)]) {
      await expect(finish(first, one.claim, sha)).rejects.toMatchObject({
        code: "validation_failed",
        fields: { commit: "must be a commit on the branch main" },
      });
    }
    const sha = await commit("In main");
    await finish(first, one.claim, sha);
    const two = await next();
    await expect(finish(second, two.claim, sha)).rejects.toMatchObject({
      fields: { commit: "already belongs to another task or run" },
    });
    expect(await findTask(db, second)).toMatchObject({ status: "claimed", commit_sha: null });
    expect((await listEntries(db, { limit: 5, offset: 0 })).total).toBe(1);
  });

  test.each(["reverted", "failed"])("a %s task keeps the reason", async (status) => {
    const id = await ask();
    const { claim } = await next();
    const words = ["--status", status, "--reason", "It\u0007 can't be done."];
    const { data } = await vitrine("tasks-finish", String(id), "--claim", claim, ...words);
    expect(data["task"]).toMatchObject({ status, error: "It can't be done.", claimedBy: null });
    expect(await rebuildState(db)).toMatchObject({ state: "idle" });
  });

  test("abuse 90: what is queued again uses up its attempts, and has then failed", async () => {
    const id = await ask();
    const states = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const { claim } = await next();
      const { data } = await vitrine(
        "tasks-finish",
        String(id),
        "--claim",
        claim,
        "--status",
        "queued",
      );
      states.push((data["task"] as Task).status);
    }
    expect(states).toEqual(["queued", "queued", "failed"]);
    expect(await findTask(db, id)).toMatchObject({ error: "Its worker gave no reason." });
    expect((await vitrine("tasks-next")).code).toBe(3);
  });

  test("abuse 87: a worker whose claim is over changes nothing", async () => {
    const id = await ask();
    const { claim: old } = await next();
    await vitrine("tasks-finish", String(id), "--claim", old, "--status", "queued");
    const { claim } = await next("--worker", "Grace");
    const sha = await commit("Late");
    const before = await findTask(db, id);
    for (const status of ["published", "reverted", "failed", "queued"]) {
      const more = status === "published" ? ["--commit", sha] : [];
      for (const token of [old, `${claim}x`, "-abc"]) {
        await expect(
          vitrine("tasks-finish", String(id), "--claim", token, "--status", status, ...more),
        ).rejects.toMatchObject({ code: "conflict", details: { status: "claimed" } });
      }
    }
    await expect(vitrine("tasks-renew", String(id), "--claim", old)).rejects.toMatchObject({
      code: "conflict",
    });
    expect(await findTask(db, id)).toEqual(before);
    expect((await listEntries(db, { limit: 5, offset: 0 })).total).toBe(0);
    expect(await rebuildState(db)).toMatchObject({ state: "idle" });
    await expect(vitrine("tasks-renew", "999", "--claim", claim)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("abuse 88: a worker's late end of what a person has cancelled is refused", async () => {
    const id = await ask();
    const { claim } = await next();
    await cancelTask({ db, events, clock }, id, "Ada");
    await expect(
      vitrine("tasks-finish", String(id), "--claim", claim, "--status", "reverted"),
    ).rejects.toMatchObject({ code: "conflict", details: { status: "cancelled" } });
    expect(await findTask(db, id)).toMatchObject({ status: "cancelled" });
  });

  test("of many that end the same claim at once, one has", async () => {
    const id = await ask();
    const { claim } = await next();
    const sha = await commit("Once");
    const published = ["--status", "published", "--commit", sha];
    const ends = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) =>
        vitrine(
          "tasks-finish",
          String(id),
          "--claim",
          claim,
          ...(i % 2 === 0 ? published : ["--status", "failed"]),
        ),
      ),
    );
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const row = await findTask(db, id);
    const { total } = await listEntries(db, { limit: 5, offset: 0 });
    expect(total).toBe(row?.status === "published" ? 1 : 0);
    expect(await listEvents(db, id)).toHaveLength(2);
  });
});

test.each([
  ["tasks-next", "now"],
  ["tasks-next", "--lease-seconds", "9"],
  ["tasks-next", "--lease", "86401"],
  ["tasks-next", "--lease", "1e3"],
  ["tasks-next", "--lease", "-60"],
  ["tasks-next", "--worker", " \u202E"],
  ["tasks-next", "--worker", "x".repeat(81)],
  ["tasks-next", "--worker", newUlid(0)],
  ["tasks-renew", "1"],
  ["tasks-renew", "x", "--claim", "abc"],
  ["tasks-renew", "2147483648", "--claim", "abc"],
  ["tasks-renew", "-1", "--claim", "abc"],
  ["tasks-renew", "1", "--claim", "s3cret word"],
  ["tasks-finish", "1", "--status", "failed"],
  ["tasks-finish", "1", "--claim", "abc"],
  ["tasks-finish", "1", "--claim", "abc", "--status", "done"],
  ["tasks-finish", "1", "--claim", "abc", "--status", "cancelled"],
  ["tasks-finish", "1", "--claim", "abc", "--status", "published"],
  ["tasks-finish", "1", "--claim", "abc", "--status", "published", "--commit", "HEAD"],
  ["tasks-finish", "1", "--claim", "abc", "--status", "published", "--commit", "--all"],
  ["tasks-finish", "1", "--claim", "abc", "--status", "failed", "--commit", "a".repeat(40)],
  ["tasks-finish", "1", "--claim", "abc", "--status", "failed", "--reason", "x".repeat(2001)],
  ["tasks-finish", "0", "--claim", "abc", "--status", "failed"],
])("%s %s %s %s %s %s is wrong usage", async (...args) => {
  const unopened = { clock, log, open: async () => Promise.reject(new Error("opened")) };
  const context = unopened as unknown as CliContext;
  const error = await runCommand(args, context).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CommanderError);
  expect(String(error)).not.toContain("s3cret");
});
