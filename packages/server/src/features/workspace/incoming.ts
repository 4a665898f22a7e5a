import { updateContent } from "./content-tree.ts";
import type { Repository } from "./git.ts";

/** The commit whose files content/ gets before `main` moves there. */
const incomingRef = "refs/vitrine/incoming";

/**
 * Updates content/ to a commit that `main` is about to move to, because all nodes have it already. `main`
 * moves last: after a kill, it shows that something is left to do. Which commit it was is kept, so that
 * half of its files aren't taken for manual edits when the nodes have moved on since (findIncoming).
 */
export async function updateContentFirst(
  repository: Repository,
  from: string,
  to: string,
): Promise<void> {
  await repository.git(["update-ref", incomingRef, to]);
  await updateContent(repository, from, to);
}

/** The last commit that content/ was updated to before `main`; null if there was none. */
export async function findIncoming({ git }: Repository): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", `${incomingRef}^{commit}`];
  const { exitCode, stdout } = await git(args, { exitCodes: [0, 1, 128] });
  return exitCode === 0 ? stdout.trim() : null;
}
