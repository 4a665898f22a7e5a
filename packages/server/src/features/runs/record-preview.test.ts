import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { exists } from "../../platform/files.ts";
import { insertProject } from "../projects/store.ts";
import {
  readReferencedArtifacts,
  writeReferences,
} from "../release/artifact/artifact-references.ts";
import { createWorkspace, listWorkspaces } from "../workspace/workspace.ts";

let app: RunsApp;
const at = "2026-01-01T00:00:00.000Z";
const lifetime = 12 * 60 * 60_000;

beforeEach(async () => {
  app = await startRunsApp();
  for (const [slug, status] of [
    ["shown", "published"],
    ["draft", "draft"],
  ] as const)
    await addProject(slug, status);
  // The test's builder makes a page of each project's name.
  app.builder.before = async (job) => {
    if (!job.sourceDir.includes("preview-")) return;
    for (const { slug, name } of job.snapshot.projects) {
      await writeFile(join(job.sourceDir, "app/src/pages", `${slug}.html`), `<h1>${name}</h1>`);
    }
  };
});
afterEach(() => app.cleanup());

async function addProject(slug: string, status: "draft" | "published"): Promise<void> {
  const texts = {
    audience: "everyone" as const,
    summary: "",
    lede: "",
    body: "",
    kind: "",
    period: "",
    role: "",
    reelUrl: null,
    brief: "",
  };
  const lists = { categories: [], stack: [], skills: [], metrics: [], gallery: [] };
  const project = { slug, status, name: `Project ${slug}`, position: 1, ...texts, ...lists };
  await insertProject(app.db, project, { createdAt: at, updatedAt: at });
}

async function idOf(slug: string): Promise<number> {
  const { id } = await app.db
    .withTables<{ project: { id: number; slug: string } }>()
    .selectFrom("project")
    .select("id")
    .where("slug", "=", slug)
    .executeTakeFirstOrThrow();
  return id;
}
const rename = (slug: string, name: string) =>
  app.db
    .withTables<{ project: { name: string; slug: string } }>()
    .updateTable("project")
    .set({ name })
    .where("slug", "=", slug)
    .execute();

async function make(slug: string): Promise<{ previewUrl: string; path: string }> {
  const response = await app.ask("/devconsole/preview", { body: { projectId: await idOf(slug) } });
  expect(response.status).toBe(201);
  return response.json().data as { previewUrl: string; path: string };
}

describe("a record's private preview", () => {
  it("shows a draft as if it were published, with what is saved now, and changes nothing", async () => {
    const before = await app.git("rev-parse", "main");
    const { previewUrl, path } = await make("draft");
    expect(previewUrl).toMatch(/^\/_preview\/[0-9A-Z]{26}\/$/);
    expect(path).toBe("/projects/draft/");
    expect((await app.ask(`${previewUrl}draft.html`)).text).toContain("<h1>Project draft</h1>");
    expect((await app.ask(`${previewUrl}shown.html`)).status).toBe(200);
    await rename("draft", "Another name");
    const again = await make("draft");
    expect(again.previewUrl).not.toBe(previewUrl);
    expect((await app.ask(`${again.previewUrl}draft.html`)).text).toContain(
      "<h1>Another name</h1>",
    );
    expect((await app.ask(`${previewUrl}draft.html`)).text).toContain("<h1>Project draft</h1>");
    expect(await app.git("rev-parse", "main")).toBe(before);
    expect(await listWorkspaces(app.repository)).toEqual([]);
  });

  it("is of what main holds, not of what is edited by hand", async () => {
    await writeFile(join(app.paths.content, "app/src/pages/about.html"), "by hand");
    const { previewUrl } = await make("draft");
    expect((await app.ask(`${previewUrl}about.html`)).text).toContain("<h1>About</h1>\n");
  });

  it("is built once for who asks at once or again, until record, site or others change", async () => {
    const both = await Promise.all([make("draft"), make("draft"), make("draft")]);
    expect(new Set(both.map(({ previewUrl }) => previewUrl)).size).toBe(1);
    expect(await make("draft")).toEqual(both[0]);
    expect(app.builder.builds).toBe(1);
    await make("shown");
    await rename("shown", "Shown otherwise");
    await make("draft");
    expect(app.builder.builds).toBe(3);
    const runId = await app.edit(scriptedAgent((context) => writePage(context, "about.html", "x")));
    await app.runs.publish(runId);
    await make("draft");
    expect(app.builder.builds).toBe(5);
  });

  it("leads from a project's old address to its page, within the preview", async () => {
    await app.db
      .withTables<{ project_redirect: { slug: string; project_id: number; created_at: string } }>()
      .insertInto("project_redirect")
      .values({ slug: "was", project_id: await idOf("shown"), created_at: at })
      .execute();
    const { previewUrl } = await make("draft");
    for (const old of ["projects/was/", "projects/was"]) {
      const moved = await app.ask(`${previewUrl}${old}?a=1`);
      expect(moved.status).toBe(307);
      expect(moved.headers["location"]).toBe(`${previewUrl}projects/shown/?a=1`);
    }
  });

  it("asks for a session, and its ticket opens it alone", async () => {
    const projectId = await idOf("draft");
    const visitor = { headers: { cookie: "" }, body: { projectId } };
    expect((await app.ask("/devconsole/preview", visitor)).status).toBe(401);
    const { previewUrl } = await make("draft");
    const bare = { headers: { cookie: "" } };
    expect((await app.ask(`${previewUrl}draft.html`, bare)).status).toBe(401);
    const redirect = await app.ask(previewUrl.slice(0, -1));
    expect([redirect.status, redirect.headers["location"]]).toEqual([307, previewUrl]);
    const [, id = ""] = /_preview\/([^/]+)/.exec(previewUrl) ?? [];
    const ticket = app.tickets.issue(id, "ab".repeat(32));
    expect((await app.ask(`${previewUrl}~${ticket}/a.css`, bare)).status).toBe(401);
  });

  it("refuses what is no project and hands out the errors of a build", async () => {
    const ask = (body: object) => app.ask("/devconsole/preview", { body });
    expect((await ask({ projectId: 999 })).status).toBe(404);
    for (const body of [{}, { projectId: "1" }, { projectId: 2 ** 31 }, { projectId: 1, x: 1 }]) {
      expect((await ask(body)).status).toBe(422);
    }
    await rename("draft", "BROKEN");
    const failed = await ask({ projectId: await idOf("draft") });
    expect(failed.status).toBe(422);
    expect(failed.json().error).toMatchObject({
      code: "validation_failed",
      details: { errors: ["draft.html: BROKEN is not a page"] },
    });
    expect(await listWorkspaces(app.repository)).toEqual([]);
    await rename("draft", "Mended");
    await make("draft");
  });

  it("shows a project that is not stored, as it would be created, and stores nothing", async () => {
    const ask = (project: object) => app.ask("/devconsole/preview", { body: { project } });
    const count = async () =>
      (await app.db.withTables<{ project: object }>().selectFrom("project").selectAll().execute())
        .length;
    const before = await count();
    const shown = await ask({ name: "Draft", lede: "Not yet.", brief: "private" });
    expect(shown.status).toBe(201);
    const { previewUrl, path } = shown.json().data as { previewUrl: string; path: string };
    // The address that creating it would give: "draft" is taken.
    expect(path).toBe("/projects/draft-2/");
    expect((await app.ask(`${previewUrl}draft-2.html`)).text).toContain("<h1>Draft</h1>");
    expect((await ask({ name: "Draft", lede: "Not yet." })).json().data).toEqual({
      previewUrl,
      path,
    });
    expect(app.builder.builds).toBe(1);
    expect(await count()).toBe(before);
    const src = "/media/2026/000000000000-none.webp";
    for (const [project, field] of [
      [{ name: "" }, "project.name"],
      [{ name: "x", gallery: [{ src, caption: "" }] }, "gallery.0.src"],
      [{ name: "x", gallery: [{ src: "https://evil.example/x.png" }] }, "project.gallery.0.src"],
      [{ name: "x", slug: "Bad Slug" }, "project.slug"],
    ] as const) {
      const refused = await ask(project);
      expect([
        refused.status,
        Object.keys((refused.json().error as { fields?: object } | null)?.fields ?? {}),
      ]).toEqual([422, [field]]);
    }
    expect((await ask({ name: "x", slug: "draft" })).status).toBe(409);
    // As long as a save may be; any other body of the runner's may not.
    const long = { name: "x", body: "字".repeat(300_000) };
    expect((await ask(long)).status).toBe(422);
    expect((await app.ask("/devconsole/rebuild", { body: long })).status).toBe(413);
    const both = { projectId: 1, project: { name: "x" } };
    expect((await app.ask("/devconsole/preview", { body: both })).status).toBe(422);
  });

  it("keeps its artifact while it may be looked at: ten of them, for twelve hours", async () => {
    const first = await make("draft");
    const sha = app.recordPreviews.artifacts()[0] ?? "";
    for (let n = 0; n < 12; n += 1) {
      const agent = scriptedAgent((context) => writePage(context, "about.html", `run ${n}`));
      await app.runs.discard(await app.edit(agent));
    }
    expect((await app.ask(`${first.previewUrl}draft.html`)).status).toBe(200);
    for (let n = 0; n < 10; n += 1) {
      await rename("draft", `Name ${n}`);
      await make("draft");
    }
    const over = await app.ask(`${first.previewUrl}draft.html`);
    expect(over.status).toBe(404);
    expect(over.json().error).toMatchObject({ message: expect.stringContaining("has expired") });
    expect(app.recordPreviews.artifacts()).toHaveLength(10);
    const last = await make("draft");
    app.admin.clock.advance(lifetime);
    expect(app.recordPreviews.artifacts()).toEqual([]);
    expect(
      await app.recordPreviews.artifactOf(last.previewUrl.split("/")[2] ?? ""),
    ).toBeUndefined();
    await app.edit(scriptedAgent(async () => ({ summary: "Nothing." })));
    expect(await exists(join(app.paths.artifacts, sha))).toBe(false);
  });

  it("takes away what a dead process was building in and showed, and nothing of a living one", async () => {
    const shas = ["LIVING", "DEAD"].map((holder) => sha256Hex(holder));
    const until = app.admin.clock.now() + lifetime;
    for (const [index, holder] of ["LIVING", "DEAD"].entries()) {
      await createWorkspace(app.repository, `preview-${holder}-01HZZZZZZZZZZZZZZZZZZZZZZZ`);
      await writeReferences(app.paths.artifacts, holder, [{ sha: shas[index] ?? "", until }]);
    }
    await createWorkspace(app.repository, "preview-01HZZZZZZZZZZZZZZZZZZZZZZZ");
    await createWorkspace(app.repository, "another");
    await make("draft");
    const [own = ""] = app.recordPreviews.artifacts();
    const shown = async () => [
      ...(await readReferencedArtifacts(app.paths.artifacts, app.admin.clock.now())),
    ];
    expect((await shown()).toSorted()).toEqual([own, ...shas].toSorted());
    await app.recordPreviews.recover();
    expect(await listWorkspaces(app.repository)).toEqual([
      "another",
      "preview-LIVING-01HZZZZZZZZZZZZZZZZZZZZZZZ",
    ]);
    expect((await shown()).toSorted()).toEqual([own, shas[0]].toSorted());
    await app.recordPreviews.close();
    expect(await shown()).toEqual([shas[0]]);
    app.admin.clock.advance(lifetime);
    expect(await shown()).toEqual([]);
  });
});
