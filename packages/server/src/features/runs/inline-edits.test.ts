import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesBelow } from "../../../../../test/support/media-library.ts";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { makeInlineEditor } from "../agent/inline.ts";
import type { InlineEdit } from "../agent/inline/schema.ts";
import { projectSchema } from "../projects/project.ts";
import { findProject, insertProject, updateProject } from "../projects/store.ts";
import { inlineEditsOf } from "./inline-form.ts";
import { findRun } from "./store.ts";

const at = "2026-01-01T00:00:00.000Z";
const [home, planPage] = ["/", "/projects/zeppelin/"];
let app: RunsApp;

beforeEach(async () => {
  app = await startRunsApp({
    dependencies: {
      makeFormAgent: async (_, form) =>
        makeInlineEditor({ name: "Owner", edits: inlineEditsOf(form) }),
    },
  });
  const published = { status: "published", position: 0, summary: "A ledger for all." };
  await insert({ ...published, slug: "tide", name: "Tide", lede: "Boats wait." });
  await insert({
    ...published,
    slug: "zeppelin",
    name: "Zeppelin",
    lede: "An airship in the shed.",
    audience: "invited",
  });
});
afterEach(() => app.cleanup());

async function insert(fields: object): Promise<void> {
  await insertProject(app.db, projectSchema.parse(fields), { createdAt: at, updatedAt: at });
}
const find = (slug: string) => findProject(app.db, { slug });

const place = { source: null, index: 0, count: 1 };
const edit = (page: string, before: string, after: string, scope: "here" | "everywhere" = "here") =>
  ({ kind: "text", page, ...place, scope, before, after }) satisfies InlineEdit;
const locate = (page: string, before: string) =>
  app.runs.locateInline({ kind: "text", page, ...place, before });

async function run(edits: InlineEdit[]): Promise<string> {
  const { runId } = await app.runs.startInlineEdits(edits);
  await app.runs.waitUntilFinished(runId);
  return runId;
}
const statusOf = async (runId: string) => (await findRun(app.db, runId))?.status;

/** All that a folder of pages holds, as one text. */
async function bytesOf(dir: string): Promise<string> {
  const files = (await filesBelow(dir)).filter((file) => !/\.(?:br|gz|zst)$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(dir, file), "utf8")));
  return [...files, ...texts].join("\n");
}
const secret = /zeppelin|airship|balloon/i;

async function commit(file: string, text: string): Promise<void> {
  const path = join(app.paths.content, "app/src", file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await app.git("add", "--all");
  const author = ["-c", "user.name=Mara", "-c", "user.email=mara@example.com"];
  await app.git(...author, "commit", "--quiet", "--all", "--message", "By hand");
}

test("a restricted project's text isn't found from another page, nor does the answer tell it from none", async () => {
  const absent = await locate(home, "No such text anywhere.");
  expect(absent.canEdit).toBe(false);
  expect(await locate(home, "An airship in the shed.")).toEqual(absent);
  expect(await locate("/projects/tide/", "Zeppelin")).toEqual(absent);
  await expect(run([edit(home, "An airship in the shed.", "Mine.")])).rejects.toMatchObject({
    code: "validation_failed",
  });
  expect(await locate(planPage, "An airship in the shed.")).toMatchObject({ canEdit: true });
});

test("an edit on its own page changes the record, and no public byte tells of it", async () => {
  const runId = await run([edit(planPage, "An airship in the shed.", "A balloon in the shed.")]);
  expect(await statusOf(runId)).toBe("preview_ready");
  const { artifactSha } = await app.runs.getPreview(runId);
  expect(await bytesOf(join(app.paths.artifacts, artifactSha))).not.toMatch(secret);
  await app.runs.publish(runId);
  expect((await find("zeppelin"))?.lede).toBe("A balloon in the shed.");
  expect(await bytesOf(join(app.paths.releases, "1"))).not.toMatch(secret);
});

test("everywhere means what everybody sees: the same text of a restricted project stays", async () => {
  const runId = await run([edit(home, "A ledger for all.", "A book for all.", "everywhere")]);
  await app.runs.publish(runId);
  const summaries = [(await find("tide"))?.summary, (await find("zeppelin"))?.summary];
  expect(summaries).toEqual(["A book for all.", "A ledger for all."]);
  const live = await bytesOf(join(app.paths.releases, "1"));
  expect(live).toContain("A book for all.");
  expect(live).not.toMatch(secret);
});

test("a failed run is tried again with the same edits, on the site as it is by then", async () => {
  await commit("pages/talk/index.astro", "<h1>Good morning</h1>\n");
  await commit("pages/about.html", "<h1>About</h1>\n<p>BROKEN</p>\n");
  const failed = await run([
    edit("/talk/", "Good morning", "Welcome"),
    edit("/projects/tide/", "Boats wait.", "Boats sail."),
  ]);
  expect(await statusOf(failed)).toBe("failed");
  expect((await find("tide"))?.lede).toBe("Boats wait.");
  await commit("pages/about.html", "<h1>About</h1>\n<p>Mended</p>\n");
  const { runId } = await app.runs.retry(failed);
  await app.runs.waitUntilFinished(runId);
  expect(await statusOf(runId)).toBe("preview_ready");
  await app.runs.publish(runId);
  const live = await bytesOf(join(app.paths.releases, "1"));
  expect(live).toContain("Mended");
  expect(await app.git("show", "HEAD:app/src/pages/talk/index.astro")).toContain(">Welcome<");
  expect((await find("tide"))?.lede).toBe("Boats sail.");
});

test("a project that was restricted since is out of reach for a retry from another page", async () => {
  await commit("pages/about.html", "<h1>About</h1>\n<p>BROKEN</p>\n");
  const failed = await run([edit(home, "Boats wait.", "Boats sail.")]);
  expect(await statusOf(failed)).toBe("failed");
  const tide = await find("tide");
  if (tide) await updateProject(app.db, { ...tide, audience: "members" }, at);
  await commit("pages/about.html", "<h1>About</h1>\n");
  const { runId } = await app.runs.retry(failed);
  const failure = await app.runs.waitUntilFinished(runId);
  expect([await statusOf(runId), failure === null]).toEqual(["failed", false]);
  expect((await find("tide"))?.lede).toBe("Boats wait.");
});
