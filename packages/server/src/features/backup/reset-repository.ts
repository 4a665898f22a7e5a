import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, isDiskFull } from "../../kit/errors.ts";
import { removeTree, undefinedIfMissing, writeFileAtomic } from "../../platform/files.ts";
import { createLog } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { ensureGuards } from "../workspace/init.ts";
import { mainHead, makeRepository, nulList, type Repository } from "../workspace/git.ts";
import { damagedBackupError } from "./manifest.ts";

const plainConfig = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
`;

/** How the repository stores its objects, in its configuration: nothing else of that is taken over. */
const formats = [
  { pattern: /^\s*objectformat\s*=\s*sha256\s*$/im, line: "objectFormat = sha256" },
  { pattern: /^\s*refstorage\s*=\s*reftable\s*$/im, line: "refStorage = reftable" },
];

/** The configuration of a repository without what can lead out of it or run programs. */
function safeConfig(config: string): string {
  const lines = formats.filter(({ pattern }) => pattern.test(config)).map(({ line }) => line);
  if (lines.length === 0) return plainConfig;
  const versioned = plainConfig.replace("version = 0", "version = 1");
  return `${versioned}[extensions]\n${lines.map((line) => `\t${line}\n`).join("")}`;
}

/**
 * Gives an unpacked content repository a configuration and an index of this program: those of a backup,
 * which may come from a stranger, could name files of other sites. Throws `validation_failed` if `main` can't
 * be read.
 */
export async function resetRepository({ content, workspaces }: InstancePaths): Promise<void> {
  const gitDir = join(content, ".git");
  const file = join(gitDir, "config");
  try {
    const config = (await undefinedIfMissing(readFile(file, "utf8"))) ?? "";
    await writeFileAtomic(file, safeConfig(config));
    await removeTree(join(gitDir, "index"));
    await fillIndex(content, workspaces);
  } catch (error) {
    if (isDiskFull(error) || (error instanceof AppError && error.code !== "internal")) throw error;
    throw damagedBackupError("its content repository can't be read", error);
  } finally {
    await removeTree(join(gitDir, "vitrine.lock"));
  }
}

/** Git would look for a repository in the folder of a submodule, and backups have none. */
async function dropSubmodules(repository: Repository): Promise<void> {
  const { stdout } = await repository.git(["ls-files", "--stage", "-z"]);
  const entries = nulList(stdout).filter((entry) => entry.startsWith("160000 "));
  const input = entries.map((entry) => `${entry.slice(entry.indexOf("\t") + 1)}\0`).join("");
  if (input !== "")
    await repository.git(["update-index", "--force-remove", "-z", "--stdin"], { input });
}

async function fillIndex(contentDir: string, workspacesDir: string): Promise<void> {
  const log = createLog({ level: "silent", name: "restore" });
  const repository = makeRepository({ contentDir, workspacesDir, log });
  try {
    await ensureGuards(repository);
    const head = await mainHead(repository).catch(() => null);
    if (head === null) return;
    await repository.git(["read-tree", head]);
    await dropSubmodules(repository);
  } finally {
    repository.close();
  }
}
