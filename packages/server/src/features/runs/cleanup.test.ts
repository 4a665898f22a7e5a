import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelStep, startModelServer } from "../../../../../test/support/model-server.ts";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import { cleanReport } from "../../../../../test/support/runs-dependencies.ts";
import { newUlid } from "../../kit/ulid.ts";
import { makeEditor } from "../agent/model.ts";
import { isStored } from "../release/artifact/stored-artifacts.ts";
import { createWorkspace } from "../workspace/workspace.ts";
import { cleanUp } from "./cleanup.ts";

let app: RunsApp;
beforeEach(async () => {
  app = await startRunsApp();
});
afterEach(() => app.cleanup());

/** What runs have left: workspaces, what git knows of them, and artifacts. */
async function left() {
  const names = async (dir: string) =>
    (await readdir(dir).catch(() => [])).filter((name) => !name.startsWith("."));
  return {
    workspaces: await names(app.paths.workspaces),
    worktrees: await names(join(app.repository.gitDir, "worktrees")),
    artifacts: await names(app.paths.artifacts),
  };
}

const nothing = { workspaces: [], worktrees: [], artifacts: [] };
const write = {
  name: "write",
  input: { path: "app/src/pages/about.html", content: "<p>half done</p>" },
};

const failures: [string, ModelStep][] = [
  ["answers with what is no JSON", { garbage: "data: {oops\n\ndata: }\n\n" }],
  ["answers with an HTML page", { garbage: "<!doctype html><h1>hello</h1>" }],
  ["leads elsewhere", { status: 302, headers: { location: "http://127.0.0.1:1/v1/messages" } }],
  ["leads in a circle", { status: 307, headers: { location: "/v1/messages" } }],
  ["never ends its answer", { garbage: `data: ${"x".repeat(40 * 2 ** 20)}` }],
  ["breaks off", { half: "reset", text: "I will", calls: [write] }],
  ["ends in the middle", { half: "end", text: "I will", calls: [write] }],
  ["refuses the key", { status: 401 }],
  ["asks for tools that don't exist", { calls: [{ name: "rm", input: {} }] }],
];

describe("abuse 160: a model that fails after it has written into the workspace", () => {
  it.each(failures)("and %s leaves nothing", async (_how, failure) => {
    const script = [{ calls: [write] }, ...Array.from({ length: 60 }, () => failure)];
    const server = await startModelServer(script);
    const config = { provider: "anthropic", id: "m", baseUrl: server.url } as const;
    const choice = { config, apiKey: "k", abilities: null, from: "file" } as const;
    try {
      const id = await app.edit(makeEditor(choice, { timing: { retries: 1, backoffMs: 1 } }));
      const run = await app.runs.get(id);
      if (run.status === "interrupted") await app.runs.discard(id);
      expect(["failed", "interrupted", "discarded"]).toContain(run.status);
      expect(await left()).toEqual(nothing);
    } finally {
      await server.close();
    }
  });
});

/** From now on nothing can be written to the database, as on a full disk, or everything can again. */
async function setWritable(isWritable: boolean): Promise<void> {
  await sql.raw(`pragma query_only = ${isWritable ? "off" : "on"}`).execute(app.db);
}

it("abuse 161: a run whose end can't be written down keeps no workspace, and ends later", async () => {
  const agent = scriptedAgent(async (context) => {
    await writePage(context, "about.html", "<p>half done</p>");
    expect((await left()).workspaces).toHaveLength(1);
    await setWritable(false);
    throw new Error("the model failed");
  });
  const id = await app.edit(agent);
  expect(await left()).toEqual(nothing);
  expect((await app.runs.get(id)).status).toBe("running");
  await setWritable(true);
  // Seen twice without anybody at work on it.
  await app.runs.recoverAbandoned();
  await app.runs.recoverAbandoned();
  expect((await app.runs.get(id)).status).toBe("interrupted");
});

it("abuse 164: a sweep removes what no run owns, also without a database to write to, and only that", async () => {
  const { db, repository, paths } = app;
  const { clock } = app.admin;
  const options = {
    db,
    clock,
    repository,
    artifactsDir: paths.artifacts,
    keepArtifacts: 0,
  };
  const stray = newUlid(clock.now());
  const agent = scriptedAgent(async (context) => {
    await createWorkspace(repository, stray);
    await createWorkspace(repository, "rebuild-of-another-process");
    await setWritable(false);
    // Whatever else can't be removed then.
    await cleanUp(options).catch(() => {});
    await setWritable(true);
    const { workspaces } = await left();
    expect(workspaces.toSorted()).toEqual(
      [context.root.split("/").at(-1), "rebuild-of-another-process"].toSorted(),
    );
    await writePage(context, "about.html", "<p>done</p>");
    return { message: "Say it" };
  });
  const id = await app.edit(agent);
  expect((await app.runs.get(id)).status).toBe("preview_ready");
  await cleanUp(options);
  expect((await left()).workspaces).toContain(id);
});

it("discarding a preview leaves an artifact that another run has just built", async () => {
  const entered = Promise.withResolvers<void>();
  const pending = Promise.withResolvers<void>();
  let inspected = 0;
  await using other = await startRunsApp({
    dependencies: {
      async inspectBuild() {
        inspected += 1;
        if (inspected === 2) {
          entered.resolve();
          await pending.promise;
        }
        return cleanReport;
      },
    },
  });
  const same = () => scriptedAgent((context) => writePage(context, "index.html", "<h1>1</h1>"));
  const first = await other.edit(same());
  other.use(same());
  const { runId } = await other.runs.start({ instruction: "The same" });
  await entered.promise;
  await other.runs.discard(first);
  pending.resolve();
  await other.runs.waitUntilFinished(runId);
  const { artifactSha } = await other.runs.getPreview(runId);
  expect(await isStored(join(other.paths.artifacts, artifactSha))).toBe(true);
});
