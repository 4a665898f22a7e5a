import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startModelServer } from "../../../../test/support/model-server.ts";
import type { ModelServer, Script } from "../../../../test/support/model-server.ts";
import {
  canaryPattern,
  type PrivateRecords,
  seedPrivateRecords,
} from "../../../../test/support/private-records.ts";
import { type RunsApp, startRunsApp } from "../../../../test/support/runs-app.ts";
import { tasksOn, type TestTasks } from "../../../../test/support/runs-tasks.ts";
import { makeEditor } from "../../agent/model.ts";
import { makeLiveReleases } from "../../release/site/live-release.ts";
import { siteKnowledge } from "../../runs/knowledge/site-knowledge.ts";

let app: RunsApp;
let tasks: TestTasks;
let records: PrivateRecords;
let servers: ModelServer[];

beforeEach(async () => {
  servers = [];
  app = await startRunsApp({
    surroundings: {
      siteOf: (question) =>
        siteKnowledge({ db: app.db, releases: makeLiveReleases(app.paths) }, question),
    },
  });
  tasks = tasksOn(app);
  const { db, paths, admin } = app;
  records = await seedPrivateRecords({ db, paths, clock: admin.clock }, app.git);
});
afterEach(async () => {
  await tasks.drain.close();
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
    const done = await tasks.drained(id);
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
