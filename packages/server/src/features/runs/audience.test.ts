import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunsApp, startRunsApp } from "../../../../../test/support/runs-app.ts";
import { scriptedAgent, writePage } from "../../../../../test/support/runs-site.ts";
import { exists } from "../../platform/files.ts";
import { deleteBuild, saveBuild } from "../members/build-store.ts";
import { projectSchema } from "../projects/project.ts";
import { findProject, insertProject, updateProject } from "../projects/store.ts";
import { readManifest } from "../release/artifact/artifact.ts";
import { exportSite } from "../release/export.ts";
import { cleanUp } from "./cleanup.ts";
import { findRun } from "./store.ts";

const at = "2026-01-01T00:00:00.000Z";
const src = "/media/2026/secret.webp";
const site = { baseUrl: "http://localhost", owner: { name: "Owner", timeZone: "UTC" } };

let app: RunsApp;
let projectId: number;
/** Done once a publish holds the lock and has looked at its files. */
let meanwhile: (() => Promise<void>) | undefined;

beforeEach(async () => {
  meanwhile = undefined;
  const onStep = async (name: string) => {
    if (name !== "checked") return;
    const work = meanwhile;
    meanwhile = undefined;
    await work?.();
  };
  app = await startRunsApp({ publishing: { onStep } });
  const media = join(app.paths.content, "app/public/media/2026");
  await mkdir(media, { recursive: true });
  await writeFile(join(media, "secret.webp"), "secret");
  const fields = { slug: "plan", name: "Plan", status: "published", position: 0 };
  const project = projectSchema.parse({ ...fields, body: `![plan](${src})` });
  projectId = (await insertProject(app.db, project, { createdAt: at, updatedAt: at })) ?? 0;
});
afterEach(() => app.cleanup());

async function restrict(): Promise<void> {
  const project = await findProject(app.db, { id: projectId });
  if (project) await updateProject(app.db, { ...project, audience: "invited" }, at);
}

const edit = () =>
  app.edit(
    scriptedAgent(async (context) => {
      await writePage(context, "about.html", "<h1>About us</h1>");
    }),
  );

const isReleased = async () => {
  const { files } = await readManifest(`${app.paths.releases}/1.json`);
  return src in files;
};

async function shownBefore(runId: string): Promise<boolean> {
  const sha = (await findRun(app.db, runId))?.artifact_sha ?? "";
  return src in (await readManifest(join(app.paths.artifacts, `${sha}.json`))).files;
}

test("what stops being for everybody after the preview was built does not go live with it", async () => {
  const runId = await edit();
  expect(await shownBefore(runId)).toBe(true);
  await restrict();
  await app.runs.publish(runId);
  expect([(await findRun(app.db, runId))?.status, await isReleased()]).toEqual([
    "published",
    false,
  ]);
});

test("nor while the publish waits for its turn: it begins anew without", async () => {
  const runId = await edit();
  meanwhile = restrict;
  await app.runs.publish(runId);
  expect(app.builder.builds).toBe(2);
  expect([(await findRun(app.db, runId))?.status, await isReleased()]).toEqual([
    "published",
    false,
  ]);
});

test("what members are served from stays where it is, whoever tidies up", async () => {
  const { db, paths, repository } = app;
  const built = { tags: false, snapshot: (await exportSite(db, site)).snapshot };
  const source = { sourceDir: paths.content, mediaDir: join(paths.content, "app/public/media") };
  const { sha } = await app.builder.build({ ...source, ...built });
  const row = { name: "members", inputHash: "x", projects: [], publicIds: [], builtAt: at };
  await saveBuild(db, { ...row, artifact: sha });
  const clock = app.admin.clock;
  const tidy = () =>
    cleanUp({ db, clock, repository, artifactsDir: paths.artifacts, keepArtifacts: 0 });
  const isThere = () => exists(join(paths.artifacts, `${sha}.json`));
  await tidy();
  expect(await isThere()).toBe(true);
  await deleteBuild(db, "members");
  await tidy();
  expect(await isThere()).toBe(false);
});
