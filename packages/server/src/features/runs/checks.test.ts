import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { consoleOf, hang, type RunsConsole } from "../../../../../test/support/runs-console.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import { cleanReport } from "../../../../../test/support/runs-dependencies.ts";
import { projectSchema } from "../projects/project.ts";
import { insertProject } from "../projects/store.ts";
import type { BuildReport } from "./schema.ts";
import { findRun } from "./store.ts";
import type { RunDependencies } from "./run-dependencies.ts";

let app: RunsApp;
let console: RunsConsole;
let inspect: RunDependencies["inspectBuild"];
beforeEach(async () => {
  inspect = blankWhereEmpty;
  app = await startRunsApp({ dependencies: { inspectBuild: (job) => inspect(job) } });
  console = consoleOf(app);
});
afterEach(() => app.cleanup());

/** Finds the pages without a letter in the artifact; `pages` counts how often it looked. */
async function blankWhereEmpty({
  artifact,
}: Parameters<RunDependencies["inspectBuild"]>[0]): Promise<BuildReport> {
  const blank: string[] = [];
  for (const name of await readdir(artifact.dir)) {
    if (!name.endsWith(".html")) continue;
    const text = await readFile(join(artifact.dir, name), "utf8");
    if (text.trim() === "") blank.push(`/${name}`);
  }
  const finding = {
    check: "contrast",
    category: "accessibility",
    severity: "error" as const,
    page: "/about/",
    target: null,
    message: "Too faint.",
  };
  return {
    ...cleanReport,
    blank,
    findings: [finding],
    bytes: { before: 1, after: artifact.bytes },
  };
}

const about = (text: string) =>
  scriptedAgent(async (context) => {
    await writePage(context, "about.html", text);
    return { message: "About" };
  });
const workspaces = () => readdir(app.paths.workspaces).catch(() => [] as string[]);

describe("the checks of a build", () => {
  it("come before the preview, in the stream, the record and the list", async () => {
    const runId = await app.edit(about("words"));
    const run = await console.run(runId);
    expect(run).toMatchObject({
      status: "preview_ready",
      checks: { findings: [{ check: "contrast" }], blank: [], bytes: { before: 1 } },
    });
    const { items } = await console.get<{ items: unknown[] }>("runs");
    expect(items).toMatchObject([{ checks: run.checks }]);
    const events = await app.events.listAfter(runId, 0);
    expect(events.find(({ type }) => type === "checks.done")?.data).toEqual(run.checks);
    const types = await console.types(runId);
    const order = ["build.passed", "checks.started", "checks.done", "=preview_ready"];
    expect(types.filter((type) => order.includes(type))).toEqual(order);
  });

  it("hand a blank page back to the agent, and take the repair", async () => {
    const agent = scriptedAgent(
      (context) => writePage(context, "about.html", " "),
      (context) => writePage(context, "about.html", "words"),
    );
    const runId = await app.edit(agent);
    expect(agent.messages[1]).toMatch(/this page would be blank: \/about\.html/i);
    expect(await console.run(runId)).toMatchObject({
      status: "preview_ready",
      checks: { blank: [] },
    });
  });

  it("never let a blank page be ready: after two repairs the run fails with its name", async () => {
    const empty = (length: number) => (context: Parameters<typeof writePage>[0]) =>
      writePage(context, "about.html", " ".repeat(length));
    const agent = scriptedAgent(empty(1), empty(2), empty(3), empty(4));
    const runId = await app.edit(agent);
    expect(agent.messages).toHaveLength(3);
    expect(await console.run(runId)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("/about.html"),
      previewUrl: null,
    });
    expect(await console.types(runId)).not.toContain("=preview_ready");
    expect(await workspaces()).toEqual([]);
  });

  it("stand in nobody's way when they fail", async () => {
    inspect = async () => {
      throw new Error("no parser");
    };
    const runId = await app.edit(about("words"));
    expect(await console.run(runId)).toMatchObject({ status: "preview_ready", checks: null });
    const events = await app.events.listAfter(runId, 0);
    expect(events.map(({ data }) => JSON.stringify(data)).join()).toContain(
      "Couldn't check the build",
    );
    await console.post("publish", { runId });
  });

  it("end with the run when that is stopped, although they hear nothing", async () => {
    const entered = Promise.withResolvers<void>();
    inspect = async () => {
      entered.resolve();
      return new Promise(() => {});
    };
    app.use(about("words"));
    const { runId } = await console.post<{ runId: string }>("run", { instruction: "x" }, 202);
    await entered.promise;
    expect(await console.post("cancel", { runId })).toMatchObject({ status: "cancelled" });
    expect(await workspaces()).toEqual([]);
  });

  it("are made of a restore too, which does not go live with a blank page", async () => {
    const first = await app.edit(about("words"));
    await console.post("publish", { runId: first });
    // The words can be taken back until there is nothing below them.
    inspect = async () => ({ ...cleanReport, blank: ["/about.html"] });
    const undo = await console.start("restore", { runId: first });
    expect(undo).toMatchObject({
      status: "failed",
      error: expect.stringContaining("/about.html"),
    });
    expect(await readFile(join(app.paths.current, "about.html"), "utf8")).toBe("words");
  });
});

describe("what a merge makes", () => {
  async function twoReady() {
    const first = await app.edit(about("first"));
    const second = await app.edit(
      scriptedAgent((context) => writePage(context, "index.html", "second")),
    );
    await console.post("publish", { runId: first });
    return second;
  }

  it("is checked again, and the new report takes the old one's place", async () => {
    const second = await twoReady();
    const before = (await console.run(second)).checks;
    inspect = async () => ({ ...cleanReport, pages: 77 });
    await console.post("publish", { runId: second });
    expect(await console.run(second)).toMatchObject({
      status: "published",
      checks: { pages: 77 },
    });
    expect(before?.pages).toBe(1);
  });

  it("does not go live with a blank page; the run is ready again and says why", async () => {
    const second = await twoReady();
    inspect = async () => ({ ...cleanReport, blank: ["/index.html"] });
    expect(await console.refused("publish", { runId: second })).toMatchObject({
      status: 422,
      message: expect.stringContaining("/index.html"),
    });
    expect(await console.run(second)).toMatchObject({
      status: "preview_ready",
      error: expect.stringContaining("/index.html"),
    });
    expect(await readFile(join(app.paths.current, "index.html"), "utf8")).not.toBe("second");
    inspect = async () => cleanReport;
    await console.post("publish", { runId: second });
    expect(await readFile(join(app.paths.current, "index.html"), "utf8")).toBe("second");
  });
});

/** Publishes a project, as an owner does while a preview waits. */
async function insertTide(): Promise<void> {
  const at = "2026-01-01T00:00:00.000Z";
  const tide = { slug: "tide", name: "Tide", status: "published", position: 0, summary: "Boats." };
  await insertProject(app.db, projectSchema.parse(tide), { createdAt: at, updatedAt: at });
}

it("checks and reviews what goes live if the records have changed since the preview", async () => {
  const runId = await app.edit(about("words"));
  const preview = await app.runs.getPreview(runId);
  await insertTide();
  inspect = async () => ({ ...cleanReport, blank: ["/projects/tide/"] });
  expect(await console.refused("publish", { runId })).toMatchObject({ status: 422 });
  expect(await console.run(runId)).toMatchObject({
    status: "preview_ready",
    error: expect.stringContaining("/projects/tide/"),
  });
  inspect = async () => ({ ...cleanReport, pages: 77 });
  const reviewed: unknown[] = [];
  await app.runs.publish(runId, {
    reviewBuild: async ({ artifactSha, report }) => {
      expect(artifactSha).not.toBe(preview.artifactSha);
      reviewed.push(report?.pages);
    },
  });
  expect(reviewed).toEqual([77]);
  expect(await console.run(runId)).toMatchObject({ status: "published", checks: { pages: 77 } });
});

it("records what went live with the publish, not after it", async () => {
  const runId = await app.edit(about("words"));
  const preview = await app.runs.getPreview(runId);
  await insertTide();
  const shas: (string | null | undefined)[] = [];
  const other = app.another({
    async onStep(step) {
      if (step === "recorded") shas.push((await findRun(app.db, runId))?.artifact_sha);
    },
  });
  await other.runs.publish(runId);
  expect(shas).toHaveLength(1);
  expect(shas).not.toContain(preview.artifactSha);
  expect(shas).toEqual([(await findRun(app.db, runId))?.artifact_sha]);
});

it("tells of a ready preview, but not of one that nobody waits for", async () => {
  const reported: string[] = [];
  await using other = await startRunsApp({
    dependencies: {
      async onPreviewReady(runId) {
        expect((await other.runs.get(runId)).status).toBe("preview_ready");
        reported.push(runId);
        throw new Error("no mail today");
      },
    },
  });
  const runId = await other.edit(about("words"));
  await other.edit(scriptedAgent(async () => ({})));
  other.use(scriptedAgent(hang));
  const { runId: stopped } = await other.runs.start({ instruction: "x" });
  await other.runs.cancel(stopped);
  await other.runs.publish(runId);
  const { runId: undo } = await other.runs.restore(runId);
  await other.runs.waitUntilFinished(undo);
  expect(reported).toEqual([runId]);
});
