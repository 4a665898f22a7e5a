import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { exists } from "../../packages/server/src/platform/files.ts";
import { run } from "../../packages/server/src/platform/process.ts";

/** The Git identity for commits that follow the template: nobody's own. */
const identity = ["-c", "user.name=Template", "-c", "user.email=template@localhost"];

/** The part of the template that is the site's source; `database/` contains records. */
const folders = new Set(["app", "brand", "scripts"]);

/** Whether a changed file of the template belongs to the content. */
export function isTemplateSource(templateDir: string, file: string): boolean {
  const [folder = ""] = relative(templateDir, file).split("/");
  return folders.has(folder);
}

/**
 * Copies changed files of the template to the content repository and commits them. Returns whether
 * anything changed.
 */
export async function syncTemplate(
  files: readonly string[],
  { templateDir, contentDir }: { templateDir: string; contentDir: string },
): Promise<boolean> {
  const git = async (...args: string[]) => {
    const result = await run("git", ["-C", contentDir, ...identity, ...args]);
    if (result.exitCode > 1) throw new Error(`git ${args[0]}: ${result.stderr}`);
    return result;
  };
  const paths = files.map((file) => relative(templateDir, file));
  for (const path of paths) {
    const [from, to] = [join(templateDir, path), join(contentDir, path)];
    await mkdir(dirname(to), { recursive: true });
    if (await exists(from)) await cp(from, to);
    else await rm(to, { force: true });
  }
  await git("add", "--all", "--", ...paths);
  const { exitCode } = await git("diff", "--cached", "--quiet", "--", ...paths);
  if (exitCode === 0) return false;
  await git("commit", "--quiet", "--no-verify", "-m", "Follow the template", "--", ...paths);
  return true;
}
