import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import {
  type S3Server,
  startS3Server,
} from "../../../../../test/support/publish-targets/s3-server.ts";
import { openNode } from "../../../../../test/support/shared-storage.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { moveMain } from "../workspace/commit.ts";
import { mainHead, mainRef, type Repository } from "../workspace/git.ts";
import { createRepository, initRepository } from "../workspace/init.ts";
import { createWorkspace, treeId } from "../workspace/workspace.ts";
import { listPacks, setShared } from "./store.ts";

let maker: DatabaseMaker;
let server: S3Server;
let db: Db;

beforeAll(async () => {
  maker = await startDialect("postgres");
  server = await startS3Server();
});
beforeEach(async () => {
  const { database } = await maker.make();
  await migrate({ database, now: 0 });
  ({ db } = database);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await maker?.close();
});

const author = { name: "A", email: "a@example.com" };
const page = "app/src/page.md";
const textOf = ({ contentDir }: Repository) => readFile(join(contentDir, page), "utf8");

async function write({ contentDir }: Repository, text: string): Promise<void> {
  await mkdir(dirname(join(contentDir, page)), { recursive: true });
  await writeFile(join(contentDir, page), text);
}

/** A node with the first commit, which is shared. */
async function firstNode() {
  const node = await openNode({ db, server });
  await write(node.repository, "one\n");
  await initRepository(node.repository, { author, at: 0, message: "Begin" });
  await node.content.sync(node.repository);
  await setShared(db, "test");
  return node;
}

async function otherNode(options: { maxPacks?: number } = {}) {
  const node = await openNode({ db, server, ...options });
  await createRepository(node.repository);
  await node.content.sync(node.repository);
  return node;
}

/** Commits a text on `main` of a node as its owner does, by hand. */
async function commit(repository: Repository, text: string): Promise<string> {
  await write(repository, text);
  await repository.git(["add", page]);
  const now = { ...author, at: 0 };
  await repository.git(["commit", "--quiet", "-m", text], { author: now });
  return mainHead(repository);
}

/** A commit on top of `main` that nothing names yet. */
async function nextCommit(repository: Repository, text: string): Promise<string> {
  const blob = await repository.git(["hash-object", "-w", "--stdin"], { input: text });
  const base = await mainHead(repository);
  await repository.git(["read-tree", base], { indexFile: join(repository.gitDir, "test-index") });
  const entry = `100644 ${blob.stdout.trim()}\t${page}`;
  const options = { indexFile: join(repository.gitDir, "test-index") };
  await repository.git(["update-index", "--index-info"], { ...options, input: `${entry}\n` });
  const tree = (await repository.git(["write-tree"], options)).stdout.trim();
  const args = ["commit-tree", tree, "-p", base, "-m", text];
  return (await repository.git(args, { author: { ...author, at: 1 } })).stdout.trim();
}

test("a new node gets the history and its files, and follows what others add", async () => {
  const one = await firstNode();
  const two = await otherNode();
  expect(await textOf(two.repository)).toBe("one\n");
  const head = await commit(one.repository, "two\n");
  await one.content.sync(one.repository);
  await two.content.sync(two.repository);
  expect(await mainHead(two.repository)).toBe(head);
  expect(await textOf(two.repository)).toBe("two\n");
  const { stdout } = await two.repository.git(["status", "--porcelain"]);
  expect(stdout).toBe("");
});

test("a node asks git only for the newest packs, however many there are", async () => {
  const one = await firstNode();
  const two = await otherNode();
  for (const text of ["two\n", "three\n", "four\n", "five\n"]) {
    await commit(one.repository, text);
    await one.content.sync(one.repository);
    await two.content.sync(two.repository);
  }
  await commit(one.repository, "six\n");
  await one.content.sync(one.repository);
  const { repository } = two;
  const asked: string[] = [];
  const git: Repository["git"] = (args, options) => {
    if (args[0] === "cat-file") asked.push(args.join(" "));
    return repository.git(args, options);
  };
  await two.content.sync({ ...repository, git });
  expect(await textOf(repository)).toBe("six\n");
  expect(asked).toHaveLength(2);
});

test("of two nodes that move main at once, one wins, and the other then has its commit", async () => {
  const one = await firstNode();
  const two = await otherNode();
  const from = await mainHead(one.repository);
  const commits = [
    await nextCommit(one.repository, "of one\n"),
    await nextCommit(two.repository, "of two\n"),
  ];
  const moves = await Promise.all(
    [one, two].map(({ repository }, at) =>
      moveMain(repository, { from, to: commits[at] ?? "", reason: "test" }),
    ),
  );
  expect(moves.toSorted()).toEqual([false, true]);
  const winner = commits[moves.indexOf(true)];
  expect(await Promise.all([one, two].map((node) => mainHead(node.repository)))).toEqual([
    winner,
    winner,
  ]);
});

test("main doesn't move when the guard refuses, in the same transaction", async () => {
  const { repository } = await firstNode();
  const from = await mainHead(repository);
  const to = await nextCommit(repository, "x\n");
  const move = { from, to, reason: "test", guard: async () => false };
  expect(await moveMain(repository, move)).toBe(false);
  expect(await mainHead(repository)).toBe(from);
  expect(await listPacks(db, "main")).toHaveLength(1);
});

test.each(["checkout-index", "update-ref"])(
  "a node that is killed at «%s» while it follows has the others' files later, not edits of its own",
  async (command) => {
    const one = await firstNode();
    const two = await otherNode();
    await commit(one.repository, "two\n");
    await one.content.sync(one.repository);
    const { repository } = two;
    const git: Repository["git"] = (args, options) =>
      args[0] === command && (command !== "update-ref" || args.includes(mainRef))
        ? Promise.reject(new Error("killed"))
        : repository.git(args, options);
    await expect(two.content.sync({ ...repository, git })).rejects.toThrow("killed");
    // It comes back at once, or when the same file has changed again.
    if (command === "update-ref") {
      await commit(one.repository, "three\n");
      await one.content.sync(one.repository);
    }
    await two.content.sync(repository);
    expect(await mainHead(repository)).toBe(await mainHead(one.repository));
    expect(await textOf(repository)).toBe(await textOf(one.repository));
    expect((await repository.git(["status", "--porcelain"])).stdout).toBe("");
  },
);

test("commits of two nodes on the same base aren't mixed", async () => {
  const one = await firstNode();
  const two = await otherNode();
  await commit(one.repository, "of one\n");
  await commit(two.repository, "of two\n");
  await one.content.sync(one.repository);
  await expect(two.content.sync(two.repository)).rejects.toMatchObject({ code: "conflict" });
  expect(await textOf(two.repository)).toBe("of two\n");
});

test("many packs become one, and a node that lags behind still follows", async () => {
  const one = await firstNode();
  const two = await otherNode({ maxPacks: 3 });
  let head = "";
  for (let n = 0; n < 4; n += 1) {
    head = await nextCommit(one.repository, `text ${n}\n`);
    const from = await mainHead(one.repository);
    expect(await moveMain(one.repository, { from, to: head, reason: "test" })).toBe(true);
  }
  await two.content.sync(two.repository);
  expect(await mainHead(two.repository)).toBe(head);
  expect(await listPacks(db, "main")).toHaveLength(1);
  const three = await otherNode();
  expect(await mainHead(three.repository)).toBe(head);
  expect(await textOf(three.repository)).toBe("text 3\n");
});

test("the files of a run can be had by another node, until they are forgotten", async () => {
  const one = await firstNode();
  const two = await otherNode();
  const workspace = await createWorkspace(one.repository, "RUN1");
  await writeFile(join(workspace.dir, page), "changed by a run\n");
  const tree = await treeId(one.repository, workspace);
  const { runId, baseCommit } = workspace;
  await one.content.putRun(one.repository, { runId, baseCommit, tree });
  await two.content.getRun(two.repository, runId);
  const there = await createWorkspace(two.repository, runId, { baseCommit, tree });
  expect(await readFile(join(there.dir, page), "utf8")).toBe("changed by a run\n");
  await one.content.pruneRuns(new Set(["RUN2"]));
  await expect(two.content.getRun(two.repository, runId)).rejects.toMatchObject({
    code: "not_found",
  });
});
