import { chmod, mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  handGit,
  openInstance,
  sampleContent,
  type TestInstance,
  writeFiles,
} from "../../../../../test/support/publish/publish-instance.ts";
import { copyInstance } from "../../../../../test/support/publish/sample.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { exists } from "../../platform/files.ts";
import { treeChanges } from "./commit.ts";
import { contentState } from "./content-tree.ts";
import { mainHead } from "./git.ts";
import { ensureGuards } from "./init.ts";
import {
  createWorkspace,
  listWorkspaces,
  openWorkspace,
  listForbiddenPaths,
  pruneWorkspaces,
  removeWorkspace,
  treeId,
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

describe("a workspace", () => {
  test("contains the head of main without stored media, and doesn't change content/", async () => {
    const { repository } = instance;
    const workspace = await createWorkspace(repository, "RUN1");
    expect(await readFile(join(workspace.dir, "app/src/pages/index.astro"), "utf8")).toBe(
      sampleContent["app/src/pages/index.astro"],
    );
    expect(await exists(join(workspace.dir, "app/public/media"))).toBe(false);
    expect(workspace.baseCommit).toBe((await instance.git("rev-parse", "main")).trim());
    expect(await openWorkspace(repository, "RUN1")).toEqual(workspace);
    expect(await instance.git("status", "--porcelain")).toBe("");
  });

  test("leaves out stored media and doesn't report it as removed", async () => {
    expect(await instance.git("ls-files", "app/public/media")).toContain("2026/a.jpg");
    const workspace = await instance.workspace("RUN1", { "brand/voice.md": "Loud.\n" });
    expect(await exists(join(workspace.dir, "app/public/media"))).toBe(false);
    const { files } = await workspaceDiff(instance.repository, workspace);
    expect(files.map((file) => file.path)).toEqual(["brand/voice.md"]);
  });

  test("can't be created twice, and removing it is idempotent", async () => {
    const { repository } = instance;
    await createWorkspace(repository, "RUN1");
    await expect(createWorkspace(repository, "RUN1")).rejects.toMatchObject({
      code: "already_exists",
    });
    await removeWorkspace(repository, "RUN1");
    await removeWorkspace(repository, "RUN1");
    expect(await listWorkspaces(repository)).toEqual([]);
    await expect(openWorkspace(repository, "RUN1")).rejects.toMatchObject({ code: "not_found" });
    expect(await instance.git("worktree", "list")).not.toContain("RUN1");
  });

  test("a partly created one isn't a workspace, is pruned, and its run can start again", async () => {
    const { repository } = instance;
    const { dir } = await createWorkspace(repository, "RUN1");
    await rm(join(repository.gitDir, "worktrees/RUN1/vitrine-made"));
    await createWorkspace(repository, "RUN2");
    await rm(join(repository.workspacesDir, "RUN2"), { recursive: true });
    await mkdir(join(repository.workspacesDir, "RUN3"));
    await handGit(instance.paths.content, ["worktree", "add", "-q", "../by-hand", "HEAD"]);
    await expect(openWorkspace(repository, "RUN1")).rejects.toMatchObject({ code: "not_found" });
    await pruneWorkspaces(repository);
    expect(await listWorkspaces(repository)).toEqual([]);
    expect(await exists(dir)).toBe(false);
    expect(await instance.git("worktree", "list")).toContain("by-hand");
    expect((await createWorkspace(repository, "RUN1")).dir).toBe(dir);
  });

  test("abuse 107: one whose files a power failure has emptied isn't a workspace and is pruned", async () => {
    const { repository } = instance;
    await createWorkspace(repository, "RUN1");
    await writeFile(join(repository.gitDir, "worktrees/RUN1/commondir"), "");
    await writeFile(join(repository.gitDir, "worktrees/RUN1/gitdir"), "");
    await expect(openWorkspace(repository, "RUN1")).rejects.toMatchObject({ code: "not_found" });
    await pruneWorkspaces(repository);
    expect(await listWorkspaces(repository)).toEqual([]);
    await expect(createWorkspace(repository, "RUN1")).resolves.toMatchObject({ runId: "RUN1" });
  });

  test("can start from another one, which stays unchanged, and outlives it", async () => {
    const { repository } = instance;
    const first = await instance.workspace("RUN1", { "app/src/new.ts": "1\n" });
    await rm(join(first.dir, "app/src/pages/index.astro"));
    const checkpoint = { baseCommit: first.baseCommit, tree: await treeId(repository, first) };
    await instance.git("commit", "--allow-empty", "-q", "-m", "Meanwhile");
    const second = await createWorkspace(repository, "RUN2", checkpoint);
    expect(second.baseCommit).toBe(first.baseCommit);
    expect(await openWorkspace(repository, "RUN2")).toEqual(second);
    await removeWorkspace(repository, "RUN1");
    expect(await treeId(repository, second)).toBe(checkpoint.tree);
    const { files } = await workspaceDiff(repository, second);
    expect(files.map(({ path, status }) => [path, status])).toEqual([
      ["app/src/new.ts", "added"],
      ["app/src/pages/index.astro", "deleted"],
    ]);
    expect(await exists(join(second.dir, "app/public/media"))).toBe(false);
  });

  test("a name that leads out of the workspaces folder is refused", async () => {
    for (const name of ["../x", "", ".", "a/b", "-x"]) {
      await expect(createWorkspace(instance.repository, name)).rejects.toMatchObject({
        code: "not_found",
      });
    }
  });

  test("its tree ID changes with any file and only with files", async () => {
    const { repository } = instance;
    const workspace = await createWorkspace(repository, "RUN1");
    const first = await treeId(repository, workspace);
    expect(await treeId(repository, workspace)).toBe(first);
    await writeFiles(workspace.dir, { "app/src/new.ts": "1\n" });
    const second = await treeId(repository, workspace);
    expect(second).not.toBe(first);
    await rm(join(workspace.dir, "app/src/new.ts"));
    expect(await treeId(repository, workspace)).toBe(first);
  });

  test("concurrent callers don't fail because of git's lock", async () => {
    const { repository } = instance;
    const workspace = await createWorkspace(repository, "RUN1");
    const ids = await Promise.all(Array.from({ length: 6 }, () => treeId(repository, workspace)));
    expect(new Set(ids).size).toBe(1);
  });
});

describe("the difference", () => {
  test("lists new, changed, removed, renamed, and binary files, with counts and patches", async () => {
    const { repository } = instance;
    const workspace = await instance.workspace("RUN1", {
      "app/src/pages/index.astro": "<h1>Home 0</h1>\n<p>New</p>\n",
      "app/src/added with space ä.ts": "one\ntwo\n",
    });
    await rm(join(workspace.dir, "app/public/robots.txt"));
    await rename(join(workspace.dir, "brand/voice.md"), join(workspace.dir, "brand/tone.md"));
    await writeFile(join(workspace.dir, "brand/logo.bin"), new Uint8Array([0, 1, 2, 0]));
    const { files } = await workspaceDiff(repository, workspace);
    const brief = files.map(({ path, status, added, removed, binary }) => [
      path,
      status,
      added,
      removed,
      binary,
    ]);
    expect(brief).toEqual([
      ["app/public/robots.txt", "deleted", 0, 1, false],
      ["app/src/added with space ä.ts", "added", 2, 0, false],
      ["app/src/pages/index.astro", "modified", 1, 0, false],
      ["brand/logo.bin", "added", 0, 0, true],
      ["brand/tone.md", "renamed", 0, 0, false],
    ]);
    expect(files[2]?.patch).toBe("@@ -1 +1,2 @@\n <h1>Home 0</h1>\n+<p>New</p>\n");
    expect(files[3]?.patch).toBe("");
    expect(files[4]?.oldPath).toBe("brand/voice.md");
  });

  test("a patch is cut at a line, and lines that look like headers stay content", async () => {
    const { repository } = instance;
    const workspace = await instance.workspace("RUN1", {
      "app/src/a.md": "diff --git a/x b/x\n@@ -1 +1 @@\n",
      "app/src/big.md": "a line of text\n".repeat(20_000),
    });
    const [first, second] = (await workspaceDiff(repository, workspace)).files;
    expect(first?.patch).toBe("@@ -0,0 +1,2 @@\n+diff --git a/x b/x\n+@@ -1 +1 @@\n");
    expect(second).toMatchObject({ added: 20_000, truncated: true });
    expect(second?.patch.length).toBeLessThanOrEqual(64 * 1024);
    expect(second?.patch.endsWith("+a line of text\n")).toBe(true);
  });

  test("an ignore file hides nothing", async () => {
    const { repository } = instance;
    const workspace = await instance.workspace("RUN1", {
      "app/.gitignore": "*\n",
      "app/src/hidden.ts": "x\n",
    });
    const { files } = await workspaceDiff(repository, workspace);
    expect(files.map((file) => file.path)).toEqual(["app/.gitignore", "app/src/hidden.ts"]);
    const tree = await treeId(repository, workspace);
    const changes = await treeChanges(repository, workspace.baseCommit, tree);
    expect(listForbiddenPaths(changes)).toEqual(["app/.gitignore"]);
  });
});

test("abuse 107: a HEAD that a power failure has emptied is restored", async () => {
  const { repository } = instance;
  const main = (await instance.git("rev-parse", "main")).trim();
  await writeFile(join(repository.gitDir, "HEAD"), "");
  await expect(mainHead(repository)).rejects.toMatchObject({ code: "not_found" });
  await ensureGuards(repository);
  expect(await mainHead(repository)).toBe(main);
  expect(await instance.git("symbolic-ref", "HEAD")).toBe("refs/heads/main\n");
});

test("abuse 78: hooks, fsmonitor, filters, drivers and attributes never run and convert nothing", async () => {
  const { repository, paths } = instance;
  const witness = join(folder.path, "ran");
  const program = join(folder.path, "program.sh");
  await writeFile(program, `#!/bin/sh\necho "$0 $@" >> ${witness}\ncat\n`);
  await chmod(program, 0o755);
  const hooks = join(paths.content, ".git/hooks");
  await mkdir(hooks, { recursive: true });
  for (const hook of [
    "post-checkout",
    "pre-commit",
    "post-commit",
    "post-index-change",
    "reference-transaction",
    "fsmonitor-watchman",
  ]) {
    await writeFile(join(hooks, hook), `#!/bin/sh\necho ${hook} >> ${witness}\n`);
    await chmod(join(hooks, hook), 0o755);
  }
  for (const [key, value] of [
    ["core.hooksPath", hooks],
    ["core.fsmonitor", program],
    ["core.attributesFile", join(paths.content, "app/.gitattributes")],
    ["core.autocrlf", "true"],
    ["filter.evil.clean", program],
    ["filter.evil.smudge", program],
    ["filter.evil.process", program],
    ["filter.evil.required", "true"],
    ["diff.evil.textconv", program],
    ["diff.evil.command", program],
    ["diff.external", program],
    ["merge.evil.driver", program],
    ["gpg.program", program],
    ["commit.gpgSign", "true"],
  ] as const) {
    await instance.git("config", key, value);
  }
  const workspace = await instance.workspace("RUN1", {
    "app/src/.gitattributes":
      "* filter=evil diff=evil merge=evil text eol=crlf ident working-tree-encoding=UTF-16\n",
    "app/src/pages/index.astro": "<h1>$Id$</h1>\n",
  });
  const { files } = await workspaceDiff(repository, workspace);
  expect(files.map((file) => file.path)).toContain("app/src/pages/index.astro");
  await instance.publisher.publish(await instance.request(workspace));
  const again = await createWorkspace(repository, "RUN2");
  const home = "app/src/pages/index.astro";
  expect(await readFile(join(again.dir, home), "utf8")).toBe("<h1>$Id$</h1>\n");
  expect(await readFile(join(paths.content, home), "utf8")).toBe("<h1>$Id$</h1>\n");
  expect(await exists(witness)).toBe(false);
});

test("abuse 79: names that look like options or pathspecs are literal, others are refused by name", async () => {
  const { repository } = instance;
  const names = [
    "app/src/--output=x",
    "app/src/:(exclude)y",
    "app/src/*",
    "brand/-rf",
    "brand/a:b",
  ];
  const workspace = await instance.workspace(
    "RUN1",
    Object.fromEntries(names.map((name) => [name, "text\n"])),
  );
  const { files } = await workspaceDiff(repository, workspace);
  expect(files.map((file) => file.path).toSorted()).toEqual(names.toSorted());
  await instance.publisher.publish(await instance.request(workspace));
  const committed = (await instance.git("ls-tree", "-r", "-z", "--name-only", "main")).split("\0");
  expect(committed).toEqual(expect.arrayContaining(names));
  expect(await instance.git("status", "--porcelain")).toBe("");

  const other = await instance.workspace("RUN2", { "app/src/two\nlines": "x" });
  await expect(treeId(repository, other)).rejects.toMatchObject({
    code: "validation_failed",
    fields: { "app/src/two\nlines": "its name has control characters" },
  });
});

test("abuse 80: nested repositories, links and special files are refused by name, nothing wedges", async () => {
  const { repository } = instance;
  const workspace = await instance.workspace("RUN1", {
    "app/src/.git": "gitdir: /etc\n",
    "app/src/inner/.git/HEAD": "ref: refs/heads/main\n",
    "app/src/inner/file.ts": "x\n",
    "brand/.GIT/config": "x\n",
    ".gitmodules": "x\n",
  });
  await symlink("/etc/passwd", join(workspace.dir, "app/src/link"));
  const refused = treeId(repository, workspace);
  await expect(refused).rejects.toMatchObject({
    code: "validation_failed",
    fields: {
      "app/src/.git": "git reserves its name",
      "app/src/inner/.git": "git reserves its name",
      "brand/.GIT": "git reserves its name",
      ".gitmodules": "git reserves its name",
      "app/src/link": "it is a link",
    },
  });
  await expect(instance.publisher.publish(await instance.request(workspace))).rejects.toMatchObject(
    { code: "validation_failed" },
  );
  expect(await instance.git("rev-list", "--count", "main")).toBe("1\n");
  await removeWorkspace(repository, "RUN1");
});

test("abuse 80: a `.git` file rewritten in the workspace redirects nothing", async () => {
  const { repository } = instance;
  const workspace = await instance.workspace("RUN1", { "brand/voice.md": "Loud.\n" });
  await writeFile(join(workspace.dir, ".git"), "gitdir: /nonexistent\n");
  const { files } = await workspaceDiff(repository, workspace);
  expect(files.map((file) => file.path)).toEqual(["brand/voice.md"]);
});

test("a link that the owner has committed arrives as a file", async () => {
  await symlink("../../../outside", join(instance.paths.content, "app/src/out"));
  await instance.git("add", "app/src/out");
  await instance.git("commit", "-qm", "Link");
  const workspace = await instance.workspace("RUN1", { "brand/voice.md": "Loud.\n" });
  expect((await stat(join(workspace.dir, "app/src/out"))).isFile()).toBe(true);
  const { files } = await workspaceDiff(instance.repository, workspace);
  expect(files.map((file) => file.path)).toEqual(["brand/voice.md"]);
  expect((await contentState(instance.repository)).dirty).toEqual([]);
});

test("manual edits in content/ are listed: changed, new, removed, staged, and unusually named files", async () => {
  const { paths, repository } = instance;
  await writeFiles(paths.content, {
    "brand/voice.md": "Mine.\n",
    "app/src/new\nline.ts": "x",
    "scripts/staged.sh": "x\n",
    "app/public/media/2026/new.jpg": "media is not versioned",
    "README.md": "not a content path\n",
  });
  await rm(join(paths.content, "app/public/robots.txt"));
  await instance.git("add", "scripts/staged.sh");
  expect((await contentState(repository)).dirty.toSorted()).toEqual([
    "app/public/robots.txt",
    "app/src/new\nline.ts",
    "brand/voice.md",
    "scripts/staged.sh",
  ]);
});
