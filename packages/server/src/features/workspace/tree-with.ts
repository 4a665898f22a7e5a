import { join } from "node:path";
import { removeTree } from "../../platform/files.ts";
import { isNone, type TreeChange } from "./commit.ts";
import type { Repository } from "./git.ts";

function writeTree(
  repository: Repository,
  base: string,
  entries: readonly string[],
): Promise<string> {
  // A shared file, used under the lock: leftovers of a killed process are overwritten.
  const indexFile = join(repository.gitDir, "vitrine-tree.index");
  return repository.lock.run(async () => {
    try {
      await repository.git(["read-tree", base], { indexFile });
      const input = entries.join("");
      await repository.git(["update-index", "--add", "-z", "--index-info"], { indexFile, input });
      return (await repository.git(["write-tree"], { indexFile })).stdout.trim();
    } finally {
      await removeTree(indexFile);
    }
  });
}

/** The tree of a commit or tree with some files replaced by the new sides of `changes`. */
export function treeWith(
  repository: Repository,
  base: string,
  changes: readonly TreeChange[],
): Promise<string> {
  // Deletions first, because a file may have become a folder, or vice versa.
  const removed = changes.filter(({ newId }) => isNone(newId));
  const set = changes.filter(({ newId }) => !isNone(newId));
  return writeTree(repository, base, [
    ...removed.map(({ path, newId }) => `0 ${newId}\t${path}\0`),
    ...set.map(({ path, newMode, newId }) => `${newMode} ${newId}\t${path}\0`),
  ]);
}

/** The tree of a commit or tree with one text file replaced. */
export async function treeWithText(
  repository: Repository,
  base: string,
  { path, text }: { path: string; text: string },
): Promise<string> {
  const args = ["hash-object", "-w", "--no-filters", "--stdin"];
  const { stdout } = await repository.git(args, { input: text });
  return writeTree(repository, base, [`100644 ${stdout.trim()}\t${path}\0`]);
}
