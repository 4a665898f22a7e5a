import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { openLock, type ProcessLock } from "../../platform/lock.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Log } from "../../platform/log.ts";
import { run, type RunResult, systemPath } from "../../platform/process.ts";
import { clearLock, cleanUpOrphans, listAbandonedLocks, lockFileIn } from "./locks.ts";

/** A work tree with its git folder: content/ itself, or a run's workspace. */
export interface WorkTree {
  gitDir: string;
  workTree: string;
  /** Whether stored media are left out of the work tree. */
  sparse: boolean;
}

export interface Identity {
  name: string;
  email: string;
}

export interface GitOptions {
  place?: WorkTree;
  input?: string;
  /** An index file to use instead of the work tree's own. */
  indexFile?: string;
  /** The author of a commit and its time (ms). */
  author?: Identity & { at: number };
  /** Accepted exit codes; by default only 0. */
  exitCodes?: number[];
  maxBytes?: number;
  /** Time limit of the call, in ms; defaults to 60,000. */
  timeoutMs?: number;
}

/** `main` as the nodes of an instance without a common disk share it. */
export interface ContentRemote {
  /**
   * Moves the shared `main` and stores its new commits; durable once this resolves. False if it isn't at
   * `from` any more, or `guard` returns false in the same transaction.
   */
  push(
    repository: Repository,
    move: { from: string | null; to: string; guard?: (transaction: Db) => Promise<boolean> },
  ): Promise<boolean>;
  /**
   * Brings `main` and content/ of this node up to date, and commits made here by hand to the others.
   * Throws `conflict` if both sides have commits of their own.
   */
  sync(repository: Repository): Promise<void>;
  /** The commit of the shared `main`; null before the first one. */
  head(db: Db): Promise<string | null>;
  /** Stores the files of a run's workspace, so that every node can publish it. */
  putRun(
    repository: Repository,
    run: { runId: string; baseCommit: string; tree: string },
  ): Promise<void>;
  /** Has those files in this node's repository. Throws `not_found` if no node has stored them. */
  getRun(repository: Repository, runId: string): Promise<void>;
}

/** The content repository: every git call of the program goes through `git`. */
export interface Repository {
  contentDir: string;
  gitDir: string;
  workspacesDir: string;
  /** content/ as a work tree. */
  content: WorkTree;
  log: Log;
  /** What the nodes of this instance share; null if it is on one disk. */
  remote: ContentRemote | null;
  /** Held by whoever writes to the repository, never for long. */
  lock: ProcessLock;
  git(args: readonly string[], options?: GitOptions): Promise<RunResult>;
  /** Ends git processes whose parent is dead and removes locks that dead ones left. */
  tidy(): Promise<void>;
  /** Lock files that dead git processes left. */
  listAbandonedLocks(): Promise<string[]>;
  /** Removes them. Throws `locked` if a living process has taken one since. */
  clearAbandonedLocks(): Promise<void>;
  close(): void;
}

export const mainRef = "refs/heads/main";

/**
 * No configuration of the machine or a user reaches git, the repository can't start programs, no
 * call uses the network or waits for input, and everything written is synced to disk.
 */
const settings: Record<string, string> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.fsync": "all",
  "core.fsyncMethod": "fsync",
  "core.attributesFile": "/dev/null",
  "core.excludesFile": "/dev/null",
  "core.autocrlf": "false",
  "core.eol": "lf",
  "core.safecrlf": "false",
  "core.fileMode": "true",
  // A committed link is checked out as a small text file, so nothing in a workspace leads out.
  "core.symlinks": "false",
  "core.ignoreCase": "false",
  "core.precomposeUnicode": "false",
  "core.protectHFS": "true",
  "core.protectNTFS": "true",
  "core.quotePath": "false",
  "core.untrackedCache": "false",
  "core.splitIndex": "false",
  "core.sshCommand": "false",
  "core.askPass": "false",
  "credential.helper": "",
  "commit.gpgSign": "false",
  "log.showSignature": "false",
  "diff.renames": "true",
  "diff.algorithm": "histogram",
  "diff.noprefix": "false",
  "diff.mnemonicPrefix": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "protocol.allow": "never",
  "submodule.recurse": "false",
  "index.sparse": "false",
};

const fixedEnvironment: Record<string, string> = {
  PATH: systemPath,
  LC_ALL: "C",
  HOME: "/nonexistent",
  XDG_CONFIG_HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_EDITOR: "false",
  GIT_PAGER: "cat",
};

/** The mark on our git processes that tells later processes which instance they belong to. */
export function ownerMark(gitDir: string, pid: number): string {
  return `vitrine.owner=${pid}@${gitDir}`;
}

function command(workTree: WorkTree, mark: string, args: readonly string[]): string[] {
  const flags = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  if (workTree.sparse) {
    flags.push("-c", "core.sparseCheckout=true", "-c", "core.sparseCheckoutCone=false");
  }
  return ["-c", mark, ...flags, "--literal-pathspecs", ...args];
}

function authorEnvironment({ name, email, at }: Identity & { at: number }) {
  const date = `@${Math.floor(at / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
}

function environment(workTree: WorkTree, options: GitOptions): Record<string, string> {
  return {
    ...fixedEnvironment,
    GIT_DIR: workTree.gitDir,
    // Set explicitly, so that a `.git` that somebody puts into a work tree is never read.
    GIT_WORK_TREE: workTree.workTree,
    ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
    ...(options.author === undefined ? {} : authorEnvironment(options.author)),
  };
}

function failure(args: readonly string[], result: RunResult): AppError {
  const text = result.stderr.trim();
  const cause = new Error(`git ${args[0]} ended with ${result.exitCode}: ${text}`);
  if (/no space left on device|disk quota exceeded|out of diskspace/i.test(text)) {
    return new AppError("disk_full", "The disk is full.", { cause });
  }
  return new AppError("internal", "A git command failed.", { cause });
}

export interface RepositoryOptions {
  contentDir: string;
  workspacesDir: string;
  log: Log;
  /** Defaults to none. */
  remote?: ContentRemote | null;
}

/**
 * The content repository in `contentDir`, with workspaces of runs in `workspacesDir`. Creates only
 * git's own folder, for the lock in it. Requires git 2.38 or newer in the search path.
 * `git` throws AppError: `disk_full`, `locked` if a living git process holds a lock for more than 3
 * s, otherwise `internal` with git's message as the cause.
 */
export function makeRepository({
  contentDir,
  workspacesDir,
  log,
  remote = null,
}: RepositoryOptions): Repository {
  const gitDir = join(contentDir, ".git");
  const content: WorkTree = { gitDir, workTree: contentDir, sparse: false };
  const scope = { gitDir, contentDir, log };
  const mark = ownerMark(gitDir, process.pid);
  mkdirSync(gitDir, { recursive: true });
  const lock = openLock(join(gitDir, "vitrine.lock"));

  async function git(args: readonly string[], options: GitOptions = {}): Promise<RunResult> {
    const workTree = options.place ?? content;
    for (;;) {
      const result = await run("git", command(workTree, mark, args), {
        cwd: workTree.workTree,
        env: environment(workTree, options),
        ...(options.input === undefined ? {} : { input: options.input }),
        ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
        ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
      });
      if ((options.exitCodes ?? [0]).includes(result.exitCode)) return result;
      const lockFile = lockFileIn(result.stderr, gitDir);
      if (lockFile === null) throw failure(args, result);
      await clearLock(scope, lockFile);
    }
  }

  return {
    contentDir,
    gitDir,
    workspacesDir,
    content,
    log,
    remote,
    lock,
    git,
    tidy: () => cleanUpOrphans(scope),
    listAbandonedLocks: () => listAbandonedLocks(scope),
    async clearAbandonedLocks() {
      for (const file of await listAbandonedLocks(scope)) await clearLock(scope, file);
    },
    close: () => lock.close(),
  };
}

/** Splits git's NUL-terminated output. */
export function nulList(output: string): string[] {
  return output.split("\0").filter((item) => item !== "");
}

/** The commit that a revision names. Throws `not_found` if there is none. */
export async function commitOf(repository: Repository, revision: string): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const result = await repository.git(args, { exitCodes: [0, 1, 128] });
  if (result.exitCode !== 0)
    throw new AppError("not_found", `The commit ${revision} doesn't exist.`);
  return result.stdout.trim();
}

/** The commit at the head of `main`. Throws `not_found` before the first one. */
export function mainHead(repository: Repository): Promise<string> {
  return commitOf(repository, mainRef);
}
