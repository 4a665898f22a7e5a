import { AppError } from "../../kit/errors.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type Identity, mainRef, nulList, type Repository } from "./git.ts";

export interface CommitOptions {
  tree: string;
  parent: string | null;
  /** Subject, empty line, body, and trailers. */
  message: string;
  author: Identity;
  /** ms. */
  at: number;
}

/** Writes a commit that isn't on any branch yet. The same input produces the same commit. */
export async function writeCommit(repository: Repository, options: CommitOptions): Promise<string> {
  const { tree, parent, message, author, at } = options;
  const parents = parent === null ? [] : ["-p", parent];
  const result = await repository.git(["commit-tree", tree, ...parents, "-F", "-"], {
    input: message,
    author: { ...author, at },
  });
  return result.stdout.trim();
}

/** A text that stays on one line of a commit message. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\s\u0000-\u001f\u007f]+/g, " ").trim();
}

/** A commit message: the subject (at most 200 characters), then all trailers with a value. */
export function commitMessage(subject: string, trailers: Record<string, string>): string {
  const lines = Object.entries(trailers)
    .filter(([, value]) => oneLine(value) !== "")
    .map(([key, value]) => `${key}: ${oneLine(value)}`);
  const head = oneLine(subject).slice(0, 200).trim() || "Change the site";
  return lines.length === 0 ? `${head}\n` : `${head}\n\n${lines.join("\n")}\n`;
}

/** The identity in an actor's commits; nobody can own the address (RFC 2606). */
export function actorIdentity(actor: string): Identity {
  const name = oneLine(actor).replace(/[<>]/g, "") || "Vitrine";
  const local = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return { name, email: `${local || "actor"}@vitrine.invalid` };
}

/**
 * A move of `main`. Of one that nodes share, `guard` is asked in its transaction, and `before` is called
 * once all nodes have it, before it happens here.
 */
export interface MainMove {
  from: string;
  to: string;
  reason: string;
  guard?: (transaction: Db) => Promise<boolean>;
  before?: () => Promise<void>;
}

/**
 * Moves `main` from one commit to another, atomically and durably. False if `main` isn't at `from`
 * any more.
 */
export async function moveMain(repository: Repository, move: MainMove): Promise<boolean> {
  const { remote } = repository;
  if (remote !== null && !(await remote.push(repository, move))) {
    await remote.sync(repository);
    return false;
  }
  if (remote !== null) await move.before?.();
  const args = ["update-ref", "-m", move.reason, mainRef, move.to, move.from];
  try {
    await repository.git(args);
    return true;
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : undefined;
    if (!(cause instanceof Error) || !/but expected/.test(cause.message)) throw error;
    // Another process of this node may have followed the shared `main` already.
    return remote !== null && (await isOnMain(repository, move.to));
  }
}

/** Whether `main` contains this commit. */
export async function isOnMain(repository: Repository, commit: string): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", "--end-of-options", commit, mainRef];
  const result = await repository.git(args, { exitCodes: [0, 1, 128] });
  return result.exitCode === 0;
}

async function withParents(repository: Repository, revision: string): Promise<string[]> {
  const args = ["rev-list", "--parents", "--max-count=1", "--end-of-options", revision];
  return (await repository.git(args)).stdout.trim().split(" ");
}

/** The only parent of a commit; null for the first commit. Throws `conflict` for a merge. */
export async function parentOf(repository: Repository, commit: string): Promise<string | null> {
  const [, ...parents] = await withParents(repository, commit);
  if (parents.length > 1) throw new AppError("conflict", "That commit is a merge.");
  return parents[0] ?? null;
}

/** The head of `main` and its first parent. */
export async function headWithParent(
  repository: Repository,
): Promise<{ head: string; parent: string | null }> {
  const [head = "", parent = null] = await withParents(repository, mainRef);
  return { head, parent };
}

/** A path that differs between two trees. An ID of zeros means that there is no file. */
export interface TreeChange {
  path: string;
  oldMode: string;
  newMode: string;
  oldId: string;
  newId: string;
}

/** The differences between two commits or trees, file by file, without detecting renames. */
export async function treeChanges(
  repository: Repository,
  from: string,
  to: string,
): Promise<TreeChange[]> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--full-index", "--no-abbrev", from, to];
  const items = nulList((await repository.git(args)).stdout);
  const changes: TreeChange[] = [];
  for (let i = 0; i + 1 < items.length; i += 2) {
    const [oldMode = "", newMode = "", oldId = "", newId = ""] = (items[i] ?? "")
      .slice(1)
      .split(" ");
    changes.push({ path: items[i + 1] ?? "", oldMode, newMode, oldId, newId });
  }
  return changes;
}

/** Whether an ID means "no file". */
export function isNone(id: string): boolean {
  return /^0+$/.test(id);
}

/** The tree of a commit. */
export async function findTree(repository: Repository, commit: string): Promise<string> {
  const args = ["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`];
  return (await repository.git(args)).stdout.trim();
}
