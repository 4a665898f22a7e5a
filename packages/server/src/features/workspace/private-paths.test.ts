import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  openInstance,
  type TestInstance,
} from "../../../../../test/support/publish/publish-instance.ts";
import { copyInstance } from "../../../../../test/support/publish/sample.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { exists } from "../../platform/files.ts";
import { actorIdentity, moveMain, findTree, writeCommit } from "./commit.ts";
import { stageRecords } from "./records.ts";
import {
  createWorkspace,
  openWorkspace,
  workTreeOf,
  pruneWorkspaces,
  resetWorkspace,
  treeId,
  type Workspace,
  workspaceDiff,
} from "./workspace.ts";

let folder: TempFolder;
let instance: TestInstance;
beforeEach(async () => {
  folder = await tempFolder();
  await copyInstance(folder.path);
  instance = openInstance(folder.path);
});
afterEach(async () => {
  await instance.close();
  await folder.remove();
});

const hidden = ["database/projects.json", "scripts/note.sh"];
const shown = async ({ dir }: Workspace) => {
  const there = await Promise.all(hidden.map((path) => exists(join(dir, path))));
  return hidden.filter((_path, n) => there[n]);
};
const committed = async (tree: string) => (await instance.git("ls-tree", "-r", tree)).split("\n");
const retained = async (tree: string) =>
  (await committed(tree)).filter((line) => hidden.some((path) => line.endsWith(`\t${path}`)))
    .length;

describe("abuse 123: what is private in the repository", () => {
  test("is in no workspace, but in every commit made from one", async () => {
    const { repository } = instance;
    const workspace = await instance.workspace("RUN1", { "brand/voice.md": "Loud.\n" });
    expect(await shown(workspace)).toEqual([]);
    expect(await retained(await treeId(repository, workspace))).toBe(2);
    const { files } = await workspaceDiff(repository, workspace);
    expect(files.map(({ path }) => path)).toEqual(["brand/voice.md"]);
  });

  test("is still absent after a rebuild has committed records, or a merge others", async () => {
    const { repository } = instance;
    const rebuild = await createWorkspace(repository, "REBUILD");
    const exportRecords = async () => '["a brief"]\n';
    const { tree, changed } = await stageRecords(repository, rebuild, { exportRecords });
    expect(changed).toBe(true);
    expect(await shown(rebuild)).toEqual([]);
    expect(await instance.git("show", `${tree}:database/projects.json`)).toBe('["a brief"]\n');

    const run = await instance.workspace("RUN1", { "brand/voice.md": "Loud.\n" });
    const facts = { author: actorIdentity("Owner"), at: 0, message: "Records\n" };
    const parent = run.baseCommit;
    const commit = await writeCommit(repository, { ...facts, tree, parent });
    expect(await moveMain(repository, { from: parent, to: commit, reason: "test" })).toBe(true);
    const merged = await resetWorkspace(repository, "RUN1", { baseCommit: commit, tree });
    expect(await shown(merged)).toEqual([]);
    expect(await treeId(repository, merged)).toBe(await findTree(repository, commit));
  });

  test("is removed from workspaces of earlier versions, whose changes stay", async () => {
    const { repository } = instance;
    const workspace = await instance.workspace("RUN1", { "brand/voice.md": "Loud.\n" });
    const before = await treeId(repository, workspace);
    const workTree = workTreeOf(repository, "RUN1");
    await writeFile(join(workTree.gitDir, "info/sparse-checkout"), "/*\n!/app/public/media/\n");
    await repository.git(["read-tree", "--reset", "-u", before], { place: workTree });
    expect(await shown(workspace)).toEqual(hidden);

    await pruneWorkspaces(repository);
    const opened = await openWorkspace(repository, "RUN1");
    expect(await shown(opened)).toEqual([]);
    expect(await treeId(repository, opened)).toBe(before);
    await pruneWorkspaces(repository);
    expect(await treeId(repository, opened)).toBe(before);
  });
});
