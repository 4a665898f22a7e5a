import { readdir, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../kit/errors.ts";
import { removeTree } from "../../platform/files.ts";
import type { Log } from "../../platform/log.ts";
import { type GitProcess, gitProcesses } from "./processes.ts";

interface Scope {
  gitDir: string;
  contentDir: string;
  log: Log;
}

/** How long a living git process may hold a lock that we need. */
const lockTimeoutMs = 3000;

/**
 * If processes aren't visible, a lock of this age counts as abandoned: none of our calls takes that
 * long.
 */
const abandonedAgeMs = 10 * 60_000;

/**
 * The lock file that made a git call fail, from its message; null if it failed for another reason.
 */
export function lockFileIn(stderr: string, gitDir: string): string | null {
  const path = /Unable to create '(.+\.lock)': File exists/.exec(stderr)?.[1];
  if (path === undefined) return null;
  const file = resolve(gitDir, path);
  return file.startsWith(gitDir + sep) ? file : null;
}

function ownerOf(process: GitProcess, gitDir: string): number | null {
  const end = process.command.indexOf(`@${gitDir} `);
  if (end < 0) return null;
  const pid = /vitrine\.owner=(\d+)$/.exec(process.command.slice(0, end))?.[1];
  return pid === undefined ? null : Number(pid);
}

/** Whether a git process was started by a program like this one that is gone. */
function isOrphan(process: GitProcess, gitDir: string): boolean {
  const owner = ownerOf(process, gitDir);
  return owner !== null && process.parent !== owner;
}

function worksHere(process: GitProcess, { gitDir, contentDir }: Scope): boolean {
  if (ownerOf(process, gitDir) !== null) return true;
  // A folder that isn't visible may be this one.
  if (process.folder === null) return true;
  return process.folder === contentDir || process.folder.startsWith(contentDir + sep);
}

/** Distinguishes a lock file from a later one with the same name; null if it is gone. */
async function identity(file: string): Promise<string | null> {
  try {
    const { ino, mtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${mtimeNs}`;
  } catch {
    return null;
  }
}

async function hasOwner(scope: Scope, file: string): Promise<boolean> {
  const here = (await gitProcesses()).filter((process) => worksHere(process, scope));
  if (here.length === 0) return false;
  if (here.some((process) => process.folder !== null)) return true;
  const { mtimeMs } = await stat(file);
  return Date.now() - mtimeMs < abandonedAgeMs;
}

/** Whether the lock file is gone, or was left by a dead git process and has been removed. */
async function removeAbandoned(scope: Scope, file: string): Promise<boolean> {
  const before = await identity(file);
  if (before === null) return true;
  await killOrphanProcesses(scope);
  if (await hasOwner(scope, file).catch(() => true)) return false;
  if ((await identity(file)) === before) {
    await removeTree(file);
    scope.log.warn({ file }, "removed a lock left by a dead git process");
  }
  return true;
}

/**
 * Called if a git call finds a lock file: waits for a living owner, or removes the file of a dead
 * one. Git doesn't record the owner, but an owner is a git process working in this repository.
 * Throws `locked` if a living one holds it for 3 s.
 */
export async function clearLock(scope: Scope, file: string): Promise<void> {
  const deadline = performance.now() + lockTimeoutMs;
  while (!(await removeAbandoned(scope, file))) {
    if (performance.now() > deadline) {
      throw new AppError("locked", "Another git process is changing the content.", {
        details: { file },
      });
    }
    await delay(20);
  }
}

function kill(pid: number, log: Log): void {
  try {
    process.kill(pid, "SIGKILL");
    log.warn({ pid }, "ended a git process whose parent is dead");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function killOrphanProcesses({ gitDir, log }: Scope): Promise<void> {
  for (;;) {
    const orphans = (await gitProcesses()).filter((each) => isOrphan(each, gitDir));
    if (orphans.length === 0) return;
    for (const { pid } of orphans) kill(pid, log);
    await delay(2);
  }
}

async function lockFiles(gitDir: string): Promise<string[]> {
  const below = async (dir: string, recursive: boolean) => {
    const names = await readdir(dir, { recursive }).catch(() => []);
    return names.filter((name) => name.endsWith(".lock")).map((name) => join(dir, name));
  };
  const found = await Promise.all([
    below(gitDir, false),
    below(join(gitDir, "refs"), true),
    below(join(gitDir, "worktrees"), true),
  ]);
  return found.flat().filter((file) => file !== join(gitDir, "vitrine.lock"));
}

/** Whether a lock file has no owner, even if a git process that just ends looks like one for a moment. */
async function isAbandoned(scope: Scope, file: string): Promise<boolean> {
  const deadline = performance.now() + lockTimeoutMs;
  while ((await identity(file)) !== null) {
    if (!(await hasOwner(scope, file).catch(() => true))) return true;
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return false;
}

/** Lock files that dead git processes left; `clearLock` removes them. */
export async function listAbandonedLocks(scope: Scope): Promise<string[]> {
  const found: string[] = [];
  for (const file of await lockFiles(scope.gitDir)) {
    if (await isAbandoned(scope, file)) found.push(file);
  }
  return found;
}

/**
 * Ends git processes whose parent is dead, then removes the locks that dead ones left: otherwise, a
 * process that outlived a killed program could still move `main` after recovery has evaluated it.
 */
export async function cleanUpOrphans(scope: Scope): Promise<void> {
  await killOrphanProcesses(scope);
  for (const file of await lockFiles(scope.gitDir)) {
    if (!(await removeAbandoned(scope, file))) scope.log.warn({ file }, "a git lock is held");
  }
}
