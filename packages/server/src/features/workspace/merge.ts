import { AppError } from "../../kit/errors.ts";
import { actorIdentity, isOnMain, parentOf, treeChanges, writeCommit } from "./commit.ts";
import { isRecordPath } from "./content-paths.ts";
import { nulList, type Repository } from "./git.ts";
import { treeWith } from "./tree-with.ts";

function conflict(message: string, files: string[], cause?: unknown): AppError {
  return new AppError("conflict", message, { details: { files }, cause });
}

/** Merges two commits in memory; returns the tree, or throws `conflict` with the files. */
async function mergeTrees(repository: Repository, ours: string, theirs: string, message: string) {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  let output: string;
  let exitCode: number;
  try {
    ({ stdout: output, exitCode } = await repository.git(args, { exitCodes: [0, 1] }));
  } catch (error) {
    if (error instanceof AppError && error.code === "internal") throw conflict(message, [], error);
    throw error;
  }
  const [tree = "", ...files] = nulList(output);
  if (exitCode === 1) throw conflict(`${message} Conflicting files: ${files.join(", ")}.`, files);
  return tree;
}

/**
 * The tree of `main` with a commit's change applied, if `main` has moved since. Throws `conflict`
 * with the files.
 */
export function mergeOnto(repository: Repository, main: string, commit: string): Promise<string> {
  return mergeTrees(
    repository,
    main,
    commit,
    "The site has changed in the same places as this change.",
  );
}

/**
 * A commit's parent, but with the commit's records: they are undone in the database and exported
 * from there.
 */
async function parentWithRecordsOf(
  repository: Repository,
  commit: string,
  parent: string,
): Promise<string> {
  const changes = await treeChanges(repository, parent, commit);
  const records = changes.filter(({ path }) => isRecordPath(path));
  return records.length === 0 ? `${parent}^{tree}` : treeWith(repository, parent, records);
}

/**
 * The tree of `main` with one of its commits undone, except for the records. Throws `not_found` for
 * a commit that isn't on `main`, and `conflict` with the files if later changes overlap, or for the
 * first commit.
 */
export async function revertFrom(
  repository: Repository,
  main: string,
  commit: string,
): Promise<string> {
  if (!(await isOnMain(repository, commit))) {
    throw new AppError("not_found", "That commit isn't part of the site's history.");
  }
  const parent = await parentOf(repository, commit);
  if (parent === null) throw conflict("The first commit can't be undone.", []);
  // A commit that undoes its parent, so that the parent is its merge base with `main`.
  const backwards = await writeCommit(repository, {
    tree: await parentWithRecordsOf(repository, commit, parent),
    parent: commit,
    message: "Undo\n",
    author: actorIdentity("Vitrine"),
    at: 0,
  });
  return mergeTrees(
    repository,
    main,
    backwards,
    "Later changes overlap with this one, so it can't be undone on its own.",
  );
}
