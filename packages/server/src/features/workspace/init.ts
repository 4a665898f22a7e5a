import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fsyncFile, fsyncFolder, writeFileAtomic } from "../../platform/files.ts";
import { writeCommit } from "./commit.ts";
import { contentFolders, mediaFolder } from "./content-paths.ts";
import { type Identity, mainHead, mainRef, type Repository } from "./git.ts";
import { assertNames, listFiles } from "./tree-files.ts";

/**
 * Overrides every `.gitattributes` in the tree, so that a file written by an agent can never select
 * a filter, driver, conversion, or text diff (gitattributes(5), precedence).
 */
const attributes = "* -text -ident !filter !working-tree-encoding !merge !diff !eol !whitespace\n";

/** The program commits new media, so the owner's own git shouldn't show them as manual edits. */
const excludes = `/${mediaFolder}/\n`;

async function ensureFile(path: string, text: string): Promise<void> {
  const now = await readFile(path, "utf8").catch(() => null);
  if (now !== text) await writeFileAtomic(path, text);
}

async function ensureLine(path: string, line: string): Promise<void> {
  const now = await readFile(path, "utf8").catch(() => "");
  if (!now.split("\n").includes(line.trim())) await writeFileAtomic(path, now + line);
}

/**
 * Writes what a repository needs besides commits, if it is missing or was changed. Git doesn't sync
 * HEAD to disk and doesn't recognize a repository whose HEAD is empty.
 */
export async function ensureGuards(repository: Repository): Promise<void> {
  const head = join(repository.gitDir, "HEAD");
  if ((await readFile(head, "utf8").catch(() => null)) === "") {
    await writeFileAtomic(head, `ref: ${mainRef}\n`);
  }
  const info = join(repository.gitDir, "info");
  await mkdir(info, { recursive: true });
  await ensureFile(join(info, "attributes"), attributes);
  await ensureLine(join(info, "exclude"), excludes);
}

/** Syncs what git doesn't when it creates a repository. */
async function syncRepository({ gitDir }: Repository): Promise<void> {
  for (const name of ["HEAD", "config"]) await fsyncFile(join(gitDir, name));
  for (const name of ["refs/heads", "refs", "objects", ""]) await fsyncFolder(join(gitDir, name));
}

/** Makes content/ a repository, if it isn't one yet; without a commit. */
export async function createRepository(repository: Repository): Promise<void> {
  await repository.git(["init", "--quiet", "--initial-branch=main", "--template="]);
  await repository.git(["config", "core.bare", "false"]);
  await ensureGuards(repository);
}

export interface InitOptions {
  author: Identity;
  /** ms. */
  at: number;
  message: string;
}

/**
 * Makes content/ a repository whose first commit on `main` contains everything on the content
 * paths. Does nothing if it has a commit; another call completes an interrupted one. Returns the
 * head of `main`. Throws `validation_failed` with the files that can't be committed.
 */
export async function initRepository(
  repository: Repository,
  { author, at, message }: InitOptions,
): Promise<string> {
  return repository.lock.run(async () => {
    await createRepository(repository);
    const existing = await mainHead(repository).catch(() => null);
    if (existing !== null) {
      await syncRepository(repository);
      return existing;
    }
    const files = await listFiles(repository.contentDir, contentFolders);
    assertNames(files);
    const input = files.map((file) => `${file.path}\0`).join("");
    await repository.git(["update-index", "--add", "-z", "--stdin"], { input });
    const tree = (await repository.git(["write-tree"])).stdout.trim();
    const commit = await writeCommit(repository, { tree, parent: null, message, author, at });
    await repository.git(["update-ref", "-m", "install", mainRef, commit, ""]);
    await syncRepository(repository);
    return commit;
  });
}
