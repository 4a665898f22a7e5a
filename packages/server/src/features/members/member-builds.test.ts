import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeClock, fakeClock } from "../../../../../test/support/clock.ts";
import {
  installInstance,
  openInstance,
  silentLog as log,
  type TestInstance,
} from "../../../../../test/support/publish/publish-instance.ts";
import {
  type SampleBuilder,
  sampleBuilder,
} from "../../../../../test/support/publish/rebuilding.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import { mediaFolder } from "../workspace/content-paths.ts";
import { createWorkspace, listWorkspaces } from "../workspace/workspace.ts";
import { projectSchema } from "../projects/project.ts";
import { deleteProject, findProject, insertProject, updateProject } from "../projects/store.ts";
import { pruneArtifacts } from "../release/artifact/prune.ts";
import { exportSite } from "../release/export.ts";
import { requestRebuild } from "../release/rebuild-requests.ts";
import { openLock } from "../../platform/lock.ts";
import { readAccess } from "./access.ts";
import { listBuilds, membersArtifacts, membersBuildError } from "./build-store.ts";
import { makeMembersBuilds, type MembersBuilds } from "./member-builds.ts";

const site = { baseUrl: "http://localhost", owner: { name: "Ada", timeZone: "UTC" } };

let folder: TempFolder;
let instance: TestInstance;
let clock: FakeClock;
let builder: SampleBuilder;
let builds: MembersBuilds;

const open = (): MembersBuilds => {
  const { paths, repository, database } = instance;
  return makeMembersBuilds({
    db: database.db,
    clock,
    log,
    paths,
    repository,
    builder,
    mediaDir: join(paths.content, mediaFolder),
    records: (restricted) => exportSite(database.db, site, { restricted }),
  });
};

beforeEach(async () => {
  folder = await tempFolder();
  await installInstance(folder.path);
  instance = openInstance(folder.path);
  clock = fakeClock();
  builder = sampleBuilder(instance.paths);
  builds = open();
});
afterEach(async () => {
  await builds.close();
  await instance.close();
  await folder.remove();
});

async function addProject(slug: string, audience: "everyone" | "members" | "invited") {
  const { db } = instance.database;
  const fields = { slug, name: slug, summary: `about ${slug}`, status: "published", audience };
  const project = projectSchema.parse({ ...fields, position: 0 });
  const times = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
  return (await insertProject(db, project, times)) ?? 0;
}

async function change(id: number, fields: { summary?: string; audience?: "invited" | "everyone" }) {
  const { db } = instance.database;
  const present = await findProject(db, { id });
  if (present === null) throw new Error("This project doesn't exist.");
  await updateProject(db, { ...present, ...fields }, "2026-01-02T00:00:00.000Z");
}

/** What each build shows, by its name; "" where there is none. */
async function shown(): Promise<Record<string, string[]>> {
  const found = await listBuilds(instance.database.db);
  const pages = found.map(async ({ name, artifact }) => {
    const file = join(instance.paths.artifacts, artifact ?? "", "index.html");
    const home = artifact === null ? "" : await readFile(file, "utf8");
    return [name, home.match(/(?<=<p>)\w+/g) ?? []] as const;
  });
  return Object.fromEntries(await Promise.all(pages));
}

test("while everything is public, nothing is read from git or built", async () => {
  await addProject("open", "everyone");
  expect(await builds.runOnce()).toBe("none");
  expect(builder.builds).toBe(0);
});

test("members share one build, each invite-only project has its own, and only changed ones are rebuilt", async () => {
  await addProject("open", "everyone");
  const first = await addProject("first", "members");
  await addProject("second", "members");
  const nda = await addProject("nda", "invited");
  const other = await addProject("other", "invited");
  expect(await builds.runOnce()).toBe("looked");
  expect(await shown()).toEqual({
    members: ["open", "first", "second"],
    [`project-${nda}`]: ["open", "nda"],
    [`project-${other}`]: ["open", "other"],
  });
  expect(builder.builds).toBe(3);
  expect(await builds.runOnce()).toBe("unchanged");
  await change(nda, { summary: "said anew" });
  expect(await builds.runOnce()).toBe("looked");
  expect(builder.builds).toBe(4);
  await change(first, { audience: "everyone" });
  await deleteProject(instance.database.db, { id: other });
  await builds.runOnce();
  expect(await shown()).toEqual({
    members: ["open", "first", "second"],
    [`project-${nda}`]: ["open", "first", "nda"],
  });
  // Another process, or this one after its end, finds all made.
  const again = open();
  const before = builder.builds;
  expect(await again.runOnce()).toBe("looked");
  expect(builder.builds).toBe(before);
  await again.close();
});

test("a failure is reported and keeps the last build until one succeeds", async () => {
  const { db } = instance.database;
  const id = await addProject("plan", "members");
  await builds.runOnce();
  const [good] = await listBuilds(db);
  await change(id, { summary: "BROKEN" });
  await builds.runOnce();
  const [failed] = await listBuilds(db);
  expect(failed).toMatchObject({ artifact: good?.artifact, builtAt: good?.builtAt });
  expect(failed?.error).toContain("BROKEN is no tag");
  expect(await membersBuildError(db)).toBe(failed?.error);
  expect(await builds.runOnce()).toBe("unchanged");
  clock.advance(5 * 60_000);
  expect(await builds.runOnce()).toBe("looked");
  await change(id, { summary: "whole" });
  await builds.runOnce();
  expect(await membersBuildError(db)).toBe(null);
});

test("a build that never succeeded has a row with the reason and opens nothing", async () => {
  const { db } = instance.database;
  const id = await addProject("plan", "members");
  await change(id, { summary: "BROKEN" });
  await builds.runOnce();
  expect(await listBuilds(db)).toMatchObject([{ name: "members", artifact: null, projects: [] }]);
  expect((await readAccess(db, { kind: "owner" })).builds).toEqual([]);
});

test("it waits for the public site and for another process's build", async () => {
  const { db } = instance.database;
  await addProject("plan", "members");
  const lock = openLock(join(instance.paths.data, "members.lock"));
  await lock.run(async () => {
    expect(await builds.runOnce()).toBe("waiting");
  });
  lock.close();
  await requestRebuild(db, { reason: "a test", now: clock.now() });
  expect(await builds.runOnce()).toBe("waiting");
  expect(builder.builds).toBe(0);
});

test("what a killed process has left is removed, and a missing artifact is built again", async () => {
  const { db } = instance.database;
  await addProject("plan", "members");
  await createWorkspace(instance.repository, "members-left");
  await builds.runOnce();
  expect(await listWorkspaces(instance.repository)).toEqual([]);
  const [sha = ""] = await membersArtifacts(db);
  const { artifacts } = instance.paths;
  await pruneArtifacts(artifacts, { keep: 0, inUse: new Set([sha]), nowMs: clock.now() });
  expect((await stat(join(artifacts, sha))).isDirectory()).toBe(true);
  await pruneArtifacts(artifacts, { keep: 0, inUse: new Set(), nowMs: clock.now() });
  await builds.runOnce({ force: true });
  expect((await stat(join(artifacts, sha))).isDirectory()).toBe(true);
});

test("files of an invite-only project are only in its own build", async () => {
  const { db } = instance.database;
  const media = join(instance.paths.content, mediaFolder, "2026");
  await mkdir(media, { recursive: true });
  await writeFile(join(media, "secret.webp"), "secret");
  const src = "/media/2026/secret.webp";
  const nda = await addProject("nda", "invited");
  await addProject("plan", "members");
  const present = await findProject(db, { id: nda });
  if (present)
    await updateProject(db, { ...present, body: `![x](${src})` }, "2026-01-02T00:00:00Z");
  await builds.runOnce();
  const has = async ({ name, artifact }: { name: string; artifact: string | null }) => {
    const file = join(instance.paths.artifacts, artifact ?? "", src);
    return [
      name,
      await stat(file).then(
        () => true,
        () => false,
      ),
    ];
  };
  expect(await Promise.all((await listBuilds(db)).map(has))).toEqual([
    ["members", false],
    [`project-${nda}`, true],
  ]);
  const { withheld } = await exportSite(db, site);
  expect([...withheld]).toEqual([src]);
});
