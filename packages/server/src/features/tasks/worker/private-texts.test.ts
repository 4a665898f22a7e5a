import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startModelServer } from "../../../../../../test/support/model-server.ts";
import type { ModelServer, Script } from "../../../../../../test/support/model-server.ts";
import {
  canaryPattern,
  type PrivateRecords,
  seedPrivateRecords,
} from "../../../../../../test/support/private-records.ts";
import { scriptedAgent, writePage } from "../../../../../../test/support/runs-site.ts";
import { type RunsApp, startRunsApp } from "../../../../../../test/support/runs-app.ts";
import { tasksOn, type TestTasks } from "../../../../../../test/support/runs-tasks.ts";
import { makeEditor } from "../../agent/model.ts";
import { messageTexts } from "../../contact/private-texts.ts";
import { makeProjects } from "../../projects/projects.ts";
import { makePrivateGate, type PrivateGate } from "../../release/private/private-gate.ts";
import { makeLiveReleases } from "../../release/site/live-release.ts";
import { listEventsAfter } from "../../runs/event-store.ts";
import { readSiteContext } from "../../runs/site-context/site-context.ts";
import { approveTask } from "../queue/queue.ts";
import { privateReasons } from "../review/private-reason.ts";
import type { ReviewReason } from "../schema.ts";

let app: RunsApp;
let tasks: TestTasks;
let records: PrivateRecords;
let servers: ModelServer[];

beforeEach(async () => {
  servers = [];
  app = await startRunsApp({
    dependencies: {
      readSiteContext: (question) =>
        readSiteContext({ db: app.db, releases: makeLiveReleases(app.paths) }, question),
    },
  });
  tasks = tasksOn(app);
  const { db, paths, admin } = app;
  records = await seedPrivateRecords({ db, paths, clock: admin.clock }, app.git);
});
afterEach(async () => {
  await tasks.worker.close();
  for (const server of servers) await server.close();
  await app.cleanup();
});

/** All that lies below a folder, as one text. */
async function bytesBelow(dir: string): Promise<string> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const names = entries.map((entry) => entry.name).join("\n");
  const texts = files.map((entry) => readFile(join(entry.parentPath, entry.name), "latin1"));
  return [names, ...(await Promise.all(texts))].join("\n");
}

const found = (text: string) => [...new Set(text.match(canaryPattern))];

/** Reads by every tool and every name it can think of, and writes what it got onto a public page. */
function thief(loot: Set<string>): Script {
  const paths = [
    "database/projects.json",
    "./database//projects.json",
    "database/./projects.json",
    "database/../database/projects.json",
    "app/../database/projects.json",
    "DATABASE/projects.json",
    "database/PROJECTS.json",
    "database/projects.json/",
    "scripts/notes.md",
    ".git",
    ".git/HEAD",
    "../../content/database/projects.json",
    "../../data/vitrine.db",
  ];
  const folders = [
    "",
    "database",
    "scripts",
    "app",
    "app/public",
    "app/public/media",
    ".git",
    "..",
  ];
  const call = (name: string, input: unknown) => ({ name, input });
  return [
    { text: "Looking.", calls: folders.map((path) => call("list", { path })) },
    {
      text: "Looking further.",
      calls: [
        ...["**/*", "**/*.json", "database/**", "**/projects*"].map((pattern) =>
          call("glob", { pattern }),
        ),
        ...["canary", "Quillfeather", "brief", "@people"].flatMap((pattern) => [
          call("grep", { pattern }),
          call("grep", { pattern, path: "database" }),
        ]),
      ],
    },
    { text: "Reading.", calls: paths.map((path) => call("read", { path })) },
    {
      text: "Moving and looking.",
      calls: [
        ...paths.slice(0, 2).map((from) => call("move", { from, to: "app/src/pages/got.html" })),
        call("view_image", { path: `app/public${records.draftImage}` }),
        call("view_image", { path: "database/projects.json" }),
        call("check_site", {}),
      ],
    },
    (request) => {
      for (const word of found(request.raw)) loot.add(word);
      const text = `<h1>About</h1>\n<p>${[...loot].join(" ")} and all</p>\n`;
      return {
        text: "Writing.",
        calls: [
          call("read", { path: "app/src/pages/about.html" }),
          call("write", { path: "app/src/pages/about.html", text }),
          call("write", { path: "app/src/pages/about.html", content: text }),
        ],
      };
    },
    { text: "Summary: Refreshed the page.\nCommit: Refresh the page" },
  ];
}

async function useModel(script: Script): Promise<ModelServer> {
  const server = await startModelServer(script);
  servers.push(server);
  const config = { provider: "openai-compatible" as const, id: "scripted-1", baseUrl: server.url };
  const choice = { config, apiKey: null, abilities: null, from: "file" as const };
  app.use(makeEditor(choice, { timing: { retries: 0 } }));
  return server;
}

describe("abuse 119: a hostile model that reads all it can name", () => {
  it("gets no private text from a workspace, a prompt or a build, and none goes live", async () => {
    const inputs: string[] = [];
    app.builder.before = async (job) => {
      const { snapshot } = job;
      inputs.push(await bytesBelow(job.sourceDir), JSON.stringify(snapshot));
    };
    const loot = new Set<string>();
    const server = await useModel(thief(loot));
    const { id } = await tasks.create({ instruction: "Refresh the about page", pageUrl: "/about" });
    const done = await tasks.settled(id);
    expect(done).toMatchObject({ status: "published" });
    expect(await tasks.page("about.html")).toContain("and all");
    expect(server.remaining()).toBe(0);
    expect(found(server.requests.map(({ raw }) => raw).join("\n"))).toEqual([]);
    expect([...loot]).toEqual([]);
    expect(inputs.length).toBeGreaterThan(1);
    expect(found(inputs.join("\n"))).toEqual([]);
    const live = await bytesBelow(app.paths.current);
    expect(found(live.replaceAll(/[^\n]*draft-only[^\n]*/g, ""))).toEqual([]);
  });
});

/** A site whose publisher and review look for private texts. */
async function withGate(): Promise<void> {
  await tasks.worker.close();
  await app.cleanup();
  let gate: PrivateGate | undefined;
  app = await startRunsApp({
    gate: (deps) => (gate = makePrivateGate({ ...deps, otherTexts: [messageTexts] })),
  });
  tasks = tasksOn(app, {
    review: async ({ artifactSha }) => {
      const comparison = await gate?.compare(join(app.paths.artifacts, artifactSha));
      return comparison ? privateReasons(comparison) : [];
    },
  });
  const { db, paths, admin } = app;
  records = await seedPrivateRecords({ db, paths, clock: admin.clock }, app.git);
}

const writes = (...texts: string[]) =>
  scriptedAgent(
    ...texts.map((text) => async (context: { root: string }) => {
      await writePage(context as never, "about.html", text);
    }),
  );

interface Refusal {
  code: string;
  message: string;
  details: { fingerprint: string; findings: { page: string; record: string }[]; total: number };
}

describe("abuse 122: a change that would publish private text", () => {
  beforeEach(withGate);
  const publish = (body: object) => app.ask("/devconsole/publish", { body });
  const refusalOf = (response: { json(): unknown }) =>
    (response.json() as { error: Refusal }).error;

  it("waits for a review where nobody is there, with pages and records and none of the words", async () => {
    app.use(writes(`<p>${records.draft.summary}</p> canary-contact-email4711@people.example`));
    const { id } = await tasks.create({ instruction: "Announce it", projectId: records.draftId });
    const task = await tasks.settled(id);
    expect(task.status).toBe("needs_review");
    const [reason] = JSON.parse(task.review) as ReviewReason[];
    expect(reason).toMatchObject({ kind: "private" });
    expect(reason?.items).toContain(`/about.html: draft project ${records.draftId} (summary)`);
    expect(reason?.items).toContain("/about.html: contact message 1 (email)");
    expect(found(task.review)).toEqual([]);
    expect(await tasks.page("about.html")).toBe(null);

    const deps = { db: app.db, clock: app.admin.clock };
    const approve = (fingerprint?: string) => approveTask(deps, id, "Owner", fingerprint);
    await expect(approve()).rejects.toMatchObject({ code: "private_text", status: 409 });
    await expect(approve("0".repeat(64))).rejects.toMatchObject({ code: "private_text" });
    expect((await tasks.get(id)).approved_at).toBeNull();
    await approve(reason?.fingerprint);
    expect(await tasks.settled(id)).toMatchObject({ status: "published" });
    expect(await tasks.page("about.html")).toContain(records.draft.summary);
  });

  it("is refused to the owner until just that is confirmed, which the run's events tell", async () => {
    const runId = await app.edit(writes(`<p>${records.draft.brief}</p>`));
    const refused = await publish({ runId });
    expect(refused.status).toBe(409);
    const { code, details, message } = refusalOf(refused);
    expect(code).toBe("private_text");
    const draft = { page: "/about.html", record: `draft project ${records.draftId}` };
    expect(details.findings).toContainEqual({ ...draft, field: "brief" });
    expect(found(refused.text + message)).toEqual([]);
    expect((await app.runs.get(runId)).status).toBe("preview_ready");
    expect(await tasks.page("about.html")).toBe(null);

    expect((await publish({ runId, confirmPrivate: "0".repeat(64) })).status).toBe(409);
    expect((await publish({ runId, confirmPrivate: "yes" })).status).toBe(422);
    const { fingerprint } = details;
    expect((await publish({ runId, confirmPrivate: fingerprint })).status).toBe(200);
    expect(await tasks.page("about.html")).toContain(records.draft.brief);
    const reported = await listEventsAfter(app.db, runId, 0, 1000);
    const confirmed = reported.find(({ type }) => type === "private.confirmed");
    expect(confirmed?.data).toMatchObject({
      by: "Owner",
      findings: [{ ...draft, field: "brief" }],
    });
    expect(found(JSON.stringify(confirmed))).toEqual([]);

    // It is live now: what says it again is no news.
    const again = await app.edit(writes(`<h1>Again</h1><p>${records.draft.brief}</p>`));
    expect((await publish({ runId: again })).status).toBe(200);
  });

  it("is found in what a merge makes, and what a record's own state makes public is none", async () => {
    const harmless = await app.edit(writes("<h1>About</h1>"));
    await writeFile(join(app.paths.content, "app/src/pages/index.html"), records.draft.body);
    await app.git("-c", "user.name=O", "-c", "user.email=o@example.com", "commit", "-qam", "Hand");
    const refused = await publish({ runId: harmless });
    expect(refusalOf(refused).details.findings[0]).toMatchObject({ page: "/" });
    const projects = makeProjects({
      ownerName: "Mara",
      db: app.db,
      clock: app.admin.clock,
      mediaRoot: join(app.paths.content, "app/public"),
      onChange: async () => {},
    });
    const { version } = await projects.get({ id: records.draftId });
    await projects.save({ id: records.draftId, version, status: "published" });
    expect((await publish({ runId: harmless })).status).toBe(200);
    expect(await tasks.page("index.html")).toContain(records.draft.body);
  });
});
